// Archives of the collection: NAME.tar.gz with a folder NAME, in it NAME.mtx and perhaps right-hand sides, coordinates
// and other files of the matrix.
#pragma once

#include <string>

#include <heddle/io.hpp>

namespace heddle::collection {

// Writes the files NAME/*.mtx and NAME/*.txt of the archive into `folder`, which is there; nothing else, and nothing
// outside of it. Error(input) for an archive that is cut off, damaged or without NAME/NAME.mtx, Error(unavailable)
// where the build has no zlib or the disk no room.
void unpack(const std::string& archive, const std::string& name, const std::string& folder, const Progress& progress);

}  // namespace heddle::collection

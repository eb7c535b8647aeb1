// Paper 3 over its corpus: a file for itself, as it takes longest.
#pragma once

#include "reproduce/record.hpp"

namespace heddle::reproduce {

// R27, R28, R29, R37.
void over_the_corpus(Record& record);

}  // namespace heddle::reproduce

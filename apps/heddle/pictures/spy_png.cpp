#include "core/check.hpp"
#include "pictures/density.hpp"
#include "pictures/spy.hpp"
#include "session/whole_file.hpp"

#ifdef HEDDLE_HAS_PNG
#include <png.h>

#include <cmath>
#include <cstring>
#include <vector>
#endif

namespace heddle {

#ifdef HEDDLE_HAS_PNG

namespace {

// From pale to dark blue; index 0 is the background.
std::vector<png_byte> palette() {
  constexpr double pale[3] = {172, 196, 232}, dark[3] = {10, 24, 92};
  std::vector<png_byte> colours{250, 250, 252};
  for (int i = 1; i < 256; ++i)
    for (int c = 0; c < 3; ++c) colours.push_back(static_cast<png_byte>(pale[c] + (dark[c] - pale[c]) * (i - 1) / 254));
  return colours;
}

std::vector<png_byte> pixels(const Density& grid) {
  std::vector<png_byte> made;
  made.reserve(grid.count.size());
  for (int i = 0; i < grid.tall; ++i)
    for (int j = 0; j < grid.wide; ++j) made.push_back(static_cast<png_byte>(std::ceil(255 * grid.shade(i, j))));
  return made;
}

std::string png_of(const Density& grid) {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(grid.wide);
  image.height = static_cast<png_uint_32>(grid.tall);
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = 256;
  const std::vector<png_byte> colours = palette(), shades = pixels(grid);
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string file(bytes, '\0');
  const int done = png_image_write_to_memory(&image, file.data(), &bytes, 0, shades.data(), 0, colours.data());
  check(done != 0, ErrorKind::internal, "libpng: {}", image.message);
  file.resize(bytes);
  return file;
}

}  // namespace

void write_spy_png(const std::string& path, const PatternView& A, int size) {
  if (A.rows == 0 || A.cols == 0) fail(ErrorKind::input, At{path}, "a matrix without rows or columns has no picture");
  write_whole_file(path, png_of(density(A, fit(A.rows, A.cols, {size, size}, size, 16))));
}

#else

void write_spy_png(const std::string& path, const PatternView&, int) {
  fail(ErrorKind::unavailable, {path, "install libpng and build again"}, "this build of Heddle cannot write PNG");
}

#endif

}  // namespace heddle

// What csr_ell stores, by the counts of row lengths.
#pragma once

#include <heddle/analyze.hpp>

#include "formats/csr_ell/csr_ell.hpp"

namespace heddle {

// What csr_ell makes of the rows by the rules of its paper.
struct CsrEllShape {
  double packed_rows = 0, packed_entries = 0, packed_places = 0, warps = 0;
  double long_rows = 0, long_entries = 0, pieces = 0, crossings = 0;
  double steps = 0;      // of the longest warp
  bool escapes = false;  // stored as hyb: there are no warps to describe, nor lengths
};
CsrEllShape csr_ell_shape(const Structure& facts, CsrEllSettings settings = {});

}  // namespace heddle

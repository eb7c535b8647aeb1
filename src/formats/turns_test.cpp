// Which products write memory of their operator, so that one waits for the other and no graph records them.
#include <gtest/gtest.h>

#include <string>

#include <heddle/generate.hpp>
#include <heddle/operator.hpp>

#include "support/zoo.hpp"

namespace heddle::test {
namespace {

bool takes_turns(const Csr<double>& A, const std::string& plan) {
  return build(A, Plan::parse(plan), {.device = Device::emulator()}).takes_turns();
}

// A full first row and column, and the diagonal.
Csr<double> arrow(Index n) {
  std::vector<Entry> entries;
  for (Index i = 0; i < n; ++i) {
    entries.push_back({i, i, 4});
    if (i > 0) entries.insert(entries.end(), {{0, i, -1}, {i, 0, -1}});
  }
  return from_entries(n, n, entries);
}

TEST(Turns, are_taken_only_where_a_row_is_put_together_from_pieces) {
  const Csr<double> grid = generate<double>("stencil2d5,n=20"), small = generate<double>("stencil2d5,n=5"),
                    long_row = arrow(3000);
  for (const char* plan : {"dia", "hyb", "ell16", "csr_ell"}) {
    EXPECT_FALSE(takes_turns(grid, plan)) << plan;
    EXPECT_TRUE(takes_turns(long_row, plan)) << plan;
  }
  EXPECT_FALSE(takes_turns(small, "coo"));
  EXPECT_TRUE(takes_turns(grid, "coo"));
  EXPECT_TRUE(takes_turns(grid, "ell16 reorder=rcm"));  // x is brought into the other order
  EXPECT_TRUE(takes_turns(grid, "csr_split"));
}

}  // namespace
}  // namespace heddle::test

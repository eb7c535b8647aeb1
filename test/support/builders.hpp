// The steps of a build, one at a time.
#pragma once

#include <gtest/gtest.h>

#include "formats/build_board.hpp"

namespace heddle::test {

// A builder with the board that it asks.
template <class V>
struct Making {
  BuildBoard<V> board;
  std::unique_ptr<Builder<V>> builder;

  Making(Source<V> source, const std::string& plan, Device device = {})
      : board(source), builder(registered_format(Plan::parse(plan).format).builder(board, Plan::parse(plan), device)) {}
};

// By the rules for a GPU, on the host where the source lies there.
template <class V>
Plan settled(Source<V> source, const std::string& plan) {
  const Making<V> made(source, plan, Device::emulator());
  EXPECT_TRUE(made.builder->settle(false));
  return made.builder->plan();
}

}  // namespace heddle::test

// The emulator must behave as a GPU does, and must say what no GPU would say: that a kernel breaks the rules.
#include <gtest/gtest.h>

#include <heddle/error.hpp>

#include "simt/simt.hpp"

namespace heddle::simt {
namespace {

constexpr Launch one_warp{1, 32};

std::string misuse_of(const Launch& shape, void (*kernel)(int*), int* out = nullptr) {
  try {
    launch(Here{}, shape, kernel, out);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    return error.what();
  }
  return "no error";
}

TEST(Emulator, numbers_threads_blocks_and_lanes_like_a_gpu) {
  std::vector<int> seen(3 * 64, -1);
  void (*kernel)(int*) = [](int* out) {
    out[global_thread()] = static_cast<int>(block()) * 10000 + warp() * 100 + lane();
  };
  launch(Here{}, {3, 64}, kernel, seen.data());
  for (int i = 0; i < 3 * 64; ++i) EXPECT_EQ(seen[i], i / 64 * 10000 + i % 64 / 32 * 100 + i % 32);
}

TEST(Emulator, shuffles_give_the_values_of_the_named_lanes) {
  std::vector<int> seen(32 * 4);
  void (*kernel)(int*) = [](int* out) {
    out[lane()] = shuffle(lane() * 2, 5);
    out[32 + lane()] = shuffle_down(lane(), 3);
    out[64 + lane()] = shuffle_up(lane(), 4);
    out[96 + lane()] = shuffle_xor(lane(), 6);
  };
  launch(Here{}, one_warp, kernel, seen.data());
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(seen[i], 10);
    EXPECT_EQ(seen[32 + i], i + 3 < 32 ? i + 3 : i);
    EXPECT_EQ(seen[64 + i], i >= 4 ? i - 4 : i);
    EXPECT_EQ(seen[96 + i], i ^ 6);
  }
}

TEST(Emulator, ballots_collect_the_votes_of_the_mask) {
  unsigned seen[2] = {};
  void (*kernel)(unsigned*) = [](unsigned* out) {
    const unsigned all = ballot(lane() % 3 == 0);
    if (lane() == 7) out[0] = all;
    if (lane() < 8) {
      const unsigned some = ballot(lane() % 2 == 1, 0xffu);
      if (lane() == 0) out[1] = some;
    }
  };
  launch(Here{}, one_warp, kernel, &seen[0]);
  EXPECT_EQ(seen[0], 0x49249249u);
  EXPECT_EQ(seen[1], 0xaau);
}

// Quarters of a warp meet as often as they like between two meetings of all, each lane seeing its own quarter.
TEST(Emulator, parts_of_a_warp_meet_by_themselves) {
  std::vector<int> seen(32 * 3);
  void (*kernel)(int*) = [](int* out) {
    const int quarter = lane() / 8;
    int mine = shuffle_xor(lane(), 1);
    for (int i = 0; i <= quarter; ++i) mine = shuffle(mine + 100, quarter * 8 + (lane() + 1) % 8, 0xffu << quarter * 8);
    out[lane()] = mine;
    out[32 + lane()] = static_cast<int>(ballot(lane() % 8 == quarter, 0xffu << quarter * 8));
    out[64 + lane()] = shuffle(mine, 31 - lane());
  };
  launch(Here{}, one_warp, kernel, seen.data());
  for (int i = 0; i < 32; ++i) {
    const int quarter = i / 8, from = quarter * 8 + (i + quarter + 1) % 8;
    EXPECT_EQ(seen[i], (from ^ 1) + 100 * (quarter + 1));
    EXPECT_EQ(seen[32 + i], 1 << (quarter * 8 + quarter));
    EXPECT_EQ(seen[64 + i], seen[31 - i]);
  }
}

TEST(Emulator, lanes_find_who_has_their_value_and_agree_on_sum_and_maximum) {
  std::vector<int> seen(32 * 4);
  void (*kernel)(int*) = [](int* out) {
    out[lane()] = static_cast<int>(same_lanes(static_cast<unsigned>(lane() % 3)));
    out[96 + lane()] = static_cast<int>(same_lanes_below(2, static_cast<unsigned>(lane() % 3)));
    out[32 + lane()] = sum_lanes(lane() - 16);
    out[64 + lane()] = max_lanes(-lane() - 5);
  };
  launch(Here{}, one_warp, kernel, seen.data());
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(static_cast<unsigned>(seen[i]), 0x49249249u << i % 3);
    EXPECT_EQ(seen[96 + i], seen[i]);
    EXPECT_EQ(seen[32 + i], -16);
    EXPECT_EQ(seen[64 + i], -5);
  }
}

TEST(Emulator, atomic_operations_give_back_what_was_there) {
  std::vector<unsigned> seen(8);
  void (*kernel)(unsigned*) = [](unsigned* out) {
    atomic_add(&out[0], 2u);
    atomic_max(&out[1], static_cast<unsigned>(lane() ^ 5));
    atomic_or(&out[2], 1u << lane() / 2);
    if (atomic_claim(&out[3], static_cast<unsigned>(lane() + 1)) == 0) atomic_add(&out[4], 1u);
  };
  launch(Here{}, {2, 64}, kernel, seen.data());
  EXPECT_EQ(seen[0], 256u);
  EXPECT_EQ(seen[1], 31u);
  EXPECT_EQ(seen[2], 0xffffu);
  EXPECT_EQ(seen[3], 1u);
  EXPECT_EQ(seen[4], 1u);
}

TEST(Emulator, team_sums_add_up_each_team) {
  std::vector<double> seen(32);
  void (*kernel)(double*) = [](double* out) { out[lane()] = team_sum<8>(lane() + 0.5); };
  launch(Here{}, one_warp, kernel, seen.data());
  for (int team = 0; team < 4; ++team) EXPECT_EQ(seen[team * 8], 8 * team * 8 + 28 + 4.0);
}

TEST(Emulator, shared_memory_and_barriers_carry_values_between_warps) {
  std::vector<int> seen(2 * 128);
  void (*kernel)(int*) = [](int* out) {
    int* board = shared<int>();
    board[thread()] = thread() + static_cast<int>(block()) * 1000;
    sync_block();
    out[global_thread()] = board[block_threads() - 1 - thread()];
  };
  for (const auto order : {emulator::Order::forward, emulator::Order::reverse}) {
    emulator::set_order(order);
    launch(Here{}, {2, 128, 128 * sizeof(int)}, kernel, seen.data());
    for (int i = 0; i < 256; ++i) EXPECT_EQ(seen[i], 127 - i % 128 + i / 128 * 1000);
  }
  emulator::set_order(emulator::Order::forward);
}

TEST(Emulator, shared_memory_starts_as_garbage) {
  int seen = 0;
  void (*kernel)(int*) = [](int* out) {
    if (thread() == 0) *out = shared<int>()[3];
  };
  launch(Here{}, {1, 32, 64}, kernel, &seen);
  EXPECT_NE(seen, 0);
}

TEST(Emulator, blocks_of_a_cluster_reach_each_others_shared_memory) {
  std::vector<int> seen(6 * 64, -1);
  void (*kernel)(int*) = [](int* out) {
    arrive_cluster();  // the others may not have begun
    const int value = static_cast<int>(block()) * 100 + thread(), next = (cluster_rank() + 1) % cluster_blocks();
    wait_cluster();
    shared_of<int>(next)[thread()] = value;
    arrive_cluster();
    if (cluster_rank() == 2) return;  // has arrived, and is not waited for
    wait_cluster();
    out[global_thread()] = shared<int>()[thread()];
  };
  for (const auto order : {emulator::Order::forward, emulator::Order::reverse}) {
    emulator::set_order(order);
    launch(Here{}, {6, 64, 64 * sizeof(int), {}, 3}, kernel, seen.data());
    for (int i = 0; i < 6 * 64; ++i) {
      const int block = i / 64, first = block / 3 * 3;
      EXPECT_EQ(seen[i], block % 3 == 2 ? -1 : (first + (block - first + 2) % 3) * 100 + i % 64) << i;
    }
  }
  emulator::set_order(emulator::Order::forward);
}

TEST(Emulator, reports_a_block_of_a_cluster_that_never_arrives) {
  const std::string error = misuse_of({2, 32, 0, {}, 2}, [](int*) {
    if (cluster_rank() == 1 && thread() == 5) shuffle(1, 0, 0x60u);
    arrive_cluster(), wait_cluster();
  });
  EXPECT_NE(error.find("thread 5 of block 1, which waits"), std::string::npos) << error;
}

TEST(Emulator, reports_halves_of_a_clusters_barrier_out_of_turn) {
  const std::string early = misuse_of({2, 32, 0, {}, 2}, [](int*) { wait_cluster(); });
  EXPECT_NE(early.find("without having arrived"), std::string::npos) << early;
  const std::string twice = misuse_of({2, 32, 0, {}, 2}, [](int*) { arrive_cluster(), arrive_cluster(); });
  EXPECT_NE(twice.find("arrives twice"), std::string::npos) << twice;
  const std::string beyond = misuse_of({2, 32, 4, {}, 2}, [](int*) { *shared_of<int>(2) = 1; });
  EXPECT_NE(beyond.find("no such block in the cluster"), std::string::npos) << beyond;
}

TEST(Emulator, reports_a_barrier_that_some_threads_never_reach) {
  const std::string left = misuse_of({1, 64}, [](int*) {
    if (thread() != 40) sync_block();
  });
  EXPECT_NE(left.find("divergent barrier"), std::string::npos) << left;
  EXPECT_NE(left.find("thread 40, which has left the kernel"), std::string::npos) << left;
  EXPECT_NE(left.find("emulator_test.cpp:"), std::string::npos) << left;
}

TEST(Emulator, reports_two_different_barriers) {
  const std::string error = misuse_of({1, 64}, [](int*) {
    if (warp() == 0)
      sync_block();
    else
      sync_warp(), shuffle(1, 0), sync_block(), sync_block();
  });
  EXPECT_NE(error.find("divergent barrier"), std::string::npos) << error;
}

TEST(Emulator, reports_a_shuffle_that_waits_for_a_lane_that_has_left) {
  const std::string error = misuse_of(one_warp, [](int*) {
    if (lane() != 9) shuffle(lane(), 0);
  });
  EXPECT_NE(error.find("divergent warp operation"), std::string::npos) << error;
  EXPECT_NE(error.find("thread 9"), std::string::npos) << error;
}

TEST(Emulator, reports_a_shuffle_from_a_lane_outside_the_mask) {
  const std::string error = misuse_of(one_warp, [](int*) {
    if (lane() < 16) shuffle(lane(), 20, 0xffffu);
  });
  EXPECT_NE(error.find("does not take part"), std::string::npos) << error;
}

TEST(Emulator, reports_a_mask_that_does_not_name_the_caller) {
  const std::string error = misuse_of(one_warp, [](int*) { sync_warp(0xffu); });
  EXPECT_NE(error.find("does not name it"), std::string::npos) << error;
}

TEST(Emulator, reports_lanes_that_meet_in_different_operations) {
  const std::string error = misuse_of(one_warp, [](int*) {
    if (lane() == 3)
      ballot(true);
    else
      shuffle(1, 0);
  });
  EXPECT_NE(error.find("another operation"), std::string::npos) << error;
}

TEST(Emulator, works_again_after_a_misuse) {
  misuse_of({1, 128}, [](int*) {
    if (thread() == 0) sync_block();
  });
  int sum = 0;
  void (*kernel)(int*) = [](int* out) {
    const int total = team_sum<32>(1);
    if (lane() == 0) *out += total;
  };
  launch(Here{}, {2, 128}, kernel, &sum);
  EXPECT_EQ(sum, 256);
}

TEST(Emulator, refuses_impossible_blocks) {
  EXPECT_THROW(launch(
                   Here{}, {1, 33}, +[] {}),
               Error);
  EXPECT_THROW(launch(
                   Here{}, {1, 2048}, +[] {}),
               Error);
  EXPECT_THROW(launch(
                   Here{}, {1, 32, 1 << 20}, +[] {}),
               Error);
  EXPECT_THROW(launch(
                   Here{}, {3, 32, 0, {}, 2}, +[] {}),
               Error);
  EXPECT_NO_THROW(launch(
      Here{}, {0, 32}, +[] {}));
}

}  // namespace
}  // namespace heddle::simt

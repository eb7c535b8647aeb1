// Why a plan was chosen, in words.
#pragma once

#include <cstdint>
#include <string>

#include <heddle/choose.hpp>

#include "plan/predict/model.hpp"

namespace heddle {

// Of a stored matrix, where caches hold nothing of it: more are read by several cores of a CPU, once they are awake.
inline constexpr std::int64_t read_by_one_core = 1 << 19;

std::string explain(const Choice& choice, const Subject& subject, const Machine& machine, double expected_multiplies);

}  // namespace heddle

// Why a plan was chosen, in words.
#pragma once

#include <string>

#include <heddle/choose.hpp>

#include "plan/predict/model.hpp"

namespace heddle {

std::string explain(const Choice& choice, const Subject& subject, const Machine& machine, double expected_multiplies);

}  // namespace heddle

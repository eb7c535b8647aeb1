// Paper 3, tables 6 and 7.
#pragma once

#include "reproduce/record.hpp"

namespace heddle::reproduce {

void orders_of_rows(Record& record);  // R36

}  // namespace heddle::reproduce

// Paper 5's eleven matrices and what it prints of them: tables 3, 5, 6 and 7.
#pragma once

#include "reproduce/record.hpp"

namespace heddle::reproduce::paper5 {

struct Printed {
  const char* called;
  double x_share;  // table 3, percent
  // Table 5, C1060: reverse Cuthill-McKee and 16-bit columns used; gains in percent, float and double.
  bool rcm, short_columns;
  double pseudo[2], all[2];
  // Table 6, GTX 480: speed-ups I (strategy 3 over 2), II (3 over 1), III (3 with RCM over 1), percent; NaN: not there.
  double speed_up[2][3];
  // Table 7: the best time on the C1060 and on the GTX 480, milliseconds, float and double.
  double best[2][2];

  bool in_table_6() const;  // Cantilever is not
};
const std::vector<Printed>& printed();

struct Case {
  const Printed& then;
  const Matrix& matrix;
};
// Those that can be had.
std::vector<Case> cases(Record& record);

bool one_of(const std::string& word, std::initializer_list<const char*> list);
std::string source_of(const Matrix& matrix);

// Tables 5, 6 and 7.
void tables_5_to_7(Record& record);
// Joules, where the machine counts them.
void energy(Record& record);

}  // namespace heddle::reproduce::paper5

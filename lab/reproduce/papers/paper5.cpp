#include "reproduce/papers/paper5.hpp"

#include <algorithm>
#include <cmath>

namespace heddle::reproduce::paper5 {

namespace {
constexpr double none = bench::unknown;
}

bool Printed::in_table_6() const { return std::isfinite(speed_up[0][1]); }

const std::vector<Printed>& printed() {
  static const std::vector<Printed> rows{{"Cantilever",
                                          7.1,
                                          false,
                                          true,
                                          {18.7, 4.6},
                                          {11.1, 5.0},
                                          {{none, none, none}, {none, none, none}},
                                          {{none, none}, {none, none}}},
                                         {"Sphere",
                                          8.2,
                                          true,
                                          true,
                                          {20.8, 15.1},
                                          {23.0, 10.9},
                                          {{8.4, 14.1, none}, {10.6, 14.7, none}},
                                          {{.6661, .4203}, {1.0835, .5579}}},
                                         {"Accelerator",
                                          25.7,
                                          true,
                                          true,
                                          {12.2, 10.3},
                                          {17.1, 32.5},
                                          {{21.2, 23.6, 29.8}, {9.8, 9.6, 15.0}},
                                          {{.5665, .3982}, {.8141, .5270}}},
                                         {"Economics",
                                          17.1,
                                          false,
                                          true,
                                          {20.6, 17.3},
                                          {13.0, 10.6},
                                          {{22.3, 23.4, none}, {9.1, 10.2, none}},
                                          {{.5133, .2972}, {.6658, .4035}}},
                                         {"Epidemiology",
                                          15.1,
                                          false,
                                          true,
                                          {23.1, 11.2},
                                          {23.1, 9.7},
                                          {{10.2, 8.4, none}, {4.7, 5.3, none}},
                                          {{.2959, .1733}, {.4724, .2561}}},
                                         {"Protein",
                                          7.2,
                                          false,
                                          true,
                                          {12.0, 9.3},
                                          {9.3, 9.3},
                                          {{7.8, 13.7, none}, {9.8, 14.0, none}},
                                          {{.7753, .4545}, {1.1226, .5844}}},
                                         {"WindTunnel",
                                          3.4,
                                          true,
                                          true,
                                          {23.5, 14.7},
                                          {22.0, 14.4},
                                          {{12.1, 18.7, none}, {9.9, 21.3, none}},
                                          {{1.2649, .8217}, {2.0217, 1.0825}}},
                                         {"QCD",
                                          8.4,
                                          false,
                                          true,
                                          {27.3, 6.6},
                                          {19.0, 10.1},
                                          {{16.1, 21.9, none}, {15.7, 21.9, none}},
                                          {{.2105, .1429}, {.3182, .1863}}},
                                         {"Harbor",
                                          4.5,
                                          true,
                                          true,
                                          {9.9, 10.1},
                                          {7.7, 9.7},
                                          {{7.7, 13.9, none}, {7.3, 11.4, none}},
                                          {{.5466, .3802}, {.8896, .4663}}},
                                         {"Circuit",
                                          25.4,
                                          true,
                                          true,
                                          {6.5, 6.7},
                                          {14.3, 17.8},
                                          {{28.8, 30.6, 31.8}, {20.4, 21.0, 22.9}},
                                          {{.2918, .2381}, {.4183, .2912}}},
                                         {"Web",
                                          24.8,
                                          true,
                                          false,
                                          {none, none},
                                          {18.0, 3.0},
                                          {{10.6, 10.7, 16.0}, {5.9, 8.8, 14.9}},
                                          {{.9564, .6203}, {1.3850, .7630}}}};
  return rows;
}

std::vector<Case> cases(Record& record) {
  std::vector<Case> list;
  for (std::size_t k = 0; k < eleven().size(); ++k)
    if (const Matrix* matrix = record.try_matrix(eleven()[k].name)) list.push_back({printed()[k], *matrix});
  return list;
}

bool one_of(const std::string& word, std::initializer_list<const char*> list) {
  return std::any_of(list.begin(), list.end(), [&](const char* known) { return word == known; });
}

std::string source_of(const Matrix& matrix) { return name_of(matrix.facts.origin); }

}  // namespace heddle::reproduce::paper5

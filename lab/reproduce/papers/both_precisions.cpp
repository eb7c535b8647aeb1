// GFLOP/s of every matrix of Table I by format, in float as papers 1 and 4 draw them and in double, which they do not;
// and what Table I says of the rows, drawn.
#include <array>

#include "reproduce/record.hpp"

namespace heddle::reproduce {

namespace {

struct Format {
  const char *called, *plan;
};
constexpr std::array formats{Format{"csr, a lane a row", "csr lanes=1"}, Format{"csr, a warp a row", "csr lanes=32"},
                             Format{"csr_padded", "csr_padded"},         Format{"ell", "ell"},
                             Format{"hyb", "hyb rule=two_thirds"},       Format{"ellr", "ellr T=1 block=256"}};

Figure bars_of(Record& record, const std::vector<const Matrix*>& matrices, Precision precision) {
  Figure figure{.title = fmt::format("GFLOP/s by format, {}; {}", precision == Precision::f32 ? "float" : "double",
                                     basis_of(matrices)),
                .y_label = "GFLOP/s"};
  for (const Format& format : formats) figure.series.push_back({format.called, {}, {}});
  for (const Matrix* matrix : matrices) {
    figure.categories.push_back(matrix->facts.name);
    for (std::size_t k = 0; k < formats.size(); ++k)
      figure.series[k].y.push_back(record.lab.gflops(*matrix, formats[k].plan, precision));
  }
  return figure;
}

Figure rows_of(const std::vector<const Matrix*>& matrices) {
  Figure figure{.title = "Rows of the matrices: mean and longest length, deviation; " + basis_of(matrices),
                .y_label = "entries",
                .series = {{"mean", {}, {}}, {"longest", {}, {}}, {"deviation", {}, {}}},
                .logarithmic_y = true};
  for (const Matrix* matrix : matrices) {
    figure.categories.push_back(matrix->facts.name);
    figure.series[0].y.push_back(matrix->facts.mean);
    figure.series[1].y.push_back(static_cast<double>(matrix->facts.longest));
    figure.series[2].y.push_back(matrix->facts.deviation > 0 ? matrix->facts.deviation : bench::unknown);
  }
  return figure;
}

}  // namespace

void rates_in_both_precisions(Record& record) {
  std::vector<std::string> names;
  for (const TableOneRow& row : table_one()) names.emplace_back(row.name);
  const auto matrices = record.try_matrices(names);
  record.add(rows_of(matrices));
  for (const Precision precision : both) record.add(bars_of(record, matrices, precision));
  Table table{.title = "Speed of double over float by format, mean over the matrices",
              .columns = {"format", "GFLOP/s float", "GFLOP/s double", "double over float"}};
  for (const Format& format : formats) {
    Numbers rates[2], ratios;
    for (const Matrix* matrix : matrices) {
      for (const Precision precision : both)
        rates[static_cast<int>(precision)].push_back(record.lab.gflops(*matrix, format.plan, precision));
      ratios.push_back(rates[1].back() / rates[0].back());
    }
    table.rows.push_back(
        {format.called, significant(mean(rates[0])), significant(mean(rates[1])), fixed(geometric_mean(ratios), 2)});
  }
  record.add(std::move(table));
}

}  // namespace heddle::reproduce

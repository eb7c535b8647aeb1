// Means, ranks and text of numbers that may be missing: NaN is left out of means and printed as a dash.
#pragma once

#include <string>
#include <vector>

namespace heddle::reproduce {

using Numbers = std::vector<double>;

double mean(const Numbers& values);            // NaN without any
double geometric_mean(const Numbers& values);  // NaN without any
double median(const Numbers& values);          // NaN without any
double largest(const Numbers& values);
double smallest(const Numbers& values);
std::size_t present(const Numbers& values);  // how many are there
std::size_t count_above(const Numbers& values, double limit);
// Spearman's, over the pairs that are whole; ties get their mean rank. NaN below three pairs or without spread.
double rank_correlation(const Numbers& a, const Numbers& b);
// Coefficients c that minimise sum of ((rows c - values) / values)^2: relative errors count alike. `rows` have three.
struct Fit3 {
  double c[3];
};
Fit3 fit(const std::vector<Fit3>& rows, const Numbers& values);

std::string fixed(double value, int decimals);          // "1.25", or "-"
std::string percent(double value, int decimals = 1);    // of 100: "12.5 %", or "-"
std::string micro(double seconds);                      // "12.3"
std::string significant(double value, int digits = 3);  // "524", "0.0189"
std::string grouped(long long count);                   // "1,234,567"

}  // namespace heddle::reproduce

// What the layouts of weave share when they count what a product costs a GPU: one LAYOUT_plan.cpp in each folder.
#pragma once

#include "cost/workload_parts.hpp"
#include "formats/weave/weave_layout.hpp"

namespace heddle::weave {

struct BlocksSettings;
struct DiagonalsSettings;
struct LongSettings;
struct PaddedSettings;
struct RowsSettings;
struct SegmentsSettings;
struct SumsSettings;
struct TilesSettings;

}  // namespace heddle::weave

namespace heddle::weave_counts {

inline constexpr double short_column = 2;

// How a plan stores values, as far as facts tell. How many different ones there are may be a guess: a wrong one costs
// time, building counts for itself.
struct EstimatedValues {
  double bytes;   // of a value as the plan has it, or in the smallest codec that loses nothing
  double least;   // in layouts that store nothing where all values are one, and have tables of 65,536 values too
  bool raw;       // as the plan says
  bool constant;  // along every diagonal
};

inline weave::MatrixShape shape_of(const Subject& s) { return {s.facts.rows, s.facts.cols, s.facts.nnz}; }
inline bool stays_in_cache(const Subject& s) { return weave::stays_in_cache(shape_of(s), s.value_bytes); }
double fill_of(const Structure& facts, int size);  // of blocks

// Places that teams of so many threads walk, four entries a thread and step; and of rows cut into fours.
double long_places(const Subject& s, double team);
double quad_places(const Subject& s, double team);

// The fewer rows a slice has, the less they differ; from slices of 32 and of 128.
double slice_padding(const Subject& s, double slice_rows);
double sorted_padding(const Subject& s, double slice_rows);

// The loads of the matrix alone; columns take `column` bytes.
Workload stored_as(const Subject& s, double places, double column, double value, double beside);
// A value of a table is one more fetch that waits for the code.
void look_up_values(Workload& w, double value);

Workload counted(const Subject& s, const weave::DiagonalsSettings& settings, const EstimatedValues& values);
Workload counted(const Subject& s, const weave::BlocksSettings& settings, const EstimatedValues& values);
Workload counted(const Subject& s, const weave::RowsSettings& settings, const EstimatedValues& values);
Workload counted(const Subject& s, const weave::SegmentsSettings& settings, const EstimatedValues& values);
Workload counted(const Subject& s, const weave::PaddedSettings& settings, const EstimatedValues& values);
Workload counted(const Subject& s, const weave::LongSettings& settings, const EstimatedValues& values);
Workload counted(const Subject& s, const weave::TilesSettings& settings, const EstimatedValues& values);
Workload counted(const Subject& s, const weave::SumsSettings& settings, const EstimatedValues& values);

}  // namespace heddle::weave_counts

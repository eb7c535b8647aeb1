// What ranks must send each other in a product: a matrix is cut into parts by METIS, or into runs of rows as PETSc does
// on its own, and the columns that each part needs of others are counted. Prints lines for bench/scaling.py.
//   petsc_halo_bench [MATRIX...] [--parts 2,8,64,512,4096]
//
// METIS is opened at run time (libmetis.so.5, 32-bit integers), so that nothing here depends on it.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <heddle/error.hpp>
#include <heddle/io.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using heddle::Index;

using PartGraph = int (*)(Index* vertices, Index* constraints, Index* ptr, Index* neighbours, Index* weights,
                          Index* sizes, Index* edge_weights, Index* parts, float* shares, float* imbalance,
                          Index* options, Index* cut, Index* part);

PartGraph metis() {
  void* library = dlopen("libmetis.so.5", RTLD_NOW);
  void* function = library ? dlsym(library, "METIS_PartGraphKway") : nullptr;
  if (!function) throw std::runtime_error("libmetis.so.5 is not there: install METIS");
  return reinterpret_cast<PartGraph>(function);
}

// Neighbours of each row in A + A^T, without itself.
struct Graph {
  std::vector<Index> ptr, neighbours, weights;
};

Graph graph_of(const heddle::Csr<double>& A) {
  heddle::Coo<float> both;
  both.rows = both.cols = A.rows;
  std::int64_t count = 0;
  const auto each = [&](auto&& use) {
    for (std::int64_t row = 0; row < A.rows; ++row)
      for (auto at = A.ptr[row]; at < A.ptr[row + 1]; ++at)
        if (A.col[at] != row) use(static_cast<Index>(row), A.col[at]);
  };
  each([&](Index, Index) { count += 2; });
  both.row = heddle::Buffer<Index>(count);
  both.col = heddle::Buffer<Index>(count);
  both.val = heddle::Buffer<float>(count);
  std::int64_t next = 0;
  each([&](Index row, Index col) {
    both.row[next] = both.col[next + 1] = row;
    both.col[next] = both.row[next + 1] = col;
    both.val[next] = both.val[next + 1] = 1;
    next += 2;
  });
  const heddle::Csr<float> sum = heddle::to_csr(both);
  Graph graph;
  graph.ptr.assign(sum.ptr.begin(), sum.ptr.end());
  graph.neighbours.assign(sum.col.begin(), sum.col.end());
  for (std::int64_t row = 0; row < A.rows; ++row)
    graph.weights.push_back(static_cast<Index>(A.ptr[row + 1] - A.ptr[row]) + 1);
  return graph;
}

std::vector<Index> cut_by_metis(Graph& graph, int parts) {
  auto vertices = static_cast<Index>(graph.ptr.size() - 1);
  Index constraints = 1, count = parts, cut = 0;
  std::vector<Index> part(static_cast<std::size_t>(vertices));
  const int code = metis()(&vertices, &constraints, graph.ptr.data(), graph.neighbours.data(), graph.weights.data(),
                           nullptr, nullptr, &count, nullptr, nullptr, nullptr, &cut, part.data());
  if (code != 1) throw std::runtime_error("METIS failed: " + std::to_string(code));
  return part;
}

std::vector<Index> runs_of_rows(std::int64_t rows, int parts) {
  std::vector<Index> part;
  for (int p = 0; p < parts; ++p)
    part.insert(part.end(), static_cast<std::size_t>(rows / parts + (p < rows % parts)), p);
  return part;
}

struct Part {
  std::int64_t rows = 0, entries = 0, off_diagonal = 0, halo = 0, neighbours = 0;  // halo: columns of others
};

std::vector<Part> count(const heddle::Csr<double>& A, const std::vector<Index>& part, int parts) {
  std::vector<std::vector<Index>> rows_of(static_cast<std::size_t>(parts));
  for (std::size_t row = 0; row < part.size(); ++row)
    rows_of[static_cast<std::size_t>(part[row])].push_back(static_cast<Index>(row));
  std::vector<Index> needed_by(part.size(), -1), met_by(static_cast<std::size_t>(parts), -1);
  std::vector<Part> counted(static_cast<std::size_t>(parts));
  for (Index p = 0; p < parts; ++p) {
    Part& mine = counted[static_cast<std::size_t>(p)];
    for (const Index row : rows_of[static_cast<std::size_t>(p)]) {
      ++mine.rows;
      for (auto at = A.ptr[row]; at < A.ptr[row + 1]; ++at) {
        ++mine.entries;
        const auto col = static_cast<std::size_t>(A.col[at]);
        mine.off_diagonal += part[col] != p;
        if (part[col] == p || needed_by[col] == p) continue;
        needed_by[col] = p;
        ++mine.halo;
        Index& met = met_by[static_cast<std::size_t>(part[col])];
        mine.neighbours += met != p;
        met = p;
      }
    }
  }
  return counted;
}

void print(const std::string& name, const heddle::Csr<double>& A, const char* how, const std::vector<Index>& part,
           int parts) {
  const std::vector<Part> counted = count(A, part, parts);
  Part most;
  std::int64_t total = 0;
  for (const Part& each : counted) {
    most.rows = std::max(most.rows, each.rows);
    most.entries = std::max(most.entries, each.entries);
    most.off_diagonal = std::max(most.off_diagonal, each.off_diagonal);
    most.halo = std::max(most.halo, each.halo);
    most.neighbours = std::max(most.neighbours, each.neighbours);
    total += each.halo;
  }
  std::printf("\"%s\",%lld,%lld,%s,%d,%lld,%lld,%lld,%lld,%.1f,%lld\n", name.c_str(), static_cast<long long>(A.rows),
              static_cast<long long>(A.nnz()), how, parts, static_cast<long long>(most.rows),
              static_cast<long long>(most.entries), static_cast<long long>(most.off_diagonal),
              static_cast<long long>(most.halo), static_cast<double>(total) / parts,
              static_cast<long long>(most.neighbours));
  std::fflush(stdout);
}

std::vector<int> numbers(const std::string& text) {
  std::vector<int> made;
  std::istringstream list(text);
  for (std::string word; std::getline(list, word, ',');) made.push_back(std::stoi(word));
  return made;
}

void run(int argc, char** argv) {
  std::vector<std::string> names;
  std::vector<int> parts = {2, 8, 64, 512, 4096};
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--parts" && i + 1 < argc)
      parts = numbers(argv[++i]);
    else
      names.emplace_back(argv[i]);
  }
  if (names.empty()) names = {"gen:stencil3d7,n=128", "gen:stencil2d5,n=1448", "gen:fem,n=48,dof=3"};
  std::printf(
      "matrix,rows,entries,cut,parts,most_rows,most_entries,most_off_diagonal,most_halo,mean_halo,most_neighbours\n");
  for (const std::string& name : names) {
    const heddle::Csr<double> A = heddle::read_matrix(name);
    Graph graph = graph_of(A);
    for (const int count : parts) {
      print(name, A, "metis", cut_by_metis(graph, count), count);
      print(name, A, "rows", runs_of_rows(A.rows, count), count);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

#include "reproduce/matrices/test_sets.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace heddle::reproduce {

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> list{
      // small ones of Table I: nothing but their row lengths matters
      {"qh1484", {"qh1484"}, "", "", {1484, 6110, 13, 1.60}},
      {"dw2048", {"dw2048"}, "", "", {2048, 10114, 8, 0.61}},
      {"rbs480a", {"rbs480a", "rbsa480"}, "", "", {480, 17087, 36, 0.49}},
      {"gemat12", {"gemat12"}, "", "", {4929, 33111, 44, 3.01}},
      {"dw8192", {"dw8192"}, "", "", {8192, 41746, 8, 0.61}},
      {"mhd3200a", {"mhd3200a"}, "", "", {3200, 68026, 33, 5.83}},
      {"e20r4000", {"e20r4000"}, "", "", {4241, 131556, 62, 15.40}},
      {"bcsstk24", {"bcsstk24"}, "", "", {3562, 159910, 57, 11.49}},
      // large ones: the class of the matrix
      {"mac_econ", {"mac_econ_fwd500", "mac_econ"}, "like,name=mac_econ", "economics,rows=900"},
      {"qcd5_4", {"conf5_4-8x8-05", "qcd5_4"}, "qcd,l=8", "qcd,l=2", {}, true},
      {"mc2depi", {"mc2depi"}, "epidemiology", "epidemiology,nx=21,ny=43"},
      {"rma10", {"rma10"}, "like,name=rma10", "fem,nx=6,ny=5,nz=3,dof=5"},
      {"cop20k_A", {"cop20k_A"}, "like,name=cop20k_A", "mesh,rows=500"},
      {"wbp128", {"wbp128"}, "tomography,n=128", "tomography,n=14"},
      {"dense2", {"dense2"}, "dense,rows=2000", "dense,rows=90", {}, true},
      {"cant", {"cant"}, "like,name=cant", "fem,nx=4,ny=4,nz=8,dof=3"},
      {"pdb1HYS", {"pdb1HYS"}, "like,name=pdb1HYS", "fem,nx=4,ny=4,nz=2,dof=6"},
      {"consph", {"consph"}, "like,name=consph", "fem,n=5,dof=3"},
      {"shipsec1", {"shipsec1"}, "like,name=shipsec1", "fem,nx=7,ny=7,nz=1,dof=6,irregular=0.2"},
      {"pwtk", {"pwtk"}, "like,name=pwtk", "fem,nx=8,ny=8,nz=1,dof=6"},
      {"wbp256", {"wbp256"}, "tomography,n=256", "tomography,n=16"},
      // papers 2 and 5
      {"scircuit", {"scircuit"}, "like,name=scircuit", "circuit,rows=1000,giants=0"},
      {"webbase-1M", {"webbase-1M"}, "like,name=webbase-1M", "web,rows=1500,max=100"},
      {"rail4284", {"rail4284"}, "like,name=rail4284", "lp,rows=30,cols=3000,per_row=300"},
      // paper 3; what the rows of trans4 and Raj1 have beyond 7 entries is such that groups become as wide as printed
      {"fd18", {"fd18"}, "", "", {16428, 63406, 6, 1.2}},
      {"G2_circuit", {"G2_circuit"}, "", "", {150102, 726674, 6, 0.9}},
      {"trans4", {"trans4"}, "", "", {116835, 766396, 114190, 0, 16}},
      {"Raj1", {"Raj1"}, "", "", {263743, 1302464, 40468, 0, 30}},
  };
  return list;
}

const Subject& subject(const std::string& name) {
  const auto found =
      std::find_if(subjects().begin(), subjects().end(), [&](const Subject& one) { return one.name == name; });
  check(found != subjects().end(), ErrorKind::internal, "no matrix {} in the test sets", name);
  return *found;
}

const std::vector<TableOneRow>& table_one() {
  static const std::vector<TableOneRow> rows{
      {"qh1484", 1484, 6110, 4.12, 8.88, 1.60, 38.87, 86.8, 6, 1},
      {"dw2048", 2048, 10114, 4.94, 3.06, 0.61, 10.24, 98.7, 11, 2},
      {"rbs480a", 480, 17087, 35.60, 0.40, 0.49, 1.38, 100.0, 14, 1},
      {"gemat12", 4929, 33111, 6.72, 37.28, 3.01, 44.79, 90.7, 20, 4},
      {"dw8192", 8192, 41746, 5.10, 2.90, 0.61, 12.05, 96.9, 35, 5},
      {"mhd3200a", 3200, 68026, 21.26, 11.74, 5.83, 27.41, 93.6, 41, 4},
      {"e20r4000", 4241, 131556, 31.02, 30.98, 15.40, 49.63, 86.9, 53, 5},
      {"bcsstk24", 3562, 159910, 45.00, 12.00, 11.49, 25.59, 100.0, 70, 14},
      {"mac_econ", 206500, 1273389, 6.17, 37.83, 4.43, 71.92, 81.1, 38, 8},
      {"qcd5_4", 49152, 1916928, 39.00, 1.00, 0.00, 0.00, 100.0, 120, 16},
      {"mc2depi", 525825, 2100225, 3.99, 0.01, 0.08, 1.91, 100.0, 118, 23},
      {"rma10", 46835, 2374001, 50.69, 94.31, 27.78, 56.11, 81.3, 99, 14},
      {"cop20k_A", 121192, 2624331, 21.65, 59.35, 13.79, 63.70, 82.8, 70, 21},
      {"wbp128", 16384, 3933095, 240.05, 15.95, 34.78, 14.49, 100.0, 111, 14},
      {"dense2", 2000, 4000000, 2000.00, 0.00, 0.00, 0.00, 100.0, 121, 15},
      {"cant", 62451, 4007383, 64.17, 13.83, 14.06, 21.90, 99.7, 121, 32},
      {"pdb1HYS", 36417, 4344765, 119.30, 84.70, 31.86, 26.70, 96.0, 121, 32},
      {"consph", 83334, 6010480, 72.13, 8.87, 19.08, 26.45, 100.0, 120, 33},
      {"shipsec1", 140874, 7813404, 55.46, 46.54, 11.07, 19.96, 93.1, 122, 32},
      {"pwtk", 217918, 11634424, 53.39, 127.61, 4.74, 8.88, 99.4, 128, 33},
      {"wbp256", 65536, 31413932, 479.34, 32.66, 70.53, 14.71, 100.0, 95, 13},
  };
  return rows;
}

const std::vector<Williams>& fourteen() {
  static const std::vector<Williams> set{{"Dense", "dense2"},
                                         {"Protein", "pdb1HYS"},
                                         {"FEM/Spheres", "consph"},
                                         {"FEM/Cantilever", "cant"},
                                         {"Wind Tunnel", "pwtk"},
                                         {"FEM/Harbor", "rma10"},
                                         {"QCD", "qcd5_4"},
                                         {"FEM/Ship", "shipsec1"},
                                         {"Economics", "mac_econ"},
                                         {"Epidemiology", "mc2depi"},
                                         {"FEM/Accelerator", "cop20k_A"},
                                         {"Circuit", "scircuit"},
                                         {"Webbase", "webbase-1M"},
                                         {"LP", "rail4284"}};
  return set;
}

const std::vector<Williams>& eleven() {
  static const std::vector<Williams> set{
      {"Cantilever", "cant"},      {"Sphere", "consph"},    {"Accelerator", "cop20k_A"}, {"Economics", "mac_econ"},
      {"Epidemiology", "mc2depi"}, {"Protein", "pdb1HYS"},  {"WindTunnel", "pwtk"},      {"QCD", "qcd5_4"},
      {"Harbor", "rma10"},         {"Circuit", "scircuit"}, {"Web", "webbase-1M"}};
  return set;
}

}  // namespace heddle::reproduce

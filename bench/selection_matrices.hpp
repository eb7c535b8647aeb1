// The matrices of selection_bench: generated classes, several sizes, shapes and seeds each. Sizes come first in the
// order, so that a run that is cut short has seen every class.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace heddle {

struct SelectionMatrix {
  std::string kind;  // the class: fitting and scoring are split by it
  std::string text;  // as read_matrix takes it
};

inline std::vector<SelectionMatrix> selection_matrices() {
  struct Class {
    const char* kind;
    std::vector<const char*> sizes;
    bool seeded = true;  // another seed gives another pattern
  };
  const std::vector<Class> classes = {
      {"stencil2d5",
       {"n=64", "n=250", "n=700", "n=1500", "n=3000", "n=500,coefficients=varying", "n=2000,coefficients=varying",
        "n=100", "n=160", "n=400", "n=1000", "nx=4000,ny=300", "nx=100,ny=20000"},
       false},
      {"stencil2d9",
       {"n=50", "n=200", "n=600", "n=1100", "n=1800", "n=800,coefficients=varying", "n=100", "n=350", "n=1400",
        "nx=100,ny=9000"},
       false},
      {"stencil3d7",
       {"n=16", "n=40", "n=70", "n=110", "n=150", "n=90,coefficients=varying", "n=25", "n=55", "n=90", "n=128",
        "nx=400,ny=40,nz=40"},
       false},
      {"stencil3d27",
       {"n=12", "n=30", "n=50", "n=75", "n=100", "n=60,coefficients=varying", "n=20", "n=40", "n=62", "n=88"},
       false},
      {"fem",
       {"n=8,dof=3", "n=16,dof=3", "n=27,dof=3", "n=40,dof=3", "n=20,dof=2", "n=60,dof=1", "n=14,dof=6", "n=26,dof=6",
        "n=30,dof=4", "n=24,dof=3,irregular=1", "n=36,dof=3,irregular=1"}},
      {"elasticity",
       {"nx=20,ny=6,nz=6", "nx=60,ny=16,nz=16", "nx=120,ny=24,nz=24", "nx=160,ny=36,nz=36", "nx=40,ny=10,nz=10",
        "nx=90,ny=20,nz=20", "nx=300,ny=8,nz=8"},
       false},
      {"qcd", {"l=4", "l=6", "l=8", "l=12", "l=5", "l=10"}, false},
      {"band",
       {"rows=20k,width=8", "rows=200k,width=16", "rows=1M,width=10", "rows=300k,width=40", "rows=100k,width=200",
        "rows=50k,width=1000,fill=0.05", "rows=2M,width=3,fill=0.9"}},
      {"random",
       {"rows=5k,per_row=8", "rows=50k,per_row=12", "rows=300k,per_row=16", "rows=1M,per_row=4", "rows=1M,per_row=10",
        "rows=3M,per_row=5", "rows=100k,per_row=60", "rows=20k,cols=2M,per_row=200", "rows=2M,cols=20k,per_row=6"}},
      {"rmat",
       {"scale=11", "scale=14", "scale=16", "scale=18", "scale=19", "scale=17,edges=4",
        "scale=18,a=0.45,b=0.22,c=0.22"}},
      {"circuit",
       {"rows=5k", "rows=40k", "rows=171k", "rows=600k", "rows=1500k", "rows=300k,giants=20,giant_share=0.01",
        "rows=400k,giants=0"}},
      {"web", {"rows=20k", "rows=150k", "rows=500k", "rows=1M", "rows=2M,max=500"}},
      {"road", {"rows=20k", "rows=200k", "rows=1M", "rows=3M", "rows=2M,per_row=3.5"}},
      {"lp",
       {"rows=200,cols=20k,per_row=500", "rows=1000,cols=200k,per_row=1500", "rows=4284,cols=1092610,per_row=1300",
        "rows=507,cols=63009,per_row=800", "rows=50,cols=1M,per_row=60000"}},
      {"dense",
       {"rows=60", "rows=300", "rows=1000", "rows=2000", "rows=40,cols=50000", "rows=50000,cols=40", "rows=150",
        "rows=600", "rows=1400", "rows=8,cols=200000"},
       false},
      {"arrow", {"rows=3k", "rows=50k", "rows=500k", "rows=1M,tip=last", "rows=10k", "rows=150k"}, false},
      {"lengths",
       {"law=F1,max=64", "law=F2,max=96,rows=131072", "law=F3,max=128,rows=65536", "law=uniform,max=32,rows=500k",
        "law=power,max=64,rows=300k", "law=constant,max=24,rows=200k", "law=power,max=2000,rows=100k"}},
      {"tomography", {"n=32", "n=64", "n=100", "n=128", "n=48", "n=80"}, false},
      {"mesh", {"rows=5k", "rows=40k", "rows=121192", "rows=400k", "rows=1M"}},
      {"economics", {"rows=5k", "rows=60k", "rows=206500", "rows=800k"}},
      {"epidemiology",
       {"nx=100,ny=120", "nx=513,ny=1025", "nx=1200,ny=1500", "nx=300,ny=300", "nx=200,ny=200", "nx=700,ny=900",
        "nx=1500,ny=2500"},
       false},
      {"empty", {"rows=20k", "rows=200k", "rows=2M", "rows=1M,share=0.9", "rows=1M,share=0.2,per_row=8"}},
  };
  std::vector<SelectionMatrix> all;
  std::size_t most = 0;
  for (const Class& c : classes) most = std::max(most, c.sizes.size());
  for (const int seed : {1, 2})
    for (std::size_t size = 0; size < most; ++size)
      for (const Class& c : classes)
        if (size < c.sizes.size() && (seed == 1 || c.seeded))
          all.push_back({c.kind, std::string("gen:") + c.kind + "," + c.sizes[size] + ",seed=" + std::to_string(seed)});
  return all;
}

}  // namespace heddle

// A matrix of every class, for what is kept of choices, settings and bytes.
#pragma once

namespace heddle::test {

inline constexpr const char* record_matrices[] = {"stencil2d5,n=60",
                                                  "stencil2d5,n=700,coefficients=varying",
                                                  "stencil3d27,n=24",
                                                  "fem,n=12,dof=3",
                                                  "circuit,rows=40k",
                                                  "rmat,scale=12",
                                                  "rmat,scale=16",
                                                  "web,rows=60k",
                                                  "lengths,law=F1,max=40,rows=30k",
                                                  "lengths,law=F3,max=300,rows=8k",
                                                  "random,rows=100k,per_row=16",
                                                  "random,rows=300k,cols=2k,per_row=4",
                                                  "random,rows=300k,per_row=12",
                                                  "lp,rows=600,cols=200k,per_row=2000",
                                                  "band,rows=20k,width=40,fill=0.5",
                                                  "dense,rows=700",
                                                  "arrow,rows=50k",
                                                  "qcd,l=4",
                                                  "economics,rows=30k",
                                                  "tomography,n=32",
                                                  "empty,rows=20k"};

}  // namespace heddle::test

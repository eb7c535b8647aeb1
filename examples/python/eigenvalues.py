"""SciPy's solvers take an operator in the place of a matrix: the five largest eigenvalues."""

import numpy as np
from scipy.sparse.linalg import eigsh

import heddle

A = heddle.generate("stencil2d5", nx=60, ny=60)
op = heddle.optimize(A)
print(op.explain())
values = eigsh(op, 5, return_eigenvectors=False)
print(np.sort(values))
assert np.all(values < 8)

"""A x = b with a multigrid preconditioner; what became of it, and how the residual fell."""

import numpy as np

import heddle

A = heddle.generate("stencil2d5", nx=200, ny=200)  # or heddle.read_matrix("cant.mtx")
b = np.ones(A.shape[0])

op = heddle.optimize(A)
x, info = heddle.cg(op, b, M="amg", rtol=1e-8)
print(info)
for iteration, residual in enumerate(info.history):
    print(f"{iteration:4} {residual:.1e}")
assert info == 0 and np.linalg.norm(A @ x - b) <= 1e-7 * np.linalg.norm(b)

"""A matrix whose values change in every step: stored once, updated in place."""

import numpy as np

import heddle

A = heddle.generate("stencil2d5", nx=200, ny=200)
op = heddle.optimize(A, updates=True)
x = np.ones(A.shape[0])
y = np.empty_like(x)

for step in range(5):
    A.data[:] = A.data * (1 + 0.1 * step)
    op.update_values(A.data)  # in the order of A, whatever the plan is
    op.multiply(x, out=y)
    print(step, np.linalg.norm(y))
    assert np.allclose(y, A @ x)

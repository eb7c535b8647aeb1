#!/usr/bin/env python3
"""CuPy's conjugate gradients on the matrices of solve_bench, microseconds per iteration.

    heddle convert gen:stencil3d7,n=64 a.mtx    (any matrix; CuPy reads Matrix Market through SciPy)
    bench/solve_cupy.py a.mtx ... [--iterations N]

Says so and ends well where CuPy or a GPU is missing.
"""
import argparse
import statistics
import sys
import time

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("matrices", nargs="+")
parser.add_argument("--iterations", type=int, default=200)
arguments = parser.parse_args()

try:
    import cupy
    import cupyx.scipy.sparse
    import cupyx.scipy.sparse.linalg
    import scipy.io

    cupy.cuda.runtime.getDeviceCount()
except Exception as absent:  # an ImportError, or no driver
    print(f"no CuPy here: {absent}")
    sys.exit(0)


def seconds(A, b, iterations):
    cupy.cuda.Device().synchronize()
    begun = time.perf_counter()
    cupyx.scipy.sparse.linalg.cg(A, b, tol=0, atol=0, maxiter=iterations)
    cupy.cuda.Device().synchronize()
    return (time.perf_counter() - begun) / iterations


print(f"{'matrix':44}{'rows':>10}{'entries':>12}{'cupy us':>12}")
for name in arguments.matrices:
    A = cupyx.scipy.sparse.csr_matrix(scipy.io.mmread(name).tocsr().astype(float))
    b = 1 + cupy.arange(A.shape[0]) * 37 % 101 / 101
    seconds(A, b, 20)
    best = statistics.median(seconds(A, b, arguments.iterations) for _ in range(5))
    print(f"{name:44}{A.shape[0]:10}{A.nnz:12}{best * 1e6:12.1f}")

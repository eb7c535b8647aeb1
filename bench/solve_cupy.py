#!/usr/bin/env python3
"""CuPy's conjugate gradients, microseconds per iteration, beside the matrices of solve_bench.

    bench/solve_cupy.py --grid 1000x1000 --grid 64x64x64    the 5-point and the 7-point Laplacian, as gen:stencil2d5,n=1000
                                                            and gen:stencil3d7,n=64
    heddle convert gen:stencil3d27,n=70 a.mtx
    bench/solve_cupy.py a.mtx ...                           any matrix; SciPy reads the file
    ... --ours 35.3,23.2                                    our microseconds for each of them, in this order, for a ratio

Says so and ends well where CuPy or a GPU is missing.
"""
import argparse
import inspect
import statistics
import sys
import time

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("matrices", nargs="*")
parser.add_argument("--grid", action="append", default=[], metavar="NXxNY[xNZ]")
parser.add_argument("--ours", default="", metavar="US,US,...")
parser.add_argument("--iterations", type=int, default=200)
arguments = parser.parse_args()

try:
    import cupy
    import cupyx.scipy.sparse
    import cupyx.scipy.sparse.linalg
    import scipy.io
    import scipy.sparse

    cupy.cuda.runtime.getDeviceCount()
except Exception as absent:  # an ImportError, or no driver
    print(f"no CuPy here: {absent}")
    sys.exit(0)

# The tolerance has changed its name; 0 means that every iteration is done.
NEVER = {"rtol" if "rtol" in inspect.signature(cupyx.scipy.sparse.linalg.cg).parameters else "tol": 0, "atol": 0}


def seconds(A, b, iterations):
    cupy.cuda.Device().synchronize()
    begun = time.perf_counter()
    cupyx.scipy.sparse.linalg.cg(A, b, **NEVER, maxiter=iterations)
    cupy.cuda.Device().synchronize()
    return (time.perf_counter() - begun) / iterations


def laplacian(grid):
    """2 d on the diagonal, -1 for each neighbour."""
    total = None
    for n in (int(word) for word in grid.split("x")):
        line = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))
        total = line if total is None else scipy.sparse.kronsum(total, line)
    return total.tocsr()


systems = [(f"laplacian {grid}", lambda grid=grid: laplacian(grid)) for grid in arguments.grid]
systems += [(name, lambda name=name: scipy.io.mmread(name).tocsr()) for name in arguments.matrices]
ours = [float(word) for word in arguments.ours.split(",") if word]
print(f"{'matrix':44}{'rows':>10}{'entries':>12}{'cupy us':>12}{'ours us':>12}{'ratio':>8}")
for k, (name, make) in enumerate(systems):
    A = cupyx.scipy.sparse.csr_matrix(make().astype(float))
    b = 1 + cupy.arange(A.shape[0]) * 37 % 101 / 101
    seconds(A, b, 20)
    median = 1e6 * statistics.median(seconds(A, b, arguments.iterations) for _ in range(5))
    compared = f"{ours[k]:12.1f}{median / ours[k]:8.2f}" if k < len(ours) else ""
    print(f"{name:44}{A.shape[0]:10}{A.nnz:12}{median:12.1f}{compared}")

#!/usr/bin/env python3
"""SciPy's product of a sparse matrix in CSR with a vector, beside `heddle bench` on the same matrices.

    bench/peer_scipy.py gen:fem,n=20,dof=3 *.mtx         the automatic plan and SciPy in turns, float and double
    bench/peer_scipy.py --heddle build/bin/heddle ...    this command instead of the one in the path
    bench/peer_scipy.py --formats "csr;auto" ...         other plans; the best of them counts

SciPy works on one core; HEDDLE_THREADS=1 has us do so too. Says so and ends well where SciPy is missing.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("matrices", nargs="+")
parser.add_argument("--heddle", default="heddle")
parser.add_argument("--formats", default="auto")
parser.add_argument("--precision", choices=["f32", "f64", "both"], default="both")
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--seconds", type=float, default=0.1, help="for each of both in a round")
arguments = parser.parse_args()

try:
    import numpy
    import scipy
    import scipy.io
    import scipy.sparse
except ImportError as absent:
    print(f"no SciPy here: {absent}")
    sys.exit(0)


def heddle(*words):
    """What the command prints; it says itself what was wrong with a matrix."""
    try:
        return subprocess.run([arguments.heddle, *words], check=True, stdout=subprocess.PIPE, text=True).stdout
    except OSError as absent:
        sys.exit(f"{arguments.heddle} cannot be started ({absent.strerror}); --heddle says where it is")
    except subprocess.CalledProcessError as failed:
        sys.exit(failed.returncode)


def our_time(matrix, precision):
    """Seconds of the best plan, and the plan."""
    found = json.loads(heddle("bench", matrix, "--device", "cpu", "--formats", arguments.formats, "--peers", "none", "--precision", precision,
                              "--seconds", str(arguments.seconds), "--quiet", "--json"))
    best = min((r for r in found["matrices"][0]["results"] if r["status"] == "ok"), key=lambda r: r["seconds"])
    return best["seconds"], best["plan"]


def scipy_time(A, x):
    A @ x
    samples, end = [], time.perf_counter() + arguments.seconds
    while len(samples) < 3 or time.perf_counter() < end:
        begun = time.perf_counter()
        A @ x
        samples.append(time.perf_counter() - begun)
    return statistics.median(samples)


def compare(matrix, precision, folder):
    path = os.path.join(folder, "matrix.mtx")
    heddle("convert", matrix, path, "--quiet")
    A = scipy.sparse.csr_matrix(scipy.io.mmread(path)).astype(numpy.float32 if precision == "f32" else numpy.float64)
    x = numpy.sin(numpy.arange(A.shape[1])).astype(A.dtype)
    ours, plans, theirs = [], [], []
    for _ in range(arguments.rounds):
        seconds, plan = our_time(path, precision)
        ours.append(seconds)
        plans.append(plan)
        theirs.append(scipy_time(A, x))
    ratio = statistics.median(t / o for t, o in zip(theirs, ours))
    print(f"{matrix.split('/')[-1]:40} {precision} {A.nnz:10} {statistics.median(ours) * 1e6:10.1f} {statistics.median(theirs) * 1e6:10.1f} {ratio:7.2f}   {plans[-1]}", flush=True)
    return ratio


print(f"SciPy {scipy.__version__}\n{'matrix':40} prec {'entries':>9} {'us':>10} {'SciPy us':>10} {'ratio':>7}   plan")
with tempfile.TemporaryDirectory() as folder:
    for precision in ("f64", "f32") if arguments.precision == "both" else (arguments.precision,):
        ratios = [compare(matrix, precision, folder) for matrix in arguments.matrices]
        print(f"{precision}: geometric mean {math.exp(statistics.fmean(map(math.log, ratios))):.2f}, least {min(ratios):.2f}")

"""Products beyond the caches and solves to 1e-8, beside SciPy's.

Run as a program it prints the tables of docs/python.md, in some minutes; as a test it does the same on small matrices and
looks at the answers.
"""

import sys
import time

import numpy as np
import scipy
import scipy.sparse.linalg as sl

import heddle

LARGE = {
    "stencil3d7": dict(n=126),
    "fem": dict(n=44, dof=3),
    "random": dict(rows=1_000_000, cols=1_000_000, per_row=12),
}


def seconds(call):
    begin = time.perf_counter()
    given = call()
    return time.perf_counter() - begin, given


def products(cases, rounds):
    """(name, entries, seconds of SciPy, of Heddle): the least of so many products, in turns."""
    rng = np.random.default_rng(0)
    for kind, keys in cases.items():
        A = heddle.generate(kind, **keys)
        A.data = rng.uniform(0.5, 1.5, A.nnz)  # none repeats: nothing is compressed
        op, x = heddle.optimize(A, device="cpu"), rng.random(A.shape[1])
        times = []
        for _ in range(rounds):
            (scipys, wanted), (ours, y) = seconds(lambda: A @ x), seconds(lambda: op @ x)
            times.append((scipys, ours))
        assert np.allclose(y, wanted)
        yield ",".join([kind, *(f"{key}={value}" for key, value in keys.items())]), A.nnz, *np.min(times, axis=0)


def solves(n, rounds, rtol=1e-8):
    """(name, seconds, iterations, residual) of cg, the least of so many; building the operator is not in it."""
    A = heddle.generate("stencil2d5", nx=n, ny=n)
    op, b = heddle.optimize(A, device="cpu"), np.ones(n * n)
    ways = {
        "SciPy's cg": lambda: sl.cg(A, b, rtol=rtol),
        "SciPy's cg with `op` in the place of A": lambda: sl.cg(op, b, rtol=rtol),
        "`heddle.cg`": lambda: heddle.cg(op, b, rtol=rtol),
        '`heddle.cg` with `M="amg"`': lambda: heddle.cg(op, b, rtol=rtol, M="amg"),
    }
    for name, call in ways.items():
        took, (x, info) = min((seconds(call) for _ in range(rounds)), key=lambda pair: pair[0])
        assert info == 0
        yield name, took, getattr(info, "iterations", None), np.linalg.norm(A @ x - b) / np.linalg.norm(b)


def test_products_are_those_of_scipy():
    small = {"stencil3d7": dict(n=9), "fem": dict(n=4, dof=3), "random": dict(rows=500, cols=500, per_row=12)}
    found = list(products(small, 2))
    assert [name for name, *_ in found] == ["stencil3d7,n=9", "fem,n=4,dof=3", "random,rows=500,cols=500,per_row=12"]
    assert all(scipys > 0 and ours > 0 for _, _, scipys, ours in found)


def test_all_ways_of_cg_reach_the_tolerance():
    found = list(solves(30, 1))
    assert len(found) == 4 and all(residual < 1.1e-8 for *_, residual in found)


if __name__ == "__main__":
    versions = f"Python {sys.version.split()[0]}, NumPy {np.__version__}, SciPy {scipy.__version__}"
    print(f"{versions}, {heddle.threads()} threads")
    for name, entries, scipys, ours in products(LARGE, 20):
        about = f"`{name}`, {entries:,} entries"
        print(f"| {about} | {1e3 * scipys:.1f} ms | {1e3 * ours:.1f} ms | {scipys / ours:.1f} |", flush=True)
    for name, took, iterations, residual in solves(400, 3):
        print(f"| {name} | {took:.2f} s | {iterations or ''} | {residual:.1e} |", flush=True)

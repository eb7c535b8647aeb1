"""What a call costs on a tiny matrix, and what SciPy's does. Run as a program it prints a table; as a test it asks for a third."""

import sys
import time

import numpy as np
import scipy
import scipy.sparse as sp
import scipy.sparse.linalg as sl

import heddle


def nanoseconds(call, repeats=3000, rounds=9):
    """The best of some rounds, without the call of the lambda itself."""

    def best(f):
        times = []
        for _ in range(rounds):
            begin = time.perf_counter()
            for _ in range(repeats):
                f()
            times.append((time.perf_counter() - begin) / repeats)
        return min(times)

    return 1e9 * (best(call) - best(lambda: None))


def calls(rows=100):
    A = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(rows, rows)).tocsr()
    op, lo = heddle.optimize(A, device="cpu"), sl.aslinearoperator(A)
    x, y, X = np.random.default_rng(0).random(rows), np.empty(rows), np.random.default_rng(0).random((rows, 4))
    return op, {
        "SciPy: A @ x": lambda: A @ x,
        "op.multiply(x, out=y)": lambda: op.multiply(x, out=y),
        "op @ x": lambda: op @ x,
        "op.multiply(x, out=y, alpha=2.0, beta=1.0)": lambda: op.multiply(x, out=y, alpha=2.0, beta=1.0),
        "op.T @ x": lambda: op.T @ x,
        "SciPy: A @ X, four columns": lambda: A @ X,
        "op @ X, four columns": lambda: op @ X,
        "SciPy: aslinearoperator(A).matvec(x)": lambda: lo.matvec(x),
        "op.matvec(x)": lambda: op.matvec(x),
    }


def test_a_call_costs_less_than_scipys():
    _, table = calls()
    scipys = nanoseconds(table["SciPy: A @ x"], 1000)
    assert nanoseconds(table["op @ x"], 1000) < scipys / 3
    assert nanoseconds(table["op.multiply(x, out=y)"], 1000) < scipys / 3


if __name__ == "__main__":
    op, table = calls()
    print(f"Python {sys.version.split()[0]}, NumPy {np.__version__}, SciPy {scipy.__version__}, {op.plan}")
    for name, call in table.items():
        print(f"| `{name}` | {nanoseconds(call):,.0f} |")

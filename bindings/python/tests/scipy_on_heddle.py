"""A pytest plugin: SciPy's own tests of solvers, with operators of heddle in the place of real matrices.

    python -m pytest -p scipy_on_heddle --pyargs scipy.sparse.linalg._isolve

It replaces the solvers before the tests are imported. With HEDDLE_INTERFACE=1 aslinearoperator is replaced as well, for
the tests of LinearOperator itself. HEDDLE_ONLY="cg minres" leaves those tests whose names or files have one of the words.
"""

import functools
import importlib
import os
import re

import numpy as np
import scipy.sparse.linalg as sl
from scipy.sparse import issparse

import heddle

SOLVERS = "cg cgs bicg bicgstab gmres minres qmr tfqmr gcrotmk lgmres lsqr lsmr eigsh eigs lobpcg svds onenormest".split()
PLACES = ["", "._isolve", "._eigen", "._eigen.arpack", "._eigen.lobpcg", "._expm_multiply"]
used = {"operators": 0}
# How the names of tests begin that cannot pass, and why.
NEEDS_THE_MATRIX = "all eigenvalues are computed from the matrix itself: refused for every LinearOperator"
LEFT_OUT = {
    "test_eigs_for_k_greater": NEEDS_THE_MATRIX,
    "test_eigsh_for_k_greater": NEEDS_THE_MATRIX,
    "test_convergence[rand-sym-pd-F-cgs-": "cgs in float32 needs more than the 90 iterations there are when a row is added "
    "up in another order; SciPy skips this case with a preconditioner, as it struggles to converge",
}


def _operator(A):
    matrix = (issparse(A) or type(A) is np.ndarray) and A.ndim == 2
    if not matrix or A.dtype not in (np.float32, np.float64):
        return A
    used["operators"] += 1
    return heddle.optimize(A, device="cpu")


def _replaced(solver):
    @functools.wraps(solver)
    def solve(A, *arguments, **named):
        if named.get("sigma") is not None:  # needs the matrix itself
            return solver(A, *arguments, **named)
        return solver(_operator(A), *arguments, **named)

    return solve


def _exponential(A, B, *arguments, traceA=None, **named):
    """expm_multiply: of an operator SciPy would only estimate the trace, and a sparse B needs the matrix itself."""
    op = A if issparse(B) else _operator(A)
    if op is not A and traceA is None:
        traceA = A.trace()
    return _expm_multiply(op, B, *arguments, traceA=traceA, **named)


_expm_multiply = sl.expm_multiply


def _install():
    names = SOLVERS + (["aslinearoperator"] if os.environ.get("HEDDLE_INTERFACE") else [])
    replaced = {name: _replaced(getattr(sl, name)) for name in names}
    replaced["expm_multiply"] = functools.wraps(_expm_multiply)(_exponential)
    try:  # which array libraries a function of SciPy supports is kept by function
        from scipy._lib._array_api import xp_capabilities_table

        for name, function in replaced.items():
            if getattr(sl, name) in xp_capabilities_table:
                xp_capabilities_table[function] = xp_capabilities_table[getattr(sl, name)]
    except ImportError:
        pass
    for place in PLACES + (["._interface"] if os.environ.get("HEDDLE_INTERFACE") else []):
        module = importlib.import_module("scipy.sparse.linalg" + place)
        for name in replaced:
            if callable(getattr(module, name, None)):
                setattr(module, name, replaced[name])


_install()


def _left_out(item):
    return next((reason for begin, reason in LEFT_OUT.items() if item.name.startswith(begin)), None)


def _words(item):
    """Of its file and its name: "test_cg" and "[rand-cgs-F]" have cg, and cgs."""
    return set(re.split(r"[\W_]+", item.nodeid.rsplit("/", 1)[-1]))


def pytest_collection_modifyitems(config, items):
    wanted = set(os.environ.get("HEDDLE_ONLY", "").split())
    kept, others = [], []
    for item in items:
        left = _left_out(item) or (wanted and ("complex" in item.name or not wanted & _words(item)))
        (others if left else kept).append(item)
    config.hook.pytest_deselected(items=others)
    items[:] = kept


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"operators of heddle used: {used['operators']}")
    for item in terminalreporter.stats.get("deselected", []):
        if _left_out(item):
            terminalreporter.write_line(f"left out: {item.name}: {_left_out(item)}")

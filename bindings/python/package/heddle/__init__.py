"""Heddle: sparse matrix times vector, as fast as memory delivers it, and solvers.

    op = heddle.optimize(A)                          # a SciPy matrix, a file name or arrays; the GPU if there is one
    y = op @ x
    x, info = heddle.cg(op, b, M="amg", rtol=1e-8)   # as scipy.sparse.linalg.cg
"""

from . import _core
from ._core import threads
from ._device import devices, gpu_absence, set_device_allocator, set_threads
from ._errors import Error, InputError, InternalError, UnavailableError, UsageError
from ._files import analyze, generate, read_matrix, reorder, write_matrix

__version__ = _core.version()

# What needs scipy.sparse.linalg, a third of a second to import, is loaded when it is first used.
_LATER = {
    "Operator": "_operator",
    "optimize": "_operator",
    "Overlapped": "_overlapped",
    "Explanation": "_explain",
    "choose": "_explain",
    "Info": "_solvers",
    "Preconditioner": "_solvers",
    "preconditioner": "_solvers",
    "rigid_body_modes": "_solvers",
    "solve": "_solvers",
    "solve_many": "_solvers",
    "cg": "_solvers",
    "minres": "_solvers",
    "bicgstab": "_solvers",
    "gmres": "_solvers",
    "bench": "_bench",
    "plot": "plot",
}

__all__ = [
    "Error", "InputError", "InternalError", "UnavailableError", "UsageError", "analyze", "devices", "generate",
    "gpu_absence", "read_matrix", "reorder", "set_device_allocator", "set_threads", "threads", "write_matrix", *_LATER,
]  # fmt: skip


def __getattr__(name):
    if name not in _LATER:
        raise AttributeError(f"module 'heddle' has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f"heddle.{_LATER[name]}")
    found = module if name == "plot" else getattr(module, name)
    globals()[name] = found
    return found


def __dir__():
    return sorted(set(globals()) | set(__all__))

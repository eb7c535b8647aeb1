"""What must give a clear error, and leave everything as it was."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sl
from matrices import close

import heddle

A3 = sp.csr_array(np.diag([1.0, 2.0, 3.0]))


@pytest.mark.parametrize(
    "error, words, call",
    [
        (ValueError, "[Dd]imension mismatch", lambda op: op @ np.ones(4)),
        (ValueError, "[Dd]imension mismatch", lambda op: op @ np.ones((4, 2))),
        (ValueError, "[Dd]imension mismatch", lambda op: np.ones(4) @ op),
        (ValueError, "Scalar operands", lambda op: op @ 3),
        (ValueError, "out has shape", lambda op: op.multiply(np.ones(3), out=np.ones(4))),
        (ValueError, "out has dtype", lambda op: op.multiply(np.ones(3), out=np.ones(3, np.float32))),
        (ValueError, "read-only", lambda op: op.multiply(np.ones(3), out=np.broadcast_to(0.0, 3))),
        (ValueError, "not contiguous", lambda op: op.multiply(np.ones(3), out=np.ones(6)[::2])),
        (TypeError, "NumPy array is needed", lambda op: op.multiply(np.ones(3), out=[0, 0, 0])),
        (ValueError, "dimensions", lambda op: op.multiply(np.ones((1, 3, 3)))),
        (TypeError, "dtype", lambda op: op.multiply("text")),
        (TypeError, "dtype", lambda op: op @ np.ones(3, object)),
        (TypeError, "argument", lambda op: op.multiply()),
        (TypeError, r"Operator\.multiply\(\) .* argument", lambda op: op.multiply(np.ones(3), nonsense=1)),
        (ValueError, "overlap", lambda op: op.multiply(*(lambda v: (v, v))(np.ones(3)))),
        (ValueError, "values of shape", lambda op: op.update_values([1.0])),
        (TypeError, "real", lambda op: op.update_values([1j, 1, 1])),
        (TypeError, "new values of dtype object", lambda op: op.update_values(None)),
        (TypeError, "count is 'many'", lambda op: heddle.set_threads("many")),
        (TypeError, "optimize makes", lambda op: heddle.Operator()),
        (TypeError, "optimize makes", lambda op: heddle._core.Core.__new__(heddle.Operator) @ np.ones(3)),
        (TypeError, "optimize makes", lambda op: heddle._core.Core.__new__(heddle.Operator).multiply(np.ones(3))),
        (ValueError, "no such format", lambda op: heddle.optimize(A3, plan="nonsense")),
        (ValueError, "effort", lambda op: heddle.optimize(A3, effort="nonsense")),
        (ValueError, "device", lambda op: heddle.optimize(A3, device="tpu")),
        (TypeError, "complex", lambda op: heddle.optimize(A3 * 1j)),
        (TypeError, "no matrix", lambda op: heddle.optimize(3)),
        (ValueError, "dimensions", lambda op: heddle.optimize(sp.coo_array(np.ones(3)))),
        (FileNotFoundError, "no_such", lambda op: heddle.optimize("no_such.mtx")),
        (ValueError, "indptr has", lambda op: heddle.optimize((A3.data, A3.indices, A3.indptr[:2]), shape=(3, 3))),
        (ValueError, "outside", lambda op: heddle.optimize((A3.data, A3.indices + 1, A3.indptr), shape=(3, 3))),
        (ValueError, "as many", lambda op: heddle.optimize((A3.data[:2], A3.indices, A3.indptr), shape=(3, 3))),
        (TypeError, "integers", lambda op: heddle.optimize((A3.data, A3.indices * 1.0, A3.indptr), shape=(3, 3))),
        (ValueError, "no out", lambda op: op.multiply(np.ones(3), beta=2.0)),
        (TypeError, "alpha", lambda op: op.multiply(np.ones(3), alpha="2")),
        (TypeError, "beta", lambda op: op.multiply(np.ones(3), out=np.ones(3), beta=None)),
        (TypeError, "stream", lambda op: op.multiply(np.ones(3), stream="x")),
        (TypeError, "give A.data", lambda op: op.update_values(A3)),
        (TypeError, "plan is 3", lambda op: heddle.optimize(A3, plan=3)),
        (TypeError, "effort is 3", lambda op: heddle.choose(A3, effort=3)),
        (TypeError, "products is", lambda op: heddle.optimize(A3, products="many")),
        (ValueError, "products is", lambda op: heddle.optimize(A3, products=-1)),
        (TypeError, "right_hand_sides is 1.5", lambda op: heddle.optimize(A3, right_hand_sides=1.5)),
        (ValueError, "right_hand_sides is 0", lambda op: heddle.optimize(A3, right_hand_sides=0)),
        (ValueError, "the matrix has", lambda op: heddle.optimize(A3, shape=(4, 3))),
        (ValueError, "the matrix has", lambda op: heddle.optimize("gen:dense,rows=3", shape=(4, 3))),
        (TypeError, "rows, columns", lambda op: heddle.optimize(A3, shape=3)),
        (ValueError, "numbers from 0", lambda op: heddle.optimize((A3.data, A3.indices, A3.indptr), shape=(3, -1))),
        (TypeError, "is needed", lambda op: heddle.optimize(([1.0, 2.0], 5))),
        (ValueError, "shape", lambda op: heddle.preconditioner(op, "jacobi") @ np.ones(4)),
        (TypeError, "name is 3", lambda op: heddle.preconditioner(op, 3)),
        (TypeError, "not of a function", lambda op: heddle.preconditioner(sl.aslinearoperator(A3), "jacobi")),
        (TypeError, "smoothing", lambda op: heddle.cg(op, np.ones(3), M="amg", settings={"smoothing": "x"})),
        (TypeError, "a dict", lambda op: heddle.cg(op, np.ones(3), M="amg", settings=3)),
        (TypeError, "by name", lambda op: heddle.cg(op, np.ones(3), settings={"smoothing": 1})),
        (ValueError, "of float32", lambda op: heddle.cg(op, np.ones(3), M=heddle.preconditioner(
            heddle.optimize(A3, dtype=np.float32), "jacobi"))),
        (TypeError, "M is 3", lambda op: heddle.cg(op, np.ones(3), M=3)),
        (TypeError, "rtol is", lambda op: heddle.cg(op, np.ones(3), rtol="x")),
        (ValueError, "rtol is nan", lambda op: heddle.cg(op, np.ones(3), rtol=np.nan)),
        (ValueError, "maxiter is", lambda op: heddle.cg(op, np.ones(3), maxiter=10**30)),
        (TypeError, "callback is 3", lambda op: heddle.cg(op, np.ones(3), callback=3)),
        (ValueError, "callback_type", lambda op: heddle.gmres(op, np.ones(3), callback=print, callback_type="zz")),
        (ValueError, "restart is -1", lambda op: heddle.gmres(op, np.ones(3), restart=-1)),
        (TypeError, "method is 3", lambda op: heddle.solve(op, np.ones(3), method=3)),
        (TypeError, "kind is 3", lambda op: heddle.generate(3)),
        (TypeError, "file name", lambda op: heddle.read_matrix(3)),
    ],
)
def test_errors(error, words, call):
    op = heddle.optimize(A3)
    with pytest.raises(error, match=words):
        call(op)
    close(op @ np.ones(3), np.array([1.0, 2.0, 3.0]))


def test_an_operator_whose_shape_was_changed_is_an_error_and_no_crash():
    op = heddle.optimize(A3)
    op.shape = (1, 1)
    for call in (lambda: op @ [1.0], lambda: op.multiply([1.0]), lambda: heddle.cg(op, [1.0])):
        with pytest.raises(TypeError, match="length|size"):
            call()


def test_a_change_of_dtype_reaches_an_operator_that_is_made_from_another():
    op = heddle.optimize(heddle.optimize(A3), dtype=np.float32)
    assert op.dtype == np.float32
    close(op @ np.ones(3, np.float32), np.array([1, 2, 3], np.float32))


def test_what_a_callback_gives_stops_a_solve_where_it_is_true_alone():
    calls = []
    x, info = heddle.cg(heddle.optimize(A3), np.ones(3), rtol=1e-12, callback=lambda x: calls.append(1) or x)
    assert info == 0 and len(calls) == info.iterations

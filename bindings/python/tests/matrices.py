"""Matrices that several tests share."""

import numpy as np
import scipy.sparse as sp


def laplacian(n):
    """The five-point Laplacian of an n x n grid."""
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    return (sp.kron(line, sp.eye_array(n)) + sp.kron(sp.eye_array(n), line)).tocsr()


def random_matrix(rows, cols, dtype=np.float64, density=0.1, seed=0):
    """Entries from -1 to 1, none of them zero."""
    rng = np.random.default_rng(seed)
    A = sp.random_array((rows, cols), density=density, rng=rng, dtype=np.float64)
    A.data = rng.uniform(0.1, 1, A.nnz) * rng.choice([-1, 1], A.nnz)
    return A.tocsr().astype(dtype)


def tolerance(dtype):
    return 1e-12 if dtype == np.float64 else 2e-5


def close(found, wanted):
    """Equal up to rounding."""
    assert found.shape == wanted.shape, (found.shape, wanted.shape)
    scale = max(1.0, float(np.abs(wanted).max(initial=0)))
    assert np.abs(found - wanted).max(initial=0) <= tolerance(found.real.dtype) * scale

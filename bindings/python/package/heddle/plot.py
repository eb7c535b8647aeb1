"""Pictures of matrices and measurements; matplotlib draws them. Each gives the axes it drew on."""

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._given import matrix_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _axes(ax):
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("heddle.plot needs matplotlib: pip install heddle-spmv[plot]") from error
    return pyplot.subplots()[1]


def _arrays(A):
    matrix, keep = matrix_of(A)
    if not isinstance(matrix, _core.Matrix):
        raise TypeError("a matrix is needed")
    return *matrix.arrays(), keep


def spy(A: Any, ax: "Axes | None" = None, *, size: int = 400) -> "Axes":
    """Where entries lie: a picture of `size` cells at most a side, darker where a cell holds more."""
    rows, cols, indptr, indices, _, _keep = _arrays(A)
    ax = _axes(ax)
    step = max(1, -(-max(rows, cols) // size))
    row = np.repeat(np.arange(rows), np.diff(indptr)) // step
    cells, _, _ = np.histogram2d(
        row, indices // step, bins=(-(-rows // step), -(-cols // step)), range=((0, -(-rows // step)), (0, -(-cols // step)))
    )
    ax.imshow(np.log1p(cells), cmap="Greys", extent=(0, cols, rows, 0), interpolation="nearest", aspect="auto")
    ax.set(xlabel="column", ylabel="row", title=f"{rows:,} x {cols:,}, {len(indices):,} entries")
    return ax


def rows(A: Any, ax: "Axes | None" = None) -> "Axes":
    """How many rows have so many entries."""
    _, _, indptr, _, _, _keep = _arrays(A)
    ax = _axes(ax)
    lengths = np.diff(indptr)
    ax.hist(lengths, bins=min(60, int(lengths.max(initial=0)) + 1))
    ax.set(xlabel="entries in a row", ylabel="rows", yscale="log")
    return ax


def roofline(records: Any, ax: "Axes | None" = None) -> "Axes":
    """What `heddle.bench` measured against what memory delivers: a bar for each plan or peer, 1 is the roofline.

    records   a list of dicts, or a pandas.DataFrame made of one
    """
    if hasattr(records, "to_dict"):
        records = records.to_dict("records")
    ax = _axes(ax)
    measured = sorted((r for r in records if (r.get("roofline") or 0) > 0), key=lambda r: r["roofline"])
    names = [r["peer"] if isinstance(r.get("peer"), str) else r["plan"] for r in measured]  # pandas: nan, not None
    ax.barh(np.arange(len(measured)), [r["roofline"] for r in measured])
    ax.set_yticks(np.arange(len(measured)), names)
    ax.axvline(1, linestyle="--", color="black", linewidth=1)
    ax.set(xlabel="share of the roofline (above 1: from caches)")
    return ax

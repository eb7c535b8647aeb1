"""Measurements by the command `heddle bench`, as records."""

import json
import os
import subprocess
import sys
import tempfile

from ._given import source_of


def _records(document):
    """One flat dict a measured line, for pandas.DataFrame."""
    found = []
    for matrix in document["matrices"]:
        about = {key: value for key, value in matrix.items() if not isinstance(value, (list, dict))}
        found += [{**about, **line} for line in matrix["results"]]
    return found


def bench(A, *options):
    """Times every format and peer on a matrix: records that pandas.DataFrame takes.

    A is what `optimize` takes, or a list of file names; options are those of `python -m heddle bench`, such as
    "--seconds", "0.1", "--device", "cpu".
    """
    from ._files import write_matrix

    with tempfile.TemporaryDirectory() as folder:
        sources = A if isinstance(A, list) else [A]
        paths = []
        for number, source in enumerate(sources):
            path = source_of(source)
            if path is None:
                path = os.path.join(folder, f"matrix{number}.hdl")
                write_matrix(path, source)
            paths.append(path)
        words = [sys.executable, "-m", "heddle", "bench", "--json", *map(str, options), *paths]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip() or done.stdout.strip())
        return _records(json.loads(done.stdout))

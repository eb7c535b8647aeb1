"""SciPy's own tests of its solvers pass with operators of heddle; all of them with HEDDLE_ALL_OF_SCIPY=1."""

import os
import re
import subprocess
import sys

import pytest

HERE = os.path.dirname(__file__)
ALL = os.environ.get("HEDDLE_ALL_OF_SCIPY") == "1"
PARTS = [
    ("scipy.sparse.linalg._isolve", {} if ALL else {"HEDDLE_ONLY": "cg bicgstab minres gmres lsqr"}),
    ("scipy.sparse.linalg.tests.test_interface", {"HEDDLE_INTERFACE": "1"}),
]
if ALL:
    PARTS += [
        ("scipy.sparse.linalg._eigen", {}),
        ("scipy.sparse.linalg.tests.test_onenormest scipy.sparse.linalg.tests.test_expm_multiply", {}),
    ]


@pytest.mark.parametrize("packages, environment", PARTS)
def test_scipy(packages, environment):
    plugins = ["-p", "scipy_on_heddle", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "-q", *plugins, "--pyargs", *packages.split()]
    path = os.pathsep.join([HERE, os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment, "PYTHONPATH": path})
    used = re.search(r"operators of heddle used: (\d+)", done.stdout)
    assert done.returncode == 0 and used and int(used[1]) > 20, done.stdout[-4000:] + done.stderr[-2000:]
    print(packages, done.stdout.strip().splitlines()[-1])

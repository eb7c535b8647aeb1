"""Files, generators, facts, measurements and pictures."""

import ast
import inspect
import os
import subprocess
import sys

import numpy as np
import pytest
from matrices import laplacian, random_matrix

import heddle


@pytest.mark.parametrize("suffix", [".mtx", ".mtx.gz", ".hdl"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_what_is_written_is_read(tmp_path, suffix, dtype):
    A = random_matrix(40, 30, dtype)
    path = tmp_path / ("a" + suffix)
    heddle.write_matrix(path, A)
    B = heddle.read_matrix(path, dtype)
    assert B.dtype == dtype and B.shape == A.shape and (A != B).nnz == 0
    heddle.write_matrix(path, heddle.optimize(A))
    assert (heddle.read_matrix(os.fspath(path), dtype) != A).nnz == 0


def test_generators_and_facts():
    A = heddle.generate("stencil2d5", nx=20, ny=10)
    assert A.shape == (200, 200)
    facts = heddle.analyze(A)
    assert facts["rows"] == 200 and facts["nnz"] == A.nnz and facts["rows_len"]["max"] == 5
    with pytest.raises(ValueError, match="nonsense"):
        heddle.generate("nonsense")


def test_errors_of_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        heddle.read_matrix(tmp_path / "no.mtx")
    (tmp_path / "bad.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 5\n")
    with pytest.raises(heddle.InputError, match="bad.mtx:3"):
        heddle.read_matrix(tmp_path / "bad.mtx")
    with pytest.raises(heddle.Error):
        heddle.write_matrix(tmp_path / "no folder" / "a.mtx", laplacian(3))


def test_devices_and_threads():
    assert heddle.devices()[0]["device"] == "cpu"
    before = heddle.threads()
    heddle.set_threads(1)
    assert heddle.threads() == 1
    heddle.set_threads(0)
    assert heddle.threads() == before
    with pytest.raises(ValueError):
        heddle.set_threads(-1)


def test_a_device_allocator_is_two_functions_or_none():
    heddle.set_device_allocator(lambda size, device, stream: 0, lambda address: None)
    heddle.set_device_allocator()
    with pytest.raises(ValueError, match="missing"):
        heddle.set_device_allocator(lambda size, device, stream: 0)
    with pytest.raises(TypeError, match="functions"):
        heddle.set_device_allocator(1, 2)


def test_stubs_name_what_there_is():
    folder = os.path.dirname(heddle.__file__)
    stub = ast.parse(open(os.path.join(folder, "__init__.pyi")).read())
    named = {node.name for node in stub.body if isinstance(node, ast.ClassDef | ast.FunctionDef)} | {"plot"}
    assert named == set(heddle.__all__)
    core = ast.parse(open(os.path.join(folder, "_core.pyi")).read())
    named = {node.name for node in core.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    assert named == {name for name in dir(heddle._core) if not name.startswith("_")} - {"command"}
    for name in heddle.__all__:
        assert getattr(heddle, name).__doc__, name


def _parameters(node):
    """(name, kind, whether it has a default) of a function of a stub."""
    a = node.args
    plain = [*a.posonlyargs, *a.args]
    defaults = len(plain) - len(a.defaults)
    found = [
        (p.arg, "positional only" if p in a.posonlyargs else "plain", k >= defaults) for k, p in enumerate(plain)
    ]
    found += [(a.vararg.arg, "*", False)] if a.vararg else []
    found += [(p.arg, "keyword", d is not None) for p, d in zip(a.kwonlyargs, a.kw_defaults)]
    return found + ([(a.kwarg.arg, "**", False)] if a.kwarg else [])


def _signature(function):
    kinds = {"POSITIONAL_ONLY": "positional only", "POSITIONAL_OR_KEYWORD": "plain", "VAR_POSITIONAL": "*",
             "KEYWORD_ONLY": "keyword", "VAR_KEYWORD": "**"}  # fmt: skip
    parameters = inspect.signature(function).parameters.values()
    return [(p.name, kinds[p.kind.name], p.default is not p.empty) for p in parameters]


def test_stubs_have_the_parameters_there_are():
    stub = ast.parse(open(os.path.join(os.path.dirname(heddle.__file__), "__init__.pyi")).read())
    compared = 0
    for node in stub.body:
        if isinstance(node, ast.FunctionDef) and node.name != "threads":  # of nanobind, without a signature
            assert _parameters(node) == _signature(getattr(heddle, node.name)), node.name
            compared += 1
        elif isinstance(node, ast.ClassDef):
            there = getattr(heddle, node.name)
            for member in node.body:
                if isinstance(member, ast.AnnAssign):
                    continue
                is_property = isinstance(member, ast.FunctionDef) and any(
                    getattr(d, "id", "") == "property" for d in member.decorator_list
                )
                if not isinstance(member, ast.FunctionDef):
                    continue
                found = inspect.getattr_static(there, member.name)
                assert not is_property or not callable(found), f"{node.name}.{member.name}"
                if not is_property and not member.name.endswith("matmul__"):  # slots have no names
                    assert _parameters(member) == _signature(getattr(there, member.name)), f"{node.name}.{member.name}"
                    compared += 1
    assert compared > 20


def test_the_stub_of_info_names_all_it_has():
    info = heddle.cg(laplacian(3), np.ones(9))[1]
    stub = ast.parse(open(os.path.join(os.path.dirname(heddle.__file__), "__init__.pyi")).read())
    node = next(node for node in stub.body if isinstance(node, ast.ClassDef) and node.name == "Info")
    assert {member.target.id for member in node.body if isinstance(member, ast.AnnAssign)} == set(vars(info))


def test_pictures_are_annotated():
    for name in ("spy", "rows", "roofline"):
        function = getattr(heddle.plot, name)
        assert set(function.__annotations__) == {*inspect.signature(function).parameters, "return"}


def has_command():
    import shutil

    return hasattr(heddle._core, "command") or os.path.exists(os.environ.get("HEDDLE_COMMAND", "")) or shutil.which("heddle")


@pytest.mark.skipif(not has_command(), reason="not run: this build has no command")
def test_the_command_and_bench():
    done = subprocess.run([sys.executable, "-m", "heddle", "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.split()[-1] == heddle.__version__
    done = subprocess.run([sys.executable, "-m", "heddle", "info", "no_such.mtx"], capture_output=True, text=True)
    assert done.returncode == 3
    records = heddle.bench(laplacian(20), "--seconds", "0.001", "--device", "cpu")
    assert any(r["plan"].startswith("csr") and r["seconds"] > 0 for r in records)
    assert not any(isinstance(value, dict | list) for r in records for value in r.values())  # a table, as pandas has it


def test_pictures():
    pytest.importorskip("matplotlib").use("Agg")
    A = laplacian(30)
    assert heddle.plot.spy(A).images
    assert heddle.plot.rows(A).patches
    records = [{"plan": "csr", "peer": None, "roofline": 0.8}, {"plan": "", "peer": "eigen", "roofline": 0.5}]
    records += [{"plan": "coo", "peer": float("nan"), "roofline": 0.3}, {"plan": "ell", "peer": None, "roofline": None}]
    axes = heddle.plot.roofline(records)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["coo", "eigen", "csr"]

"""The programs of the pages run, in the order of the page, and print what the page says."""

import contextlib
import glob
import io
import os
import re
import runpy

import pytest

import heddle

ROOT = os.path.join(os.path.dirname(__file__), "..", "..", "..")
PAGES = ["docs/python.md", "docs/coming-from-scipy.md"]


@pytest.mark.parametrize("page", PAGES)
def test_programs_of(page, tmp_path, monkeypatch):
    text = open(os.path.join(ROOT, page)).read()
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    programs = re.findall(r"```python\n(.*?)```(?:\n+```text\n(.*?)```)?", text, re.S)
    assert len(programs) > 2
    for program, output in programs:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(program, page, "exec"), names)
        if output:
            assert printed.getvalue().strip() == output.strip()


@pytest.mark.parametrize("script", sorted(glob.glob(os.path.join(ROOT, "examples/python/*.py"))))
def test_example(script, capsys):
    runpy.run_path(script, run_name="__main__")
    assert capsys.readouterr().out


def test_the_readme_says_the_three_lines_of_the_package():
    three = [line.strip() for line in heddle.__doc__.splitlines() if line.startswith("    ")]
    package = open(os.path.join(ROOT, "bindings/python/README.md")).read()
    page = open(os.path.join(ROOT, "README.md")).read()
    for line in three:
        code = line.split("#")[0].strip()
        assert code in package and code in page


def test_the_licence_is_that_of_the_tree():
    def text(path):
        with open(os.path.join(ROOT, path)) as file:
            return file.read()

    assert text("bindings/python/LICENSE") == text("LICENSE")

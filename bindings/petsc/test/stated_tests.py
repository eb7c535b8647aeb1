"""The tests that PETSc's example programs state in a comment of their source:

    /*TEST                                   build: what the program needs
       testset:                              a testset gives its keys to the tests in it
         args: -ksp_type {{cg gmres}}        one test for each combination of such values
         test:
           suffix: 2
           nsize: 4
    TEST*/
"""
import itertools
import re
from dataclasses import dataclass

KEYS = {"args", "depends", "diff_args", "env", "filter", "filter_output", "localrunfiles", "nsize", "output_file", "requires",
        "suffix", "temporaries", "timeoutfactor", "TODO", "SKIP", "command", "comments"}
APPENDED = {"args", "requires", "env", "diff_args"}
LOOP = re.compile(r"(?:-(\w+)[ =]+)?\{\{(.*?)\}([^}]*)\}")


@dataclass
class Stated:
    name: str
    ranks: int
    args: str
    filter: str
    output: str  # what PETSc has recorded, a file next to the source
    filter_output: str


def parts(text):
    """Build, tests and testsets; a testset has its tests in "within"."""
    block = re.search(r"/\*TEST(.*?)TEST\*/", text, re.S)
    found, current, key = [], None, None
    for line in (block.group(1).replace("\\\n", " ").splitlines() if block else []):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        indent = len(line) - len(line.lstrip())
        name, colon, value = (piece.strip() for piece in line.partition(":"))
        if colon and name in ("test", "testset", "build"):
            current, key = {"kind": name, "indent": indent, "within": []}, None
            inside = found and found[-1]["kind"] == "testset" and indent > found[-1]["indent"]
            (found[-1]["within"] if inside else found).append(current)
        elif current is not None:
            if indent <= current["indent"]:
                current = found[-1]
            if colon and name in KEYS:
                key = name
                before = current.get(key, "") if key in APPENDED else ""
            elif key:
                before, value = current.get(key, ""), line.strip()
            if key:
                current[key] = f"{before} {value}".strip()
    return found


def joined(outer, inner):
    """The keys of a test in a testset."""
    both = {**outer, **inner}
    for key in APPENDED & outer.keys() & inner.keys():
        both[key] = outer[key] + " " + inner[key]
    if "suffix" in outer and "suffix" in inner:
        both["suffix"] = outer["suffix"] + "_" + inner["suffix"]
    return both


def combinations(text, key=""):
    """The text with each combination of the values of its loops, their names, and those of loops of separate outputs."""
    loops = list(LOOP.finditer(text))
    for values in itertools.product(*(loop.group(2).split() for loop in loops)):
        made, at = "", 0
        for loop, value in zip(loops, values):
            made += text[at:loop.start(2) - 2] + value
            at = loop.end()
        separate = "".join(f"_{loop.group(1) or key}-{value}" for loop, value in zip(loops, values) if "separate" in loop.group(3))
        yield made + text[at:], "-".join(values), separate


class Configuration:
    """What a PETSc has, by its petscconf.h."""
    WORDS = {"double": "PETSC_USE_REAL_DOUBLE", "single": "PETSC_USE_REAL_SINGLE", "complex": "PETSC_USE_COMPLEX",
             "__float128": "PETSC_USE_REAL___FLOAT128", "__fp16": "PETSC_USE_REAL___FP16"}
    ABSENT = {"datafilespath", "x"}  # data that PETSc does not come with; windows

    def __init__(self, petscconf):
        self.defined = set(re.findall(r"^#define (\w+)", petscconf, re.M))

    def has(self, word):
        if word.startswith("!"):
            return not self.has(word[1:])
        given = re.fullmatch(r"defined\((\w+)\)", word)
        name = given.group(1) if given else self.WORDS.get(word.lower(), f"PETSC_HAVE_{word.upper()}")
        return word not in self.ABSENT and (word in ("c99", "cxx") or name in self.defined)

    def meets(self, part):
        return all(map(self.has, part.get("requires", "").replace(",", " ").split()))


def stated_tests(text, program, petsc, most_combinations):
    """Those that this PETSc can run, and how many it cannot; of a loop the first combinations."""
    found = parts(text)
    tests = []
    for part in found:
        tests += [joined(part, inner) for inner in part["within"]] or [part] if part["kind"] != "build" else []
    if not all(petsc.meets(part) for part in found if part["kind"] == "build"):
        return [], len(tests)
    able = [test for test in tests if petsc.meets(test) and "datafilespath" not in test.get("args", "").lower()
            and not {"TODO", "SKIP", "command", "depends", "localrunfiles"} & test.keys()]
    made = []
    for test in able:
        suffix = test.get("suffix", "1")
        every = itertools.product(combinations(test.get("args", "")), combinations(test.get("nsize", "1"), "nsize"))
        for (args, of_args, output), (ranks, of_ranks, more) in itertools.islice(every, most_combinations):
            recorded = test.get("output_file", f"output/{program}_{suffix}{more}{output}.out")
            made.append(Stated(f"{suffix} {of_args} {of_ranks}".strip(), int(ranks), args, test.get("filter", ""), recorded,
                               test.get("filter_output", "")))
    return made, len(tests) - len(able)

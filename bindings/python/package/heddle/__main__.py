"""python -m heddle COMMAND: the command heddle."""

import os
import shutil
import sys

from . import _core


def main():
    words = sys.argv[1:]
    if hasattr(_core, "command"):
        # The command has handlers of its own for Ctrl-C; until it sets them the usual ending of a program is right.
        import signal

        signal.signal(signal.SIGINT, signal.SIG_DFL)
        sys.stdout.flush()
        sys.exit(_core.command(["heddle", *words]))
    program = os.environ.get("HEDDLE_COMMAND") or shutil.which("heddle")
    if not program or not os.path.exists(program):
        sys.exit("python -m heddle: this build of the package holds no command; HEDDLE_COMMAND=path names one")
    os.execv(program, [program, *words])


if __name__ == "__main__":
    main()

import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
# What hypothesis remembers does not belong into the tree.
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", os.path.join(tempfile.gettempdir(), "heddle-hypothesis"))

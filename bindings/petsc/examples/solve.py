"""petsc4py with the products of Heddle: the first two lines are all it takes.

    python3 solve.py /usr/lib/libheddle_petsc.so
"""
import sys
import petsc4py
petsc4py.init(["solve", "-dll_append", sys.argv[1], "-mat_type", "aijheddle"] + sys.argv[2:])
from petsc4py import PETSc

n = 50
A = PETSc.Mat().create()
A.setSizes((n * n, n * n))
A.setFromOptions()
A.setPreallocationNNZ(5)
for row in range(*A.getOwnershipRange()):
    i, j = divmod(row, n)
    for r, c in ((i, j), (i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
        if 0 <= r < n and 0 <= c < n:
            A[row, r * n + c] = 4.0 if (r, c) == (i, j) else -1.0
A.assemble()
x, b = A.createVecs()
b.set(1.0)

PETSc.Log.begin()
ksp = PETSc.KSP().create()
ksp.setOperators(A)
ksp.setType("cg")
ksp.setFromOptions()
ksp.solve(b, x)
products = PETSc.Log.Event("HeddleMatMult").getPerfInfo()["count"]
print(f"{A.getType()}: reason {ksp.reason} after {ksp.its} iterations, {products} products by Heddle")
sys.exit(0 if ksp.reason > 0 and products > 0 else 1)

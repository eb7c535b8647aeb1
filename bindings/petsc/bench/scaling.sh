#!/usr/bin/env bash
# Strong and weak scaling of MatMult on the cores of this machine, one thread a rank: aij, sell and aijheddle in turns.
#   scaling.sh PROGRAM [RANKS...]      PROGRAM: petsc_matmult_bench
# Strong: the matrix stays. Weak: 27,000 rows a rank.
set -eu
program=$1
shift
ranks=${*:-1 2}
export HEDDLE_THREADS=1 OMP_NUM_THREADS=1
launch=${LAUNCH:-mpiexec --bind-to core}
rows() { grep -v -E "^\| (matrix|geometric)|^\|---"; }

echo "| | ranks | matrix | aij us | sell us | aijheddle us | over the best other |"
echo "|---|---|---|---|---|---|---|"
for n in $ranks; do
  for matrix in gen:stencil3d7,n=128 gen:fem,n=40,dof=3; do
    $launch -n "$n" "$program" -matrices "$matrix" -rounds 9 | rows | sed "s/^/| strong | $n /"
  done
done
for n in $ranks; do
  edge=$(awk -v n="$n" 'BEGIN { printf "%d", 30 * n ^ (1 / 3) + 0.5 }')
  $launch -n "$n" "$program" -matrices "gen:stencil3d7,n=$edge" -rounds 9 | rows | sed "s/^/| weak | $n /"
done

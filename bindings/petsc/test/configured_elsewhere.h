/* What the petscconf.h of a newer PETSc, or of one with CUDA, says and that of the installed one does not: for syntax
   checks alone. */
#define PETSC_HAVE_OPENMPI 1
#define PETSC_DEPRECATED_ENUM_BASE(why)
#define PETSC_DEPRECATED_FUNCTION_BASE(why)
#define PETSC_DEPRECATED_MACRO_BASE(why)
#define PETSC_DEPRECATED_MACRO_BASE_(why)
#define PETSC_DEPRECATED_OBJECT_BASE(why)
#define PETSC_DEPRECATED_TYPEDEF_BASE(why)
#define PETSC_PKG_OPENMPI_VERSION_EQ(major, minor, patch) 1
#define PETSC_PKG_OPENMPI_VERSION_GE(major, minor, patch) 1
#define PETSC_PKG_OPENMPI_VERSION_GT(major, minor, patch) 0
#define PETSC_PKG_OPENMPI_VERSION_LE(major, minor, patch) 1
#define PETSC_PKG_OPENMPI_VERSION_LT(major, minor, patch) 0
#define PETSC_PKG_CUDA_VERSION_EQ(major, minor, patch) 0
#define PETSC_PKG_CUDA_VERSION_GE(major, minor, patch) 1
#define PETSC_PKG_CUDA_VERSION_GT(major, minor, patch) 1
#define PETSC_PKG_CUDA_VERSION_LE(major, minor, patch) 0
#define PETSC_PKG_CUDA_VERSION_LT(major, minor, patch) 0

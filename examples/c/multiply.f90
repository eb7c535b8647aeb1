! A matrix in arrays of Fortran, counted from 1, multiplied through the C library.
program multiply
  use, intrinsic :: iso_c_binding
  implicit none

  type, bind(c) :: heddle_arrays
    integer(c_size_t) :: size = 0
    integer(c_int64_t) :: rows = 0, cols = 0, nnz = 0
    integer(c_int32_t) :: layout = 0                       ! HEDDLE_CSR
    integer(c_int32_t) :: value_type = 0                   ! HEDDLE_F64
    integer(c_int32_t) :: offset_type = 16, index_type = 16  ! HEDDLE_I32
    integer(c_int32_t) :: device_kind = 0, device_ordinal = 0
    integer(c_int32_t) :: ownership = 0                    ! HEDDLE_COPY
    type(c_ptr) :: offsets = c_null_ptr, indices = c_null_ptr, row_indices = c_null_ptr, values = c_null_ptr
    integer(c_int64_t) :: index_base = 1
    type(c_funptr) :: release = c_null_funptr
    type(c_ptr) :: context = c_null_ptr
  end type

  interface
    integer(c_int32_t) function heddle_matrix_create(arrays, matrix) bind(c)
      import
      type(heddle_arrays), intent(in) :: arrays
      type(c_ptr), intent(out) :: matrix
    end function
    integer(c_int32_t) function heddle_operator_create(matrix, options, op) bind(c)
      import
      type(c_ptr), value :: matrix, options
      type(c_ptr), intent(out) :: op
    end function
    integer(c_int32_t) function heddle_multiply(op, x, y, stream) bind(c)
      import
      type(c_ptr), value :: op, stream
      real(c_double), intent(in) :: x(*)
      real(c_double), intent(out) :: y(*)
    end function
    subroutine heddle_matrix_destroy(matrix) bind(c)
      import
      type(c_ptr), value :: matrix
    end subroutine
    subroutine heddle_operator_destroy(op) bind(c)
      import
      type(c_ptr), value :: op
    end subroutine
  end interface

  ! 4 -1 . ; -1 4 -1 ; . -1 4, by rows
  integer(c_int32_t), target :: offsets(4) = [1, 3, 6, 8], columns(7) = [1, 2, 1, 2, 3, 2, 3]
  real(c_double), target :: values(7) = [4d0, -1d0, -1d0, 4d0, -1d0, -1d0, 4d0]
  real(c_double) :: x(3) = 1, y(3)
  type(heddle_arrays) :: arrays
  type(c_ptr) :: matrix, op

  arrays%size = c_sizeof(arrays)
  arrays%rows = 3
  arrays%cols = 3
  arrays%nnz = 7
  arrays%offsets = c_loc(offsets)
  arrays%indices = c_loc(columns)
  arrays%values = c_loc(values)
  call must(heddle_matrix_create(arrays, matrix))
  call must(heddle_operator_create(matrix, c_null_ptr, op))
  call heddle_matrix_destroy(matrix)
  call must(heddle_multiply(op, x, y, c_null_ptr))
  print '(a, 3f5.1)', 'A * 1 =', y
  call heddle_operator_destroy(op)

contains

  subroutine must(status)
    integer(c_int32_t), intent(in) :: status
    if (status /= 0) error stop 'Heddle failed: heddle_last_error tells why'
  end subroutine
end program

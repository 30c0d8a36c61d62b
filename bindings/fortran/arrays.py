# SPDX-License-Identifier: BSD-3-Clause
"""Procedures that are the same for each kind and rank of arrays."""

KINDS = {"real32": ("real(real32)", "HALO_FLOAT32"), "real64": ("real(real64)", "HALO_FLOAT64"), "int32": ("integer(int32)", "HALO_INT32"),
         "int64": ("integer(int64)", "HALO_INT64"), "complex32": ("complex(real32)", "HALO_COMPLEX64"), "complex64": ("complex(real64)", "HALO_COMPLEX128"),
         "int8": ("integer(int8)", "HALO_INT8"), "int16": ("integer(int16)", "HALO_INT16")}
RANKS = range(1, 8)


def end(name):
    """The last lines of a procedure over a C function."""
    return ["    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)",
            f'    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("{name}", status, stat)']


def end_with_why(name):
    """The same where `why` has the text."""
    return ["    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = why",
            f'    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("{name}", status, stat, why)']


def names(what):
    return [f"{what}_{kind}_{rank}" for kind in KINDS for rank in RANKS]


def reduction_names():
    return [f"allreduce_{kind}_{rank}" for kind in KINDS for rank in (0, 1)]


def lines():
    found = []
    for kind, (declared, constant) in KINDS.items():
        for rank in RANKS:
            found += [*bind(kind, declared, constant, rank), "", *data(kind, declared, constant, rank), ""]
        found += [*allreduce(kind, declared, constant), ""]
    return found


RESULT = ["    integer(c_int32_t) :: status", "    character(:), allocatable :: why"]


def bind(kind, declared, constant, rank):
    dims = range(1, rank + 1)
    name = f"bind_{kind}_{rank}"

    def at(moved):
        return ", ".join(f"at%lower({d}) + 1" if d == moved else f"at%lower({d})" for d in dims)

    return [f"  subroutine {name}(field, gid, array, first, order, set, stat, errmsg)", "    class(halo_field), intent(in) :: field",
            "    integer(c_int64_t), intent(in) :: gid", f"    {declared}, pointer, intent(in) :: array({', '.join(':' for _ in dims)})",
            "    integer, intent(in), optional :: first(:), order(:), set", "    integer, intent(out), optional :: stat",
            "    character(:), allocatable, intent(inout), optional :: errmsg", "    type(array_storage) :: at", *RESULT,
            f"    at%type = {constant}", f"    at%rank = {rank}", f"    at%bytes = storage_size(array) / 8", f"    at%lower(:{rank}) = lbound(array, kind=c_int64_t)",
            f"    at%extent(:{rank}) = shape(array, kind=c_int64_t)", "    if (size(array, kind=c_int64_t) > 0) then",
            f"      at%start = c_loc(array({at(0)}))",
            *(f"      if (at%extent({d}) > 1) at%next({d}) = c_loc(array({at(d)}))" for d in dims), "    end if",
            "    call bind_array(field, gid, at, first, order, set, status, why)", *end_with_why("halo_field_bind"), f"  end subroutine {name}"]


def data(kind, declared, constant, rank):
    dims = range(1, rank + 1)
    name = f"data_{kind}_{rank}"
    shape = ", ".join(":" for _ in dims)
    return [f"  subroutine {name}(field, gid, array, set, stat, errmsg)", "    class(halo_field), intent(in) :: field",
            "    integer(c_int64_t), intent(in) :: gid", f"    {declared}, pointer, intent(out) :: array({shape})",
            "    integer, intent(in), optional :: set", "    integer, intent(out), optional :: stat",
            "    character(:), allocatable, intent(inout), optional :: errmsg", "    type(array_storage) :: at", *RESULT, f"    {declared}, pointer :: all({shape})",
            "    nullify(array)", f"    at%type = {constant}", f"    at%rank = {rank}", "    at%bytes = storage_size(array) / 8",
            "    call find_array(field, gid, at, set, status, why)", "    if (c_associated(at%start)) then",
            f"      call c_f_pointer(at%start, all, at%pitch(:{rank}))",
            f"      array({', '.join(f'at%lower({d}):' for d in dims)}) => all({', '.join(f':at%extent({d})' for d in dims)})", "    end if",
            *end_with_why("halo_field_data"), f"  end subroutine {name}"]


def allreduce(kind, declared, constant):
    common = ["    integer(c_int32_t), intent(in) :: op", "    integer, intent(out), optional :: stat",
              "    character(:), allocatable, intent(inout), optional :: errmsg", "    integer(c_int32_t) :: status"]
    return [f"  subroutine allreduce_{kind}_0(context, value, op, stat, errmsg)", "    class(halo_context), intent(in) :: context",
            f"    {declared}, intent(inout), target :: value", *common,
            f"    status = c_halo_context_allreduce(context%handle, c_loc(value), c_loc(value), 1_c_int64_t, {constant}, op)", *end("halo_context_allreduce"), f"  end subroutine allreduce_{kind}_0", "",
            f"  subroutine allreduce_{kind}_1(context, values, op, stat, errmsg)", "    class(halo_context), intent(in) :: context",
            f"    {declared}, contiguous, intent(inout), target :: values(:)", *common, "    type(c_ptr) :: start", "    start = c_null_ptr",
            "    if (size(values) > 0) start = c_loc(values)",
            f"    status = c_halo_context_allreduce(context%handle, start, start, size(values, kind=c_int64_t), {constant}, op)",
            *end("halo_context_allreduce"), f"  end subroutine allreduce_{kind}_1"]

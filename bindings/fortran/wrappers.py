# SPDX-License-Identifier: BSD-3-Clause
"""Interfaces of the C functions, and the Fortran procedure over each: what a parameter is follows from its type and its neighbours."""
import re
from dataclasses import dataclass, field

import arrays

# Parameters that C takes as NULL.
OPTIONAL = {"options", "run", "stream", "null_flags", "source", "in", "out"}
OPTIONAL_OF = {"halo_exchange_create": {"desc"}, "halo_exchange_create_transfer": {"desc"}, "halo_exchange_create_levels": {"newer", "desc"}, "halo_field_level_boxes": {"finer"},
               "halo_group_create": {"desc"},
               "halo_stencil_create_exchange": {"desc"}, "halo_sections_classify": {"sections", "order", "sizes"}, "halo_info": {"context"},
               "halo_channel_try_receive": {"state"}, "halo_channel_try_receive_many": {"states"}, "halo_channel_writable_many": {"writable"}, "halo_mesh_distribute": {"brought", "local"},
               "halo_mesh_collect": {"brought", "local"}, "halo_mesh_add_columns": {"layers"}}
# Results that are arrays whose length the call knows otherwise.
ROOM = {("halo_sphere_key_neighbours", "neighbours"): "6", ("halo_sphere_position", "position"): "3", ("halo_sections_classify", "sections"): ":",
        ("halo_sections_classify", "order"): ":", ("halo_sections_reach", "groups"): ":", ("halo_channel_try_receive_many", "states"): ":",
        ("halo_channel_writable_many", "writable"): ":"}
SHORT = {("halo_sections_reach", "groups"): ("map%n_to", "groups has fewer entries than there are that the map leads to")}
LISTS = {"coarse", "newer", "fine"}  # of fields, though their names are no plurals
AS_LONG = {"sections", "order", "states", "writable", "null_flags"}  # as the list in the same call
CHANGED = {("halo_stencil_fill_field_desc", "desc"), ("halo_stencil_fill_layout_desc", "desc"), ("halo_sections_reach", "groups"),
           ("halo_memory_release", "pointer"), ("halo_mesh_distribute", "local"), ("halo_mesh_collect", "brought")}
ANY = {("halo_reduction_begin", "in"), ("halo_reduction_end", "out"), ("halo_mesh_distribute", "brought"), ("halo_mesh_distribute", "local"),
       ("halo_mesh_collect", "brought"), ("halo_mesh_collect", "local")}
BORROWED = {"halo_access_begin", "halo_channel_find"}  # handles that others destroy
# In halo_by_hand.inc.
BY_HAND = {"halo_status_name": None, "halo_last_error": None, "halo_version": None, "halo_struct_init": None, "halo_element": None,
           "halo_context_error": "context", "halo_topology_graph_rows": "topology", "halo_mesh_get_map": "mesh", "halo_mesh_get_columns": "mesh",
           "halo_forest_adapt": None, "halo_forest_place": None}
# Names with several procedures: those by hand or of arrays.py beside the plain one.
SEVERAL = {"halo_context_create": ["create_over_integer", "create_over_type"], "halo_exchange_start": ["start_fields"],
           "halo_field_bind": arrays.names("bind"), "halo_field_data": arrays.names("data"), "halo_context_allreduce": arrays.reduction_names()}
# Methods whose name does not begin with that of their handle.
METHODS = {"halo_access_begin": ("batch", "begin"), "halo_access_ready": ("batch", "ready"), "halo_access_needs_exec": ("batch", "needs_exec"),
           "halo_access_end": ("batch", "end"), "halo_access_end_and_send": ("batch", "end_and_send"), "halo_access_abandon": ("batch", "abandon"), "halo_access_get_state": ("field", "access_state"),
           "halo_access_mark_dirty": ("field", "mark_dirty"), "halo_access_mark_fresh": ("field", "mark_fresh"), "halo_access_freeze": ("field", "freeze"),
           "halo_access_data": ("field", "access_data"), "halo_access_get_stats": ("context", "access_stats"),
           "halo_memory_allocate": ("context", "memory_allocate"), "halo_memory_allocate_on": ("context", "memory_allocate_on"),
           "halo_memory_release": ("context", "memory_release"), "halo_topology_edit_keys": ("topology", "edit_keys")}


def refusal(name, why):
    return [f'  if (present(errmsg)) errmsg = refused("{name}", "{why}")',
            f'  call conclude("{name}", HALO_ERR_ARGUMENT, stat, refused("{name}", "{why}"))', "  return"]


@dataclass
class Role:
    """One parameter: how the C interface declares it, and what the procedure over it does."""
    c: str  # declaration in the interface, `{}` for the name
    dummy: str = ""  # declaration in the procedure; none: the procedure makes it from others
    actual: str = ""  # what is passed on
    locals: list = field(default_factory=list)
    before: list = field(default_factory=list)
    after: list = field(default_factory=list)  # on success
    always: list = field(default_factory=list)
    rows: bool = False
    text: bool = False


class Procedure:
    def __init__(self, module, name, parameters):
        self.module, self.name, self.parameters = module, name, parameters
        self.roles, self.lists, self.extra = {}, [], []
        for i, one in enumerate(parameters):
            if one.name not in self.roles:
                self.find_role(i, one)

    def optional(self, name):
        return name in OPTIONAL_OF.get(self.name, set()) or (name in OPTIONAL and name not in ("in", "out")) or (self.name, name) in ANY

    def counted(self, i):
        """The count that follows a list, or several."""
        for other in self.parameters[i + 1:]:
            if re.fullmatch(r"n|n_\w+", other.name) and other.type.stars == 0:
                return other
            if other.name.endswith("_bytes") and other.type.name == "size_t":
                continue
            listed = other.type.const or (other.type.name in self.module.handles and other.type.stars == 2)
            if not (listed and other.type.stars and all(name.endswith("s") or name in LISTS for name in (other.name, self.parameters[i].name))):
                return None
        return None

    def find_role(self, i, one):
        name, kind = one.name, one.type
        base = self.module.base_type(kind.name)
        following = [other.name for other in self.parameters[i + 1:i + 3]]
        if kind.name in self.module.handles:
            self.handle_role(i, one)
        elif name.endswith("_bytes") and kind.name == "size_t" and kind.stars == 0 and name != "handle_bytes":
            self.roles[name] = Role("integer(c_size_t), value :: {}", actual="?")
            self.row_bytes = name
        elif kind.name == "char" and not kind.const:
            self.text_role(name)
        elif kind.name == "char" and kind.stars == 2:
            self.roles[name] = Role("type(c_ptr), intent(inout) :: {}", f"character(:), allocatable, intent(out){', optional' if self.optional(name) else ''} :: {name}",
                                    f"{name}_c", [f"type(c_ptr) :: {name}_c"], [f"{name}_c = c_null_ptr"],
                                    [f"{'if (present(' + name + ')) ' if self.optional(name) else ''}{name} = c_text({name}_c)"])
        elif kind.name == "char":
            self.roles[name] = Role("character(kind=c_char), intent(in) :: {}(*)", f"character(*), intent(in) :: {name}", f"{name} // c_null_char")
        elif kind.name == "halo_stream":
            self.roles[name] = Role("type(c_ptr), value :: {}", f"type(c_ptr), intent(in), optional :: {name}", f"address({name})")
        elif kind.name == "void":
            self.void_role(one)
        elif kind.stars == 2:
            self.view_role(i, one, base)
        elif kind.array:
            self.roles[name] = Role(f"{base}, intent({'in' if kind.const else 'inout'}) :: {{}}({kind.array})",
                                    f"{base}, intent({'in' if kind.const else 'out'}) :: {name}({kind.array})", name)
        elif kind.stars == 0:
            self.roles[name] = Role(f"{base}, value :: {{}}", f"{base}, intent(in) :: {name}", name)
        elif kind.const:
            self.input_role(i, one, base)
        elif following[:1] == ["capacity"]:
            self.rows_role(name, base, following)
        else:
            self.output_role(one, base)

    def handle_role(self, i, one):
        name, kind = one.name, one.type
        count = self.counted(i)
        if kind.stars == 1:
            if self.optional(name):
                self.roles[name] = Role("type(c_ptr), value :: {}", f"class({kind.name}), intent(in), optional :: {name}", f"{name}_c",
                                        [f"type(c_ptr) :: {name}_c"], [f"{name}_c = c_null_ptr", f"if (present({name})) {name}_c = {name}%handle"])
            else:
                self.roles[name] = Role("type(c_ptr), value :: {}", f"class({kind.name}), intent(in) :: {name}", f"{name}%handle")
        elif count is not None and self.optional(name):
            self.roles[name] = Role("type(c_ptr), intent(in), optional :: {}(*)", f"type({kind.name}), intent(in), optional :: {name}(:)", f"{name}_c",
                                    [f"type(c_ptr), allocatable :: {name}_c(:)"], [f"if (present({name})) {name}_c = {name}%handle"])
            self.count_role(name, count)
        elif count is not None:
            self.roles[name] = Role("type(c_ptr), intent(in) :: {}(*)", f"type({kind.name}), intent(in) :: {name}(:)", f"{name}_c",
                                    [f"type(c_ptr) :: {name}_c(size({name}))"], [f"{name}_c = {name}%handle"])
            self.count_role(name, count)
        elif len(self.parameters) == 1:
            ended = f"call {name}%{'all_gone' if self.name.endswith('_with_all') else 'ended'}()"
            role = Role("type(c_ptr), intent(inout) :: {}", f"class({kind.name}), intent(inout) :: {name}", f"{name}%handle", [],
                        [f"if (c_associated({name}%handle) .and. .not. {name}%owns()) then",
                         *refusal(self.name, "a copy of a handle does not own what it stands for"), "end if"])
            role.always = [f"if (.not. c_associated({name}%handle)) {ended}"]  # destroying may tell of a device's failure, and destroys all the same
            self.roles[name] = role
        elif name == "channels":
            self.roles[name] = Role("type(c_ptr), intent(inout) :: {}(*)", f"type({kind.name}), intent(inout) :: {name}(:)", "made",
                                    [f"type(c_ptr) :: made(size({name}))", "integer :: i"], ["made = c_null_ptr"] + self.same_length(name),
                                    ["do i = 1, size(channels)", "  call channels(i)%adopt(made(i), c_halo_channel_destroy, context%home)", "end do"])
        else:
            home = self.home()
            end = f"c_{kind.name}_destroy"
            made = [f"call {name}%borrow(made, {home})"] if self.name in BORROWED else [f"call {name}%adopt(made, {end}, {home})"]
            role = Role("type(c_ptr), intent(inout) :: {}", f"class({kind.name}), intent(inout) :: {name}", "made", ["type(c_ptr) :: made"], ["made = c_null_ptr"])
            if self.name in BORROWED:
                role.always = made
            else:
                role.after = made
            if self.name == "halo_field_create":
                role.after += ["field%parent = topology%handle"]
            self.roles[name] = role

    def home(self):
        """Where what is made from a context learns of its end."""
        if "context" in [one.name for one in self.parameters] and self.parameters[-1].name != "context":
            return "context%home"
        if self.parameters[-1].name == "context":
            return "new_home()"
        for one in self.parameters[:-1]:
            if one.type.name in self.module.handles and one.type.stars == 2:
                return f"home_of({one.name})"
        for one in self.parameters[:-1]:
            if one.type.name in self.module.handles and one.type.name != "halo_stencil":
                return f"{one.name}%home"
        return "null()"

    def same_length(self, name):
        if (self.name, name) in SHORT:
            least, why = SHORT[self.name, name]
            return [f"if (size({name}, kind=c_int64_t) < {least}) then", *refusal(self.name, why), "end if"]
        if not self.lists:
            return []
        if name in AS_LONG or len(self.lists) > 1 or name == "channels":
            other = self.lists[0]
            test = f"size({name}) /= size({other})"
            lines = [f"if ({test}) then", *refusal(self.name, f"{name} and {other} differ in size"), "end if"]
            if self.optional(name):
                return [f"if (present({name})) then", *(f"  {line}" for line in lines), "end if"]
            return lines
        return []

    def count_role(self, name, count):
        if count.name in self.roles:
            if name != self.lists[0]:
                self.lists.append(name)
                self.roles[name].before += self.same_length(name)
            return
        self.lists.append(name)
        kind = re.search(r"\((\w+)\)", self.module.kinds[count.type.name])[1]
        self.roles[count.name] = Role(f"integer({kind}), value :: {{}}", actual=f"size({name}, kind={kind})")

    def void_role(self, one):
        name = one.name
        intent = "inout" if (self.name, name) in CHANGED or name == "out" else "in"
        if (self.name, name) in ANY:
            declared = f"type(*), intent({intent}), optional :: {{}}(*)"
            self.roles[name] = Role(declared, declared.format(name), name)
        elif one.type.stars == 2:
            shown = "inout" if (self.name, name) in CHANGED else "out"
            before = [] if shown == "inout" else [f"{name} = c_null_ptr"]
            self.roles[name] = Role("type(c_ptr), intent(inout) :: {}", f"type(c_ptr), intent({shown}) :: {name}", name, before=before)
        else:
            self.roles[name] = Role("type(c_ptr), value :: {}", f"type(c_ptr), intent(in) :: {name}", name)

    def text_role(self, name):
        self.roles[name] = Role("type(c_ptr), value :: {}", f"character(:), allocatable, intent(out) :: {name}", "c_null_ptr", text=True)
        self.roles["capacity"] = Role("integer(c_size_t), value :: {}", actual="0_c_size_t")
        self.roles["needed_bytes"] = Role("integer(c_size_t), intent(inout) :: {}", actual="needed")

    def view_role(self, i, one, base):
        count = self.parameters[i + 1]
        self.roles[one.name] = Role("type(c_ptr), intent(inout) :: {}", f"{base}, pointer, intent(out) :: {one.name}(:)", f"{one.name}_c",
                                    [f"type(c_ptr) :: {one.name}_c"], [f"{one.name}_c = c_null_ptr", f"nullify({one.name})"],
                                    [f"call c_f_pointer(some({one.name}_c), {one.name}, [n])"])
        if count.type.const: # by hand
            return
        self.roles[count.name] = Role("integer(c_int64_t), intent(inout) :: {}", actual="n", locals=["integer(c_int64_t) :: n"], before=["n = 0"])
        self.list_type = base

    def rows_role(self, name, base, following):
        self.roles[name] = Role(f"{base}, intent(inout) :: {{}}(*)", f"{base}, allocatable, intent(out) :: {name}(:)", name, rows=True)
        self.roles["capacity"] = Role("integer(c_int64_t), value :: {}", actual="capacity", locals=["integer(c_int64_t) :: capacity"])
        self.roles[following[1]] = Role("integer(c_int64_t), intent(inout) :: {}", actual="n_rows", locals=["integer(c_int64_t) :: n_rows"])
        self.list_type = base

    def input_role(self, i, one, base):
        name = one.name
        count = self.counted(i)
        known = one.type.name in self.module.structs
        if count is not None:
            self.roles[name] = Role(f"{base}, intent(in) :: {{}}(*)", f"{base}, intent(in) :: {name}(:)", name)
            self.count_role(name, count)
            self.list_type = base
        elif not known:
            optional = ", optional" if self.optional(name) else ""
            self.roles[name] = Role(f"{base}, intent(in){optional} :: {{}}(*)", f"{base}, intent(in){optional} :: {name}(:)", name, before=self.same_length(name))
        elif "name" in [member.name for member in self.module.structs[one.type.name].members]:
            self.roles[name] = Role(f"{base}, intent(in) :: {{}}", f"{base}, intent(in) :: {name}", "named",
                                    [f"{base} :: named", "character(:), allocatable, target :: name_c"],
                                    [f"named = {name}", "if (present(name)) then", "  name_c = name // c_null_char", "  named%name = c_loc(name_c)", "end if"])
            self.extra = ["character(*), intent(in), optional :: name"]
        else:
            optional = ", optional" if self.optional(name) else ""
            self.roles[name] = Role(f"{base}, intent(in){optional} :: {{}}", f"{base}, intent(in){optional} :: {name}", name)

    def output_role(self, one, base):
        name = one.name
        optional = ", optional" if self.optional(name) else ""
        intent = "inout" if (self.name, name) in CHANGED else "out"
        room = ROOM.get((self.name, name))
        if room:
            self.roles[name] = Role(f"{base}, intent(inout){optional} :: {{}}(*)", f"{base}, intent({intent}){optional} :: {name}({room})", name,
                                    before=self.same_length(name) if room == ":" else [])
        else:
            zero = [] if one.type.name in self.module.structs else [f"if (present({name})) {name} = 0" if optional else f"{name} = 0"]
            self.roles[name] = Role(f"{base}, intent(inout){optional} :: {{}}", f"{base}, intent({intent}){optional} :: {name}", name, before=zero)

    # ------------------------------------------------------------------ what is written

    def interface(self, result):
        names = [one.name for one in self.parameters]
        kind = {"char": "type(c_ptr)"}.get(result.name) or self.module.base_type(result.name)
        declared = [f"      {self.roles[name].c.format(name)}" for name in names]
        used = set(re.findall(r"(?:type|integer|real)\((\w+)\)|kind=(\w+)", "".join([*declared, kind])))
        imported = sorted({first or second for first, second in used} - {""})
        return [f"    function c_{self.name}({', '.join(names)}) result(answer) bind(c, name=\"{self.name}\")", f"      import :: {', '.join(imported)}", *declared,
                f"      {kind} :: answer", f"    end function c_{self.name}"]

    def wrapper(self, written_name):
        roles = [self.roles[one.name] for one in self.parameters]
        dummies = [one.name for one, role in zip(self.parameters, roles) if role.dummy]
        dummies += [line.split(":: ")[1] for line in self.extra] + ["stat", "errmsg"]
        lines = [f"  subroutine {written_name}({', '.join(dummies)})"]
        lines += [f"    {role.dummy}" for role in roles if role.dummy] + [f"    {line}" for line in self.extra]
        lines += ["    integer, intent(out), optional :: stat", "    character(:), allocatable, intent(inout), optional :: errmsg", "    integer(c_int32_t) :: status"]
        lines += [f"    {line}" for role in roles for line in role.locals]
        if hasattr(self, "row_bytes"):
            self.roles[self.row_bytes].actual = "c_sizeof(row)"
            lines.append(f"    {self.list_type} :: row")
        if any(role.text for role in roles):
            lines += ["    integer(c_size_t) :: needed", "    character(kind=c_char), allocatable, target :: buffer(:)"]
        lines += [f"    {line}" for role in roles for line in role.before]
        lines += self.call(roles)
        after = [line for role in roles for line in role.after]
        if len(after) == 1:
            lines.append(f"    if (status == HALO_SUCCESS) {after[0]}" if not after[0].startswith("if") else f"    if (status == HALO_SUCCESS) then\n      {after[0]}\n    end if")
        elif after:
            lines += ["    if (status == HALO_SUCCESS) then", *(f"      {line}" for line in after), "    end if"]
        lines += [f"    {line}" for role in roles for line in role.always]
        return [*lines, *arrays.end(self.name), f"  end subroutine {written_name}"]

    def call(self, roles):
        call = f"status = c_{self.name}({', '.join(role.actual for role in roles)})"
        if any(role.rows for role in roles):
            rows = next(one.name for one, role in zip(self.parameters, roles) if role.rows)
            return ["    capacity = 0", "    do", f"      allocate({rows}(capacity))", "      n_rows = 0", f"      {call}",
                    "      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit", f"      deallocate({rows})", "      capacity = n_rows", "    end do"]
        if any(role.text for role in roles):
            again = call.replace("c_null_ptr, 0_c_size_t", "c_loc(buffer), needed")
            text = next(one.name for one, role in zip(self.parameters, roles) if role.text)
            return ["    needed = 0", f"    {call}", "    if (status == HALO_SUCCESS) then", "      allocate(buffer(needed))", f"      {again}",
                    f"      {text} = c_text(c_loc(buffer))", "    end if"]
        return [f"    {call}"]


class Module:
    def __init__(self, found, fortran_name, base_type, kinds):
        self.found, self.fortran_name, self.base_type, self.kinds = found, fortran_name, base_type, kinds
        self.structs = {struct.name: struct for struct in found.structs}
        self.handles = set(found.handles)
        self.procedures = [Procedure(self, name, parameters) for name, _, parameters in found.functions]

    def c_module(self):
        lines = ["!> The C functions as they are; halo has the procedures for programs.", "module halo_c", "  use, intrinsic :: iso_c_binding", "  use halo_types",
                 "  implicit none", "  public", "  interface"]
        for procedure, (_, result, _) in zip(self.procedures, self.found.functions):
            lines += procedure.interface(result)
        return [*lines, "  end interface", "end module halo_c"]

    def method(self, procedure):
        """(handle, binding, passed argument), or None."""
        name = procedure.name
        if name in METHODS:
            handle, binding = METHODS[name]
        else:
            handles = [one[len("halo_"):] for one in self.found.handles if name.startswith(one + "_")]
            if not handles:
                return None
            handle, binding = handles[0], name[len("halo_" + handles[0] + "_"):]
        passed = [one.name for one in procedure.parameters if procedure.roles[one.name].dummy.startswith(f"class(halo_{handle})")]
        return (handle, binding, passed[0]) if passed else None

    def type_lines(self, handle):
        lines = [f"  type, extends(halo_handle) :: {handle}", "  contains"]
        for procedure in self.procedures:
            found = self.method(procedure)
            if not found or "halo_" + found[0] != handle:
                continue
            _, binding, passed = found
            if procedure.name in SEVERAL:
                specifics = [f"{procedure.name}_plain", *SEVERAL[procedure.name]]
                lines += [f"    procedure, pass({passed}), private :: {one}" for one in specifics]
                lines.append(f"    generic :: {binding} => {', '.join(specifics)}")
            else:
                lines.append(f"    procedure, pass({passed}) :: {binding} => {procedure.name}")
        return [*lines, f"  end type {handle}", ""]

    def lines(self):
        hidden = [f"c_{one.name}" for one in self.procedures]
        lines = ["!> The whole C interface for Fortran. Procedures have the names of C and are bound to their handles.",
                 "module halo", "  use, intrinsic :: iso_c_binding", "  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64",
                 "  use halo_types", "  use halo_c", "  use halo_handles", "  implicit none", "  public"]
        lines += ["  private :: " + ", ".join(hidden[i:i + 40]) for i in range(0, len(hidden), 40)]
        lines += ["  private :: new_home, home_of, conclude, refused, error_text, create_over, c_text, address, some, number, dimensions, points_of, bind_array, find_array, same_type, strides_of"]
        for specifics in SEVERAL.values():
            lines.append(f"  private :: {', '.join(specifics)}")
        lines += ["", "  include 'halo_declarations.inc'", ""]
        for handle in self.found.handles:
            lines += self.type_lines(handle)
        for name, specifics in SEVERAL.items():
            lines += [f"  interface {name}", f"    module procedure {name}_plain, {', '.join(specifics)}", f"  end interface {name}"]
        growing = [self.fortran_name(one.name) for one in self.found.structs if one.grows]
        lines += ["  interface halo_struct_init", f"    module procedure {', '.join('init_' + one for one in growing)}", "  end interface halo_struct_init",
                  f"  private :: {', '.join('init_' + one for one in growing)}", "", "contains", ""]
        for struct in self.found.structs:
            if struct.grows:
                name = self.fortran_name(struct.name)
                lines += [f"  subroutine init_{name}(filled, stat, errmsg)", f"    type({name}), intent(out), target :: filled",
                          "    integer, intent(out), optional :: stat", "    character(:), allocatable, intent(inout), optional :: errmsg",
                          "    integer(c_int32_t) :: status",
                          f'    status = c_halo_struct_init("{struct.name}" // c_null_char, c_loc(filled), c_sizeof(filled))', *arrays.end("halo_struct_init"),
                          f"  end subroutine init_{name}", ""]
        for procedure in self.procedures:
            if procedure.name not in BY_HAND:
                written = f"{procedure.name}_plain" if procedure.name in SEVERAL else procedure.name
                lines += [*procedure.wrapper(written), ""]
        return [*lines, "  include 'halo_by_hand.inc'", "  include 'halo_arrays.inc'", "end module halo"]

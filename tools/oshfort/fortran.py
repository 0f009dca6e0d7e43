# SPDX-License-Identifier: BSD-3-Clause
"""Turns prototypes of C into procedures of the Fortran module shmem. Used by generate.py.

There are two kinds. A routine whose arguments are scalars is an interface body: the program calls
the C routine itself. A routine with arrays is a module procedure that takes arrays of any rank,
checks that they are contiguous, and passes their addresses on to an interface body. That body has
the name and the arguments of C, with type(c_ptr) for addresses, and programs may call it as well.
"""

import re
from dataclasses import dataclass

# TYPENAME -> the Fortran type. The other rows of the tables are the same types under other names,
# or unsigned ones, which Fortran has as signed ones of the same width.
KINDS = {
    "float": "real(c_float)", "double": "real(c_double)", "longdouble": "real(c_long_double)",
    "complexf": "complex(c_float_complex)", "complexd": "complex(c_double_complex)",
    "int8": "integer(c_int8_t)", "int16": "integer(c_int16_t)", "int32": "integer(c_int32_t)",
    "int64": "integer(c_int64_t)",
}
# Types without a row in the RMA table, which are moved as bits: name -> (type, bits).
MOVED_AS_BITS = {
    "complexf": (KINDS["complexf"], 64), "complexd": (KINDS["complexd"], 128),
    "logical": ("logical", 32), "bool": ("logical(c_bool)", 8),
}
CHARACTER = "character(kind=c_char, len=*)"
# The Fortran types of C, for interface bodies that have the name of the C routine.
KINDS_OF_C = {
    "float": KINDS["float"], "double": KINDS["double"], "long double": KINDS["longdouble"],
    "float _Complex": KINDS["complexf"], "double _Complex": KINDS["complexd"],
    "char": "integer(c_signed_char)", "signed char": "integer(c_signed_char)",
    "short": "integer(c_short)", "int": "integer(c_int)", "long": "integer(c_long)",
    "long long": "integer(c_long_long)", "size_t": "integer(c_size_t)",
    "ptrdiff_t": "integer(c_ptrdiff_t)",
}
COUNTS = {"nelems", "nreduce", "bsize", "nblocks", "dst", "sst", "npes"}
# Arrays that the library uses after the call, or whose address names the object of another PE.
REMOTE = {"put": {"dest"}, "get": {"source"}}
SCALARS = {"int": "integer(c_int)", "long": "integer(c_long)", "size_t": "integer(c_size_t)",
           "ptrdiff_t": "integer(c_ptrdiff_t)", "uint64_t": "integer(c_int64_t)",
           "shmem_team_t": "type(shmem_team_t)", "shmem_ctx_t": "type(shmem_ctx_t)",
           "void *": "type(c_ptr)"}
# Routines that the template declares itself, because their arguments differ from those of C.
BY_HAND = {"shmem_team_split_strided", "shmem_team_split_2d", "shmem_ctx_session_start",
           "shmem_team_get_config", "shmem_info_get_name", "shmem_ptr", "shmem_team_ptr",
           "shmem_addr_accessible", "shmem_global_exit"}
SIZED_KIND = {"c_size_t": "", "c_int": "_i"}


def wrapped(text, first, rest="      "):
    """One statement on lines of at most 100 columns."""
    lines, line = [], first
    for word in re.findall(r"[^,]+,?\s*|,\s*", text):
        if len(line) + len(word) > 96:
            lines.append(line.rstrip() + " &")
            line = rest
        line += word
    return "\n".join(lines + [line.rstrip()])


def kind_of_c(c_type):
    """The Fortran type of a C type of the tables; "" for the numbers of bytes of SIZE."""
    exact = re.fullmatch(r"u?(int\d+)_t", c_type)
    return f"integer(c_{exact[1]}_t)" if exact else \
        KINDS_OF_C.get(c_type.replace("unsigned ", ""), "" if c_type.isdigit() else None)


def name_of_c(routine, c_name):
    """The name of the interface body of a C routine: that of C, unless it is a generic name."""
    is_generic = routine.table is None or "mem" in c_name.removeprefix("shmem_")
    return "c_" + c_name.removeprefix("shmem_") if is_generic else c_name


@dataclass
class Variant:
    """One Fortran specific of a C routine."""
    c_name: str           # of the routine that is called
    name: str             # of the Fortran procedure
    element: str          # the Fortran type of TYPE and of the arrays
    count_kind: str       # of the counts
    bytes_each: str = ""  # counts are elements, and the C routine wants bytes


class Module:
    """Collects procedures, then fills the template."""

    def __init__(self, tables):
        self.tables = tables
        self.constants = []
        self.generics = {}   # name -> [specific]
        self.bodies = []     # interface bodies
        self.procedures = []
        self.declared = set()

    def add(self, routine):
        if routine.name in BY_HAND:
            return
        for row, c_type in self.tables[routine.table] if routine.table else ():
            self._declare_c(routine, re.sub("TYPENAME|SIZE", row, routine.name), kind_of_c(c_type))
        if routine.table == "SHMEM_INTERNAL_SIZES":
            return
        generic = routine.name.replace("_TYPENAME", "")
        if routine.table or re.match(r"shmem_ctx_(putmem|getmem|signal)", routine.name):
            generic = generic.replace("shmem_ctx_", "shmem_")
        if routine.table is None:
            self._add_untyped(routine, generic)
            return
        for row, _ in self.tables[routine.table]:
            if row in KINDS:
                self._add_variants(routine, generic, row, KINDS[row],
                                   routine.name.replace("TYPENAME", row), "")
        if routine.table == "SHMEM_INTERNAL_RMA_TYPES":
            self._add_moved(routine, generic)

    def _add_moved(self, routine, generic):
        """Complex, logical and character data, by the routines for bits or bytes."""
        action = routine.name.replace("shmem_ctx_", "shmem_").removeprefix("shmem_TYPENAME_")
        context = "ctx_" if routine.name.startswith("shmem_ctx_") else ""
        if action in ("p", "g"):
            return
        is_rma = routine.parameters[0][1] != "team"
        stem, _, tail = action.partition("_")
        memory = f"shmem_{context}{stem}mem{'_' + tail if tail else ''}"
        for row, (kind, bits) in MOVED_AS_BITS.items():
            if is_rma:
                name = f"shmem_{context}{stem}{bits}{'_' + tail if tail else ''}"
                self._add_variants(routine, generic, row, kind, name, "")
            elif action != "alltoalls":
                self._add_variants(routine, generic, row, kind, memory, str(bits // 8))
        if stem in ("put", "get") or (not is_rma and action != "alltoalls"):
            local = "dest" if stem == "get" else "source"
            self._add_variants(routine, generic, "character", CHARACTER, memory, f"len({local})")

    def _add_untyped(self, routine, generic):
        short = routine.name.removeprefix("shmem_")
        if self._is_array_routine(routine):
            self._add_variants(routine, generic, "", "type(*)", routine.name, "", short)
            if self._takes_words(routine):
                self.generics[generic].append("c_" + short)
            return
        if any(kind in ("size_t", "ptrdiff_t") for kind, _ in routine.parameters):
            self._direct(routine, routine.name, "c_" + short, "")
            self.generics.setdefault(generic, []).append("c_" + short)
            variant = Variant(routine.name, short + "_i", "", "c_int")
            self._procedure(routine, variant, generic)
        elif self._takes_words(routine):
            self._direct(routine, routine.name, "c_" + short, "")
            self._declare_c(routine, routine.name, name="address_" + short)
            self.generics.setdefault(generic, []).extend(["c_" + short, "address_" + short])
        else:
            self._direct(routine, routine.name, routine.name, "", public=True)

    @staticmethod
    def _takes_words(routine):
        """Locks and signals, which a program passes as variables or by address."""
        return any(name in ("lock", "sig_addr") for _, name in routine.parameters)

    @staticmethod
    def _is_array_routine(routine):
        return any(name in COUNTS for _, name in routine.parameters)

    def _add_variants(self, routine, generic, row, element, c_name, bytes_each, stem=None):
        if stem is None:
            stem = routine.name.removeprefix("shmem_").replace("TYPENAME", row)
        if not self._is_array_routine(routine):
            self._direct(routine, c_name, stem, element)
            self.generics.setdefault(generic, []).append(stem)
            return
        for kind, suffix in SIZED_KIND.items():
            variant = Variant(c_name, stem + suffix, element, kind, bytes_each)
            self._procedure(routine, variant, generic)

    def _direct(self, routine, c_name, name, element, public=False):
        """An interface body: the C routine with scalar arguments, under a Fortran name."""
        lines = [self._header(routine, name, "      ", f" bind(C, name='{c_name}')", c_name),
                 "        import"]
        for kind, parameter in routine.parameters:
            lines.append(f"        {self._scalar(kind, parameter, element)} :: {parameter}")
        if routine.result != "void":
            lines.append(f"        {self._result(routine, element)} :: value_of")
        lines.append(f"      end {self._word(routine)} {name}")
        self.bodies.append("\n".join(lines))
        if public:
            self.generics.setdefault(name, [])

    @staticmethod
    def _word(routine):
        return "subroutine" if routine.result == "void" else "function"

    def _header(self, routine, name, indent, ending, _c_name=""):
        parameters = ", ".join(parameter for _, parameter in routine.parameters)
        result = "" if routine.result == "void" else " result(value_of)"
        return wrapped(f"{self._word(routine)} {name}({parameters}){ending}{result}", indent,
                       indent + "    ")

    @staticmethod
    def _result(routine, element):
        return element if routine.result == "TYPE" else SCALARS[routine.result]

    @staticmethod
    def _scalar(kind, name, element):
        """The declaration of a scalar argument of an interface body."""
        if kind == "TYPE":
            return f"{element}, value"
        if kind in SCALARS:
            return f"{SCALARS[kind]}, value"
        base = kind.replace("const ", "").replace(" *", "")
        intent = "in" if kind.startswith("const") else "inout"
        if base == "TYPE":
            return f"{element}, intent({intent}), target"
        if name in ("provided", "initialized", "major", "minor", "ctx", "team"):
            intent = "out"
        return f"{SCALARS[base]}, intent({intent}), target"

    def _declare_c(self, routine, c_name, element="", name=None):
        """The C routine with addresses in place of arrays, once."""
        if c_name in self.declared:
            return
        self.declared.add(c_name)
        name = name or name_of_c(routine, c_name)
        if name == c_name:
            self.generics[name] = []
        lines = [self._header(routine, name, "      ", f" bind(C, name='{c_name}')"),
                 "        import"]
        for kind, parameter in routine.parameters:
            fortran = element if kind == "TYPE" else SCALARS.get(kind, "type(c_ptr)")
            lines.append(f"        {fortran}, value :: {parameter}")
        if routine.result != "void":
            lines.append(f"        {self._result(routine, element)} :: value_of")
        lines.append(f"      end {self._word(routine)} {name}")
        self.bodies.append("\n".join(lines))

    def _procedure(self, routine, variant, generic):
        """A module procedure that passes addresses of arrays, and counts of any kind."""
        has_arrays = self._is_array_routine(routine)
        if has_arrays:
            self._declare_c(routine, variant.c_name)
        parameters = [it for it in routine.parameters if it[1] != "status"]
        has_status = len(parameters) != len(routine.parameters)
        names = [name for _, name in parameters] + (["status"] if has_status else [])
        word = self._word(routine)
        result = " result(value_of)" if word == "function" else ""
        lines = [wrapped(f"{word} {variant.name}({', '.join(names)}){result}", "  ", "      ")]
        lines += self._declarations(routine, variant, parameters, has_status)
        lines += self._checks(routine, parameters, has_arrays)
        lines += self._call(routine, variant, has_arrays)
        lines.append(f"  end {word} {variant.name}")
        self.procedures.append("\n".join(lines))
        self.generics.setdefault(generic, []).append(variant.name)

    def _declarations(self, routine, variant, parameters, has_status):
        lines = []
        for kind, name in parameters:
            if name in COUNTS or kind in ("size_t", "ptrdiff_t"):
                text = f"integer({variant.count_kind}), intent(in)"
            elif kind == "size_t *":
                text = "integer(c_size_t), intent(inout), target"
                name += "(*)"
            elif kind == "uint64_t *":
                text = "integer(c_int64_t), intent(inout), target"
            elif kind == "const int *":
                text = "integer(c_int), intent(in), target, contiguous"
                name += "(..)"
            elif kind in SCALARS and kind != "void *":
                text = f"{SCALARS[kind]}, intent(in)"
            elif kind == "TYPE":
                text = f"{variant.element}, intent(in)"
            elif variant.element == "":
                text = "type(c_ptr), intent(in)"
            else:
                text = self._array(routine, variant.element, kind, name)
                name += "(..)"
            lines.append(f"    {text} :: {name}")
        if has_status:
            lines.append("    integer(c_int), intent(in), optional, target :: status(*)")
        if routine.result != "void":
            lines.append(f"    {self._result(routine, variant.element)} :: value_of")
        return lines

    def _array(self, routine, element, kind, name):
        intent = ", intent(in)" if kind.startswith("const") else ", intent(inout)"
        if element == "type(*)":
            intent = ""  # Programs pass c_loc(x), an expression: gfortran passes the address in it.
        copied = ", contiguous" if self._may_be_copied(routine, name) else ""
        return f"{element}{intent}, target{copied}"

    @staticmethod
    def _may_be_copied(routine, name):
        """May the argument be a copy of a section? Only if it is local and free on return."""
        if "_nbi" in routine.name or routine.parameters[0][1] == "team":
            return False
        action = "put" if "put" in routine.name else "get" if "get" in routine.name else ""
        return name in ("cmp_values", "target_pes") or (action != "" and name not in REMOTE[action])

    def _checks(self, routine, parameters, has_arrays):
        if not has_arrays:
            return []
        return [f"    if (.not. is_contiguous({name})) call not_contiguous('{name}')"
                for kind, name in parameters
                if kind.endswith("*") and kind not in ("size_t *", "uint64_t *")
                and not self._may_be_copied(routine, name)]

    def _call(self, routine, variant, has_arrays):
        arguments = []
        for kind, name in routine.parameters:
            if name == "status":
                arguments.append("address_of_status(status)")
            elif name == "nelems" and variant.bytes_each:
                arguments.append(f"int(nelems, c_size_t) * {variant.bytes_each}")
            elif kind in ("size_t", "ptrdiff_t"):
                arguments.append(f"int({name}, c_{kind})")
            elif kind.endswith("*") and (has_arrays or kind != "void *"):
                arguments.append(f"c_loc({name})")
            else:
                arguments.append(name)
        call = f"{name_of_c(routine, variant.c_name)}({', '.join(arguments)})"
        start = "call " if routine.result == "void" else "value_of = "
        return [wrapped(start + call, "    ", "        "), *self._indices_from_one(routine)]

    @staticmethod
    def _indices_from_one(routine):
        """Fortran counts from 1: the index of an element, and 0 for none."""
        if "_any" in routine.name:
            return ["    value_of = value_of + 1"]
        if "_some" in routine.name:
            return ["    indices(:value_of) = indices(:value_of) + 1"]
        return []

    def fill(self, template):
        constant_lines = [f"  {kind}, parameter, public :: {name} = {value}"
                          for name, kind, value in self.constants]
        public = [wrapped("public :: " + name, "  ") for name in sorted(self.generics)]
        interfaces = []
        for name, specifics in sorted(self.generics.items()):
            if specifics:
                interfaces.append("\n".join([f"  interface {name}",
                                             wrapped("procedure :: " + ", ".join(specifics),
                                                     "    ", "      "),
                                             f"  end interface {name}"]))
        parts = {"CONSTANTS": constant_lines, "PUBLIC": public, "BODIES": self.bodies,
                 "GENERICS": interfaces, "PROCEDURES": self.procedures}
        for name, lines in parts.items():
            joint = "\n\n" if name in ("GENERICS", "PROCEDURES") else "\n"
            template = template.replace(f"@{name}@", joint.join(lines))
        return template

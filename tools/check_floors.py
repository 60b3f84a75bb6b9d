#!/usr/bin/env python3
"""Keeps the house in order: prints file:line: message for each breach and exits with 1.

- a file includes only from its own floor and from those on its left, by the path from the root;
- each third party comes in by its door;
- no file and no folder of sim/ includes itself, however long the way round;
- inside a floor that has inner floors the same holds for these;
- shapes do not depend on reading: outside core, of the headers only *_fields.h include yaml_reader.h or
  another *_fields.h, and those of specifications (*_spec.h, specs/) do not include yaml_tree.h either;
- each list of fields in a *_fields.h is declared in the header of its struct;
- no two files define a type of one name in one namespace, which a linker takes for one;
- no two source files of a floor define a constant of one name, since they may share a unit of the compiler;
- no source file is longer than 400 lines, no folder of sources or tests holds more than 20 of them.

    check_floors.py [ROOT]        check the tree (default: the one of this script)
    check_floors.py --self-test   break each rule in a temporary tree and see it refused
"""

import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

FLOORS = ["core", "topology", "collectives", "workload", "run", "job", "import", "measured", "study", "output", "api", "app"]
INNER_FLOORS = {"workload": ["parallel", "kernels", "model", "schedule", "plan"]}
DOORS = {  # how the header starts -> the only folders below sim/ that may include it
    "Eigen/": "study/fit",
    "yaml-cpp/": "core",
    "boost/graph/": "topology",
    "boost/math/": "workload",
    "tinyxml2.h": "topology",
    "simdjson.h": "core measured",
    "sqlite3.h": "measured",
    "boost/program_options": "app",
    "boost/asio": "app/serve",
    "boost/beast": "app/serve",
    "H5Cpp.h": "output",
    "protozero/": "output measured",
    "toml++/": "import/torchtitan",
    "kainjow/": "output/html",
    "zlib.h": "core",
    "mpi.h": "study",
    "cminpack.h": "study",
    "oneapi/tbb": "core study",
}
READER = "sim/core/input/yaml_reader.h"
TREE = "sim/core/input/yaml_tree.h"
LIST = re.compile(r"^struct Fields<(\w+)> *(\{|;)", re.M)
NAMESPACE = re.compile(r"(?:inline )?namespace ([\w:]*) ?\{|(\}  // namespace)")
SHORT_NAMESPACE = re.compile(r"^namespace[^\n]*\{[^\n]*\n[^\n]*\n\}$", re.M)  # clang-format ends it without a comment
TYPE = re.compile(r"(?:template <.*> )?(?:class|struct|enum|enum class|union) "
                  r"(?:\[\[.*?\]\] |alignas\(.*?\) |[A-Z_]{4,} )*(\w+)(?: final)?(?: ?: [^;]*)?(?: \{|,$)")
CONSTANT = re.compile(r"^(?:static )?const(?:expr|init)? [^=;(]*?\b(k[A-Z]\w*)(?:\[\w*\])? ?(?:=|\{|;)")
MOST_LINES = 400
MOST_FILES = 20
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)')


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in (".h", ".cpp"))


def includes(path):
    """(line, quote, header) of each include of a file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    matches = ((number, INCLUDE.match(line)) for number, line in enumerate(lines, 1))
    return [(number, m[1], m[2]) for number, m in matches if m]


def above(order, own, other):
    """Whether a floor is none of `order`, or is to the right of one's own."""
    return other not in order or order.index(other) > order.index(own)


def wrong_include(name, quote, header):
    """Why a file may not include this header; None if it may."""
    floor, room = name.split("/")[1:3]
    if quote == '"' and not header.startswith("sim/"):
        return f'"{header}": write the path from the repository root, sim/...'
    if header.startswith("sim/"):
        other, other_room = header.split("/")[1:3]
        if above(FLOORS, floor, other):
            return f"sim/{floor} may not include from sim/{other}"
        inner = INNER_FLOORS.get(floor, [])
        if other == floor and inner and above(inner, room, other_room):
            return f"sim/{floor}/{room} may not include from sim/{other}/{other_room}"
    for start, door in DOORS.items():
        doors = [f"sim/{folder}/" for folder in door.split()]
        if header.startswith(start) and not name.startswith(tuple(doors)):
            return f"{header} comes in by {' and '.join(doors)} only"
    return None


def reads(name, header):
    """Why a header may not include what reads YAML; None if it may."""
    if not name.endswith(".h") or name.startswith("sim/core/") or name.endswith("_fields.h"):
        return None
    if header == READER or header.endswith("_fields.h"):
        return f"{header} is for .cpp files and *_fields.h only"
    if header == TREE and (name.endswith("_spec.h") or "/specs/" in name):
        return f"a specification does not depend on {header}"
    return None


def undeclared(root):
    """Lists of fields that no header declares beside their struct: whoever does not include them
    would take the struct for one without fields."""
    declared, defined = set(), []
    for path in sources(root / "sim"):
        for match in LIST.finditer(path.read_text(encoding="utf-8")):
            if match[2] == ";":
                declared.add(match[1])
            elif path.name.endswith("_fields.h"):
                defined.append((path.relative_to(root).as_posix(), match[1]))
    return [f"{name}:1: declare Fields<{struct}> beside {struct}" for name, struct in defined
            if struct not in declared]


def types(path):
    """(line, namespace and name) of each type that other files could meet, of no unnamed namespace; and the
    namespaces whose ends were not found."""
    spaces, found = [], []
    text = SHORT_NAMESPACE.sub("\n\n", path.read_text(encoding="utf-8"))
    for number, line in enumerate(text.splitlines(), 1):
        if space := NAMESPACE.match(line):
            spaces = spaces[:-1] if space[2] else [*spaces, space[1]]
        elif (type_ := TYPE.match(line)) and all(spaces):
            found.append((number, "::".join([*spaces, type_[1]])))
    return found, spaces


def twice(root):
    """Types that two files define: where both are linked, a member of one may be called for the other."""
    first, found = {}, []
    for path in sources(root / "sim"):
        here, open_ = types(path)
        if open_:
            found.append(f"{path.relative_to(root)}:1: end each namespace with '}}  // namespace'")
        for line, name in here:
            other = first.setdefault(name, path)
            if other != path:
                found.append(f"{path.relative_to(root)}:{line}: {name} is defined in {other.relative_to(root)} too")
    return found


def constants_twice(root):
    """Constants of sources that meet one of their name where sources of their floor are one unit."""
    first, found = {}, []
    for path in sources(root / "sim"):
        name = path.relative_to(root)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if path.suffix != ".cpp" or not (constant := CONSTANT.match(line)):
                continue
            other = first.setdefault((name.parts[1], constant[1]), name)
            if other != name:
                found.append(f"{name}:{number}: {constant[1]} is a constant of {other} too")
    return found


def cycles(graph):
    """The includes that close a cycle: (file, line, included file). Depth first, each file once."""
    closing, done = [], set()

    def visit(name, above):
        for line, other in graph.get(name, []):
            if other == name or other in above:
                closing.append((name, line, other))
            elif other not in done:
                visit(other, above | {name})
        done.add(name)

    for name in graph:
        if name not in done:
            visit(name, frozenset())
    return closing


def folder_cycles(graph):
    """The same of folders, which include what their files do: (folder, file and line, included folder)."""
    folders = {}
    for name, here in graph.items():
        own = name.rpartition("/")[0]
        for line, header in here:
            other = header.rpartition("/")[0]
            if header.startswith("sim/") and other != own:
                folders.setdefault(own, []).append((f"{name}:{line}", other))
    return cycles(folders)


def check(root):
    """Every breach in the tree, as lines of text."""
    found, graph = [], {}
    for path in sources(root / "sim"):
        name = path.relative_to(root).as_posix()
        floor = name.split("/")[1]
        if floor not in FLOORS:
            found.append(f"{name}:1: sim/{floor} is not a floor; these are: {' '.join(FLOORS)}")
            continue
        inner = INNER_FLOORS.get(floor, [])
        if inner and name.split("/")[2] not in inner:
            found.append(f"{name}:1: not on an inner floor of sim/{floor}; these are: {' '.join(inner)}")
            continue
        here = includes(path)
        graph[name] = [(line, header) for line, _, header in here]
        for line, quote, header in here:
            if why := wrong_include(name, quote, header) or reads(name, header):
                found.append(f"{name}:{line}: {why}")
    found += undeclared(root) + twice(root) + constants_twice(root)
    for name, line, other in cycles(graph):
        found.append(f"{name}:{line}: include cycle: {other} includes this file in turn")
    for _, place, other in folder_cycles(graph):
        found.append(f"{place}: folder cycle: {other} includes from this folder in turn")
    for folder, count in Counter(p.parent for p in sources(root / "sim") + sources(root / "tests")).items():
        if count > MOST_FILES:
            found.append(f"{folder.relative_to(root)}:{count}: more than {MOST_FILES} source files")
    for path in sources(root / "sim") + sources(root / "tests"):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > MOST_LINES:
            found.append(f"{path.relative_to(root)}:{lines}: longer than {MOST_LINES} lines")
    return found


def self_test():
    """One small tree a rule: its files, and the expected error (None: none)."""
    one_type = "namespace s {\nstruct A {\n};\n}  // namespace s\n"
    trees = [
        ({"sim/run/a.cpp": '#include "sim/core/b.h"\n#include <fmt/core.h>\n'}, None),
        ({"sim/core/a.cpp": "#include <yaml-cpp/yaml.h>\n"}, None),
        ({"tests/core/a.cpp": "\n" * 400}, None),
        ({"sim/core/a.cpp": '\n  # include "sim/run/b.h"\n'}, "a.cpp:2: sim/core may not include"),
        ({"sim/study/a.h": "#include <sim/output/b.h>\n"}, "a.h:1: sim/study may not include"),
        ({"sim/run/a.cpp": '#include "sim/extra/b.h"\n'}, "may not include from sim/extra"),
        ({"sim/extra/a.cpp": ""}, "a.cpp:1: sim/extra is not a floor"),
        ({"sim/core/a.cpp": '#include "b.h"\n'}, "a.cpp:1: \"b.h\": write the path"),
        ({"sim/core/a.h": '#include "sim/core/b.h"\n', "sim/core/b.h": '#include "sim/core/c.h"\n',
          "sim/core/c.h": '\n#include "sim/core/a.h"\n'}, "c.h:2: include cycle"),
        ({"sim/core/a.h": '#include "sim/core/a.h"\n'}, "a.h:1: include cycle"),
        ({"sim/core/a.h": '#include "sim/core/b/c.h"\n', "sim/core/b/d.cpp": '\n#include "sim/core/e.h"\n'},
         "d.cpp:2: folder cycle: sim/core includes"),
        ({"sim/core/a.h": '#include "sim/core/b/c.h"\n', "sim/core/b/d.cpp": '#include "sim/core/e/f.h"\n'}, None),
        ({"sim/core/a.h": '#include "sim/core/b/c.h"\n', "sim/core/b/d.cpp": '#include "sim/core/e/f.h"\n',
          "sim/core/e/g.cpp": '#include "sim/core/h.h"\n'}, "g.cpp:1: folder cycle: sim/core includes"),
        ({"sim/core/a.h": one_type, "sim/run/a.h": "namespace s {\n\nclass A final : B {\n};\n}  // namespace s\n"},
         "run/a.h:3: s::A is defined in"),
        ({"sim/core/a.h": one_type,
          "sim/run/a.cpp": "namespace s {\nnamespace {\nstruct A {\n};\n}  // namespace\n}  // namespace s\n"}, None),
        ({"sim/core/a.h": one_type, "sim/run/a.h": "namespace s::t {\nstruct A {\n};\n}  // namespace s::t\n",
          "sim/run/b.h": "namespace s {\nstruct A;\n}  // namespace s\n"}, None),
        ({"sim/core/a.h": one_type.replace("A {", "alignas(64) A {"),
          "sim/run/a.h": "namespace t {\nclass B;\n}\n" + one_type.replace("struct", "enum")},
         "run/a.h:5: s::A is defined in"),
        ({"sim/core/a.h": "namespace s {\nstruct A {\n};\n\n}\n"}, "a.h:1: end each namespace with"),
        ({"sim/core/a.cpp": "constexpr int kA = 1;\n", "sim/core/b/c.cpp": "\nconst std::string kA[2]{};\n"},
         "c.cpp:2: kA is a constant of sim/core/a.cpp too"),
        ({"sim/core/a.cpp": "constexpr int kA = 1;\n", "sim/run/a.cpp": "constexpr int kA = 1;\n",
          "sim/core/b.cpp": "constexpr int kB = kA;\n  constexpr int kA = 1;\n"}, None),
        ({"sim/core/a.cpp": "\n" * 401}, "a.cpp:401: longer than"),
        ({f"sim/core/a/{i}.cpp": "" for i in range(20)}, None),
        ({f"sim/core/a/{i}.cpp": "" for i in range(21)}, "sim/core/a:21: more than 20"),
        ({f"tests/core/{i}.cpp": "" for i in range(21)}, "tests/core:21: more than 20"),
        ({"sim/workload/a.h": ""}, "a.h:1: not on an inner floor"),
        ({"sim/workload/plan/a.h": '#include "sim/workload/model/b.h"\n'}, None),
        ({"sim/workload/model/a.h": '#include "sim/workload/plan/b.h"\n'},
         "a.h:1: sim/workload/model may not include from sim/workload/plan"),
        ({"sim/run/a.h": f'#include "{READER}"\n'}, f"a.h:1: {READER} is for .cpp files"),
        ({"sim/run/a.h": '#include "sim/run/b_fields.h"\n'}, "a.h:1: sim/run/b_fields.h is for .cpp files"),
        ({"sim/run/a.cpp": f'#include "{READER}"\n#include "sim/run/b_fields.h"\n'}, None),
        ({"sim/run/a_fields.h": f'#include "{READER}"\n'}, None),
        ({"sim/core/a.h": f'#include "{READER}"\n'}, None),
        ({"sim/run/a.h": f'#include "{TREE}"\n'}, None),
        ({"sim/run/a_spec.h": f'#include "{TREE}"\n'}, "a_spec.h:1: a specification does not depend"),
        ({"sim/topology/specs/a.h": f'#include "{TREE}"\n'}, "a.h:1: a specification does not depend"),
        ({"sim/run/a_fields.h": "struct Fields<A> {\n"}, "a_fields.h:1: declare Fields<A> beside A"),
        ({"sim/run/a_fields.h": "struct Fields<A> {\n", "sim/run/a.h": "struct Fields<A>;\n"}, None),
        ({"tests/core/a.cpp": "\n" * 401}, "a.cpp:401: longer than"),
        ({"sim/output/run/a.cpp": "#include <kainjow/mustache.hpp>\n"}, "by sim/output/html/ only"),
    ]
    for start, door in DOORS.items():
        for folder in door.split():
            inside = f"{folder}/{INNER_FLOORS[folder][0]}" if folder in INNER_FLOORS else folder
            trees.append(({f"sim/{inside}/a.cpp": f"#include <{start}>\n"}, None))
        doors = " and ".join(f"sim/{folder}/" for folder in door.split())
        other = "measured" if door == "run" else "run"
        trees.append(({f"sim/{other}/a.cpp": f"#include <{start}>\n"}, f"by {doors} only"))
    for files, wanted in trees:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            errors = check(Path(folder))
        right = len(errors) == 1 and wanted in errors[0] if wanted else not errors
        if not right:
            yield f"{files}: wanted {wanted!r}, got {errors}"


def main(arguments):
    if arguments == ["--self-test"]:
        found = list(self_test())
    else:
        found = check(Path(*arguments) if arguments else Path(__file__).resolve().parent.parent)
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

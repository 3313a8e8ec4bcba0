#!/usr/bin/env python3
"""mutants.py [SEED [COUNT]] - do the tests notice a fault?  Plants one at a time and runs them

COUNT places (50 unless told) in kernels, shape rules, lowering, passes and converters are chosen by SEED (1),
the same ones each time.  Each is changed in one way: a comparison, a bound, a sign, a constant, a condition.
A mutant is killed if it does not compile without a warning or if a test fails.  Survivors are shown with the
line that was changed; a test is missing there unless the change means nothing.  The status is 0 if at least
90 % are killed.  Everything happens in a clone of HEAD below build/mutants.
"""
import os
import pathlib
import random
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
WORK = TOP / "build/mutants"
ROOMS = ("src/kernel", "src/op", "src/lower", "src/sema", "src/pass", "src/convert/onnx", "src/convert/pnnx",
         "src/convert/nnef", "src/exec", "src/backend/portable")
LEAST = 90  # in 100

CHANGES = [
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "),
    (r" \+ 1\b", ""), (r" - 1\b", ""), (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " + "), (r" / ", " * "),
    (r" && ", " || "), (r" \|\| ", " && "), (r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r" = 0;", " = 1;"),
    (r"\bif \(!", "if ("), (r"\? (\w+) : (\w+);", r"? \2 : \1;"),
]

# What is no fault if it is changed: comments, declarations, assertions, memory, messages, and heuristics of speed.
LEFT = re.compile(r"^\s*(/?\*|//|#|assert|static_assert|enum|struct|typedef)|\"|\bsizeof\b|->next|->uses|arena_|capacity|_MAX\b|likely")


def places():
    """(file, line number, column, old, new) of every change that could be made."""
    for room in ROOMS:
        for path in sorted((WORK / room).rglob("*.c")):
            comment = depth = 0
            for number, line in enumerate(path.read_text().split("\n")):
                comment = comment or line.lstrip().startswith("/*")
                if not comment and depth and not LEFT.search(line):
                    for old, new in CHANGES:
                        for found in re.finditer(old, line):
                            yield room, path, number, found, new
                depth += line.count("{") - line.count("}")
                if "*/" in line:
                    comment = 0


def chosen(seed, count):
    """As many from every room, none twice in a line."""
    rooms = {}
    for room, *rest in places():
        rooms.setdefault(room, []).append(rest)
    pick = random.Random(seed)
    for found in rooms.values():
        pick.shuffle(found)
    return [rooms[room].pop() for _, room in zip(range(count), sorted(rooms) * count)]


def run(*command, seconds=600):
    done = subprocess.run(command, cwd=WORK, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=seconds, check=False, env={**os.environ, "WERROR": "-Werror", "BUILD": "debug",
                                                             "CFLAGS": "-O1 -g0"})
    return done.returncode == 0


def survives():
    jobs = f"-j{os.cpu_count()}"
    try:
        return (run("make", jobs, "all") and run("make", jobs, "tests") and run("make", "documents")
                and run("make", "test"))
    except subprocess.TimeoutExpired:
        return False


def main():
    seed, count = (int(x) for x in (sys.argv[1:] + ["1", "50"][len(sys.argv) - 1:]))
    if not WORK.exists():
        subprocess.run(["git", "clone", "-q", str(TOP), str(WORK)], check=True)
    subprocess.run(["git", "fetch", "-q", str(TOP), "HEAD"], cwd=WORK, check=True)
    subprocess.run(["git", "checkout", "-q", "-f", "FETCH_HEAD"], cwd=WORK, check=True)
    if not survives():
        sys.exit("mutants: the tests fail without any fault; see 'make test' in build/mutants")
    killed = 0
    mutants = chosen(seed, count)
    for path, number, found, new in mutants:
        lines = path.read_text().split("\n")
        line = lines[number]
        lines[number] = line[:found.start()] + found.expand(new) + line[found.end():]
        path.write_text("\n".join(lines))
        alive = survives()
        killed += not alive
        print(f"{'SURVIVED' if alive else 'killed'} {path.relative_to(WORK)}:{number + 1}", flush=True)
        if alive:
            print(f"    - {line.strip()}\n    + {lines[number].strip()}", flush=True)
        subprocess.run(["git", "checkout", "-q", "--", str(path)], cwd=WORK, check=True)
    print(f"{killed} of {len(mutants)} mutants killed")
    sys.exit(100 * killed < LEAST * len(mutants))


main()

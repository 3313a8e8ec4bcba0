#!/usr/bin/env python3
"""mutants.py [SEED [COUNT]] | --check - do the tests notice a fault?  Plants one at a time and runs them

First come the faults of mutants.txt, which tests missed once.  Then come COUNT places (50 unless told) in kernels,
shape rules, lowering, passes and converters, chosen by SEED (1), the same ones each time.  Each is changed in one way: a
comparison, a bound, a sign, a constant, a condition.  A mutant is killed if it does not compile without a warning or
if a test fails or takes far longer than without the fault; the first such test ends its run.  Survivors are shown with
the line that was changed; a test is missing there unless the change means nothing.  The status is 0 if all of
mutants.txt and at least 90 % of the others are killed.  A return that cannot be reached, behind a switch whose cases
all return, is no place.  Everything happens in clones of HEAD below build/mutants, one for each processor.  --check only
says whether all of mutants.txt can be planted.
"""
import concurrent.futures
import os
import pathlib
import queue
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parent.parent
CLONES = [TOP / "build/mutants" / str(i) for i in range(os.cpu_count())]
BUILT, SANITIZED = "build/debug/tests", "build/asan/tests"
ENVIRONMENT = {"NNEFC_SHARED": str(TOP.parent / "shared"), **os.environ,
               "WERROR": "-Werror", "BUILD": "debug", "CFLAGS": "-O1 -g0"}
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


def is_unreachable(lines, number):
    """Is that a return which ends a function directly after a switch whose cases all return?  Only the compiler wants
    it, who also sees that no case of an enum is missing.  Not so, to be sure, with a switch over an int, any `break`
    in it, a `default`, or a last statement that is no return on a line of its own."""
    if lines[number - 1:number + 2:2] != ["    }", "}"] or not lines[number].startswith("    return "):
        return False
    begin = max(i for i in range(number - 1) if re.match(r"    (?! |case |default|})", lines[i]))
    body = [x.strip() for x in lines[begin + 1:number - 1]]
    last = [x for x in body if x != "}"][-1:]
    return re.match(r"    switch \((?!\(int\))", lines[begin]) and not {"break;", "default:"} & {*body} and last[0].startswith("return ")


def places(clone):
    """(room, file, line number, old line, new line) of every change that could be made."""
    for room in ROOMS:
        for path in sorted((clone / room).rglob("*.c")):
            comment = depth = 0
            lines = path.read_text().split("\n")
            for number, line in enumerate(lines):
                comment = comment or line.lstrip().startswith("/*")
                if not comment and depth and not LEFT.search(line) and not is_unreachable(lines, number):
                    for old, new in CHANGES:
                        for found in re.finditer(old, line):
                            changed = line[:found.start()] + found.expand(new) + line[found.end():]
                            yield room, path.relative_to(clone), number, line, changed
                depth += line.count("{") - line.count("}")
                if "*/" in line:
                    comment = 0


def chosen(clone, seed, count):
    """As many from every room.  The same ones as long as their lines are as they are, whatever happens to others."""
    rooms, seen = {}, {}
    for room, path, number, old, new in places(clone):
        seen[path, old, new] = seen.get((path, old, new), 0) + 1
        key = random.Random(f"{seed} {path} {old} {new} {seen[path, old, new]}").random()
        rooms.setdefault(room, []).append((key, path, number, old, new))
    for found in rooms.values():
        found.sort()
    return [rooms[room].pop()[1:] for _, room in zip(range(count), sorted(rooms) * count)]


def named():
    """The mutants of mutants.txt: a file, the line as it is, and as the fault has it."""
    for entry in (TOP / "tools/mutants.txt").read_text().strip().split("\n\n")[1:]:
        path, old, new = (x for x in entry.split("\n") if not x.startswith("#"))
        lines = [x.strip() for x in (TOP / path).read_text().split("\n")]
        if lines.count(old[2:]) != 1:
            sys.exit(f"mutants: {path} has {lines.count(old[2:])} lines '{old[2:]}', expected one")
        yield pathlib.Path(path), lines.index(old[2:]), old[2:], new[2:]


def commands(path):
    """What is run until it fails, cheap and telling things first; without a file, all there is."""
    units = sorted((p.name for p in (TOP / "tests/unit").iterdir() if p.is_dir()),
                   key=lambda room: (room not in path.parts, room in ("backend", "api"), room))
    documents = [(f"{BUILT}/nnef_test", *options) for options in
                 (("tests",), ("--passes", "tests"), ("--backend=portable", "tests"), ("--empty", "tests/op"))]
    rooms = [(f"{BUILT}/unit_{room}",) for room in units]
    random_graphs = [(f"{BUILT}/fuzz_{what}", "--count=200") for what in ("passes", "plans")]
    for command in (documents[0], rooms[0], *documents[1:3], *random_graphs, *rooms[1:], documents[3]):
        yield "make", command[0]
        yield command
    yield "make", "test", "TEST_PROGRAMS=", "JOBS=1", "STOP=1"
    # An item too many is seen by the sanitizers, whose maps the limit of memory does not leave room for.
    for command in (rooms[0], *documents[:3:2]):
        program = command[0].replace(BUILT, SANITIZED)
        yield "make", "BUILD=asan", program
        yield "prlimit", "--as=unlimited:", program, *command[1:]


def passes(clone, command, seconds=None):
    with subprocess.Popen(command, cwd=clone, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, env=ENVIRONMENT, start_new_session=True) as process:
        try:
            return process.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return False


def measure(clone):
    """The seconds that each command may take, from what it takes without a fault."""
    limits = {}
    for command in commands(pathlib.Path()):
        begin = time.monotonic()
        if not passes(clone, command):
            sys.exit(f"mutants: '{' '.join(command)}' fails in {clone} without any fault")
        limits[command] = 120 + 4 * (time.monotonic() - begin)
    return limits


def killer(clone, limits, path, number, old, new):
    """The command that notices the fault; None if none does."""
    file = clone / path
    lines = file.read_text().split("\n")
    assert lines[number].strip() == old.strip(), f"{path} is not that of HEAD"
    lines[number] = new
    file.write_text("\n".join(lines))
    try:
        # What sanitizers see of another room was not measured.
        most = max(limits.values())
        return next((c for c in commands(path) if not passes(clone, c, limits.get(c, most))), None)
    finally:
        subprocess.run(["git", "checkout", "-q", "--", str(path)], cwd=clone, check=True)


def prepare():
    for i, clone in enumerate(CLONES):
        if not clone.exists() and i:
            shutil.copytree(CLONES[0], clone, symlinks=True)
        elif not clone.exists():
            subprocess.run(["git", "clone", "-q", str(TOP), str(clone)], check=True)
        subprocess.run(["git", "fetch", "-q", str(TOP), "HEAD"], cwd=clone, check=True)
        subprocess.run(["git", "checkout", "-q", "-f", "FETCH_HEAD"], cwd=clone, check=True)
        passes(clone, ("make", f"-j{os.cpu_count()}", "all", "tests"))


def survivors(mutants, limits):
    """How many mutants no test notices.  Each result is printed as soon as it is known."""
    free = queue.SimpleQueue()
    for clone in CLONES:
        free.put(clone)

    def run(mutant):
        clone = free.get()
        try:
            return killer(clone, limits, *mutant)
        finally:
            free.put(clone)

    count = 0
    with concurrent.futures.ThreadPoolExecutor(len(CLONES)) as pool:
        results = {pool.submit(run, mutant): mutant for mutant in mutants}
        for done in concurrent.futures.as_completed(results):
            path, number, old, new = results[done]
            by = done.result()
            count += by is None
            print(f"{path}:{number + 1}: " + (f"killed by {' '.join(by)}" if by else
                  f"SURVIVED\n    - {old.strip()}\n    + {new.strip()}"), flush=True)
    return count


def main():
    faults = list(named())
    if sys.argv[1:] == ["--check"]:
        return
    seed, count = (int(x) for x in (sys.argv[1:] + ["1", "50"][len(sys.argv) - 1:]))
    # A fault that asks for ever more memory fails by itself.
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, resource.getrlimit(resource.RLIMIT_AS)[1]))
    prepare()
    limits = measure(CLONES[0])
    missed = survivors(faults, limits)
    alive = survivors(chosen(CLONES[0], seed, count), limits)
    print(f"{count - alive} of {count} mutants killed; {missed} of mutants.txt survived")
    sys.exit(missed > 0 or 100 * (count - alive) < LEAST * count)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Decoding in a worker beside decoding in the program: the same bench, the same plugins, the same pixels. And what a worker
takes to start and to wait, beside a process for each picture."""

import glob
import os
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

from gates import Contender, one_processor, verdict

ICONS = ["icon.qoi", "icon.jpg", "icon.png"]
LARGE = ["photo24.jpg", "16mb.png", "16mb.webp"]
# What messages cost, however small the file is: with a processor that has to wake up for each, and with one that is busy.
ICON_GATE_US, BUSY_ICON_GATE_US = 100, 30
# In memory that a program uses again and again: the copy out of a worker shows most there.
LARGE_GATE = 1.25
# A picture of 96 MB gets fresh memory each time, in the program as well. Rows in any order go through memory for the whole
# picture, which is new for each.
GATES = {"photo24.jpg": 1.02, "16mb.webp": 1.60}
# The first file of a plugin, with its server, and that of each further worker, on a machine with nothing else to do.
FIRST_GATE_MS, FURTHER_GATE_MS = 10, 2
# A program that is the worker of its own coders beside one whose coders are plugins: a file, and a file with a worker of its own.
BUILT_IN_GATE, FRESH_BUILT_IN_GATE = 1.3, 2
# A worker that waits and has seen a file, in MB.
RESIDENT_GATE_MB, PRIVATE_GATE_MB = 4, 1


class Isolated(Contender):
    """The same program with its plugins in workers."""

    def __init__(self, *command, **variables):
        super().__init__(*command)
        self.variables = {"CODERS_ISOLATION": "required", **variables}

    def say(self, operation, path, count, *more):
        os.environ.update(self.variables)
        try:
            return super().say(operation, path, count, *more)
        finally:
            for name in self.variables:
                del os.environ[name]


def show(name, value, gate, unit):
    passed = verdict(f"worker: {name} {value:.2f} {unit}", value <= gate)
    print(f"{name:<46}{value:>10.2f} {unit:<4}{passed} gate {gate}", flush=True)


def run(arguments, judged):
    os.environ.setdefault(
        "CODERS_WORKER", os.path.join(os.path.dirname(os.path.abspath(arguments.plugins)), "coders-worker"))
    both = [Contender(arguments.bench, arguments.plugins), Isolated(arguments.bench, arguments.plugins)]
    print(f"\nIn a worker\n{'':<26}{'here':>10}{'worker':>10}{'over':>9}")
    for name in ICONS:
        compare(name, name, both, arguments, judged, ICON_GATE_US, "µs more")
    with one_processor():
        for name in ICONS:
            compare(f"{name}, one processor", name, both, arguments, judged, BUSY_ICON_GATE_US, "µs more")
    for name in LARGE:
        compare(name, name, both, arguments, judged, GATES.get(name, LARGE_GATE), "times")
    starts(arguments, both)
    built_in(arguments)
    memory(arguments)
    processes(arguments)


def compare(title, name, both, arguments, judged, gate, unit):
    is_icon = unit == "µs more"
    here, there, value, same = judged(
        both, "full", os.path.join(arguments.corpus, name), arguments,
        (lambda our, base: (our - base) * 1000) if is_icon else (lambda our, base: our / base), gate)
    passed = verdict(f"worker: {title} {value:.3f}", value <= gate and same)
    scale = 1000 if is_icon else 1
    print(f"{title:<26}{here * scale:>10.1f}{there * scale:>10.1f}{value:>9.2f}   {passed} gate {gate} "
          f"{unit}, {'same pixels' if same else 'PIXELS DIFFER'}", flush=True)


def starts(arguments, both):
    """The first file, with its server; and a new worker for each file beside one that waits."""
    icon = os.path.join(arguments.corpus, "icon.jpg")

    def first(contender):
        return statistics.median(contender.turn("full", icon, 1)[0] for _ in range(9))

    show("the first file", first(both[1]) - first(both[0]), FIRST_GATE_MS, "ms")
    # The policy for uploads has a worker for each file.
    fresh = Isolated(arguments.bench, arguments.plugins, CODERS_POLICY="web")
    times = [(fresh.turn("full", icon, 40)[0], both[1].turn("full", icon, 40)[0]) for _ in range(5)]
    show("each further worker", statistics.median(new - old for new, old in times), FURTHER_GATE_MS, "ms")


def built_in(arguments):
    """Tests/BuiltInProgram with a worker of its coders and of plugins, in turns, each at its best."""
    program = os.path.join(os.path.dirname(os.path.abspath(arguments.bench)), "built-in-program")
    picture = os.path.join(os.path.dirname(__file__), "../Tests/Fixtures/qoi/valid/differences-small.qoi")
    for option, count, gate in (("", 2000, BUILT_IN_GATE), ("--fresh", 200, FRESH_BUILT_IN_GATE)):
        def nanoseconds(*words):
            command = [program, *words, *option.split(), "required"]
            done = subprocess.run(command, input=f"time {count} {picture}\n", capture_output=True, text=True, check=True)
            return int(done.stdout)

        times = [(nanoseconds("--plugins", arguments.plugins), nanoseconds()) for _ in range(5)]
        plugin, ours = (min(column) for column in zip(*times))
        show(f"built in beside plugins {option}".strip(), ours / plugin, gate, "times")


def memory(arguments):
    """What a worker has while it waits, that has seen an icon."""
    environment = dict(os.environ, CODERS_ISOLATION="required")
    icon = os.path.join(arguments.corpus, "icon.jpg")
    program = subprocess.Popen(
        [arguments.bench, "full", icon, "100000000", arguments.plugins], env=environment, stdout=subprocess.DEVNULL)
    try:
        time.sleep(1)
        program.send_signal(signal.SIGSTOP)
        # After a second without a file a worker gives pages back.
        time.sleep(1.5)
        parents = {}
        for status in glob.glob("/proc/[0-9]*/status"):
            try:
                facts = dict(line.split(":\t", 1) for line in open(status).read().splitlines() if ":\t" in line)
            except OSError:
                continue
            if facts["Name"].startswith("coders-worker"):
                parents[int(facts["Pid"])] = int(facts["PPid"])
        # The program's child has the server, and that has the workers.
        ours = {process for process, parent in parents.items() if parent == program.pid}
        servers = {process for process, parent in parents.items() if parent in ours}
        workers = [process for process, parent in parents.items() if parent in servers]
        for name, processes, gates in (("worker", workers, True), ("server", sorted(servers), False)):
            if not processes:
                verdict(f"worker: there is no {name}", False)
                continue
            try:
                lines = open(f"/proc/{processes[0]}/smaps_rollup").read().splitlines()
            except OSError:
                print(f"{'a ' + name + ' that waits':<46}only root may look: a worker shows itself to nobody")
                continue
            sizes = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines[1:]}
            private = sizes["Private_Dirty"] + sizes["Private_Clean"]
            if gates:
                show(f"a {name} that waits, resident", sizes["Rss"], RESIDENT_GATE_MB, "MB")
                show(f"a {name} that waits, its own alone", private, PRIVATE_GATE_MB, "MB")
            else:
                print(f"{'a ' + name + ', resident and its own alone':<46}{sizes['Rss']:>10.2f} MB  {private:.2f} MB")
    finally:
        program.kill()
        program.wait()


def processes(arguments):
    """Small pictures of a photo, a process for each: nothing is held to a gate that others make."""
    photo = os.path.join(arguments.corpus, "photo24.jpg")
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "small.jpg")
        coders = [arguments.coders, "thumbnail", "--size", "256", photo, "-o", result]
        ways = {"coders thumbnail": coders, "the same in a worker": [*coders, "--isolate", "required"]}
        if shutil.which("vipsthumbnail"):
            vips = ["vipsthumbnail", photo, "--size", "256", "-o", result]
            ways["vipsthumbnail"] = vips
            sandbox = ["bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/usr", "/usr", "--symlink", "usr/lib", "/lib",
                       "--symlink", "usr/lib64", "/lib64", "--ro-bind", "/etc", "/etc", "--proc", "/proc", "--dev", "/dev",
                       "--ro-bind", photo, photo, "--bind", folder, folder]
            if shutil.which("bwrap") and subprocess.run([*sandbox, "true"], capture_output=True, check=False).returncode == 0:
                ways["bwrap and vipsthumbnail"] = [*sandbox, *vips]
            else:
                print("bwrap is not here, or may make no namespaces")
        environment = dict(os.environ, CODERS_PLUGIN_PATH=os.path.abspath(arguments.plugins))
        times = {name: [] for name in ways}
        for _ in range(7):
            for name, command in ways.items():
                start = time.monotonic()
                done = subprocess.run(command, env=environment, capture_output=True, check=False)
                times[name].append((time.monotonic() - start) * 1000)
                if done.returncode != 0:
                    raise SystemExit(f"{' '.join(command)}: {done.stderr.decode(errors='replace').strip()}")
        for name, taken in times.items():
            print(f"{'a process for a picture: ' + name:<46}{statistics.median(taken):>10.1f} ms", flush=True)

# SPDX-License-Identifier: Apache-2.0
"""The cache in memory: what it finds and saves beside one of the least recently used, and the time of a hit."""

from gates import verdict

TRACES = ["zipf-0.8", "zipf-0.9", "zipf-1.0", "scan-0.9", "drift-0.9"]
HIT_GATE_NS = 300
CROWD_GATE = 2


def run(ours, arguments):
    print(f"\nCache in memory: hits, bytes and time saved\n{'':<12}{'least recently used':>24}{'ours':>24}")
    for name in TRACES:
        said, _ = ours.facts("cache", name, 1)
        values = {key: float(value) for key, value in said.items() if key != "hash"}
        cells = ["/".join(f"{values[f'{who}_{what}']:.2f}" for what in ("hits", "bytes", "time")) for who in ("lru", "ours")]
        passed = verdict(
            f"cache {name}: {cells[1]} beside {cells[0]}",
            values["ours_hits"] > values["lru_hits"] and values["ours_time"] > values["lru_time"])
        print(f"{name:<12}{cells[0]:>24}{cells[1]:>24}   {passed}", flush=True)
    print(f"\n{'a hit, ns of processor time':<32}gates {HIT_GATE_NS}, {CROWD_GATE} × one thread")
    first = None
    for threads in (1, 2, 8):
        said, _ = ours.facts("cache", str(threads), 2 * arguments.rounds + 1)
        time = float(said["med_ns"])
        first = first or time
        passed = verdict(
            f"a hit on {threads} threads {time:.0f} ns", time <= (HIT_GATE_NS if threads <= 2 else CROWD_GATE * first))
        print(f"{threads:>2} threads{time:>20.0f}   {passed}", flush=True)

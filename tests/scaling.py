#!/usr/bin/env python3
"""What threads of one process cost each other: one process with a thread on each CPU against as many processes of one
thread, all at the same time, in turn. Prints the ratio of their rates, one line for each kernel: the median over the
rounds, and the lowest and highest. Not part of the suite: it wants a machine with nothing else to do.

ADIT names the program (./adit). Usage: scaling.py [ROUNDS [SECONDS [OPTION OF ADIT...]]]      (7 rounds of 5 s)"""
import json, os, statistics, subprocess, sys
from collections import defaultdict

ADIT = os.environ.get('ADIT', './adit')


def rates(args, masks):
    """Run a process for each mask, all at once. The sum of their rates, by kernel."""
    runs = [subprocess.Popen([ADIT, '--benchmark', '--json', *args, '--cpu-affinity', f'{mask:x}', '-t', str(bin(mask).count('1'))],
                             stdout=subprocess.PIPE, text=True) for mask in masks]
    total = defaultdict(float)
    for run in runs:
        out, _ = run.communicate()
        if run.returncode:
            sys.exit(f'{ADIT} ended with status {run.returncode}')
        for r in json.loads(out)['results']:
            total[r['algo'], r['backend'], r['versions']] += r['hashes'] / r['seconds']
    return total


def main():
    rounds, seconds = int((sys.argv[1:2] or ['7'])[0]), (sys.argv[2:3] or ['5'])[0]
    args = ['--time-limit', seconds, *sys.argv[3:]]
    each = [1 << cpu for cpu in sorted(os.sched_getaffinity(0))]
    ratios = defaultdict(list)
    for _ in range(rounds):
        together, apart = rates(args, [sum(each)]), rates(args, each)
        for kernel in together:
            ratios[kernel].append(together[kernel] / apart[kernel])
    for (algo, backend, versions), ratio in ratios.items():
        name = f'{backend}, {versions} versions' if versions else backend
        print(f'{algo} {name}: one process with {len(each)} threads gives {statistics.median(ratio):.3f} '
              f'({min(ratio):.3f} to {max(ratio):.3f}) of {len(each)} processes')


main()

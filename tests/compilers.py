#!/usr/bin/env python3
"""What compilers make of the kernels: the same tree built by several, measured in turn, as a table of doc/BENCHMARKS.md.

A figure is the best of the rounds, each the median over blocks of a millisecond that `adit --benchmark --profile` gives.
Floors are what the page's table of ports says; `make ports` shows whether that is up to date. `make bench-compilers`
calls this.
"""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import time

from bench import Failed, around_table, figure, load, write_table

BEGIN = '<!-- make bench-compilers writes from here -->'
BUILDS = ['gcc -O2', 'gcc -O3', 'clang -O2', 'clang -O3']


def folder_of(args, build):
    return os.path.join(args.folder, re.sub(r'[^A-Za-z0-9]+', '_', build))


def make(args, build):
    """Configure and build the program as `build` says: a compiler and its flags."""
    compiler, *flags = shlex.split(build)
    folder = folder_of(args, build)
    os.makedirs(folder, exist_ok=True)
    configure = [os.path.join(os.path.abspath(args.source), 'configure'), '--quiet', 'CC=' + compiler,
                 'CFLAGS=' + ' '.join(flags + ['-g'])]
    for command in (configure, ['make', '-s', f'-j{len(os.sched_getaffinity(0))}', 'adit']):
        if subprocess.run(command, cwd=folder, stdout=sys.stderr).returncode != 0:
            raise Failed(f'{build}: {shlex.join(command)} failed in {folder}')


def cycles_of(result):
    """Of one kernel and its stages: (kernel, row's name), as the table of ports has them, and cycles per hash."""
    kernel = f'{result["algo"]} {result["backend"]}' + (', versions' if result['versions'] else '')
    stages = {}
    for stage in result['stages']:
        stages.setdefault(stage['name'], []).append(stage['cycles_per_hash'])
    yield (kernel, kernel), result['cycles_per_hash']
    for name, cycles in stages.items():
        yield (kernel, f'- {name}' + (', each of two' if len(cycles) == 2 else '')), sum(cycles) / len(cycles)


def run(args, build):
    command = [os.path.join(folder_of(args, build), 'adit'), '--benchmark', '--profile', '--json', '-a', args.algo,
               '--backend', args.backend, '--time-limit', str(args.seconds)]
    got = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if got.returncode != 0:
        raise Failed(f'{shlex.join(command)}: exit status {got.returncode}')
    return json.loads(got.stdout)


def measure(args):
    """The figures of every round and build, in turn."""
    report = {'rounds': args.rounds, 'seconds': args.seconds, 'builds': {build: [] for build in args.build}}
    for number in range(args.rounds):
        start = time.monotonic()
        for build in args.build:
            report['builds'][build].append(run(args, build))
        print(f'round {number + 1} of {args.rounds}: {time.monotonic() - start:.0f} s', file=sys.stderr)
    return report


def floors(page, column):
    """{(kernel, row's name): cycles} of every table of the page that has that column."""
    found, kernel, at = {}, None, None
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip('|').split('|')] if line.startswith('|') else []
        if not cells:
            at = None
        elif column in cells:
            at = cells.index(column)
        elif at is not None and re.fullmatch(r'[\d,]+', cells[at]):
            kernel = kernel if cells[0].startswith('- ') else cells[0]
            found[kernel, cells[0]] = int(cells[at].replace(',', ''))
    return found


def table(report, floor_of, column):
    rows = {}
    for build, rounds in report['builds'].items():
        for root in rounds:
            for result in root['results']:
                for key, cycles in cycles_of(result):
                    best = rows.setdefault(key, {})
                    best[build] = min(cycles, best.get(build, cycles))

    first = [rounds[0] for rounds in report['builds'].values()]
    compilers = dict.fromkeys(root['adit']['compiler'].strip() for root in first)
    lines = [f'{first[0]["cpu"]["model"]} at {first[0]["cpu"]["ghz"]:.1f} GHz; {", ".join(compilers)}; commit '
             f'{first[0]["adit"]["commit"]}; best of {report["rounds"]} rounds of {report["seconds"]:g} s.', '',
             '| ' + ' | '.join(['kernel', column, *report['builds'], 'slowest / fastest', 'left above the floor']) + ' |',
             '| --- |' + ' ---: |' * (len(report['builds']) + 3)]
    for (kernel, name), best in rows.items():
        least, most = min(best.values()), max(best.values())
        floor = floor_of.get((kernel, name))
        left = f'{100 * least / floor - 100:.0f} to {100 * most / floor - 100:.0f} %' if floor else ''
        figures = [figure(best[build]) for build in report['builds']]
        lines.append('| ' + ' | '.join([name, f'{floor:,}' if floor else '', *figures, f'{most / least:.3f}', left]) + ' |')
    return '\n'.join(lines)


def parse():
    p = argparse.ArgumentParser(description='Build with several compilers, measure in turn, and write the table.')
    p.add_argument('--source', default='.', metavar='DIR', help='the tree, with its configure (.)')
    p.add_argument('--folder', default='compilers', metavar='DIR', help='where the builds go (compilers)')
    p.add_argument('--build', action='append', metavar='"COMPILER FLAGS"',
                   help='one build; without this ' + ', '.join(BUILDS))
    p.add_argument('--rounds', type=int, default=7, metavar='N', help='how often each is measured (7)')
    p.add_argument('--seconds', type=float, default=1, metavar='S', help='how long each kernel, each time (1)')
    p.add_argument('-a', '--algo', default='all', metavar='NAME', help='this algorithm only')
    p.add_argument('--backend', default='all', metavar='NAME', help='this backend only')
    p.add_argument('--floor', default='floor, Golden Cove', metavar='COLUMN',
                   help="whose floors stand beside it, a column of the page's table of ports (floor, Golden Cove)")
    p.add_argument('--doc', required=True, metavar='FILE',
                   help='the page with that table, and markers to write this one between')
    p.add_argument('--json', metavar='FILE', help='where the figures of every round go')
    p.add_argument('--from-json', metavar='FILE', help='build and measure nothing: the table of such a file')
    args = p.parse_args()
    args.build = args.build or BUILDS
    return args


def main():
    args = parse()
    before, after = around_table(args.doc, BEGIN)
    if args.from_json:
        report = load(args.from_json)
    else:
        for build in args.build:
            make(args, build)
        report = measure(args)
    if args.json:
        with open(args.json, 'w', encoding='utf-8') as f:
            json.dump(report, f, indent=1)
            f.write('\n')
    text = table(report, floors(before + after, args.floor), args.floor)
    print(text)
    write_table(args.doc, text, BEGIN)


if __name__ == '__main__':
    try:
        main()
    except (Failed, OSError, ValueError) as error:
        sys.exit(f'compilers.py: {error}')

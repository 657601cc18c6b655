#!/usr/bin/env python3
"""The benchmark's matrix as evidence: rounds of all cells in turn, into a table and a JSON file.

Each round measures every cell once before the next round begins, so what disturbs the machine for a while disturbs
all cells and not one. The unit is cycles per hash (doc/BENCHMARKS.md). `make bench` is the usual way to call this.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time

BEGIN = '<!-- make bench writes from here -->'
END = '<!-- to here -->'
UNIT = r'cycles(?: per |/)(?:hash|nonce)'
NUMBER = r'(\d+(?:,\d{3})*(?:\.\d+)?)'
UNIT_FIRST = re.compile(UNIT + r'\s*[:=]?\s*' + NUMBER)
NUMBER_FIRST = re.compile(NUMBER + r'\s*' + UNIT)


class Failed(Exception):
    pass


def cycles_in(output):
    """The figure of the last line with one: "cycles/hash 92.3", or "92.3 cycles per hash"."""
    for line in reversed(output.splitlines()):
        found = UNIT_FIRST.findall(line) or NUMBER_FIRST.findall(line)
        if found:
            return float(found[-1].replace(',', ''))
    return None


def yardstick(text):
    name, equals, command = text.partition('=')
    if not name or not equals or not command:
        raise argparse.ArgumentTypeError(f'"{text}" is not NAME=COMMAND')
    return name, command


def run_matrix(args, threads):
    command = [args.adit, '--benchmark', '--json', '-a', args.algo, '--backend', args.backend, '-t', str(threads),
               '--time-limit', str(args.seconds)]
    got = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if got.returncode != 0:
        raise Failed(f'{" ".join(command)}: exit status {got.returncode}')
    return json.loads(got.stdout)


def run_yardstick(name, command):
    got = subprocess.run(command, shell=True, stdout=subprocess.PIPE, text=True)
    cycles = cycles_in(got.stdout)
    if got.returncode != 0 or cycles is None:
        raise Failed(f'yardstick {name}: exit status {got.returncode}, '
                     f'{"no" if cycles is None else "a"} figure of cycles per hash in its output')
    return cycles


def row_of(rows, key):
    for row in rows:
        if all(row.get(name) == value for name, value in key.items()):
            return row
    rows.append({**key, 'cycles_per_hash': []})
    return rows[-1]


def run_round(args, report):
    """Every cell once, its figures added to the report's rows."""
    rows = report['rows']
    for threads in args.threads:
        root = run_matrix(args, threads)
        report.update(adit=root['adit'], cpu=root['cpu'])
        for result in root['results']:
            row = row_of(rows, {key: result[key] for key in ('algo', 'backend', 'versions', 'threads')})
            row['cycles_per_hash'].append(result['cycles_per_hash'])
            row.setdefault('hashrate', []).append(result['hashrate']['median'])
            row.setdefault('threads_cycles_per_hash', []).append([t['cycles_per_hash'] for t in result['per_thread']])
    for name, command in args.yardstick:
        row_of(rows, {'yardstick': name, 'threads': 1})['cycles_per_hash'].append(run_yardstick(name, command))


def measure(args):
    report = {'adit': {}, 'cpu': {}, 'rounds': args.rounds, 'seconds': args.seconds, 'rows': []}
    for number in range(args.rounds):
        start = time.monotonic()
        run_round(args, report)
        print(f'round {number + 1} of {args.rounds}: {time.monotonic() - start:.0f} s', file=sys.stderr)
    return report


def name_of(row):
    if 'yardstick' in row:
        return f'yardstick {row["yardstick"]}'
    return f'{row["algo"]} {row["backend"]}' + (f', {row["versions"]} versions' if row['versions'] else '')


def figure(cycles):
    return f'{cycles:,.0f}' if cycles >= 1000 else f'{cycles:.1f}'


def rate(hashes_per_second):
    for unit in ('', 'k', 'M', 'G'):
        if hashes_per_second < 999.5:
            break
        hashes_per_second /= 1000
    return f'{hashes_per_second:.3g} {unit}H/s'


def beside_one_thread(rows, row):
    """How many more cycles than one thread alone the slowest of several takes, in the median round."""
    alone = [r for r in rows if r['threads'] == 1 and name_of(r) == name_of(row)]
    if row['threads'] == 1 or not alone:
        return ''
    ratios = [max(each) / one for each, one in zip(row['threads_cycles_per_hash'], alone[0]['cycles_per_hash'])]
    return f'{100 * statistics.median(ratios) - 100:+.1f} %'


def table(report):
    order = [row.get('algo') for row in report['rows']]      # yardsticks have none, and come last
    rows = sorted(report['rows'], key=lambda row: order.index(row.get('algo')))
    cpu, adit = report['cpu'], report['adit']
    lines = [f'{cpu["model"]} at {cpu["ghz"]:.1f} GHz; {adit["compiler"]}; commit {adit["commit"]}; '
             f'{report["rounds"]} rounds of {report["seconds"]:g} s a cell.', '',
             '| kernel | threads | best | median | spread | rate | slowest thread |',
             '|---|--:|--:|--:|--:|--:|--:|']
    for row in rows:
        cycles = row['cycles_per_hash']
        middle = statistics.median(cycles)
        rates = row.get('hashrate')
        lines.append(f'| {name_of(row)} | {row["threads"]} | {figure(min(cycles))} | {figure(middle)} | '
                     f'{100 * (max(cycles) - min(cycles)) / middle:.1f} % | '
                     f'{rate(statistics.median(rates)) if rates else ""} | {beside_one_thread(rows, row)} |')
    return '\n'.join(lines)


def around_table(path, marker=BEGIN):
    """What stands before and after the table of a page, with the markers."""
    with open(path, encoding='utf-8') as f:
        page = f.read()
    before, begin, rest = page.partition(marker)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise Failed(f'{path}: has no "{marker}" with a "{END}" after it')
    return before + begin, end + after


def write_table(path, text, marker=BEGIN):
    before, after = around_table(path, marker)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(f'{before}\n{text}\n{after}')


def comparison(old, new):
    """Per row, of the ratios of every new round to every old one: the median, and between what the middle half lies."""
    earlier = {(name_of(row), row['threads']): row for row in old['rows']}
    lines = [f'{when}: {report["cpu"]["model"]}; {report["adit"]["compiler"]}; commit {report["adit"]["commit"]}'
             for when, report in (('before', old), ('now', new))]
    lines += ['', f'{"kernel":32} threads  {"before":>9} {"now":>9}  now / before']
    for row in new['rows']:
        key = (name_of(row), row['threads'])
        before = earlier.pop(key, None)
        start = f'{key[0]:32} {key[1]:7}  '
        if not before:
            lines.append(f'{start}{"-":>9} {figure(statistics.median(row["cycles_per_hash"])):>9}  not there before')
            continue
        ratios = sorted(b / a for a in before['cycles_per_hash'] for b in row['cycles_per_hash'])
        quarter = len(ratios) // 4
        lines.append(f'{start}{figure(statistics.median(before["cycles_per_hash"])):>9} '
                     f'{figure(statistics.median(row["cycles_per_hash"])):>9}  {statistics.median(ratios):.3f} '
                     f'({ratios[quarter]:.3f} to {ratios[-1 - quarter]:.3f})')
    lines += [f'{name:32} {threads:7}  no longer there' for name, threads in earlier]
    return '\n'.join(lines)


def load(path):
    with open(path, encoding='utf-8') as f:
        return json.load(f)


def parse():
    cpus = len(os.sched_getaffinity(0))
    p = argparse.ArgumentParser(description='Measure the matrix in rounds, or compare two measurements.')
    p.add_argument('--compare', nargs=2, metavar=('OLD', 'NEW'), help='measure nothing: ratios of two JSON files')
    p.add_argument('--adit', default='./adit', metavar='FILE', help='the program (./adit)')
    p.add_argument('--rounds', type=int, default=7, metavar='N', help='how often each cell is measured (7)')
    p.add_argument('--seconds', type=float, default=2, metavar='S', help='how long, each time (2)')
    p.add_argument('--threads', type=lambda text: [int(n) for n in text.split(',')], default=sorted({1, cpus}),
                   metavar='N,N', help=f'numbers of threads (1 and all: {cpus})')
    p.add_argument('-a', '--algo', default='all', metavar='NAME', help='this algorithm only')
    p.add_argument('--backend', default='all', metavar='NAME', help='this backend only; its two forms share the seconds')
    p.add_argument('--yardstick', type=yardstick, action='append', default=[], metavar='NAME=COMMAND',
                   help='a row more: a command that prints cycles per hash of one thread; the last line that does counts')
    p.add_argument('--doc', metavar='FILE', help='a page to write the table into, between its two markers')
    p.add_argument('--json', metavar='FILE', help='where the figures of every round go')
    p.add_argument('--baseline', metavar='FILE', help='such a file of an earlier time, to print ratios to')
    return p.parse_args()


def main():
    args = parse()
    start = time.monotonic()
    if args.compare:
        print(comparison(load(args.compare[0]), load(args.compare[1])))
        return
    baseline = load(args.baseline) if args.baseline else None     # it may be the very file that is written
    if args.doc:
        around_table(args.doc)      # or minutes of measuring would be for nothing
    report = measure(args)
    text = table(report)
    print(text)
    if args.json:
        with open(args.json, 'w', encoding='utf-8') as f:
            json.dump(report, f, indent=1)
            f.write('\n')
    if args.doc:
        write_table(args.doc, text)
    if baseline:
        print('\n' + comparison(baseline, report))
    print(f'\n{time.monotonic() - start:.0f} s in all')


if __name__ == '__main__':
    try:
        main()
    except (Failed, OSError, ValueError) as error:
        sys.exit(f'bench.py: {error}')

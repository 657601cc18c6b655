#!/usr/bin/env python3
"""What the benchmark says of a kernel beside its rate, and how `make bench` makes pages and ratios of it.

Times here are as short as they can be: it is the shape that is tested, not the machine. ADIT names the program (./adit).
"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ADIT = os.environ.get('ADIT', './adit')
BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'bench.py')
CHAIN = ['header', 'keccak256', 'cubehash256', 'lyra2_1_4_4', 'skein256', 'cubehash256', 'bmw256']
GENEROUS = 120      # s
SHORT = '0.1'       # s
SIM = os.path.join(os.path.dirname(os.path.abspath(ADIT)), 'libadit-fpga-sim.so')


def adit(*args):
    return subprocess.run([ADIT, *args], capture_output=True, text=True, timeout=GENEROUS)


def results(*args):
    got = adit('--benchmark', '--json', *args)
    assert got.returncode == 0, got.stderr
    return json.loads(got.stdout)['results']


def forms(algo):
    """(backend, versions) of this machine's kernels."""
    rows = json.loads(adit('--list', '--json').stdout)
    return [(r['backend'], r['versions']) for r in rows if r['supported'] and r['algo'] == algo]


def name_of(backend, versions):
    return f'{backend}, {versions} versions' if versions else backend


def wait_until_signals_are_blocked(process):
    """From then on a signal ends a run in good order."""
    bit = 1 << (signal.SIGTERM - 1)
    deadline = time.time() + GENEROUS
    while time.time() < deadline:
        with open(f'/proc/{process.pid}/status') as f:
            blocked = int(re.search(r'(?m)^SigBlk:\s*(\w+)', f.read()).group(1), 16)
        if blocked & bit:
            return
        time.sleep(0.01)
    raise AssertionError('signals were never blocked')


class Profile(unittest.TestCase):
    def test_json_has_each_stage_of_the_chain_on_each_backend(self):
        rows = results('--profile', '-a', 'lyra2rev2', '--backend', 'all', '--time-limit', SHORT)
        self.assertEqual([(r['backend'], r['versions']) for r in rows], forms('lyra2rev2'))
        for row in rows:
            self.assertEqual(set(row), {'algo', 'backend', 'versions', 'lanes', 'cycles_per_hash', 'stages_cycles_per_hash', 'stages'})
            self.assertEqual([s['name'] for s in row['stages']], CHAIN)
            self.assertTrue(all(s['cycles_per_hash'] > 0 for s in row['stages']), row)
            self.assertAlmostEqual(sum(s['share'] for s in row['stages']), 1, places=6)
            total = sum(s['cycles_per_hash'] for s in row['stages'])
            self.assertAlmostEqual(total / row['stages_cycles_per_hash'], 1, places=6)
            for stage in row['stages']:
                self.assertAlmostEqual(stage['share'], stage['cycles_per_hash'] / total, places=6)

    def test_it_measures_the_same_hash_as_the_benchmark(self):
        """Within what no load explains: a unit or a batch that is wrong is wrong by more."""
        args = ('-a', 'lyra2rev2', '--backend', forms('lyra2rev2')[0][0], '-t', '1', '--time-limit', '0.3')
        whole = results('--profile', *args)[0]
        benchmark = results(*args)[0]['cycles_per_hash']
        for figure in whole['cycles_per_hash'], whole['stages_cycles_per_hash']:
            self.assertGreater(figure, benchmark / 4)
            self.assertLess(figure, benchmark * 4)

    def test_the_table_has_cycles_and_shares_and_compares_their_sum_with_the_whole(self):
        backend = forms('lyra2rev2')[0][0]
        lines = adit('--benchmark', '--profile', '-a', 'lyra2rev2', '--backend', backend, '--time-limit', SHORT).stdout.splitlines()
        self.assertEqual(lines[0], f'lyra2rev2 {backend}, cycles per hash:')
        for name, line in zip(CHAIN, lines[1:8], strict=True):
            self.assertRegex(line, rf'^  {name} +[\d.]+ +[\d.]+ %$')
        self.assertRegex(lines[8], r'^  sum +[\d.]+ +[\d.]+ % of the whole$')
        self.assertRegex(lines[9], r'^  whole +[\d.]+$')
        self.assertEqual(len(lines), 10)

    def test_what_is_no_chain_is_one_row_for_each_form(self):
        rows = results('--profile', '-a', 'sha256d', '--backend', 'all', '--time-limit', SHORT)
        self.assertEqual([(r['backend'], r['versions']) for r in rows], forms('sha256d'))
        for row in rows:
            self.assertEqual(row['stages'], [])
            self.assertGreater(row['cycles_per_hash'], 10)

    def test_a_signal_ends_it_with_what_it_has(self):
        run = subprocess.Popen([ADIT, '--benchmark', '--profile', '--json', '-a', 'lyra2rev2', '--backend', 'scalar', '--time-limit', '3600'],
                               stdout=subprocess.PIPE, text=True)
        wait_until_signals_are_blocked(run)
        run.send_signal(signal.SIGTERM)
        out, _ = run.communicate(timeout=GENEROUS)
        self.assertEqual(run.returncode, 0)
        self.assertEqual(len(json.loads(out)['results']), 1)

    def test_it_is_of_one_thread_and_of_a_benchmark(self):
        for args, says in ((('--benchmark', '-t', '2'), 'one thread'), (('--list',), '--benchmark'),
                           (('--benchmark', '--compare', 'openssl'), 'at a time')):
            got = adit('--profile', *args)
            self.assertEqual((got.returncode, got.stdout), (2, ''), got.stderr)
            self.assertIn(says, got.stderr)


@unittest.skipUnless(os.path.exists(SIM), 'the simulated card is not built')
class Stream(unittest.TestCase):
    """The batches of a simulated card. tests/check_stream_measure.c has them by a clock of its own."""
    args = ('-a', 'sha256d', '--backend', 'fpga-dma', '--fpga', 'sim')

    def interrupted_after(self, seconds):
        """Status, output and log of a run that gets a signal so long after its stream is proved."""
        with subprocess.Popen([ADIT, '--benchmark', '--json', *self.args, '--time-limit', '86400'], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as run:
            for line in run.stderr:
                if 'its stream is proved' in line:
                    break
            time.sleep(seconds)
            run.send_signal(signal.SIGTERM)
            out, log = run.communicate(timeout=GENEROUS)
        return run.returncode, out, log

    def test_a_signal_ends_it_with_the_cards_figures_and_none_of_the_cpu(self):
        """A batch under way is given up, and how long the first takes is the machine's affair: so long as it is, wait longer."""
        seconds, log = 0.5, 'interrupted before'
        while 'interrupted before' in log and seconds < GENEROUS:
            status, out, log = self.interrupted_after(seconds)
            seconds *= 2
        self.assertEqual(status, 0, log)
        result, = json.loads(out)['results']
        self.assertGreater(result['hashes'], 0)
        self.assertEqual(result['cpu_hashrate'], {})

    def test_a_signal_that_comes_before_it_is_told_and_nothing_is_measured_or_proved(self):
        """It waits already when the program begins."""
        def interrupt():
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
            os.kill(os.getpid(), signal.SIGTERM)

        for what in '--benchmark', '--self-test':
            run = subprocess.run([ADIT, what, *self.args], capture_output=True, text=True, timeout=GENEROUS, preexec_fn=interrupt)
            self.assertEqual((run.returncode, run.stdout), (1, ''), run.stderr)
            self.assertEqual(run.stderr.count('\n'), 1, run.stderr)
            self.assertIn(what + ': interrupted before', run.stderr)


class Compare(unittest.TestCase):
    def test_json_has_both_figures_and_their_ratio_for_each_form(self):
        backend = forms('sha256d')[0][0]
        rows = results('--compare', 'openssl', '-t', '1', '--time-limit', '2')
        self.assertEqual([(r['backend'], r['versions']) for r in rows], [f for f in forms('sha256d') if f[0] == backend])
        for row in rows:
            self.assertEqual(set(row), {'algo', 'backend', 'versions', 'lanes', 'rounds', 'cycles_per_hash', 'compare'})
            self.assertEqual(row['rounds'], 7)
            compare = row['compare']
            self.assertEqual(set(compare), {'name', 'version', 'cycles_per_hash', 'ratio'})
            self.assertEqual(compare['name'], 'openssl')
            self.assertIn('SSL', compare['version'])
            ratio = compare['ratio']
            self.assertLessEqual(ratio['min'], ratio['median'])
            self.assertLessEqual(ratio['median'], ratio['max'])
            overall = compare['cycles_per_hash'] / row['cycles_per_hash']
            self.assertLessEqual(ratio['min'], overall * 1.0001)
            self.assertGreaterEqual(ratio['max'], overall / 1.0001)

    def test_the_line_says_how_many_times_as_fast(self):
        got = adit('--benchmark', '--compare', 'openssl', '--backend', 'scalar', '-t', '1', '--time-limit', '1')
        self.assertRegex(got.stdout, r'^sha256d scalar: [\d.]+ cycles per hash, openssl [\d.]+: [\d.]+ times as fast '
                                     r'\([\d.]+ to [\d.]+ in 7 rounds; .*SSL .*\)\n$')

    def test_what_openssl_does_not_compute_is_said(self):
        for algo in 'lyra2rev2', 'all':
            got = adit('--benchmark', '--compare', 'openssl', '-a', algo)
            self.assertEqual((got.returncode, got.stdout), (2, ''), got.stderr)
            self.assertIn('OpenSSL has sha256d and no other', got.stderr)

    def test_another_name_is_refused(self):
        got = adit('--benchmark', '--compare', 'gnutls')
        self.assertEqual((got.returncode, got.stdout), (2, ''), got.stderr)
        self.assertIn('"gnutls"', got.stderr)


class Bench(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.page = self.path('page.md')
        with open(self.page, 'w') as f:
            f.write('# Before\n<!-- make bench writes from here -->\nold\n<!-- to here -->\nAfter.\n')

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def bench(self, *args):
        return subprocess.run([sys.executable, BENCH, '--adit', ADIT, *args], capture_output=True, text=True, timeout=2 * GENEROUS)

    def test_the_whole_matrix_becomes_a_table_and_a_file(self):
        got = self.bench('--rounds', '2', '--seconds', '0.05', '--threads', '1,2', '--doc', self.page, '--json', self.path('new.json'),
                         '--yardstick', 'plain=echo N=4 correct=1 cycles/hash 92.3',
                         '--yardstick', 'chain=echo best 4,100.0 median 4,315.5 cycles/nonce; echo done')
        self.assertEqual(got.returncode, 0, got.stderr)
        with open(self.path('new.json')) as f:
            report = json.load(f)
        cells = [(algo, backend, versions, threads) for threads in (1, 2) for algo in ('sha256d', 'lyra2rev2')
                 for backend, versions in forms(algo)]
        self.assertEqual([(r['algo'], r['backend'], r['versions'], r['threads']) for r in report['rows'] if 'algo' in r], cells)
        self.assertEqual({r['yardstick']: r['cycles_per_hash'] for r in report['rows'] if 'yardstick' in r},
                         {'plain': [92.3, 92.3], 'chain': [4315.5, 4315.5]})
        for row in report['rows']:
            self.assertEqual(len(row['cycles_per_hash']), 2)
            self.assertTrue(all(cycles > 10 for cycles in row['cycles_per_hash']))
            for each in row.get('threads_cycles_per_hash', []):
                self.assertEqual(len(each), row['threads'])

        with open(self.page) as f:
            page = f.read()
        self.assertTrue(page.startswith('# Before\n<!-- make bench writes from here -->\n'))
        self.assertTrue(page.endswith('\n<!-- to here -->\nAfter.\n'))
        self.assertNotIn('old', page)
        for part in report['cpu']['model'], report['adit']['compiler'], report['adit']['commit'], '2 rounds of 0.05 s':
            self.assertIn(part, page)
        for algo, backend, versions, threads in cells:
            slowest = '' if threads == 1 else r'[+-][\d.]+ %'
            self.assertRegex(page, rf'(?m)^\| {algo} {re.escape(name_of(backend, versions))} \| {threads} \| [\d.,]+ \| [\d.,]+ \| '
                                   rf'[\d.]+ % \| [\d.]+ [kMG]?H/s \| {slowest} \|$')
        self.assertRegex(page, r'(?m)^\| yardstick plain \| 1 \| 92\.3 \| 92\.3 \| 0\.0 % \|')

    def report(self, name, cycles, backend='avx2'):
        row = {'algo': 'sha256d', 'backend': backend, 'versions': 0, 'threads': 1, 'cycles_per_hash': cycles}
        with open(self.path(name), 'w') as f:
            json.dump({'cpu': {'model': 'A'}, 'adit': {'compiler': 'c', 'commit': name}, 'rows': [row]}, f)
        return self.path(name)

    def test_two_files_give_a_ratio_with_its_spread(self):
        old, new = self.report('old', [200, 200, 210, 400]), self.report('new', [100, 100, 100, 300])
        got = self.bench('--compare', old, new)
        self.assertEqual(got.returncode, 0, got.stderr)
        # 16 ratios: 100/400, 100/210 (3 of each), 100/200 (6), and 300/400, 300/210, 300/200 (2)
        self.assertRegex(got.stdout, r'(?m)^sha256d avx2 +1 +205\.0 +100\.0  0\.500 \(0\.476 to 0\.500\)$')
        self.assertIn('commit old', got.stdout)

    def test_a_row_that_only_one_file_has_is_said(self):
        got = self.bench('--compare', self.report('old', [200]), self.report('new', [100], backend='sse2'))
        self.assertRegex(got.stdout, r'(?m)^sha256d sse2 .* not there before$')
        self.assertRegex(got.stdout, r'(?m)^sha256d avx2 .* no longer there$')

    def test_an_earlier_file_may_be_the_one_that_is_written(self):
        path = self.path('bench.json')
        args = ('--rounds', '1', '--seconds', '0.05', '--threads', '1', '-a', 'sha256d', '--backend', 'scalar', '--json', path)
        self.assertEqual(self.bench(*args).returncode, 0)
        got = self.bench(*args, '--baseline', path)
        self.assertEqual(got.returncode, 0, got.stderr)
        self.assertRegex(got.stdout, r'(?m)^sha256d scalar +1 +[\d.,]+ +[\d.,]+  \d\.\d+ \(\d\.\d+ to \d\.\d+\)$')

    def test_what_cannot_work_is_one_sentence(self):
        quick = ('--rounds', '1', '--seconds', '0.05', '--threads', '1', '-a', 'sha256d', '--backend', 'scalar')
        plain = self.path('plain.md')
        with open(plain, 'w') as f:
            f.write('no marker\n')
        for args, says in ((('--doc', plain), 'plain.md: has no'), (('--yardstick', 'y=echo nothing'), 'yardstick y'),
                           (('--yardstick', 'y=echo 5 cycles/hash; exit 3'), 'exit status 3'), (('--baseline', '/nonexistent'), '/nonexistent'),
                           (('--adit', '/nonexistent'), '/nonexistent'), (('--backend', 'mmx'), 'exit status')):
            got = self.bench(*quick, *args)
            self.assertNotEqual(got.returncode, 0, args)
            self.assertNotIn('Traceback', got.stderr)
            self.assertIn(says, got.stderr)


if __name__ == '__main__':
    unittest.main()

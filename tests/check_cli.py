#!/usr/bin/env python3
"""The command line as a user meets it: what each run prints and how it ends. ADIT names the program (./adit)."""
import json, os, re, signal, subprocess, tempfile, time, unittest
from collections import Counter

from tries import holds_once

ADIT = os.environ.get('ADIT', './adit')
GENESIS = ('0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f'
           '617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c')
GENESIS_HASH = '6fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000'
BAD_NUMBER = re.compile(r'\bnan\b|\binf\b|e\+\d{2,}|: -\d')


def adit(*args, timeout=120):
    return subprocess.run([ADIT, *args], capture_output=True, text=True, timeout=timeout)


def supported():
    """(algorithm, backend) pairs of this machine, and the chosen one of each algorithm."""
    rows = json.loads(adit('--list', '--json').stdout)
    return ([(r['algo'], r['backend']) for r in rows if r['supported'] and not r['versions']],
            {r['algo']: r['backend'] for r in rows if r['chosen']})


def forms():
    """(algorithm, backend, versions) of this machine's kernels; versions 0: lanes are nonces."""
    rows = json.loads(adit('--list', '--json').stdout)
    return [(r['algo'], r['backend'], r['versions']) for r in rows if r['supported']]


def name_of(backend, versions):
    return f'{backend}, {versions} versions' if versions else backend


class Usage(unittest.TestCase):
    def refused(self, *args, says):
        got = adit(*args)
        self.assertEqual(got.returncode, 2, got.stderr)
        self.assertEqual(got.stdout, '')
        self.assertEqual(len(got.stderr.strip().splitlines()), 1, got.stderr)
        self.assertNotIn('hush-hush', got.stderr)
        self.assertIn(says, got.stderr)

    def test_no_options_prints_a_short_usage(self):
        got = adit()
        self.assertEqual(got.returncode, 2)
        self.assertIn('usage: adit', got.stderr)

    def test_a_wrong_option_is_named_in_one_sentence(self):
        self.refused('--threadz', says='option --thread... is none of ours')
        self.refused('--p', says='option --p is none of ours')
        self.refused('-t', says='-t')
        self.refused('-p', 'hush-hush', '-Zq', says='-Z')
        self.refused('--json=x', '--list', says='--json')
        self.refused('--benchmark', '--list', says='one of')
        self.refused('--self-test', '--json', says='--json')
        self.refused('--list', '--inject-fault', 'mmx', says='"mmx"')
        for args in (('--hash', 'sha256d', GENESIS, '-a', 'lyra2rev2'), ('-a', 'lyra2rev2', '--hash', 'sha256d', GENESIS),
                     ('--hash', 'sha256d', GENESIS, '-a', 'all')):
            self.refused(*args, says='two algorithms')
        self.refused('-t', '0', says='"0"')
        self.refused('-t', 'two', says='"two"')
        self.refused('-a', 'sha257', says='"sha257"')
        self.refused('--benchmark', '--backend', 'mmx', says='"mmx"')
        self.refused('--benchmark', '--cpu', '-mmx', says='"-mmx"')
        self.refused('--benchmark', '--cpu-affinity', 'xyz', says='"xyz"')
        self.refused('--benchmark', '--cpu-priority', '9', says='"9"')
        for limit in '-1', '0', 'nan', '1e99', '2s':
            self.refused('--benchmark', '--time-limit', limit, says=f'"{limit}"')
        self.refused('--suggest-diff', '0', '-o', 'h:1', says='"0"')
        self.refused('--min-diff', 'inf', '-o', 'h:1', says='"inf"')
        self.refused('-O', 'nocolon', '-o', 'h:1', says='colon')
        self.refused('--benchmark', 'stray', says='belongs to no option')
        self.refused('-p', 'two', 'words', '-o', 'h:1', says='word 3 of the command line belongs to no option')
        self.refused('--hash', 'sha256d', GENESIS, '-q', 'more', says='word 5 of the command line belongs to no option')
        self.refused('--passs=hush-hush', '-o', 'h:1', says='--pass...')
        self.refused('-a', 'sha256d', says='-o')

    def test_a_complaint_is_one_harmless_sentence_whatever_it_quotes(self):
        for option in '-a', '-t', '--backend', '--compare', '--fpga', '--cpu-priority', '--time-limit', '-c':
            self.refused(option, 'a\nb\x1b[2J\rc', says='a?b?[2J?c')
        self.refused('--benchmark', '--cpu', '-a\nb', says='-a?b')
        self.refused('--list', '--inject-fault', 'a\nb', says='a?b')

    def test_a_bad_pool_url_is_refused_at_once(self):
        for url in ('stratum+tcp://h:0', ':99999', 'ftp://h:1', '', 'stratum+tcp://pool.example'):
            with self.subTest(url=url):
                got = adit('-o', url, '-u', 'u')
                self.assertEqual(got.returncode, 2, got.stderr)
                self.assertIn(url, got.stderr)

    def test_help_names_every_option(self):
        got = adit('--help')
        self.assertEqual(got.returncode, 0)
        for name in ('algo', 'url', 'user', 'pass', 'userpass', 'threads', 'backend', 'cpu', 'benchmark', 'profile', 'compare', 'self-test', 'list', 'hash',
                     'time-limit', 'json', 'retries', 'retry-pause', 'timeout', 'quiet', 'debug', 'protocol-dump', 'record', 'pass-file', 'suggest-diff', 'min-diff',
                     'no-version-rolling', 'cert', 'no-verify', 'proxy', 'no-color',
                     'cpu-affinity', 'cpu-priority', 'config', 'version', 'help'):
            self.assertIn('--' + name, got.stdout)
        self.assertNotIn('inject-fault', got.stdout)

    def test_version_has_number_commit_and_compiler(self):
        self.assertRegex(adit('-V').stdout, r'^adit \d+\.\d+\.\d+ \(commit \S+, (gcc|clang) .*\)\n$')


class Streams(unittest.TestCase):
    def test_output_that_is_lost_is_a_failure(self):
        with open('/dev/full', 'w') as full:
            got = subprocess.run([ADIT, '--list'], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(got.returncode, 1)
        self.assertIn('standard output', got.stderr)

    def test_closed_descriptors_become_no_other_file(self):
        got = subprocess.run(['sh', '-c', '"$0" --list --json <&- 2>&- | cat', ADIT], stdout=subprocess.PIPE, text=True)
        self.assertTrue(json.loads(got.stdout))


class Config(unittest.TestCase):
    def run_with(self, text, *args):
        with tempfile.NamedTemporaryFile('wb', suffix='.json') as f:
            f.write(text)
            f.flush()
            return adit('-c', f.name, *args)

    def test_faulty_json_is_named_with_line_and_column(self):
        got = self.run_with(b'{\n "threads": 2,\n "algo": "sha256d"\n "user": "u"\n}')
        self.assertEqual(got.returncode, 2)
        self.assertRegex(got.stderr, r'\.json:4:\d+: ')

    def test_numbers_and_text_both_give_threads(self):
        for value in (b'2', b'"2"'):
            got = self.run_with(b'{"benchmark": true, "json": true, "time-limit": 1, "threads": ' + value + b'}')
            self.assertEqual(json.loads(got.stdout)['results'][0]['threads'], 2)

    def test_the_command_line_wins(self):
        got = self.run_with(b'{"benchmark": true, "json": true, "time-limit": 1, "threads": 2}', '-t', '1')
        self.assertEqual(json.loads(got.stdout)['results'][0]['threads'], 1)

    def test_an_unknown_key_or_a_wrong_shape_is_named(self):
        for text, says in ((b'{"treads": 2}', 'treads'), (b'[1,2]', 'object'), (b'{"threads": true}', 'threads'), (b'{"json": "yes"}', 'json'),
                           (b'{"user": {}}', 'user'),
                           (b'{"nonsense": []}', 'nonsense'), (b'{"threads": []}', 'threads'), (b'{"pools": []}', 'pools'),
                           (b'{"list": true, "a\\nb\\u009b": 1}', 'a?b??'), (b'', '.json'), (b'{"threads": 2,}', 'comma')):
            got = self.run_with(text)
            self.assertEqual(got.returncode, 2, text)
            self.assertIn(says, got.stderr)

    def test_a_byte_order_mark_is_tolerated(self):
        self.assertEqual(self.run_with(b'\xef\xbb\xbf{"list": true}').returncode, 0)

    def test_a_missing_file_a_folder_and_a_huge_file_are_refused(self):
        for path in ('/nonexistent/adit.json', '/', '/dev/zero'):
            got = adit('-c', path)
            self.assertEqual(got.returncode, 2)
            self.assertIn(path, got.stderr)


class Inspect(unittest.TestCase):
    def test_the_reference_and_every_backend_hash_the_genesis_header(self):
        self.assertEqual(adit('--hash', 'sha256d', GENESIS).stdout.strip(), GENESIS_HASH)
        for algo, backend in supported()[0]:
            if algo == 'sha256d':
                self.assertEqual(adit('--hash', algo, GENESIS, '--backend', backend).stdout.strip(), GENESIS_HASH, backend)

    def test_the_same_algorithm_may_be_named_twice_and_a_files_gives_way(self):
        self.assertEqual(adit('--hash', 'sha256d', GENESIS, '-a', 'bitcoin').stdout.strip(), GENESIS_HASH)
        with tempfile.NamedTemporaryFile('w', suffix='.json') as f:
            f.write('{"algo": "lyra2rev2"}')
            f.flush()
            self.assertEqual(adit('-c', f.name, '--hash', 'sha256d', GENESIS).stdout.strip(), GENESIS_HASH)

    def test_a_header_of_the_wrong_length_is_refused(self):
        for text in ('', '00', GENESIS + '00', GENESIS[:-1] + 'g'):
            self.assertEqual(adit('--hash', 'sha256d', text).returncode, 2)

    def test_self_test_names_every_backend(self):
        got = adit('--self-test')
        self.assertEqual(got.returncode, 0, got.stdout)
        for algo, backend, versions in forms():
            self.assertRegex(got.stdout, rf'(?m)^{algo} {re.escape(name_of(backend, versions))}: ok \(\d+ lanes?, 4096 headers\)$')

    def test_self_test_fails_on_a_corrupted_lane(self):
        for algo, backend, versions in forms():
            got = adit('--self-test', '-a', algo, '--backend', backend, '--inject-fault', backend)
            self.assertEqual(got.returncode, 1)
            self.assertIn(f'{algo} {name_of(backend, versions)}: FAILED', got.stdout)

    def test_a_self_test_that_is_interrupted_has_not_passed(self):
        def interrupted():      # a pending signal stays so in the program that is begun
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
            os.kill(os.getpid(), signal.SIGTERM)
        got = subprocess.run([ADIT, '--self-test'], capture_output=True, text=True, preexec_fn=interrupted)
        self.assertEqual((got.returncode, got.stdout), (1, ''))
        self.assertIn('--self-test: interrupted before sha256d', got.stderr)

    def test_the_list_names_both_forms_of_a_vector_backend(self):
        table = adit('--list').stdout
        for algo, backend, versions in forms():
            self.assertRegex(table, rf'(?m)^{algo} +{re.escape(name_of(backend, versions))}  +\d+  (chosen|supported)$')
        vectors = [b for a, b in supported()[0] if a == 'sha256d' and b != 'scalar']
        self.assertEqual(sorted(b for a, b, versions in forms() if versions), sorted(vectors))

    def test_the_list_is_of_what_was_asked_for(self):
        for algo, backend in supported()[0]:
            rows = json.loads(adit('--list', '--json', '-a', algo).stdout)
            self.assertEqual({r['algo'] for r in rows}, {algo})
            self.assertIn(backend, {r['backend'] for r in rows})
            rows = json.loads(adit('--list', '--json', '-a', algo, '--backend', backend).stdout)
            self.assertEqual({(r['algo'], r['backend']) for r in rows}, {(algo, backend)})

    def test_the_choice_falls_through_every_failing_backend(self):
        pairs, chosen = supported()
        for algo, backend in chosen.items():
            got = adit('--list', '--json', '--inject-fault', backend)
            now = {r['algo']: r['backend'] for r in json.loads(got.stdout) if r['chosen']}
            self.assertNotEqual(now.get(algo), backend)
            self.assertIn(f'backend {backend}: self-test failed on {algo}', got.stderr)
            if backend != 'scalar':
                self.assertIn((algo, now[algo]), pairs)

    def test_a_benchmark_of_all_leaves_out_what_fails(self):
        backend = supported()[1]['lyra2rev2']
        got = adit('--benchmark', '--backend', 'all', '-a', 'lyra2rev2', '--time-limit', '1', '--json', '--inject-fault', backend)
        self.assertEqual(got.returncode, 1)
        self.assertNotIn(backend, [r['backend'] for r in json.loads(got.stdout)['results']])

    def test_a_feature_takes_its_heirs_along(self):
        got = adit('--list', '--json', '--cpu', '-sse2,-neon')
        self.assertEqual({r['backend'] for r in json.loads(got.stdout) if r['supported']}, {'scalar'})

    def test_a_masked_feature_is_not_used(self):
        if not any(b == 'scalar' for _, b in supported()[0]):
            self.fail('no scalar backend')
        got = adit('--list', '--json', '--cpu', '-sha,-avx2,-sse2,-neon,-sha2')
        self.assertEqual({r['backend'] for r in json.loads(got.stdout) if r['supported']}, {'scalar'})

    def test_a_forced_backend_that_fails_is_an_error(self):
        for _, backend in supported()[0]:
            got = adit('--benchmark', '--time-limit', '1', '-a', 'sha256d', '--backend', backend, '--inject-fault', backend)
            self.assertEqual(got.returncode, 1)
        self.assertIn('self-test failed', got.stderr)

    def test_a_backend_that_cannot_be_used_here_is_a_wrong_value(self):
        fast = supported()[1]['sha256d']
        if fast != 'scalar':
            for run in (('--benchmark',), ('--self-test',), ('--hash', 'sha256d', GENESIS), ('-o', 'h:1')):
                got = adit(*run, '--backend', fast, '--cpu', '-sha,-avx2,-sse2,-neon,-sha2')
                self.assertEqual((got.returncode, got.stdout), (2, ''), run)
                self.assertIn('does not support', got.stderr)
        rows = json.loads(adit('--list', '--json').stdout)
        for backend in {r['backend'] for r in rows if r['algo'] == 'lyra2rev2' and not r['lanes']} & {b for _, b in supported()[0]}:
            got = adit('--benchmark', '-a', 'lyra2rev2', '--backend', backend)
            self.assertEqual((got.returncode, got.stdout), (2, ''))
            self.assertIn(f'backend {backend}: has no kernel for lyra2rev2', got.stderr)

    def test_the_list_tells_which_backends_fail(self):
        for algo, backend in supported()[0]:
            if backend != supported()[1][algo]:
                got = adit('--list', '--inject-fault', backend)
                self.assertRegex(got.stdout, rf'(?m)^{algo} +{backend} +\d+  fails its self-test$')


class Benchmark(unittest.TestCase):
    @holds_once
    def test_json_has_the_whole_matrix_and_nothing_else(self):
        cells = forms()
        start = time.time()
        got = adit('--benchmark', '-a', 'all', '--backend', 'all', '-t', '2', '--time-limit', '1', '--json')
        self.assertEqual(got.returncode, 0)
        self.assertLess(time.time() - start, 1.5 * len(cells) + 1)
        self.assertIsNone(BAD_NUMBER.search(got.stdout))
        root = json.loads(got.stdout)
        self.assertEqual(set(root), {'adit', 'cpu', 'results'})
        self.assertEqual(set(root['adit']), {'version', 'commit', 'compiler'})
        self.assertEqual(set(root['cpu']), {'model', 'features', 'ghz'})
        self.assertEqual(sorted((r['algo'], r['backend'], r['versions']) for r in root['results']), sorted(cells))
        for r in root['results']:
            self.assertEqual(set(r), {'algo', 'backend', 'versions', 'lanes', 'threads', 'seconds', 'hashes', 'hashrate', 'cycles_per_hash',
                                      'per_thread'})
            self.assertEqual(set(r['hashrate']), {'min', 'median', 'max'})
            self.assertLessEqual(r['hashrate']['min'], r['hashrate']['median'])
            self.assertLessEqual(r['hashrate']['median'], r['hashrate']['max'])
            self.assertEqual(len(r['per_thread']), 2)
            self.assertEqual(set(r['per_thread'][0]), {'cpu', 'hashes', 'hashrate', 'cycles_per_hash'})
            self.assertEqual(sum(t['hashes'] for t in r['per_thread']), r['hashes'])
            self.assertAlmostEqual(sum(t['hashrate'] for t in r['per_thread']) * r['seconds'] / r['hashes'], 1, delta=0.05)
            self.assertGreater(r['cycles_per_hash'], 10)

    @holds_once
    def test_it_stops_at_the_limit_and_shows_both_forms(self):
        chosen = supported()[1]['sha256d']
        names = [name_of(b, versions) for a, b, versions in forms() if (a, b) == ('sha256d', chosen)]
        start = time.time()
        got = adit('--benchmark', '-t', '1', '--time-limit', '2')
        self.assertEqual(got.returncode, 0)
        self.assertGreater(time.time() - start, 1.5)
        self.assertLess(time.time() - start, 2.5)
        totals = [line for line in got.stdout.splitlines() if ': min ' in line]
        self.assertEqual(len(totals), len(names))
        self.assertEqual(totals[-1], got.stdout.strip().splitlines()[-1])
        for name, line in zip(names, totals):
            self.assertRegex(line, rf'^sha256d {re.escape(name)}: min .*H/s, median .*H/s, max .*H/s; [\d.]+ cycles per hash, '
                                   r'1 thread, \d\.\d s$')
        self.assertIsNone(BAD_NUMBER.search(got.stdout))

    def test_a_signal_ends_it_with_what_it_has(self):
        run = subprocess.Popen([ADIT, '--benchmark', '--json'], stdout=subprocess.PIPE, text=True)
        time.sleep(1)
        run.send_signal(signal.SIGTERM)
        out, _ = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 0)
        self.assertEqual(len(json.loads(out)['results']), 1)


def cpus_in(text):
    """The kernel's form of a set of CPUs: 0-3,8."""
    ends = [part.split('-') for part in text.split(',')]
    return {cpu for end in ends for cpu in range(int(end[0]), int(end[-1]) + 1)}


def threads_of(pid):
    """(CPUs it may use, nice value) of each thread but the first, as the kernel tells."""
    seen = []
    for task in os.listdir(f'/proc/{pid}/task'):
        if int(task) != pid:
            with open(f'/proc/{pid}/task/{task}/status') as status, open(f'/proc/{pid}/task/{task}/stat') as stat:
                allowed = re.search(r'(?m)^Cpus_allowed_list:\s+(\S+)$', status.read())[1]
                seen.append((frozenset(cpus_in(allowed)), int(stat.read().rpartition(')')[2].split()[16])))
    return seen


@unittest.skipUnless(os.path.isdir('/proc/self/task'), 'no /proc/self/task here')
class Threads(unittest.TestCase):
    ours = sorted(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else []

    def settled(self, expected, *args, taskset=None):
        """Run a benchmark until its threads are as expected: (CPUs, nice value) of each, in any order."""
        run = subprocess.Popen([ADIT, '--benchmark', '--time-limit', '3600', *args], stdout=subprocess.DEVNULL,
                               preexec_fn=taskset and (lambda: os.sched_setaffinity(0, taskset)))
        try:
            until = time.time() + 60
            while True:
                seen = threads_of(run.pid)
                if Counter(seen) == Counter(expected):
                    return
                self.assertLess(time.time(), until, f'{seen}, not {expected}')
                self.assertIsNone(run.poll())
                time.sleep(0.05)
        finally:
            run.kill()
            run.wait()

    def test_each_of_as_many_threads_as_cpus_has_its_own(self):
        self.settled([(frozenset({cpu}), os.nice(0)) for cpu in self.ours])

    def test_a_process_kept_to_some_cpus_has_a_thread_for_each(self):
        self.settled([(frozenset({self.ours[-1]}), os.nice(0))], taskset={self.ours[-1]})

    def test_threads_go_round_the_cpus_of_a_mask(self):
        last = self.ours[-1]
        self.settled(3 * [(frozenset({last}), os.nice(0))], '--cpu-affinity', hex(1 << last), '-t', '3')
        self.settled([(frozenset({cpu}), os.nice(0)) for cpu in 2 * self.ours],
                     '--cpu-affinity', f'{sum(1 << cpu for cpu in self.ours):x}', '-t', str(2 * len(self.ours)))

    def test_cpus_of_a_mask_that_are_not_ours_are_left_out(self):
        last = self.ours[-1]
        self.settled([(frozenset({last}), os.nice(0))], '--cpu-affinity', hex(3 << last))
        got = adit('--benchmark', '--cpu-affinity', hex(1 << 1000))
        self.assertEqual((got.returncode, got.stdout), (2, ''))
        self.assertIn('may use no CPU of the mask', got.stderr)

    def test_every_thread_has_the_priority_asked_for(self):
        self.settled([(frozenset({cpu}), 19) for cpu in self.ours], '--cpu-priority', '0')

    def test_the_start_up_line_tells_where_threads_run(self):
        last = self.ours[-1]
        for args, threads, cpus in (((), len(self.ours), self.ours), (('--cpu-affinity', hex(1 << last)), 1, [last])):
            got = adit('-o', 'stratum+tcp://127.0.0.1:1', '-u', 'u', '--time-limit', '1', *args)
            line = re.search(r'(?m)\] sha256d: .*; (\d+) threads? on CPUs (\S+)$', got.stderr)
            self.assertEqual((int(line[1]), cpus_in(line[2])), (threads, set(cpus)), got.stderr)


if __name__ == '__main__':
    unittest.main()

#!/usr/bin/env python3
"""Mining from end to end: the real program on devpool, a real stratum server. ADIT and DEVPOOL name the programs."""
import json, re, socket, subprocess, threading, time, unittest

from processes import ADIT, PATIENCE, Miner, Pool, free_ports

SECRET = 'hush-hush'
SANITIZED = b'__asan_init' in open(ADIT, 'rb').read()
# a pool's difficulty at which the slowest backend finds shares within a second or two
EASY = {'sha256d': '0.0002', 'lyra2rev2': '0.0005'}


def pool_of(algo, *args, port=0):
    return Pool(*args, algo=algo, port=port)


def miner_on(port, algo, *args):
    return Miner('-a', algo, '-o', 'stratum+tcp://127.0.0.1:%d' % port, '-u', 'demo', '-p', SECRET, '--json', '-R', '0', *args)


def supported():
    rows = json.loads(subprocess.run([ADIT, '--list', '--json'], capture_output=True, text=True).stdout)
    return ([(r['algo'], r['backend']) for r in rows if r['supported'] and not r['versions']], {r['algo']: r['backend'] for r in rows if r['chosen']})


def versions_kernels():
    rows = json.loads(subprocess.run([ADIT, '--list', '--json'], capture_output=True, text=True).stdout)
    return [(r['backend'], r['versions']) for r in rows if r['algo'] == 'sha256d' and r['supported'] and r['versions']]


class Mining(unittest.TestCase):
    def test_every_backend_mines_shares_that_the_pool_accepts(self):
        for algo, backend in supported()[0]:
            with self.subTest(algo=algo, backend=backend), pool_of(algo, '--difficulty', EASY[algo]) as pool:
                miner = miner_on(pool.port, algo, '--backend', backend)
                miner.wait_for('share accepted', 3)
                mine, theirs = miner.summary(), pool.stop()
                self.assertEqual(miner.run.returncode, 0)
                self.assertEqual(mine['backend'], backend)
                self.assertEqual(theirs['rejected'], 0, theirs)
                self.assertGreaterEqual(theirs['accepted'], mine['shares']['accepted'])
                self.assertEqual(mine['shares']['rejected'] + mine['hw_errors'], 0)
                self.assertLess(miner.seconds_to_end, 20)

    def test_every_lane_over_versions_sends_its_own_bits(self):
        """The pool builds the header from the bits it is sent. A mask of fewer versions than lanes serves as well."""
        kernels = versions_kernels()
        if not kernels:
            self.skipTest('no kernel over versions here')
        forms = [(name, '1fffe000', [i << 13 for i in range(lanes)]) for name, lanes in kernels]
        for name, mask, want in forms + [(kernels[0][0], '00014000', [0, 1 << 14, 1 << 16, 1 << 14 | 1 << 16])]:
            with self.subTest(backend=name, mask=mask), pool_of('sha256d', '--difficulty', '0.00002', '--version-mask', mask) as pool:
                miner = miner_on(pool.port, 'sha256d', '--backend', name, '-P')
                end, seen, accepted = time.monotonic() + PATIENCE, set(), 0
                while seen != set(want) and time.monotonic() < end:
                    accepted = miner.wait_for('share accepted', since=accepted)
                    seen = {int(bits, 16) for bits in re.findall(r'"mining\.submit",.*"([0-9a-f]{8})"\]', miner.text())}
                mine, theirs = miner.summary(), pool.stop()
                self.assertEqual(sorted(seen), sorted(want))
                self.assertEqual((theirs['rejected'], theirs['duplicates'], mine['hw_errors']), (0, 0, 0), theirs)

    def test_fast_jobs_and_moving_difficulty_cost_no_share(self):
        for algo in EASY:
            with self.subTest(algo=algo), pool_of(algo, '--difficulty', EASY[algo], '--vardiff', '5', '--job-interval', '1',
                                               '--clean-every', '3') as pool:
                miner = miner_on(pool.port, algo)
                miner.wait_for('share accepted', 25)
                mine, theirs = miner.summary(), pool.stop()
                # a share may cross a clean job on the wire; anything else is the miner's fault
                wrong = {reason for reason, times in theirs['reasons'].items() if times}
                self.assertEqual(wrong - {'unknown_job', 'stale_job'}, set(), theirs)
                self.assertLessEqual(theirs['rejected'], 2)
                self.assertGreaterEqual(theirs['accepted'], 25)
                self.assertEqual(mine['hw_errors'], 0)

    def test_a_corrupted_lane_sends_nothing_wrong_and_is_counted(self):
        backend = supported()[1]['sha256d']
        with pool_of('sha256d', '--difficulty', EASY['sha256d']) as pool:
            miner = miner_on(pool.port, 'sha256d', '--backend', backend, '--inject-fault', backend + ',mining', '-t', '1')
            miner.wait_for('share accepted', 1)
            mine, theirs = miner.summary(), pool.stop()
            self.assertGreater(mine['hw_errors'], 0)
            self.assertEqual(theirs['rejected'], 0)
            self.assertTrue(any('hardware errors' in line for line in miner.log))

    def test_a_backend_that_fails_its_self_test_is_not_mined_with(self):
        broken = supported()[1]['sha256d']
        if broken == 'scalar':
            self.skipTest('only the scalar backend here')
        with pool_of('sha256d', '--difficulty', EASY['sha256d']) as pool:
            miner = miner_on(pool.port, 'sha256d', '--inject-fault', broken)
            miner.wait_for('share accepted', 1)
            mine = miner.summary()
            self.assertNotEqual(mine['backend'], broken)
            self.assertTrue(any('backend %s: self-test failed on sha256d' % broken in line for line in miner.log))

    def test_it_returns_to_a_pool_that_went_away(self):
        with pool_of('sha256d', '--difficulty', EASY['sha256d']) as pool:
            miner = miner_on(pool.port, 'sha256d')
            miner.wait_for('share accepted', 1)
            port = pool.port
            pool.stop()
            lost = miner.wait_for('next attempt in')
        with pool_of('sha256d', '--difficulty', EASY['sha256d'], port=port) as pool:
            miner.wait_for('share accepted', since=lost)
            miner.summary()
            self.assertGreater(pool.stop()['accepted'], 0)
            self.assertEqual(miner.run.returncode, 0)

    def test_it_gives_up_after_the_retries_asked_for(self):
        miner = miner_on(free_ports(1)[0], 'sha256d', '-r', '2', '-t', '1')
        self.assertEqual(miner.run.wait(PATIENCE), 3)
        mine = miner.summary()
        self.assertEqual(mine['hashes'], 0)     # nothing is hashed for nobody

    def test_the_time_limit_ends_it_with_success(self):
        with pool_of('sha256d', '--difficulty', EASY['sha256d']) as pool:
            start = time.time()
            miner = miner_on(pool.port, 'sha256d', '--time-limit', '2', '-t', '1')
            self.assertEqual(miner.run.wait(PATIENCE), 0)
            self.assertGreater(time.time() - start, 1.5)
            miner.stop()

    def test_the_password_and_escapes_are_never_printed(self):
        with pool_of('sha256d', '--difficulty', EASY['sha256d']) as pool:
            miner = miner_on(pool.port, 'sha256d', '-D', '-P', '-t', '1')
            miner.wait_for('share accepted', 1)
            miner.summary()
            text = ''.join(miner.log)
            self.assertIn('mining.authorize', text)
            self.assertNotIn(SECRET, text)
            self.assertNotIn('\x1b', text)

    def test_the_first_hash_comes_within_0_3_seconds_of_cpu_time(self):
        """In CPU time, which a busy machine does not stretch: start, self-test, connection and the first share."""
        algo, seconds = 'sha256d', None
        with pool_of(algo, '--difficulty', '0.0000001') as pool:
            with socket.create_server(('127.0.0.1', 0)) as relay:       # between them, to see the submit pass
                miner = miner_on(relay.getsockname()[1], algo, '-t', '1')
                inside, _ = relay.accept()
                outside = socket.create_connection(('127.0.0.1', pool.port))

                def answers():
                    try:
                        while (data := outside.recv(65536)):
                            inside.sendall(data)
                    except OSError:
                        pass
                threading.Thread(target=answers, daemon=True).start()
                while seconds is None:
                    data = inside.recv(65536)
                    if not data:
                        break
                    if b'mining.submit' in data:
                        seconds = miner.cpu_seconds()
                    else:
                        outside.sendall(data)
                miner.summary()
                inside.close()
                outside.close()
        limit = 3 if SANITIZED else 0.3
        self.assertLess(seconds, limit)


if __name__ == '__main__':
    unittest.main()

#!/usr/bin/env python3
"""Mining with OpenCL devices, from end to end on devpool: alone, beside threads, and when the device is lost. ADIT names the program."""
import json, os, subprocess, tempfile, unittest

from processes import ADIT, PATIENCE, Miner, Pool

SANITIZED = b'__asan_init' in open(ADIT, 'rb').read()
LOST = os.path.abspath('lost_opencl.so')
EASY = {'sha256d': '0.00005', 'lyra2rev2': '0.0005'}
CACHE = tempfile.TemporaryDirectory()
ENV = {'XDG_CACHE_HOME': CACHE.name}
if SANITIZED:       # what a driver leaks is not the miner's
    ENV['ASAN_OPTIONS'] = 'detect_leaks=0'


def adit(*args):
    return subprocess.run([ADIT, *args], capture_output=True, text=True, timeout=4 * PATIENCE, env={**os.environ, **ENV})


def setUpModule():
    got = adit('--self-test', '-a', 'sha256d', '--backend', 'opencl', '--opencl', '0')
    if 'there is no device 0' in got.stderr or 'has no OpenCL' in got.stderr:
        raise unittest.SkipTest('there is no OpenCL device; PoCL is one')


class Mining(unittest.TestCase):
    def mine(self, algo, *args, shares=3, env=None, ends=False):
        """The summaries of miner and pool, when so many shares were accepted; with `ends` when the miner has ended by itself."""
        with Pool('--difficulty', EASY[algo], algo=algo) as pool, \
             Miner('-a', algo, '-o', 'stratum+tcp://127.0.0.1:%d' % pool.port, '-u', 'demo', '-p', 'x', '--json', *args,
                   env={**ENV, **(env or {})}) as miner:
            if ends:
                self.status = miner.run.wait(4 * PATIENCE)
            else:
                miner.wait_for('share accepted', shares, patience=4 * PATIENCE)
            mine, theirs = miner.summary(), pool.stop()
            self.log = miner.text()
        self.assertEqual(theirs['rejected'], 0, theirs)
        self.assertEqual(mine['hw_errors'] + mine['shares']['rejected'], 0)
        return mine, theirs

    def test_both_forms_mine_shares_that_the_pool_accepts(self):
        for algo in EASY:
            for form in 'range', 'pipeline':
                with self.subTest(algo=algo, form=form):
                    mine, theirs = self.mine(algo, '--backend', 'opencl', '--opencl', '0,form=' + form)
                    self.assertEqual((mine['backend'], mine['threads']), ('opencl', 0))
                    self.assertGreaterEqual(theirs['accepted'], 3)
                    device, = mine['opencl']
                    self.assertEqual(device['hashes'], mine['hashes'])
                    if algo == 'lyra2rev2':
                        self.assertTrue(0 < device['device_busy'] <= 1.01 and 0 < device['cpu_busy'] <= 1.01, device)

    def test_devices_and_threads_share_one_job_and_repeat_nothing(self):
        mine, theirs = self.mine('sha256d', '-t', '1', '--opencl', '0', shares=200)
        self.assertEqual(theirs['reasons'].get('duplicate', 0), 0)
        self.assertGreater(mine['opencl'][0]['hashes'], 0)
        self.assertGreater(mine['hashes'], mine['opencl'][0]['hashes'])

    @unittest.skipUnless(os.path.exists(LOST), 'there is nothing to lose a device with')
    @unittest.skipIf(SANITIZED, 'a sanitizer wants to be loaded first')
    def test_a_lost_device_is_switched_off_and_mining_goes_on(self):
        for algo in EASY:
            with self.subTest(algo=algo):
                env = {'LD_PRELOAD': LOST, 'LOST_AFTER': '40'}
                with Pool('--difficulty', EASY[algo], algo=algo) as pool, \
                     Miner('-a', algo, '-o', 'stratum+tcp://127.0.0.1:%d' % pool.port, '-u', 'demo', '-p', 'x', '--json', '-t', '1',
                           '--opencl', '0', env={**ENV, **env}) as miner:
                    lines = miner.wait_for('switched off, what it did not search goes to others', patience=4 * PATIENCE)
                    miner.wait_for('share accepted', 5, since=lines, patience=4 * PATIENCE)
                    mine, theirs = miner.summary(), pool.stop()
                self.assertEqual((theirs['rejected'], mine['hw_errors'], mine['opencl'][0]['on']), (0, 0, False))
                mine, theirs = self.mine(algo, '--backend', 'opencl', '--opencl', '0', env=env, ends=True)
                self.assertEqual(self.status, 1)
                self.assertIn('backend opencl: no thread is left', self.log)


class Inspection(unittest.TestCase):
    def test_self_test_and_benchmark_include_the_device(self):
        got = adit('--self-test', '--opencl', '0', '--backend', 'opencl')
        self.assertEqual((got.returncode, got.stdout),
                         (0, 'sha256d opencl 0: ok (search)\nlyra2rev2 opencl 0: ok (cubehash256)\n'), got.stderr)
        got = adit('--benchmark', '--opencl', '0', '--backend', 'opencl', '-a', 'all', '--time-limit', '1', '--json')
        self.assertEqual(got.returncode, 0, got.stderr)
        results = json.loads(got.stdout)['results']
        self.assertEqual([(r['algo'], r['backend']) for r in results], [('sha256d', 'opencl'), ('lyra2rev2', 'opencl')])
        for result in results:
            self.assertGreater(result['hashes'], 0)
            self.assertEqual(result['devices'][0]['hw_errors'], 0)

    def test_a_wrong_device_is_refused(self):
        for reason, args in (('begins with the number of a device', ['x']), ('begins with', ['100']), ('begins with', ['']),
                             ('is none of form=range', ['0,form=x']), ('is none of', ['0,']), ('named twice', ['0', '0'])):
            got = adit('--benchmark', '--backend', 'opencl', *[word for a in args for word in ('--opencl', a)])
            self.assertEqual(got.returncode, 2, got.stderr)
            self.assertIn(reason, got.stderr)
            self.assertEqual(got.stderr.count('\n'), 1)
        for args in ['--benchmark'], ['--benchmark', '--opencl', '0', '-t', '2']:
            self.assertEqual(adit(*args, '--backend', 'opencl').returncode, 2)
        got = adit('--self-test', '--backend', 'opencl', '--opencl', '99')
        self.assertEqual(got.returncode, 1)
        self.assertIn('there is no device 99', got.stderr)


if __name__ == '__main__':
    unittest.main()

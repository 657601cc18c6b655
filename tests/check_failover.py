#!/usr/bin/env python3
"""Several pools from end to end: the real program on real stratum servers that die and come back. ADIT and DEVPOOL name the programs."""
import json, os, re, signal, socket, subprocess, tempfile, threading, time, unittest

ADIT = os.environ.get('ADIT', './adit')
DEVPOOL = os.environ.get('DEVPOOL', './devpool')
PATIENCE = 60       # seconds for what takes one on an idle machine
DIFFICULTY = '0.0002'


def free_ports(count):
    """Ports of which nobody makes use, so that a pool may die and come back at its own."""
    held = [socket.create_server(('127.0.0.1', 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in held]
    for s in held:
        s.close()
    return ports


class Pool:
    """It lets in its own user only."""
    def __init__(self, port, user):
        self.run = subprocess.Popen([DEVPOOL, '-p', str(port), '--json', '--difficulty', DIFFICULTY, '--user', user],
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.run.stdout.readline()

    def stop(self):
        """The pool's own summary."""
        if self.run.poll() is None:
            self.run.send_signal(signal.SIGTERM)
        out, _ = self.run.communicate(timeout=PATIENCE)
        return json.loads(out[out.index('{'):])


class Failover(unittest.TestCase):
    def setUp(self):
        self.a, self.b = free_ports(2)
        self.pools = []
        self.log = []
        self.miner = None

    def tearDown(self):
        for process in [self.miner] + [pool.run for pool in self.pools]:
            if process and process.poll() is None:
                process.kill()
                process.wait()
            if process:
                process.stdout.close()

    def pool(self, port, user):
        self.pools.append(Pool(port, user))
        return self.pools[-1]

    def mine(self, *args):
        self.miner = subprocess.Popen([ADIT, '-t', '1', '--json', '-R', '0', *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=lambda: self.log.extend(iter(self.miner.stderr.readline, '')), daemon=True)
        self.reader.start()

    def on_both(self, *args):
        self.mine('-o', '127.0.0.1:%d' % self.a, '-u', 'ann', '-p', 'x', '-o', '127.0.0.1:%d' % self.b, '-O', 'bob:y', *args)

    def wait_for(self, text, since=0, times=1):
        """The number of lines by then."""
        end = time.time() + PATIENCE
        while time.time() < end:
            lines = len(self.log)
            if sum(text in line for line in self.log[since:lines]) >= times:
                return lines
            if self.miner.poll() is not None:
                break
            time.sleep(0.02)
        raise AssertionError('no "%s" in\n%s' % (text, ''.join(self.log)))

    def accepted_at(self, port, since=0, times=1):
        return self.wait_for('pool 127.0.0.1:%d: share accepted' % port, since, times)

    def end(self):
        if self.miner.poll() is None:
            self.miner.send_signal(signal.SIGTERM)
        out, _ = self.miner.stdout.read(), self.miner.wait(timeout=PATIENCE)
        self.reader.join(PATIENCE)
        self.miner.stdout.close()
        self.miner.stderr.close()
        return json.loads(out)

    def cpu_seconds(self):
        with open('/proc/%d/stat' % self.miner.pid) as f:
            fields = f.read().rsplit(')', 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')

    def test_the_second_takes_over_and_the_first_gets_it_back(self):
        first, second = self.pool(self.a, 'ann'), self.pool(self.b, 'bob')
        self.on_both('-R', '1')
        seen = self.accepted_at(self.a)
        summaries = [first.stop()]
        dropped = time.time()
        seen = self.accepted_at(self.b, seen)
        self.assertLess(time.time() - dropped, 15)
        self.wait_for('pool 127.0.0.1:%d: 3 failures, switching to 127.0.0.1:%d\n' % (self.a, self.b))

        first = self.pool(self.a, 'ann')
        back = time.time()
        seen = self.wait_for('pool 127.0.0.1:%d: works again, switching to it from 127.0.0.1:%d\n' % (self.a, self.b), seen)
        self.accepted_at(self.a, seen)
        self.assertLess(time.time() - back, 60)
        mine = self.end()
        summaries += [first.stop(), second.stop()]

        for theirs in summaries:
            self.assertGreater(theirs['accepted'], 0)
            wrong = {reason: times for reason, times in theirs['reasons'].items() if times}
            self.assertEqual(wrong, {})
        self.assertEqual([p['url'] for p in mine['pools']], ['127.0.0.1:%d' % p for p in (self.a, self.b)])
        self.assertEqual([p['connections'] for p in mine['pools']], [2, 1])
        for count in mine['shares']:
            self.assertEqual(sum(p[count] for p in mine['pools']), mine['shares'][count])
        self.assertGreaterEqual(summaries[2]['accepted'], mine['pools'][1]['accepted'])
        self.assertEqual(mine['shares']['rejected'], 0)

    def test_nothing_is_hashed_while_all_are_down(self):
        first, second = self.pool(self.a, 'ann'), self.pool(self.b, 'bob')
        self.on_both('--failover-after', '1', '-R', '1')
        self.accepted_at(self.a)
        first.stop()
        self.accepted_at(self.b)
        second.stop()
        seen = self.wait_for('idle until there is', times=2 if any('idle until' in line for line in self.log) else 1)
        before = self.cpu_seconds()
        time.sleep(3)
        self.assertLess(self.cpu_seconds() - before, 0.5)
        self.pool(self.b, 'bob')
        self.accepted_at(self.b, seen)
        self.end()
        self.assertEqual(self.miner.returncode, 0)

    def test_each_end_has_its_status(self):
        self.on_both('-r', '1')
        self.assertEqual(self.miner.wait(PATIENCE), 3)          # nobody is there
        self.assertEqual(self.end()['hashes'], 0)
        self.assertEqual(sum('giving up after 2 attempts' in line for line in self.log), 2)

        pools = [self.pool(self.a, 'not ann'), self.pool(self.b, 'not bob')]
        self.on_both('-r', '1')
        self.assertEqual(self.miner.wait(PATIENCE), 4)          # both refuse
        self.end()
        pools[1].stop()
        self.on_both('-r', '1')
        self.assertEqual(self.miner.wait(PATIENCE), 3)
        self.end()

    def test_a_silent_pool_is_left(self):
        mute = socket.create_server(('127.0.0.1', self.a))      # it takes connections and says nothing
        self.addCleanup(mute.close)
        self.pool(self.b, 'bob')
        self.on_both('--job-timeout', '2')
        self.accepted_at(self.b)
        self.wait_for('pool 127.0.0.1:%d: no job for 2 s, switching to 127.0.0.1:%d\n' % (self.a, self.b))

    def test_by_quota_all_are_connected(self):
        pools = [self.pool(self.a, 'ann'), self.pool(self.b, 'bob')]
        self.on_both('--strategy', 'quota', '--time-limit', '4')
        self.wait_for('share accepted')
        self.assertEqual(self.miner.wait(PATIENCE), 0)
        self.assertEqual([p['connections'] for p in self.end()['pools']], [1, 1])
        self.assertEqual([p.stop()['rejected'] for p in pools], [0, 0])

    def test_a_configuration_file_lists_them_and_the_command_line_wins(self):
        entries = [{'user': 'ann', 'url': '127.0.0.1:%d' % self.a}, {'url': '127.0.0.1:%d' % self.b, 'user': 'bob', 'pass': 'y', 'quota': 2}]
        with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
            json.dump({'pools': entries, 'failover-after': 1}, file)
            file.flush()
            self.pool(self.b, 'bob')
            self.mine('-c', file.name)
            self.accepted_at(self.b)
            self.assertEqual([p['url'] for p in self.end()['pools']], [e['url'] for e in entries])
            self.mine('-c', file.name, '-o', '127.0.0.1:%d' % self.b, '-u', 'bob')
            self.accepted_at(self.b, len(self.log))
            self.assertEqual([p['url'] for p in self.end()['pools']], [entries[1]['url']])


class Options(unittest.TestCase):
    def refused(self, *args, says):
        got = subprocess.run([ADIT, *args], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(got.returncode, 2, got.stderr)
        self.assertIn(says, got.stderr)

    def test_wrong_ones_are_named(self):
        self.refused('-o', 'h:1', '--strategy', 'best', says='"best"')
        self.refused('-o', 'h:1', '--quota', '0', says='"0"')
        self.refused('-o', 'h:1', '--failover-after', '0', says='"0"')
        self.refused('-o', 'h:1', '--rotate', 'x', says='"x"')
        self.refused('-o', 'h:1', '-o', 'ftp://h:2', says='ftp://h:2')
        self.refused(*['-o', 'h:1'] * 33, says='32')

    def test_wrong_entries_of_a_file_are_named(self):
        for pools, says in (('[1]', 'entry 1'), ('[{"url":"h:1"},{"user":"u"}]', 'entry 2: it has no url'), ('[{"usr":"u"}]', '"usr"'),
                            ('"h:1"', 'not a list'), ('[{"url":"h:1","threads":2}]', '"threads"'), ('[{"url":"h:1","quota":0}]', '"0"')):
            with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
                file.write('{"pools": %s}' % pools)
                file.flush()
                self.refused('-c', file.name, says=says)
        with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
            file.write('{"threads": [{}]}')
            file.flush()
            self.refused('-c', file.name, says='"threads"')


if __name__ == '__main__':
    unittest.main()

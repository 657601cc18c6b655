#!/usr/bin/env python3
"""Several pools from end to end: the real program on real stratum servers that die and come back. ADIT and DEVPOOL name the programs."""
import json, socket, subprocess, tempfile, time, unittest

from processes import ADIT, PATIENCE, Miner, Pool, free_ports

DIFFICULTY = '0.0002'


class Failover(unittest.TestCase):
    def setUp(self):
        self.a, self.b = free_ports(2)

    def pool(self, port, user):
        """It lets in its own user only."""
        pool = Pool('--difficulty', DIFFICULTY, '--user', user, port=port)
        self.addCleanup(pool.stop)
        return pool

    def mine(self, *args):
        self.miner = Miner('-t', '1', '--json', '-R', '0', *args)
        self.addCleanup(self.miner.stop)

    def on_both(self, *args):
        self.mine('-o', '127.0.0.1:%d' % self.a, '-u', 'ann', '-p', 'x', '-o', '127.0.0.1:%d' % self.b, '-O', 'bob:y', *args)

    def accepted_at(self, port, since=0, times=1):
        return self.miner.wait_for('pool 127.0.0.1:%d: share accepted' % port, times, since)

    def test_the_second_takes_over_and_the_first_gets_it_back(self):
        first, second = self.pool(self.a, 'ann'), self.pool(self.b, 'bob')
        self.on_both('-R', '1')
        seen = self.accepted_at(self.a)
        summaries = [first.stop()]
        dropped = time.time()
        seen = self.accepted_at(self.b, seen)
        self.assertLess(time.time() - dropped, 15)
        self.miner.wait_for('pool 127.0.0.1:%d: 3 failures, switching to 127.0.0.1:%d\n' % (self.a, self.b))

        first = self.pool(self.a, 'ann')
        back = time.time()
        seen = self.miner.wait_for('pool 127.0.0.1:%d: works again, switching to it from 127.0.0.1:%d\n' % (self.a, self.b), since=seen)
        self.accepted_at(self.a, seen)
        self.assertLess(time.time() - back, 60)
        mine = self.miner.summary()
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
        seen = self.miner.wait_for('idle until there is', times=2 if any('idle until' in line for line in self.miner.log) else 1)
        before = self.miner.cpu_seconds()
        time.sleep(3)
        self.assertLess(self.miner.cpu_seconds() - before, 0.5)
        self.pool(self.b, 'bob')
        self.accepted_at(self.b, seen)
        self.miner.summary()
        self.assertEqual(self.miner.run.returncode, 0)

    def test_each_end_has_its_status(self):
        self.on_both('-r', '1')
        self.assertEqual(self.miner.run.wait(PATIENCE), 3)          # nobody is there
        self.assertEqual(self.miner.summary()['hashes'], 0)
        self.assertEqual(sum('giving up after 2 attempts' in line for line in self.miner.log), 2)

        pools = [self.pool(self.a, 'not ann'), self.pool(self.b, 'not bob')]
        self.on_both('-r', '1')
        self.assertEqual(self.miner.run.wait(PATIENCE), 4)          # both refuse
        self.miner.summary()
        pools[1].stop()
        self.on_both('-r', '1')
        self.assertEqual(self.miner.run.wait(PATIENCE), 3)
        self.miner.summary()

    def test_a_silent_pool_is_left(self):
        mute = socket.create_server(('127.0.0.1', self.a))      # it takes connections and says nothing
        self.addCleanup(mute.close)
        self.pool(self.b, 'bob')
        self.on_both('--job-timeout', '2')
        self.accepted_at(self.b)
        self.miner.wait_for('pool 127.0.0.1:%d: no job for 2 s, switching to 127.0.0.1:%d\n' % (self.a, self.b))

    def test_by_quota_all_are_connected(self):
        pools = [self.pool(self.a, 'ann'), self.pool(self.b, 'bob')]
        self.on_both('--strategy', 'quota', '--time-limit', '4')
        self.miner.wait_for('share accepted')
        self.assertEqual(self.miner.run.wait(PATIENCE), 0)
        self.assertEqual([p['connections'] for p in self.miner.summary()['pools']], [1, 1])
        self.assertEqual([p.stop()['rejected'] for p in pools], [0, 0])

    def test_a_configuration_file_lists_them_and_the_command_line_wins(self):
        entries = [{'user': 'ann', 'url': '127.0.0.1:%d' % self.a}, {'url': '127.0.0.1:%d' % self.b, 'user': 'bob', 'pass': 'y', 'quota': 2}]
        with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
            json.dump({'pools': entries, 'failover-after': 1}, file)
            file.flush()
            self.pool(self.b, 'bob')
            self.mine('-c', file.name)
            self.accepted_at(self.b)
            self.assertEqual([p['url'] for p in self.miner.summary()['pools']], [e['url'] for e in entries])
            self.mine('-c', file.name, '-o', '127.0.0.1:%d' % self.b, '-u', 'bob')
            self.accepted_at(self.b)
            self.assertEqual([p['url'] for p in self.miner.summary()['pools']], [entries[1]['url']])


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

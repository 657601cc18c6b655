#!/usr/bin/env python3
"""
Several FPGA cards and the CPU on one job, behind the system calls of real cards (fpga/sim/shim.c): nothing is searched
twice, and what fails costs its own share of the work and no more. What one card may do wrong is in check_cards.py.

TOGETHER_S is how long they mine together at least, seconds: a few in `make check`, 300 in `make check-slow`.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from check_cards import EASY, KINDS, PATIENCE, SRCDIR, Machine
from processes import ADIT, Pool

TOGETHER_S = float(os.environ.get('TOGETHER_S', '0'))
SHARES = 100        # and so many at least


class TwoCards(Machine):
    """A ring of 32, of which a job takes a moment, and one of 4, of which it takes eight times as long."""

    def __init__(self):
        super().__init__('uio')
        subprocess.run(['sh', os.path.join(SRCDIR, 'fpga/sim/mkroot'), self.root, '32', '4'], check=True)
        self.args = ['--fpga', 'uio:adit-miner', '--fpga', 'uio:adit-miner1', '--fpga-root', self.root]

    def fault_of(self, card, fault):
        with open(self.faults + '.new', 'w') as file:
            file.write('%d %s\n' % (card, fault))
        os.rename(self.faults + '.new', self.faults)


# a slow kernel, so that the cards' work is not lost in the thread's
ONE_THREAD = ['-t', '1', '--cpu', '-sha,-avx2,-sse2']


@unittest.skipUnless('uio' in KINDS, 'wants the shim, which is of x86-64')
class Together(unittest.TestCase):
    def test_two_cards_and_the_cpu_on_one_job_repeat_nothing(self):
        # one job of plain stratum: 2^32 nonces of each extranonce2, handed out to all three
        with TwoCards() as machine, Pool('--difficulty', EASY, '--job-interval', '86400') as pool:
            with machine.mine(pool, *ONE_THREAD) as miner:
                lines = miner.wait_for('known answers found', 2, patience=PATIENCE)
                end = time.monotonic() + TOGETHER_S
                miner.wait_for('share accepted', SHARES, since=lines, patience=PATIENCE)
                while time.monotonic() < end:
                    self.assertIsNone(miner.run.poll())
                    time.sleep(min(1, max(0, end - time.monotonic())))
                mine = miner.summary()
            theirs = pool.stop()
        self.assertEqual((theirs['rejected'], theirs['duplicates'], theirs['jobs']), (0, 0, 1), theirs)
        self.assertGreaterEqual(theirs['accepted'], SHARES)
        self.assertEqual(len(mine['cards']), 2)
        for card in mine['cards']:
            self.assertGreater(card['hits'], 0)
            self.assertEqual((card['hw_errors'], card['duplicates'], card['failures']), (0, 0, 0))
        of_cards = sum(card['hashes'] for card in mine['cards'])
        self.assertGreater(mine['hashes'], of_cards)
        if TOGETHER_S:
            print('%.0f s: %d shares accepted, none rejected, none twice; %.1f MH by two cards, %.1f MH by a thread' % (
                mine['seconds'], theirs['accepted'], of_cards / 1e6, (mine['hashes'] - of_cards) / 1e6))

    def test_one_card_that_fails_leaves_the_other_alone_and_its_work_is_done(self):
        with TwoCards() as machine, Pool('--difficulty', EASY, '--job-interval', '86400') as pool:
            with machine.mine(pool, '--backend', 'fpga') as miner:
                lines = miner.wait_for('share accepted', 5, patience=PATIENCE)
                machine.fault_of(1, 'unplug')
                lines = miner.wait_for('card uio:adit-miner1: switched off', since=lines, patience=PATIENCE)
                lines = miner.wait_for('share accepted', 10, since=lines, patience=PATIENCE)
                machine.fault()
                lines = miner.wait_for('card uio:adit-miner1: works again', since=lines, patience=PATIENCE)
                miner.wait_for('share accepted', 5, since=lines, patience=PATIENCE)
                mine = miner.summary()
            theirs = pool.stop()
        self.assertEqual((theirs['rejected'], theirs['duplicates']), (0, 0), theirs)
        self.assertEqual([card['failures'] for card in mine['cards']], [0, 1])
        self.assertTrue(all(card['on'] for card in mine['cards']))

    def test_the_errors_of_one_card_are_not_the_others(self):
        for fault, counter in ('wrong-nonce', 'hw_errors'), ('bit-flip', 'hw_errors'), ('repeated-nonce', 'duplicates'):
            with self.subTest(fault), TwoCards() as machine, Pool('--difficulty', EASY, '--job-interval', '86400') as pool:
                machine.fault()
                with machine.mine(pool, '--backend', 'fpga') as miner:
                    lines = miner.wait_for('share accepted', 2, patience=PATIENCE)
                    machine.fault_of(0, fault)
                    end = time.monotonic() + PATIENCE
                    while not machine.happened(fault):
                        self.assertLess(time.monotonic(), end, 'the fault never happened')
                        time.sleep(0.05)
                    miner.wait_for('share accepted', 10, since=lines, patience=PATIENCE)
                    mine = miner.summary()
                theirs = pool.stop()
                self.assertEqual((theirs['rejected'], theirs['duplicates']), (0, 0), theirs)
                self.assertGreater(mine['cards'][0][counter], 0)
                self.assertEqual((mine['cards'][1]['hw_errors'], mine['cards'][1]['duplicates']), (0, 0))

    def test_a_design_is_not_loaded_anew_under_a_card_that_works(self):
        with TwoCards() as machine, Pool('--difficulty', EASY, '--job-interval', '86400') as pool:
            with machine.mine(pool, '--backend', 'fpga', *machine.design()) as miner:
                lines = miner.wait_for('share accepted', 2, patience=PATIENCE)
                machine.fault_of(1, 'unplug')
                lines = miner.wait_for('card uio:adit-miner1: switched off', since=lines, patience=PATIENCE)
                machine.fault()
                lines = miner.wait_for('card uio:adit-miner1: works again', since=lines, patience=PATIENCE)
                miner.wait_for('share accepted', 2, since=lines, patience=PATIENCE)
                mine = miner.summary()
            theirs = pool.stop()
        self.assertEqual(miner.text().count('loaded for sha256d'), 1)
        self.assertEqual(theirs['rejected'], 0, theirs)
        self.assertEqual([card['failures'] for card in mine['cards']], [0, 1])


class Simulation(unittest.TestCase):
    def test_a_program_without_the_simulation_says_what_to_install(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = os.path.join(folder, 'adit')
            shutil.copy(ADIT, alone)
            env = {key: value for key, value in os.environ.items() if key != 'ADIT_FPGA_SIM'}
            done = subprocess.run([alone, '--self-test', '--backend', 'fpga', '--fpga', 'sim'], capture_output=True,
                                  text=True, env=env)
        if done.returncode == 0:
            self.skipTest('a simulation is installed, too')
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, 'fpga sim: .*verilator and g\\+\\+')
        self.assertEqual(done.stderr.count('error: fpga sim'), 1)

    def test_a_simulation_named_in_the_environment_is_the_one_that_is_used(self):
        done = subprocess.run([ADIT, '--self-test', '--backend', 'fpga', '--fpga', 'sim'], capture_output=True, text=True,
                              env=dict(os.environ, ADIT_FPGA_SIM='/nowhere/simulation.so'))
        self.assertEqual(done.returncode, 1)
        self.assertIn('$ADIT_FPGA_SIM: /nowhere/simulation.so', done.stderr)


if __name__ == '__main__':
    if not KINDS:
        print('check_cards_together: skipped: the simulated cards are not built; install verilator and g++, and configure again')
        sys.exit(77)
    unittest.main()

#!/usr/bin/env python3
"""
lyra2rev2 with its CubeHash stages at a card, from end to end on devpool: the card's RTL simulated within the process (sim),
and behind the system calls of a real card (uio: the shim).
"""
import json
import subprocess
import sys
import time
import unittest

from check_cards import FAULTY, KINDS, Machine
from processes import ADIT, PATIENCE, Miner, Pool

EASY = '0.00003'        # a share in some 500 hashes: what the simulation needs a moment for
LONG = 4 * PATIENCE


class CubeHash(Machine):
    """A machine with a card of CubeHash cores."""

    def __init__(self, kind):
        super().__init__(kind, 'cubehash256,14')
        uio = ['--fpga', 'uio:adit-offload,dma=adit-dma,buf=udmabuf0', '--fpga-root', self.root]
        self.name, self.args = ('sim', ['--fpga', 'sim']) if kind == 'sim' else ('uio:adit-offload', uio)
        self.args = ['-a', 'lyra2rev2', *self.args]


class Mining(unittest.TestCase):
    def ended_well(self, mine, theirs):
        self.assertEqual(theirs['reasons'].get('duplicate', 0), 0, theirs)
        self.assertEqual((mine['hw_errors'], theirs['reasons'].get('high_hash', 0)), (0, 0))
        card, = mine['cards']
        return card

    def test_a_card_mines_shares_that_the_pool_accepts(self):
        for kind in KINDS:
            with self.subTest(kind), CubeHash(kind) as machine, Pool('--difficulty', EASY, algo='lyra2rev2') as pool:
                with machine.mine(pool, '--backend', 'fpga-dma') as miner:
                    miner.wait_for('share accepted', 3, patience=LONG)
                    mine = miner.summary()
                theirs = pool.stop()
                card = self.ended_well(mine, theirs)
                self.assertEqual((mine['backend'], mine['threads']), ('fpga-dma', 0))
                self.assertEqual((card['card'], card['on']), (machine.name, True))
                self.assertEqual((card['hashes'], theirs['rejected']), (mine['hashes'], 0))
                self.assertTrue(0 < card['device_busy'] <= 1.01 and 0 < card['cpu_busy'] <= 1.01, card)
                self.assertIn('card %s: cubehash256, 4 cores, 192 clocks a hash\n' % machine.name, miner.text())

    def test_a_card_that_fails_is_switched_off_and_the_cpu_mines_on(self):
        for fault in 'unplug', 'dma-error':
            with self.subTest(fault), CubeHash(FAULTY) as machine, Pool('--difficulty', '0.0005', algo='lyra2rev2') as pool:
                with machine.mine(pool, '-t', '1') as miner:
                    lines = miner.wait_for('cubehash256 proved', patience=LONG)
                    lines = miner.wait_for('share accepted', 2, since=lines, patience=LONG)
                    machine.fault(fault)
                    off = 'card %s: switched off, what it did not search goes to others' % machine.name
                    lines = miner.wait_for(off, patience=LONG)
                    miner.wait_for('share accepted', 5, since=lines, patience=LONG)
                    mine = miner.summary()
                card = self.ended_well(mine, pool.stop())
                self.assertEqual((mine['threads'], card['on']), (1, False))
                self.assertTrue(machine.happened(fault))

    @unittest.skipUnless(FAULTY == 'uio', 'wants the shim')
    def test_a_design_is_loaded_before_its_card_is_used_and_a_damaged_one_is_not(self):
        for damaged, text in (False, 'cubehash256 proved'), (True, 'miner.bin: it is damaged'):
            with self.subTest(text), CubeHash('uio') as machine, Pool('--difficulty', '0.0005', algo='lyra2rev2') as pool:
                _, design = machine.design(damaged)
                with machine.mine(pool, '-t', '1', '--fpga-bitstream', design.replace('sha256d', 'lyra2rev2')) as miner:
                    lines = miner.wait_for(text, patience=LONG)
                    miner.wait_for('share accepted', since=lines, patience=LONG)
                    self.assertEqual(len(miner.summary()['cards']), not damaged)
                    self.assertEqual('miner.bin: loaded for lyra2rev2' in miner.text(), not damaged)

    def test_without_another_the_run_ends_with_the_card(self):
        with CubeHash(FAULTY) as machine, Pool('--difficulty', EASY, algo='lyra2rev2') as pool:
            machine.fault('unplug')
            with machine.mine(pool, '--backend', 'fpga-dma') as miner:
                self.assertEqual(miner.run.wait(LONG), 1)
                miner.stop()
                self.assertIn('backend fpga-dma: no thread is left', miner.text())


class Inspection(unittest.TestCase):
    def test_the_self_test_and_the_list_have_the_card(self):
        for kind in KINDS:
            with self.subTest(kind), CubeHash(kind) as machine:
                line = 'lyra2rev2 fpga-dma %s: ok (cubehash256)\n' % machine.name
                if kind == KINDS[0]:        # once, as it has all backends of the CPU, too
                    self.assertIn(line, machine.run('--self-test').stdout)
                self.assertEqual(machine.run('--self-test', '--backend', 'fpga-dma').stdout, line)
                rows = [row for row in json.loads(machine.run('--list', '--json').stdout) if row.get('card') == machine.name]
                self.assertEqual([(row['backend'], row['lanes'], row['supported']) for row in rows], [('fpga-dma', 4, True)])

    def test_a_simulated_card_is_whatever_is_asked_for(self):
        with CubeHash('sim') as machine:
            machine.args = ['--fpga', 'sim']
            out = machine.run('--self-test', '--backend', 'fpga-dma').stdout
            self.assertIn('sha256d fpga-dma sim:16: ok', out)
            self.assertIn('lyra2rev2 fpga-dma sim: ok', out)

    def test_the_benchmark_says_how_busy_both_sides_are(self):
        with CubeHash('sim') as machine:
            args = '--benchmark', '--backend', 'fpga-dma', '--time-limit', '1'
            result, = json.loads(machine.run(*args, '--json').stdout)['results']
            self.assertEqual((result['algo'], result['backend']), ('lyra2rev2', 'fpga-dma'))
            self.assertGreater(result['hashes'], 0)
            card, = result['cards']
            self.assertEqual(card['hw_errors'], 0)
            self.assertTrue(0 < card['device_busy'] <= 1.01 and 0 < card['cpu_busy'] <= 1.01, card)
            self.assertRegex(machine.run(*args).stdout, r'card sim: .*; cubehash256 at the card, busy \d+ %, its thread \d+ %\n')

    def test_another_card_and_another_use_are_refused(self):
        with Machine(FAULTY) as miner:
            if FAULTY == 'uio':
                done = miner.run('--self-test', '-a', 'lyra2rev2', '--backend', 'fpga-dma', check=False)
                self.assertEqual(done.returncode, 1)
                self.assertIn('lyra2rev2 fpga-dma uio:adit-miner: FAILED', done.stdout)
            done = miner.run('--self-test', '-a', 'lyra2rev2', '--backend', 'fpga', check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn('no card searches lyra2rev2', done.stderr)


if __name__ == '__main__':
    if not KINDS:
        print('check_lent_card: skipped: the simulated card is not built; install verilator and g++, and configure again')
        sys.exit(77)
    unittest.main()

#!/usr/bin/env python3
"""
lyra2rev2 with its CubeHash stages at a card, from end to end on devpool: the card's RTL simulated within the process (sim),
and behind the system calls of a real card (uio: the shim).
"""
import hashlib
import json
import sys
import time
import unittest

from check_cards import FAULTY, KINDS, Machine
from processes import PATIENCE, Pool
from tries import holds_once

EASY = '0.00003'        # a share in some 500 hashes: what the simulation needs a moment for
LONG = 4 * PATIENCE


class CubeHash(Machine):
    """A machine with a card of CubeHash cores."""

    def __init__(self, kind, card='cubehash256,14'):
        super().__init__(kind, card)
        device = 'uio:adit-offload' if card.startswith('cubehash256') else 'uio:adit-miner'
        uio = ['--fpga', device + ',dma=adit-dma,buf=udmabuf0', '--fpga-root', self.root]
        self.name, self.args = ('sim', ['--fpga', 'sim']) if kind == 'sim' else (device, uio)
        self.args = ['-a', 'lyra2rev2', *self.args]

    def designs(self, **designs):
        """Files to load, which make that of the card, and the options."""
        self.design()
        args = []
        for algo, design in designs.items():
            text = 'design %s\n' % design
            path = self.write(algo + '.bin', text)
            self.write(algo + '.bin.sha256', hashlib.sha256(text.encode()).hexdigest())
            args += ['--fpga-bitstream', '%s=%s' % (algo, path)]
        return args


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
        with CubeHash(FAULTY) as machine, Pool('--difficulty', '0.0005', algo='lyra2rev2') as pool:
            with machine.mine(pool, '-t', '1') as miner:
                lines = miner.wait_for('cubehash256 proved', patience=LONG)
                lines = miner.wait_for('share accepted', 2, since=lines, patience=LONG)
                machine.fault('unplug')
                off = 'card %s: switched off; its work goes to others, and it is tried again in 1 s' % machine.name
                since = miner.wait_for(off, since=lines, patience=LONG)
                miner.wait_for('share accepted', 5, since=since, patience=LONG)
                miner.wait_for('card %s: still off, tried again in 2 s' % machine.name, since=lines, patience=LONG)
                mine = miner.summary()
            card = self.ended_well(mine, pool.stop())
            self.assertEqual((mine['threads'], card['on'], card['failures']), (1, False, 1))
            self.assertTrue(machine.happened('unplug'))

    @holds_once
    def test_a_signal_does_not_wait_for_a_card_that_is_silent(self):
        """For 10 s, after which it would say so."""
        with CubeHash(FAULTY) as machine, Pool('--difficulty', EASY, algo='lyra2rev2') as pool:
            with machine.mine(pool, '--backend', 'fpga-dma') as miner:
                miner.wait_for('share accepted', patience=LONG)
                machine.fault('stall')
                while not machine.happened('stall'):
                    time.sleep(0.01)
                mine = miner.summary()
                self.assertNotIn('is not done in time', miner.text())
                self.assertNotIn('switched off', miner.text())      # it was not asked, and so it has not failed
                self.assertEqual([(card['on'], card['failures']) for card in mine['cards']], [(True, 0)])

    def test_a_card_alone_that_fails_comes_back_and_goes_on(self):
        for fault in 'unplug', 'dma-error':
            with self.subTest(fault), CubeHash(FAULTY) as machine, Pool('--difficulty', EASY, algo='lyra2rev2') as pool:
                with machine.mine(pool, '--backend', 'fpga-dma') as miner:
                    lines = miner.wait_for('share accepted', 2, patience=LONG)
                    machine.fault(fault)
                    off = 'card %s: switched off; its work goes to others' % machine.name
                    lines = miner.wait_for(off, since=lines, patience=LONG)
                    lines = miner.wait_for('still off, tried again in', since=lines, patience=LONG)
                    machine.fault()
                    lines = miner.wait_for('card %s: works again' % machine.name, since=lines, patience=LONG)
                    miner.wait_for('share accepted', 3, since=lines, patience=LONG)      # there is none but the card
                    mine = miner.summary()
                card = self.ended_well(mine, pool.stop())
                self.assertEqual((card['on'], card['failures']), (True, 1))
                self.assertTrue(machine.happened(fault))

    def test_a_card_that_is_silent_at_start_is_tried_again(self):
        with CubeHash(FAULTY) as machine, Pool('--difficulty', '0.0005', algo='lyra2rev2') as pool:
            machine.fault('no-answer')
            with machine.mine(pool, '-t', '1') as miner:
                lines = miner.wait_for('card %s: off, tried again in 1 s' % machine.name, patience=LONG)
                miner.wait_for('share accepted', since=lines, patience=LONG)
                machine.fault()
                miner.wait_for('card %s: works again' % machine.name, since=lines, patience=LONG)
                mine = miner.summary()
            card = self.ended_well(mine, pool.stop())
            self.assertEqual((card['on'], card['failures']), (True, 0))

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

    @unittest.skipUnless(FAULTY == 'uio', 'wants the shim')
    def test_a_card_that_lost_its_design_has_it_loaded_again(self):
        with CubeHash('uio', '16,14') as machine, Pool('--difficulty', EASY, algo='lyra2rev2') as pool:
            design = machine.designs(lyra2rev2='cubehash256')
            with machine.mine(pool, '--backend', 'fpga-dma', *design) as miner:
                lines = miner.wait_for('share accepted', patience=LONG)
                machine.fault('unplug')
                lines = miner.wait_for('switched off', since=lines, patience=LONG)
                machine.write('sys/class/fpga_manager/fpga0/firmware', '')      # the miner is behind its devices again
                machine.fault()
                miner.wait_for('lyra2rev2.bin: loaded for lyra2rev2', since=lines, patience=LONG)
                lines = miner.wait_for('works again', since=lines, patience=LONG)
                miner.wait_for('share accepted', since=lines, patience=LONG)
                mine = miner.summary()
            self.assertEqual(self.ended_well(mine, pool.stop())['failures'], 1)

    def test_the_run_ends_at_once_when_no_card_works(self):
        with CubeHash(FAULTY) as machine, Pool('--difficulty', EASY, algo='lyra2rev2') as pool:
            machine.fault('unplug')
            with machine.mine(pool, '--backend', 'fpga-dma') as miner:
                self.assertEqual(miner.run.wait(LONG), 1)
                miner.stop()
                self.assertIn('backend fpga-dma: no card works', miner.text())

    @unittest.skipUnless(FAULTY == 'uio', 'wants the shim')
    def test_another_core_is_not_tried_again(self):
        with CubeHash('uio', '16,14') as machine, Pool('--difficulty', '0.0005', algo='lyra2rev2') as pool:
            with machine.mine(pool, '-t', '1', *machine.designs(lyra2rev2='16')) as miner:
                lines = miner.wait_for('card %s: given up' % machine.name, patience=LONG)
                self.assertIn('this is a miner, and no offload core', miner.text())
                self.assertIn('lyra2rev2.bin: with it card %s is not one for lyra2rev2\n' % machine.name, miner.text())
                miner.wait_for('share accepted', since=lines, patience=LONG)
                mine = miner.summary()
            self.assertFalse(self.ended_well(mine, pool.stop())['on'])


@unittest.skipUnless(FAULTY == 'uio', 'wants the shim')
class Designs(unittest.TestCase):
    """One FPGA and two designs: what loads them, and in which order, is the log's to say."""

    def loads(self, text):
        self.assertNotIn('the last line', text)     # which would stand for more of them
        return [line.rsplit(' ', 1)[1] for line in text.splitlines() if ': loaded for ' in line]

    def test_the_self_test_loads_each_algorithms_design_once(self):
        with CubeHash('uio', '16,14') as machine:
            machine.args = machine.args[2:] + machine.designs(sha256d='16', lyra2rev2='cubehash256')
            done = machine.run('--self-test', '--cpu', '-avx512,-avx2,-sse2,-sha')
            self.assertEqual(self.loads(done.stderr), ['sha256d', 'lyra2rev2'])
            found = [line.split(' (')[0] for line in done.stdout.splitlines() if 'fpga' in line]
            self.assertEqual(found, [line % machine.name for line in (
                'sha256d fpga %s: ok', 'sha256d fpga-dma %s: ok', 'lyra2rev2 fpga-dma %s: ok')])

    def test_the_benchmark_and_the_list_do_too(self):
        with CubeHash('uio', '16,14') as machine:
            machine.args = machine.args[2:] + machine.designs(sha256d='16', lyra2rev2='cubehash256')
            for args, rows in (('--benchmark', '-a', 'all', '--backend', 'fpga-dma', '--time-limit', '1'), 'results'), (('--list',), None):
                with self.subTest(args):
                    done = machine.run(*args, '--json')
                    self.assertEqual(self.loads(done.stderr), ['sha256d', 'lyra2rev2'])
                    found = json.loads(done.stdout)
                    algos = [row['algo'] for row in (found[rows] if rows else found) if rows or row.get('card') == machine.name]
                    self.assertEqual(algos, ['sha256d', 'lyra2rev2'])

    def test_a_card_on_a_board_is_for_the_designs_that_were_named(self):
        with CubeHash('uio', '16,14') as machine:
            args = machine.args[2:]
            for designs, algos in (dict(lyra2rev2='cubehash256'), ['lyra2rev2']), ({}, ['sha256d']):
                with self.subTest(designs):
                    machine.args = args + (machine.designs(**designs) if designs else [])
                    if not designs:
                        machine.write('sys/class/fpga_manager/fpga0/firmware', '')
                    out = machine.run('--self-test', '--backend', 'fpga-dma').stdout
                    self.assertEqual([line.split()[0] for line in out.splitlines()], algos)


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

#!/usr/bin/env python3
"""
FPGA cards from end to end: the real program mines on devpool with its own RTL, simulated within the process (sim), and
behind the system calls of a real card (uio: the shim), where whatever can go wrong with a card does.
"""
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from processes import ADIT, Miner, Pool

SRCDIR = os.environ.get('srcdir', '.')
HERE = os.path.dirname(os.path.abspath(ADIT))
SIM = os.path.join(HERE, 'libadit-fpga-sim.so')
SHIM = os.path.join(HERE, 'libadit-fpga-shim.so')
EASY = '0.000005'   # a share in some 20,000 hashes
PATIENCE = 120


class Machine:
    """A folder with a simulated card in it, and the miner's options and environment to reach it."""

    def __init__(self, kind, card='16,14'):
        self.root, self.kind = tempfile.mkdtemp(), kind
        self.faults = os.path.join(self.root, 'faults')
        if kind == 'sim':
            self.name, self.args = 'sim:16', ['--fpga', 'sim:16']
            self.env = {'ADIT_FPGA_FAULTS': self.faults}
            return
        subprocess.run(['sh', os.path.join(SRCDIR, 'fpga/sim/mkroot'), self.root, card], check=True)
        self.name = 'uio:adit-miner'
        self.args = ['--fpga', 'uio:adit-miner,dma=adit-dma,buf=udmabuf0', '--fpga-root', self.root]
        asan = os.environ.get('ASAN_OPTIONS', '')
        self.env = {'ADIT_FPGA_ROOT': self.root, 'LD_PRELOAD': SHIM,
                    'ASAN_OPTIONS': asan + (':' if asan else '') + 'verify_asan_link_order=0'}

    def __enter__(self):
        return self

    def __exit__(self, *error):
        shutil.rmtree(self.root)

    def fault(self, *lines):
        with open(self.faults + '.new', 'w') as file:
            file.writelines('0 %s\n' % line for line in lines)
        os.rename(self.faults + '.new', self.faults)

    def happened(self, fault):
        if fault == 'no-irqcontrol':    # a property, which does not happen
            return True
        try:
            with open(self.faults + '.log') as file:
                return ('0 ' + fault) in file.read()
        except FileNotFoundError:
            return False

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w') as file:
            file.write(text)
        return path

    def read(self, name):
        with open(os.path.join(self.root, name)) as file:
            return file.read()

    def design(self, damaged=False):
        """A file to load, below the root the kernel's FPGA manager for it, and the option."""
        for attribute, text in ('flags', ''), ('firmware', ''), ('state', 'operating\n'):
            self.write('sys/class/fpga_manager/fpga0/' + attribute, text)
        os.makedirs(os.path.join(self.root, 'lib/firmware'), exist_ok=True)
        path = self.write('miner.bin', 'bits of b design' if damaged else 'bits of a design')
        self.write('miner.bin.sha256', hashlib.sha256(b'bits of a design').hexdigest() + '  miner.bin\n')
        return ['--fpga-bitstream', 'sha256d=' + path]

    def mine(self, pool, *args):
        return Miner('-o', 'stratum+tcp://127.0.0.1:%d' % pool.port, '-u', 'demo', '--json', *self.args, *args, env=self.env)

    def run(self, *args, check=True):
        done = subprocess.run([ADIT, *args, *self.args], capture_output=True, text=True, env=dict(os.environ, **self.env))
        if check and done.returncode:
            raise AssertionError('%d: %s %s' % (done.returncode, done.stdout, done.stderr))
        return done


# those that this build has
KINDS = [kind for kind, library in (('sim', SIM), ('uio', SHIM)) if os.path.exists(library)]
FAULTY = KINDS[-1] if KINDS else None   # on the whole driver, where it can be had


class Cards(unittest.TestCase):
    def ended_well(self, mine, theirs):
        """No share that the pool did not want, but for those that crossed a new job on the wire."""
        wrong = {reason for reason, times in theirs['reasons'].items() if times}
        self.assertEqual(wrong - {'unknown_job', 'stale_job'}, set(), theirs)
        self.assertGreater(theirs['accepted'], 0)
        return mine['cards'][0]

    def test_a_card_alone_mines_shares_that_the_pool_accepts(self):
        for kind in KINDS:
            with self.subTest(kind), Machine(kind) as machine, Pool('--difficulty', EASY, '--job-interval', '2') as pool:
                with machine.mine(pool, '--backend', 'fpga') as miner:
                    miner.wait_for('share accepted', 20, patience=PATIENCE)
                    mine = miner.summary()
                card = self.ended_well(mine, pool.stop())
                self.assertEqual((mine['backend'], mine['threads'], card['card'], card['on']), ('fpga', 0, machine.name, True))
                self.assertGreaterEqual(card['hits'], 20)
                self.assertEqual((card['hw_errors'], card['duplicates'], card['failures']), (0, 0, 0))
                self.assertEqual(card['clocks_per_hash'], 8)
                self.assertGreater(card['clock_mhz'], 0)
                self.assertTrue(any('card %s: ' % machine.name in line and 'hardware errors 0' in line for line in miner.log))

    def test_two_cards_and_the_cpu_mine_together_and_repeat_nothing(self):
        with Machine('sim') as machine, Pool('--difficulty', EASY, '--version-mask', '1fffe000') as pool:
            with machine.mine(pool, '--fpga', 'sim:64', '-t', '1', '--cpu', '-sha,-avx2,-sse2') as miner:
                lines = miner.wait_for('known answers found', 2, patience=PATIENCE)
                miner.wait_for('share accepted', 200, since=lines, patience=PATIENCE)
                mine = miner.summary()
            theirs = pool.stop()
            self.ended_well(mine, theirs)
            self.assertEqual(theirs['reasons']['duplicate'], 0)
            self.assertEqual(mine['threads'], 1)
            self.assertEqual(len(mine['cards']), 2)
            for card in mine['cards']:
                self.assertGreater(card['hashes'], 0)
                self.assertEqual(card['hw_errors'] + card['duplicates'], 0)
            self.assertGreater(mine['hashes'], sum(card['hashes'] for card in mine['cards']))

    def mine_with(self, fault, until, counter, clear, *args):
        """
        A card that mines, then has a fault: wait until the log says `until` (None: until the fault has happened and
        more shares were accepted), then take it away if `clear`. The counter named has risen, and mining goes on.
        """
        with Machine(FAULTY) as machine, Pool('--difficulty', EASY, '--job-interval', '3') as pool:
            with machine.mine(pool, *args) as miner:
                miner.wait_for('known answers found', patience=PATIENCE)
                lines = miner.wait_for('share accepted', 2, patience=PATIENCE)
                machine.fault(fault)
                if until:
                    lines = miner.wait_for(until, since=lines, patience=PATIENCE)
                if clear:
                    machine.fault()
                    if clear != True:
                        lines = miner.wait_for(clear, since=lines, patience=PATIENCE)
                lines = miner.wait_for('share accepted', 3, since=lines, patience=PATIENCE)
                end = time.monotonic() + PATIENCE
                while not machine.happened(fault):
                    self.assertLess(time.monotonic(), end, 'the fault never happened')
                    lines = miner.wait_for('share accepted', 1, since=lines, patience=PATIENCE)
                mine = miner.summary()
            card = self.ended_well(mine, pool.stop())
            if counter:
                self.assertGreater(card[counter], 0, card)
            return card

    def test_interrupts_that_are_lost_cost_nothing(self):
        card = self.mine_with('lost-interrupt', None, 'lost_interrupts', False, '--backend', 'fpga')
        self.assertEqual(card['failures'], 0)

    def test_an_interrupt_that_is_stuck_is_done_without(self):
        card = self.mine_with('stuck-interrupt', 'its interrupt is stuck', None, False, '--backend', 'fpga')
        self.assertEqual(card['failures'], 0)

    def test_a_driver_of_the_kernel_without_interrupt_control_will_do(self):
        if FAULTY != 'uio':
            self.skipTest('wants the shim')
        card = self.mine_with('no-irqcontrol', None, None, False, '--backend', 'fpga')
        self.assertEqual(card['failures'], 0)

    def test_a_wrong_nonce_is_a_hardware_error_and_no_share(self):
        self.mine_with('wrong-nonce', 'switched off', 'hw_errors', True, '-t', '1')

    def test_a_flipped_bit_is_a_hardware_error_and_no_share(self):
        self.mine_with('bit-flip', 'switched off', 'hw_errors', True, '-t', '1')

    def test_a_repeated_nonce_is_counted_and_not_sent_again(self):
        self.mine_with('repeated-nonce', None, 'duplicates', False, '--backend', 'fpga')

    def test_a_card_that_does_not_answer_is_switched_off_and_comes_back(self):
        for fault in 'no-answer', 'hang', 'unplug':
            with self.subTest(fault):
                self.mine_with(fault, 'switched off', 'failures', 'works again', '-t', '1')

    def test_the_cpu_mines_on_without_the_card(self):
        with Machine(FAULTY) as machine, Pool('--difficulty', EASY) as pool:
            with machine.mine(pool, '-t', '1') as miner:
                miner.wait_for('known answers found', patience=PATIENCE)
                miner.wait_for('share accepted', 1, patience=PATIENCE)
                machine.fault('unplug')
                lines = miner.wait_for('switched off', patience=PATIENCE)
                miner.wait_for('share accepted', 10, since=lines, patience=PATIENCE)
                mine = miner.summary()
            card = self.ended_well(mine, pool.stop())
            self.assertFalse(card['on'])

    def test_what_cannot_be_used_at_the_start_is_named_and_the_cpu_mines(self):
        for args, text in ((['--fpga', 'uio:none'], 'fpga none: no device under'),
                           (['--fpga', 'sim:16', '--fpga-bitstream', 'sha256d=/nowhere/x.bin'], '/nowhere/x.bin')):
            with self.subTest(args), Pool('--difficulty', EASY) as pool:
                with Miner('-o', 'stratum+tcp://127.0.0.1:%d' % pool.port, '-u', 'demo', '-t', '1', '--json', *args) as miner:
                    miner.wait_for(text)
                    miner.wait_for('share accepted', 1, patience=PATIENCE)
                    miner.summary()
                done = subprocess.run([ADIT, '--backend', 'fpga', '-o', 'stratum+tcp://127.0.0.1:%d' % pool.port, *args],
                                      capture_output=True, text=True)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(text, done.stderr)

    @unittest.skipUnless(FAULTY == 'uio', 'wants the shim')
    def test_a_design_is_loaded_before_its_card_mines_and_again_when_the_card_comes_back(self):
        with Machine('uio') as machine, Pool('--difficulty', EASY) as pool:
            with machine.mine(pool, '--backend', 'fpga', *machine.design()) as miner:
                lines = miner.wait_for('miner.bin: loaded for sha256d')
                lines = miner.wait_for('share accepted', 2, since=lines, patience=PATIENCE)
                self.assertEqual(machine.read('sys/class/fpga_manager/fpga0/firmware'), 'miner.bin')
                self.assertEqual(machine.read('lib/firmware/miner.bin'), 'bits of a design')
                machine.write('sys/class/fpga_manager/fpga0/firmware', '')
                machine.fault('unplug')
                lines = miner.wait_for('switched off', since=lines, patience=PATIENCE)
                lines = miner.wait_for('miner.bin: loaded for sha256d', since=lines, patience=PATIENCE)
                machine.fault()
                lines = miner.wait_for('works again', since=lines, patience=PATIENCE)
                miner.wait_for('share accepted', 2, since=lines, patience=PATIENCE)
                self.assertEqual(machine.read('sys/class/fpga_manager/fpga0/firmware'), 'miner.bin')
                mine = miner.summary()
            self.ended_well(mine, pool.stop())

    @unittest.skipUnless(FAULTY == 'uio', 'wants the shim')
    def test_a_damaged_design_is_refused_by_name_and_the_cpu_mines(self):
        with Machine('uio') as machine, Pool('--difficulty', EASY) as pool:
            with machine.mine(pool, '-t', '1', *machine.design(damaged=True)) as miner:
                miner.wait_for('miner.bin: it is damaged')
                miner.wait_for('share accepted', 1, patience=PATIENCE)
                mine = miner.summary()
            self.assertEqual(mine['cards'], [])
            self.assertEqual(machine.read('sys/class/fpga_manager/fpga0/firmware'), '')
            self.assertFalse(os.path.exists(os.path.join(machine.root, 'lib/firmware/miner.bin')))

    @unittest.skipUnless(FAULTY == 'uio', 'wants the shim')
    def test_a_card_that_is_silent_at_the_start_is_tried_again_on_its_design(self):
        with Machine('uio') as machine, Pool('--difficulty', EASY) as pool:
            machine.fault('no-answer')
            with machine.mine(pool, '-t', '1', *machine.design()) as miner:
                lines = miner.wait_for('card uio:adit-miner: off, tried again', patience=PATIENCE)
                miner.wait_for('share accepted', 1, patience=PATIENCE)
                machine.fault()
                again = miner.wait_for('card uio:adit-miner: works again', since=lines, patience=PATIENCE)
                miner.wait_for('miner.bin: loaded for sha256d', since=lines)
                miner.wait_for('share accepted', 2, since=again, patience=PATIENCE)
                mine = miner.summary()
            self.assertTrue(self.ended_well(mine, pool.stop())['on'])

    @unittest.skipUnless(FAULTY == 'uio', 'wants the shim')
    def test_a_foreign_design_is_refused_by_name_and_the_cpu_mines(self):
        with Machine('uio') as machine, Pool('--difficulty', EASY) as pool:
            for name, text in ('name', 'adit-foreign'), ('maps/map0/addr', '0x43c70000'), ('maps/map0/size', '0x10000'):
                machine.write('sys/class/uio/uio7/' + name, text + '\n')
            machine.write('dev/uio7', 'x' * 0x10000)     # registers of something else
            machine.args, machine.env = ['--fpga', 'uio:adit-foreign', '--fpga-root', machine.root], {}
            args = machine.design()
            with machine.mine(pool, '-t', '1', *args) as miner:
                miner.wait_for('miner.bin: with it card uio:adit-foreign is not one for sha256d')
                miner.wait_for('card uio:adit-foreign: given up')
                miner.wait_for('share accepted', 1, patience=PATIENCE)
                self.assertFalse(self.ended_well(miner.summary(), pool.stop())['on'])
            done = machine.run('--backend', 'fpga', '-o', 'stratum+tcp://127.0.0.1:1', *args, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn('miner.bin: with it card uio:adit-foreign is not one for sha256d', done.stderr)

    @unittest.skipUnless(FAULTY == 'uio', 'wants the shim')
    def test_a_signal_that_comes_before_a_card_does_is_not_kept_waiting(self):
        def signalled():    # it is pending before the program's first instruction, so that no test of it is a race
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
            os.kill(os.getpid(), signal.SIGTERM)
        with Machine('uio') as machine:
            done = subprocess.run([ADIT, '--backend', 'fpga', '-o', 'stratum+tcp://127.0.0.1:1', '--json', '--fpga', 'uio:none',
                                   '--fpga-root', machine.root, *machine.design()],
                                  capture_output=True, text=True, preexec_fn=signalled)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn('no device', done.stderr)     # which is found out after seconds
            self.assertFalse(json.loads(done.stdout)['cards'][0]['on'])

    @unittest.skipUnless(FAULTY == 'uio', 'wants the shim')
    def test_the_boards_temperature_is_in_the_report(self):
        with Machine('uio') as machine, Pool('--difficulty', EASY) as pool:
            machine.write('sys/class/hwmon/hwmon0/temp1_input', '48500\n')
            with machine.mine(pool, '--backend', 'fpga') as miner:
                miner.wait_for('share accepted', 1, patience=PATIENCE)
                mine = miner.summary()
            self.assertEqual(mine['cards'][0]['temperature'], 48.5)
            self.assertIn(' MHz, 48.5 C; ', miner.text())

    def test_benchmarks_count_the_cards_own_clocks(self):
        for kind in KINDS:
            with self.subTest(kind), Machine(kind) as machine:
                search = json.loads(machine.run('--benchmark', '--backend', 'fpga', '--time-limit', '2', '--json').stdout)
                result = search['results'][0]
                self.assertEqual(result['backend'], 'fpga')
                self.assertGreaterEqual(result['cards'][0]['clocks_per_hash'], 8)
                # what a job takes to begin and to end is a part of it, and jobs are short where the machine is slow
                self.assertLess(result['cards'][0]['clocks_per_hash'], 12)
                stream = json.loads(machine.run('--benchmark', '--backend', 'fpga-dma', '--time-limit', '1', '--json').stdout)
                result = stream['results'][0]
                self.assertEqual((result['backend'], result['bytes_per_hash']), ('fpga-dma', 96))
                self.assertLess(result['clocks_per_hash'], 130 / 4 * 1.1)   # of four cores
                self.assertGreater(min(result['cpu_hashrate'].values()), 0)

    def test_the_self_test_and_the_list_have_the_card(self):
        for kind in KINDS:
            with self.subTest(kind), Machine(kind) as machine:
                out = machine.run('--self-test', '-a', 'sha256d').stdout
                self.assertIn('sha256d fpga %s: ok' % machine.name, out)
                self.assertIn('sha256d fpga-dma %s: ok' % machine.name, out)
                self.assertIn('sha256d scalar: ok', out)
                rows = json.loads(machine.run('--list', '--json').stdout)
                self.assertIn((machine.name, True), [(row.get('card'), row['supported']) for row in rows])

    def test_a_transfer_that_fails_is_an_error_and_no_digest(self):
        for fault, text in ('dma-error 1', 'DMA error'), ('short-transfer 1', 'where'):
            if FAULTY != 'uio':
                self.skipTest('wants the shim')
            with self.subTest(fault), Machine('uio') as machine:
                machine.fault(fault)
                done = machine.run('--self-test', '--backend', 'fpga-dma', check=False)
                self.assertEqual(done.returncode, 1)
                self.assertIn('fpga-dma uio:adit-miner: FAILED', done.stdout)
                self.assertIn(text, done.stderr)
                self.assertTrue(machine.happened(fault.split()[0]))
                machine.fault()
                machine.run('--self-test', '--backend', 'fpga-dma')

    def test_a_length_register_narrower_than_said_is_seen(self):
        if FAULTY != 'uio':
            self.skipTest('wants the shim')
        with Machine('uio', '16,12') as machine:
            done = machine.run('--self-test', '--backend', 'fpga-dma', check=False)     # says 14
            self.assertEqual(done.returncode, 1)
            machine.args[1] += ',length-bits=12'
            machine.run('--self-test', '--backend', 'fpga-dma')

    @unittest.skipUnless(FAULTY == 'uio', 'wants the shim')
    def test_a_buffer_may_lie_above_four_gigabytes(self):
        with Machine('uio') as machine:
            machine.write('sys/class/u-dma-buf/udmabuf0/phys_addr', '0x000000021f000000\n')
            machine.run('--self-test', '--backend', 'fpga-dma')

    def test_wrong_values_are_refused_in_one_sentence(self):
        for args in (['--fpga', 'pci:1'], ['--fpga', 'uio:'], ['--fpga', 'sim:7'], ['--fpga', 'uio:m,dma=d'],
                     ['--fpga', 'uio:m', '--fpga', 'uio:m'], ['--fpga', 'uio:m,dma=d,buf=b', '--fpga', 'uio:n,dma=d,buf=c'],
                     ['--fpga', 'uio:m,dma=d,buf=b', '--fpga', 'uio:n,dma=e,buf=b'],
                     ['--fpga', 'uio:m,dma=d,buf=b,length-bits=40'],
                     ['--fpga-bitstream', 'sha256d=x'], ['--fpga', 'sim', '--fpga-bitstream', 'sha256d'],
                     ['--fpga', 'sim', '--fpga-bitstream', 'nothing=x'], ['--backend', 'fpga'],
                     ['--fpga', 'sim', '--backend', 'fpga', '-t', '2'], ['--fpga', 'sim', '--backend', 'fpga-dma']):
            with self.subTest(args):
                done = subprocess.run([ADIT, '-o', 'stratum+tcp://127.0.0.1:1', *args], capture_output=True, text=True)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(done.stderr.count('\n'), 1, done.stderr)
                self.assertTrue(done.stderr.startswith('adit: --'), done.stderr)


if __name__ == '__main__':
    if not KINDS:
        print('check_cards: skipped: the simulated card is not built; install verilator and g++, and configure again')
        sys.exit(77)
    unittest.main()

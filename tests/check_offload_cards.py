#!/usr/bin/env python3
"""
adit-offload with cards: their RTL simulated within the process (sim), and behind the system calls of a real card (uio: the
shim). A card that is slow, lost or the wrong one costs time and no answer.
"""
import hashlib
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import unittest

import check_offload
from check_cards import FAULTY, KINDS, Machine
from check_offload import CIPHERS, HEADER, KEY, OFFLOAD, OPENCL, P, PATIENCE, text

WORKERS = ['cpu:2', 'opencl:1', 'fpga:1'] if OPENCL else ['cpu:2', 'fpga:1']
MIXES = [','.join(mix) for count in range(1, len(WORKERS) + 1) for mix in itertools.combinations(WORKERS, count)]
SMALL = ['--chunk', '4', '--depth', '5', '--force', '--quiet']
# Clocks of an item in a long packet: each core's own, shared by those side by side.
CLOCKS = {'chacha20': 10, 'aes128-ecb': 1, 'aes128-ctr': 1, 'sha256d': 129 / 4, 'cubehash256': 192 / 4, 'secp256k1': 21}


class Card(Machine):
    """A machine with an offload core, and the program's options and environment to reach it."""

    def __init__(self, kind, core='chacha20'):
        super().__init__(kind, core + ',14')
        uio = ['--fpga', 'uio:adit-offload,dma=adit-dma,buf=udmabuf0', '--fpga-root', self.root]
        self.args = ['--fpga', 'sim'] if kind == 'sim' else uio
        self.env = dict(os.environ, **self.env)


class Files(check_offload.Offload):
    openssl = check_offload.Files.openssl

    def assert_encrypts(self, card, mix, cipher, length):
        """There and back, and by OpenSSL; returns how many tasks cards had, there and back."""
        key = self.file('key', KEY[:CIPHERS[cipher]])
        plain = text(length)
        self.file('in', plain)
        args = ['--workers', mix, *card.args, *SMALL, '--key-file', key]
        there = self.good('encrypt', '--json', '--cipher', cipher, *args, 'in', 'sealed', env=card.env)
        sealed = self.read('sealed')
        right = self.openssl(cipher, KEY[:CIPHERS[cipher]], sealed[16:32], plain)
        self.assertTrue(sealed[HEADER:HEADER + length] == right, "it is not OpenSSL's")     # too long to be shown
        back = self.good('decrypt', '--json', '--cipher', cipher, *args, 'sealed', 'out', env=card.env)
        self.assertTrue(self.read('out') == plain, 'it did not come back')
        return [sum(worker['tasks'] for worker in json.loads(run)['workers'] if worker['worker'] == 'fpga') for run in (there, back)]

    def test_every_mix_of_workers_gives_what_openssl_gives(self):
        for kind, mix in itertools.product(KINDS, MIXES):
            with self.subTest(kind, mix=mix), Card(kind) as card:
                length, end = 30001, time.monotonic() + PATIENCE
                while 0 in self.assert_encrypts(card, mix, 'chacha20-poly1305', length) and 'fpga' in mix:
                    self.assertLess(time.monotonic(), end, 'the others were always done before the card was open')
                    length = min(8 * length, 40000001)

    def test_a_card_does_each_cipher_at_any_length(self):
        for kind in KINDS:
            for cipher in CIPHERS:
                for length in (1, 4096, 9000):
                    with self.subTest(kind, cipher=cipher, length=length), \
                         Card(kind, 'aes128' if 'aes' in cipher else 'chacha20') as card:
                        self.assert_encrypts(card, 'fpga', cipher, length)

    def test_two_cards_share_a_file(self):
        with Card('sim') as card:
            card.args *= 2
            self.assert_encrypts(card, 'fpga:2', 'chacha20-poly1305', 60000)

    def test_a_card_lost_on_the_way_costs_nothing(self):
        """The file comes in small parts, so that the card gets some of them, until it is gone."""
        with Card(FAULTY) as card:
            env = {**card.env, 'ADIT_OFFLOAD_KEY': KEY.hex()}
            run = subprocess.Popen([OFFLOAD, 'encrypt', '--workers', 'fpga,plain', *card.args, '--chunk', '4', '-', 'sealed'],
                                   stdin=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder, env=env)
            log, plain, end = [], b'', time.monotonic() + PATIENCE
            reader = threading.Thread(target=lambda: log.extend(run.stderr))
            reader.start()
            while not any(b'fpga 0 is lost, the others go on' in line for line in log):
                self.assertLess(time.monotonic(), end, log)
                plain += text(4096, len(plain))
                run.stdin.write(plain[-4096:])
                run.stdin.flush()
                time.sleep(0.001)
                if len(plain) == 50 * 4096:
                    card.fault('unplug')
            run.stdin.close()
            self.assertEqual(run.wait(PATIENCE), 0)
            reader.join(PATIENCE)
            run.stderr.close()
            card.fault()
            self.good('decrypt', '--key-file', self.key, 'sealed', 'out')
            self.assertEqual(self.read('out'), plain)
            self.file('in', plain)
            card.fault('unplug')
            got = self.run_it('encrypt', '--workers', 'fpga', *card.args, 'in', 'new', env=env)
            self.assertEqual(got.returncode, 1)
            self.assertIn(b'no worker is left', got.stderr)
            self.assertFalse(os.path.exists(self.path('new')))

    def test_killed_while_the_card_works_it_leaves_nothing(self):
        self.file('in', text(16 << 20))     # a simulated card does some ten a second at most
        with Card('sim') as card:
            before = sorted(os.listdir(self.folder))
            for i in range(5):
                run = subprocess.Popen([OFFLOAD, 'encrypt', '--key-file', self.key, '--workers', 'fpga', *card.args, '--quiet',
                                        'in', 'out'], cwd=self.folder, env=card.env)
                time.sleep(0.03 * i)
                run.send_signal(signal.SIGKILL)
                self.assertEqual(run.wait(PATIENCE), -signal.SIGKILL)
                self.assertEqual(sorted(os.listdir(self.folder)), before)


class Others(check_offload.Offload):
    def test_digests_and_field_arithmetic_are_right(self):
        source = random.Random(5)
        messages = [source.randbytes(n % 56).replace(b'\n', b' ') for n in range(150)]
        digests = [hashlib.sha256(hashlib.sha256(m).digest()).hexdigest() for m in messages]
        pairs = [(source.randrange(P), source.randrange(P)) for _ in range(150)] + [(P - 1, P - 1), (0, P - 1), (P - 1, 1), (0, 0)]
        self.file('lines', b'\n'.join(messages) + b'\n')
        self.file('pairs', ''.join('%x %x\n' % pair for pair in pairs).encode())
        for kind in KINDS:
            for mix in 'fpga', 'fpga,cpu':
                with self.subTest(kind, mix=mix):
                    with Card(kind, 'sha256d') as card:
                        args = ['--workers', mix, *card.args, '--chunk', '4']
                        self.assertEqual(self.good('digest', *args, 'lines', env=card.env).split(), digests)
                    with Card(kind, 'secp256k1') as card:
                        args = ['--workers', mix, *card.args, '--chunk', '4']
                        for name, right in ('add', lambda a, b: a + b), ('sub', lambda a, b: a - b), ('mul', lambda a, b: a * b):
                            got = self.good('field', name, *args, 'pairs', env=card.env).split()
                            self.assertEqual(got, ['%064x' % (right(a, b) % P) for a, b in pairs])

    def test_the_benchmark_counts_the_cards_own_clocks(self):
        """They run on while a busy machine keeps the driver from looking, so not every time are they what the core takes."""
        right, end = set(), time.monotonic() + PATIENCE
        while right != set(CLOCKS):
            self.assertLess(time.monotonic(), end, right)
            with Card('sim') as card:
                out = self.good('bench', '--workers', 'fpga', *card.args, '--max', '48', '--rounds', '3', '--json', env=card.env)
            results = json.loads(out)['results']
            self.assertEqual([(r['core'], r['worker']) for r in results], [(core, 'fpga') for core in CLOCKS])
            for result in results:
                size, = result['sizes']
                least = CLOCKS[result['core']]
                self.assertGreaterEqual(size['clocks_per_item'], least, result)
                self.assertGreater(size['in_s'] + size['kernel_s'] + size['out_s'], 0, result)
                if size['clocks_per_item'] < 1.1 * least + 0.2:
                    right.add(result['core'])

    def test_a_card_with_another_core_is_not_used(self):
        if 'uio' not in KINDS:
            self.skipTest('wants the shim')
        self.file('in', text(5000))
        with Card('uio', 'aes128') as card:
            args = ['encrypt', '--key-file', self.key, *card.args, 'in', 'out']
            got = self.run_it(*args, '--workers', 'fpga', env=card.env)
            self.assertEqual(got.returncode, 1)
            self.assertIn(b'chacha20', got.stderr)
            self.assertFalse(os.path.exists(self.path('out')))
            self.good(*args, '--workers', 'fpga,cpu', env=card.env)
            self.good('decrypt', '--key-file', self.key, 'out', 'back')
            self.assertEqual(self.read('back'), text(5000))

    def test_a_wrong_command_line_is_one_sentence_and_status_2(self):
        uio = 'uio:o,dma=d,buf=b'
        for reason, args in (('--fpga names one', ['--workers', 'fpga']),
                             ('--fpga names one', ['--workers', 'fpga:2', '--fpga', 'sim']),
                             ('named twice', ['--fpga', uio, '--fpga', uio]), ('too many', ['--fpga', 'sim'] * 17),
                             ('--fpga: ', ['--fpga', 'uio:o']), ('--fpga: ', ['--fpga', 'serial:ttyS0']),
                             ('--fpga: ', ['--fpga', 'x'])):
            self.refused(2, reason, 'digest', *args, '-')


if __name__ == '__main__':
    if not KINDS:
        print('check_offload_cards: skipped: the simulated card is not built; install verilator and g++, and configure again')
        sys.exit(77)
    unittest.main()

#!/usr/bin/env python3
"""
adit-offload on a large file: encrypted and decrypted by each mix of workers, it is the same as by OpenSSL, and comes back.
Says what each took. A part of `make check-slow`, since it takes a minute and several times the file's size of disk.

LARGE_MB is the file's size, millions of bytes (300). OFFLOAD names the program.
"""
import itertools
import os
import subprocess
import sys
import tempfile
import time

from check_offload import HEADER, KEY, OFFLOAD, OPENCL, TAG

SIZE = int(os.environ.get('LARGE_MB', '300')) * 10**6
PART = 1 << 20
SIM = os.path.join(os.path.dirname(OFFLOAD), 'libadit-fpga-sim.so')


def make(path):
    with open(path, 'wb') as file:
        for at in range(0, SIZE, PART):
            file.write(os.urandom(min(PART, SIZE - at)))


def same(one, other, length):
    """Whether two open files are the same from where they stand, for so many bytes."""
    for at in range(0, length, PART):
        want = min(PART, length - at)
        if one.read(want) != other.read(want):
            return False
    return True


def is_openssls(sealed, plain):
    with open(sealed, 'rb') as mine:
        iv = b'\1\0\0\0' + mine.read(HEADER)[16:28]
        theirs = subprocess.Popen(['openssl', 'enc', '-chacha20', '-K', KEY.hex(), '-iv', iv.hex(), '-in', plain], stdout=subprocess.PIPE)
        with theirs.stdout:
            right = same(mine, theirs.stdout, SIZE) and not theirs.stdout.read(1)
        return theirs.wait() == 0 and right and len(mine.read()) == TAG


def timed(run, workers, source, target):
    cards = ['--fpga', 'sim'] if 'fpga' in workers else []
    began = time.monotonic()
    done = subprocess.run([OFFLOAD, run, '--workers', workers, *cards, '--key-file', 'key', '--force', source, target],
                          stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr
    print('%s, %s: %.2f s, %.0f MB/s; %s' % (workers, run, time.monotonic() - began, SIZE / 1e6 / (time.monotonic() - began),
                                             '; '.join(line.strip() for line in done.stderr.splitlines()[1:])), flush=True)


def main():
    kinds = ['cpu:2'] + ['opencl:1'] * OPENCL + ['fpga:1'] * os.path.exists(SIM)
    mixes = [','.join(mix) for count in range(1, len(kinds) + 1) for mix in itertools.combinations(kinds, count)]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open('key', 'wb') as file:
            file.write(KEY)
        make('plain')
        for mix in mixes:
            timed('encrypt', mix, 'plain', 'sealed')
            timed('decrypt', mix, 'sealed', 'back')
            with open('plain', 'rb') as plain, open('back', 'rb') as back:
                right = is_openssls('sealed', 'plain') and same(plain, back, SIZE) and not back.read(1)
            print('%s %s' % ('ok' if right else 'FAILED', mix))
            failed += not right
        os.chdir('/')
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
"""adit-offload as a user meets it. OFFLOAD names the program (./adit-offload), ADIT the miner beside it (./adit)."""
import hashlib, json, os, random, resource, signal, subprocess, tempfile, threading, time, unittest
import xml.etree.ElementTree

from tries import holds_once

OFFLOAD = os.path.abspath(os.environ.get('OFFLOAD', './adit-offload'))
ADIT = os.path.abspath(os.environ.get('ADIT', './adit'))
KEY = bytes(range(1, 33))
P = 2**256 - 2**32 - 977
PATIENCE = 240
HEADER, TAG = 32, 16
CIPHERS = {'chacha20-poly1305': 32, 'chacha20': 32, 'aes128-ctr': 16}       # bytes of key
OPENCL = subprocess.run([OFFLOAD, 'digest', '--workers', 'opencl', '/dev/null'], capture_output=True).returncode == 0
LOST = os.path.abspath('lost_opencl.so')
ENDING = [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM,
          signal.SIGVTALRM, signal.SIGPROF, signal.SIGXCPU]
POOR = os.path.abspath('poor_files.so')
SANITIZED = b'__asan_init' in open(OFFLOAD, 'rb').read()
MIXES = ['cpu', 'cpu:2', 'plain', 'cpu:2,plain:2'] + ['opencl', 'opencl,cpu'] * OPENCL


def on_one_cpu():
    """To be called in a child: workers that are threads then fill tasks and take them off themselves."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def text(length, seed=1):
    return random.Random(seed).randbytes(length)


class Offload(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.key = self.file('key', KEY)

    def path(self, name):
        return os.path.join(self.folder, name)

    def file(self, name, content):
        with open(self.path(name), 'wb') as file:
            file.write(content)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), 'rb') as file:
            return file.read()

    def run_it(self, *args, **more):
        return subprocess.run([OFFLOAD, *args], capture_output=True, timeout=PATIENCE, cwd=self.folder, **more)

    def good(self, *args, **more):
        got = self.run_it(*args, **more)
        self.assertEqual(got.returncode, 0, (args, got.stderr))
        return got.stdout.decode()

    def refused(self, status, reason, *args, **more):
        """One sentence that says why, and no file more than before."""
        before = sorted(os.listdir(self.folder))
        got = self.run_it(*args, **more)
        self.assertEqual(got.returncode, status, (args, got.stderr))
        self.assertIn(reason, got.stderr.decode())
        self.assertEqual(len(got.stderr.splitlines()), 1, got.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), before)


class Files(Offload):
    def openssl(self, cipher, key, iv, content):
        """What openssl makes of it; its ChaCha20 begins with the count of the block."""
        first = {'chacha20-poly1305': b'\1\0\0\0', 'chacha20': bytes(4), 'aes128-ctr': b''}[cipher]
        name = '-aes-128-ctr' if cipher == 'aes128-ctr' else '-chacha20'
        iv = first + iv[:12] if first else iv
        return subprocess.run(['openssl', 'enc', name, '-K', key.hex(), '-iv', iv.hex()], input=content, capture_output=True,
                              timeout=PATIENCE, check=True).stdout

    def test_what_is_encrypted_is_openssls_and_decrypts_to_the_same(self):
        for cipher, key_len in CIPHERS.items():
            key = self.file('key', KEY[:key_len])
            for i, length in enumerate((0, 1, 15, 16, 63, 64, 65, 4095, 4096, 4097, 8192, 100001)):
                with self.subTest(cipher=cipher, length=length):
                    plain = text(length)
                    self.file('in', plain)
                    mix = ['--workers', MIXES[i % len(MIXES)], '--chunk', '4', '--depth', '3', '--key-file', key, '--force', '--quiet']
                    where = {'preexec_fn': on_one_cpu} if i // 2 % 2 else {}
                    self.good('encrypt', '--cipher', cipher, *mix, 'in', 'sealed', **where)
                    sealed = self.read('sealed')
                    tag = TAG if 'poly' in cipher else 0
                    self.assertEqual(len(sealed), HEADER + length + tag)
                    self.assertEqual(sealed[HEADER:HEADER + length], self.openssl(cipher, KEY[:key_len], sealed[16:32], plain))
                    self.good('decrypt', '--cipher', cipher, *mix, 'sealed', 'out', **where)
                    self.assertEqual(self.read('out'), plain)

    @unittest.skipUnless(OPENCL, 'there is no OpenCL device')
    def test_workers_may_all_look_for_their_opencl_devices_at_once(self):
        """The first look makes the platforms ready. Whoever has no device is lost; the first has one."""
        self.file('line', b'message\n')
        for _ in range(10):
            got = self.run_it('digest', '--workers', 'opencl:4', 'line')
            self.assertEqual(got.returncode, 0, got.stderr)
            self.assertNotIn(b'no device 0', got.stderr)

    @unittest.skipUnless(OPENCL, 'there is no OpenCL device')
    def test_a_task_that_a_device_gets_in_parts_is_counted_on(self):
        """No more than 64 MiB are given to one at once. Decrypted by another, and without a seal, which would not see it."""
        size = (64 << 20) + 100
        with open(self.path('in'), 'wb') as file:
            file.truncate(size)
        self.good('encrypt', '--cipher', 'chacha20', '--workers', 'opencl', '--chunk', '131072', '--key-file', self.key, 'in', 'coded')
        self.good('decrypt', '--cipher', 'chacha20', '--workers', 'cpu', '--key-file', self.key, 'coded', 'out')
        self.assertTrue(self.read('out') == bytes(size))

    @unittest.skipUnless(OPENCL and os.path.exists(LOST), 'there is no OpenCL device to lose')
    @unittest.skipIf(SANITIZED, 'a sanitizer wants to be loaded first')
    def test_a_device_lost_on_the_way_costs_nothing(self):
        """It gets tasks, whatever the others' speed, as the file comes in small parts until it is lost."""
        lost = {**os.environ, 'LD_PRELOAD': LOST, 'LOST_AFTER': '5', 'ADIT_OFFLOAD_KEY': KEY.hex()}
        run = subprocess.Popen([OFFLOAD, 'encrypt', '--workers', 'opencl,plain', '--chunk', '4', '-', 'sealed'], stdin=subprocess.PIPE,
                               stderr=subprocess.PIPE, cwd=self.folder, env=lost)
        log, plain, end = [], b'', time.monotonic() + PATIENCE
        reader = threading.Thread(target=lambda: log.extend(run.stderr))
        reader.start()
        while not any(b'opencl 0 is lost, the others go on' in line for line in log):
            self.assertLess(time.monotonic(), end, log)
            plain += text(4096, len(plain))
            run.stdin.write(plain[-4096:])
            run.stdin.flush()
            time.sleep(0.001)
        run.stdin.close()
        self.assertEqual(run.wait(PATIENCE), 0)
        reader.join(PATIENCE)
        run.stderr.close()
        self.assertRegex(b''.join(log), rb'opencl 0: 4 tasks, busy \d+ %, lost')      # and one was its proof
        self.good('decrypt', '--key-file', self.key, 'sealed', 'out')
        self.assertEqual(self.read('out'), plain)
        self.file('in', plain)
        got = self.run_it('encrypt', '--workers', 'opencl', '--chunk', '4', 'in', 'new', env={**lost, 'LOST_AFTER': '1'})
        self.assertEqual(got.returncode, 1)
        self.assertIn(b'no worker is left', got.stderr)
        self.assertFalse(os.path.exists(self.path('new')))

    def test_no_two_files_have_the_same_nonce(self):
        self.file('in', b'')
        nonces = set()
        for i in range(20):
            self.good('encrypt', '--key-file', self.key, '--force', '--quiet', 'in', 'sealed')
            nonces.add(self.read('sealed')[16:28])
        self.assertEqual(len(nonces), 20)

    def test_a_changed_bit_anywhere_is_seen_and_leaves_nothing(self):
        self.file('in', text(300))
        self.good('encrypt', '--key-file', self.key, 'in', 'sealed', '--quiet')
        sealed = self.read('sealed')
        for place in (*range(HEADER), HEADER, HEADER + 299, *range(len(sealed) - TAG, len(sealed))):
            damaged = bytearray(sealed)
            damaged[place] ^= 1 << place % 8
            self.file('damaged', damaged)
            if place in range(0, 8):
                reason = 'no file that adit-offload encrypted'
            elif place == 8 or place in range(10, 16):
                reason = 'a format that this version does not know'
            elif place == 9:
                reason = 'damaged'      # 1 ^ 2 = 3, another cipher, whose key is of another length
                self.assertNotEqual(self.run_it('decrypt', '--key-file', self.key, 'damaged', 'out').returncode, 0)
                continue
            else:
                reason = 'the key is wrong or the file was damaged; nothing was written'
            self.refused(1, reason, 'decrypt', '--key-file', self.key, 'damaged', 'out')
        for length in (0, 7, HEADER, HEADER + TAG - 1):
            self.file('damaged', sealed[:length])
            self.refused(1, 'damaged', 'decrypt', '--key-file', self.key, 'damaged', 'out')
        for content in (sealed[:-1], sealed + b'x', sealed[:HEADER + 10] + sealed[HEADER + 11:]):
            self.file('damaged', content)
            self.refused(1, 'the key is wrong or the file was damaged', 'decrypt', '--key-file', self.key, 'damaged', 'out')
        self.file('other', KEY[::-1])
        self.refused(1, 'the key is wrong', 'decrypt', '--key-file', 'other', 'sealed', 'out')

    def test_keys_come_from_a_file_or_the_environment_and_are_never_shown(self):
        self.file('in', text(1000))
        self.file('hex', KEY.hex().encode() + b'\n')
        self.good('encrypt', '--key-file', self.key, 'in', 'sealed')
        self.good('decrypt', '--key-file', 'hex', 'sealed', 'out')
        self.good('decrypt', '--force', 'sealed', 'out', env={**os.environ, 'ADIT_OFFLOAD_KEY': KEY.hex().upper()})
        self.assertEqual(self.read('out'), text(1000))
        self.refused(1, 'a key is wanted', 'decrypt', 'sealed', 'new')
        for bad in (KEY[:31], KEY + b'x', KEY.hex().encode()[:-1], b'zz' * 32, b'', KEY.hex().encode() + b' x', bytes(100),
                    KEY.hex().encode()[:32], KEY.hex().encode() + b'\nmore', KEY.hex().encode() + b'\n' * 100):
            self.file('bad', bad)
            got = self.run_it('decrypt', '--key-file', 'bad', 'sealed', 'new')
            self.assertEqual(got.returncode, 1)
            self.assertIn(b'bad holds no key', got.stderr)
            self.assertNotIn(KEY.hex()[:20].encode(), got.stderr)
        self.refused(1, 'ADIT_OFFLOAD_KEY holds no key', 'decrypt', 'sealed', 'new', env={**os.environ, 'ADIT_OFFLOAD_KEY': 'secret'})
        self.refused(1, 'the key file none cannot be read', 'decrypt', '--key-file', 'none', 'sealed', 'new')

    def test_a_file_is_not_replaced_unless_asked(self):
        self.file('in', b'new')
        self.file('there', b'old')
        self.refused(1, 'there is there already; --force replaces it', 'encrypt', '--key-file', self.key, 'in', 'there')
        self.assertEqual(self.read('there'), b'old')
        self.good('encrypt', '--key-file', self.key, '--force', 'in', 'there')
        self.assertEqual(len(self.read('there')), HEADER + 3 + TAG)
        os.mkdir(self.path('folder'))
        self.refused(1, 'folder', 'encrypt', '--key-file', self.key, '--force', 'in', 'folder')
        self.refused(1, 'no/such cannot be made', 'encrypt', '--key-file', self.key, 'in', 'no/such')
        self.refused(1, 'none cannot be read', 'encrypt', '--key-file', self.key, 'none', 'out')
        self.good('encrypt', '--key-file', self.key, '--discard', 'in', 'out')
        self.assertFalse(os.path.exists(self.path('out')))
        self.good('encrypt', '--key-file', self.key, '-', 'piped', input=b'x' * 100000)
        self.good('decrypt', '--key-file', self.key, 'piped', 'out')
        self.assertEqual(self.read('out'), b'x' * 100000)
        self.assertEqual(os.stat(self.path('out')).st_mode & 0o077, 0)
        with open(self.path('piped'), 'rb') as sealed:
            self.good('decrypt', '--key-file', self.key, '--force', '-', 'out', stdin=sealed)
        self.assertEqual(self.read('out'), b'x' * 100000)
        self.refused(1, 'is no plain file', 'decrypt', '--key-file', self.key, '-', 'new', input=self.read('piped'))

    def test_killed_at_any_moment_it_leaves_nothing(self):
        self.file('in', text(16 << 20))
        before, whole = sorted(os.listdir(self.folder)), 0
        for i in range(12):
            run = subprocess.Popen([OFFLOAD, 'encrypt', '--key-file', self.key, '--workers', 'plain', '--quiet', 'in', 'out'],
                                   cwd=self.folder)
            time.sleep(0.01 * i)
            run.kill()
            run.wait(PATIENCE)
            if 'out' in os.listdir(self.folder):        # it was faster
                self.good('decrypt', '--key-file', self.key, '--discard', 'out', 'x')
                os.unlink(self.path('out'))
                whole += 1
            self.assertEqual(sorted(os.listdir(self.folder)), before)
        self.assertLess(whole, 12)

    def test_a_full_disk_leaves_nothing(self):
        self.file('in', text(1 << 20))
        self.refused(1, 'cannot be written', 'encrypt', '--key-file', self.key, 'in', 'out',
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500000, 500000)))

    def start(self, *args, **more):
        run = subprocess.Popen([OFFLOAD, *args], cwd=self.folder, stderr=subprocess.PIPE, **more)
        self.addCleanup(lambda: (run.kill(), run.wait(), run.stderr.close(), run.stdin and run.stdin.close()))
        return run

    def wait_until(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.002)

    def writes_here(self, run):
        """Whether it has a file of the folder open, with a name or without."""
        folder = f'/proc/{run.pid}/fd'
        for fd in os.listdir(folder):
            try:
                if os.readlink(os.path.join(folder, fd)).startswith(self.folder + '/'):
                    return True
            except FileNotFoundError:       # closed meanwhile
                pass
        return False

    def test_an_error_ends_a_run_whose_input_is_silent(self):
        """The pipe stays open, and gives no more than what the first task needs."""
        full = {'preexec_fn': lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))}
        one = {'preexec_fn': lambda: (full['preexec_fn'](), on_one_cpu())}
        lost = ['--workers', 'fpga', '--fpga', 'uio:none,dma=none,buf=none', '--fpga-root', self.folder]
        seal = ['encrypt', '--key-file', self.key, '--chunk', '4']
        before = sorted(os.listdir(self.folder))
        disk = open('/dev/full', 'wb')
        self.addCleanup(disk.close)
        for reason, args, given, more in (
                (b'out cannot be written: File too large', [*seal, '-', 'out'], bytes(4096), full),
                (b'out cannot be written: File too large', [*seal, '-', 'out'], bytes(4096), one),
                (b'no worker is left', [*seal, *lost, '-', 'out'], b'', {}),
                (b'cannot be written', ['digest', '--chunk', '4', '-'], b'\n' * 64, {'stdout': disk}),
                (b'cannot be written', ['field', '--chunk', '4', 'mul', '-'], b'1 1\n' * 64, {'stdout': disk})):
            with self.subTest(args=args, more=more):
                run = self.start(*args, stdin=subprocess.PIPE, **more)
                run.stdin.write(given)
                run.stdin.flush()
                self.assertEqual(run.wait(PATIENCE), 1)
                self.assertIn(reason, run.stderr.read())
                self.assertEqual(sorted(os.listdir(self.folder)), before)

    def measured(self, *args, change):
        """Run it with a change made when it knows the length of its input, and has read no text: it waits for its key."""
        os.path.exists(self.path('fifo')) or os.mkfifo(self.path('fifo'))
        run = self.start(*args, '--key-file', 'fifo', '--chunk', '4', '--quiet')
        with open(self.path('fifo'), 'wb') as key:
            change()
            key.write(KEY)
        return run.wait(PATIENCE), run.stderr.read().decode()

    def test_a_file_that_changes_while_it_is_read(self):
        shorter = (1, 'became shorter while it was read')
        plain = text(20000)
        self.file('in', plain)
        for size in (0, 4096, 10000, 19999):
            self.file('in', plain)
            status, log = self.measured('encrypt', 'in', 'out', change=lambda: os.truncate(self.path('in'), size))
            self.assertEqual((status, shorter[1] in log, os.path.exists(self.path('out'))), (1, True, False), (size, log))
        self.file('in', plain)
        with open(self.path('in'), 'ab') as more:
            self.assertEqual(self.measured('encrypt', 'in', 'sealed', change=lambda: (more.write(b'more'), more.flush())), (0, ''))
        self.good('decrypt', '--key-file', self.key, 'sealed', 'out')
        self.assertEqual(self.read('out'), plain + b'more')
        sealed = self.read('sealed')
        with open(self.path('sealed'), 'ab') as more:
            self.assertEqual(self.measured('decrypt', 'sealed', 'new', change=lambda: (more.write(b'more'), more.flush())), (0, ''))
        self.assertEqual(self.read('new'), plain + b'more')
        self.file('sealed', sealed)
        status, log = self.measured('decrypt', 'sealed', 'none', change=lambda: os.truncate(self.path('sealed'), 5000))
        self.assertEqual((status, shorter[1] in log, os.path.exists(self.path('none'))), (1, True, False), log)

    def test_the_kernels_own_files_are_read_to_their_end(self):
        """Their length is 0, or more than they have."""
        for path in '/proc/version', '/sys/devices/system/cpu/possible':
            if os.path.exists(path):
                self.good('encrypt', '--key-file', self.key, '--force', path, 'sealed')
                self.good('decrypt', '--key-file', self.key, '--force', 'sealed', 'out')
                with open(path, 'rb') as file:
                    self.assertEqual(self.read('out'), file.read())

    def test_an_unsealed_file_is_decrypted_only_where_that_is_asked(self):
        """Else a sealed file could be changed into one that nobody vouches for, by two bits of its header."""
        self.file('in', text(300))
        self.good('encrypt', '--key-file', self.key, 'in', 'sealed')
        changed = bytearray(self.read('sealed'))
        changed[9] = 2
        self.file('changed', changed)
        self.refused(1, 'is not sealed', 'decrypt', '--key-file', self.key, 'changed', 'out')
        self.refused(1, 'is not sealed', 'decrypt', '--key-file', self.key, '--cipher', 'aes128-ctr', 'changed', 'out')

    def test_the_longest_text_is_that_of_one_nonce(self):
        """The length is looked at before the key. These files are all holes."""
        for run, cipher, most in (('encrypt', 'chacha20-poly1305', 2**38 - 64), ('encrypt', 'chacha20', 2**38),
                                  ('decrypt', 'chacha20-poly1305', 2**38 - 64)):
            header = b'ADITSEAL\1\1' + bytes(22) if run == 'decrypt' else b''
            for more, reason in (0, 'a key is wanted'), (1, 'is longer than one nonce can encrypt'):
                self.file('in', header)
                try:
                    os.truncate(self.path('in'), most + more + (HEADER + TAG if header else 0))
                except OSError:
                    self.skipTest('there are no such files here')
                self.refused(1, reason, run, '--cipher', cipher, 'in', 'out')

    @unittest.skipIf(SANITIZED, 'a sanitizer wants to be loaded first')
    def test_a_poor_file_system_gets_whole_files_or_none(self):
        """Without nameless files, second names, and renaming that never replaces; and with each but not the next."""
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))      # some signals leave one
        for lacks in 'nothing', 'nameless', 'nameless,new', 'nameless,new,second':
            env = {**os.environ, 'LD_PRELOAD': POOR, 'LACKS': lacks, 'ADIT_OFFLOAD_KEY': KEY.hex()}
            args = ['encrypt', '--quiet', '--chunk', '4', '-', 'out']
            with self.subTest(lacks=lacks):
                for force in [], ['--force']:
                    self.good(*args, *force, input=b'text', env=env)
                    self.good('decrypt', '--discard', 'out', '-', env=env)
                    self.assertEqual(sorted(os.listdir(self.folder)), ['key', 'out'])
                os.unlink(self.path('out'))
                for number in ENDING if lacks == 'nameless' else [signal.SIGTERM]:
                    run = self.start(*args, env=env, stdin=subprocess.PIPE)
                    self.wait_until(lambda: self.writes_here(run))
                    self.assertEqual(len(os.listdir(self.folder)), 1 + ('nameless' in lacks))
                    run.send_signal(number)
                    self.assertEqual(run.wait(PATIENCE), -number)
                    self.assertEqual(os.listdir(self.folder), ['key'])
                if lacks == 'nameless':     # whoever has started it may have one ignored, as nohup does
                    run = self.start(*args, env=env, stdin=subprocess.PIPE,
                                     preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
                    self.wait_until(lambda: self.writes_here(run))
                    run.send_signal(signal.SIGHUP)
                    run.stdin.close()
                    self.assertEqual((run.wait(PATIENCE), sorted(os.listdir(self.folder))), (0, ['key', 'out']))
                    os.unlink(self.path('out'))
                run = self.start(*args, env=env, stdin=subprocess.PIPE)      # and somebody else makes the file meanwhile
                self.wait_until(lambda: self.writes_here(run))
                self.file('out', b"somebody's")
                run.stdin.close()
                self.assertEqual(run.wait(PATIENCE), 1)
                self.assertIn(b'out cannot be made: File exists', run.stderr.read())
                self.assertEqual(self.read('out'), b"somebody's")
                self.assertEqual(sorted(os.listdir(self.folder)), ['key', 'out'])
                os.unlink(self.path('out'))

    def test_what_is_no_file_to_write_is_refused_and_odd_names_are_not(self):
        key = ['--key-file', self.key]
        self.file('in', b'text')
        os.mkdir(self.path('folder'))
        os.mkfifo(self.path('pipe'))
        os.symlink('nowhere', self.path('dangling'))
        os.symlink('/dev/null', self.path('device'))
        for out in 'folder', 'pipe', 'device', 'in/', 'new/', '', 'n' * 256, 'in/new', 'no/new':       # before a key is looked for
            self.refused(1, out + ' is' if out in ('folder', 'pipe', 'device') else 'cannot be made', 'encrypt', 'in', out)
            self.refused(1, 'is no plain file' if out in ('folder', 'pipe', 'device') else 'cannot be made', 'encrypt', '--force', 'in', out)
        self.refused(1, 'is there already', 'encrypt', *key, 'in', 'dangling')
        self.refused(1, 'folder cannot be read: Is a directory', 'encrypt', *key, 'folder', 'new')
        self.refused(1, 'folder cannot be read: Is a directory', 'encrypt', '--key-file', 'folder', 'in', 'new')
        self.good('encrypt', *key, '--force', 'in', 'dangling')
        self.assertFalse(os.path.islink(self.path('dangling')))
        self.good('encrypt', *key, '--force', 'in', 'in')
        self.good('decrypt', *key, '--force', 'in', 'in')
        self.assertEqual(self.read('in'), b'text')
        for name in 'n' * 255, ' \n\033[1m', '%s%n', '\udcff':
            for _ in range(2):
                self.good('encrypt', *key, '--force', 'in', './' + name)
            self.good('decrypt', *key, '--force', './' + name, 'out')
            self.assertEqual(self.read('out'), b'text')
            os.unlink(self.path(name))


class Lines(Offload):
    def test_digests_are_those_of_hashlib_in_the_order_of_the_lines(self):
        source = random.Random(2)
        messages = [source.randbytes(source.randrange(56)).replace(b'\n', b' ') for _ in range(5000)]
        right = [hashlib.sha256(hashlib.sha256(m).digest()).hexdigest() for m in messages]
        self.file('lines', b'\n'.join(messages) + b'\n')
        self.file('hex', '\n'.join(m.hex() for m in messages).encode())
        for mix in MIXES:
            self.assertEqual(self.good('digest', '--workers', mix, '--chunk', '4', 'lines').split(), right)
        self.assertEqual(self.good('digest', '--hex', 'hex').split(), right)
        self.assertEqual(self.good('digest', '-', input=messages[0] + b'\n').split(), right[:1])
        self.assertEqual(self.good('digest', '-', input=b''), '')

    def test_a_bad_line_is_named(self):
        self.refused(1, '-, line 3: 56 bytes, 55 are the most', 'digest', '-', input=b'a\nb\n' + b'c' * 56)
        self.refused(1, '/dev/zero, line 1 is longer than 65535 bytes', 'digest', '/dev/zero')
        for bad in (b'1', b'zz', b'00\0\0', b'0x'):
            self.refused(1, '-, line 2 is not hexadecimal', 'digest', '--hex', '-', input=b'00\n' + bad + b'\n')

    def test_field_arithmetic_is_right(self):
        source = random.Random(3)
        values = [0, 1, 2, P - 1, P - 2, 2**32 + 977] + [source.randrange(P) for _ in range(60)]
        pairs = [(a, b) for a in values for b in values]
        self.file('pairs', ''.join('%x 0x%064x\n' % pair for pair in pairs).encode())
        for name, right in (('add', lambda a, b: a + b), ('sub', lambda a, b: a - b), ('mul', lambda a, b: a * b)):
            got = self.good('field', name, '--workers', 'cpu,plain', 'pairs').split()
            self.assertEqual(got, ['%064x' % (right(a, b) % P) for a, b in pairs])
            pair = 'field', name, 'ff', '%x' % (P - 1)
            self.assertEqual(int(self.good(*pair), 16), right(255, P - 1) % P)
            self.assertEqual(json.loads(self.good(*pair, '--json')), {'result': '%064x' % (right(255, P - 1) % P)})
        for a, b in ('%x' % P, '1'), ('1', 'g'), ('', '1'), ('1', '1' * 65):
            self.refused(1, 'is no hexadecimal number below p', 'field', 'add', a, b)
        self.assertEqual(self.good('field', 'mul', '--workers', 'null', '--discard', '2', '3'), '')
        for line in b'1', b'1 2 3', b'', b'1 -2', b'1 %x' % P:
            self.refused(1, '-, line 1 is no pair of elements', 'field', 'add', '-', input=line + b'\n')
        self.refused(1, "'div' is none of add, sub and mul", 'field', 'div', '1', '2')


class Bench(Offload):
    def test_it_measures_each_core_on_each_worker(self):
        args = 'bench', '--workers', 'cpu,plain,null', '--max', '192', '--rounds', '3'
        root = json.loads(self.good(*args, '--json', '--svg', 'picture.svg'))
        cores = ['chacha20', 'aes128-ecb', 'aes128-ctr', 'sha256d', 'cubehash256', 'secp256k1']
        self.assertEqual([(r['core'], r['worker']) for r in root['results']], [(c, w) for c in cores for w in ('cpu', 'plain', 'null')])
        for result in root['results']:
            self.assertEqual([s['bytes'] for s in result['sizes']], [48 << 10, 192 << 10])
            for size in result['sizes']:
                self.assertGreaterEqual(size['total_s'], 0)
                self.assertAlmostEqual(size['speedup_plain'] * size['total_s'] / size['plain_s'], 1, delta=0.01)
                self.assertEqual('openssl_s' in size, result['core'] != 'cubehash256')
            if result['worker'] == 'null':
                self.assertEqual(result['wins_over_plain_from'], 48 << 10)
        picture = xml.etree.ElementTree.parse(self.path('picture.svg')).getroot()
        names = [t.text for t in picture.iter('{http://www.w3.org/2000/svg}text')]
        for core in cores:
            self.assertIn(core, names)
        out = self.good(*args, '--core', 'chacha20')
        self.assertRegex(out, r'chacha20 on cpu 0, set-up [\d.]+ ms\n')
        self.assertNotIn('aes', out)
        self.assertRegex(out, r'faster than plain C from: 48 KiB; with set-up: ')

    def test_it_measures_as_many_workers_as_are_named(self):
        root = json.loads(self.good('bench', '--workers', 'null:30', '--min', '1', '--max', '1', '--rounds', '1', '--json'))
        self.assertEqual(len(root['results']), 6 * 30)
        if OPENCL:
            self.refused(1, 'none of these workers has any of these cores', 'bench', '--workers', 'opencl', '--core', 'secp256k1')

    @holds_once
    def test_openssl_is_not_measured_while_it_is_looked_up(self):
        """That takes it as long as some hundred KiB."""
        result, = json.loads(self.good('bench', '--workers', 'plain', '--core', 'chacha20', '--min', '1', '--max', '1', '--rounds', '1',
                                       '--json'))['results']
        self.assertGreater(20, result['sizes'][0]['speedup_openssl'])

    def test_sealing_in_memory_is_measured_beside_openssl(self):
        for workers, threads, where in ('cpu:2', 2, {}), ('plain,null', 2, {'preexec_fn': on_one_cpu}):
            got = json.loads(self.good('bench', '--seal', '--rounds', '1', '--workers', workers, '--json', **where))
            self.assertEqual(got['openssl_threads'], threads)
            self.assertGreater(got['bytes_per_second'], 0)
            self.assertAlmostEqual(got['of_openssl'] * got['openssl_bytes_per_second'] / got['bytes_per_second'], 1, delta=0.01)
        self.assertRegex(self.good('bench', '--seal', '--rounds', '1'),
                         r'^sealing in memory: [\d.]+ GB/s by 1 worker; OpenSSL [\d.]+ GB/s by 1 thread; [\d.]+ of it\n$')

    def test_the_profile_shows_each_class_of_function(self):
        out = self.good('bench', '--profile')
        for name in 'MixColumns', 'AddRoundKey', 'SubBytes', 'ShiftRows', 'quarter rounds':
            self.assertIn(name, out)
        for core in json.loads(self.good('bench', '--profile', '--json'))['profile']:
            self.assertTrue(0.1 < sum(c['share'] for c in core['classes']) <= 1.0001, core)


class CommandLine(Offload):
    def test_a_wrong_command_line_is_one_sentence_and_status_2(self):
        for reason, args in (
                ('one of bench', []), ('frob: one of bench', ['frob']), ('takes IN OUT', ['encrypt', 'a']), ('takes no operands', ['bench', 'a']),
                ("no kind of worker called 'gpu'", ['digest', '--workers', 'gpu', '-']), ('from 1 to 64', ['digest', '--workers', 'cpu:0', '-']),
                ('no such option', ['digest', '--frob', '-']), ('a value is missing', ['digest', '--workers']),
                ('wants --discard', ['encrypt', '--workers', 'null', 'a', 'b']), ('OUT is a file', ['encrypt', 'a', '-']),
                ('--chunk', ['digest', '--chunk', '1', '-']),
                ('--chunk', ['digest', '--chunk', '5x', '-']), ('it is above --max', ['bench', '--min', '2', '--max', '1']),
                ('no such core', ['bench', '--core', 'rot13'])):
            self.refused(2, reason, *args)
        self.refused(1, "there is no cipher 'rot13'", 'encrypt', '--cipher', 'rot13', 'a', 'b')

    def test_help_names_all(self):
        out = self.good('--help')
        for word in 'encrypt', 'decrypt', 'digest', 'field', 'bench', '--workers', 'chacha20', 'secp256k1', 'null':
            self.assertIn(word, out)

    def test_the_version_is_that_of_adit(self):
        adit = subprocess.run([ADIT, '--version'], capture_output=True, text=True).stdout
        self.assertRegex(adit, r'^adit \d+\.\d+\.\d+ ')
        self.assertEqual(self.good('--version'), adit.replace('adit', 'adit-offload', 1))

    def test_closed_descriptors_become_no_other_file(self):
        """With standard error closed the sealed file is not the one that the log goes to."""
        plain, sealed = self.file('plain', text(70000)), self.path('sealed')
        got = subprocess.run(['sh', '-c', '"$@" <&- >&- 2>&-', 'sh', OFFLOAD, 'encrypt', '--key-file', self.key, plain, sealed])
        self.assertEqual(got.returncode, 0)
        self.good('decrypt', '--key-file', self.key, sealed, self.path('back'))
        self.assertEqual(self.read('back'), text(70000))

    def test_output_that_is_lost_is_a_failure(self):
        with open('/dev/full', 'w') as full:
            for args, what in ((['--help'], 'standard output'), (['field', 'add', '1', '2'], 'the results cannot be written')):
                got = subprocess.run([OFFLOAD, *args], stdout=full, stderr=subprocess.PIPE, text=True)
                self.assertEqual(got.returncode, 1)
                self.assertRegex(got.stderr, r'\A\S+ \S+ error: %s: No space left on device\n\Z' % what)


if __name__ == '__main__':
    unittest.main()

#!/usr/bin/env python3
"""
Mining on real peers, whose verdict counts: a full node (bcoin) and a pool server (foundation-stratum), both from npm,
and Debian's litecoind; see tests/rig/README.md. All on loopback. ADIT names the program, RIG_NPM the folder for the
packages, installed there once. Difficulties are made for the speed of this build on this machine. Where peers cannot be
had, it is skipped.

What a newcomer would get wrong: a share may be late by right when a block came before it, so only where no share is a
block every single one has to be valid.
"""
import atexit, base64, fcntl, json, os, random, re, shutil, signal, socket, statistics, subprocess, sys, tempfile
import threading, time, unittest, urllib.error, urllib.request

ADIT = os.path.abspath(os.environ.get('ADIT', './adit'))
RIG = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'rig')
NPM = os.path.abspath(os.environ.get('RIG_NPM', 'rig-npm'))
LITECOIND = '/usr/lib/litecoin/litecoind'       # /usr/bin/litecoind is a script that writes into the home folder
PATIENCE = 60       # seconds for what takes one to ten on an idle machine
LIMIT = 300         # seconds for everything but the installation
INSTALLATION = 240
SWITCH = 0.5        # seconds that switching to another's block may take
OFFLINE = r'CERT|E404|E5\d\d|EAI_AGAIN|ENOTFOUND|ECONN|ENET|EHOST|ETIMEDOUT|ERR_SOCKET|FETCH_ERROR'

NODES_ADDRESS = 'mrcNu71ztWjAQA6ww9kHiW3zBWSQidHXTQ'        # the node pays its own blocks to it
NODES_SCRIPT = '76a91479b000887626b294a914501a4cd226b58b23598388ac'
OUR_ADDRESS = 'bcrt1q0xcqpzrky6eff2g52qdye53xkk9jxkvrl4xfg5'
OUR_SCRIPT = '001479b000887626b294a914501a4cd226b58b235983'

started, folders = [], []


def new_folder():
    folders.append(tempfile.mkdtemp())
    return folders[-1]


def clean_up():
    for process in started:
        if process.poll() is None:
            process.kill()
            process.wait()
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def install():
    """The packages, into NPM. Several runs may share that folder. Returns why it is not to be had, or None."""
    for tool in ('node', 'npm'):
        if not shutil.which(tool):
            return 'there is no %s here' % tool
    os.makedirs(NPM, exist_ok=True)
    with open(os.path.join(NPM, 'lock'), 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = ''.join(open(os.path.join(RIG, name)).read() for name in ('package.json', 'package-lock.json'))
        stamp = os.path.join(NPM, 'installed')
        if os.path.exists(stamp) and open(stamp).read() == wanted:
            return None
        for name in ('package.json', 'package-lock.json'):
            shutil.copyfile(os.path.join(RIG, name), os.path.join(NPM, name))
        try:
            got = subprocess.run(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], cwd=NPM, text=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 timeout=INSTALLATION)
        except subprocess.TimeoutExpired:
            return 'npm does not end within %d s' % INSTALLATION
        if got.returncode and re.search(OFFLINE, got.stdout):
            return 'npm cannot fetch the packages: %s' % got.stdout
        if got.returncode:
            raise AssertionError('npm ci: %s' % got.stdout)
        with open(stamp, 'w') as f:
            f.write(wanted)


def wait_until(condition, what, patience=PATIENCE):
    end = time.time() + patience
    while not condition():
        if time.time() > end:
            raise AssertionError('not within %d s: %s' % (patience, what() if callable(what) else what))
        time.sleep(0.02)


def free_port(low=None, high=None):
    while True:
        with socket.socket() as s:
            try:
                s.bind(('127.0.0.1', random.randrange(low, high) if low else 0))
                return s.getsockname()[1]
            except OSError:
                pass


class Program:
    """It runs until stop(); its lines are kept with the time at which they came."""
    def __init__(self, command, stream='stdout', **env):
        streams = {'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE if stream == 'stderr' else subprocess.STDOUT}
        self.command, self.lines = command, []
        self.run = subprocess.Popen(command, stdin=subprocess.DEVNULL, text=True, env=dict(os.environ, **env), **streams)
        started.append(self.run)
        self.stream = getattr(self.run, stream)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.stream:
            self.lines.append((time.time(), line))

    def text(self):
        return ''.join(line for _, line in list(self.lines))

    def wait(self, condition, patience=PATIENCE):
        def met():
            if self.run.poll() is not None:
                raise AssertionError('%s ended: %s' % (self.command, self.text()[-4000:]))
            return condition()
        wait_until(met, lambda: self.text()[-4000:], patience)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.stop()

    def stop(self):
        if self.run.poll() is None:
            self.run.terminate()
            try:
                self.run.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.run.kill()
                self.run.wait()
        self.reader.join(PATIENCE)
        self.stream.close()


class Peer(Program):
    """One of tests/rig/, which says what happens by lines of JSON among others."""
    def __init__(self, script, *args, **env):
        super().__init__(['node', os.path.join(RIG, script)] + [str(arg) for arg in args], RIG_NPM=NPM, ADIT=ADIT, **env)

    def said(self, key):
        """All such lines that have the key, in order."""
        found = [json.loads(line) for _, line in list(self.lines) if line.startswith('{')]
        return [line for line in found if key in line]


class Rpc:
    def __init__(self, port):
        self.port = port
        self.login = 'Basic ' + base64.b64encode(b'x:rig').decode()

    def __call__(self, method, *params):
        request = urllib.request.Request('http://127.0.0.1:%d/' % self.port, headers={'Authorization': self.login},
                                         data=json.dumps({'method': method, 'params': params, 'id': 1}).encode())
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                reply = json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                raise AssertionError('%s: %s' % (method, error.read().decode()))
        if reply['error']:
            raise AssertionError('%s: %s' % (method, reply['error']))
        return reply['result']

    def blocks(self, first):
        """From a height to the tip, as bytes."""
        return [bytes.fromhex(self('getblock', self('getblockhash', height), 0))
                for height in range(first, self('getblockcount') + 1)]


class Miner(Program):
    def __init__(self, algo, url, *options):
        super().__init__([ADIT, '-a', algo, '-o', url, '-t', '2', '-R', '1', '-D', '--json', *options], stream='stderr')

    def stop(self):
        """Returns its own count of shares."""
        if self.run.poll() is None:
            self.run.terminate()
        if not self.run.stdout.closed:
            self.summary = self.run.stdout.read()
        super().stop()
        self.run.stdout.close()
        if self.run.returncode != 0:
            raise AssertionError('exit status %d: %s' % (self.run.returncode, self.text()[-4000:]))
        return json.loads(self.summary)['shares']


class Node(Peer):
    """bcoin."""
    def __init__(self, hashes_per_block, easy=0, **env):
        self.port = free_port()
        super().__init__('node.js', self.port, RIG_BITS=compact(hashes_per_block), RIG_EASY=str(easy), **env)
        self.wait(lambda: self.said('listening'))
        self.rpc = Rpc(self.port)
        if easy:
            self.rpc('generatetoaddress', easy, NODES_ADDRESS)

    def height(self):
        return self.said('tip')[-1]['height']

    def mine(self, algo, *options):
        return Miner(algo, 'http://127.0.0.1:%d/' % self.port, '-u', 'x', '-p', 'rig', *options)

    def fill_mempool(self, coinbases):
        """With two transactions for each coinbase. Returns how many came to be there."""
        got = subprocess.run(['node', os.path.join(RIG, 'mktx.js'), str(self.port), 'x', 'rig', str(coinbases)],
                             env=dict(os.environ, RIG_NPM=NPM), stdout=subprocess.PIPE, text=True, check=True)
        return int(got.stdout)


class Pool(Peer):
    """foundation-stratum in front of a node."""
    def __init__(self, node, algo, difficulty, **env):
        self.port = free_port(2000, 4000)
        super().__init__('pool.js', self.port, node.port, 'x', 'rig', NODES_ADDRESS, '%.12f' % difficulty, algo, **env)
        self.wait(lambda: self.said('ready'))
        self.counted = 0

    def shares(self):
        """Since take_shares() was called last."""
        return self.said('share')[self.counted:]

    def take_shares(self):
        shares = self.shares()
        self.counted += len(shares)
        return shares


def compact(hashes):
    """The bits field for a target that one in so many hashes meets."""
    target = (1 << 256) // int(hashes)
    size = (target.bit_length() + 8) // 8       # with room for the sign
    return '%08x' % (size << 24 | target >> 8 * (size - 3))


def hash_rate(algo):
    """Hashes a second of two threads here and now."""
    got = subprocess.run([ADIT, '--benchmark', '-a', algo, '-t', '2', '--time-limit', '1', '--json'],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return json.loads(got.stdout)['results'][0]['hashrate']['median']


def transactions(block):
    """How many. A count of several bytes does not come up here."""
    return block[80]


def report(text):
    print('    ' + text, file=sys.stderr, flush=True)


class Mining:
    """The facts that hold for every algorithm."""
    @classmethod
    def setUpClass(cls):
        cls.rate = hash_rate(cls.ALGO)
        env = {} if cls.ALGO == 'sha256d' else {'RIG_POW': cls.ALGO}
        cls.node = Node(cls.rate * cls.BLOCK_SECONDS, cls.EASY, **env)
        cls.addClassCleanup(cls.node.stop)
        cls.difficulty = cls.rate * cls.SHARE_SECONDS * cls.SHARE_FACTOR / 2**32
        cls.folder = new_folder()

    def mine_in_a_row(self, script, *options):
        """BLOCKS on the node by one miner, which are returned."""
        before = self.node.height()
        begun = time.time()
        with self.node.mine(self.ALGO, *options) as miner:
            miner.wait(lambda: self.node.height() >= before + self.BLOCKS, LIMIT)
            took = time.time() - begun
            shares = miner.stop()
        blocks = self.node.rpc.blocks(before + 1)
        self.assertGreaterEqual(len(blocks), self.BLOCKS)
        self.assertEqual(shares['rejected'], 0, miner.text())
        self.assertEqual(shares['accepted'] + shares['unanswered'], len(blocks))
        for block in blocks:
            self.assertIn(bytes.fromhex(script), block)
        report('%d blocks in %.1f s, %d stale' % (len(blocks), took, shares['stale']))
        return blocks

    def test_getblocktemplate_makes_block_after_block(self):
        taken = self.node.fill_mempool(self.SPENT)
        blocks = self.mine_in_a_row(OUR_SCRIPT, '--coinbase-addr', OUR_ADDRESS)
        self.assertEqual(sum(transactions(block) - 1 for block in blocks), taken)
        self.assertGreaterEqual(taken, 2 * self.SPENT)

    def test_getwork_makes_block_after_block(self):
        self.mine_in_a_row(NODES_SCRIPT)

    def shares_only(self, pool, scheme, *options):
        """SHARES of SHARES valid, which are returned."""
        url = '%s://127.0.0.1:%d' % (scheme, pool.port)
        pool.take_shares()
        with Miner(self.ALGO, url, '-u', NODES_ADDRESS, '-p', 'x', *options) as miner:
            miner.wait(lambda: len(pool.shares()) >= self.SHARES)
            counted = miner.stop()
        sent = counted['accepted'] + counted['rejected'] + counted['unanswered']
        pool.wait(lambda: len(pool.shares()) >= sent)
        shares = pool.take_shares()
        self.assertEqual([share['share'] for share in shares if share['share'] != 'valid'], [])
        self.assertEqual((sent, counted['rejected']), (len(shares), 0))
        self.assertGreater(counted['accepted'], len(shares) // 4)     # unanswered: under way when told to stop
        report('%d of %d shares valid' % (len(shares), len(shares)))
        return shares

    def pool(self, **env):
        pool = Pool(self.node, self.ALGO, self.difficulty, **env)
        self.addCleanup(pool.stop)
        return pool

    def test_the_pool_finds_every_share_valid(self):
        pool = self.pool(RIG_SHARES_ONLY='1')
        plain = self.shares_only(pool, 'stratum+tcp', '--no-version-rolling')
        self.assertEqual({share['version'] for share in plain}, {None})
        rolling = self.shares_only(pool, 'stratum+tcp')
        versions = {share['version'] for share in rolling}
        self.assertNotIn(None, versions)
        report('version bits %s' % ' '.join(sorted(versions)))

    def test_the_pool_finds_every_share_valid_over_tls(self):
        os.mkdir(os.path.join(self.folder, 'certificates'))
        key, cert = (os.path.join(self.folder, 'certificates', name) for name in ('key.pem', 'cert.pem'))
        subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes',
                        '-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1',
                        '-keyout', key, '-out', cert], check=True, stderr=subprocess.DEVNULL)
        self.shares_only(self.pool(RIG_SHARES_ONLY='1', RIG_TLS=self.folder), 'stratum+ssl', '--cert', cert)

    def test_the_node_accepts_the_pools_blocks(self):
        pool = self.pool()
        before = self.node.height()

        def chain():
            """The pool's blocks that the node's chain goes over, not beside."""
            new = {tip['tip'] for tip in self.node.said('tip') if tip['height'] > before}
            return new & {block['block'] for block in pool.said('block') if block['accepted']}

        with Miner(self.ALGO, 'stratum+tcp://127.0.0.1:%d' % pool.port, '-u', NODES_ADDRESS, '-p', 'x') as miner:
            miner.wait(lambda: len(chain()) >= self.POOL_BLOCKS and len(pool.shares()) >= self.SHARES)
            miner.stop()
        shares = [share['share'] for share in pool.shares()]
        late = [share for share in shares if share != 'valid']
        self.assertLessEqual(set(late), {'job not found'})
        self.assertLessEqual(len(late), len(pool.said('block')))
        report('%d blocks among %d shares, %d late' % (len(chain()), len(shares), len(late)))


class Sha256d(Mining, unittest.TestCase):
    ALGO = 'sha256d'
    BLOCKS, BLOCK_SECONDS, POOL_BLOCKS = 20, 0.5, 3
    SHARES, SHARE_SECONDS, SHARE_FACTOR = 50, 0.08, 1
    EASY, SPENT = 440, 5        # coinbases mature after 100 blocks; segwit is active from 432 on
    SWITCHES = 12

    def switches(self, *options):
        """
        How long it took, after each block of another miner, until there was work on it, in s. The watcher is so slow
        that hardly ever a block of its own makes it ask for work.
        """
        before = self.node.height()
        found = re.compile(r'block found, .*hash ([0-9a-f]{64})')
        slow = ['--backend', 'scalar', '--cpu-priority', '0', '-t', '1', '--scantime', '600']
        with self.node.mine(self.ALGO, *slow, *options) as watcher:
            watcher.wait(lambda: 'new block, job' in watcher.text())
            with self.node.mine(self.ALGO, '--coinbase-addr', NODES_ADDRESS) as other:
                other.wait(lambda: len(found.findall(other.text())) > self.SWITCHES)
                others = set(found.findall(other.text())[:-1])      # the last may not be the node's tip yet
                time.sleep(2 * SWITCH)
                other.stop()
            watcher.stop()
        news = [at for at, line in watcher.lines if 'new block, job' in line]
        tips = [tip for tip in self.node.said('tip') if tip['height'] > before and tip['tip'] in others]
        begun = [tip['at'] / 1000 for tip in tips]
        return [min((at for at in news if at > begin), default=float('inf')) - begin for begin in begun]

    def test_a_block_found_elsewhere_is_switched_to_within_half_a_second(self):
        for method, options in (('getblocktemplate', ['--coinbase-addr', OUR_ADDRESS]), ('getwork', [])):
            with self.subTest(method=method):
                took = sorted(self.switches(*options))
                report('%s: %d blocks of another switched to, median %.0f ms, at most %.0f ms' %
                       (method, len(took), 1000 * statistics.median(took), 1000 * took[-1]))
                self.assertGreaterEqual(len(took), self.SWITCHES // 2)
                self.assertLess(statistics.median(took), SWITCH)
                self.assertLess(took[-1], 10 * SWITCH)      # others may have the CPU


class Lyra2rev2(Mining, unittest.TestCase):
    """Node and pool ask adit's reference, a process each time."""
    ALGO = 'lyra2rev2'
    BLOCKS, BLOCK_SECONDS, POOL_BLOCKS = 3, 1.5, 3
    SHARES, SHARE_SECONDS, SHARE_FACTOR = 10, 0.3, 256
    EASY, SPENT = 0, 0


class Litecoin(unittest.TestCase):
    """
    litecoind's templates come with an extension block (mweb), and a block without it is refused. Proof of work there is
    scrypt, but in regtest every second hash will do: half of the blocks found by sha256d are refused for their hash, the
    others have to be accepted.
    """
    BLOCKS = 20
    MWEB_HEIGHT = 432

    @classmethod
    def setUpClass(cls):
        if not os.path.exists(LITECOIND):
            raise unittest.SkipTest('there is no litecoind here')
        cls.folder = new_folder()
        port = free_port()
        cls.rpc = cls.start('-bind=127.0.0.1:%d' % port, '-connect=0', '-listen', '-fallbackfee=0.001')
        cls.start('-connect=127.0.0.1:%d' % port, '-listen=0', '-disablewallet')      # a lone node gives no templates
        wait_until(lambda: cls.rpc('getconnectioncount') > 0, 'two nodes to meet')

    @classmethod
    def start(cls, *options):
        """Returns its RPC."""
        port = free_port()
        folder = os.path.join(cls.folder, str(port))
        os.mkdir(folder)
        node = Program([LITECOIND, '-regtest', '-datadir=' + folder, '-server', '-rpcport=%d' % port,
                        '-rpcbind=127.0.0.1', '-rpcallowip=127.0.0.1', '-rpcuser=x', '-rpcpassword=rig', '-dnsseed=0',
                        '-discover=0', '-upnp=0', '-listenonion=0', '-printtoconsole=0', *options])
        cls.addClassCleanup(node.stop)
        rpc = Rpc(port)

        def ready():
            try:
                return rpc('getblockcount') == 0
            except (AssertionError, OSError):
                return False
        node.wait(ready)
        return rpc

    def test_templates_with_an_extension_block_become_blocks(self):
        self.rpc('createwallet', 'rig')
        address = self.rpc('getnewaddress')
        self.rpc('generatetoaddress', self.MWEB_HEIGHT - 1, address)
        entry = self.rpc('sendtoaddress', self.rpc('getnewaddress', '', 'mweb'), 10)
        script = self.rpc('getaddressinfo', address)['scriptPubKey']
        with Miner('sha256d', 'http://127.0.0.1:%d/' % self.rpc.port, '-u', 'x', '-p', 'rig', '-P',
                   '--coinbase-addr', address) as miner:
            miner.wait(lambda: self.rpc('getblockcount') >= self.MWEB_HEIGHT + self.BLOCKS)
            counted = miner.stop()
        reasons = set(re.findall(r'< \{"result":"([^"]*)"', miner.text()))
        self.assertEqual(reasons - {'high-hash'}, set())
        self.assertGreater(self.rpc('gettransaction', entry)['confirmations'], 0)
        mined = self.rpc('getblockcount') - self.MWEB_HEIGHT + 1
        for height in range(self.MWEB_HEIGHT, self.MWEB_HEIGHT + self.BLOCKS):
            block = self.rpc('getblock', self.rpc('getblockhash', height), 2)
            self.assertEqual(block['mweb']['height'], height)
            self.assertEqual(block['tx'][0]['vout'][0]['scriptPubKey']['hex'], script)
        report('%d blocks accepted, %d refused, all as high-hash' % (mined, counted['rejected']))


def give_up(number, frame):
    clean_up()
    report('more than %d s' % LIMIT if number == signal.SIGALRM else 'told to stop')
    os._exit(1)     # unittest would take an exception for a test's failure, and go on


def main():
    atexit.register(clean_up)
    missing = install()
    if missing:
        print('check_rig: skipped: %s' % missing)
        return 77
    for number in (signal.SIGALRM, signal.SIGTERM):
        signal.signal(number, give_up)
    signal.alarm(LIMIT)
    unittest.main(verbosity=2)


if __name__ == '__main__':
    sys.exit(main())

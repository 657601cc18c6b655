#!/usr/bin/env python3
"""
The way to a pool, from end to end: TLS with good and bad certificates, proxies, what becomes of secrets, version rolling
and the record of a session. The real program on devpool and on scripted servers. ADIT and DEVPOOL name the programs.
"""
import contextlib, gzip, json, os, re, signal, socket, subprocess, sys, tempfile, threading, time, unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'cases'))
import node
import processes
from processes import ADIT, PATIENCE, Certificates, Listener, TlsRelay, relay
from tries import holds_once

SECRET = 'hush-hush'
EASY = '0.00002'
ROLLED = '1fffe000'


def Pool(*args, algo='sha256d'):
    return processes.Pool('--difficulty', EASY, *args, algo=algo)


def Miner(url, *args, env=None, login=('-u', 'demo', '-p', SECRET)):
    return processes.Miner('-o', url, *login, '-t', '1', '-R', '1', '-D', '-P', '--json', *args, env=env)


class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.certificates = Certificates()

    @classmethod
    def tearDownClass(cls):
        cls.certificates.remove()

    def pool(self, cert):
        return Pool('--tls', self.certificates.pair(cert))

    def test_every_spelling_mines_when_the_ca_is_given(self):
        for scheme in ('stratum+tcps', 'stratum+ssl', 'stratum+tls', 'STRATUM+SSL'):
            for host in ('localhost', '127.0.0.1'):
                with self.subTest(scheme=scheme, host=host), self.pool(self.certificates.good) as pool:
                    with Miner('%s://%s:%d' % (scheme, host, pool.port), '--cert', self.certificates.ca) as miner:
                        miner.wait_for('share accepted')
                        self.assertIn('(TLS)', miner.text())
                        self.assertEqual(pool.stop()['rejected'], 0)

    def test_a_self_signed_certificate_may_be_the_one_that_is_trusted(self):
        with self.pool(self.certificates.self_signed) as pool, \
                Miner('stratum+ssl://localhost:%d' % pool.port, '--cert', self.certificates.self_signed) as miner:
            miner.wait_for('share accepted')

    def test_bad_certificates_are_refused_by_name_and_pass_only_with_no_verify(self):
        for cert, trusted, cause in ((self.certificates.self_signed, self.certificates.ca, 'self-signed certificate'),
                                     (self.certificates.good, None, 'unable to get local issuer certificate'),
                                     (self.certificates.expired, self.certificates.ca, 'certificate has expired'),
                                     (self.certificates.other, self.certificates.ca, 'does not match|no alternative certificate subject name')):
            trust = ['--cert', trusted] if trusted else []
            with self.subTest(cause=cause), self.pool(cert) as pool:
                url = 'stratum+ssl://localhost:%d' % pool.port
                with Miner(url, *trust, '-r', '0') as miner:
                    miner.wait_for('cannot connect: ')
                    miner.run.wait(PATIENCE)
                    self.assertEqual(miner.run.returncode, 3)
                    self.assertRegex(miner.text(), cause)
                    self.assertNotIn('> {', miner.text())       # not a line went out
                    self.assertNotIn('NOT VERIFIED', miner.text())
                with Miner(url, *trust, '--no-verify') as miner:
                    miner.wait_for('share accepted')
                    self.assertIn('WILL NOT BE VERIFIED', miner.text())
                    self.assertIn('(TLS, NOT VERIFIED)', miner.text())
                self.assertGreater(pool.stop()['accepted'], 0)

    def refused_in_time(self, port):
        start = time.time()
        with Miner('stratum+tls://127.0.0.1:%d' % port, '-r', '0') as miner:
            miner.wait_for('cannot connect: ')
            self.assertLess(time.time() - start, 10)
            miner.wait_for('does this port speak TLS?')
            self.assertNotIn('> {', miner.text())

    @holds_once
    def test_a_plain_pool_behind_a_tls_url_is_refused_within_ten_seconds(self):
        heard = []

        def answer(client):
            heard.append(client.recv(1000))
            client.sendall(b'{"id":null,"result":null,"error":[20,"Not JSON",null]}\n')
            heard.append(client.recv(1000))

        def be_silent(client):
            while True:
                bytes = client.recv(1000)
                heard.append(bytes)
                if not bytes:
                    break
        with Pool() as pool:
            self.refused_in_time(pool.port)
        with Listener(answer) as pool:
            self.refused_in_time(pool.port)
        with Listener(be_silent) as pool:
            self.refused_in_time(pool.port)
        self.assertNotIn(b'mining.', b''.join(heard))

    def test_a_missing_certificate_file_is_refused_at_the_start(self):
        got = subprocess.run([ADIT, '-o', 'stratum+ssl://h:1', '--cert', '/nonexistent/ca.pem'], capture_output=True, text=True)
        self.assertEqual(got.returncode, 2)
        self.assertIn('/nonexistent/ca.pem', got.stderr)


class Https(unittest.TestCase):
    """A node behind TLS, by either of its protocols. An RPC answer of getwork is made of a template's easy target."""
    WORK = {'data': '20000000' + '0' * 56 + '1' * 80 + '65a0b1c0' + '1d00ffff' + '00000000' + '80' + '0' * 78 + '80020000',
            'target': '0' * 54 + 'f0ff0f0000'}
    METHODS = ('getblocktemplate', ['--coinbase-addr', node.A]), ('getwork', [])

    @classmethod
    def setUpClass(cls):
        cls.certificates = Certificates()

    @classmethod
    def tearDownClass(cls):
        cls.certificates.remove()

    @contextlib.contextmanager
    def node(self, cert):
        """The node, and the relay before it."""
        template = node.mod(bits='207fffff', target='00000f' + 'f' * 58)
        blocks = node.gbt(template, None)

        def answer(server, handler, request):
            if request['method'] != 'getwork':
                return blocks(server, handler, request)
            handler.rep(200, {'result': True if request.get('params') else self.WORK, 'error': None, 'id': request['id']})
        server = node.Node(rpc=answer)
        try:
            with TlsRelay(server.port, cert) as relay:
                yield server, relay
        finally:
            server.srv.shutdown()
            server.srv.server_close()

    def test_shares_are_accepted_when_the_ca_or_the_certificate_itself_is_trusted(self):
        for method, args in self.METHODS:
            for cert, trusted in ((self.certificates.good, self.certificates.ca), (self.certificates.self_signed,) * 2):
                with self.subTest(method=method, cert=cert), self.node(cert) as (server, relay):
                    with Miner('https://localhost:%d/' % relay.port, '--cert', trusted, *args) as miner:
                        miner.wait_for('mining by ' + method)
                        miner.wait_for('share accepted')
                        self.assertIn('(TLS)', miner.text())
                        self.assertNotIn('rejected,', miner.text())
                    self.assertEqual(relay.refused, [])

    def test_others_are_refused_by_name_and_pass_only_with_no_verify(self):
        for method, args in self.METHODS:
            for cert, trusted, cause in ((self.certificates.good, None, 'unable to get local issuer certificate'),
                                         (self.certificates.self_signed, self.certificates.ca, 'self-signed certificate'),
                                         (self.certificates.expired, self.certificates.ca, 'certificate has expired'),
                                         (self.certificates.other, self.certificates.ca,
                                          'does not match|no alternative certificate subject name')):
                trust = ['--cert', trusted] if trusted else []
                with self.subTest(method=method, cause=cause), self.node(cert) as (server, relay):
                    url = 'https://localhost:%d/' % relay.port
                    with Miner(url, *trust, '-r', '0', *args) as miner:
                        self.assertEqual(miner.run.wait(PATIENCE), 3)
                        miner.wait_for('giving up')
                        self.assertRegex(miner.text(), cause)
                        self.assertNotIn('NOT VERIFIED', miner.text())
                        self.assertEqual(server.n, 0)           # not one request came
                    with Miner(url, *trust, '--no-verify', *args) as miner:
                        miner.wait_for('share accepted')
                        self.assertIn('WILL NOT BE VERIFIED', miner.text())
                        self.assertIn('(TLS, NOT VERIFIED)', miner.text())

    def test_a_plain_node_behind_an_https_url_hears_no_request(self):
        heard = []

        def listen(client):
            heard.append(client.recv(10000))
            client.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}')
        with Listener(listen) as server:
            for args in ([], ['--no-verify']):
                with Miner('https://127.0.0.1:%d/' % server.port, '-r', '1', '-R', '0', *args) as miner:
                    self.assertEqual(miner.run.wait(PATIENCE), 3)
        self.assertGreaterEqual(len(heard), 2)
        for data in heard:
            self.assertEqual(data[:1], b'\x16')        # TLS's handshake
            self.assertNotIn(b'HTTP', data)

    def test_a_record_of_a_node_can_be_played_again(self):
        for method, args in self.METHODS:
            with self.subTest(method=method), tempfile.TemporaryDirectory() as folder, \
                    self.node(self.certificates.good) as (server, relay):
                path = os.path.join(folder, 'session.gz')
                with Miner('https://127.0.0.1:%d/' % relay.port, '--cert', self.certificates.ca, '--record', path, *args) as miner:
                    miner.wait_for('share accepted')
                # the miner finds other shares, but they meet the same job, and get the verdict of then
                with Pool('--replay', path) as pool, Miner('http://localhost:%d/' % pool.port, *args) as miner:
                    miner.wait_for('mining by ' + method)
                    miner.wait_for('share accepted')
                with Pool('--replay', path, '--tls', self.certificates.pair(self.certificates.good)) as pool, \
                        Miner('https://localhost:%d/' % pool.port, '--cert', self.certificates.ca, *args) as miner:
                    miner.wait_for('share accepted')


def read_exactly(client, count):
    data = b''
    while len(data) < count:
        more = client.recv(count - len(data))
        if not more:
            raise OSError('closed')
        data += more
    return data


def read_to_zero(client):
    data = b''
    while not data.endswith(b'\0'):
        data += read_exactly(client, 1)
    return data[:-1].decode()


class Proxy:
    """http CONNECT, SOCKS 4a or 5. Notes the names it is asked for; all of them lead to loopback."""
    def __init__(self, kind):
        self.asked, self.logins = [], []
        self.listener = Listener(getattr(self, kind))
        self.port = self.listener.port

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.listener.server.close()

    def relay(self, client, host, port, welcome):
        self.asked.append(host)
        with socket.create_connection(('127.0.0.1', port)) as pool:
            client.sendall(welcome)
            relay(client, pool)

    def http(self, client):
        head = b''
        while not head.endswith(b'\r\n\r\n'):
            head += read_exactly(client, 1)
        login = re.search(rb'Proxy-Authorization: Basic (\S+)', head)
        if login:
            self.logins.append(login.group(1).decode())
        host, port = re.match(rb'CONNECT (\S+):(\d+) HTTP/1.1\r\n', head).groups()
        self.relay(client, host.decode(), int(port), b'HTTP/1.1 200 Here you are\r\nVia: a proxy\r\n\r\n')

    def socks5h(self, client):
        _, count = read_exactly(client, 2)
        methods = read_exactly(client, count)
        if 2 in methods:
            client.sendall(b'\x05\x02')
            _, length = read_exactly(client, 2)
            user = read_exactly(client, length)
            self.logins.append((user + b':' + read_exactly(client, read_exactly(client, 1)[0])).decode())
            client.sendall(b'\x01\x00')
        else:
            client.sendall(b'\x05\x00')
        _, command, _, kind = read_exactly(client, 4)
        if command != 1 or kind != 3:       # 3: a name
            self.asked.append('kind %d' % kind)
            return
        host = read_exactly(client, read_exactly(client, 1)[0]).decode()
        port = int.from_bytes(read_exactly(client, 2), 'big')
        self.relay(client, host, port, b'\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x00')

    def socks4a(self, client):
        _, command, high, low, *address = read_exactly(client, 8)
        self.logins.append(read_to_zero(client))
        if command != 1 or address[:3] != [0, 0, 0] or address[3] == 0:     # 0.0.0.x: a name follows
            self.asked.append('address %s' % address)
            return
        self.relay(client, read_to_zero(client), high << 8 | low, b'\x00\x5a\x00\x00\x00\x00\x00\x00')


class Proxies(unittest.TestCase):
    def test_a_name_not_an_address_reaches_every_kind_of_proxy(self):
        for kind in ('http', 'socks4a', 'socks5h'):
            with self.subTest(kind=kind), Pool() as pool, Proxy(kind) as proxy:
                with Miner('stratum+tcp://pool.test:%d' % pool.port, '--proxy', '%s://127.0.0.1:%d' % (kind, proxy.port)) as miner:
                    miner.wait_for('share accepted')
                self.assertEqual(set(proxy.asked), {'pool.test'})
                self.assertEqual(pool.stop()['rejected'], 0)

    def test_a_proxys_login_is_sent_to_it_and_shown_nowhere(self):
        for kind, login in (('http', 'bWU6aHVzaC1odXNo'), ('socks5h', 'me:' + SECRET)):
            with self.subTest(kind=kind), Pool() as pool, Proxy(kind) as proxy:
                with Miner('stratum+tcp://pool.test:%d' % pool.port,
                           '--proxy', '%s://me:%s@127.0.0.1:%d' % (kind, SECRET, proxy.port)) as miner:
                    miner.wait_for('share accepted')
                    self.assertNotIn(SECRET, miner.command_line())
                    self.assertNotIn(SECRET, miner.text())
                self.assertEqual(proxy.logins[-1], login)

    def test_tls_goes_through_a_proxy_and_is_verified_for_the_name(self):
        with Certificates() as certificates, Pool('--tls', certificates.pair(certificates.other)) as pool, Proxy('socks5h') as proxy:
            for name, says in (('other.example', 'share accepted'), ('pool.test', 'cannot connect: ')):
                with Miner('stratum+ssl://%s:%d' % (name, pool.port), '--cert', certificates.ca,
                           '--proxy', 'socks5h://127.0.0.1:%d' % proxy.port) as miner:
                    miner.wait_for(says)

    def test_a_node_is_asked_through_the_proxy_too(self):
        heard = []

        def answer(client):
            heard.append(client.recv(10000))
        for kind in ('http', 'socks4a', 'socks5h'):
            with self.subTest(kind=kind), Listener(answer) as node, Proxy(kind) as proxy:
                with Miner('http://node.test:%d/' % node.port, '--proxy', '%s://127.0.0.1:%d' % (kind, proxy.port)) as miner:
                    miner.wait_for('next attempt')
                self.assertEqual(set(proxy.asked), {'node.test'})
                self.assertIn(b'Host: node.test:%d' % node.port, heard[-1])

    def test_a_reconnect_leads_to_another_host_of_the_domain_and_back(self):
        """Which host is connected to shows in what the proxy is asked for."""
        visits = []

        def serve(client):
            visits.append(client)
            number = len(visits)
            for line in client.makefile('rb'):
                message = json.loads(line)
                result = [[], 'a1b2c3d4', 4] if message['method'] == 'mining.subscribe' else True
                client.sendall((json.dumps({'id': message['id'], 'result': result, 'error': None}) + '\n').encode())
                if message['method'] == 'mining.authorize':
                    if number == 2:
                        return
                    for host in ['evil.test', 'us.pool.test'] if number == 1 else []:
                        client.sendall((json.dumps({'id': None, 'method': 'client.reconnect', 'params': [host, pool.port]}) + '\n').encode())
        with Listener(serve) as pool, Proxy('socks5h') as proxy:
            with Miner('stratum+tcp://eu.pool.test:%d' % pool.port, '--proxy', 'socks5h://127.0.0.1:%d' % proxy.port) as miner:
                miner.wait_for('it leads to another host')
                end = time.time() + PATIENCE
                while len(proxy.asked) < 3 and time.time() < end:
                    time.sleep(0.05)
            self.assertEqual(proxy.asked[:3], ['eu.pool.test', 'us.pool.test', 'eu.pool.test'])

    def test_proxies_of_the_environment_are_not_used(self):
        with Pool() as pool, Proxy('http') as proxy:
            env = {name: 'http://127.0.0.1:%d' % proxy.port for name in ('http_proxy', 'https_proxy', 'ALL_PROXY', 'all_proxy')}
            with Miner('stratum+tcp://localhost:%d' % pool.port, env=env) as miner:
                miner.wait_for('share accepted')
            self.assertEqual(proxy.asked, [])

    def test_nor_are_exceptions_of_the_environment(self):
        with Pool() as pool, Proxy('http') as proxy:
            with Miner('stratum+tcp://localhost:%d' % pool.port, '--proxy', 'http://127.0.0.1:%d' % proxy.port,
                       env={'no_proxy': '*', 'NO_PROXY': '*'}) as miner:
                miner.wait_for('share accepted')
            self.assertEqual(set(proxy.asked), {'localhost'})

    def test_a_proxy_that_resolves_nothing_itself_is_refused(self):
        for proxy in ('socks5://me:%s@h:1' % SECRET, 'socks4://h:1', 'h:1'):
            got = subprocess.run([ADIT, '-o', 'h:1', '--proxy', proxy], capture_output=True, text=True)
            self.assertEqual(got.returncode, 2)
            self.assertIn('neither http, socks4a nor socks5h', got.stderr)
            self.assertNotIn(SECRET, got.stderr)


class Secrets(unittest.TestCase):
    def logged_in(self, *args, url='stratum+tcp://%s:%d', login=(), env=None, want='demo'):
        """What is sent as user and password; and nothing else may show the password."""
        heard = []
        sent = threading.Event()

        def serve(client):
            lines = client.makefile('rb')
            for line in lines:
                message = json.loads(line)
                if message['method'] == 'mining.authorize':
                    heard.append(message['params'])
                    sent.set()
                result = [[], 'a1b2c3d4', 4] if message['method'] == 'mining.subscribe' else True
                client.sendall((json.dumps({'id': message['id'], 'result': result, 'error': None}) + '\n').encode())
        with Listener(serve) as pool, Miner(url % ('127.0.0.1', pool.port), *args, login=login, env=env) as miner:
            self.assertTrue(sent.wait(PATIENCE), miner.text())
            miner.wait_for('logged in as %s' % want)
            self.assertNotIn(SECRET, miner.command_line())
            out = miner.stop()
            self.assertNotIn(SECRET, miner.text())
            self.assertNotIn(SECRET, out)
        return heard[0]

    def test_a_password_leaves_the_command_line_however_it_was_given(self):
        for login in (['-u', 'demo', '-p', SECRET], ['-u', 'demo', '-p' + SECRET], ['-u', 'demo', '--pass', SECRET],
                      ['-u', 'demo', '--pass=' + SECRET], ['-O', 'demo:' + SECRET], ['--userpass=demo:' + SECRET]):
            with self.subTest(login=login):
                self.assertEqual(self.logged_in(login=login), ['demo', SECRET])

    def test_a_login_in_the_url_is_masked(self):
        self.assertEqual(self.logged_in(url='stratum+tcp://demo:' + SECRET + '@%s:%d'), ['demo', SECRET])

    def test_a_password_may_come_from_a_file_or_the_environment(self):
        with tempfile.NamedTemporaryFile('w') as file:
            file.write(SECRET + '\r\nmore\n')
            file.flush()
            self.assertEqual(self.logged_in(login=['-u', 'demo', '--pass-file', file.name]), ['demo', SECRET])
            self.assertEqual(self.logged_in(login=['-u', 'demo'], env={'ADIT_PASS': SECRET}), ['demo', SECRET])
            self.assertEqual(self.logged_in(login=['-u', 'demo', '-p', 'x'], env={'ADIT_PASS': SECRET}), ['demo', 'x'])
            with tempfile.NamedTemporaryFile('w', suffix='.json') as config:
                json.dump({'pass-file': file.name, 'user': 'demo'}, config)
                config.flush()
                self.assertEqual(self.logged_in(login=['-c', config.name]), ['demo', SECRET])

    def test_an_unusable_password_file_is_refused(self):
        with tempfile.NamedTemporaryFile('w') as file:
            for path, says in ((file.name, 'no line'), ('/nonexistent/pass', 'No such file'), ('/dev/zero', 'no text')):
                got = subprocess.run([ADIT, '-o', 'h:1', '--pass-file', path], capture_output=True, text=True, timeout=PATIENCE)
                self.assertEqual(got.returncode, 2)
                self.assertEqual(path in got.stderr, os.path.exists(path))      # else it may be the password itself
                self.assertIn(says, got.stderr)


class Rolling(unittest.TestCase):
    def mine(self, algo, *args, mask=ROLLED):
        with Pool('--version-mask', mask, algo=algo) as pool, Miner('stratum+tcp://localhost:%d' % pool.port, '-a', algo, *args) as miner:
            end = time.time() + PATIENCE
            while time.time() < end and miner.text().count('share accepted') < 5:
                time.sleep(0.05)
            text = miner.text()
            miner.stop()
            summary = pool.stop()
            self.assertGreaterEqual(summary['accepted'], 5, text)
            self.assertEqual(summary['rejected'], 0, summary)
        return [json.loads(line) for line in re.findall(r'> (\{.*"mining\.submit".*\})', text)]

    def test_rolled_shares_have_six_parameters_and_are_good(self):
        for algo in ('sha256d', 'lyra2rev2'):
            for share in self.mine(algo):
                self.assertEqual(len(share['params']), 6)
                self.assertRegex(share['params'][5], r'^[0-9a-f]{8}$')
                self.assertEqual(int(share['params'][5], 16) & ~int(ROLLED, 16), 0)

    def test_it_can_be_switched_off(self):
        for share in self.mine('sha256d', '--no-version-rolling'):
            self.assertEqual(len(share['params']), 5)


class Record(unittest.TestCase):
    def lines(self, path):
        """All that can be read."""
        lines = []
        with gzip.open(path, 'rt') as file:
            try:
                for line in file:
                    lines.append(json.loads(line))
            except EOFError:
                pass
        return lines

    def test_a_record_can_be_read_after_the_end_and_after_a_kill(self):
        with tempfile.TemporaryDirectory() as folder:
            for end in (signal.SIGTERM, signal.SIGKILL):
                path = os.path.join(folder, 'session-%d.gz' % end)
                with Pool('--job-interval', '1') as pool, \
                        Miner('stratum+tcp://demo:%s@localhost:%d' % (SECRET, pool.port), '--record', path, login=()) as miner:
                    miner.wait_for('share accepted')
                    time.sleep(2.5)
                    miner.run.send_signal(end)
                    miner.run.wait(PATIENCE)
                    lines = self.lines(path)
                    self.assertEqual(lines[0], {'adit-record': 2, 'algo': 'sha256d', 'pools': ['stratum+tcp://***@localhost:%d' % pool.port]})
                    for line in lines[1:]:
                        self.assertEqual(set(line), {'t', 'pool', 'conn', 'dir', 'line'})
                    text = json.dumps(lines)
                    self.assertNotIn(SECRET, text)
                    for part in ('mining.subscribe', 'mining.authorize', 'mining.notify', 'mining.submit', '***'):
                        self.assertIn(part, text)

    def test_devpool_plays_a_record_again(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'session.gz')
            with Pool('--job-interval', '1') as pool, Miner('stratum+tcp://localhost:%d' % pool.port, '--record', path) as miner:
                miner.wait_for('share accepted')
                miner.stop()
            with Pool('--replay', path) as pool, Miner('stratum+tcp://localhost:%d' % pool.port) as miner:
                miner.wait_for('logged in as demo')
                miner.wait_for('difficulty')

    def test_several_pools_are_told_apart_and_each_can_be_played(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'session.gz')
            with Pool('--user', 'demo') as first, Pool('--user', 'other') as second:
                with processes.Miner('-o', '127.0.0.1:%d' % first.port, '-u', 'demo', '-o', '127.0.0.1:%d' % second.port, '-u', 'other',
                                     '-t', '1', '--strategy', 'quota', '--record', path) as miner:
                    for pool in first, second:
                        miner.wait_for('pool 127.0.0.1:%d: difficulty' % pool.port)
            lines = self.lines(path)
            self.assertEqual(lines[0]['pools'], ['127.0.0.1:%d' % first.port, '127.0.0.1:%d' % second.port])
            for number, user in ((1, 'demo'), (2, 'other')):
                logins = [line['line'] for line in lines[1:] if line['pool'] == number and 'authorize' in line['line']]
                self.assertEqual([json.loads(login)['params'][0] for login in logins], [user])
                with Pool('--replay', path, '--replay-pool', str(number)) as pool, \
                        Miner('127.0.0.1:%d' % pool.port, login=('-u', user)) as miner:
                    miner.wait_for('logged in as ' + user)
                    miner.wait_for('difficulty')

    def test_what_is_no_regular_file_is_refused_at_once(self):
        with tempfile.TemporaryDirectory() as folder:
            fifo = os.path.join(folder, 'fifo')
            os.mkfifo(fifo)
            for path in fifo, '/dev/full':
                got = subprocess.run([ADIT, '-o', 'h:1', '--record', path], capture_output=True, text=True, timeout=PATIENCE)
                self.assertEqual(got.returncode, 1)
                self.assertIn('record %s: it is not a regular file' % path, got.stderr)
                self.assertEqual(got.stderr.count('\n'), 1)


if __name__ == '__main__':
    unittest.main()

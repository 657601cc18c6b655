#!/usr/bin/env python3
"""
Pools and nodes that send back the password they were given, in every kind of message and in many spellings, and then
a look at all that the program wrote: log, dump, record, JSON, and what is left of its command line. ADIT and DEVPOOL
name the programs.
"""
import base64, binascii, gzip, html.entities, json, os, re, subprocess, sys, tempfile, threading, unittest, urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'cases'))
import node
from processes import ADIT, PATIENCE, Listener, Miner

EASY = 1e-9
NOTIFY = ['%064x' % 5, '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff0a',
          'ffffffff0100f2052a010000000151' + '00000000', [], '20000000', '1d00ffff', '65a0b1c0', True]
# one hash in a million is a share
GETWORK = {'data': '2000000018273645d6e7f80992a3b4c55e6f70810a2b3c4d00034e1f0000000000000000b5a79192b5224a5161bf67c6f1fc6823fb9d4e42'
                   '3187d706e0b14c98525be86e65a0b1c01d00ffff000000000000008000000000000000000000000000000000000000000000000000000000'
                   '00000000000000000000000080020000',
           'target': '000000000000000000000000000000000000000000000000000000f0ff0f0000'}


def json_escaped(secret):
    units = secret.encode('utf-16-be')
    return ''.join('\\u%02X%02x' % (units[i], units[i + 1]) for i in range(0, len(units), 2))


def in_json(text):
    return json.dumps(text, ensure_ascii=False)[1:-1]


def basic(secret):
    return base64.b64encode(('demo:' + secret).encode()).decode()


# A secret as it may stand within the quotes of a JSON text.
SPELLINGS = {
    'plain': in_json,
    'ascii': lambda s: json.dumps(s)[1:-1],
    'slashes': lambda s: in_json(s).replace('/', '\\/'),
    'escaped': json_escaped,
    'one letter escaped': lambda s: '\\u%04x' % ord(s[0]) + in_json(s[1:]),
    'json in json': lambda s: in_json(json_escaped(s)),
    'json in json in json': lambda s: in_json(in_json(in_json(s))),
    'percent': lambda s: urllib.parse.quote(s, safe=''),
    'percent, all': lambda s: ''.join('%%%02x' % b for b in s.encode()),
    'percent twice': lambda s: urllib.parse.quote(urllib.parse.quote(s, safe='')),
    'form': urllib.parse.quote_plus,
    'HTML': lambda s: in_json(html.escape(s)),
    'HTML, named': lambda s: ''.join('&%s;' % NAMES[c] if c in NAMES else c for c in s),
    'HTML, decimal': lambda s: ''.join('&#%d;' % ord(c) for c in s),
    'HTML, hex, in a form': lambda s: urllib.parse.quote_plus(''.join('&#x%X;' % ord(c) for c in s)),
    'basic': lambda s: 'Basic ' + basic(s),
    'base64 alone': lambda s: base64.b64encode(s.encode()).decode(),
    'base64 of URLs': lambda s: base64.urlsafe_b64encode(('x:' + s).encode()).decode(),
    'base64, slashes': lambda s: basic(s).replace('/', '\\/'),
    'base64, percent': lambda s: urllib.parse.quote(basic(s), safe=''),
}
NAMES = {chr(point): name for name, point in html.entities.name2codepoint.items()} | {'%': 'percnt', '/': 'sol', '\\': 'bsol', '+': 'plus'}
ANYWHERE = 'hu/sh-"hu%sh\\\u00e9\u20ac'
SPACED = 'hu sh+<"hu&sh\\\u00e9\u20ac'       # not for URLs and headers
WORDS = ['h7sh!', 'deadbeef0042']


def readings(text):
    """The text, what it may mean, and what that may mean."""
    seen, new = set(), [text]
    for _ in range(4):
        more = []
        for one in new:
            more.append(urllib.parse.unquote(one, errors='replace'))
            more.append(re.sub(r'\\u([0-9a-fA-F]{4})', lambda m: chr(int(m.group(1), 16)), one))
            more.append(re.sub(r'\\(["\\/])', r'\1', one))
            more.append(urllib.parse.unquote_plus(one, errors='replace'))
            more.append(html.unescape(one))
        seen.update(new)
        new = [one for one in set(more) if one not in seen]
    return seen | set(new)


def base64_readings(text):
    for run in re.findall(r'[A-Za-z0-9+/_-]{6,}', text):
        run = run.replace('-', '+').replace('_', '/')
        for start in range(4):
            part = run[start:]
            try:
                yield base64.b64decode(part[:len(part) - (len(part) % 4 == 1)] + '=' * (-len(part) % 4 % 3))
            except (binascii.Error, ValueError):
                pass


class Echo(unittest.TestCase):
    def assert_hidden(self, secret, text, what):
        for one in readings(text):
            at = one.find(secret)
            self.assertEqual(at, -1, '%s shows it: %s' % (what, one[max(at - 150, 0):at + 150]))
            for raw in base64_readings(one):
                self.assertNotIn(secret.encode(), raw, '%s shows it in base64' % what)

    def run_on(self, url, secret, wanted, *args, login=None):
        """Mine until all that is wanted is in the log; nothing may show the secret. All that was written."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'session.gz')
            with Miner('-o', url, *(login or ('-u', 'demo', '-p', secret)), '-t', '1', '-R', '0', '-D', '-P', '--json',
                       '--record', path, *args) as miner:
                for text in wanted:
                    miner.wait_for(text)
                command_line = miner.command_line()
                out = miner.stop()
            with gzip.open(path, 'rt') as file:
                record = file.read()
        for what, text in (('log', miner.text()), ('stdout', out), ('record', record), ('command line', command_line)):
            self.assert_hidden(secret, text, what)
        return miner.text(), record

    def stratum(self, secret, spell, *args, login=None):
        spelled = spell(secret)
        kinds, logins = [], []

        def echo(kind):
            kinds.append(kind)
            return '%s=%s;' % (kind, spelled)

        def serve(client):
            say = lambda text: client.sendall(text.encode() + b'\n')
            for line in client.makefile('rb'):
                request = json.loads(line)
                number, method = request.get('id'), request.get('method')
                if method == 'mining.subscribe':
                    say('{"id":%d,"result":[[["mining.notify","%s"]],"a1b2c3d4",4],"error":null}' % (number, echo('session')))
                    say('{"id":null,"method":"client.show_message","params":["%s"]}' % echo('message'))
                elif method == 'mining.authorize':
                    logins.append(request['params'])
                    refusals = ['[20,"%s",null]' % echo('array'), '{"code":1,"message":"%s"}' % echo('object'),
                                '"%s"' % echo('string')]
                    if len(logins) <= len(refusals):
                        say('{"id":%d,"result":false,"error":%s}' % (number, refusals[len(logins) - 1]))
                        return
                    say('{"id":%d,"result":true,"error":null}' % number)
                    say('{"id":null,"result":null,"error":[20,"%s",null]}' % echo('stray'))
                    say(echo('bad line'))
                    for begun in range(40, 60, 3):  # a log line quotes 60 bytes: no half of it either
                        say('.' * begun + '"' + spelled)
                        say('{"id":null,"method":"mining.ping","params":[]}')
                    say('{"id":null,"method":"%s","params":[]}' % echo('method'))
                    say('{"id":8,"method":"%s","params":[]}' % echo('method asked'))
                    say('{"id":null,"method":"mining.set_difficulty","params":["%s"]}' % echo('difficulty'))
                    say('{"id":null,"method":"client.reconnect","params":["%s",1]}' % echo('host'))
                    say('{"id":null,"method":"client.show_message","params":["%s%s"]}' % ('.' * 490, echo('cut')))
                    say('{"id":null,"method":"mining.set_difficulty","params":[%g]}' % EASY)
                    say('{"id":null,"method":"mining.notify","params":["%s",%s' % (echo('job'), json.dumps(NOTIFY)[1:]) + '}')
                elif method == 'mining.submit':
                    say('{"id":%d,"result":null,"error":null,"reject-reason":"%s"}' % (number, echo('share')))
        with Listener(serve) as pool:
            log, record = self.run_on('stratum+tcp://127.0.0.1:%d' % pool.port, secret, ['share=', 'host='], *args, login=login)
        for kind in kinds:                          # they came, and were written
            self.assertIn(kind + '=', record)
            self.assertIn(kind + '=', log)
        for words in ('refused: array=***', 'refused: object=***', 'refused: string=***', 'says: message=***',
                      'error: stray=***', 'line dropped, not JSON: bad line=***', 'unknown method method=***', 'ms: share=***',
                      'job job=***'):
            self.assertRegex(log, re.escape(words).replace(r'\*\*\*', r'[^;]*\*\*\*'))
        return log, record, logins

    def test_a_stratum_pool_may_say_it_as_it_likes(self):
        for name, spell in SPELLINGS.items():
            secret = SPACED if name.startswith(('form', 'HTML')) else ANYWHERE
            with self.subTest(spelling=name):
                log, record, logins = self.stratum(secret, spell)
                self.assertEqual(logins[-1], ['demo', secret])
                self.assertIn('"params":["demo","***"]', log)

    def test_short_ones_and_hex_digits_are_found_as_words(self):
        for secret in WORDS:
            for name in ('plain', 'escaped', 'percent, all', 'basic'):
                with self.subTest(secret=secret, spelling=name):
                    self.stratum(secret, SPELLINGS[name])

    def test_what_stands_behind_a_colon_in_the_user_is_one_too(self):
        log, _, logins = self.stratum(ANYWHERE, SPELLINGS['plain'], login=('-u', 'demo:' + ANYWHERE))
        self.assertEqual(logins[-1], ['demo:' + ANYWHERE, ''])
        self.assertIn('logged in as demo:***', log)

    def test_a_trivial_one_is_left_out_of_the_login_all_the_same(self):
        asked = threading.Event()

        def serve(client):
            for line in client.makefile('rb'):
                request = json.loads(line)
                if request['method'] == 'mining.authorize':
                    asked.set()
                client.sendall(json.dumps({'id': request['id'], 'result': [[], 'a1b2c3d4', 4], 'error': None}).encode() + b'\n')
        with Listener(serve) as pool, tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'session.gz')
            with Miner('-o', '127.0.0.1:%d' % pool.port, '-u', 'demo', '-p', 'x', '-P', '-R', '1', '--record', path) as miner:
                miner.wait_for('mining.authorize')
            with gzip.open(path, 'rt') as file:
                lines = [json.loads(line).get('line', '') for line in file]
        for text in [miner.text()] + lines:
            for sent in re.findall(r'"mining.authorize","params":(\[.*?\])', text):
                self.assertEqual(sent, '["demo","***"]')
        self.assertTrue(any('mining.authorize' in line for line in lines))

    def getwork(self, secret, spelled):
        """In a header there are no JSON escapes, but a pool may say so all the same."""
        asked, submitted = [], []

        def echo(kind):
            return '%s=%s;' % (kind, spelled)

        def answer(unused, handler, request):
            def reply(status, text, **headers):
                handler.rep(status, text.encode(), {name.replace('_', '-'): value.encode().decode('latin-1')
                                                    for name, value in headers.items()})
            work = '{"result":%s,"error":null,"id":1}' % json.dumps(GETWORK)
            if 'lp' in handler.path:
                return reply(500, '{"result":null,"error":{"code":1,"message":"%s"},"id":1}' % echo('long poll'))
            if request.get('params'):
                submitted.append(1)
                if len(submitted) % 2:
                    return reply(200, '{"result":false,"error":null,"id":1}', X_Reject_Reason=echo('reason'))
                return reply(200, '{"result":false,"error":{"code":1,"message":"%s"},"id":1}' % echo('verdict'))
            asked.append(handler.headers['Authorization'])
            if len(asked) == 1:
                return reply(401, '<h1>%s</h1>' % echo('page'))
            if len(asked) == 2:
                return reply(500, '{"result":null,"error":{"code":1,"message":"%s"},"id":1}' % echo('failure'))
            if len(asked) == 3:
                return reply(200, '%s not JSON' % echo('garbage'))
            return reply(200, work, X_Long_Polling='/lp?%s' % echo('path'), X_Stratum='stratum+tcp://u:%s@evil.test:1' % echo('offer'))
        server = node.Node(rpc=answer)
        try:
            log, record = self.run_on('http://127.0.0.1:%d/' % server.port, secret, ['reason=', 'verdict=', 'HTTP status 401',
                                                                                    'long poll=', 'the offer of '])
        finally:
            server.srv.shutdown()
            server.srv.server_close()
        self.assertEqual(asked[0], 'Basic ' + basic(secret))
        for kind in ('page', 'failure', 'garbage', 'path', 'long poll', 'reason', 'verdict'):
            self.assertIn(kind + '=', record)
        for words in ('getwork failed: failure=', 'ms: reason=', 'ms: verdict=', 'long polling does not work here, long poll='):
            self.assertRegex(log, re.escape(words) + r'[^;]*\*\*\*')
        self.assertRegex(log, r'the offer of stratum\+tcp://.*\*\*\*[=;]*@evil\.test:1 is not followed')
        self.assertRegex(record, r'"x-stratum":"stratum\+tcp://[^"]*\*\*\*[=;]*@evil\.test:1"')

    def test_a_getwork_node_may_say_it_in_bodies_and_headers(self):
        for name in ('ascii', 'json in json', 'percent twice', 'basic'):
            with self.subTest(spelling=name):
                self.getwork(ANYWHERE, SPELLINGS[name](ANYWHERE))
        for secret in WORDS:
            with self.subTest(secret=secret):
                self.getwork(secret, secret)

    def test_a_getblocktemplate_node_may_say_it_in_rules_and_verdicts(self):
        for name in ('plain', 'escaped', 'percent, all', 'basic'):
            with self.subTest(spelling=name):
                asked = []
                spelled = SPELLINGS[name](ANYWHERE)

                def answer(unused, handler, request):
                    template = json.dumps(node.mod(bits='207fffff', target='00000f' + 'f' * 58))
                    if request['method'] == 'submitblock':
                        text = '"verdict=%s;"' % spelled
                    else:
                        asked.append(1)
                        text = template if len(asked) > 1 else template.replace('"!segwit"', '"!rule=%s;"' % spelled)
                    handler.rep(200, ('{"result":%s,"error":null,"id":1}' % text).encode())
                server = node.Node(rpc=answer)
                try:
                    log, _ = self.run_on('http://127.0.0.1:%d/' % server.port, ANYWHERE, ['the rule !rule=', 'ms: verdict='],
                                         '--coinbase-addr', node.A)
                finally:
                    server.srv.shutdown()
                    server.srv.server_close()
                self.assertRegex(log, r'ms: verdict=[^;]*\*\*\*')


class Refusals(unittest.TestCase):
    """The program says what is wrong with an option without the part of it that may be a secret."""
    SECRET = 'hush-hush'

    def refused(self, *args, says='', secret='hush'):
        got = subprocess.run([ADIT, *args], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(got.returncode, 2, got.stderr)
        self.assertNotIn(secret, got.stdout + got.stderr)
        self.assertIn(says, got.stderr)

    def test_of_urls_that_cannot_be_parsed(self):
        for url, shown in (('stratum+tcp://u:%s%%40h:3333', 'stratum+tcp://***%40h:3333'), ('stratum+tcp://u:%s%%40h:port', '***%40***'),
                           ('u:%s%%40h:1', "'***%40h:1'"), ('http://u:%s/x@h:1/', 'http://***@h:1/'), ('u:%s:h:3333', "'***'"),
                           ('h:1:%s', "'h:1***'"), ('stratum+tcp://pool.example:%s', "'stratum+tcp://pool.example***'"),
                           ('stratum+tcp://pool.example:3333 %s', "'stratum+tcp://pool.example:3333***'"), ('%s', "'***'"),
                           ('stratum+tcp://u:%s@h:0', 'stratum+tcp://***@h:0'), ('ftp://u:%s@h:1', 'ftp://***@h:1'),
                           ('stratum+tcp://u:%%zz%s@h:1', '***@h:1'), ('u:%s@', "'***@'")):
            with self.subTest(url=url):
                self.refused('-o', url % self.SECRET, says=shown)
                self.refused('-o', 'h:1', '--proxy', url % self.SECRET, says='proxy')
                with tempfile.NamedTemporaryFile('w', suffix='.json') as config:
                    json.dump({'pools': [{'url': url % self.SECRET}]}, config)
                    config.flush()
                    self.refused('-c', config.name, says=shown)

    def test_of_other_options_and_files(self):
        secret = self.SECRET
        for args in (['-O', secret], ['-o', 'h:1', '-p', secret, 'word'], ['--passs', secret], ['--passs=' + secret],
                     ['--pass' + secret], ['-o', 'h:1', '--userpassu:' + secret], ['--' + secret, '-o', 'h:1'],
                     ['-o', 'h:1', '--pass-file', secret], ['-o', 'h:1', '--pass-file=/etc/' + secret],
                     ['-o', 'h:1', '-p', secret, '-o', 'h:0'], ['-o', 'h:1', '-O', 'u:' + secret, '--coinbase-addr', 'none']):
            with self.subTest(args=args):
                self.refused(*args)
        for text in ('{"pass": "%s"', '{"pass": "%s" x}', '{"pass": ["%s"]}', '{"pools": [{"pass": "%s"}]}', '{"userpass": "%s"}',
                     '{"pass": {"%s": 1}}', '["%s"]', '"%s"', '{"url": "u:%s@h"}'):
            with self.subTest(text=text), tempfile.NamedTemporaryFile('w', suffix='.json') as config:
                config.write(text % secret)
                config.flush()
                self.refused('-c', config.name)

    def test_a_file_name_that_may_be_the_password_is_not_shown(self):
        self.refused('-o', 'h:1', '--pass-file', self.SECRET, says='--pass-file: the file that it names cannot be found: No such file')
        for secret in self.SECRET, 'h7sh!':
            self.refused('-o', 'h:1', '-p', secret, '--cert', secret, says='certificates ***: No such file', secret=secret)
            self.refused('-o', 'h:1', '-p', secret, '--coinbase-addr', secret, says="coinbase address '***': ", secret=secret)
            for login in (['-o', 'h:1', '-p', secret], ['-o', 'u:%s@h:1' % secret], ['-o', 'h:1', '-u', 'u:' + secret]):
                with self.subTest(login=login), tempfile.TemporaryDirectory() as folder:
                    os.mkdir(os.path.join(folder, secret))
                    got = subprocess.run([os.path.abspath(ADIT), *login, '--record', secret], capture_output=True, text=True,
                                         timeout=PATIENCE, cwd=folder)
                    self.assertEqual(got.returncode, 1, got.stderr)
                    self.assertIn('record ***: Is a directory', got.stderr)
                    self.assertNotIn(secret, got.stdout + got.stderr)


if __name__ == '__main__':
    unittest.main()

#!/usr/bin/env python3
"""
Mining on a node, by getblocktemplate and getwork, played against the real program: every scripted node of
tests/cases/node.py, and below one function for each further fact. Prints a table. ADIT names the program;
arguments name cases. The nodes check every block themselves.
"""
import base64, copy, hashlib, json, os, signal, socket, subprocess, sys, tempfile, threading, time, traceback
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'cases'))
import node

ADIT = os.environ.get('ADIT', './adit')
AT_ONCE = 4
SECRET = 'hush-hush'
SANITIZED = b'__asan_init' in open(ADIT, 'rb').read()      # slow, and keeps what was freed: its leak checker counts instead
IMPOSSIBLE = '0' * 40 + 'f' * 24
SOME_A_SECOND = '00000f' + 'f' * 58      # one hash in a million
DOZENS_A_SECOND = '00007f' + 'f' * 58    # few enough for all of a second to wait
MANY_A_SECOND = '0000ff' + 'f' * 58
PATIENCE = 90       # seconds for what takes one on an idle machine
PREV = [hashlib.sha256(b'block %d' % i).hexdigest() for i in range(3000)]
W0 = {'data': '2000000018273645d6e7f80992a3b4c55e6f70810a2b3c4d00034e1f0000000000000000b5a79192b5224a5161bf67c6f1fc6823fb9d4e42'
              '3187d706e0b14c98525be86e65a0b1c01d00ffff000000000000008000000000000000000000000000000000000000000000000000000000'
              '00000000000000000000000080020000',
      'target': '000000000000000000000000000000000000000000000000000000f0ff0f0000'}


def template(**changes):
    return node.mod(**dict({'bits': '207fffff', 'target': SOME_A_SECOND}, **changes))


def result(value):
    return 200, {'result': value, 'error': None}


def refusal(code, message, status=500):
    return status, {'result': None, 'error': {'code': code, 'message': message}}


NOT_FOUND = refusal(-32601, 'Method not found', 404)


class Play:
    """The program against a node whose answers are the methods of a table: params -> (status, reply[, headers])."""

    def __init__(self, methods, *options, addr=node.A, address=True):
        self.methods, self.calls, self.lock = methods, [], threading.Lock()
        self.node = node.Node(rpc=self.answer)
        self.out = tempfile.TemporaryFile()
        self.command = [ADIT, '-a', 'sha256d', '-o', 'http://127.0.0.1:%d' % self.node.port, '-u', 'user', '-p', SECRET,
                        '-t', '1', '-R', '1', '-D', '--json'] + (['--coinbase-addr', addr] if address else []) + list(options)
        self.start = time.time()
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=self.out)

    def answer(self, unused, handler, request):
        method, params = request.get('method'), request.get('params') or []
        longpoll = 'longpoll' in handler.path or bool(params and isinstance(params[0], dict) and params[0].get('longpollid'))
        with self.lock:
            self.calls.append((time.time(), method, longpoll, params, handler.headers.get('Authorization')))
        answer = self.methods.get(method, lambda p, lp: NOT_FOUND)(params, longpoll)
        if answer is None:          # hang up
            handler.close_connection = True
            handler.connection.shutdown(socket.SHUT_RDWR)
            return
        status, reply = answer[0], answer[1]
        handler.rep(status, dict(reply, id=request.get('id')) if isinstance(reply, dict) else reply, *answer[2:])

    def times(self, method, longpoll=None):
        with self.lock:
            return [c[0] for c in self.calls if c[1] == method and longpoll in (None, c[2])]

    def wait(self, seconds, until=lambda: False):
        end = time.time() + seconds
        while time.time() < end and not until() and self.process.poll() is None:
            time.sleep(0.02)
        return until()

    def cpu_s(self):
        with open('/proc/%d/stat' % self.process.pid) as stat:
            return sum(map(int, stat.read().rsplit(')', 1)[1].split()[11:13])) / os.sysconf('SC_CLK_TCK')

    def rss_kb(self):
        with open('/proc/%d/status' % self.process.pid) as status:
            return next(int(line.split()[1]) for line in status if line.startswith('VmRSS'))

    def finish(self, early=False):
        """End the run; the standing checks. Returns the log; the totals are in self.shares."""
        ended = self.process.poll()
        begun = time.time()
        if ended is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            totals = self.process.communicate(timeout=30)[0]
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError('does not end')
        self.node.srv.shutdown()
        self.node.srv.server_close()
        self.out.seek(0)
        log = self.log = self.out.read().decode('utf8', 'replace')
        assert (ended is not None) == early, 'ended by itself with %s' % ended
        assert time.time() - begun < (20 if SANITIZED else 2.2), 'took %.1f s to end' % (time.time() - begun)
        assert early or self.process.returncode == 0, 'exit status %d' % self.process.returncode
        assert SECRET not in log and base64.b64encode(('user:' + SECRET).encode()).decode() not in log, 'the password is in the output'
        assert 'Sanitizer' not in log and 'runtime error' not in log, 'sanitizer report'
        if totals:
            self.shares = json.loads(totals)['shares']
        return log


def play(methods, seconds, *options, until=lambda p: False, **how):
    p = Play(methods, *options, **how)
    p.wait(seconds, lambda: until(p))
    p.finish()
    return p


class Chain:
    """A node whose block can change; every block is checked against the template it was made of."""

    def __init__(self, t, script=node.W, verdict=None):
        self.t, self.script, self.verdict, self.verdicts, self.blocks = t, script, verdict, [], []
        self.known = {}
        self.changed = threading.Event()

    def change(self, t):
        self.t = t
        self.changed.set()

    def longpoll(self):
        return self.fetch()

    def fetch(self):
        t = self.t
        self.known[(t['previousblockhash'], len(t['transactions']))] = t
        return result(t)

    def getblocktemplate(self, params, longpoll):
        assert {'segwit', 'signet', 'mweb'} <= set(params[0]['rules'])
        return self.longpoll() if longpoll else self.fetch()

    def submitblock(self, params, longpoll):
        raw = bytes.fromhex(params[0])
        r = node.Rd(raw[80:])
        prev, count = raw[4:36][::-1].hex(), r.v() - 1
        t = self.known.get((prev, count))
        faults = node.verify(params[0], t, self.script)[0] if t else ['unknown template']
        self.blocks.append((time.time(), prev, count, faults, params))
        verdict = self.verdict(len(self.blocks)) if self.verdict else result(None)
        if faults:
            verdict = result(faults[0])
        self.verdicts.append(verdict)
        return verdict

    @property
    def methods(self):
        return {'getblocktemplate': self.getblocktemplate, 'submitblock': self.submitblock}

    def check(self, least=1):
        assert len(self.blocks) >= least, '%d blocks' % len(self.blocks)
        bad = [b[3] for b in self.blocks if b[3]]
        assert not bad, 'bad blocks: %s' % bad[:3]


class QuietChain(Chain):
    """Its long polls answer when the block changes."""

    def longpoll(self):
        self.changed.wait(30)
        self.changed.clear()
        return self.fetch()


FACTS = []


def fact(function):
    FACTS.append(function)
    return function


def scripted(name):
    t, script, address = node.C[name]
    need = t.get('_need', [])
    shown = {k: v for k, v in t.items() if k != '_need'}
    verdicts = []

    def getblocktemplate(params, longpoll):
        if longpoll:
            time.sleep(20)
        if not set(need) <= set(params[0].get('rules', [])):
            return refusal(-8, 'getblocktemplate must be called with the %s rule set' % need)
        return result(shown)

    def submitblock(params, longpoll):
        faults = node.verify(params[0], shown, script)[0]
        verdicts.append(faults or 'ok')
        return result(faults[0] if faults else None)

    p = play({'getblocktemplate': getblocktemplate, 'submitblock': submitblock}, PATIENCE, addr=address, until=lambda p: len(verdicts) >= 2)
    assert len(verdicts) >= 2 and set(map(str, verdicts)) == {'ok'}, verdicts[:3]
    return '%d blocks ok, %d accepted' % (len(verdicts), p.shares['accepted'])


@fact
def G01_an_unknown_rule_is_explained():
    p = play({'getblocktemplate': lambda a, lp: refusal(-8, 'getblocktemplate must be called with the moon rule set')}, 4)
    assert 'must be called with the moon rule set' in p.log
    assert len(p.times('getblocktemplate')) <= 4, 'a storm'
    p = play({'getblocktemplate': lambda a, lp: result(template(rules=['!moon']))}, 2)
    assert 'the rule !moon' in p.log


@fact
def G01_a_signed_signet_is_refused():
    chain = Chain(template(signet_challenge='512103ad5e0edad18cb1f0fc0d28a3d4f1f3e445640337489abb10404f2d1e086be43051ae'))
    p = play(chain.methods, 3)
    assert 'signet' in p.log and 'in vain' in p.log and not chain.blocks
    assert len(p.times('getblocktemplate')) <= 4, 'a storm'


@fact
def G04_fields_may_be_missing():
    for missing in ('longpollid', 'mutable', 'noncerange', 'mintime'):
        chain = Chain(template(**{missing: None}))
        chain.t.setdefault('mintime', 0) if missing != 'mintime' else None
        if missing == 'mintime':
            chain.fetch = lambda: (chain.known.__setitem__((chain.t['previousblockhash'], 2), dict(chain.t, mintime=0)), result(chain.t))[1]
        play(chain.methods, PATIENCE, until=lambda p: chain.blocks)
        chain.check()


def versions_of(chain):
    return {int.from_bytes(bytes.fromhex(b[4][0])[:4], 'little') for b in chain.blocks}


@fact
def G04_free_version_bits_are_searched_and_no_others():
    chain = Chain(template(version=0x20000004, vbavailable={'taproot': 2, 'testdummy': 13}, target=MANY_A_SECOND))
    rows = json.loads(subprocess.run([ADIT, '--list', '--json'], capture_output=True, text=True).stdout)
    chosen = next(r['backend'] for r in rows if r['algo'] == 'sha256d' and r['chosen'])
    lanes = next((r['versions'] for r in rows if (r['algo'], r['backend']) == ('sha256d', chosen) and r['versions']), 1)
    want = {0x20000004 | i << 14 for i in range(lanes)}
    play(chain.methods, PATIENCE, until=lambda p: versions_of(chain) == want)
    chain.check()
    assert versions_of(chain) == want, sorted(map(hex, versions_of(chain)))
    for t, options in ((template(version=4), []), (template(), ['--no-version-rolling'])):
        chain = Chain(t)
        play(chain.methods, PATIENCE, *options, until=lambda p: len(chain.blocks) >= 3)
        chain.check(3)
        assert versions_of(chain) == {t['version']}, versions_of(chain)
    return '%d versions' % lanes


@fact
def G04_workid_is_returned():
    chain = Chain(template(workid='w"1'))
    play(chain.methods, PATIENCE, until=lambda p: chain.blocks)
    chain.check()
    assert chain.blocks[0][4][1:] == [{'workid': 'w"1'}], chain.blocks[0][4][1:]


@fact
def G05_a_signature_is_in_the_block_or_refused():
    chain = Chain(template())
    play(chain.methods, PATIENCE, '--coinbase-sig', '/here I am/', until=lambda p: chain.blocks)
    chain.check()
    assert b'/here I am/' in bytes.fromhex(chain.blocks[0][4][0])
    p = Play(chain.methods, '--coinbase-sig', 'x' * 81)
    p.wait(3)
    assert 'signature' in p.finish(early=True) and p.process.returncode == 2 and not p.calls


@fact
def G06_a_wrong_address_is_refused_before_anything():
    for address in ('bcrt1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysnard0ex', '1', '', 'mfWyW5fc9NUj75YAnFgoRLrjxgLDn2MMtH'):
        p = Play({}, addr=address)
        p.wait(3)
        log = p.finish(early=True)
        assert p.process.returncode == 2 and not p.calls and 'coinbase address' in log, log


@fact
def getwork_is_taken_for_method_not_found_only():
    chain = Chain(template())
    good = {'getwork': lambda params, lp: result(bool(params) or W0)}
    p = play(good, PATIENCE, until=lambda p: any(c[1] == 'getwork' and c[3] for c in p.calls))
    assert p.shares['accepted'] >= 1 and 'trying getwork' in p.log
    p = play(dict(good, getblocktemplate=lambda a, lp: refusal(-10, 'downloading blocks')), 4)
    assert not p.times('getwork') and 'downloading blocks' in p.log
    p = play(dict(good, getblocktemplate=lambda a, lp: (503, b'<html>busy</html>')), 3)
    assert not p.times('getwork') and 'HTTP status 503' in p.log
    p = play(chain.methods, 3, address=False)
    assert not p.times('getblocktemplate') and '--coinbase-addr' in p.log
    p = play({}, 3)
    assert 'neither getblocktemplate nor getwork' in p.log and len(p.calls) <= 8


@fact
def G08a_a_long_poll_with_a_new_block_is_switched_to_at_once():
    chain = QuietChain(template(previousblockhash=PREV[0], target=MANY_A_SECOND))
    p = Play(chain.methods)
    p.wait(PATIENCE, lambda: chain.blocks)
    p.wait(1)
    chain.change(template(previousblockhash=PREV[1], height=201, target=MANY_A_SECOND))
    changed = time.time()
    p.wait(PATIENCE, lambda: any(b[1] == PREV[1] for b in chain.blocks))
    p.wait(1)
    p.finish()
    chain.check()
    late = [b[0] - changed for b in chain.blocks if b[1] == PREV[0] and b[0] > changed]
    new = [b[0] - changed for b in chain.blocks if b[1] == PREV[1]]
    assert new and new[0] < 0.5, new[:1]
    assert not late or late[-1] < 0.5, 'old block after %.2f s' % late[-1]
    return 'first new block %.0f ms after, last old one %.0f ms' % (1000 * new[0], 1000 * (late[-1] if late else 0))


def picked_up(chain, scan_time):
    """Seconds from a new block until the first find on it, with no help from finds before."""
    p = Play(chain.methods, '--scantime', str(scan_time))
    p.wait(3.3)
    chain.t = template(previousblockhash=PREV[1], height=201, target=MANY_A_SECOND)
    changed = time.time()
    p.wait(PATIENCE, lambda: chain.blocks)
    p.finish()
    chain.check()
    took = chain.blocks[0][0] - changed
    assert chain.blocks[0][1] == PREV[1] and took <= scan_time + 1, '%.1f s' % took
    return p, '%.1f s after, scan time %d s' % (took, scan_time)


def held_up(change, target):
    """Finds gather behind a slow verdict while the template changes; returns the blocks sent after it."""
    chain = QuietChain(template(previousblockhash=PREV[0], target=target))
    chain.verdict = lambda n: time.sleep(2 if n == 1 else 0) or result('inconclusive')
    p = Play(chain.methods)
    p.wait(PATIENCE, lambda: chain.blocks)
    p.wait(1)
    chain.change(dict(chain.t, **change))
    p.wait(PATIENCE, lambda: any(b[1:3] == (chain.t['previousblockhash'], len(chain.t['transactions'])) for b in chain.blocks))
    p.finish()
    chain.check(2)
    return chain.blocks[1:], p


@fact
def G08a_finds_that_wait_are_dropped_with_their_block():
    blocks, p = held_up({'previousblockhash': PREV[1], 'height': 201}, MANY_A_SECOND)
    assert {b[1] for b in blocks} == {PREV[1]} and p.shares['stale'] > 0


@fact
def G08e_finds_that_wait_outlive_their_transactions():
    blocks, p = held_up({'transactions': [], 'coinbasevalue': 5000000000}, DOZENS_A_SECOND)
    assert {b[2] for b in blocks} == {0, 2} and p.shares['stale'] == 0, p.shares


@fact
def G08b_without_long_polling_plain_polls_find_the_block():
    for answer in (lambda: (404, b'not here'), lambda: NOT_FOUND):
        chain = Chain(template(previousblockhash=PREV[0], target=IMPOSSIBLE))
        chain.longpoll = answer
        p, said = picked_up(chain, 2)
        assert 'long polling does not work' in p.log and not p.times('getwork')
        assert len(p.calls) < 20
    return said


@fact
def G08c_a_long_poll_that_answers_at_once_makes_no_storm():
    chain = Chain(template(target=IMPOSSIBLE))
    p = play(chain.methods, 10, '--scantime', '1')
    assert len(p.calls) <= 20, '%d requests in 10 s' % len(p.calls)
    return '%d requests in 10 s, scan time 1 s' % len(p.calls)


@fact
def G08d_a_long_poll_that_hangs_is_not_waited_for():
    chain = Chain(template(previousblockhash=PREV[0], target=IMPOSSIBLE))
    chain.longpoll = lambda: time.sleep(60) or chain.fetch()
    p, said = picked_up(chain, 2)
    assert len(p.times('getblocktemplate', longpoll=True)) >= 2, 'waits on for the old block'
    return said


@fact
def G08e_other_transactions_lose_no_work():
    chain = QuietChain(template(previousblockhash=PREV[0], target=SOME_A_SECOND))
    chain.verdict = lambda n: result('inconclusive')      # so that nothing is made stale by its own block
    p = Play(chain.methods, '--scantime', '1')
    for i in range(3):
        p.wait(PATIENCE, lambda: any(b[2] == 2 + i for b in chain.blocks))
        one = chain.t['transactions'][0]
        data = node.T1[:-8] + '%08x' % i
        txid = node.dsha(bytes.fromhex(data))[::-1].hex()
        chain.change(dict(chain.t, transactions=chain.t['transactions'] + [dict(one, data=data, txid=txid, hash=txid)],
                          default_witness_commitment=chain.t['default_witness_commitment']))
    p.wait(PATIENCE, lambda: any(b[2] == 5 for b in chain.blocks))
    p.finish()
    chain.check(4)
    assert p.shares['stale'] == 0, '%d stale' % p.shares['stale']
    assert len({b[2] for b in chain.blocks}) >= 3
    assert len({b[4][0] for b in chain.blocks}) == len(chain.blocks), 'a block was sent twice'
    return '%d blocks over %d templates, none stale' % (len(chain.blocks), len({b[2] for b in chain.blocks}))


@fact
def G10_every_verdict_is_counted_with_its_reason():
    verdicts = [result(None), result('duplicate'), result('inconclusive'), result('stale-prevblk'), result('high-hash'),
                result(''), refusal(-22, 'Block decode failed'), (503, b'<html>'), result(None)]
    chain = Chain(template(), verdict=lambda n: verdicts[n - 1] if n <= len(verdicts) else result(None))
    p = play(chain.methods, PATIENCE, until=lambda p: len(chain.blocks) >= len(verdicts))
    chain.check(len(verdicts))
    extra = len(chain.blocks) - len(verdicts)
    for reason in ('duplicate', 'inconclusive', 'stale-prevblk', 'high-hash', 'Block decode failed', 'HTTP status 503'):
        assert 'rejected, diff' in p.log and reason in p.log, reason
    s = p.shares
    assert (s['accepted'], s['rejected'], s['unanswered']) in ((2 + extra, 7, 0), (1 + extra, 7, 1)), s
    return '%d accepted, %d rejected' % (s['accepted'], s['rejected'])


@fact
def G10_after_a_win_there_is_new_work_at_once():
    chain = QuietChain(template(previousblockhash=PREV[0], target=MANY_A_SECOND))

    def verdict(n):
        chain.t = template(previousblockhash=PREV[n], height=200 + n, target=MANY_A_SECOND)
        return result(None)
    chain.verdict = verdict
    p = play(chain.methods, PATIENCE, until=lambda p: len(chain.blocks) >= 50)
    chain.check(50)
    assert len({b[1] for b in chain.blocks}) == len(chain.blocks), 'a block on an old one'
    fetched = p.times('getblocktemplate', longpoll=False)
    waits = sorted(min(t - b[0] for t in fetched if t > b[0]) for b in chain.blocks[:50])
    assert waits[25] < 0.1 and waits[-1] < 2, waits
    return 'fetched %.0f ms after, at most %.0f' % (1000 * waits[25], 1000 * waits[-1])


def transactions(count):
    """Of 450 bytes each."""
    made = []
    for i in range(count):
        data = node.T1[:-10] + os.urandom(390).hex() + '%010x' % i
        txid = node.dsha(bytes.fromhex(data))[::-1].hex()
        made.append({'data': data, 'txid': txid, 'hash': txid, 'depends': [], 'fee': 500, 'sigops': 0, 'weight': 1800})
    return made


@fact
def G10_a_full_block_of_4_megabytes():
    chain = Chain(template(transactions=transactions(8000), default_witness_commitment=None, rules=['csv'], target='00000f' + 'f' * 58))
    p = Play(chain.methods)
    p.wait(PATIENCE, lambda: len(chain.blocks) >= 2)
    rss = p.rss_kb()
    p.finish()
    chain.check(2)
    assert p.shares['rejected'] == 0
    return '%.1f MB in a submission, RSS %d MB' % (len(chain.blocks[0][4][0]) / 1e6, rss >> 10)


@fact
def G10_a_thousand_templates_leave_memory_flat():
    ballast = transactions(20)      # so that a template that stays weighs something
    new = lambda n: template(previousblockhash=PREV[n % 3000], height=200 + n, target='0003' + 'f' * 60, transactions=ballast)
    chain = QuietChain(new(0))

    def verdict(n):
        chain.t = new(n)
        return result(None)
    chain.verdict = verdict
    p = Play(chain.methods, '-q')
    p.wait(PATIENCE, lambda: len(chain.blocks) >= 100)
    before = p.rss_kb()
    for some in range(200, 1101, 300):      # patience with each part of it
        p.wait(PATIENCE, lambda: len(chain.blocks) >= some)
    after = p.rss_kb()
    p.finish()
    chain.check(1100)
    assert SANITIZED or after - before < 5000, 'from %d to %d kB' % (before, after)
    return '%d templates, RSS from %d to %d kB' % (len(p.times('getblocktemplate')), before, after)


@fact
def a_block_is_sent_again_when_no_answer_came():
    chain = Chain(template(), verdict=lambda n: None if n == 1 else result(None))
    p = play(chain.methods, PATIENCE, until=lambda p: len(chain.blocks) >= 2)
    chain.check(2)
    assert chain.blocks[0][4] == chain.blocks[1][4], 'not the same block'
    assert p.shares['accepted'] >= 1 and p.shares['unanswered'] <= 1


@fact
def a_duplicate_is_good_only_of_a_block_that_was_sent_before():
    verdicts = [None, result('duplicate'), result('duplicate')]     # of one block twice, and then of another
    chain = Chain(template(), verdict=lambda n: verdicts[n - 1] if n <= len(verdicts) else result(None))
    p = play(chain.methods, PATIENCE, until=lambda p: len(chain.blocks) >= 4)
    chain.check(4)
    assert chain.blocks[0][4] == chain.blocks[1][4] != chain.blocks[2][4]
    assert p.shares['rejected'] == 1 and p.log.count('rejected, diff') == 1, p.shares
    assert p.shares['accepted'] in (len(chain.blocks) - 2, len(chain.blocks) - 3), p.shares     # the last may be cut off


class TellingChain(Chain):
    """Its long polls answer when tell() is called, and not when the block changes without."""
    begun = told = 0

    def tell(self, t):
        self.t = t
        self.told += 1

    def longpoll(self):
        told, end = self.told, time.time() + PATIENCE
        self.begun += 1
        while self.told == told and time.time() < end:
            time.sleep(0.02)
        return self.fetch()


@fact
def G08d_a_long_poll_is_relied_on_until_it_misses_a_block_of_others():
    blocks = [template(previousblockhash=PREV[i], height=200 + i, target=SOME_A_SECOND if i % 2 else IMPOSSIBLE) for i in range(5)]
    chain = TellingChain(blocks[0])

    def verdict(n):     # the block after, of ourselves or of others, about which no long poll tells
        chain.t = blocks[2 if n == 1 else 4]
        return result(None if n == 1 else 'stale-prevblk')

    def known(i):
        return (blocks[i]['previousblockhash'], len(blocks[i]['transactions'])) in chain.known
    chain.verdict = verdict
    p = Play(chain.methods, '--scantime', '1')
    asked = lambda since=0: sum(t > since for t in p.times('getblocktemplate', longpoll=False))
    p.wait(PATIENCE, lambda: chain.begun >= 1)
    chain.tell(blocks[1])
    p.wait(PATIENCE, lambda: known(2) and chain.begun >= 3)
    own = time.time()
    p.wait(4)
    relied = asked(own)
    chain.tell(blocks[3])
    p.wait(PATIENCE, lambda: known(4))
    missed = time.time()
    p.wait(PATIENCE, lambda: asked(missed) >= 5)
    p.finish()
    assert relied <= 1, 'asked %d times in 4 s, although the block was its own' % relied
    assert asked(missed) >= 5, 'asked %d times only' % asked(missed)
    assert p.shares['accepted'] == 1 and p.shares['rejected'] >= 1, p.shares


@fact
def a_node_that_goes_away_leaves_the_miner_idle():
    chain = Chain(template(target=MANY_A_SECOND), verdict=lambda n: result('inconclusive'))
    p = Play(chain.methods, '--scantime', '1')
    p.wait(PATIENCE, lambda: chain.blocks)
    good = dict(p.methods)
    gone = time.time()
    p.methods.update({name: lambda a, lp: None for name in good})
    p.wait(2)
    busy = p.cpu_s()
    p.wait(2)
    busy = p.cpu_s() - busy
    assert busy < 0.5, 'busy for %.1f of 2 s' % busy
    calls = [c for c in p.calls if c[0] > gone + 1]
    assert len({c[3][0] for c in calls if c[1] == 'submitblock'}) <= 1, 'mines on'
    assert len(calls) <= 10 + 3 * (time.time() - gone), '%d requests' % len(calls)
    p.methods.update(good)
    back = time.time()
    p.wait(PATIENCE, lambda: any(b[0] > back for b in chain.blocks))
    p.finish()
    chain.check()
    assert any(b[0] > back for b in chain.blocks), 'does not come back'


@fact
def a_refused_login_is_named_and_not_repeated_fast():
    p = play({'getblocktemplate': lambda a, lp: (401, b'')}, 3)
    assert 'user or password refused' in p.log and len(p.calls) <= 3
    want = 'Basic ' + base64.b64encode(('user:' + SECRET).encode()).decode()
    assert p.calls[0][4] == want, p.calls[0][4]
    for answer in ((401, b''), (403, b''), refusal(-1, 'Unauthorized', 401), refusal(-1, 'Forbidden', 403), (401, {'result': template()})):
        p = Play({'getblocktemplate': lambda a, lp: answer}, '-r', '1', '-P')
        p.wait(PATIENCE, lambda: p.process.poll() is not None)
        assert 'HTTP status %d, user or password refused' % answer[0] in p.finish(early=True)
        assert p.process.returncode == 4


@fact
def an_answer_without_end_is_cut_off():
    chain = Chain(template())
    first = []

    def getblocktemplate(params, longpoll):
        first.append(1)
        return (200, b'"' + b'x' * (30 << 20)) if len(first) == 1 else chain.getblocktemplate(params, longpoll)
    p = play(dict(chain.methods, getblocktemplate=getblocktemplate), PATIENCE, until=lambda p: chain.blocks)
    chain.check()
    assert 'too long' in p.log


class Getwork:
    """Gives W0, or with `fresh` another block each time, and checks what comes back."""

    def __init__(self, headers=None, verdict=None, work=W0, fresh=False):
        self.headers, self.verdict, self.work, self.fresh, self.given, self.submits = headers or {}, verdict, work, fresh, [], []

    def getwork(self, params, longpoll):
        if not params:
            data = self.work['data']
            if self.fresh:
                data = data[:72] + os.urandom(32).hex() + data[136:]
            self.given.append(data)
            return result(dict(self.work, data=data)) + (self.headers,)
        self.submits.append(params[0])
        return (self.verdict or result(True) + ({},))

    @property
    def methods(self):
        return {'getwork': self.getwork}

    def check(self):
        assert self.submits, 'no submission'
        for data in self.submits:
            assert len(data) == 256
            assert any(data[:136] == g[:136] and data[144:152] == g[144:152] and data[160:] == g[160:] for g in self.given)
            words = bytes.fromhex(data[:160])
            header = b''.join(words[i:i + 4][::-1] for i in range(0, 80, 4))
            assert node.dsha(header)[::-1] <= bytes.fromhex(self.work['target'])[::-1], 'misses the target'


@fact
def W01_words_are_swapped_and_only_the_nonce_changes():
    extras = {'midstate': '598f74b8724427c01796f4d7bca932c87d0d333c9e642b226a03f7639250469f', 'hash1': '00' * 64}
    for work in (W0, dict(W0, **extras)):
        g = Getwork(work=work)
        p = play(g.methods, PATIENCE, address=False, until=lambda p: g.submits)
        g.check()
        assert g.submits[0] == W0['data'][:152] + '0035635f' + W0['data'][160:], g.submits[0]
        assert p.shares['accepted'] >= 1


@fact
def W03_the_reject_reason_is_shown():
    g = Getwork(verdict=result(False) + ({'X-Reject-Reason': 'stale-work'},))
    p = play(g.methods, PATIENCE, address=False, until=lambda p: g.submits)
    p.log.index('rejected, diff')
    assert 'stale-work' in p.log and p.shares['rejected'] >= 1


@fact
def W03_time_does_not_change_unless_allowed():
    for headers in ({}, {'X-Roll-NTime': 'N'}):
        g = Getwork(headers)
        play(g.methods, PATIENCE, address=False, until=lambda p: g.submits)
        g.check()
        assert all(data[136:144] == W0['data'][136:144] for data in g.submits)


@fact
def getwork_long_polls_where_the_header_says():
    g = Getwork({'X-Long-Polling': '/lp?longpoll=1'}, work=dict(W0, target='00' * 32))
    changed = threading.Event()
    other = dict(W0, data=W0['data'][:8] + '11' * 32 + W0['data'][72:], target='f' * 60 + '0300')
    g.work = dict(W0, target='f' * 24 + '0' * 40)

    def getwork(params, longpoll):
        if longpoll and not params:
            changed.wait(30)
        return Getwork.getwork(g, params, longpoll)
    p = Play({'getwork': getwork}, '--scantime', '30', address=False)
    p.wait(PATIENCE, lambda: p.times('getwork', longpoll=True))
    p.wait(0.5)
    g.work = other
    changed.set()
    begun = time.time()
    p.wait(PATIENCE, lambda: g.submits)
    took = time.time() - begun
    p.finish()
    g.check()
    assert took < 0.7, '%.2f s' % took
    return 'first share of the new block after %.0f ms' % (1000 * took)


@fact
def a_long_poll_elsewhere_gets_no_password():
    seen = []
    trap = node.Node(rpc=lambda n, h, m: (seen.append(h.headers), h.rep(200, {}))[1])
    g = Getwork({'X-Long-Polling': 'http://localhost:%d/lp' % trap.port})
    play(g.methods, PATIENCE, address=False, until=lambda p: g.submits)
    g.check()
    trap.srv.shutdown()
    assert not seen


def offered(url, *options):
    """Was the stratum server that getwork's answers offer connected to?"""
    lines = []
    server = socket.create_server(('127.0.0.1', 0))

    def serve():
        try:
            peer = server.accept()[0]
            lines.append(peer.recv(1000))
            time.sleep(2)
            peer.close()
        except OSError:
            pass
    threading.Thread(target=serve, daemon=True).start()
    g = Getwork({'X-Stratum': url % server.getsockname()[1]})
    p = play(g.methods, PATIENCE, *options, address=False,
             until=lambda p: lines or (g.submits and time.time() > p.start + 2))
    server.close()
    return p, lines


@fact
def W03_stratum_on_the_same_host_is_gone_over_to():
    p, lines = offered('stratum+tcp://127.0.0.1:%d')
    assert lines and b'mining.' in lines[0], p.log
    p, lines = offered('stratum+tcp://127.0.0.1:%d', '--no-stratum')
    assert not lines and p.shares['accepted'] >= 1


@fact
def W03_a_foreign_host_is_not_followed():
    for url in ('stratum+tcp://localhost:%d', 'http://127.0.0.1:%d', 'rubbish %d'):
        p, lines = offered(url)
        assert not lines and 'is not followed' in p.log and p.shares['accepted'] >= 1, p.log


@fact
def a_getwork_share_is_sent_once_even_when_the_node_hangs_up_on_it():
    g = Getwork(fresh=True)
    sent = []

    def hang_up(params, longpoll):
        if not params:
            return g.methods['getwork'](params, longpoll)
        sent.append(params[0])      # and no answer
    play(dict(g.methods, getwork=hang_up), PATIENCE, address=False, until=lambda p: len(sent) >= 3)
    assert len(sent) == len(set(sent)), '%d sent, %d of them different' % (len(sent), len(set(sent)))


@fact
def getwork_comes_back_when_the_offered_stratum_is_dead():
    g = Getwork({'X-Stratum': 'stratum+tcp://127.0.0.1:1'}, fresh=True)
    p = play(g.methods, PATIENCE, address=False, until=lambda p: len(g.submits) >= 2 and time.time() - p.start > 4)
    assert p.log.count('going over') == 1 and p.shares['accepted'] >= 1
    g.check()


def run(case):
    name, function = case
    for attempt in (1, 2):      # some want an answer within half a second: a second try when others had the CPU
        try:
            return name, function() or '', None
        except Exception:
            fault = traceback.format_exc()
    return name, '', fault


def main():
    cases = [(name, lambda name=name: scripted(name)) for name in node.C] + [(f.__name__, f) for f in FACTS]
    if sys.argv[1:]:
        cases = [case for case in cases if case[0] in sys.argv[1:]]
    failed = 0
    with ThreadPoolExecutor(AT_ONCE) as at_once:
        for name, said, fault in at_once.map(run, cases):
            print('%-56s %-4s %s' % (name, 'FAIL' if fault else 'ok', said), flush=True)
            if fault:
                failed += 1
                print(fault)
    print('%d cases, %d failed' % (len(cases), failed))
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
"""
Every scripted pool of tests/cases/pool.py played against the real program: what users of other miners
reported, and what a right miner does. Prints a table. ADIT names the program; arguments name cases.
"""
import os, re, sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'cases'))
import pool
from tries import TRIES

ADIT = os.environ.get('ADIT', './adit')
AT_ONCE = 6
SECRET = 'hush-hush'
SANITIZED = b'__asan_init' in open(ADIT, 'rb').read()      # keeps what was freed


def total(result, verdict=None):
    return sum(n for job in result['shares'].values() for v, n in job.items() if verdict in (None, v))


def shares_ok(r, out):
    """One connection, shares, and every one of them good."""
    return r['conns'] == 1 and total(r, 'ok') > 0 and total(r) == total(r, 'ok')


def only(job):
    return lambda r, out: shares_ok(r, out) and set(r['shares']) == {job}


def later_too(r, out):
    return shares_ok(r, out) and len(r['shares']) == 2


def all_rejected(reason):
    return lambda r, out: shares_ok(r, out) and reason in out and ' accepted,' not in out


def no_shares(r, out):
    return total(r) == 0 and 1 < r['conns'] <= 12


def refused(reason):
    return lambda r, out: no_shares(r, out) and reason in out


def replies(r, out):
    ids = {x.get('id'): x for x in r['replies']}
    return (shares_ok(r, out) and isinstance(ids.get(77, {}).get('result'), str) and ids.get(42, {}).get('result') == 'pong'
            and ids.get(43, {}).get('error') is not None)


def harmless(r, out):
    return shares_ok(r, out) and '\x1b' not in out and not re.search(r'(?m)^FAKE', out) and 'FAKE' in out


EXPECTED = {name: shares_ok for name in pool.CASES}
EXPECTED.update({name: only('j1') for name in pool.CASES if re.match(r'notify-(?!noclean|ext|clean-int|before)', name)})
EXPECTED.update({
    'rej-ckpool': all_rejected('Above target'), 'rej-publicpool': all_rejected('Job not found'),
    'rej-string': all_rejected('stale-prevblk'), 'rej-short': all_rejected('rejected'), 'rej-intstr': all_rejected('rejected'),
    'diff-tiny': lambda r, out: r['conns'] == 1 and r['rss_mb'] < (600 if SANITIZED else 64),
    'diff-nextjob': later_too, 'setxn': later_too, 'clean-false': later_too,
    'two-jobs-same-sec': only('j2'),
    'ver-intid': replies, 'showmsg-esc': harmless,
    'http-reply': no_shares, 'close-after-sub': no_shares,
    'auth-false': no_shares, 'auth-error': refused('Unauthorized worker'),
    'no-sub-reply': lambda r, out: total(r) == 0,
    'reconnect-noparams': lambda r, out: r['conns'] == 2 and total(r, 'ok') == total(r) > 0,
})


def play(name):
    result, out = pool.run(name, [ADIT, '-a', 'sha256d', '-o', 'stratum+tcp://127.0.0.1:{PORT}', '-u', 'user', '-p', SECRET,
                                  '-t', '1', '-R', '1', '-D', '-P'])
    faults = []
    if result['early'] is not None:
        faults.append('ended by itself with %s' % result['early'])
    if result['san']:
        faults.append(result['san'][0])
    if re.search(r'\bnan\b|\binf\b', out):
        faults.append('nan or inf')
    if SECRET in out:
        faults.append('the password is in the output')
    if not EXPECTED[name](result, out):
        faults.append('not as expected')
    return result, out, faults


def main():
    names = sys.argv[1:] or list(pool.CASES)
    failed = 0

    with ThreadPoolExecutor(AT_ONCE) as at_once:
        played = list(at_once.map(play, names))
        for name, (result, out, faults) in zip(names, played):
            for _ in range(TRIES):      # some cases want a share within two seconds: judged with no other case beside them
                if not faults:
                    break
                result, out, faults = play(name)
            print('%-24s %-4s conns %d, shares %s%s' % (name, 'FAIL' if faults else 'ok', result['conns'], result['shares'],
                                                        '; ' + ', '.join(faults) if faults else ''), flush=True)
            if faults:
                failed += 1
                print(out[-3000:])
    print('%d cases, %d failed' % (len(names), failed))
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())

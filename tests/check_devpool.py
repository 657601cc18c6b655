#!/usr/bin/env python3
"""devpool from the outside: a small stratum client that mines with hashlib, well and badly.

The header is rebuilt here from the notify alone, so that an error in devpool's own
rebuilding cannot hide. The program under test is $DEVPOOL, ./devpool by default.
"""
import gzip
import hashlib
import http.client
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import unittest

from tries import holds_once

DEVPOOL = os.environ.get("DEVPOOL", "./devpool")
EASY = 256 * 65535 / 2**48      # a share in every 256 hashes
NEVER = 1e12                    # no share will be found


def sha256d(data):
    return hashlib.sha256(hashlib.sha256(data).digest()).digest()


class Pool:
    """A running devpool; stop() ends it and gives its summary."""

    def __init__(self, *args):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen([DEVPOOL, "--port", "0", "--json", *args],
                                        stdout=subprocess.PIPE, stderr=self.errors)
        line = self.process.stdout.readline().decode()
        assert line.startswith("devpool: listening on 127.0.0.1:"), line
        self.port = int(line.rsplit(":", 1)[1])

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        return self.wait()

    def wait(self):
        out, _ = self.process.communicate(timeout=60)
        self.errors.seek(0)
        self.log = self.errors.read().decode()
        self.errors.close()
        assert self.process.returncode == 0, (self.process.returncode, self.log)
        lines = out.decode().splitlines()
        assert len(lines) == 1, lines
        return json.loads(lines[0])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.errors.close()


class Client:
    """One connection. Notifications met while waiting for a reply take effect at once."""

    def __init__(self, pool, user="miner", login=True, tls=None, session=None, extensions=None, trusting=True):
        self.socket = socket.create_connection(("127.0.0.1", pool.port), timeout=60)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname="localhost")
        self.lines = self.socket.makefile("rb")
        self.user, self.last_id, self.trusting = user, 0, trusting
        self.jobs, self.difficulties, self.difficulty = [], {}, None
        self.mask, self.masks, self.xnonces = 0, {}, {}     # of the jobs to come, and of each job
        self.others, self.garbage = [], []                  # other notifications, and lines that are none
        if extensions is not None:
            self.configured = self.call("mining.configure", list(extensions), self.flat(extensions))["result"]
            self.mask = int(self.configured.get("version-rolling.mask", "0"), 16)
        if login:
            self.subscribe(session)
            assert self.call("mining.authorize", user, "x")["result"] is True
            self.next_job()

    @staticmethod
    def flat(extensions):
        return {name + "." + key: value for name, options in extensions.items() for key, value in options.items()}

    def close(self):
        self.lines.close()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, data):
        self.socket.sendall(data)

    def receive(self):
        """The next message. A client that does not trust its pool puts aside what is none."""
        while True:
            line = self.lines.readline()
            if not line:
                raise EOFError
            try:
                message = json.loads(line)
                assert "id" in message or "method" in message
                self.take(message, message.get("method"), message.get("params"))
                return message
            except (ValueError, TypeError, IndexError, AssertionError, RecursionError):
                if self.trusting:
                    raise
            self.garbage.append(line)

    def take(self, message, method, params):
        if method == "mining.set_difficulty":
            assert len(params) == 1 and params[0] > 0
            self.difficulty, = params
        elif method == "mining.set_version_mask":
            self.mask = int(params[0], 16)
        elif method == "mining.set_extranonce":
            first, second_len = params
            assert bytes.fromhex(first) and second_len >= 0
            self.xnonce1, self.xnonce2_len = first, second_len
        elif method == "mining.notify":
            assert len(params) > 8 and (self.trusting or params[0] != "bad job")
            self.jobs.append(params)
            self.difficulties[params[0]] = self.difficulty
            self.masks[params[0]] = self.mask
            self.xnonces[params[0]] = self.xnonce1, self.xnonce2_len
        elif method:
            self.others.append(message)

    def reply(self):
        while True:
            message = self.receive()
            if "method" not in message:
                return message

    def call(self, method, *params):
        self.last_id += 1
        self.send(json.dumps({"id": self.last_id, "method": method, "params": params}).encode() + b"\n")
        message = self.reply()
        assert message["id"] == self.last_id, message
        return message

    def subscribe(self, session=None):
        reply = self.call("mining.subscribe", "check/1", *([session] if session is not None else []))
        subscriptions, self.xnonce1, self.xnonce2_len = reply["result"]
        self.session = subscriptions[0][1]

    def next_job(self, wanted=lambda job: True):
        """The next job that is as wanted; an error when none is for ten seconds."""
        end, count = time.monotonic() + 60, len(self.jobs)
        while len(self.jobs) == count or not wanted(self.jobs[-1]):
            assert time.monotonic() < end, "no such job"
            self.receive()
        return self.jobs[-1]

    def digest(self, job, xnonce2, ntime, nonce, version_bits=None):
        """The share's hash as a number, of the header as miners build it."""
        name, prevhash, coinbase1, coinbase2, branches, version, bits = job[:7]
        if version_bits is not None:
            mask = self.masks[name]
            version = "%08x" % (int(version, 16) & ~mask | int(version_bits, 16) & mask)
        root = sha256d(bytes.fromhex(coinbase1 + self.xnonces[name][0] + xnonce2 + coinbase2))
        for branch in branches:
            root = sha256d(root + bytes.fromhex(branch))
        turned = bytes.fromhex(prevhash)
        header = (bytes.fromhex(version)[::-1] + b"".join(turned[i:i + 4][::-1] for i in range(0, 32, 4)) + root +
                  bytes.fromhex(ntime)[::-1] + bytes.fromhex(bits)[::-1] + bytes.fromhex(nonce)[::-1])
        assert len(header) == 80
        return int.from_bytes(sha256d(header), "little")

    def solve(self, job, xnonce2=None, good=True, first=0, version_bits=None):
        """[job, extranonce2, ntime, nonce] of a share that meets (or not) its job's difficulty; bits, if any, follow."""
        xnonce2 = "00" * self.xnonces[job[0]][1] if xnonce2 is None else xnonce2
        target = int(0xffff * 2**208 / self.difficulties[job[0]])
        for nonce in range(first, 2**32):
            share = [job[0], xnonce2, job[7], "%08x" % nonce] + ([version_bits] if version_bits is not None else [])
            if (self.digest(job, *share[1:]) <= target) == good:
                return share

    def submit(self, share, user=None):
        """0 when it is accepted, else the error's code and text."""
        message = self.call("mining.submit", user or self.user, *share)
        if message["error"] is None:
            assert message["result"] is True
            return 0
        assert message["result"] is None and len(message["error"]) == 3
        return tuple(message["error"][:2])


class Shares(unittest.TestCase):
    def test_solved_shares_are_accepted_and_summed_up(self):
        with Pool("--difficulty", repr(EASY)) as pool, Client(pool) as client:
            self.assertEqual(client.difficulty, EASY)
            for first in 0, 10**6, 2 * 10**6:
                self.assertEqual(client.submit(client.solve(client.jobs[-1], first=first)), 0)
            time.sleep(0.5)
            client.close()
            summary = pool.stop()
        self.assertEqual((summary["accepted"], summary["rejected"], summary["duplicates"]), (3, 0, 0))
        self.assertEqual((summary["algo"], summary["port"], summary["connections"], summary["jobs"]),
                         ("sha256d", pool.port, 1, 1))
        self.assertAlmostEqual(summary["difficulty_sum"], 3 * EASY)
        self.assertAlmostEqual(summary["hashrate_estimate"] * summary["seconds"] / (3 * 256), 1.2, delta=0.25)
        self.assertIn("3 accepted, 0 rejected", pool.log)

    def test_every_branch_count_and_extranonce2_size_is_checked_right(self):
        seen = set()
        for size in 0, 1, 8, 16:
            with Pool("--difficulty", repr(EASY), "--job-interval", "0.02", "--clean-every", "0",
                      "--extranonce2-size", str(size)) as pool, Client(pool) as client:
                for i in range(20):
                    job = client.next_job()
                    seen.add(len(job[4]))
                    self.assertEqual(client.submit(client.solve(job, "%02x" % i * size)), 0)
        self.assertGreater(len(seen), 6)
        self.assertLessEqual(max(seen), 12)

    def test_each_bad_share_is_refused_for_its_reason(self):
        with Pool("--difficulty", repr(EASY)) as pool, Client(pool) as client:
            job = client.jobs[-1]
            good = client.solve(job)
            name, xnonce2, ntime, nonce = good
            later = "%08x" % (int(ntime, 16) + 8000)
            earlier = "%08x" % (int(ntime, 16) - 1)
            self.assertEqual(client.submit(good), 0)
            self.assertEqual(client.submit(good), (22, "Duplicate share"))
            self.assertEqual(client.submit([name, xnonce2, ntime, nonce.upper()]), (22, "Duplicate share"))
            self.assertEqual(client.submit(client.solve(job, good=False)), (23, "Low difficulty share"))
            for unknown in "ffffffff", "", "0" + name, "x" * 5000:
                self.assertEqual(client.submit([unknown, xnonce2, ntime, nonce]), (21, "Job not found"))
            for bad in "", "00", xnonce2 + "00", xnonce2[1:], "0000000g", "00000 00":
                self.assertEqual(client.submit([name, bad, ntime, nonce])[0], 20, bad)
            for bad in "", "0x" + ntime[2:], ntime + "00", ntime[:-1], later, earlier:
                self.assertEqual(client.submit([name, xnonce2, bad, nonce])[0], 20, bad)
            for bad in "", nonce[:-1], nonce + "0", "zzzzzzzz", "-0000001":
                self.assertEqual(client.submit([name, xnonce2, ntime, bad])[0], 20, bad)
            for bad in [], good[:3], good + ["20000000"], [1, 2, 3, 4], [name, xnonce2, ntime, None]:
                self.assertEqual(client.submit(bad)[0], 20, bad)
            self.assertEqual(client.submit(good, user="other"), (24, "Unauthorized worker"))
            client.close()
            summary = pool.stop()
        self.assertEqual(summary["accepted"], 1)
        self.assertEqual((summary["duplicates"], summary["after_clean"]), (2, 0))
        self.assertEqual((summary["told_accepted"], summary["told_rejected"]), (1, summary["rejected"]))
        self.assertEqual(summary["rejected"], sum(summary["reasons"].values()))
        self.assertEqual(summary["reasons"], {
            "not_subscribed": 0, "unauthorized": 1, "bad_params": 5, "bad_extranonce2": 6, "bad_ntime": 4,
            "bad_nonce": 5, "bad_version": 0, "version_mask": 0, "ntime_range": 2, "unknown_job": 4, "stale_job": 0,
            "low_difficulty": 1, "duplicate": 2, "too_many": 0})

    def test_of_many_shares_each_counts_once_and_as_a_block_if_it_meets_the_bits(self):
        with Pool("--difficulty", repr(EASY / 32)) as pool, Client(pool) as client:
            job = client.jobs[-1]
            bits = int(job[6], 16)
            target = (bits & 0xffffff) << 8 * ((bits >> 24) - 3)
            self.assertAlmostEqual(0xffff * 2**208 / target / (2 * EASY), 1, places=3)
            shares = [[job[0], "00000000", job[7], "%08x" % nonce] for nonce in range(3000)]
            accepted = [share for share in shares if client.submit(share) == 0]
            self.assertGreater(len(accepted), 300)
            for share in accepted:      # none is forgotten however many there are
                self.assertEqual(client.submit(share), (22, "Duplicate share"))
            client.close()
            blocks = pool.stop()["blocks"]
        self.assertEqual(blocks, sum(client.digest(job, *share[1:]) <= target for share in accepted))

    def test_another_algorithm_is_judged_by_its_own_hash(self):
        with Pool("-a", "lyra2rev2", "--difficulty", "1e-9") as pool, Client(pool) as client:
            share = [client.jobs[-1][0], "00000000", client.jobs[-1][7], "00000001"]
            self.assertEqual(client.submit(share), 0)       # 1e-9 / 256: every hash meets it
        with Pool("-a", "lyra2rev2", "--difficulty", repr(NEVER)) as pool, Client(pool) as client:
            share = [client.jobs[-1][0], "00000000", client.jobs[-1][7], "00000001"]
            self.assertEqual(client.submit(share), (23, "Low difficulty share"))


class Jobs(unittest.TestCase):
    @holds_once
    def test_jobs_come_on_time_and_every_nth_is_clean(self):
        with Pool("--job-interval", "0.2", "--clean-every", "3") as pool, Client(pool) as client:
            start = time.monotonic()
            for _ in range(9):
                client.next_job()
            self.assertAlmostEqual(time.monotonic() - start, 1.8, delta=0.5)
            jobs = client.jobs
        numbers = [int(job[0], 16) for job in jobs]
        self.assertEqual(numbers, list(range(numbers[0], numbers[0] + 10)))
        for before, job in zip(jobs, jobs[1:]):
            clean = (int(job[0], 16) - 1) % 3 == 0
            self.assertEqual(job[8], clean)
            self.assertEqual(job[1] != before[1], clean)            # a new block below it
            self.assertEqual(job[2] != before[2], clean)            # a new height in the coinbase
            self.assertNotEqual(job[3], before[3])
            self.assertLess(abs(int(job[7], 16) - time.time()), 5)

    def test_the_first_job_of_a_client_is_clean_to_it(self):
        with Pool("--job-interval", "0.5", "--clean-every", "0") as pool, Client(pool) as first:
            job = first.next_job()
            with Client(pool) as second:
                self.assertEqual(second.jobs[0], job[:8] + [True])
            self.assertIs(job[8], False)

    def test_the_coinbase_is_a_transaction_with_its_height_first(self):
        with Pool("--extranonce2-size", "5") as pool, Client(pool) as client:
            job = client.jobs[-1]
            raw = bytes.fromhex(job[2] + client.xnonce1 + "00" * 5 + job[3])
        self.assertEqual(raw[:5] + raw[5:41], bytes.fromhex("0100000001" + "00" * 32 + "ffffffff"))
        script_len = raw[41]
        self.assertEqual((raw[42], int.from_bytes(raw[43:46], "little")), (3, 800001))
        at = 42 + script_len
        self.assertEqual(raw[at:at + 5], bytes.fromhex("ffffffff02"))
        at += 5
        for _ in range(2):
            at += 8 + 1 + raw[at + 8]
        self.assertEqual(raw[at:], bytes(4))

    def test_shares_of_old_jobs_are_good_until_a_clean_one(self):
        with Pool("--difficulty", repr(EASY), "--job-interval", "0.3", "--clean-every", "3", "--grace", "0") as pool, \
             Client(pool) as client:
            job = client.next_job(lambda job: job[8])
            shares = [client.solve(job, "%08x" % i) for i in range(3)]
            client.next_job()
            self.assertEqual(client.submit(shares[0]), 0)
            client.next_job()
            self.assertEqual(client.submit(shares[1]), 0)
            self.assertTrue(client.next_job()[8])
            self.assertEqual(client.submit(shares[2]), (21, "Job not found"))
            client.close()
            summary = pool.stop()
        self.assertEqual((summary["reasons"]["stale_job"], summary["late"]), (1, 0))

    def test_the_grace_takes_shares_that_crossed_a_clean_job(self):
        with Pool("--difficulty", repr(EASY), "--job-interval", "1", "--clean-every", "1", "--grace", "0.4") as pool, \
             Client(pool) as client:
            job = client.next_job()
            shares = [client.solve(job, "%08x" % i) for i in range(2)]
            client.next_job()
            self.assertEqual(client.submit(shares[0]), 0)
            time.sleep(0.5)
            self.assertEqual(client.submit(shares[1]), (21, "Job not found"))
            client.close()
            self.assertEqual(pool.stop()["late"], 1)

    def test_a_job_from_before_the_client_came_is_unknown_to_it(self):
        with Pool("--difficulty", repr(EASY), "--job-interval", "0.2", "--clean-every", "0") as pool, \
             Client(pool) as first:
            old = first.jobs[-1]
            first.next_job()
            with Client(pool) as second:
                self.assertEqual(first.submit(first.solve(old)), 0)
                self.assertEqual(second.submit([old[0], "00000000", old[7], "00000000"]), (21, "Job not found"))


class Difficulty(unittest.TestCase):
    def test_vardiff_steers_to_the_rate_and_old_jobs_keep_their_difficulty(self):
        with Pool("--difficulty", repr(EASY), "--vardiff", "2", "--job-interval", "0.5",
                  "--clean-every", "0") as pool, Client(pool) as client:
            old = client.jobs[-1]
            for i in range(20):         # 20 shares at once: more than two a second
                self.assertEqual(client.submit(client.solve(old, "%08x" % i)), 0)
            new = client.next_job(lambda job: client.difficulties[job[0]] != EASY)
            self.assertGreater(client.difficulties[new[0]], 1.5 * EASY)
            low = client.solve(old, "000000ff")
            self.assertEqual(client.submit(low), 0)
            between = client.solve(new, good=False)
            while client.digest(new, *between[1:]) > 0xffff * 2**208 / EASY:
                between = client.solve(new, good=False, first=int(between[3], 16) + 1)
            self.assertEqual(client.submit(between), (23, "Low difficulty share"))      # the old one would do
            self.assertEqual(client.submit(client.solve(new)), 0)

    def test_vardiff_comes_down_for_a_client_that_finds_nothing(self):
        with Pool("--difficulty", repr(NEVER), "--vardiff", "100", "--job-interval", "0.1") as pool, \
             Client(pool) as client:
            client.next_job(lambda job: client.difficulty != NEVER)
            self.assertEqual(client.difficulty, NEVER / 16)

    def test_fixed_difficulty_is_announced_once(self):
        with Pool("--job-interval", "0.05") as pool, Client(pool) as client:
            client.difficulty = None
            for _ in range(10):
                client.next_job()
            self.assertIsNone(client.difficulty)


class Sessions(unittest.TestCase):
    def test_a_share_before_login_is_refused(self):
        with Pool() as pool, Client(pool, login=False) as client:
            share = ["1", "00000000", "00000000", "00000000"]
            self.assertEqual(client.submit(share), (25, "Not subscribed"))
            client.subscribe()
            self.assertEqual(client.submit(share), (24, "Unauthorized worker"))
            client.close()
            reasons = pool.stop()["reasons"]
        self.assertEqual((reasons["not_subscribed"], reasons["unauthorized"]), (1, 1))

    def test_only_the_required_user_gets_in(self):
        with Pool("--user", "alice") as pool, Client(pool, "alice", login=False) as client:
            client.subscribe()
            for other in "bob", "", "alice.1", "a" * 4000:
                reply = client.call("mining.authorize", other, "x")
                self.assertEqual(reply["error"], [24, "Unauthorized worker", None])
            self.assertEqual(client.jobs, [])
            self.assertIs(client.call("mining.authorize", "alice", "x")["result"], True)
            client.next_job()

    def test_login_may_come_in_either_order_and_only_right(self):
        with Pool() as pool, Client(pool, login=False) as client:
            for params in [], [1, 2], ["miner", "x", "third"], ["miner", None]:
                self.assertEqual(client.call("mining.authorize", *params)["error"][0], 20)
            self.assertIs(client.call("mining.authorize", "miner")["result"], True)
            client.subscribe()
            client.next_job()
            self.assertEqual(client.call("mining.nonsense")["error"], [-3, "Method not found", None])

    def test_each_client_has_its_own_extranonce1(self):
        with Pool() as pool:
            clients = [Client(pool) for _ in range(50)]
            self.assertEqual(len({client.xnonce1 for client in clients}), 50)
            self.assertTrue(all(len(client.xnonce1) == 8 for client in clients))
            for client in clients:
                client.close()
            self.assertEqual(pool.stop()["connections"], 50)

    def test_one_client_more_than_the_bound_is_turned_away(self):
        with Pool() as pool:
            clients = [Client(pool, login=False) for _ in range(257)]
            for client in clients[:256]:
                client.subscribe()
            self.assertRaises((EOFError, ConnectionError), clients[256].subscribe)
            clients[0].close()
            time.sleep(0.1)
            with Client(pool):
                pass
            for client in clients[1:]:
                client.close()


class Rudeness(unittest.TestCase):
    def test_lines_that_are_no_request_are_answered_and_passed_over(self):
        garbage = [b"not json", b"[]", b"42", b'"s"', b"{}", b'{"id":1,"method":7}',
                   b'{"id":{},"method":"mining.subscribe"}', b"\xff\xfe\x00\x01", b"[" * 9000]
        with Pool() as pool, Client(pool) as client:
            for line in garbage:
                client.send(line + b"\n")
                self.assertEqual(client.reply()["error"][0], 20, line[:20])
            self.assertEqual(client.call("mining.x")["error"][0], -3)
            client.send(b"once more\n")
            self.assertRaises((EOFError, ConnectionError), lambda: [client.receive() for _ in range(9)])
            client.close()
            summary = pool.stop()
        self.assertEqual((summary["bad_lines"], summary["dropped"]), (10, 1))

    def test_lines_are_put_together_whatever_the_writes(self):
        with Pool() as pool, Client(pool, login=False) as client:
            for byte in b'\r\n\n  \n{"id":"one","method":"mining.subscribe","params":[]}\r\n':
                client.send(bytes([byte]))
            self.assertEqual(client.reply()["id"], "one")
            client.send(b'{"id":2,"method":"mining.a"}\n{"method":"mining.b"}\n{"id":4,"meth')
            self.assertEqual([client.reply()["id"] for _ in range(2)], [2, None])
            client.send(b'od":"mining.c"}\n')
            self.assertEqual(client.reply()["id"], 4)

    def test_a_half_line_at_the_end_does_no_harm(self):
        with Pool() as pool:
            with Client(pool) as client:
                client.send(b'{"id":9,"method":"mining.sub')
            with Client(pool):
                pass
            self.assertEqual(pool.stop()["dropped"], 0)

    def test_a_line_of_a_megabyte_ends_the_connection_and_only_that(self):
        with Pool() as pool, Client(pool) as other:
            with Client(pool) as client:
                with self.assertRaises((EOFError, ConnectionError)):
                    client.send(b"x" * 2**20)
                    client.receive()
            self.assertEqual(other.call("mining.x")["error"][0], -3)
            other.close()
            summary = pool.stop()
        self.assertEqual((summary["dropped"], summary["bad_lines"]), (1, 0))
        self.assertIn("line too long", pool.log)

    def test_a_client_that_reads_slowly_gets_every_line_in_order(self):
        with Pool() as pool, Client(pool) as client:
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
            requests = [b'{"id":%d,"method":"mining.x"}\n' % i for i in range(20000)]
            client.send(b"".join(requests[:6000]))      # more than the socket takes
            for start in range(6000, 20000, 1000):
                replies = [client.reply()["id"] for _ in range(1000)]
                self.assertEqual(replies, list(range(start - 6000, start - 5000)))
                client.send(b"".join(requests[start:start + 1000]))
            self.assertEqual([client.reply()["id"] for _ in range(6000)], list(range(14000, 20000)))

    def test_a_client_that_does_not_read_is_dropped(self):
        with Pool() as pool, Client(pool) as other, Client(pool) as client:
            with self.assertRaises(OSError):
                client.socket.settimeout(5)
                for _ in range(10**4):
                    client.send(b'{"id":1,"method":"mining.x"}\n' * 100)
            self.assertEqual(other.call("mining.x")["error"][0], -3)
            other.close()
            self.assertEqual(pool.stop()["dropped"], 1)
        self.assertIn("does not read", pool.log)


class Extensions(unittest.TestCase):
    rolling = {"version-rolling": {"mask": "ffffffff", "min-bit-count": 2}}

    def test_bits_inside_the_mask_are_taken_from_the_miner_and_no_others(self):
        asked = dict(self.rolling, **{"minimum-difficulty": {"value": 2 * EASY}, "nonsense": {}})
        with Pool("--difficulty", repr(EASY), "--version-mask", "3fffe000") as pool, \
             Client(pool, extensions=asked) as client:
            self.assertEqual(client.configured, {
                "version-rolling": True, "version-rolling.mask": "3fffe000", "minimum-difficulty": True,
                "nonsense": False})
            job = client.jobs[-1]
            self.assertEqual(client.difficulties[job[0]], 2 * EASY)
            for bits in "00000000", "20000000", "0d10e000", "3FFFE000":     # the job has 20000000 itself
                share = client.solve(job, version_bits=bits)
                self.assertEqual(client.submit(share), 0)
                self.assertEqual(client.submit(share), (22, "Duplicate share"))
            for bits in "40000000", "00001000", "00000001", "ffffffff":
                self.assertEqual(client.submit(share[:4] + [bits]), (20, "Version bits outside the mask"))
            for bad in share[:4], share[:4] + ["2000"], share[:4] + ["0x002000"], share[:4] + [""]:
                self.assertEqual(client.submit(bad)[0], 20)
            client.close()
            summary = pool.stop()
        self.assertEqual((summary["accepted"], summary["duplicates"]), (4, 4))
        self.assertEqual((summary["reasons"]["version_mask"], summary["reasons"]["bad_version"]), (4, 4))

    def test_rolling_is_granted_only_where_both_want_it(self):
        with Pool("--difficulty", repr(EASY)) as pool, Client(pool, extensions=self.rolling) as client:
            self.assertEqual(client.configured, {"version-rolling": False})
            share = client.solve(client.jobs[-1])
            self.assertEqual(client.submit(share + ["00000000"])[0], 20)
            self.assertEqual(client.submit(share), 0)
        with Pool("--version-mask", "1fffe000") as pool:
            for mask, least, granted in (("00f00000", 4, "00f00000"), ("00f00000", 5, None), ("e0000fff", 0, None)):
                asked = {"version-rolling": {"mask": mask, "min-bit-count": least}}
                with Client(pool, login=False, extensions=asked) as client:
                    self.assertEqual(client.configured.get("version-rolling.mask"), granted)
                    self.assertIs(client.configured["version-rolling"], granted is not None)
            with Client(pool, login=False, extensions={"version-rolling": {"mask": "xyz"},
                                                       "minimum-difficulty": {"value": -1}}) as client:
                self.assertTrue(all(isinstance(value, str) for value in client.configured.values()))
                self.assertEqual(client.call("mining.configure", "version-rolling")["error"][0], 20)

    def test_a_new_mask_is_for_the_jobs_after_it(self):
        with Pool("--difficulty", repr(EASY), "--version-mask", "1fffe000", "--job-interval", "0.3",
                  "--mask-interval", "0.5", "--clean-every", "0") as pool, \
             Client(pool, extensions=self.rolling) as client:
            old = client.jobs[-1]
            new = client.next_job(lambda job: client.masks[job[0]] != 0x1fffe000)
            self.assertEqual(client.masks[new[0]], 0x0000e000)
            self.assertEqual(client.submit(client.solve(old, version_bits="10000000")), 0)
            self.assertEqual(client.submit(client.solve(new, version_bits="00006000")), 0)
            self.assertEqual(client.submit(client.solve(new, version_bits="10000000"))[0], 20)
            client.next_job(lambda job: client.masks[job[0]] == 0x1fffe000)

    def test_a_new_extranonce_is_for_the_jobs_after_it(self):
        for subscribe in True, False:
            with Pool("--difficulty", repr(EASY), "--job-interval", "0.2", "--extranonce-interval", "0.3",
                      "--clean-every", "0") as pool, Client(pool) as client:
                old = client.jobs[-1]
                if subscribe:
                    self.assertIs(client.call("mining.extranonce.subscribe")["result"], True)
                    seen = {client.xnonces[client.next_job()[0]] for _ in range(8)}
                    self.assertGreater(len(seen), 2)
                    self.assertEqual({(len(first), second) for first, second in seen}, {(8, 4), (10, 3)})
                    self.assertNotEqual(client.xnonces[old[0]], client.xnonces[client.jobs[-1][0]])
                    for job in old, *client.jobs[-4:]:
                        self.assertEqual(client.submit(client.solve(job, "11" * client.xnonces[job[0]][1])), 0)
                else:
                    before = client.xnonce1
                    for _ in range(4):
                        client.next_job()
                    self.assertEqual(client.xnonce1, before)

    def test_a_suggested_difficulty_is_that_of_the_next_job(self):
        with Pool("--difficulty", repr(NEVER), "--job-interval", "0.3") as pool, Client(pool) as client:
            self.assertEqual(client.difficulty, NEVER)
            self.assertIs(client.call("mining.suggest_difficulty", EASY)["result"], True)
            for bad in 0, -1, "x", None, 1e300:
                self.assertEqual(client.call("mining.suggest_difficulty", bad)["error"][0], 20)
            job = client.next_job(lambda job: client.difficulty != NEVER)
            self.assertEqual(client.difficulties[job[0]], EASY)
            self.assertEqual(client.submit(client.solve(job)), 0)

    def test_a_client_that_comes_back_has_its_session_again(self):
        with Pool("--difficulty", repr(EASY), "--job-interval", "0.3", "--clean-every", "0") as pool:
            with Client(pool) as client:
                client.call("mining.suggest_difficulty", 2 * EASY)
                client.next_job(lambda job: client.difficulty != EASY)
                shares = [client.solve(client.jobs[-1], "%08x" % i) for i in range(2)]
                self.assertEqual(client.submit(shares[0]), 0)
                session, xnonce1 = client.session, client.xnonce1
                with Client(pool, session=session) as other:        # it is still in use
                    self.assertNotEqual(other.xnonce1, xnonce1)
            time.sleep(0.1)
            for strange in "", "ffffffff", "x", "00000000":
                with Client(pool, session=strange) as other:
                    self.assertNotEqual(other.xnonce1, xnonce1)
            with Client(pool, session=session) as client:
                self.assertEqual((client.session, client.xnonce1, client.difficulty), (session, xnonce1, 2 * EASY))
                self.assertEqual(client.submit(shares[1]), 0)       # found before, sent now
                self.assertEqual(client.submit(shares[0]), (22, "Duplicate share"))
                with Client(pool, session=session) as other:
                    self.assertNotEqual(other.xnonce1, xnonce1)
            summary = pool.stop()
        self.assertEqual((summary["resumed"], summary["duplicates"]), (1, 1))


class Books(unittest.TestCase):
    """What the summary says of a miner's errors, whatever the verdicts were."""

    def test_a_share_that_was_refused_is_a_duplicate_too(self):
        with Pool("--difficulty", repr(NEVER)) as pool, Client(pool) as client:
            for _ in range(3):
                self.assertEqual(client.submit([client.jobs[-1][0], "00000000", client.jobs[-1][7], "00000001"])[0], 23)
            client.close()
            self.assertEqual(pool.stop()["duplicates"], 2)

    def test_a_share_sent_long_after_a_clean_job_is_counted(self):
        with Pool("--difficulty", repr(EASY), "--job-interval", "1", "--clean-every", "1", "--grace", "9") as pool, \
             Client(pool) as client:
            job = client.next_job()
            shares = [client.solve(job, "%08x" % i) for i in range(2)]
            client.next_job()
            time.sleep(0.2)
            self.assertEqual(client.submit(shares[0]), 0)
            time.sleep(0.6)
            self.assertEqual(client.submit(shares[1]), 0)
            client.close()
            summary = pool.stop()
        self.assertEqual((summary["accepted"], summary["late"], summary["after_clean"]), (2, 2, 1))

    @holds_once
    def test_a_job_ends_when_the_clean_one_leaves_not_when_it_is_made(self):
        with Pool("--difficulty", repr(EASY), "--job-interval", "3.5", "--clean-every", "1", "--grace", "9",
                  "--fault", "batch=1000") as pool:
            start = time.monotonic()
            with Client(pool) as client:
                share = client.solve(client.jobs[0])
                time.sleep(max(0, start + 4.2 - time.monotonic()))      # the clean one was made at 3.5, and waits
                self.assertEqual(client.submit(share), 0)
            summary = pool.stop()
        self.assertEqual((summary["accepted"], summary["late"], summary["after_clean"]), (1, 1, 0))

    @holds_once
    def test_a_job_whose_end_was_cut_off_ends_on_the_next_connection(self):
        with Pool("--difficulty", repr(EASY), "--job-interval", "1.5", "--clean-every", "1", "--grace", "9",
                  "--fault", "batch=700") as pool:
            start = time.monotonic()
            with Client(pool) as client:
                share, session = client.solve(client.jobs[0]), client.session
                for i in range(100):        # so that the next connection is far from where this one was
                    client.send(b'{"id":0,"method":"mining.x"}\n')
                time.sleep(max(0, start + 1.8 - time.monotonic()))      # the clean one is made, and waits
            time.sleep(0.1)
            with Client(pool, session=session) as client:
                self.assertNotEqual(client.jobs[-1][0], share[0])
                time.sleep(0.7)
                self.assertEqual(client.submit(share), 0)
            summary = pool.stop()
        self.assertEqual((summary["resumed"], summary["accepted"], summary["after_clean"]), (1, 1, 1))


class Faults(unittest.TestCase):
    def requests(self, client, count):
        """That many good shares sent at once; their ids."""
        ids = range(100, 100 + count)
        shares = [client.solve(client.jobs[-1], "%08x" % i) for i in ids]
        client.send(b"".join(json.dumps({"id": i, "method": "mining.submit", "params": ["miner", *share]}).encode() +
                             b"\n" for i, share in zip(ids, shares)))
        return list(ids)

    @holds_once
    def test_late_answers_come_late_and_all_else_on_time(self):
        with Pool("--difficulty", repr(EASY), "--fault", "late=1000") as pool, Client(pool) as client:
            start = time.monotonic()
            ids = self.requests(client, 10)
            client.call("mining.suggest_difficulty", EASY)
            self.assertLess(time.monotonic() - start, 0.8)
            self.assertEqual([client.reply()["id"] for _ in ids], ids)
            self.assertGreater(time.monotonic() - start, 1)

    def test_shuffled_answers_are_all_there_in_another_order(self):
        orders = []
        for seed in "1", "1", "2":
            with Pool("--difficulty", repr(EASY), "--fault", "shuffle=500", "--seed", seed) as pool, \
                 Client(pool) as client:
                ids = self.requests(client, 10)
                orders.append([client.reply()["id"] for _ in ids])
                self.assertEqual(sorted(orders[-1]), ids)
                self.assertNotEqual(orders[-1], ids)
        self.assertEqual(orders[0], orders[1])      # chance comes from the seed
        self.assertNotEqual(orders[0], orders[2])

    def test_mute_leaves_shares_unanswered_and_counted(self):
        with Pool("--difficulty", repr(EASY), "--fault", "mute=50") as pool, Client(pool) as client:
            ids = self.requests(client, 40)
            client.socket.settimeout(0.5)
            told = []
            with self.assertRaises(TimeoutError):
                while True:
                    told.append(client.reply()["id"])
            client.close()
            summary = pool.stop()
        self.assertTrue(10 < len(told) < 30, told)
        self.assertEqual((summary["accepted"], summary["told_accepted"], summary["told_rejected"]),
                         (len(ids), len(told), 0))

    def test_stray_answers_come_twice_and_for_nobody(self):
        with Pool("--difficulty", repr(EASY), "--fault", "stray=100") as pool, Client(pool) as client:
            self.requests(client, 2)
            self.assertEqual([client.reply()["id"] for _ in range(6)], [100, 999999999, 100, 101, 999999999, 101])
            client.close()
            self.assertEqual(pool.stop()["told_accepted"], 2)

    def test_refusals_have_every_shape_and_are_not_believed_by_the_books(self):
        with Pool("--difficulty", repr(EASY), "--fault", "refusals=100") as pool, Client(pool) as client:
            shapes = set()
            for _ in self.requests(client, 22):
                reply = client.reply()
                self.assertTrue(reply.pop("id") >= 100 and
                                (reply.get("result") is not True or reply.get("error") is not None))
                shapes.add(json.dumps(reply))
            self.assertEqual(len(shapes), 11)
            client.close()
            summary = pool.stop()
        self.assertEqual((summary["accepted"], summary["told_rejected"]), (22, 22))

    def test_style_says_the_same_in_other_shapes(self):
        shapes = set()
        with Pool("--difficulty", repr(EASY), "--job-interval", "0.1", "--clean-every", "3",
                  "--fault", "style=100") as pool, Client(pool, login=False) as client:
            for i in range(60):
                client.send(json.dumps({"id": i, "method": ("mining.subscribe", "mining.authorize")[i % 2],
                                        "params": ["miner"]}).encode() + b"\n")
                while True:
                    message = json.loads(client.lines.readline())
                    if message.get("method") == "mining.notify":
                        self.assertTrue(8 <= len(message["params"]) <= 11)
                        shapes.add((len(message["params"]), type(message["params"][-1]).__name__))
                    if "method" not in message:
                        break
                self.assertEqual(int(message["id"]), i)
                shapes.update({("id", type(message["id"]).__name__), ("error", "error" in message),
                               ("jsonrpc", "jsonrpc" in message)})
                if i % 2 == 0:
                    self.assertEqual(message["result"][2], 4)
                    shapes.add(("list", str(message["result"][0])))
                time.sleep(0.03)
        for shape in (("id", "str"), ("id", "int"), ("error", False), ("jsonrpc", True), ("list", "None"), ("list", "[]"),
                      (8, "str"), (9, "int"), (11, "bool")):
            self.assertIn(shape, shapes)

    def test_halves_write_a_few_bytes_at_a_time(self):
        with Pool("--fault", "halves=7") as pool, Client(pool, login=False) as client:
            client.send(b'{"id":1,"method":"mining.subscribe","params":[]}\n')
            start = time.monotonic()
            parts = [client.socket.recv(1000)]
            while not parts[-1].endswith(b"\n"):
                parts.append(client.socket.recv(1000))
            self.assertEqual(len(parts[0]), 7)
            self.assertGreater(time.monotonic() - start, 0.001 * len(b"".join(parts)) / 7)
            self.assertGreater(len(parts), len(b"".join(parts)) / 7 / 2)
            self.assertEqual(json.loads(b"".join(parts))["id"], 1)

    def test_a_batch_comes_in_one_piece(self):
        with Pool("--difficulty", repr(EASY), "--fault", "batch=1000") as pool, Client(pool) as client:
            self.requests(client, 5)
            time.sleep(0.2)
            client.send(b'{"id":7,"method":"mining.x"}\n')
            self.assertEqual(client.socket.recv(10000).count(b"\n"), 6)

    def test_line_ends_and_blank_lines_vary(self):
        with Pool("--difficulty", repr(EASY), "--fault", "crlf,blank", "--job-interval", "0.05") as pool, \
             Client(pool, login=False) as client:
            client.send(b'{"id":1,"method":"mining.subscribe"}\n{"id":2,"method":"mining.authorize","params":["u"]}\n')
            lines = [client.lines.readline() for _ in range(60)]
        for kind in b"\n", b"   \n", b"\r\n":
            self.assertIn(kind, lines)
        self.assertTrue({line.endswith(b"\r\n") for line in lines if len(line) > 9} == {True, False})

    def test_lines_that_are_no_message_come_between(self):
        with Pool("--difficulty", repr(EASY), "--fault", "garbage=0.02,deep=0.1") as pool, \
             Client(pool, trusting=False) as client:
            while len(client.garbage) < 40:
                client.call("mining.suggest_difficulty", EASY)
                time.sleep(0.02)
            self.assertEqual(client.submit(client.solve(client.jobs[-1])), 0)
        self.assertEqual({len(line) > 100000 for line in client.garbage}, {True, False})
        self.assertTrue({b"[]\n", b"not json\n"} <= set(client.garbage))
        self.assertGreater(len(set(client.garbage)), 9)
        self.assertEqual({line[:1] for line in client.garbage if len(line) > 100000}, {b"[", b"{"})

    def test_long_lines_say_nothing_new(self):
        with Pool("--fault", "long=0.1") as pool, Client(pool) as client:
            message = client.receive()
            self.assertEqual((len(message["padding"]), message["params"]), (200000, [client.difficulty]))

    def test_questions_are_asked_and_their_answers_counted(self):
        with Pool("--fault", "requests=0.05") as pool, Client(pool) as client:
            asked = {}
            while len(asked) < 4:
                message = client.receive()
                if message.get("id") is None:
                    asked[message["method"]] = message
                    continue
                asked[message["method"]] = message["id"]
                answer = {"client.get_version": {"result": "check/1"}, "mining.ping": {"result": "pong"},
                          "no.such": {"result": None, "error": [-3, "Method not found", None]}}[message["method"]]
                client.send(json.dumps(dict(answer, id=message["id"])).encode() + b"\n")
            client.send(json.dumps({"id": asked["mining.ping"], "result": "gnop"}).encode() + b"\n")
            time.sleep(0.2)
            client.close()
            summary = pool.stop()
        self.assertGreaterEqual(summary["answers"], 3)
        self.assertEqual(summary["bad_lines"], 1)

    def test_reconnects_have_every_form(self):
        with Pool("--fault", "reconnect=0.05") as pool, Client(pool, trusting=False) as client:
            client.socket.settimeout(2)
            while len(client.others) < 14:
                client.receive()
            forms = {json.dumps(message.get("params")) for message in client.others}
            self.assertEqual(forms, {"null", "[]", '["", %d]' % pool.port, '["127.0.0.1", %d, 1]' % pool.port,
                                     '["127.0.0.1", "%d", "1"]' % pool.port, "[{}, [], -5]", '["127.0.0.1", 70000]'})

    def test_malformed_jobs_follow_good_ones(self):
        forms = set()
        with Pool("--fault", "badjobs=100", "--job-interval", "0.05") as pool, Client(pool, trusting=False) as client:
            while len(forms) < 17:
                message = json.loads(client.lines.readline())
                if message["method"] == "mining.notify" and message["params"][:1] in (["bad job"], [None], []):
                    forms.add(self.malformation(message["params"]))

    @staticmethod
    def malformation(params):
        """Where a job is not as it should be, and how."""
        if len(params) < 9:
            return len(params)
        for i, right in enumerate([None, 64, None, None, None, 8, 8, 8]):
            value = params[i]
            if i == 4 and (not isinstance(value, list) or any(branch is None or len(branch) != 64 for branch in value)):
                return i, json.dumps(value)
            if i != 4 and (not isinstance(value, str) or (right and len(value) != right) or len(value) % 2 and i in (2, 3)
                           or value.startswith("zz")):
                return i, json.dumps(value)
        raise AssertionError("nothing is wrong with it")

    def test_jumps_are_judged_by_each_job_s_own_difficulty(self):
        with Pool("--difficulty", repr(EASY), "--job-interval", "0.2", "--clean-every", "0",
                  "--fault", "jumps=100") as pool, Client(pool) as client:
            for _ in range(15):
                client.next_job()
            self.assertGreater(len(set(client.difficulties.values())), 4)
            self.assertTrue(all(EASY / 8 <= d <= 8 * EASY for d in client.difficulties.values()))
            for job in client.jobs:
                self.assertEqual(client.submit(client.solve(job)), 0)

    @holds_once
    def test_a_storm_is_ten_clean_jobs_a_second(self):
        with Pool("--fault", "storm") as pool, Client(pool) as client:
            start = time.monotonic()
            jobs = [client.next_job() for _ in range(20)]
            self.assertAlmostEqual(time.monotonic() - start, 2, delta=0.5)
            self.assertTrue(all(job[8] for job in jobs))
            self.assertEqual(len({job[1] for job in jobs}), 20)

    @holds_once
    def test_silence_ends_and_loses_nothing(self):
        with Pool("--fault", "silent=0.6", "--job-interval", "0.05") as pool, Client(pool) as client:
            gaps, last, end = [], time.monotonic(), time.monotonic() + 3
            while last < end:
                client.receive()
                gaps.append(time.monotonic() - last)
                last += gaps[-1]
            numbers = [int(job[0], 16) for job in client.jobs]
            self.assertEqual(numbers, list(range(numbers[0], numbers[0] + len(numbers))))
            self.assertTrue(2 <= sum(gap > 0.5 for gap in gaps) <= 3, sorted(gaps)[-5:])

    @holds_once
    def test_connections_are_dropped_by_chance(self):
        lives = []
        with Pool("--fault", "drop=0.2", "--seed", "3") as pool:
            while len(lives) < 15:
                start = time.monotonic()
                with self.assertRaises((EOFError, ConnectionError)), Client(pool) as client:
                    while True:
                        client.receive()
                lives.append(time.monotonic() - start)
            summary = pool.stop()
        self.assertEqual((summary["cut"], summary["dropped"], summary["faults"]["drop"]), (15, 0, 15))
        self.assertTrue(0.1 < sum(lives) / 15 < 0.4, lives)
        self.assertGreater(max(lives), 2 * min(lives))

    def test_logins_are_hung_up_on_or_refused(self):
        with Pool("--fault", "hangup=100") as pool, Client(pool, login=False) as client:
            client.subscribe()
            self.assertRaises((EOFError, ConnectionError), client.receive)
        with Pool("--fault", "refuse=100") as pool, Client(pool, login=False) as client:
            client.subscribe()
            replies = [client.call("mining.authorize", "miner", "x") for _ in range(2)]
            self.assertEqual([(reply["result"], reply["error"]) for reply in replies],
                             [(None, [24, "Unauthorized worker", None]), (False, None)])
            self.assertEqual(client.submit(["1", "00000000", "00000000", "00000000"])[0], 24)

    def test_all_gives_each_fault_its_turn_but_those_that_are_always_on(self):
        with Pool("--fault", "all=0.1,drop=1000", "--time-limit", "4.5") as pool:
            pool.wait()
        turns = [line.split("fault ")[1].split(" ")[0] for line in pool.log.splitlines() if "devpool: fault " in line]
        run = subprocess.run([DEVPOOL, "--help"], capture_output=True, timeout=60, text=True)
        names = [line.split()[0] for line in run.stdout.split("\n\n")[-1].splitlines()]
        self.assertEqual(len(names), 22)
        names.remove("drop")
        self.assertEqual(turns[:42], 2 * names)


class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not shutil.which("openssl"):
            raise unittest.SkipTest("no openssl to make a certificate with")
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.cert, cls.key = (os.path.join(cls.folder.name, name) for name in ("cert.pem", "key.pem"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-keyout", cls.key, "-out", cls.cert, "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)
        cls.context = ssl.create_default_context(cafile=cls.cert)

    def pool(self, *args):
        return Pool("--tls", self.cert + "," + self.key, "--difficulty", repr(EASY), *args)

    def test_a_session_over_tls_is_like_any_other(self):
        for version in ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3:
            context = ssl.create_default_context(cafile=self.cert)
            context.minimum_version = context.maximum_version = version
            with self.pool("--fault", "long=0.2,halves=3000") as pool, Client(pool, tls=context) as client:
                for i in range(5):
                    self.assertEqual(client.submit(client.solve(client.jobs[-1], "%08x" % i)), 0)
                client.close()
                self.assertEqual(pool.stop()["accepted"], 5)

    def test_a_line_left_over_from_a_full_record_is_answered(self):
        request = b'{"id":1,"method":"mining.x"}'       # 16384 bytes, a record, are no multiple of it and its line end
        lines = [request] * (2 * 16384 // (len(request) + 1))
        lines[-1] += b" " * (2 * 16384 - len(lines) * (len(request) + 1))
        with self.pool() as pool, Client(pool, tls=self.context) as client:
            client.send(b"\n".join(lines) + b"\n")
            for _ in lines:
                client.reply()

    def test_a_write_that_has_to_wait_is_made_again_as_it_was(self):
        with self.pool("--fault", "all=0.5") as pool:       # halves from 3.0 to 3.5 seconds, then batch
            start = time.monotonic()
            with Client(pool, tls=self.context, trusting=False) as client:
                for at, count in (2.2, 6000), (3.2, 1), (3.7, 1):       # the first are more than the socket takes
                    time.sleep(max(0, start + at - time.monotonic()))
                    client.send(b'{"id":1,"method":"mining.x"}\n' * count)
                for _ in range(6002):
                    client.reply()

    def test_a_client_in_plain_text_or_without_trust_is_alone_in_its_trouble(self):
        with self.pool() as pool, Client(pool, tls=self.context) as other:
            with self.assertRaises((EOFError, ConnectionError)), Client(pool, login=False) as client:
                client.subscribe()
            with self.assertRaises(ssl.SSLError), Client(pool, tls=ssl.create_default_context()):
                pass
            with Client(pool, tls=self.context), socket.create_connection(("127.0.0.1", pool.port)):   # says nothing
                self.assertEqual(other.submit(other.solve(other.jobs[-1])), 0)
            other.close()
            self.assertEqual(pool.stop()["connections"], 5)
        self.assertIn("unknown ca", pool.log)

    def test_a_client_that_does_not_read_is_dropped(self):
        with self.pool() as pool, Client(pool, tls=self.context) as client:
            with self.assertRaises(OSError):
                for _ in range(10**4):
                    client.send(b'{"id":1,"method":"mining.x"}\n' * 100)
            pool.stop()
        self.assertIn("does not read", pool.log)

    def test_a_wrong_file_is_named(self):
        for pair, named in (("/no/cert," + self.key, "/no/cert"), (self.cert + ",/no/key", "/no/key"),
                            (self.key + "," + self.key, self.key)):
            run = subprocess.run([DEVPOOL, "--port", "0", "--tls", pair], capture_output=True, timeout=60, text=True)
            self.assertEqual((run.returncode, run.stdout), (1, ""))
            self.assertIn(named, run.stderr)


class Replay(unittest.TestCase):
    HEAD = {"adit-record": 2, "algo": "sha256d", "pools": ["stratum+tcp://pool.example:3333"]}
    SESSION = [
        (0.0, 1, ">", {"id": 1, "method": "mining.subscribe", "params": ["adit/0.1"]}),
        (0.1, 1, "<", {"id": 1, "result": [[], "0badc0de", 3], "error": None, "extra": 1}),
        (0.2, 1, "<", "not json"),
        (0.2, 1, ">", {"id": 2, "method": "mining.authorize", "params": ["u", "***"]}),
        (0.3, 1, "<", {"result": True, "id": "2"}),
        (0.4, 1, "<", {"id": None, "method": "mining.set_difficulty", "params": [0.5]}),
        (1.0, 1, ">", {"id": 3, "method": "mining.submit", "params": []}),
        (1.1, 1, ">", {"id": 4, "method": "mining.submit", "params": []}),
        (1.2, 1, ">", {"id": 5, "method": "mining.submit", "params": []}),
        (1.3, 1, "<", {"id": 5, "result": None, "error": [21, "Job not found", None]}),
        (1.4, 1, "<", {"id": 3, "result": True, "error": None}),
        (1.5, 1, "<", {"id": 77, "method": "client.get_version"}),
        (1.6, 1, ">", {"id": 77, "result": "adit/0.1"}),
        (1.7, 1, "<", {"id": 99, "result": True}),
        (1.7, 1, "<", {"id": 3, "result": "again"}),
        (2.0, 2, "<", "HTTP/1.1 400 Bad Request"),
    ]

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def record(self, lines=None, head=None, data=None, compress=True):
        """The name of a file with these lines, or this text."""
        path = os.path.join(self.folder.name, "session.gz")
        if data is None:
            objects = [head or self.HEAD] + [
                {"t": t, "pool": 1, "conn": conn, "dir": way, "line": line if isinstance(line, str) else json.dumps(line),
                 **(more[0] if more else {})}
                for t, conn, way, line, *more in (self.SESSION if lines is None else lines)]
            data = b"".join(json.dumps(o).encode() + b"\n" for o in objects)
        with open(path, "wb") as file:
            file.write(gzip.compress(data) if compress else data)
        return path

    def raw(self, client, message):
        client.send(json.dumps(message).encode() + b"\n")

    def line(self, client):
        return client.lines.readline().decode().strip()

    @holds_once
    def test_each_request_gets_what_it_got_then(self):
        with Pool("--replay", self.record()) as pool, Client(pool, login=False) as client:
            self.raw(client, {"id": "a", "method": "mining.subscribe", "params": []})
            self.assertEqual(json.loads(self.line(client)),
                             {"id": "a", "result": [[], "0badc0de", 3], "error": None, "extra": 1})
            start = time.monotonic()
            self.raw(client, {"id": 70, "method": "mining.authorize", "params": []})
            self.assertEqual(self.line(client), '{"result":true,"id":"70"}')
            self.assertEqual(self.line(client), "not json")
            self.assertEqual(json.loads(self.line(client))["method"], "mining.set_difficulty")
            self.assertAlmostEqual(time.monotonic() - start, 0.2, delta=0.15)
            for i in range(71, 75):
                self.raw(client, {"id": i, "method": "mining.submit"})
            self.raw(client, {"id": 75, "method": "mining.never_asked"})
            self.assertEqual(json.loads(self.line(client)), {"id": 71, "result": True, "error": None})
            for i in 73, 74:        # the second never was answered; there was no fourth
                self.assertEqual(json.loads(self.line(client)),
                                 {"id": i, "result": None, "error": [21, "Job not found", None]})
            self.assertEqual(json.loads(self.line(client)), {"id": 77, "method": "client.get_version"})
            self.assertAlmostEqual(time.monotonic() - start, 1.3, delta=0.2)
            self.assertEqual(json.loads(self.line(client)), {"id": 99, "result": True})
            self.assertEqual(json.loads(self.line(client)), {"id": 3, "result": "again"})
            self.assertEqual(self.line(client), "")         # closed, as another connection came
            for _ in range(2):
                with Client(pool, login=False) as second:
                    self.assertEqual(self.line(second), "HTTP/1.1 400 Bad Request")
                    second.socket.settimeout(0.3)
                    self.assertRaises(TimeoutError, second.lines.readline)      # the last one stays
            pool.stop()
        self.assertIn("mining.never_asked was not asked then", pool.log)

    GBT = {"method": "getblocktemplate", "params": [{"rules": ["segwit"]}], "id": 1}
    LONGPOLL = {"method": "getblocktemplate", "params": [{"longpollid": "l"}], "id": 2}
    SUBMIT = {"method": "submitblock", "params": ["00" * 20000], "id": 3}
    NODE = [
        (0.0, 3, ">", GBT, {"call": 1, "path": "/"}),
        (0.1, 3, "<", {"result": 1, "id": 1}, {"call": 1, "status": 200, "headers": {"x-long-polling": "https://node.example:1/lp",
                                                                                     "x-stratum": "stratum+tcp://node.example:2"}}),
        (0.2, 3, ">", LONGPOLL, {"call": 2, "path": "/lp"}),
        (0.2, 3, ">", LONGPOLL, {"call": 9, "path": "/lp"}),        # was cut off
        (1.0, 3, ">", GBT, {"call": 3, "path": "/"}),
        (1.1, 3, "<", {"result": 2, "id": 1}, {"call": 3, "status": 200, "headers": {}}),
        (1.5, 4, ">", {"id": 1, "method": "mining.subscribe", "params": []}),
        (1.6, 4, "<", {"id": 1, "result": "subscribed"}),
        (2.0, 3, "<", {"result": 3, "id": 2}, {"call": 2, "status": 200, "headers": {}}),
        (3.0, 3, ">", GBT, {"call": 4, "path": "/"}),
        (3.1, 3, "<", {"result": 4, "id": 1}, {"call": 4, "status": 200, "headers": {}}),
        (3.2, 3, ">", SUBMIT, {"call": 5, "path": "/"}),
        (3.3, 3, "<", "<h1>no\n", {"call": 5, "status": 500, "headers": {"x-reject-reason": "bad"}}),
        (4.0, 3, ">", GBT, {"call": 6, "path": "/"}),
        (4.1, 3, "<", "", {"call": 6, "status": 0, "headers": {}}),
    ]

    def ask(self, node, message, path="/wallet"):
        """Status, headers and body of the answer; the body as JSON when it is that."""
        node.request("POST", path, json.dumps(message))
        answer = node.getresponse()
        body = answer.read().decode()
        return answer.status, answer.headers, json.loads(body) if body.startswith("{") else body

    @holds_once
    def test_a_node_gives_the_next_answer_of_then_to_the_same_question(self):
        with Pool("--replay", self.record(self.NODE)) as pool:
            node, other, watch = (http.client.HTTPConnection("127.0.0.1", pool.port, timeout=60) for _ in range(3))
            start = time.monotonic()
            status, headers, reply = self.ask(node, dict(self.GBT, id="mine"))
            self.assertEqual((status, reply), (200, {"result": 1, "id": "mine"}))
            self.assertEqual(headers["X-Long-Polling"], "/lp")
            self.assertEqual(headers["X-Stratum"], "stratum+tcp://127.0.0.1:%d" % pool.port)
            watch.request("POST", "/lp", json.dumps(self.LONGPOLL))
            self.assertEqual(self.ask(node, self.GBT)[2]["result"], 2)
            self.assertEqual(self.ask(node, {"method": "getwork", "params": [], "id": 7})[::2],
                             (404, {"result": None, "error": {"code": -32601, "message": "Method not found"}, "id": 7}))
            status, headers, reply = self.ask(other, self.SUBMIT)
            self.assertEqual((status, headers["X-Reject-Reason"], reply), (500, "bad", "<h1>no\n"))
            with Client(pool, login=False) as client:       # lines are spoken on the same port
                self.raw(client, {"id": 5, "method": "mining.subscribe", "params": []})
                self.assertEqual(json.loads(self.line(client)), {"id": 5, "result": "subscribed"})
            self.assertEqual(json.loads(watch.getresponse().read())["result"], 3)
            self.assertGreater(time.monotonic() - start, 1.9)
            self.assertEqual(self.ask(node, self.GBT)[2]["result"], 4)
            watch.sock.settimeout(0.3)      # news there was no more
            watch.request("POST", "/lp", json.dumps(self.LONGPOLL))
            self.assertRaises(TimeoutError, watch.getresponse)
            time.sleep(max(0, start + 3.2 - time.monotonic()))
            with self.assertRaises((http.client.RemoteDisconnected, ConnectionError)):
                self.ask(node, self.GBT)
            node.close(), other.close(), watch.close()
            pool.stop()
        self.assertIn("was not asked then: ", pool.log)

    def test_an_answer_of_many_megabytes_comes_whole_and_a_request_may_have_as_many(self):
        body = json.dumps({"result": "5a" * (3 << 20), "id": 1}, separators=(",", ":"))
        lines = [self.NODE[0], (0.1, 3, "<", body, {"call": 1, "status": 200, "headers": {}})]
        with Pool("--replay", self.record(lines)) as pool:
            node = http.client.HTTPConnection("127.0.0.1", pool.port, timeout=60)
            for _ in range(2):
                node.request("POST", "/", json.dumps(dict(self.GBT, pad="x" * (5 << 20))))
                self.assertTrue(node.getresponse().read().decode() == body)
            node.close()

    def test_one_of_several_pools_is_played(self):
        path = self.record([(0, 1, "<", "first"), (0.1, 2, "<", "second", {"pool": 2}), (0.2, 1, "<", "first again"),
                            (0.3, 7, "<", "third", {"pool": 2})])
        for pool_number, texts in (("1", [["first", "first again"]]), ("2", [["second"], ["third"]])):
            with Pool("--replay", path, "--replay-pool", pool_number) as pool:
                for lines in texts:
                    with Client(pool, login=False) as client:
                        self.assertEqual([self.line(client) for _ in lines], lines)
        run = subprocess.run([DEVPOOL, "--port", "0", "--replay", path, "--replay-pool", "3"], capture_output=True, timeout=60, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertIn("no lines of the pool", run.stderr)

    @holds_once
    def test_it_can_go_faster_and_needs_no_compression(self):
        with Pool("--replay", self.record(compress=False), "--replay-speed", "10") as pool, \
             Client(pool, login=False) as client:
            start = time.monotonic()
            self.raw(client, {"id": 1, "method": "mining.authorize", "params": []})
            while self.line(client):
                pass
            self.assertAlmostEqual(time.monotonic() - start, 0.15, delta=0.1)

    def test_a_file_that_ends_in_the_middle_plays_what_is_whole(self):
        path = self.record([(i, 1, "<", "%d %s" % (i, hashlib.sha256(b"%d" % i).hexdigest())) for i in range(2000)])
        with open(path, "rb") as file:
            data = file.read()
        with open(path, "wb") as file:
            file.write(data[:len(data) // 2])
        with Pool("--replay", path, "--replay-speed", "1000") as pool, Client(pool, login=False) as client:
            self.assertEqual([self.line(client).split()[0] for _ in range(500)], [str(i) for i in range(500)])
            client.close()
            pool.stop()
        self.assertIn("ends in the middle, behind line", pool.log)

    def test_a_damaged_file_is_named_with_line_and_reason(self):
        good = self.SESSION[0]
        for lines, where, why in (([], "line 1", "no lines"),
                                  ([good, (-1, 1, ">", "x")], "line 3", "t is not"),
                                  ([(5, 1, ">", "x"), (4, 1, ">", "x")], "line 3", "t is not"),
                                  ([good, ("0", 1, ">", "x")], "line 3", "t is not"),
                                  ([(0, 0, ">", "x")], "line 2", "conn is not"),
                                  ([(0, 10**9, ">", "x")], "line 2", "conn is not"),
                                  ([(0, 1, "?", "x")], "line 2", "dir is"),
                                  ([(0, 1, ">", "x\ny")], "line 2", "line is not"),
                                  ([(0, 1, ">", "x", {"pool": 0})], "line 2", "pool is not"),
                                  ([(0, 1, ">", "x", {"call": 0, "path": "/"})], "line 2", "call is not"),
                                  ([(0, 1, ">", "x", {"call": 1, "path": "x"})], "line 2", "path is not"),
                                  ([(0, 1, ">", "x", {"call": 1})], "line 2", "path is not"),
                                  ([(0, 1, "<", "x", {"call": 1, "status": 1000})], "line 2", "status is not"),
                                  ([(0, 1, "<", "x", {"call": 1, "status": 1, "headers": {"a": "b\r\n"}})], "line 2", "headers are not")):
            self.refused(self.record(lines), where, why)
        for head, why in (({"adit-record": 3}, "format"), ({"t": 0}, "no recorded session")):
            self.refused(self.record(head=head), "line 1", why)
        for data, why in ((b"", "it is empty"), (b"{}\n", "no recorded session"), (b"nonsense\n", "not a JSON object"),
                          (b"\0\n", "not a JSON object"), (b'{"adit-record":2,"adit-record":2}\n', "not a JSON object")):
            self.refused(self.record(data=data), "line", why)
        data = bytearray(gzip.compress(os.urandom(5000)))
        data[-6] ^= 1
        path = self.record(data=bytes(data), compress=False)
        self.refused(path, "damaged", "")
        self.refused("/no/such/file", "open", "")

    def refused(self, path, where, why):
        run = subprocess.run([DEVPOOL, "--port", "0", "--replay", path], capture_output=True, timeout=60, text=True)
        self.assertEqual((run.returncode, run.stdout), (1, ""), why)
        for part in path, where, why:
            self.assertIn(part, run.stderr)


class Program(unittest.TestCase):
    def test_a_signal_or_the_time_limit_ends_it_with_the_summary(self):
        for how in signal.SIGINT, signal.SIGTERM:
            with Pool() as pool:
                self.assertEqual(pool.stop(how)["accepted"], 0)
        with Pool("--time-limit", "0.5") as pool:
            self.assertAlmostEqual(pool.wait()["seconds"], 0.5, delta=0.3)

    def test_a_wrong_option_is_one_sentence_and_status_2(self):
        for args in (["--nonsense"], ["-a", "nonsense"], ["--port", "65536"], ["--port"], ["--difficulty", "0"],
                     ["--difficulty", "nan"], ["--vardiff", "fast"], ["--extranonce2-size", "17"],
                     ["--job-interval", "-1"], ["--clean-every", "1x"], ["surplus"], ["-z"],
                     ["--tls", "cert.pem"], ["--tls", ",key"], ["--version-mask", "1fffe00"],
                     ["--version-mask", "zzzzzzzz"],
                     ["--fault", "nonsense"], ["--fault", "late=x"], ["--fault", "late,"], ["--fault", "drop=0"],
                     ["--fault", "mute=101"], ["--fault", "all=0"], ["--seed", "-1"], ["--replay-speed", "0"], ["--replay-pool", "0"]):
            run = subprocess.run([DEVPOOL, *args], capture_output=True, timeout=60)
            self.assertEqual((run.returncode, run.stdout, run.stderr.count(b"\n")), (2, b"", 1), args)

    def test_help_names_every_option(self):
        run = subprocess.run([DEVPOOL, "--help"], capture_output=True, timeout=60)
        self.assertEqual(run.returncode, 0)
        for option in ("--algo", "--port", "--difficulty", "--vardiff", "--job-interval", "--clean-every", "--grace",
                       "--user", "--extranonce2-size", "--time-limit", "--json", "--tls", "--version-mask",
                       "--mask-interval", "--extranonce-interval", "--fault", "--seed", "--replay", "--replay-pool", "--replay-speed"):
            self.assertIn(option.encode(), run.stdout)


if __name__ == "__main__":
    unittest.main()

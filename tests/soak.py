#!/usr/bin/env python3
"""The real miner on pools that do everything wrong for a while, and the pools' books on it at the end.

Usage: soak.py [--minutes N] [--seed N] [--algo NAME] [--tls | --both]

devpool drops the connection every five seconds on average and does each of its other faults in turn. Whatever it
says meanwhile, it counts the truth: no share may come twice, none for a job that had ended more than half a second
before, and none that is wrong. The miner's own counts have to agree with that, its memory and descriptors to stay
as they are. There is one pool, in plain text or over TLS, or one of each: both connected, and when one fails the
other is mined on. ADIT and DEVPOOL name the programs; all logs are kept when something is wrong.
"""
import argparse
import contextlib
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from processes import ADIT, DEVPOOL, Certificates

FAULTS = 22
MASK = "1fffe000"
USUAL_DIFFICULTY = {"sha256d": 1 / 16384, "lyra2rev2": 1 / 2048}    # where vardiff starts
GROWTH_KIB = 2048           # of memory, from one part of the run to a later one
GROWTH_SANITIZED_KIB = 8192 # freed memory is not used again at once
FDS_MORE = 1
SECONDS_TO_END = 2
PASSWORD = "hush-hush-hush"

# Verdicts that a right miner may meet: only a pool that is late itself brings a stale share.
HARMLESS = {"stale_job"}


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--algo", default="sha256d")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--tls", dest="kinds", action="store_const", const=["tls"], default=["plain"], help="over TLS")
    kinds.add_argument("--both", dest="kinds", action="store_const", const=["plain", "tls"], help="on one of each")
    return parser.parse_args()


def start_pool(args, kind, seconds, log, certificates):
    turn = min(5, seconds / FAULTS)
    difficulty = USUAL_DIFFICULTY[args.algo]
    # where there is another pool to mine on, vardiff would lower it to nothing
    steer = ["--difficulty", repr(difficulty), "--vardiff", "5"]
    if len(args.kinds) > 1:
        steer = ["--difficulty", repr(2 * difficulty)]
    pool = subprocess.Popen(
        [DEVPOOL, "-a", args.algo, "--port", "0", "--json", *steer, "--job-interval", "%g" % min(1, turn / 3),
         "--version-mask", MASK, "--mask-interval", "7", "--extranonce-interval", "6", "--seed", str(args.seed),
         "--fault", "drop=5,all=%g" % turn,
         *(["--tls", certificates.pair(certificates.good)] if kind == "tls" else [])],
        stdout=subprocess.PIPE, stderr=log, text=True)
    return pool, int(pool.stdout.readline().rsplit(":", 1)[1])


def start_miner(args, ports, log, certificates):
    environment = dict(os.environ)
    # freed memory that a sanitizer keeps for a while would look like growth
    environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"
    schemes = {"plain": "stratum+tcp", "tls": "stratum+ssl"}
    urls = ["%s://127.0.0.1:%d" % (schemes[kind], port) for kind, port in zip(args.kinds, ports)]
    return subprocess.Popen(
        [ADIT, "-a", args.algo, "-u", "miner", "-p", PASSWORD, *(word for url in urls for word in ("-o", url)),
         "--strategy", "quota", "--cert", certificates.ca, "-t", "1", "-R", "0", "--json"],
        stdout=subprocess.PIPE, stderr=log, env=environment, text=True)


def memory_kib(pid, kind="VmRSS:"):
    with open("/proc/%d/status" % pid) as status:
        return next(int(line.split()[1]) for line in status if line.startswith(kind))


def is_sanitized(pid):
    return memory_kib(pid, "VmSize:") > 10**9       # terabytes of address space stand for the memory's state


def descriptors(pid):
    return len(os.listdir("/proc/%d/fd" % pid))


def watch(miner, pools, seconds):
    """Samples of the miner's memory and descriptors, several a second, while all programs run."""
    samples, end = [], time.monotonic() + seconds
    while time.monotonic() < end and all(process.poll() is None for process in (miner, *pools)):
        samples.append((memory_kib(miner.pid), descriptors(miner.pid)))
        time.sleep(0.2)
    return samples


def end(process):
    """Seconds it took to end it, and what it had to say. None for a process that did not."""
    start = time.monotonic()
    process.send_signal(signal.SIGTERM)
    try:
        out, _ = process.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None, None
    return time.monotonic() - start, json.loads(out) if out.strip() else None


class Judge:
    def __init__(self):
        self.failed = []

    def check(self, holds, what, *values):
        if not holds:
            self.failed.append(what)
        print("%s %s%s" % ("ok" if holds else "FAILED", what, ": " + ", ".join(map(str, values)) if values else ""))


def added(books):
    """The books of several pools as one: numbers are added up, and what is no number is the first's."""
    if isinstance(books[0], dict):
        keys = {key for book in books for key in book}
        return {key: added([book[key] for book in books if key in book]) for key in keys}
    return sum(books) if isinstance(books[0], (int, float)) else books[0]


def judge_shares(judge, shares, books):
    sent = shares["accepted"] + shares["rejected"] + shares["unanswered"]
    came = books["accepted"] + books["rejected"]
    told = books["told_accepted"] + books["told_rejected"]
    wrong = {reason: count for reason, count in books["reasons"].items() if count and reason not in HARMLESS}

    judge.check(books["accepted"] >= 20, "shares_are_found", books["accepted"])
    judge.check(books["duplicates"] == 0, "no_share_is_sent_twice", books["duplicates"])
    judge.check(books["after_clean"] == 0, "no_share_comes_long_after_its_job_ended", books["after_clean"])
    judge.check(books["unchecked"] == 0, "every_share_was_checked_for_that", books["unchecked"])
    judge.check(not wrong, "no_share_is_wrong", wrong or "none")
    if "sent" in shares:
        judge.check(sent == shares["sent"], "accepted_rejected_and_unanswered_are_all_that_was_sent", shares)
    # what was on its way when a connection was cut was sent and never came, or was told and never heard
    lost = 10 * books["connections"]
    judge.check(came <= sent <= came + lost, "the_pool_saw_what_was_sent", sent, came)
    judge.check(shares["accepted"] <= books["told_accepted"] <= shares["accepted"] + lost and
                shares["rejected"] <= books["told_rejected"] <= shares["rejected"] + lost,
                "each_verdict_is_counted_as_it_was_told", shares, told)
    judge.check(books["bad_lines"] == 0, "the_miner_says_nothing_that_is_no_request", books["bad_lines"])
    judge.check(books["dropped"] == 0, "the_miner_gives_no_cause_to_drop_it", books["dropped"])


def judge_process(judge, samples, growth_kib, miner, seconds_to_end, log):
    half, quarter = len(samples) // 2, len(samples) // 4
    judge.check(miner.returncode == 0, "the_miner_ends_well", miner.returncode)
    judge.check(seconds_to_end is not None and seconds_to_end <= SECONDS_TO_END, "it_ends_at_once", seconds_to_end)
    if quarter > 0:
        memory = [statistics.median(sample[0] for sample in part)
                  for part in (samples[quarter:half], samples[-quarter:])]
        most = [max(sample[1] for sample in part) for part in (samples[:half], samples[half:])]
        judge.check(memory[1] - memory[0] <= growth_kib, "memory_stays_as_it_is", *("%d KiB" % m for m in memory))
        judge.check(most[1] <= most[0] + FDS_MORE, "descriptors_stay_as_they_are", *most)
    judge.check(not any(word in log for word in ("Sanitizer", "runtime error:")), "no_sanitizer_has_a_word_to_say")
    judge.check(PASSWORD not in log, "no_secret_is_in_the_log")
    judge.check("\x1b" not in log, "no_escape_code_of_the_pool_is_in_the_log")
    judge.check(not any(line.startswith("FAKE") for line in log.splitlines()), "no_line_of_the_pool_is_in_the_log")


def main():
    args = options()
    seconds = 60 * args.minutes
    folder = tempfile.mkdtemp(prefix="soak-")
    judge = Judge()

    with Certificates() as certificates, contextlib.ExitStack() as files:
        logs = {name: files.enter_context(open(os.path.join(folder, name + ".log"), "w"))
                for name in ["miner", *args.kinds]}
        started = [start_pool(args, kind, seconds, logs[kind], certificates) for kind in args.kinds]
        pools = [pool for pool, _ in started]
        miner = start_miner(args, [port for _, port in started], logs["miner"], certificates)
        try:
            samples = watch(miner, pools, seconds)
            judge.check(miner.poll() is None, "the_miner_lives_on")
            growth_kib = GROWTH_SANITIZED_KIB if miner.poll() is None and is_sanitized(miner.pid) else GROWTH_KIB
            seconds_to_end, summary = end(miner)
            books = [end(pool)[1] for pool in pools]
        finally:
            for process in (miner, *pools):
                if process.poll() is None:
                    process.kill()
                    process.wait()
    with open(os.path.join(folder, "miner.log"), errors="replace") as file:
        log = file.read()

    statuses = [pool.returncode for pool in pools]
    judge.check(all(books) and not any(statuses), "the_pools_end_well", *statuses)
    judge.check(summary is not None, "the_miner_sums_up")
    if all(books) and summary:
        faults = added(books)["faults"]
        judge.check(len(faults) == FAULTS, "every_fault_has_its_turn", *sorted(faults.items()))
        accepted = [book["accepted"] for book in books]
        judge.check(all(accepted), "each_pool_is_mined_on", *accepted)
        judge_shares(judge, summary["shares"], added(books))
    judge_process(judge, samples, growth_kib, miner, seconds_to_end, log)

    if judge.failed:
        print("%d of them failed; logs are in %s" % (len(judge.failed), folder))
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""
What the end-to-end tests run: the miner and devpool as processes, servers that are one function, certificates, and a
relay that puts TLS before a server without. ADIT and DEVPOOL name the programs.
"""
import json
import os
import re
import select
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time

ADIT = os.environ.get('ADIT', './adit')
DEVPOOL = os.environ.get('DEVPOOL', './devpool')
PATIENCE = 60       # seconds for what takes one on an idle machine


def free_ports(count):
    """Ports of which nobody makes use, so that a server may die and come back at its own."""
    held = [socket.create_server(('127.0.0.1', 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in held]
    for s in held:
        s.close()
    return ports


class Pool:
    """devpool; stop() ends it and gives its summary."""

    def __init__(self, *args, algo='sha256d', port=0):
        self.run = subprocess.Popen([DEVPOOL, '-a', algo, '--port', str(port), '--json', *args],
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.run.stdout.readline()
        self.port = int(re.match(r'devpool: listening on 127\.0\.0\.1:(\d+)$', line.strip()).group(1))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.stop()

    def stop(self):
        """None when it was stopped before."""
        if self.run.stdout.closed:
            return None
        if self.run.poll() is None:
            self.run.send_signal(signal.SIGTERM)
        out, _ = self.run.communicate(timeout=PATIENCE)
        return json.loads(out[out.index('{'):])


class Miner:
    """The program, with its log collected line by line."""

    def __init__(self, *args, env=None):
        self.log, self.out = [], None
        self.run = subprocess.Popen([ADIT, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                    errors='replace', env=dict(os.environ, **(env or {})))
        self.reader = threading.Thread(target=lambda: self.log.extend(iter(self.run.stderr.readline, '')), daemon=True)
        self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.stop()

    def text(self):
        return ''.join(self.log)

    def wait_for(self, text, times=1, since=0, patience=PATIENCE):
        """Until so many lines from line `since` on have the text; returns the number of lines by then."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            ended = self.run.poll() is not None
            if ended:
                self.reader.join(PATIENCE)
            lines = len(self.log)
            if sum(text in line for line in self.log[since:lines]) >= times:
                return lines
            if ended:
                break
            time.sleep(0.02)
        raise AssertionError('no "%s" in\n%s' % (text, self.text()))

    def stop(self):
        """End it by SIGTERM; what it says on stdout."""
        if self.out is None:
            start = time.monotonic()
            if self.run.poll() is None:
                self.run.send_signal(signal.SIGTERM)
            self.out, _ = self.run.stdout.read(), self.run.wait(timeout=PATIENCE)
            self.seconds_to_end = time.monotonic() - start
            self.reader.join(PATIENCE)
            self.run.stdout.close()
            self.run.stderr.close()
        return self.out

    def summary(self):
        """The same as it is with --json."""
        return json.loads(self.stop())

    def command_line(self):
        with open('/proc/%d/cmdline' % self.run.pid) as file:
            return file.read()

    def cpu_seconds(self):
        with open('/proc/%d/stat' % self.run.pid) as file:
            fields = file.read().rsplit(')', 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


class Listener:
    """A server on loopback that runs serve(socket) for each connection."""

    def __init__(self, serve):
        self.server = socket.create_server(('127.0.0.1', 0))
        self.port = self.server.getsockname()[1]
        self.serve = serve
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=self.guard, args=(client,), daemon=True).start()

    def guard(self, client):
        with client:
            try:
                self.serve(client)
            except OSError:
                pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.server.close()


def relay(one, other):
    """Pass on what each of two sockets says, until one has said all."""
    while True:
        waiting = [s for s in (one, other) if isinstance(s, ssl.SSLSocket) and s.pending()]
        for ready in waiting or select.select([one, other], [], [])[0]:
            data = ready.recv(65536)
            if not data:
                return
            (other if ready is one else one).sendall(data)


class TlsRelay(Listener):
    """TLS before the server at a port of loopback. Notes of those that did not get through why."""

    def __init__(self, port, cert):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(cert, cert[:-4] + '.key')
        self.refused, self.passed = [], 0

        def serve(client):
            try:
                secure = self.context.wrap_socket(client, server_side=True)
            except (ssl.SSLError, ConnectionError) as error:
                self.refused.append(str(error))
                return
            self.passed += 1
            with secure, socket.create_connection(('127.0.0.1', port)) as server:
                relay(secure, server)
        super().__init__(serve)


class Certificates:
    """Made anew for each run, by openssl: each NAME.pem with its NAME.key."""

    def __init__(self):
        self.dir = tempfile.mkdtemp()
        self.ca = self.make('ca', '-subj', '/CN=a CA', '-addext', 'basicConstraints=critical,CA:TRUE')
        self.self_signed = self.make('self', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1')
        self.good = self.sign('good', 'DNS:localhost,IP:127.0.0.1', 2)
        self.expired = self.sign('expired', 'DNS:localhost,IP:127.0.0.1', -1)
        self.other = self.sign('other', 'DNS:other.example', 2)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.remove()

    def path(self, name):
        return os.path.join(self.dir, name)

    def openssl(self, *args):
        done = subprocess.run(['openssl', *args], capture_output=True, text=True)
        if done.returncode:
            raise AssertionError('openssl %s: %s' % (' '.join(args), done.stderr))

    def make(self, name, *args):
        self.openssl('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2',
                     '-keyout', self.path(name + '.key'), '-out', self.path(name + '.pem'), *args)
        return self.path(name + '.pem')

    def sign(self, name, names, days):
        key, request, cert, extra = (self.path(name + end) for end in ('.key', '.csr', '.pem', '.ext'))
        with open(extra, 'w') as f:
            f.write('subjectAltName=%s\n' % names)
        self.openssl('req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=%s' % name,
                     '-keyout', key, '-out', request)
        self.openssl('x509', '-req', '-in', request, '-CA', self.ca, '-CAkey', self.path('ca.key'), '-CAcreateserial',
                     '-days', str(days), '-extfile', extra, '-out', cert)
        return cert

    def pair(self, cert):
        return '%s,%s' % (cert, cert[:-4] + '.key')

    def remove(self):
        shutil.rmtree(self.dir)

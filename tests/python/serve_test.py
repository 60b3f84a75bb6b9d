"""`simtrain serve` over 127.0.0.1: its answers, many requests, malformed ones, slow clients."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import unittest
from urllib.parse import urlencode

from tests.python.program import PROGRAM, ROOT, document, printed, timeless

SMALL = [("scenario", "llama31_8b_h100"), ("row", "bf16-8")]
HOST = "127.0.0.1"
PATIENCE_S = 60


class Server:
    """The program, serving on a port of its own choice."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([PROGRAM, "serve", "--port", "0", *arguments], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, cwd=ROOT)
        line = self.process.stderr.readline()
        self.port = int(re.match(r"simtrain: serving http://127\.0\.0\.1:(\d+)/; Ctrl-C ends it\n", line)[1])

    def stop(self, number=signal.SIGINT):
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, out, err

    def connection(self):
        return http.client.HTTPConnection(HOST, self.port, timeout=PATIENCE_S)

    def get(self, path, fields=(), method="GET", headers=None):
        connection = self.connection()
        connection.request(method, path + ("?" + urlencode(fields) if fields else ""), headers=headers or {})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, answer.headers, body.decode()

    def raw(self, data):
        """What comes back for these bytes, until the server closes."""
        with socket.create_connection((HOST, self.port), timeout=PATIENCE_S) as client:
            got = b""
            try:
                client.sendall(data)
                client.shutdown(socket.SHUT_WR)
                while part := client.recv(65536):
                    got += part
            except OSError:
                pass  # it closed while we wrote: reset, broken pipe, or not connected any more
        return got


class ServeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()

    @classmethod
    def tearDownClass(cls):
        status, out, err = cls.server.stop()
        assert (status, out, err) == (0, "", ""), (status, out, err)

    def result(self, *settings):
        status, _, body = self.server.get("/run", [*SMALL, *(("set", setting) for setting in settings)])
        self.assertEqual(status, 200, body)
        return json.loads(body)

    def refused(self, fields, status=400):
        got, headers, body = self.server.get("/run", fields)
        self.assertEqual(got, status, body)
        self.assertEqual(headers["Content-Type"], "application/json")
        return json.loads(body)["error"]

    def test_answers_with_the_json_of_the_program(self):
        base = ["scenarios/llama31_8b_h100.yaml", "--row", "bf16-8"]
        self.assertEqual(timeless(self.result()), timeless(document(*base)))
        settings = ["tp=2", "gpus=16", "hardware.nic_bandwidth=200 Gb/s", "model_overrides={num_layers: 30}"]
        sets = [word for setting in settings for word in ("--set", setting)]
        self.assertEqual(timeless(self.result(*settings)), timeless(document(*base, *sets)))

    def test_keeps_answers(self):
        self.assertEqual(self.result("gbs=64"), self.result("gbs=64"))

    def test_names_what_there_is_to_choose(self):
        choices = json.loads(self.server.get("/choices")[2])
        self.assertEqual(choices["models"], printed("list", "models").split())
        self.assertEqual(choices["clusters"], printed("list", "clusters").split())
        rows = {scenario["name"]: scenario["rows"] for scenario in choices["scenarios"]}
        self.assertIn("bf16-8", rows["llama31_8b_h100"])
        self.assertEqual(rows["llama405b_a4_224"], [])

    def test_the_page_needs_no_other_host(self):
        status, headers, page = self.server.get("/")
        self.assertEqual((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertIn("connect-src 'self'", page)
        self.assertNotRegex(page, r"https?://")
        self.assertEqual(self.server.get("/", method="HEAD")[2], "")

    def test_refuses_what_is_wrong_in_one_line(self):
        self.assertIn("llama31_8b_h100", self.refused([("scenario", "llama31_8b_h10")]))
        self.assertIn("row: is missing", self.refused(SMALL[:1]))
        self.assertIn("tp=3", self.refused([*SMALL, ("set", "tp=3")]))
        self.assertIn("KEY=VALUE", self.refused([*SMALL, ("set", "tp")]))
        self.assertIn("is not known here", self.refused([*SMALL, ("sets", "tp=2")]))
        self.assertIn("twice", self.refused([*SMALL, ("row", "bf16-16")]))
        self.assertIn("scenario", self.refused([]))

    def test_reads_nothing_but_its_data(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write((ROOT / "scenarios" / "models" / "llama3.1-8b.yaml").read_text())
            file.flush()
            for setting in [f"model={file.name}", "model=../../scenarios/models/llama3.1-8b.yaml", "model=a/b"]:
                self.assertIn("own are not read", self.refused([*SMALL, ("set", setting)]))
        for name in ["../scenarios/llama31_8b_h100", "/etc/passwd", "models/llama3.1-8b", "llama31_8b_h100.yaml"]:
            self.assertIn("is not known", self.refused([("scenario", name)]))
        for setting in ["cluster.name=../clusters/gcp-a4", "software=../software/nemo-25.02"]:
            self.assertIn("not", self.refused([*SMALL, ("set", setting)]))
        for path in ["/../hardware", "/hardware/gpus/h100-sxm.yaml", "/run/", "//", "/%2e%2e/etc/passwd"]:
            self.assertEqual(self.server.get(path)[0], 404, path)

    def test_serves_this_machine_alone(self):
        for host in ["example.org", "example.org:80", "127.0.0.1.example.org", ""]:
            self.assertEqual(self.server.get("/run", SMALL, headers={"Host": host})[0], 403, host)
        for host in ["localhost", f"localhost:{self.server.port}", HOST]:
            self.assertEqual(self.server.get("/run", SMALL, headers={"Host": host})[0], 200, host)
        own = subprocess.run(["hostname", "-I"], capture_output=True, text=True).stdout.split()
        for address in own[:1]:
            with self.assertRaises(OSError):
                socket.create_connection((address, self.server.port), timeout=PATIENCE_S)

    def test_malformed_requests_are_refused_and_the_server_goes_on(self):
        head = f"Host: {HOST}\r\n".encode()
        self.assertIn(b" 400 ", self.server.raw(b"GET /choices HTTP/1.1\r\n" + head + b"Host: evil\r\n\r\n"))
        expected = {
            b"\r\n\r\n": (400,), b"GET\r\n\r\n": (400,), b"\x00\xff\xfe\r\n\r\n": (400,), b"GET / HTTP/9.9\r\n\r\n": (400,),
            b"GET / HTTP/1.1\r\nbroken\r\n\r\n": (400,), b"POST / HTTP/1.1\r\n" + head + b"\r\n": (405,),
            b"GET / HTTP/1.1\r\n" + head + b"Content-Length: 5\r\n\r\nhello": (413, 400),
            b"POST / HTTP/1.1\r\n" + head + b"Content-Length: 5\r\n\r\nhello": (405,),
            b"GET / HTTP/1.1\r\n" + head + b"Content-Length: -1\r\n\r\n": (400,),
            b"GET / HTTP/1.1\r\n" + head + b"X: " + b"y" * 20000 + b"\r\n\r\n": (431,),
            b"GET /" + b"a" * 20000 + b" HTTP/1.1\r\n" + head + b"\r\n": (431,),
            b"GET /run?set=%zz HTTP/1.1\r\n" + head + b"\r\n": (400,), b"GET /%4 HTTP/1.1\r\n" + head + b"\r\n": (400,),
            b"GET run HTTP/1.1\r\n" + head + b"\r\n": (400,), b"GET * HTTP/1.1\r\n" + head + b"\r\n": (400,),
            b"GET / HTTP/1.1\r\n\r\n": (403,), b"": (), b"GET / HT": (),
        }
        for request, statuses in expected.items():
            got = self.server.raw(request)
            status = re.match(rb"HTTP/1\.1 (\d+) ", got)
            self.assertEqual(int(status[1]) in statuses if status else statuses == () or got == b"", True,
                             (request[:60], got[:80]))
            self.assertEqual(self.server.get("/choices")[0], 200)

    def test_clients_of_http_1_0_keep_their_connection_where_they_ask_to(self):
        request = b"GET /choices HTTP/1.0\r\nHost: localhost\r\n"
        kept = self.server.raw((request + b"Connection: keep-alive\r\n\r\n") * 2)
        self.assertEqual((kept.count(b"HTTP/1.0 200 "), kept.count(b"Connection: keep-alive\r\n")), (2, 2), kept[:200])
        self.assertEqual(self.server.raw((request + b"\r\n") * 2).count(b"HTTP/1.0 200 "), 1)

    def test_random_bytes_end_nothing(self):
        state = 12345
        for _ in range(300):
            data = bytearray()
            for _ in range(40):
                state = (1103515245 * state + 12345) % 2**31
                data.append(state >> 16 & 255)
            self.server.raw(b"GET /run?" + bytes(data) + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertEqual(self.server.get("/run", SMALL)[0], 200)

    def test_thousands_of_requests_are_answered_alike(self):
        wanted = {gbs: self.result(f"gbs={gbs}") for gbs in (64, 128, 256, 512)}
        failures = []

        def ask(seed):
            connection = self.server.connection()
            for i in range(400):
                gbs = (64, 128, 256, 512)[(seed + i) % 4]
                connection.request("GET", "/run?" + urlencode([*SMALL, ("set", f"gbs={gbs}")]))
                answer = connection.getresponse()
                if answer.status != 200 or json.loads(answer.read()) != wanted[gbs]:
                    failures.append((seed, i, answer.status))
            connection.close()

        threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_slow_clients_hold_nobody_up_and_are_dropped(self):
        clients = [socket.create_connection((HOST, self.server.port), timeout=PATIENCE_S) for _ in range(100)]
        for client in clients:
            client.sendall(b"GET /run?scenario=")
        for _ in range(20):
            self.assertEqual(self.server.get("/run", SMALL)[0], 200)
        for client in clients:
            self.assertEqual(client.recv(1000), b"")  # closed, and within the patience
            client.close()

    def test_more_connections_than_it_has_are_closed_at_once(self):
        clients = [socket.create_connection((HOST, self.server.port), timeout=PATIENCE_S) for _ in range(300)]
        closed = 0
        for client in clients[256:]:
            try:
                closed += client.recv(10) == b""
            except ConnectionError:
                closed += 1
        for client in clients:
            client.close()
        self.assertEqual(closed, 44)
        for _ in range(100):
            try:
                if self.server.get("/run", SMALL)[0] == 200:
                    break
            except (http.client.HTTPException, ConnectionError):
                pass
        self.assertEqual(self.server.get("/run", SMALL)[0], 200)


class OwnServersTest(unittest.TestCase):
    def test_ends_by_signals_and_needs_a_free_port(self):
        server = Server()
        done = subprocess.run([PROGRAM, "serve", "--port", str(server.port)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"--port: {server.port} cannot be had", done.stderr)
        held = socket.create_connection((HOST, server.port))
        self.assertEqual(server.stop(signal.SIGTERM), (0, "", ""))
        held.close()

    @unittest.skipUnless(shutil.which("chromium"), "no chromium here; tools/setup.sh test installs it")
    def test_the_page_shows_the_step_of_its_address(self):
        server = Server()
        with tempfile.TemporaryDirectory() as home:
            fields = urlencode([*SMALL, ("set", "gbs=64"), ("set", "overlap.overlap_grad_reduce=false")])
            page = subprocess.run(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + home,
                                   "--enable-logging=stderr", "--v=0", "--virtual-time-budget=8000", "--dump-dom",
                                   f"http://{HOST}:{server.port}/?{fields}"], env={**os.environ, "HOME": home},
                                  capture_output=True, text=True, timeout=300)
        server.stop()
        result = document("scenarios/llama31_8b_h100.yaml", "--row", "bf16-8", "--set", "gbs=64", "--set",
                          "overlap.overlap_grad_reduce=false")
        self.assertIn(f"<b>{result['step_time_s']['expected']:.3f} s</b>", page.stdout)
        self.assertIn("overlap.overlap_grad_reduce%3Dfalse", page.stdout)
        self.assertNotIn("CONSOLE", page.stderr)


if __name__ == "__main__":
    unittest.main()

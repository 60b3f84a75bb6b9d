import csv
import tempfile
import unittest
from pathlib import Path

import harness  # noqa: F401
from results import (HEADERS, Journal, UsageError, check_free, csv_text, identity, publish, row_of,
                     yaml_text)
from shapes import Attention, Gemm, Streaming

GEMM = Gemm("bf16", "burst", "weight gradient", 1000, 1000, 1000)
FACTS = {"gpu": "h200-sxm", "device": "NVIDIA H200", "date": "2026-01-02", "driver": "570"}


class Rows(unittest.TestCase):
    def test_a_row_of_each_table(self):
        self.assertEqual(row_of(GEMM, 4e-6, ["torch.mm"]), {
            "data_type": "bf16", "run": "burst", "m": 1000, "n": 1000, "k": 1000,
            "tflops": "500.0", "notes": "weight gradient; torch.mm"})
        attention = Attention("cudnn", "forward", True, 1, 1000, 1000, 1, 1, 128, 128)
        row = row_of(attention, 256e-6, [])
        self.assertEqual((row["causal"], row["tflops"]), (1, "1.000000"))
        row = row_of(Streaming("add", "forward", 1000, 1000), 1.5e-6, ["torch.compile"])
        self.assertEqual((row["bytes"], row["us"]), (6000000, "1.50"))

    def test_csv_has_the_header_and_quotes_only_text_with_commas(self):
        text = csv_text("gemm", [row_of(GEMM, 4e-6, ["691 W, 62 C"])], "somebody", "h200-sxm")
        self.assertEqual(text, HEADERS["gemm"] + "\nsomebody,h200-sxm,bf16,burst,1000,1000,1000,"
                         '500.0,"weight gradient; 691 W, 62 C"\n')

    def test_yaml_quotes_what_would_read_otherwise(self):
        tree = {"a": "2.5 us", "b": "x: y", "c": {"d": "{", "e": ""}, "f": [{"g": "1", "h": "#"}]}
        self.assertEqual(yaml_text(tree),
                         'a: 2.5 us\nb: "x: y"\nc:\n  d: "{"\n  e: ""\nf:\n  - {g: 1, h: "#"}\n')

    def test_names_of_points_differ(self):
        other = Gemm("bf16", "burst", "forward", 1000, 1000, 1000)
        self.assertNotEqual(identity(GEMM), identity(other))


class Journals(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = Path(self.folder.name) / "mine"
        self.path = self.out.with_name("mine.journal")

    def open(self, **facts):
        journal = Journal(self.path, FACTS | facts)
        self.addCleanup(journal.close)
        return journal

    def test_goes_on_another_day_and_drops_a_torn_line(self):
        first = self.open()
        first.add("gemm a", {"row": {"m": 1}})
        first.close()
        self.path.write_text(self.path.read_text() + '["gemm b", {"ro')
        second = self.open(date="2026-01-03")
        self.assertEqual(second.entries, {"gemm a": {"row": {"m": 1}}})
        self.assertEqual(second.conditions["date"], "2026-01-02")
        second.add("gemm c", 1)
        second.close()
        self.assertEqual(set(self.open().entries), {"gemm a", "gemm c"})

    def test_refuses_another_driver_and_what_is_no_journal(self):
        self.open().close()
        with self.assertRaisesRegex(UsageError, "mine.journal: begun under other conditions"):
            self.open(driver="580")
        for text in ("shopping\n", "[1]\n", "3\n"):
            self.path.write_text(text)
            with self.assertRaisesRegex(UsageError, "no journal of this program"):
                self.open()
            self.assertEqual(self.path.read_text(), text)

    def test_publishes_whole_and_once(self):
        journal = self.open()
        journal.add(identity(GEMM), {"row": row_of(GEMM, 4e-6, [])})
        journal.add("attention x", {"refused": "no such backend"})
        journal.add("launch", {"graph_kernel": "2.10 us"})
        journal.add("held_sms", {"refused": "no compiler"})
        publish(journal, self.out)
        self.assertEqual(sorted(p.name for p in self.out.parent.iterdir()), ["mine"])
        self.assertEqual(sorted(p.name for p in self.out.iterdir()),
                         ["conditions.yaml", "gemm.csv"])
        with (self.out / "gemm.csv").open(newline="") as file:
            row, = csv.DictReader(file)
        self.assertEqual((row["source"], row["gpu"]),
                         ("hardware/measure on NVIDIA H200 2026-01-02", "h200-sxm"))
        text = (self.out / "conditions.yaml").read_text()
        self.assertIn("launch:\n  graph_kernel: 2.10 us\n", text)
        self.assertIn("  - {point: attention x, why: no such backend}\n", text)
        with self.assertRaisesRegex(UsageError, "exists already"):
            check_free(self.out)

    def test_keeps_a_folder_that_appeared_meanwhile(self):
        journal = self.open()
        self.out.mkdir()
        with self.assertRaisesRegex(UsageError, "exists already"):
            publish(journal, self.out)
        self.assertEqual(list(self.out.iterdir()), [])
        self.assertTrue(self.path.exists())


if __name__ == "__main__":
    unittest.main()

"""Profiles: as the program reads and compares them, and as tables."""

import pickle
import tempfile
import unittest
from pathlib import Path

import simtrain
from tests.python.program import ROOT, document, printed

LOGS = ROOT / "tests" / "measured" / "data"
TABLE = LOGS / "nsys-kern-sum.csv"
TRACE = LOGS / "kineto-rank3.json"


def scenario():
    return simtrain.Scenario.load("llama31_8b_h100", row="bf16-8")


class ProfileTest(unittest.TestCase):
    def test_says_what_the_command_says(self):
        seen = []
        found = simtrain.profile([TRACE, TABLE], scenario=scenario(), progress=lambda *part: seen.append(part))
        words = ["profile", str(ROOT / "scenarios" / "llama31_8b_h100.yaml"), str(TRACE), str(TABLE), "--row", "bf16-8"]
        told = document(*words)
        self.assertEqual(found.to_dict(), told)
        self.assertEqual(found.text(), printed(*words))
        self.assertEqual(seen[-1], (2, 2))
        kinds = [kind for file in told["profiles"] for rank in file["comparisons"] for kind in rank["kernels"]]
        table = found.to_pandas()
        self.assertEqual(list(table["kind"]), [kind["kind"] for kind in kinds])
        self.assertEqual(set(table["path"]), {str(TRACE), str(TABLE)})
        self.assertEqual(list(table["measured_s"]), [kind["measured_s"] for kind in kinds])
        self.assertEqual(pickle.loads(pickle.dumps(found)), found)

    def test_without_a_scenario_says_what_it_holds(self):
        found = simtrain.profile(TABLE, progress=False)
        self.assertEqual(found.text(), printed("profile", str(TABLE)))
        self.assertEqual(found.profiles[0].comparisons, [])
        self.assertEqual(list(found.to_pandas()["name"]), [kernel.name for kernel in found.profiles[0].kernels])

    def test_logs_of_nccl_are_tables_of_calls(self):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "nccl.log"
            printed("run", str(ROOT / "scenarios" / "llama31_8b_h100.yaml"), "--row", "bf16-8", "--nccl-trace", str(log))
            alone, compared = (simtrain.profile(log, scenario=one, progress=False) for one in (None, scenario()))
        calls = compared.to_pandas()
        self.assertEqual(list(calls["predicted"]), list(calls["logged"]))
        self.assertEqual(sum(calls["logged"]), sum(alone.to_pandas()["logged"]))
        self.assertEqual(set(calls["process"]), {one.process for one in alone.profiles[0].processes})

    def test_what_is_wrong_has_its_key(self):
        for key, wrong in [("paths", dict(files=[])), ("rank", dict(files=TABLE, rank=1)),
                           ("rank", dict(files=TABLE, scenario=scenario(), rank=4096)),
                           ("steps", dict(files=TABLE, scenario=scenario(), steps=0))]:
            with self.assertRaises(simtrain.InputError) as caught:
                simtrain.profile(progress=False, **wrong)
            self.assertEqual(caught.exception.key, key)
        self.assertRaises(simtrain.InputError, simtrain.profile, ROOT / "README.md", progress=False)


if __name__ == "__main__":
    unittest.main()

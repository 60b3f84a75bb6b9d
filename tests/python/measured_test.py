"""Training logs: as the program reads and compares them, and as tables."""

import pickle
import subprocess
import tempfile
import unittest
from pathlib import Path

import simtrain
from tests.python.program import PROGRAM, ROOT, document, printed

RUNS = ROOT / "validation" / "example_runs"
LOG = RUNS / "llama31_8b_h100.bf16-8.out"
OTHER = RUNS / "llama405b_a4_224.json"
SCENARIO = RUNS / "llama31_8b_h100.yaml"


def scenario():
    return simtrain.Scenario.from_file(SCENARIO).row("bf16-8")


class MetricsTest(unittest.TestCase):
    def test_says_what_the_command_says(self):
        found = simtrain.metrics(LOG, scenario=scenario(), progress=False)
        words = ["metrics", str(LOG), "--scenario", str(SCENARIO), "--row", "bf16-8"]
        told = document(*words)
        self.assertEqual(found.to_dict(), told)
        self.assertEqual(found.text(), printed(*words))
        run = found.runs[0]
        self.assertEqual(run.step_time_s.mean, told["runs"][0]["step_time_s"]["mean"])
        self.assertEqual(run.mfu, told["runs"][0]["mfu"])
        self.assertEqual([step.step for step in run.steps], [step["step"] for step in told["runs"][0]["steps"]])
        self.assertEqual(pickle.loads(pickle.dumps(found)), found)

    def test_several_logs_are_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "run.log"
            printed("run", str(SCENARIO), "--row", "bf16-8", "--steps", "60", "--step-log", str(log))
            found = simtrain.metrics([log, OTHER], steps="last:20", progress=False)
            told = subprocess.run([PROGRAM, "metrics", log, OTHER, "--steps", "last:20"], capture_output=True, text=True)
        table = found.to_pandas()
        self.assertEqual(list(table["path"]), [str(log), str(OTHER)])
        self.assertEqual(table["step_time_s.mean"][1], found.runs[1].step_time_s.mean)
        self.assertEqual(len(found.runs[0].steps), 20)
        self.assertEqual(list(simtrain.frame(found.runs[0].steps).columns), ["step", "step_time_s"])
        self.assertIsNone(found.runs[0].mfu)
        for one in (found.runs[0], simtrain.metrics(ROOT / "README.md", progress=False).runs[0]):
            self.assertEqual([name for name in one.to_pandas().columns if name.startswith("step_time_s")],
                             ["step_time_s.mean", "step_time_s.std", "step_time_s.min", "step_time_s.max"])
        self.assertEqual(found.text(), told.stdout)

    def test_what_is_wrong_has_its_key(self):
        for wrong in [dict(logs=[]), dict(logs="no/such.log"), dict(logs=LOG, steps="44:11"),
                      dict(logs=LOG, log_format="nemoo"), dict(logs=SCENARIO.parent / "none")]:
            self.assertRaises(simtrain.InputError, simtrain.metrics, progress=False, **wrong)


class CompareTest(unittest.TestCase):
    def test_says_what_the_command_says(self):
        seen = []
        found = simtrain.compare(scenario().with_({"hardware.gpu.gemm.kernel_floor": "60 us"}), LOG,
                                 progress=lambda done, total: seen.append((done, total)))
        words = ["compare", str(SCENARIO), str(LOG), "--row", "bf16-8", "--set", "hardware.gpu.gemm.kernel_floor=60 us"]
        told = document(*words)
        self.assertEqual(found.to_dict(), told)
        self.assertEqual(found.text(), printed(*words))
        self.assertEqual(found.error, found.predicted_s / found.measured_s.mean - 1)
        self.assertEqual([one.share for one in found.explanations], [one["share"] for one in told["explanations"]])
        self.assertFalse(found.inside)
        self.assertGreater(len(found.stacks), 3)
        self.assertEqual(seen[-1][0], seen[-1][1])

    def test_needs_a_log_of_steps(self):
        self.assertRaises(simtrain.InputError, simtrain.compare, scenario(), ROOT / "README.md", progress=False)


if __name__ == "__main__":
    unittest.main()

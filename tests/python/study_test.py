import io
import pickle
import subprocess
import sys
import threading
import time
import unittest
from contextlib import redirect_stderr

import simtrain
from simtrain.progress import Bar, watcher
from tests.python.program import ROOT, document, printed

KERNELS = "hardware/measured/simumax-b200"


def small():
    return simtrain.Scenario.load("llama31_8b_h100", row="bf16-8")


class Number:
    """What NumPy's scalars have of Python's."""

    def __init__(self, value):
        self._value = value

    def tolist(self):
        return self._value


class SweepTest(unittest.TestCase):
    def test_rows_say_what_simulations_say(self):
        sweep = simtrain.sweep(small(), {"tp": [1, 2, 3], "mbs": "1:2"})
        self.assertEqual([row.values for row in sweep.rows],
                         [{"tp": tp, "mbs": mbs} for tp in (1, 2, 3) for mbs in (1, 2)])
        for row in sweep.rows:
            if row.status == "illegal":
                self.assertRaises(simtrain.InputError, small().with_(row.values).check)
                self.assertTrue(row.reason)
                continue
            result = simtrain.simulate(small().with_(row.values))
            self.assertEqual(row.step_time_s, result.step_time_s)
            self.assertEqual(row.breakdown, result.breakdown)
            self.assertEqual(row.fingerprint, result.fingerprint)
            self.assertEqual(row.status == "ok", result.fits)
        self.assertEqual(sweep.rows[4].status, "illegal")
        best = sweep.fastest()
        self.assertEqual(best.step_time_s, min(row.step_time_s for row in sweep.rows if row.status == "ok"))

    def test_is_the_same_at_any_number_of_threads(self):
        axes = {"tp": [1, 2], "cp": [1, 2], "recompute": ["none", "selective"]}
        self.assertEqual(simtrain.sweep(small(), axes, threads=1), simtrain.sweep(small(), axes, threads=4))

    def test_becomes_a_table(self):
        frame = simtrain.sweep(small(), {"tp": [1, 2], "overlap.overlap_grad_reduce": [True, False]}).to_pandas()
        self.assertEqual(list(frame["tp"]), [1, 1, 2, 2])
        self.assertEqual(list(frame["overlap.overlap_grad_reduce"]), [True, False, True, False])
        self.assertTrue((frame["step_time_s"] > 0).all())

    def test_progress_is_called_for_each_row_and_may_end_it(self):
        seen = []
        simtrain.sweep(small(), {"gbs": [64, 128, 256]}, progress=lambda done, total: seen.append((done, total)))
        self.assertEqual(seen, [(1, 3), (2, 3), (3, 3)])

        def enough(done, total):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            simtrain.sweep(small(), {"gbs": "64:6400:64"}, progress=enough)

    def test_values_of_axes_come_back_as_they_were(self):
        axes = {"hardware.nic_bandwidth": ["200 Gb/s", "400 Gb/s"], "name": ["a, b", "c"]}
        rows = simtrain.sweep(small(), axes, progress=False).rows
        self.assertEqual(rows[0].values, {"hardware.nic_bandwidth": "200 Gb/s", "name": "a, b"})
        self.assertEqual(len(rows), 4)

    def test_takes_numbers_of_arrays(self):
        self.assertEqual(simtrain.sweep(small(), {"tp": Number(2), "mbs": [Number(1)]}).rows[0].values,
                         {"tp": 2, "mbs": 1})
        self.assertEqual(simtrain.tune(small(), gpus=Number(16), limits={"tp": Number(2)}).best[0].plan["tp"], 2)
        self.assertEqual(small().with_(tp=Number(2)).to_dict(), small().with_(tp=2).to_dict())

    def test_what_progress_raises_ends_every_study(self):
        for study in (simtrain.explain, simtrain.tune, simtrain.tune_front):
            calls = []

            def enough(done, total):
                calls.append(done)
                raise KeyboardInterrupt

            with self.subTest(study.__name__), self.assertRaises(KeyboardInterrupt):
                study(small(), progress=enough)
            self.assertEqual(len(calls), 1)

    def test_other_threads_run_meanwhile(self):
        over = threading.Event()
        ticks = []

        def tick():
            while not over.is_set():
                ticks.append(1)
                time.sleep(0.001)

        thread = threading.Thread(target=tick)
        thread.start()
        simtrain.sweep(small(), {"gbs": "64:3200:64"}, progress=False)
        over.set()
        thread.join()
        self.assertGreater(len(ticks), 3)

    def test_what_python_adds_is_measured_on_the_same_sweeps(self):
        done = subprocess.run([sys.executable, "-B", ROOT / "tools" / "compare_python", "--times", "1",
                               "--points", "9"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        line = (r"\S+ \S+: 9 simulations, least of 1: program \S+ s, library \S+ s, Python \S+ s, "
                r"ratio \S+ to the library, \S+ to the program\n")
        self.assertRegex(done.stdout, f"^({line}){{2}}$")

    def test_refuses_wrong_axes_before_anything_is_simulated(self):
        for axes in [{}, {"tq": [1]}, {"tp": []}, {"tp": "1,none"}, {"tp": [1, 1]}]:
            self.assertRaises(simtrain.InputError, simtrain.sweep, small(), axes)


class ProgressTest(unittest.TestCase):
    def test_a_bar_is_drawn_where_it_is_asked_for(self):
        text = io.StringIO()
        with redirect_stderr(text):
            self.assertIsNone(watcher(None, "sweep"))
            bar = watcher(True, "sweep")
            self.assertIsInstance(bar, Bar)
            for done in range(1, 4):
                bar(done, 3)
        self.assertTrue(text.getvalue().endswith("3/3\n"))
        self.assertIn("#" * 30, text.getvalue())
        self.assertIsNone(watcher(False, "sweep"))


class TuneTest(unittest.TestCase):
    def test_finds_what_the_program_finds(self):
        tuned = simtrain.tune(small(), limits={"cp": 1, "recompute": ["none"]}, top=2)
        whole = document("tune", "scenarios/llama31_8b_h100.yaml", "--row", "bf16-8", "--limit", "cp=1", "--limit",
                         "recompute=none", "--top", "2")
        self.assertEqual(tuned.to_dict(), whole)
        self.assertEqual([plan.plan for plan in tuned.best], [plan["plan"] for plan in whole["best"]])
        self.assertEqual(pickle.loads(pickle.dumps(tuned)), tuned)
        best = tuned.best[0]
        self.assertEqual(simtrain.simulate(best.scenario).fingerprint, best.result.fingerprint)
        self.assertEqual(best.result.step_time_s, whole["best"][0]["step_time_s"])
        self.assertEqual(list(tuned.to_pandas()["step_time_s"]), [plan.result.step_time_s for plan in tuned.best])

    def test_chooses_among_sizes(self):
        tuned = simtrain.tune(small(), gpus=[8, 16], limits={"cp": 1, "mbs": 1, "recompute": "none"}, by="mfu", top=1)
        self.assertEqual(tuned.best[0].scenario.gpus, tuned.best[0].plan["gpus"])
        self.assertEqual(len(tuned.to_dict()["spaces"]), 2)

    def test_no_plan_fits(self):
        huge = small().with_(model="llama3.1-405b")
        self.assertEqual(simtrain.tune(huge).best, [])

    def test_refuses_wrong_requests(self):
        for wrong in [{"gpus": 9}, {"limits": {"tq": 1}}, {"by": "luck"}, {"top": 0}, {"memory_margin": 1.0}]:
            self.assertRaises(simtrain.InputError, simtrain.tune, small(), **wrong)
        table = simtrain.Scenario.load("llama31_8b_h100")
        self.assertRaises(simtrain.InputError, simtrain.tune, table)

    def test_what_progress_raises_reaches_the_caller(self):
        def broken(done, total):
            raise LookupError("mine")

        self.assertRaises(LookupError, simtrain.tune, small(), progress=broken)


class FrontTest(unittest.TestCase):
    LIMITS = {"cp": 1, "recompute": ["none"]}

    def test_finds_what_the_program_finds(self):
        front = simtrain.tune_front(small(), ["price", "memory"], usd_per_gpu_hour=2.5, limits=self.LIMITS)
        whole = document("tune", "scenarios/llama31_8b_h100.yaml", "--row", "bf16-8", "--limit", "cp=1", "--limit",
                         "recompute=none", "--objectives", "price,memory", "--price", "2.5")
        self.assertEqual(front.to_dict(), whole)
        self.assertEqual([plan.plan for plan in front.front], [plan["plan"] for plan in whole["front"]])
        self.assertEqual([plan.usd_per_1t_tokens for plan in front.front],
                         [plan["usd_per_1t_tokens"] for plan in whole["front"]])
        best = front.front[0]
        self.assertEqual(simtrain.simulate(best.scenario).fingerprint, best.fingerprint)
        self.assertEqual(list(front.to_pandas()["step_time_s"]), [plan.step_time_s for plan in front.plans])
        self.assertEqual(best.to_dict()["plan"], best.plan)

    def test_is_the_same_by_all_plans_and_any_number_of_threads(self):
        front = simtrain.tune_front(small(), ["step_time", "energy"], limits=self.LIMITS, threads=1)
        every = simtrain.tune_front(small(), ["step_time", "energy"], limits=self.LIMITS, exhaustive=True)
        self.assertEqual(front.front, every.front)
        self.assertGreaterEqual(every.simulated, front.simulated)

    def test_refuses_wrong_requests(self):
        for wrong in [{"objectives": ["luck"]}, {"objectives": []}, {"objectives": ["memory", "memory"]},
                      {"objectives": ["price"]}, {"objectives": ["price"], "usd_per_gpu_hour": -1}, {"gpus": 9},
                      {"limits": {"tq": 1}}, {"memory_margin": 1.0}]:
            self.assertRaises(simtrain.InputError, simtrain.tune_front, small(), **wrong)
        self.assertRaises(simtrain.InputError, simtrain.tune_front, simtrain.Scenario.load("llama31_8b_h100"))

    def test_what_progress_raises_reaches_the_caller(self):
        def broken(done, total):
            raise LookupError("mine")

        self.assertRaises(LookupError, simtrain.tune_front, small(), limits=self.LIMITS, progress=broken)


class OtherStudiesTest(unittest.TestCase):
    def test_explain_says_what_the_program_says(self):
        why = simtrain.explain(small())
        whole = document("scenarios/llama31_8b_h100.yaml", "--row", "bf16-8", "--explain")["explain"]
        self.assertEqual([change.step_time_s for change in why.what_ifs],
                         [change["step_time_s"] for change in whole["changes"]])
        self.assertEqual([stage.forward_s for stage in why.path],
                         [stage["forward_s"] for stage in whole["critical_path"]["stages"]])
        self.assertEqual(len(why.to_pandas()), len(why.what_ifs))

    def test_nccl_says_what_the_program_says(self):
        call = simtrain.nccl("gcp-a4", "all_gather", gpus=16, least_bytes=1024, most_bytes=1 << 20, factor=4,
                             settings={"proto": ["simple"], "version": "2.25.1"})
        options = ["--op", "all_gather", "--gpus", "16", "--min", "1K", "--max", "1M", "--factor", "4", "--proto",
                   "simple", "--nccl-version", "2.25.1"]
        self.assertEqual(call.to_dict(), document("nccl", "gcp-a4", *options))
        self.assertEqual(call.table, printed("nccl", "gcp-a4", *options))
        self.assertEqual({size.protocol for size in call.sizes}, {"simple"})
        self.assertEqual(list(call.to_pandas()["bytes"]), [1024 * 4**i for i in range(6)])

    def test_nccl_refuses_wrong_requests(self):
        for cluster, operation, wrong in [
                ("gcp-a5", "all_reduce", {}), ("gcp-a4", "reduce", {}), ("gcp-a4", "all_reduce", {"gpus": 0}),
                ("gcp-a4", "all_reduce", {"gpus": 12, "nodes": 5}), ("gcp-a4", "all_reduce", {"factor": 1}),
                ("gcp-a4", "all_reduce", {"least_bytes": 0}), ("gcp-a4", "all_reduce", {"most_bytes": 4}),
                ("gcp-a4", "all_reduce", {"settings": {"algos": ["ring"]}}),
                ("gcp-a4", "all_reduce", {"software": "nemo"}), ("frontier", "all_reduce", {})]:
            self.assertRaises(simtrain.InputError, simtrain.nccl, cluster, operation, **wrong)

    def test_validate_says_what_the_program_says(self):
        path = str(ROOT / "validation" / "memory.yaml")
        validation = simtrain.validate(path)
        self.assertEqual(validation.to_dict(), document("validate", path))
        self.assertRaises(simtrain.InputError, simtrain.validate, "/nowhere.yaml")

    def test_calibrate_machine_says_what_the_program_says(self):
        fit = simtrain.calibrate_machine("mine", "dgx-superpod-b200", kernels=ROOT / KERNELS)
        whole = document("calibrate", "--machine", "mine", "--cluster", "dgx-superpod-b200", "--kernels", KERNELS)
        self.assertEqual(fit.node, whole["node"])
        self.assertEqual([value.key for value in fit.values], ["gpu.power.available"])
        self.assertIn("node: hgx-b200", fit.yaml)
        self.assertEqual(list(fit.hardware()), ["hardware.gpu.power.available"])
        self.assertRaises(simtrain.InputError, simtrain.calibrate_machine, "mine", "dgx-superpod-b200")
        self.assertRaises(simtrain.InputError, simtrain.calibrate_machine, "mine", "dgx", kernels=ROOT / KERNELS)


if __name__ == "__main__":
    unittest.main()

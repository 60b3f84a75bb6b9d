import copy
import os
import pickle
import tempfile
import threading
import time
import unittest
from pathlib import Path

import simtrain
from tests.python.program import ROOT, document, printed, timeless

SMALL = ["scenarios/llama31_8b_h100.yaml", "--row", "bf16-8"]


def small():
    return simtrain.Scenario.load("llama31_8b_h100", row="bf16-8")


class DataFolderTest(unittest.TestCase):
    def test_lists_what_the_program_lists(self):
        data = simtrain.DataFolder()
        for family in data.families():
            if family != "scenarios":
                self.assertEqual(data.names(family), printed("list", family).split(), family)

    def test_loads_a_file_with_what_it_is_based_on(self):
        data = simtrain.DataFolder(ROOT)
        self.assertEqual(data.load("gpus", "h100-sxm")["memory_bandwidth"]["value"], "3.35 TB/s")
        self.assertEqual(data.load("gpus", "h100-sxm")["sm_count"]["value"], 132)
        self.assertEqual(data.load("nodes", "hgx-h100-p5")["gpu"], "h100-sxm")

    def test_refuses_what_is_no_folder_or_no_name(self):
        with self.assertRaises(simtrain.InputError):
            simtrain.DataFolder("/nowhere")
        with self.assertRaisesRegex(simtrain.InputError, "h100-sxm"):
            simtrain.DataFolder().load("gpus", "h100-sxn")
        with self.assertRaisesRegex(simtrain.InputError, "is no family"):
            simtrain.DataFolder().names("gpu")


class ScenarioTest(unittest.TestCase):
    def test_is_one_by_name_file_text_and_dict(self):
        named = small()
        path = ROOT / "scenarios" / "llama31_8b_h100.yaml"
        ways = [simtrain.Scenario.from_file(path, row="bf16-8"), simtrain.Scenario.from_yaml(named.yaml()),
                simtrain.Scenario.from_dict(named.to_dict())]
        for way in ways:
            self.assertEqual(way.to_dict(), named.to_dict())
            self.assertEqual(simtrain.simulate(way).fingerprint, simtrain.simulate(named).fingerprint)
        self.assertIn("fp8-64", simtrain.Scenario.load("llama31_8b_h100").rows())

    def test_names_may_have_any_letters(self):
        named = simtrain.Scenario.load("llama31_8b_h100", row="bf16-8").with_(name="\u00fc \U0001f680")
        self.assertEqual(named.name, "\u00fc \U0001f680")
        self.assertEqual(simtrain.Scenario.from_dict(named.to_dict()).name, named.name)

    def test_says_what_a_scenario_is_where_it_gets_something_else(self):
        for wrong in ("llama31_8b_h100", None, 8, []):
            with self.assertRaisesRegex(TypeError, "a scenario is a simtrain.Scenario"):
                simtrain.simulate(wrong)

    def test_every_scenario_of_the_data_comes_back_from_its_dict(self):
        for name in simtrain.DataFolder().names("scenarios"):
            scenario = simtrain.Scenario.load(name)
            scenario = scenario.row(scenario.rows()[-1]) if scenario.rows() else scenario
            again = simtrain.Scenario.from_dict(scenario.to_dict())
            self.assertEqual(again.to_dict(), scenario.to_dict(), name)
            self.assertEqual(again.gpus, scenario.gpus)

    def test_with_changes_keys_and_leaves_the_scenario(self):
        scenario = small()
        changed = scenario.with_({"hardware.nic_bandwidth": "200 Gb/s", "overlap.overlap_grad_reduce": False}, tp=2,
                                 cp=1, micro_batch_size=2, gpus=16)
        keys = changed.to_dict()
        self.assertEqual(keys["parallelism"]["tensor_model_parallel_size"], 2)
        self.assertEqual(keys["training"]["micro_batch_size"], 2)
        self.assertIs(keys["overlap"]["overlap_grad_reduce"], False)
        self.assertEqual(changed.gpus, 16)
        self.assertEqual(scenario.gpus, 8)
        self.assertEqual(scenario.to_dict()["parallelism"]["tensor_model_parallel_size"], 1)

    def test_errors_carry_place_key_and_reason(self):
        text = small().yaml().replace("micro_batch_size: 1", "micro_batch_size: one")
        line = 1 + text.splitlines().index("  micro_batch_size: one")
        with self.assertRaises(simtrain.InputError) as caught:
            simtrain.Scenario.from_yaml(text, name="mine.yaml").check()
        error = caught.exception
        self.assertEqual((error.file, error.line, error.column), ("mine.yaml", line, 21))
        self.assertEqual(error.key, "training.micro_batch_size")
        self.assertIn("must be a whole number", error.reason)
        self.assertEqual(str(error), f"mine.yaml:{line}:21: training.micro_batch_size: "
                                     f"{error.reason.removeprefix('training.micro_batch_size: ')}")
        self.assertIsInstance(error, ValueError)
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(again), again.key, again.line), (str(error), error.key, line))

    def test_refuses_wrong_keys_rows_names_and_files(self):
        for wrong in [lambda: small().with_(tq=2).check(), lambda: small().with_(tp=3).check(),
                      lambda: small().with_(tp=None).check(), lambda: simtrain.Scenario.load("llama31_8b"),
                      lambda: simtrain.Scenario.load("llama31_8b_h100", row="bf16-9"),
                      lambda: simtrain.Scenario.load("llama31_8b_h100").check(),
                      lambda: simtrain.Scenario.from_file("/nowhere.yaml"),
                      lambda: simtrain.Scenario.from_yaml("name: [").check(),
                      lambda: simtrain.Scenario.from_dict({"name": "x"}).check()]:
            self.assertRaises(simtrain.InputError, wrong)

    def test_values_compare_copy_and_pickle(self):
        scenario = small().with_(tp=2)
        self.assertEqual(scenario, small().with_(tp=2))
        self.assertNotEqual(scenario, small())
        self.assertNotEqual(scenario, "scenario")
        self.assertEqual(len({scenario, small().with_(tp=2), small()}), 2)
        for again in (pickle.loads(pickle.dumps(scenario)), copy.copy(scenario), copy.deepcopy(scenario)):
            self.assertEqual(again, scenario)
            self.assertEqual(simtrain.simulate(again).step_time_s, simtrain.simulate(scenario).step_time_s)
        self.assertEqual(pickle.loads(pickle.dumps(simtrain.DataFolder())).path, simtrain.DataFolder().path)
        part = simtrain.Scenario.from_dict({"name": "x"})
        self.assertEqual(part, part)
        self.assertNotEqual(part, simtrain.Scenario.from_dict({"name": "x"}))
        self.assertRaises(simtrain.InputError, pickle.dumps, part)


class SimulateTest(unittest.TestCase):
    def test_says_what_the_program_says(self):
        result = simtrain.simulate(small())
        self.assertEqual(timeless(result.to_dict()), timeless(document(*SMALL)))
        self.assertEqual(result.text().splitlines()[:-1], printed(*SMALL).splitlines()[:-1])

    def test_members_are_those_of_the_document(self):
        result = simtrain.simulate(small().with_(tp=2, cp=1), steps=20, seed=3)
        whole = result.to_dict()
        self.assertEqual(result.step_time_s, whole["step_time_s"]["expected"])
        self.assertEqual(result.step_time_interval.low, whole["step_time_s"]["low"])
        self.assertEqual(result.breakdown, whole["breakdown_s"])
        self.assertEqual(result.parameters.total, whole["parameters"]["total"])
        self.assertEqual(result.memory[0].total, whole["memory"]["per_stage"][0]["total_bytes"])
        self.assertEqual(result.steps_s, whole["steps_s"])
        self.assertEqual([call.total_s for call in result.communication],
                         [call["total_s"] for call in whole["communication"]])
        self.assertEqual(result.fullest_stage().total, max(stage.total for stage in result.memory))

    def test_takes_a_dict_and_every_rank(self):
        keys = small().to_dict()
        self.assertEqual(simtrain.simulate(keys, unfold=True).step_time_s, simtrain.simulate(keys).step_time_s)
        self.assertRaises(simtrain.InputError, simtrain.simulate, keys, steps=-1)
        self.assertRaises(TypeError, simtrain.simulate, keys, steps="many")

    def test_results_compare_pickle_and_do_not_change(self):
        result = simtrain.simulate(small())
        again = pickle.loads(pickle.dumps(result))
        self.assertEqual(again, result)
        self.assertEqual(again.text(), result.text())
        with self.assertRaises(AttributeError):
            result.mfu = 1

    def test_becomes_a_table(self):
        frame = simtrain.simulate(small()).to_pandas()
        self.assertEqual(len(frame), 1)
        self.assertGreater(frame["breakdown.gemm"][0], 0)
        self.assertEqual(frame["parameters.total"][0], 8030261248)
        stages = simtrain.frame(simtrain.simulate(small()).memory)
        self.assertEqual(list(stages.columns)[0], "weights")

    def test_other_threads_run_meanwhile(self):
        scenario = simtrain.Scenario.load("llama405b_a4_224")
        results = [None] * 3
        threads = [threading.Thread(target=lambda i=i: results.__setitem__(i, simtrain.simulate(scenario)))
                   for i in range(3)]
        ticks = 0
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            ticks += 1
            time.sleep(0.001)
        self.assertGreater(ticks, 3)
        self.assertEqual({result.fingerprint for result in results}, {results[0].fingerprint})


class InstalledDataTest(unittest.TestCase):
    def test_the_environment_names_another_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("hardware", "scenarios"):
                os.symlink(ROOT / name, Path(folder) / name)
            before = os.environ.get("SIMTRAIN_DATA")
            os.environ["SIMTRAIN_DATA"] = folder
            try:
                self.assertEqual(simtrain.DataFolder().path, folder)
                self.assertGreater(simtrain.simulate(small()).mfu, 0)
            finally:
                os.environ.pop("SIMTRAIN_DATA")
                if before is not None:
                    os.environ["SIMTRAIN_DATA"] = before


if __name__ == "__main__":
    unittest.main()

"""Jobs, sizes, two runs, recipes: as the program says them, and as tables."""

import math
import pickle
import tempfile
import unittest
from pathlib import Path

import simtrain
from tests.python.program import ROOT, document, printed, timeless

SMALL = ["scenarios/llama31_8b_h100.yaml", "--row", "bf16-8"]
JOB = {"job.tokens": "1e10", "job.runs": 20, "job.checkpoint.storage": "lustre-superpod",
       "job.checkpoint.save_interval": 50, "job.failures": "production-h100", "cost.gpu_hour": "2 USD"}


def small():
    return simtrain.Scenario.load("llama31_8b_h100", row="bf16-8")


class GoodputTest(unittest.TestCase):
    def test_says_what_the_command_says(self):
        job = simtrain.goodput(small().with_(JOB), changes=False, progress=False)
        told = document("goodput", *SMALL, "--plain", *[word for key, value in JOB.items() for word in ("--set", f"{key}={value}")])
        self.assertEqual(job.to_dict(), told)
        self.assertEqual(job.elapsed_s.p95, told["summary"]["elapsed_s"]["p95"])
        self.assertEqual(job.used, told["used_s"])
        self.assertTrue(math.isclose(sum(job.used.values()), job.elapsed_s.mean))
        self.assertEqual(job.gpu_usd, told["bill"]["gpu_usd"])
        self.assertIsNone(job.carbon_kg)
        self.assertEqual(job.intervals, [])
        self.assertIn("lustre-superpod", repr(job.checkpoint))
        self.assertEqual(len(job.failures), len(told["failures"]))

    def test_tries_changes_and_becomes_tables(self):
        seen = []
        job = simtrain.goodput(small().with_(JOB), progress=lambda done, total: seen.append((done, total)))
        self.assertEqual(seen[-1][0], seen[-1][1])
        table = simtrain.frame(job.intervals)
        self.assertEqual(list(table.columns), ["change", "value", "goodput", "elapsed_s", "gpu_hours"])
        self.assertGreater(len(table), 2)
        self.assertEqual(job.to_pandas()["elapsed_s.mean"][0], job.elapsed_s.mean)
        again = pickle.loads(pickle.dumps(job))
        self.assertEqual(again, job)
        self.assertEqual(again.text(), job.text())

    def test_is_advised_as_the_command_advises(self):
        job = simtrain.advise(small().with_(JOB), progress=False)
        words = [*SMALL, "--job", *[word for key, value in JOB.items() for word in ("--set", f"{key}={value}")]]
        told = document(*words)
        made = job.to_dict()
        self.assertEqual({**made, "step": timeless(made["step"])}, {**told, "step": timeless(told["step"])})
        self.assertEqual(job.text(), printed(*words))
        self.assertEqual([one.change for one in job.advice], [one["change"] for one in told["advice"]["changes"]])
        self.assertEqual(job.goodput.elapsed_s.mean, told["job"]["summary"]["elapsed_s"]["mean"])
        self.assertEqual(job.step.step_time_s, told["step"]["step_time_s"]["mean"])
        self.assertEqual(len(job.to_pandas()), len(job.advice))
        self.assertTrue(all(one.saved_usd is not None for one in job.advice))

    def test_needs_a_job(self):
        with self.assertRaises(simtrain.InputError) as caught:
            simtrain.goodput(small())
        self.assertEqual(caught.exception.key, "job")


class ShareTest(unittest.TestCase):
    def test_says_what_the_command_says(self):
        path = ROOT / "scenarios" / "jobs" / "three_on_a_clos.yaml"
        shared = simtrain.share(path, place_last=True, progress=False)
        self.assertEqual(timeless(shared.to_dict()), timeless(document("share", str(path), "--place-last")))
        self.assertEqual(list(shared.to_pandas()["name"]), [job.name for job in shared.jobs])
        best = shared.placements[0]
        self.assertTrue(all(best.others_lost_gpus <= place.others_lost_gpus + 1e-9 for place in shared.placements))
        self.assertRaises(simtrain.InputError, simtrain.share, "no/such.yaml")


class ScaleTest(unittest.TestCase):
    def test_says_what_the_command_says(self):
        sizes = simtrain.scale(small(), [8, 12, 16], usd_per_gpu_hour=2, progress=False)
        self.assertEqual(sizes.to_dict()["sizes"], document("scale", *SMALL, "--gpus", "8,12,16", "--price", "2")["sizes"])
        self.assertEqual([row.illegal == "" for row in sizes.rows], [True, False, True])
        self.assertEqual(sizes.rows[0].breakdown, simtrain.simulate(small()).breakdown)
        self.assertEqual(list(sizes.to_pandas()["gpus"]), [8, 12, 16])
        for wrong in [dict(gpus=[]), dict(gpus=[8], mode="strange"), dict(gpus=[8], tokens=0), dict(gpus=[-8])]:
            self.assertRaises(simtrain.InputError, simtrain.scale, small(), **wrong)


class DifferenceTest(unittest.TestCase):
    def test_parts_sum_to_the_change(self):
        two = simtrain.difference(small().with_(tp=2), small())
        self.assertTrue(math.isclose(sum(part.change_s for part in two.parts), two.change_s))
        self.assertEqual(two.run.step_time_s, simtrain.simulate(small().with_(tp=2)).step_time_s)
        self.assertIn(simtrain.KeyDifference("parallelism.tensor_model_parallel_size", "1", "2"), two.keys)
        self.assertEqual(len(two.to_pandas()), len(two.parts))
        self.assertIn("Keys that differ", two.text())
        told = document(*SMALL, "--set", "tp=2", "--against", SMALL[0], "--against-row", "bf16-8")
        self.assertEqual([part.change_s for part in two.parts], [part["change_s"] for part in told["parts"]])


class TopologyTest(unittest.TestCase):
    def test_says_what_the_command_says(self):
        cluster = simtrain.topology("gcp-a4", 28)
        told = document("topology", "gcp-a4", "--nodes", "28")
        self.assertEqual(cluster.to_dict(), told)
        self.assertEqual((cluster.hosts, cluster.gpus, cluster.leaf_switches),
                         tuple(told["counts"][key] for key in ("hosts", "gpus", "leaf_switches")))
        self.assertEqual([level.total for level in cluster.levels], [level["total_bytes_per_s"] for level in told["levels"]])
        self.assertEqual(cluster.bisection, told["bisection"]["bandwidth_bytes_per_s"])
        self.assertEqual(simtrain.topology("gcp-a4").hosts, 32)
        for wrong in [("gcp-a5",), ("gcp-a4", -1), ("gcp-a4", 10**7)]:
            self.assertRaises(simtrain.InputError, simtrain.topology, *wrong)


class RecipesTest(unittest.TestCase):
    def test_exports_what_the_command_exports(self):
        listed = [line.split()[0] for line in printed("list", "export-targets").splitlines() if line[:1].strip()]
        self.assertEqual(simtrain.export_targets(), listed)
        for target in simtrain.export_targets():
            made = simtrain.export_recipe(small(), target)
            self.assertEqual(made.text, printed("export", *SMALL, "--to", target))
        with self.assertRaises(simtrain.InputError) as caught:
            simtrain.export_recipe(small(), "megatrn")
        self.assertIn("megatron", caught.exception.reason)

    def test_an_import_gives_it_back(self):
        with tempfile.TemporaryDirectory() as folder:
            recipe = Path(folder) / "run.sh"
            recipe.write_text(simtrain.export_recipe(small(), "megatron").text)
            made = simtrain.import_recipe(recipe, cluster="dgx-superpod-h100", software="nemo-25.02.01", nodes=1,
                                          settings={"gbs": 256})
            self.assertGreater(made.taken, 10)
            self.assertEqual(made.scenario().to_dict()["training"]["global_batch_size"], 256)
            self.assertEqual(made.to_dict()["yaml"], made.yaml)
            self.assertEqual(made.scenario().gpus, 8)
            recipe.write_text(recipe.read_text().replace("--micro-batch-size 1", "--micro-batch-size $1"))
            given = simtrain.import_recipe(recipe, cluster="dgx-superpod-h100", software="nemo-25.02.01", nodes=1,
                                           arguments="2")
            self.assertEqual(given.scenario().to_dict()["training"]["micro_batch_size"], 2)
            recipe.write_text("echo no recipe\n")
            with self.assertRaises(simtrain.InputError) as caught:
                simtrain.import_recipe(recipe)
            self.assertEqual(caught.exception.file, str(recipe))


class ResultTest(unittest.TestCase):
    def test_energy_and_kernels_are_those_of_the_document(self):
        plain = simtrain.simulate(small())
        self.assertEqual(plain.kernels, [])
        told = document(*SMALL, "--kernels")
        self.assertEqual(plain.energy.by_part, told["energy"]["by_part_joules"])
        self.assertEqual(plain.energy.gpus_by_kernel, told["energy"]["gpus_by_kernel_joules"])
        self.assertEqual(plain.energy.cluster_w, told["energy"]["mean_power_w"]["cluster"])
        result = simtrain.simulate(small(), kernels=True)
        self.assertEqual(timeless(result.to_dict()), timeless(told))
        self.assertEqual([(kernel.kernel, kernel.path_s) for kernel in result.kernels],
                         [(kernel["kernel"], kernel["path_s"]) for kernel in told["kernels"]])
        table = simtrain.frame(result.kernels).groupby("share")["path_s"].sum()
        self.assertAlmostEqual(table["gemm"], result.breakdown["gemm"], places=6)
        self.assertEqual(len(result.transfers), len(told["transfers"]))


if __name__ == "__main__":
    unittest.main()

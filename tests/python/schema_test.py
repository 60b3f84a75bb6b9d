"""Every YAML file and every result against the schemas that the program prints, and wrong ones."""

import copy
import functools
import json
import os
import re
import tempfile
import unittest
from pathlib import Path

import jsonschema
import yaml

from tests.python.program import ROOT, any_status, document, printed

#: Files of validation that are only the notes of a measurement, which the program does not read.
NOT_READ = [f"hardware/measured/{folder}/conditions.yaml"
            for folder in ("published", "simumax-b200", "h100-cloud", "h200-cloud")]


def schemas_in(folder):
    """Schema files of all kinds in a folder, and which files of the data are of which kind."""
    settings = json.loads(printed("schema", "--all", str(folder)))
    return {Path(file).stem: patterns for file, patterns in settings["yaml.schemas"].items()}


with tempfile.TemporaryDirectory() as made:
    FILES = schemas_in(made)
    SCHEMAS = {path.stem: json.loads(path.read_text()) for path in Path(made).glob("*.json")}
RESULTS = sorted(set(SCHEMAS) - set(FILES))


class Loader(yaml.CSafeLoader):
    """YAML 1.2's scalars, as editors read them: `no`, `1:16` and dates are texts, 1e9 is a number."""


Loader.yaml_implicit_resolvers = {}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(true|false)$"), list("tf"))
Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^-?[0-9]+$"), list("-0123456789"))
Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"^-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$"),
                             list("-.0123456789"))


def schema(kind):
    return SCHEMAS[kind]


@functools.cache
def validator(kind):
    document = schema(kind)
    jsonschema.Draft202012Validator.check_schema(document)
    return jsonschema.Draft202012Validator(document)


def files(kind):
    return sorted(path for pattern in FILES[kind] for path in ROOT.glob(pattern))


def content(path):
    return yaml.load(Path(path).read_text(encoding="utf-8"), Loader)


def row_of(scenario):
    return content(ROOT / "scenarios" / f"{scenario}.yaml")["table"]["rows"][0][0]


def nodes(schema, way=""):
    """(way, schema, whether it is a map or a list of them) of all that stands in a schema."""
    for part in [schema, *schema.get("anyOf", [])]:
        for key, value in part.get("properties", {}).items():
            inner = value["items"] if "properties" in value.get("items", {}) else value
            sourced = set(inner.get("properties", {})) == {"value", "source"} and "description" in value
            deeper = "properties" in inner and not sourced
            yield f"{way}.{key}", value, deeper
            if deeper or "anyOf" in inner:
                yield from nodes(inner, f"{way}.{key}")


#: Members whose own members are names of a table: they are described together.
DESCRIBED_AS_ONE = re.compile(r"\.(breakdown_s|by_part_joules|gpus_by_kernel_joules|plan|example|columns\.\w+)\.")


class FilesTest(unittest.TestCase):
    def test_every_file_of_the_data_holds(self):
        for kind in FILES:
            known = validator(kind)
            self.assertTrue(files(kind), kind)
            for path in files(kind):
                errors = [f"{'/'.join(map(str, error.path))}: {error.message[:200]}"
                          for error in known.iter_errors(content(path))]
                self.assertEqual(errors, [], path)

    def test_every_file_of_the_data_is_of_one_kind(self):
        of_kinds = [path for kind in FILES for path in files(kind)]
        every = [path for folder in ("hardware", "scenarios", "validation") for path in (ROOT / folder).rglob("*.yaml")]
        self.assertEqual(sorted(of_kinds), sorted(set(every) - {ROOT / path for path in NOT_READ}))
        self.assertGreater(len(files("scenario")), 140)

    def test_every_key_is_described(self):
        for kind in SCHEMAS:
            known = schema(kind)
            every = [*nodes(known), *nodes(known.get("$defs", {}).get("model", {}), "model")]
            missing = [way for way, node, deeper in every if not node.get("description")
                       and not DESCRIBED_AS_ONE.search(way) and not (deeper and kind in RESULTS)]
            self.assertEqual(missing, [], kind)

    def test_kinds_are_listed(self):
        kinds = printed("schema").split()
        self.assertEqual(kinds, printed("list", "schemas").split())
        self.assertEqual(set(kinds), set(SCHEMAS))
        for kind in kinds:
            self.assertEqual(json.loads(printed("schema", kind)), SCHEMAS[kind])

    def test_names_units_and_defaults_are_those_of_the_program(self):
        scenario = schema("scenario")["properties"]
        self.assertEqual(scenario["cluster"]["properties"]["name"]["enum"], printed("list", "clusters").split())
        self.assertIn("fp8_mx", scenario["training"]["properties"]["precision"]["enum"])
        self.assertEqual(scenario["recompute"]["default"], "none")
        pattern = schema("gpu")["properties"]["memory_bandwidth"]["properties"]["value"]["pattern"]
        self.assertRegex("3.35 TB/s", pattern)
        for wrong in ["3.35", "3.35 TB", "-1 TB/s", "TB/s", "1,5 TB/s"]:
            self.assertNotRegex(wrong, pattern)


class WrongFilesTest(unittest.TestCase):
    """What the strict reader refuses for its shape, the schema refuses too."""

    def refused(self, kind, base, edits):
        known = validator(kind)
        self.assertTrue(known.is_valid(base))
        for edit in edits:
            wrong = copy.deepcopy(base)
            edit(wrong)
            self.assertFalse(known.is_valid(wrong), edit.__code__.co_consts)

    def test_scenarios(self):
        base = content(ROOT / "scenarios" / "llama405b_a4_224.yaml")
        self.refused("scenario", base, [
            lambda s: s.update(frobnicate=1),
            lambda s: s.pop("training"),
            lambda s: s["training"].pop("precision"),
            lambda s: s["training"].update(precision="fp9"),
            lambda s: s["training"].update(micro_batch_size=0),
            lambda s: s["training"].update(micro_batch_size=1.5),
            lambda s: s["parallelism"].update(sequence_parallel="yes"),
            lambda s: s["parallelism"].update(tensor_paralel=2),
            lambda s: s["cluster"].update(name="gcp-a5"),
            lambda s: s["cluster"].pop("nodes"),
            lambda s: s["cluster"].update(placement="near"),
            lambda s: s["cluster"].update(placement={"seed": 1}),
            lambda s: s["cluster"].update(faults={"gpus": [{"host": "0"}]}),
            lambda s: s.update(model="llama3.1"),
            lambda s: s.update(model={"num_atention_heads": 2}),
            lambda s: s.update(model_overrides={"vocab": 1}),
            lambda s: s.update(table={"rows": []}),
            lambda s: s.update(moe=[]),
            lambda s: s.update(notes="one"),
        ])

    def test_a_training_job(self):
        self.refused("scenario", content(ROOT / "scenarios" / "llama31_405b_job_h100.yaml"), [
            lambda s: s["job"].pop("checkpoint"), lambda s: s["job"]["checkpoint"].pop("storage"),
            lambda s: s["job"].update(eval={"eval_iters": 2}), lambda s: s["job"].update(data={"num_workers": 2}),
            lambda s: s["job"].update(days=0)])

    def test_jobs(self):
        self.refused("jobs", content(ROOT / "scenarios" / "jobs" / "three_on_a_clos.yaml"), [
            lambda j: j.pop("jobs"), lambda j: j.update(jobs=[]), lambda j: j["cluster"].pop("nodes"),
            lambda j: j["jobs"][0].pop("scenario"), lambda j: j["jobs"][0].update(placement={"seed": 1}),
            lambda j: j["jobs"][0].update(start="1"), lambda j: j.update(steps=0)])

    def test_scenarios_that_are_right(self):
        base = content(ROOT / "scenarios" / "llama405b_a4_224.yaml")
        known = validator("scenario")
        for right in [{"model": "models/mine.yaml"}, {"model": {"num_layers": 4}},
                      {"hardware": {"nic_bandwidth": "200 Gb/s"}}, {"sweep": {"tp": [1, 2], "vp": "1:12"}}]:
            self.assertTrue(known.is_valid({**base, **right}), right)

    def test_values_of_the_hardware_in_a_scenario(self):
        base = {**content(ROOT / "scenarios" / "llama405b_a4_224.yaml"), "hardware": {}}
        known = validator("scenario")
        for right in [{"nic_bandwidth": "200Gb/s"}, {"node.nic_bandwidth": "200 Gb/s"}, {"node": {"nic_bandwidth": "1 Tb/s"}},
                      {"gemm": {"kernel_floor": "2 us"}}, {"gemm.kernel_floor": "2 us"}, {"gpu": {"gemm.kernel_floor": "2 us"}},
                      {"gemm.rates[data_type=fp8].burst": "2 PFLOP/s"}, {"gemm": {"rates[data_type=fp8].burst": "2 PFLOP/s"}},
                      {"power": {"limit": "900 W", "host": "2 kW"}}, {"sharp": True}, {"software.attention": "cudnn"}]:
            self.assertEqual([error.message for error in known.iter_errors({**base, "hardware": right})], [], right)
        self.refused("scenario", base, [
            lambda s: s.update(hardware={"nic_bandwith": "200 Gb/s"}),
            lambda s: s.update(hardware={"nic_bandwidth": "200 GB"}),
            lambda s: s.update(hardware={"fabric.nic_bandwidth": "200 Gb/s"}),
            lambda s: s.update(hardware={"gemm": {"kernel_flor": "2 us"}}),
            lambda s: s.update(hardware={"gemm.rates[data_type=fp8].burst": "2 us"}),
            lambda s: s.update(hardware={"gemm.rates.burst": "2 PFLOP/s"}),
            lambda s: s.update(hardware={"name": "mine"}),
            lambda s: s.update(hardware={"memory_bandwidth": {"value": "3 TB/s", "source": "mine"}}),
            lambda s: s.update(hardware=[]),
        ])

    def test_columns_of_a_table(self):
        base = content(ROOT / "scenarios" / "llama31_8b_h100.yaml")
        known = validator("scenario")
        for right in [["row", "moe.routing.law"], ["row", "cluster.placement.seed", "model.experts.moe_router_topk"],
                      ["row", "hardware.gemm.rates[data_type=bf16].burst", "job.checkpoint.save_interval"]]:
            self.assertTrue(known.is_valid({**base, "table": {"columns": right, "rows": [["a", 1, 2]]}}), right)
        self.refused("scenario", base, [
            lambda s: s["table"]["columns"].append("tp"), lambda s: s["table"]["columns"].append("training.precison"),
            lambda s: s["table"]["columns"].append("row"), lambda s: s["table"]["columns"].pop(0),
            lambda s: s["table"].pop("rows"), lambda s: s.update(sweep={"tensor": [1]}), lambda s: s.update(sweep={"tp": {}})])

    def test_what_goodput_reads(self):
        self.refused("failures", content(ROOT / "hardware" / "failures" / "opt-a100.yaml"), [
            lambda f: f.pop("restart"), lambda f: f["components"][0].update(per="gpus"),
            lambda f: f["components"][0].update(effect="stop"), lambda f: f["restart"]["manual_share"].update(value=2),
            lambda f: f["observed"].update(days=0), lambda f: f["observed"].update(servers=1)])
        self.refused("storage", content(ROOT / "hardware" / "storage" / "lustre-superpod.yaml"), [
            lambda f: f.update(scope="all"), lambda f: f["node_read"].update(value="8 GB"),
            lambda f: f.pop("save_start"), lambda f: f.update(drains_to="tape")])
        self.refused("steps", content(ROOT / "hardware" / "steps.yaml"), [
            lambda f: f.pop("connections"), lambda f: f["slow_share"].update(value=1.5),
            lambda f: f["first_step"][0].update(add="1 s"), lambda f: f.update(first_step=[]), lambda f: f.update(based_on="power")])

    def test_rules(self):
        self.refused("power", content(ROOT / "hardware" / "power.yaml"), [
            lambda f: f["pue"].update(value=0.9), lambda f: f["nic"].update(value="22"), lambda f: f.pop("transceiver")])
        self.refused("uncertainty", content(ROOT / "hardware" / "uncertainty.yaml"), [
            lambda f: f["kinds"][0].update(share="gem"), lambda f: f["kinds"][0].update(gpu="h101"),
            lambda f: f["stacks"][0].update(known="well"), lambda f: f.pop("machines"), lambda f: f.update(scale=0.79)])

    def test_what_is_validated(self):
        self.refused("documented-runs", content(ROOT / "validation" / "documented.yaml"), [
            lambda f: f["documents"][0]["tables"][0].update(use="head"),
            lambda f: f["documents"][0]["tables"][0]["figures"][0].update(figure="time"),
            lambda f: f["documents"][0]["tables"][0]["figures"][0].update(within="3%"),
            lambda f: f["documents"][0]["tables"][0]["rows"][0].pop("printed"),
            lambda f: f["bounds"].update(mean=0.03), lambda f: f.update(documents=[])])
        self.refused("calibration-parameters", content(ROOT / "validation" / "calibration.yaml"), [
            lambda f: f["parameters"][0].pop("prior"), lambda f: f["parameters"][0].update(range=[1]),
            lambda f: f["parameters"][0]["sets"][0].pop("key"), lambda f: f.update(parameters=[])])
        self.refused("nccl-curves", content(ROOT / "validation" / "nccl" / "curves.yaml"), [
            lambda f: f["curves"][0].update(collective="all_reduces"), lambda f: f["curves"][0].update(cluster="dgx"),
            lambda f: f["curves"][0].update(bytes=[0]), lambda f: f["curves"][0]["nccl"].update(channels=2),
            lambda f: f["curves"][0].update(use="both"), lambda f: f.pop("data")])

    def test_hardware(self):
        self.refused("gpu", content(ROOT / "hardware" / "gpus" / "h100-sxm.yaml"), [
            lambda g: g.pop("gemm"),
            lambda g: g["gemm"].pop("kernel_floor"),
            lambda g: g["gemm"]["kernel_floor"].pop("source"),
            lambda g: g["gemm"]["kernel_floor"].update(value=2.5),
            lambda g: g["gemm"]["kernel_floor"].update(value="2.5 GB"),
            lambda g: g["gemm"]["rates"][0].pop("burst"),
            lambda g: g["gemm"]["rates"][0].update(data_type="fp7"),
            lambda g: g["gemm"]["tiles"].append([128]),
            lambda g: g.update(architecture="hoper"),
            lambda g: g["sm_count"].update(value=0),
            lambda g: g.update(based_on="h101"),
        ])
        self.refused("fabric", content(ROOT / "hardware" / "fabrics" / "roce-gcp-a4.yaml"), [
            lambda f: f.update(wiring="ring"),
            lambda f: f["oversubscription"].update(value=0.5),
            lambda f: f["cable_latency"].update(value="0.15 m"),
        ])
        self.refused("node", content(ROOT / "hardware" / "nodes" / "hgx-h100.yaml"), [
            lambda n: n.update(gpu="h100"), lambda n: n.update(gpus="eight"), lambda n: n.pop("nics")])
        self.refused("model", content(ROOT / "scenarios" / "models" / "llama3.1-8b.yaml"), [
            lambda m: m.update(activation="relu"), lambda m: m.update(rotary_percent=2),
            lambda m: m.pop("vocab_size"), lambda m: m.update(layers=[{"blocks": ["gqb"]}])])


SMALL = ["scenarios/llama31_8b_h100.yaml", "--row", "bf16-8"]
LOGS = ROOT / "tests" / "measured" / "data"


class ResultsTest(unittest.TestCase):
    def holds(self, known, result):
        self.assertEqual([f"{list(error.path)}: {error.message[:200]}" for error in known.iter_errors(result)], [])

    def exact(self, kind, result):
        """The document holds, and neither without a member nor with one more."""
        known = validator(kind)
        self.holds(known, result)
        for key in result:
            if key in schema(kind).get("required", []):
                self.assertFalse(known.is_valid({k: v for k, v in result.items() if k != key}), key)
        self.assertFalse(known.is_valid({**result, "speed": 1}), kind)
        self.assertFalse(known.is_valid({**result, "schema": "simtrain.other/1"}), kind)

    def test_every_document_has_a_schema(self):
        table = (ROOT / "sim" / "output" / "results" / "result_kinds.cpp").read_text()
        documents = {name.replace("machine", "machine-fit") for name in re.findall(r'DocumentKind\{"([a-z-]+)"', table)}
        self.assertGreater(len(documents), 20)
        self.assertEqual(documents, set(RESULTS))

    def test_results_hold(self):
        known = validator("result")
        for arguments in [SMALL, [*SMALL, "--steps", "5"], [*SMALL, "--kernels"],
                          [*SMALL, "--price", "2", "--set", "gpus=16", "--explain"],
                          ["scenarios/llama405b_a4_224.yaml"], ["scenarios/mixtral_8x7b_h200.yaml", "--row", row_of("mixtral_8x7b_h200")],
                          [*SMALL, "--set", "hardware.nic_bandwidth=200Gb/s", "--set", "lora={rank: 8}"]]:
            self.holds(known, document(*arguments))
        self.exact("results", document("scenarios/llama31_mi300x.yaml"))

    def test_a_result_lists_the_keys_of_a_scenario(self):
        recipe = document("scenarios/llama405b_a4_224.yaml")["recipe"]
        self.holds(validator("scenario"), recipe)

    def test_a_result_without_a_member_does_not(self):
        self.exact("result", document(*SMALL))

    def test_two_runs_hold(self):
        self.exact("difference", document(*SMALL, "--against", SMALL[0], "--against-row", "bf16-8", "--against-set", "tp=2"))

    def test_networks_hold(self):
        self.exact("nccl", document("nccl", "gcp-a4", "--op", "all_reduce", "--gpus", "16", "--max", "1M"))
        self.exact("topology", document("topology", "gcp-a4", "--nodes", "4"))
        self.exact("topology", document("topology", "clos-h100-2to1", "--nodes", "64", "--from", "0", "--to", "511"))
        self.exact("nccl-validation", document("validate", "--nccl"))
        self.exact("nccl-validation", document("validate", "--nccl", str(LOGS / "nccl-tests-all-reduce.txt"),
                                               "--cluster", "dgx-superpod-h100"))

    def test_sweeps_hold(self):
        result = document("sweep", *SMALL, "--vary", "tp=1,2,3", "--vary", "optimizer.bucket_size_mb=100,200",
                          "--vary", "recompute=none,full", "--set", "model_overrides.num_layers=2")
        self.exact("sweep", result)
        known = validator("sweep")
        row = result["rows"][0]
        for wrong in [{**row, "speed": 1}, {**row, "gpus": "8"}, {k: v for k, v in row.items() if k != "mfu"}]:
            self.assertFalse(known.is_valid({**result, "rows": [wrong]}))

    def test_plans_hold(self):
        few = ["--limit", "tp=1,2", "--limit", "mbs=1", "--limit", "recompute=none,full"]
        self.exact("tune", document("tune", *SMALL, *few))
        self.exact("tune", document("tune", *SMALL, *few, "--gpus", "8,16", "--by", "cost", "--price", "2"))
        self.exact("tune-front", document("tune", *SMALL, *few, "--objectives", "price,memory", "--price", "2"))
        self.exact("tune-front", document("tune", *SMALL, *few, "--objectives", "step_time,energy", "--set", "gbs=64"))

    def test_sizes_hold(self):
        self.exact("scale", document("scale", *SMALL, "--gpus", "8,12,16", "--price", "2"))
        self.exact("scale", document("scale", *SMALL, "--gpus", "8,16", "--mode", "strong", "--set", "tp=2"))

    def test_measured_runs_hold(self):
        eight = str(LOGS / "log-llama31-8b-step-49.out")
        for log in [eight, str(LOGS / "dllogger-step-12.json"), "README.md"]:
            self.holds(validator("metrics"), json.loads(any_status("metrics", log)))
        self.exact("metrics", document("metrics", eight, "--scenario", SMALL[0], "--row", "bf16-8"))
        self.exact("comparison", document("compare", *SMALL, eight))
        self.exact("comparisons", document("compare", "validation/example_runs"))

    def test_profiles_hold(self):
        with tempfile.TemporaryDirectory() as folder:
            log = f"{folder}/nccl.log"
            printed("run", *SMALL, "--nccl-trace", log)
            for path in [log, str(LOGS / "nsys-kern-sum.csv"), str(LOGS / "kineto-rank3.json")]:
                self.holds(validator("profile"), document("profile", path))
                compared = document("profile", SMALL[0], path, "--row", "bf16-8", "--steps", "1", "--rank", "0")
                self.holds(validator("profile"), compared)
                self.assertFalse(validator("profile").is_valid({**compared, "speed": 1}))

    def test_validations_hold(self):
        self.exact("validation", document("validate", "validation/memory.yaml", "validation/documented.yaml"))
        self.exact("validation", document("validate", "validation/example_runs"))
        self.exact("kernel-validation", document("validate", "--kernels"))
        with tempfile.TemporaryDirectory() as data:
            for folder in ["hardware", "scenarios"]:
                os.symlink(ROOT / folder, f"{data}/{folder}")
            os.makedirs(f"{data}/validation/measured")
            os.symlink(ROOT / "validation/measured/scenarios", f"{data}/validation/measured/scenarios")
            os.symlink(ROOT / "validation/measured/sc21.yaml", f"{data}/validation/measured/sc21.yaml")
            self.exact("measured-validation", json.loads(any_status("validate", "--measured", data=data)))

    def test_fits_hold(self):
        self.exact("calibration", document("calibrate", "--rows", "nemotron-15b:bf16"))
        self.exact("kernel-fit", document("calibrate", "--kernels", "--gpu", "h100-sxm"))
        self.exact("machine-fit", document("calibrate", "--machine", "mine", "--cluster", "dgx-superpod-b200",
                                           "--kernels", "hardware/measured/simumax-b200"))

    def test_what_is_left_out_holds(self):
        with tempfile.TemporaryDirectory() as folder:
            text = (ROOT / "validation" / "calibration.yaml").read_text()
            second = [match.start() for match in re.finditer(r"^  - name:", text, re.M)][1]
            few = Path(folder) / "few.yaml"
            few.write_text(text[:second])
            self.exact("left-out", json.loads(any_status("validate", "--leave-one-table-out", "--by", "group",
                                                         "--parameters", str(few))))

    def test_shared_clusters_hold(self):
        small = ["scenarios/jobs/three_on_a_clos.yaml"]
        for arguments in [small, [*small, "--place-last"]]:
            self.exact("share", document("share", *arguments))

    def test_a_job_holds(self):
        base = [*SMALL, "--set", "job.tokens=1e10", "--set", "job.runs=20",
                "--set", "job.checkpoint.storage=lustre-superpod", "--set", "job.checkpoint.save_interval=50"]
        failing = [*base, "--set", "job.failures=production-h100", "--set", "cost.gpu_hour=2 USD"]
        for arguments in [base, failing, [*failing, "--plain"]]:
            self.exact("goodput", document("goodput", *arguments))
        for arguments in [base, failing, [*failing, "--explain"]]:
            self.exact("job", document("run", *arguments, "--job"))


if __name__ == "__main__":
    unittest.main()

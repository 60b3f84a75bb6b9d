"""Every YAML file and every result against the schemas that the program prints, and wrong ones."""

import copy
import json
import re
import unittest
from pathlib import Path

import jsonschema
import yaml

from tests.python.program import ROOT, document, printed

FOLDERS = {"gpu": "hardware/gpus", "node": "hardware/nodes", "fabric": "hardware/fabrics",
           "cluster": "hardware/clusters", "machine": "hardware/machines", "software": "hardware/software",
           "tp-overlap": "hardware/tp_overlap", "model": "scenarios/models", "scenario": "scenarios",
           "jobs": "scenarios/jobs"}

RESULTS = ["result", "nccl", "goodput", "job", "share"]


class Loader(yaml.SafeLoader):
    """YAML 1.2's scalars, as editors read them: `no`, `1:16` and dates are texts, 1e9 is a number."""


Loader.yaml_implicit_resolvers = {}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(true|false)$"), list("tf"))
Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^-?[0-9]+$"), list("-0123456789"))
Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"^-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$"),
                             list("-.0123456789"))


def schema(kind):
    return json.loads(printed("schema", kind))


def validator(kind):
    document = schema(kind)
    jsonschema.Draft202012Validator.check_schema(document)
    return jsonschema.Draft202012Validator(document)


def files(kind):
    return sorted((ROOT / FOLDERS[kind]).glob("*.yaml"))


def content(path):
    return yaml.load(Path(path).read_text(encoding="utf-8"), Loader)


def row_of(scenario):
    return content(ROOT / "scenarios" / f"{scenario}.yaml")["table"]["rows"][0][0]


def leaves(schema, way=""):
    """(way, schema) of all that is no map or list."""
    for key, value in schema.get("properties", {}).items():
        inner = value.get("items", value) if value.get("type") == "array" else value
        if "properties" in inner and set(inner["properties"]) != {"value", "source"}:
            yield from leaves(inner, f"{way}.{key}")
        else:
            yield f"{way}.{key}", value


DESCRIBED_AS_ONE = tuple(f"{document}{member}." for document in ("", ".step")
                         for member in (".breakdown_s", ".energy.by_part_joules", ".energy.gpus_by_kernel_joules"))


class FilesTest(unittest.TestCase):
    def test_every_file_of_the_data_holds(self):
        for kind in FOLDERS:
            known = validator(kind)
            self.assertTrue(files(kind), kind)
            for path in files(kind):
                errors = [f"{'/'.join(map(str, error.path))}: {error.message[:200]}"
                          for error in known.iter_errors(content(path))]
                self.assertEqual(errors, [], path)

    def test_every_key_is_described(self):
        for kind in [*FOLDERS, *RESULTS]:
            missing = [way for way, leaf in leaves(schema(kind))
                       if not leaf.get("description") and not way.startswith(DESCRIBED_AS_ONE)]
            self.assertEqual(missing, [], kind)

    def test_kinds_are_listed(self):
        kinds = printed("schema").split()
        self.assertEqual(kinds, printed("list", "schemas").split())
        self.assertEqual(set(kinds), {*FOLDERS, *RESULTS})

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


class ResultsTest(unittest.TestCase):
    def holds(self, known, result):
        self.assertEqual([f"{list(error.path)}: {error.message[:200]}" for error in known.iter_errors(result)], [])

    def test_results_hold(self):
        known = validator("result")
        small = ["scenarios/llama31_8b_h100.yaml", "--row", "bf16-8"]
        for arguments in [small, [*small, "--steps", "5"], [*small, "--kernels"],
                          [*small, "--price", "2", "--set", "gpus=16", "--explain"],
                          ["scenarios/llama405b_a4_224.yaml"], ["scenarios/mixtral_8x7b_h200.yaml", "--row", row_of("mixtral_8x7b_h200")],
                          [*small, "--set", "hardware.nic_bandwidth=200Gb/s", "--set", "lora={rank: 8}"]]:
            self.holds(known, document(*arguments))

    def test_a_result_lists_the_keys_of_a_scenario(self):
        recipe = document("scenarios/llama405b_a4_224.yaml")["recipe"]
        self.holds(validator("scenario"), recipe)

    def test_a_result_without_a_member_does_not(self):
        result = document("scenarios/llama31_8b_h100.yaml", "--row", "bf16-8")
        known = validator("result")
        for key in result:
            self.assertFalse(known.is_valid({k: v for k, v in result.items() if k != key}), key)
        self.assertFalse(known.is_valid({**result, "speed": 1}))

    def test_nccl_holds(self):
        self.holds(validator("nccl"), document("nccl", "gcp-a4", "--op", "all_reduce", "--gpus", "16", "--max", "1M"))

    def test_shared_clusters_hold(self):
        small = ["scenarios/jobs/three_on_a_clos.yaml"]
        for arguments in [small, [*small, "--place-last"]]:
            self.holds(validator("share"), document("share", *arguments))

    def test_a_job_holds(self):
        base = ["scenarios/llama31_8b_h100.yaml", "--row", "bf16-8", "--set", "job.tokens=1e10", "--set", "job.runs=20",
                "--set", "job.checkpoint.storage=lustre-superpod", "--set", "job.checkpoint.save_interval=50"]
        failing = [*base, "--set", "job.failures=production-h100", "--set", "cost.gpu_hour=2 USD"]
        for arguments in [base, failing, [*failing, "--plain"]]:
            self.holds(validator("goodput"), document("goodput", *arguments))
        for arguments in [base, failing, [*failing, "--explain"]]:
            self.holds(validator("job"), document("run", *arguments, "--job"))


if __name__ == "__main__":
    unittest.main()

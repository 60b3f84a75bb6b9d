"""The package as its reader sees it: help, types, records that match the library, notebooks."""

import ast
import dataclasses
import inspect
import os
import pydoc
import shutil
import subprocess
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

import simtrain
from simtrain import _simtrain, job_results, measured_results, profile_results, records, results
from tests.python.program import PROGRAM, ROOT

PACKAGE = ROOT / "python" / "simtrain"
NOTEBOOKS = sorted((ROOT / "python" / "notebooks").glob("*.ipynb"))
OWN = {"Result": {"_documents"}, "Sweep": {"axes", "rows"}, "Nccl": {"_json"}, "Validation": {"_json"},
       "Tuned": {"_json"}, "Front": {"_json"}, "Scale": {"_json"}, "Goodput": {"_documents"},
       "AdvisedJob": {"_documents"}, "Metrics": {"_documents"}, "Comparison": {"_documents"}, "Profile": {"_documents"}, "SharedCluster": {"_documents"}, "Difference": {"_documents"}, "Topology": {"_documents"}, "Imported": {"_data"}}
NATIVE = {"Tuned": "TuneResult", "Front": "FrontResult", "Nccl": "NcclResult", "Scale": "ScaleResult"}


def tool(name):
    """A script of tools/ as a module."""
    loader = SourceFileLoader(name, str(ROOT / "tools" / name))
    module = module_from_spec(spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def result_records():
    """The dataclasses of all modules of results, by name."""
    return {name: record for module in (results, job_results, measured_results, profile_results) for name, record in vars(module).items()
            if inspect.isclass(record) and dataclasses.is_dataclass(record) and record is not records.Record}


def stub_classes():
    tree = ast.parse((PACKAGE / "_simtrain.pyi").read_text())
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


class HelpTest(unittest.TestCase):
    def test_reads_as_a_manual(self):
        text = pydoc.render_doc(simtrain, renderer=pydoc.plaintext)
        for part in ["simtrain.Scenario.load", "What there is:", "Units:", "Errors:", "sweep(scenario"]:
            self.assertIn(part, text)

    def test_everything_public_is_described(self):
        for name in simtrain.__all__:
            self.assertTrue(inspect.getdoc(getattr(simtrain, name)), name)
        for kind in (simtrain.Scenario, simtrain.DataFolder, simtrain.Result, simtrain.Sweep):
            for name, member in inspect.getmembers(kind):
                if not name.startswith("_") and callable(member):
                    self.assertTrue(inspect.getdoc(member), f"{kind.__name__}.{name}")

    def test_every_field_of_a_record_is_described(self):
        for name, record in result_records().items():
            text = inspect.getdoc(record)
            for field in dataclasses.fields(record):
                known = field.name.startswith("_") or field.name in text or name in ("Interval", "SweepRow")
                self.assertTrue(known, f"{name}.{field.name}")


class RecordsTest(unittest.TestCase):
    def test_records_have_the_members_of_the_library(self):
        for name, record in result_records().items():
            native = getattr(_simtrain, NATIVE.get(name, name), None)
            if native is None:
                continue
            members = {key for key, value in vars(native).items() if isinstance(value, property)}
            fields = {field.name for field in dataclasses.fields(record)} - OWN.get(name, set())
            self.assertEqual(fields - members, set(), name)
            self.assertEqual(members - fields - {"json"}, set(), name)

    def test_the_stub_has_the_members_of_the_module(self):
        stub = stub_classes()
        natives = {name: kind for name, kind in vars(_simtrain).items() if inspect.isclass(kind)}
        self.assertEqual(set(stub), set(natives))
        for name, node in stub.items():
            written = {part.target.id if isinstance(part, ast.AnnAssign) else part.name for part in node.body
                       if isinstance(part, (ast.AnnAssign, ast.FunctionDef))} - {"__init__"}
            self.assertEqual(written, {key for key in vars(natives[name]) if not key.startswith("_")}, name)
        functions = {node.name for node in ast.parse((PACKAGE / "_simtrain.pyi").read_text()).body
                     if isinstance(node, ast.FunctionDef)}
        self.assertEqual(functions, {name for name, value in vars(_simtrain).items()
                                     if callable(value) and not inspect.isclass(value)})

    @unittest.skipUnless(shutil.which("mypy"), "no mypy here; tools/setup.sh test installs it")
    def test_types_hold(self):
        cache = os.path.join(os.environ["SIMTRAIN_BUILD"], "mypy")
        done = subprocess.run(["mypy", "--cache-dir", cache, "--ignore-missing-imports", str(PACKAGE)], cwd=ROOT,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class SpecTest(unittest.TestCase):
    def test_is_what_the_schema_says(self):
        done = subprocess.run([ROOT / "tools" / "python_spec", "--print"], env={**os.environ, "SIMTRAIN": PROGRAM},
                              capture_output=True, text=True)
        self.assertEqual(done.stdout, (PACKAGE / "spec.py").read_text(), "tools/python_spec writes it")

    def test_typed_objects_make_a_scenario(self):
        spec = simtrain.spec
        job = spec.Scenario(
            name="mine", source="a test", software="nemo-25.02.01", model="llama3.1-8b",
            cluster=spec.Cluster(name="dgx-superpod-h100", nodes=1),
            training=spec.Training(precision="bf16", seq_length=8192, micro_batch_size=1, global_batch_size=128),
            parallelism=spec.Parallelism(tensor_model_parallel_size=1, pipeline_model_parallel_size=1,
                                         context_parallel_size=2, sequence_parallel=False),
            overlap=spec.Overlap(tp_comm_overlap=False, overlap_p2p_comm=False, overlap_grad_reduce=True,
                                 overlap_param_gather=True),
            optimizer=spec.Optimizer(distributed=True, grad_reduce_dtype="bf16", bucket_size_mb=268.435456))
        given = simtrain.Scenario.load("llama31_8b_h100", row="bf16-8")
        self.assertEqual(simtrain.simulate(job).fingerprint, simtrain.simulate(given).fingerprint)
        with self.assertRaises(TypeError):
            spec.Training(precison="bf16")


class NotebooksTest(unittest.TestCase):
    def test_there_are_twelve(self):
        self.assertEqual(len(NOTEBOOKS), 12)


def add_notebook(path):
    def test(self):
        self.assertEqual(tool("notebooks").executed(path), path.read_text(encoding="utf-8"), "tools/notebooks writes it")

    setattr(NotebooksTest, f"test_{path.stem}", test)


for notebook in NOTEBOOKS:
    add_notebook(notebook)

if __name__ == "__main__":
    unittest.main()

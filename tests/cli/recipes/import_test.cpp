#include <algorithm>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "tests/cli/bad_edit.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::import_test {
namespace {

const std::string kData = source_dir() + "/tests/topology/data/";

/// Refused with one line that ends so.
void check_refused_at_end(const Outcome& outcome, const std::string& end) {
  check_refused_with(outcome, end + "\n");
}

/// A data folder of one's own: the repository's hardware, copied so that files can be added.
void copy_hardware(const TempFolder& folder) {
  std::filesystem::copy(source_dir() + "/hardware", folder.path() / "hardware",
                        std::filesystem::copy_options::recursive);
  std::filesystem::copy(source_dir() + "/scenarios", folder.path() / "scenarios",
                        std::filesystem::copy_options::recursive);
}

/// Step time and all of a small scenario on two nodes of this kind.
std::string run_on(const TempFolder& folder, const std::string& node) {
  folder.write("hardware/clusters/lab.yaml",
               "name: lab\ndescription: two imported nodes\nnode: " + node +
                   "\nfabric: infiniband-ndr-superpod\nmax_nodes: {value: 2, source: test}\n");
  const CallOptions options{source_dir(), {{"SIMTRAIN_DATA", folder.path().string()}}, ""};
  const Outcome outcome = run_simtrain(
      words("run scenarios/llama31_8b_h100.yaml --row bf16-16 --set cluster.name=lab"), options);
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  return outcome.out;
}

TEST_CASE("import prints a node file, or writes it") {
  const TempFolder folder;
  const std::string file = kData + "hgx-h100-nccl.xml";
  const Outcome printed = run_simtrain({"import", file, "--name", "lab", "--gpu", "h100-sxm"});
  CHECK(printed.status == 0);
  CHECK(printed.err.empty());
  CHECK(printed.out.find("\nname: lab\n") != std::string::npos);
  const std::vector<std::string> write{"import", file,       "--name",   "lab",
                                       "--gpu",  "h100-sxm", "--output", folder.file("lab.yaml")};
  const Outcome written = run_simtrain(write);
  CHECK(written.status == 0);
  CHECK(written.out.empty());
  CHECK(read_file(folder.file("lab.yaml")) == printed.out);

  folder.write("lab.yaml", "mine");
  check_refused_at_end(run_simtrain(write), "lab.yaml: is there already; --force replaces it");
  CHECK(read_file(folder.file("lab.yaml")) == "mine");
  std::vector<std::string> force = write;
  force.emplace_back("--force");
  CHECK(run_simtrain(force).status == 0);
  CHECK(read_file(folder.file("lab.yaml")) == printed.out);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("an imported node runs like the node that the repository has") {
  const TempFolder folder;
  copy_hardware(folder);
  const std::string nodes = folder.file("hardware/nodes/");
  for (const auto& command : std::vector<std::string>{
           "import " + kData + "hgx-h100-nccl.xml --gpu h100-sxm --name xml --output " + nodes +
               "xml.yaml",
           "import " + kData + "dgx-h100-smi.txt --gpu h100-sxm --name smi --output " + nodes +
               "smi.yaml"}) {
    CHECK(run_simtrain(words(command)).status == 0);
  }
  const auto time_line = [](const std::string& text) {
    const std::size_t at = text.find("  Step time");
    return text.substr(at, text.find('\n', at) - at);
  };
  const std::string known = time_line(run_on(folder, "hgx-h100"));
  CHECK(known.starts_with("  Step time"));
  CHECK(time_line(run_on(folder, "xml")) == known);
  CHECK(time_line(run_on(folder, "smi")) == known);
}

TEST_CASE("a GPU of one's own data folder is found, and nothing is taken from another's nodes") {
  const TempFolder folder;
  copy_hardware(folder);
  for (const std::string node : {"dgx-a100", "dgx-a100-40gb", "hgx-a100-4hdr", "hgx-a100-4x100g",
                                 "hgx-a100-p4d", "oci-a100"})
    std::filesystem::remove(folder.path() / ("hardware/nodes/" + node + ".yaml"));
  const CallOptions options{source_dir(), {{"SIMTRAIN_DATA", folder.path().string()}}, ""};
  const Outcome outcome = run_simtrain({"import", kData + "dgx-a100-nccl.xml"}, options);
  CHECK(outcome.status == 0);
  for (const std::string text : {"name: dgx-a100-nccl\n", "gpu: a100-sxm # from sm 80",
                                 "nic_bandwidth: {value: 200 Gb/s, ", "nvswitches: {value: 6, ",
                                 "nvlink_domain_nodes: {value: 1, source: \"assumed: NVLink stays",
                                 "host_launch_latency: {value: 5 us, source: \"assumed: "}) {
    CAPTURE(text);
    CHECK(outcome.out.find(text) != std::string::npos);
  }
}

TEST_CASE("what is no dump is refused in one line") {
  const TempFolder folder;
  const auto import = [&](const std::string& name, const std::string& text) {
    folder.write(name, text);
    return run_simtrain({"import", name, "--name", "lab"}, {folder.path().string(), {}, ""});
  };
  check_refused_at_end(import("empty.txt", ""), "empty.txt: is empty");
  check_refused_at_end(
      import("prose.txt", "hello\n"),
      "megatron-arguments (Megatron-LM command line (a shell script) or the arguments it "
      "prints)");
  CHECK(import("prose.txt", "hello\n")
            .err.starts_with("simtrain: prose.txt: is of no format known here; known are "
                             "nccl-topology (XML that NCCL writes to NCCL_TOPO_DUMP_FILE), "));
  check_refused_at_end(import("binary.txt", std::string("GPU0\n\0", 6)),
                       "binary.txt:2:1: holds the byte 0x00; a text was expected");
  std::ofstream(folder.path() / "huge.txt").put(' ');
  std::filesystem::resize_file(folder.path() / "huge.txt", 257U << 20U);  // takes no room on disk
  check_refused_at_end(
      run_simtrain({"import", "huge.txt", "--name", "lab"}, {folder.path().string(), {}, ""}),
      "huge.txt: is larger than 256 MiB; none that simtrain reads is");
  const std::string whole = read_file(kData + "hgx-h100-nccl.xml");
  check_refused_at_end(import("cut.xml", whole.substr(0, whole.size() / 2)),
                       "is not XML that can be read: XML_ERROR_PARSING_ELEMENT");
  const std::string table = read_file(kData + "dgx-h100-smi.txt");
  check_refused_at_end(import("cut.txt", table.substr(0, table.find("GPU5\tNV18"))),
                       "cut.txt:6:1: the table ends before the row of GPU5; is the file cut off?");
  check_refused_at_end(run_simtrain({"import", "/"}), "/: is a folder; name a file to import");
  check_refused_at_end(run_simtrain({"import", "no.xml"}), "no.xml: there is no such file");
}

TEST_CASE("wrong options of import are refused") {
  const std::string file = kData + "hgx-h100-nccl.xml";
  check_refused_at_end(run_simtrain({"import"}),
                       "import takes one file; see 'simtrain help import'");
  check_refused_at_end(
      run_simtrain({"import", file, "--name", "a/b"}),
      "--name: 'a/b' is no name; a small letter, then small letters, digits, '.', '-' and "
      "'_' would do; --name NAME gives one");
  check_refused_at_end(
      run_simtrain({"import", file, "--nic-bandwidth", "400"}),
      "--nic-bandwidth: '400' needs one of the units MB/s, GB/s, TB/s, Gb/s, Tb/s");
  check_refused_at_end(run_simtrain({"import", file, "--force"}),
                       "--force: replaces a file; name one with --output");
  check_refused_at_end(
      run_simtrain({"import", file, "--gpu", "h100-sxm", "--output", "/dev/null", "--force"}),
      "/dev/null: is no regular file; name another");
  check_refused_at_end(
      run_simtrain({"import", file, "--gpu", "h100-sxm", "--output", "/nowhere/lab.yaml"}),
      "/nowhere/lab.yaml: cannot be written: its folder: No such file or directory");
}

}  // namespace
}  // namespace simtrain::testing::import_test

// Catches what is wrong with a scenario, and reads where it was written.
#include <cstdio>

#include <simtrain/simtrain.h>

namespace api = simtrain::api;

namespace {

void print(const api::InputError& error) {
  std::printf("%s\n", error.what());
  std::printf("  file '%s', line %d, column %d, key '%s'\n", error.place().file.c_str(),
              error.place().line, error.place().column, error.key().c_str());
}

void attempt(const api::Scenario& scenario) {
  try {
    std::printf("step time %.3f s\n", api::simulate(scenario).step_time_s);
  } catch (const api::InputError& error) {
    print(error);
  }
}

}  // namespace

int main() {
  const auto data = api::DataFolder::installed();
  const auto recipe = api::Scenario::from_data(data, "llama31_8b_h100").row("bf16-8");

  attempt(recipe);
  attempt(recipe.with("training.seq_lenght", 4096));           // no such key
  attempt(recipe.with("cluster.name", "dgx-superpod-h1000"));  // no such cluster
  attempt(recipe.with("tp", 3));                               // no whole number of heads
  try {
    attempt(api::Scenario::from_text(data, "name: mine\nmodel: {\n", "mine.yaml"));
  } catch (const api::InputError& error) {  // what is no YAML is found where it is read
    print(error);
  }
}

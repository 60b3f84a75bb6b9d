// Writes the whole result as JSON, to the file that is named or to standard output.
#include <exception>
#include <fstream>
#include <iostream>

#include <simtrain/simtrain.h>

namespace api = simtrain::api;

int main(int count, char** arguments) {
  try {
    const auto data = api::DataFolder::installed();
    const auto recipe = api::Scenario::from_data(data, "llama31_8b_h100").row("bf16-8");
    const std::string json = api::simulate(recipe).json();
    if (count < 2) {
      std::cout << json;
      return 0;
    }
    std::ofstream file(arguments[1]);
    file << json;
    file.close();
    return file ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}

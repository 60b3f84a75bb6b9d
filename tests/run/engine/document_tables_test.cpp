// The figures that the five documents print, against the formulas. Step times, throughput and days
// are reproduced in every cell from the formulas of the documents alone. The MFU cells are
// reproduced with three readings, the only ones that do it:
//  - the documents put in the FLOPs of a sample as they print them, rounded (4.74E+14, 3.94e15,
//    434.5e12, 1.01e16), not the exact sums;
//  - the BF16 columns of 001 divide by 989.5 TFLOPS, half of the FP8 peak of 1979, where the text
//    (and its worked formula) says 989;
//  - the 405B columns of 001 count 16 query groups (the model has 8), and the proxies their layers.
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/run/figures/metrics.h"

namespace simtrain::testing::document_tables_test {

namespace {

struct Column {
  int gpus;
  int global_batch_size;
  double step_time_s;
  std::string tokens_per_s;
  std::string mfu_percent;
  std::string days;  ///< empty where the document says n/a
};

struct Table {
  std::string name;
  double seq_length;
  double peak_tflops;
  double flops_per_sample;  ///< 0: by number of layers, as for the 405B
  std::vector<Column> columns;
};

/// Llama 3.1 405B with 16 query groups and the layers of the proxy that ran on so many GPUs.
double flops_of_405b(int gpus) {
  ModelSpec model;
  model.name = "llama3.1-405b as counted in 001";
  model.num_layers = gpus == 32 ? 8 : gpus == 64 ? 30 : gpus == 128 ? 62 : 126;
  model.hidden_size = 16384;
  model.ffn_hidden_size = 53248;
  model.num_attention_heads = 128;
  model.num_query_groups = 16;
  model.kv_channels = 128;
  model.vocab_size = 128256;
  model.activation = Activation::swiglu;
  return model_flops_per_sample(model, 8192, MfuConvention::nvidia_dgxc);
}

/// A number with as many decimals as `like` prints.
std::string printed(double value, const std::string& like) {
  const auto point = like.find('.');
  return fmt::format("{:.{}f}", value, point == std::string::npos ? 0 : like.size() - point - 1);
}

const std::vector<Table>& tables() {
  static const std::vector<Table> all{
      {"001 Llama 3.1 8b BF16",
       8192,
       989.5,
       474000000000000.0,
       {{8, 128, 12.27, "85459", "62.47", "135.43"},
        {16, 256, 12.3, "170500", "62.31", "67.88"},
        {32, 512, 12.32, "340447", "62.21", "34"},
        {64, 1024, 12.33, "680341", "62.16", "17.01"},
        {128, 2048, 12.33, "1360683", "62.16", "8.51"}}},
      {"001 Llama 3.1 8b FP8",
       8192,
       1979,
       474000000000000.0,
       {{8, 128, 9.33, "112388", "41.07", "102.98"},
        {16, 256, 9.36, "224055", "40.94", "51.66"},
        {32, 512, 9.43, "444783", "40.64", "26.02"},
        {64, 1024, 9.48, "884874", "40.42", "13.08"},
        {128, 2048, 9.54, "1758618", "40.17", "6.58"}}},
      {"001 Llama 3.1 70b BF16",
       8192,
       989.5,
       3940000000000000.0,
       {{64, 128, 14.66, "71526", "54.32", "161.82"},
        {128, 256, 14.67, "142955", "54.29", "80.96"},
        {256, 512, 14.68, "285716", "54.25", "40.51"},
        {512, 1024, 14.67, "571821", "54.29", "20.24"},
        {1024, 2048, 14.65, "1145202", "54.36", "10.11"},
        {2048, 4096, 14.66, "2288843", "54.32", "5.06"}}},
      {"001 Llama 3.1 70b FP8",
       8192,
       1979,
       3940000000000000.0,
       {{64, 128, 9.86, "106346", "40.38", "108.83"},
        {128, 256, 9.95, "210769", "40.02", "54.91"},
        {256, 512, 10, "419430", "39.82", "27.59"},
        {512, 1024, 10.07, "833030", "39.54", "13.89"},
        {1024, 2048, 10.08, "1664406", "39.50", "6.95"},
        {2048, 4096, 10.15, "3305855", "39.23", "3.5"}}},
      {"001 Llama 3.1 405b BF16",
       8192,
       989.5,
       0,
       {{32, 64, 5.4, "97090", "55.23", ""},
        {64, 64, 10.1, "51910", "52.52", ""},
        {128, 128, 19.62, "53444", "55.31", ""},
        {512, 256, 19.78, "106024", "55.47", "109.16"},
        {1024, 512, 19.84, "211406", "55.31", "54.75"},
        {2048, 1024, 19.87, "422175", "55.22", "27.42"}}},
      {"001 Llama 3.1 405b FP8",
       8192,
       1979,
       0,
       {{32, 64, 3.53, "148524", "42.24", ""},
        {64, 64, 6.32, "82957", "41.97", ""},
        {128, 128, 12.18, "86090", "44.55", ""},
        {512, 256, 12.37, "169535", "44.35", "68.27"},
        {1024, 512, 12.42, "337706", "44.17", "34.27"},
        {2048, 1024, 12.56, "667883", "43.68", "17.33"}}},
      {"002 Nemotron4 340b 24.11 BF16",
       4096,
       989,
       1.01e+16,
       {{128, 32, 4.61, "28432", "55.38", "407"},
        {256, 64, 4.67, "56134", "54.67", "206"},
        {512, 128, 4.7, "111551", "54.32", "104"},
        {1024, 256, 4.73, "221686", "53.98", "52"},
        {2048, 512, 4.84, "433296", "52.75", "27"}}},
      {"002 Nemotron4 340b 24.11 FP8",
       4096,
       1979,
       1.01e+16,
       {{128, 32, 3.16, "41478", "40.38", "279"},
        {256, 64, 3.21, "81665", "39.75", "142"},
        {512, 128, 3.26, "160825", "39.14", "72"},
        {1024, 256, 3.34, "313945", "38.20", "37"},
        {2048, 512, 3.49, "600903", "36.56", "19"}}},
      {"004 Nemotron4 15b BF16",
       4096,
       989,
       434500000000000.0,
       {{16, 64, 2.66, "98550", "66.07", "117.44"},
        {32, 128, 2.66, "197101", "66.07", "58.72"},
        {64, 256, 2.67, "392725", "65.82", "29.47"},
        {128, 512, 2.67, "785450", "65.82", "14.74"},
        {256, 1024, 2.68, "1565039", "65.57", "7.4"},
        {512, 2048, 2.71, "3095427", "64.85", "3.74"},
        {1024, 4096, 2.74, "6123072", "64.14", "1.89"},
        {2048, 8192, 2.78, "12069940", "63.21", "0.96"}}},
      {"004 Nemotron4 15b FP8",
       4096,
       1979,
       434500000000000.0,
       {{16, 64, 1.98, "132396", "44.35", "87.42"},
        {32, 128, 1.98, "264792", "44.35", "43.71"},
        {64, 256, 1.98, "529584", "44.35", "21.86"},
        {128, 512, 1.99, "1053845", "44.13", "10.98"},
        {256, 1024, 2, "2097152", "43.91", "5.52"},
        {512, 2048, 2.02, "4152776", "43.48", "2.79"},
        {1024, 4096, 2.03, "8264638", "43.26", "1.4"},
        {2048, 8192, 2.09, "16054752", "42.02", "0.72"}}},
      {"004 Nemotron4 340b BF16",
       4096,
       989,
       1.01e+16,
       {{256, 64, 4.36, "60125", "58.56", "192.5"},
        {512, 128, 4.39, "119428", "58.16", "96.91"},
        {1024, 256, 4.41, "237772", "57.89", "48.68"},
        {2048, 512, 4.43, "473398", "57.63", "24.45"}}},
      {"004 Nemotron4 340b FP8",
       4096,
       1979,
       1.01e+16,
       {{256, 64, 2.93, "89469", "43.55", "129.36"},
        {512, 128, 2.97, "176528", "42.96", "65.57"},
        {1024, 256, 3, "349525", "42.53", "33.11"},
        {2048, 512, 3.05, "687591", "41.83", "16.83"}}},
  };
  return all;
}

}  // namespace

TEST_CASE("every throughput of the documents' tables is sequence length x batch / step time") {
  for (const Table& table : tables()) {
    for (const Column& column : table.columns) {
      CAPTURE(table.name);
      CAPTURE(column.gpus);
      const double tokens =
          tokens_per_second(table.seq_length, column.global_batch_size, column.step_time_s);
      CHECK(printed(tokens, column.tokens_per_s) == column.tokens_per_s);
    }
  }
}

TEST_CASE("every time to train of the documents' tables follows from the throughput") {
  for (const Table& table : tables()) {
    for (const Column& column : table.columns) {
      if (column.days.empty()) continue;
      CAPTURE(table.name);
      CAPTURE(column.gpus);
      const double tokens =
          tokens_per_second(table.seq_length, column.global_batch_size, column.step_time_s);
      CHECK(printed(days_per_trillion_tokens(tokens), column.days) == column.days);
    }
  }
}

TEST_CASE("every MFU of the documents' tables follows from the FLOPs that the document puts in") {
  for (const Table& table : tables()) {
    for (const Column& column : table.columns) {
      CAPTURE(table.name);
      CAPTURE(column.gpus);
      const double flops =
          table.flops_per_sample > 0 ? table.flops_per_sample : flops_of_405b(column.gpus);
      const double mfu = model_flops_utilization(
          tflops_per_gpu(flops, column.global_batch_size, column.step_time_s, column.gpus),
          table.peak_tflops);
      CHECK(printed(100 * mfu, column.mfu_percent) == column.mfu_percent);
    }
  }
}

}  // namespace simtrain::testing::document_tables_test

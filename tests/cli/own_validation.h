#pragma once

#include <string_view>

namespace simtrain::testing {

/// A validation file with one step time.
inline constexpr std::string_view kOwnValidation = R"(name: own
documents:
  - document: own.txt
    title: a measured run
    tables:
      - table: one
        use: headline
        group: own
        precision: bf16
        scenario: llama31_8b_h100.yaml
        figures:
          - {figure: step-time, label: step time, kind: last-step, rounding: 0.1}
        rows:
          - {row: bf16-8, printed: ["12.5"]}
)";

}  // namespace simtrain::testing

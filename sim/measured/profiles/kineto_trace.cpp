#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <simdjson.h>
#include <string>

#include "sim/core/input/number_text.h"
#include "sim/measured/profiles/json_events.h"
#include "sim/measured/profiles/profile_builder.h"
#include "sim/measured/profiles/profile_format.h"
#include "sim/measured/run/log_fields.h"

namespace simtrain {
namespace {

namespace json = simdjson::ondemand;

constexpr std::string_view kStep = "ProfilerStep#";

/// What of an event counts.
struct Event {
  std::string phase;
  std::string category;
  std::string name;
  std::string collective;             ///< of an NCCL kernel, in PyTorch's words
  std::string dtype;                  ///< what it moves, in the same
  std::optional<std::int64_t> given;  ///< elements
  std::optional<std::int64_t> taken;
  std::optional<std::int64_t> ranks;
  std::optional<std::int64_t> gpu;
  std::optional<double> microseconds;
  std::optional<double> start;  ///< microseconds of the trace's clock
};

/// What is of another type than expected is as if it were not there.
simdjson::error_code unless_other_type(simdjson::error_code error) {
  return error == simdjson::INCORRECT_TYPE ? simdjson::SUCCESS : error;
}

simdjson::error_code read_text(json::value value, std::string& text) {
  std::string_view found;
  const auto error = value.get_string().get(found);
  if (error == simdjson::SUCCESS) text = found;
  return unless_other_type(error);
}

/// Nothing where the value is no whole number of 0 or more.
std::optional<std::int64_t> count_of(json::value value) {
  std::int64_t number = 0;
  if (value.get_int64().get(number) != simdjson::SUCCESS || number < 0) return std::nullopt;
  return number;
}

simdjson::error_code read_argument(std::string_view key, json::value value, Event& event) {
  if (key == "Collective name") return read_text(value, event.collective);
  if (key == "dtype") return read_text(value, event.dtype);
  if (key == "In msg nelems") event.given = count_of(value);
  if (key == "Out msg nelems") event.taken = count_of(value);
  if (key == "device") event.gpu = count_of(value);
  if (key == "Group size") event.ranks = count_of(value);
  return simdjson::SUCCESS;
}

simdjson::error_code read_arguments(json::value value, Event& event) {
  json::object arguments;
  if (const auto error = value.get_object().get(arguments)) return unless_other_type(error);
  for (auto field : arguments) {
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) return error;
    json::value argument;
    if (const auto error = field.value().get(argument)) return error;
    if (const auto error = read_argument(key, argument, event)) return error;
  }
  return simdjson::SUCCESS;
}

simdjson::error_code read_field(std::string_view key, json::value value, Event& event) {
  if (key == "ph") return read_text(value, event.phase);
  if (key == "cat") return read_text(value, event.category);
  if (key == "name") return read_text(value, event.name);
  if (key == "args") return read_arguments(value, event);
  if (key != "dur" && key != "ts") return simdjson::SUCCESS;
  double time = 0;
  const auto error = value.get_double().get(time);
  if (error == simdjson::SUCCESS) (key == "ts" ? event.start : event.microseconds) = time;
  return error == simdjson::NUMBER_ERROR ? simdjson::SUCCESS : unless_other_type(error);
}

bool runs_on_gpu(std::string_view category) {
  constexpr std::array<std::string_view, 6> kCategories{"kernel", "gpu_memcpy", "gpu_memset",
                                                        "Kernel", "Memcpy",     "Memset"};
  return std::find(kCategories.begin(), kCategories.end(), category) != kCategories.end();
}

/// What PyTorch calls a collective of one tensor; those of several are one kernel for several
/// calls.
struct CollectiveName {
  std::string_view name;
  NcclFunction function{};
};
constexpr std::array kCollectives{
    CollectiveName{"allreduce", NcclFunction::all_reduce},
    CollectiveName{"_allgather_base", NcclFunction::all_gather},
    CollectiveName{"_reduce_scatter_base", NcclFunction::reduce_scatter},
    CollectiveName{"broadcast", NcclFunction::broadcast},
    CollectiveName{"send", NcclFunction::send},
    CollectiveName{"recv", NcclFunction::recv}};

/// A type as PyTorch calls it, by its number in NCCL; FP8 travels as bytes.
struct TypeName {
  std::string_view name;
  int number = 0;
};
constexpr std::array kTorchTypes{
    TypeName{"Char", 0},  TypeName{"Byte", 1},   TypeName{"Bool", 1},
    TypeName{"Int", 2},   TypeName{"Long", 4},   TypeName{"Half", 6},
    TypeName{"Float", 7}, TypeName{"Double", 8}, TypeName{"BFloat16", 9}};

/// The call behind a kernel of NCCL; nothing where the trace does not give it.
std::optional<CallShape> call_of(const Event& event) {
  constexpr std::int64_t kMostCount = 1'000'000'000'000'000;
  constexpr std::int64_t kMostRanks = 100'000'000;
  const auto* const row =
      std::find_if(kCollectives.begin(), kCollectives.end(),
                   [&](const CollectiveName& one) { return one.name == event.collective; });
  const auto* const type =
      std::find_if(kTorchTypes.begin(), kTorchTypes.end(),
                   [&](const TypeName& one) { return one.name == event.dtype; });
  const bool fp8 = event.dtype.starts_with("Float8_");
  if (row == kCollectives.end() || (type == kTorchTypes.end() && !fp8)) return std::nullopt;
  const bool message = is_message(row->function);
  const auto count = row->function == NcclFunction::reduce_scatter ? event.taken : event.given;
  const std::int64_t ranks = message ? 0 : event.ranks.value_or(0);
  const bool complete = count && (message || ranks > 0);
  if (!complete || *count > kMostCount || ranks > kMostRanks) return std::nullopt;
  return CallShape{row->function, static_cast<int>(ranks),
                   fp8 ? nccl_type(DataType::fp8) : type->number, *count};
}

/// Whether an event could be of a kind that counts; others are not parsed.
bool may_count(std::string_view text) {
  constexpr std::array<std::string_view, 6> kWords{"\"kernel\"", "\"gpu_mem",  "\"Kernel\"",
                                                   "\"Memcpy\"", "\"Memset\"", kStep};
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
    return find_word(text, word) != std::string_view::npos;
  });
}

/// What torch.profiler exports: events of kernels and copies with their times, the steps between
/// calls of profiler.step() as `ProfilerStep#3`, and whose trace it is (distributedInfo).
class KinetoReader {
 public:
  void take(const JsonEvent& event) {
    if (event.too_long) {
      profile_.skip(event.line, "starts an event of more than 262144 bytes");
    } else if (may_count(event.text)) {
      Event parsed;
      if (parse(event.text, parsed) == simdjson::SUCCESS)
        add(parsed, event.line);
      else
        profile_.skip(event.line, "starts an event that is no JSON that can be read");
    }
  }

  /// `"distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8, ...}`, in the text
  /// before the list of events and the bracket that opens it.
  void head(std::string text) {
    text += "]}";
    const simdjson::padded_string padded(text);
    json::document document;
    json::object info;
    if (parser_.iterate(padded).get(document) != simdjson::SUCCESS ||
        document["distributedInfo"].get_object().get(info) != simdjson::SUCCESS)
      return;
    std::optional<int> rank;
    std::optional<int> ranks;
    for (auto field :
         info) {  // a look-up behind one that failed would read what is no longer there
      std::string_view key;
      json::value value;
      if (field.unescaped_key().get(key) != simdjson::SUCCESS ||
          field.value().get(value) != simdjson::SUCCESS)
        return;
      if (key == "rank") rank = number(value);
      if (key == "world_size") ranks = number(value);
    }
    if (rank && ranks) profile_.belongs_to({*rank, *ranks});
  }

  void end(const JsonEvents& events) {
    if (events.too_deep())
      profile_.skip(events.lines(), "nests deeper than 1000000 levels; the rest is left out");
    else if (events.cut_off())
      profile_.skip(events.lines(), "ends the file within its events");
  }

  Profile finish() { return profile_.take(); }

 private:
  static std::optional<int> number(json::value value) {
    constexpr std::int64_t kMost = 100'000'000;
    std::int64_t number = 0;
    if (value.get_int64().get(number) != simdjson::SUCCESS || number < 0 || number > kMost)
      return std::nullopt;
    return static_cast<int>(number);
  }

  simdjson::error_code parse(std::string_view text, Event& event) {
    static_assert(JsonEvents::kPadding >= simdjson::SIMDJSON_PADDING);
    json::document document;
    if (const auto error =
            parser_.iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING)
                .get(document))
      return error;
    json::object object;
    if (const auto error = document.get_object().get(object)) return error;
    for (auto field : object) {
      std::string_view key;
      if (const auto error = field.unescaped_key().get(key)) return error;
      json::value value;
      if (const auto error = field.value().get(value)) return error;
      if (const auto error = read_field(key, value, event)) return error;
    }
    return simdjson::SUCCESS;
  }

  void add(const Event& event, std::int64_t line) {
    if (event.phase != "X") return;
    if (event.name.starts_with(kStep)) {
      if (event.category != "user_annotation" && event.category != "gpu_user_annotation") return;
      const auto step = number_as<std::int64_t>(std::string_view(event.name).substr(kStep.size()));
      if (step) profile_.step(*step);
      return;
    }
    if (!runs_on_gpu(event.category)) return;
    if (!event.microseconds || event.name.empty()) {
      profile_.skip(line, "starts a kernel without a name, or without a time that is a number");
      return;
    }
    if (!profile_.gpu(event.gpu ? std::to_string(*event.gpu) : "", line)) return;
    if (const auto call = call_of(event))
      profile_.call(*call, line);
    else if (event.name.starts_with("nccl"))
      profile_.unknown_call();
    profile_.kernel(named_by_collective(event.name, event.collective), 1, *event.microseconds / 1e6,
                    line);
    constexpr double kMost = 4e15;  // nanoseconds stay whole numbers of 64 bits
    if (event.start && std::abs(*event.start) < kMost && *event.microseconds < kMost)
      profile_.ran(std::llround(*event.start * 1e3),
                   std::llround((*event.start + *event.microseconds) * 1e3));
  }

  json::parser parser_;
  ProfileBuilder profile_;
};

Profile read_kineto(const ByteSource& source) {
  JsonEvents events(source);
  JsonEvent event;
  KinetoReader reader;
  while (events.next(event)) reader.take(event);
  reader.head(events.head());
  reader.end(events);
  Profile profile = reader.finish();
  profile.lines = events.lines();
  profile.events = events.events() + (events.cut_off() ? 1 : 0);
  profile.bytes = events.bytes();
  return profile;
}

bool fits_kineto(std::string_view head) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t start = head.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) return false;
  head.remove_prefix(start);
  if (head.front() == '{') return find_word(head, "\"traceEvents\"") != std::string_view::npos;
  if (head.front() != '[') return false;
  head = head.substr(std::min(head.find_first_not_of(kBlanks, 1), head.size()));
  return head.starts_with('{') && find_word(head, "\"ph\"") != std::string_view::npos;
}

}  // namespace

const ProfileFormat kKinetoTrace{"kineto-trace",
                                 "trace of torch.profiler (Kineto), Chrome's Trace Event Format",
                                 fits_kineto, read_kineto};

}  // namespace simtrain

#include <algorithm>
#include <limits>

#include "sim/core/input/text_parts.h"
#include "sim/measured/logs/line_reader.h"
#include "sim/measured/profiles/profile_builder.h"
#include "sim/measured/profiles/profile_format.h"
#include "sim/measured/run/log_fields.h"

namespace simtrain {
namespace {

constexpr std::string_view kInfo = " NCCL INFO ";
constexpr std::string_view kCall = ": opCount ";

/// `host:pid` of `... host:pid:tid [device]`: threads of a process are one rank. Of a line that
/// starts with `[device]`, as in a file of one host, that device. Empty where both are missing.
std::string_view process_in(std::string_view prefix) {
  prefix = trimmed(prefix);
  if (prefix.ends_with(']')) {
    const std::size_t open = prefix.rfind('[');
    if (open == std::string_view::npos) return {};
    if (open == 0 && whole_number_in(prefix.substr(1, prefix.size() - 2))) return prefix;
    prefix = trimmed(prefix.substr(0, open));
  }
  const std::size_t blank = prefix.find_last_of(" \t");
  if (blank != std::string_view::npos) prefix.remove_prefix(blank + 1);
  const std::size_t thread = prefix.rfind(':');
  if (thread == std::string_view::npos || thread == 0) return {};
  const std::string_view process = prefix.substr(0, thread);
  return process.find(':') == std::string_view::npos ? std::string_view() : process;
}

/// `AllReduce`, before which newer releases write the device, `[2] AllReduce`.
std::optional<NcclFunction> function_named(std::string_view name) {
  if (name.starts_with('['))
    name = trimmed(name.substr(std::min(name.find(']'), name.size() - 1) + 1));
  // RCCL's names of its own.
  if (name == "AllToAll" || name == "AllToAllPivot") return NcclFunction::all_to_all;
  if (name == "AllReduceWithBias") return NcclFunction::all_reduce;
  for (const auto& [row, function] : EnumNames<NcclFunction>::rows) {
    if (row == name) return function;
  }
  return std::nullopt;
}

std::optional<int> small_number(std::string_view text, std::string_view label,
                                std::string_view stops) {
  const auto field = field_after(text, label, stops);
  const auto number = field ? whole_number_in(*field) : std::nullopt;
  if (!number || *number > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(*number);
}

/// `host:pid:tid [0] NCCL INFO AllReduce: opCount 1f sendbuff 0x... recvbuff 0x... count 1048576
/// datatype 9 op 0 root 0 comm 0x... [nranks=8] stream 0x...`, behind which RCCL writes `task 0
/// globalrank 3`, and `Init COMPLETE` of communicators
/// with the place of the process in them.
class NcclLogReader {
 public:
  void line(const LogLine& line) {
    if (line.too_long) {
      profile_.skip(line.number, "is longer than 262144 bytes");
    } else if (const std::size_t at = find_word(line.text, kCall); at != std::string_view::npos) {
      if (const std::string_view why = call(line.with_end(), at, line.number); !why.empty())
        profile_.skip(line.number, why);
    } else if (find_word(line.text, " Init COMPLETE") != std::string_view::npos) {
      communicator(line.text, line.number);
    }
  }

  Profile take() { return profile_.take(); }

 private:
  /// Why the line is no call that can be read; empty where it is one.
  std::string_view call(std::string_view text, std::size_t at, std::int64_t number) {
    if (occurs_twice(text, kCall)) return "holds two calls: another line was written into it";
    const std::size_t info = find_word(text.substr(0, at), kInfo);
    if (info == std::string_view::npos) return "is a call behind no 'NCCL INFO'";
    const std::string_view process = process_in(text.substr(0, info));
    if (process.empty()) return "is a call of no process (host:pid:tid)";
    const auto function =
        function_named(trimmed(text.substr(info + kInfo.size(), at - info - kInfo.size())));
    if (!function) return "calls no function of NCCL that is known here";
    const std::string_view rest = text.substr(at);
    const auto field = field_after(rest, " count ", " ");
    const auto count = field ? whole_number_in(*field) : std::nullopt;
    if (!count) return "its count is missing, cut off or no number";
    const auto type = small_number(rest, " datatype ", " ");
    if (!type || *type >= static_cast<int>(kNcclTypes.size()))
      return "its datatype is missing, cut off or none of NCCL's";
    const auto ranks = small_number(rest, "[nranks=", "]");
    if (!ranks || *ranks < 1) return "its nranks are missing, cut off or no number";
    // RCCL names the caller's place in the communicator behind each call.
    const auto rank = small_number(rest, " globalrank ", " \r\n");
    if (rank && *rank < *ranks) profile_.communicator(process, {*rank, *ranks}, number);
    profile_.call(process, {*function, is_message(*function) ? 0 : *ranks, *type, *count}, number);
    return {};
  }

  void communicator(std::string_view text, std::int64_t number) {
    const std::size_t info = find_word(text, kInfo);
    if (info == std::string_view::npos) return;
    const std::string_view process = process_in(text.substr(0, info));
    const auto rank = small_number(text, " rank ", " ");
    const auto ranks = small_number(text, " nranks ", " ");
    if (!process.empty() && rank && ranks) profile_.communicator(process, {*rank, *ranks}, number);
  }

  ProfileBuilder profile_;
};

Profile read(const ByteSource& source) {
  LineReader lines(source);
  LogLine line;
  NcclLogReader reader;
  while (lines.next(line)) reader.line(line);
  Profile profile = reader.take();
  profile.lines = lines.lines();
  profile.bytes = lines.bytes();
  return profile;
}

bool fits_nccl_log(std::string_view head) {
  return find_word(head, kInfo) != std::string_view::npos;
}

}  // namespace

const ProfileFormat kNcclLog{
    "nccl-log", "NCCL_DEBUG=INFO with NCCL_DEBUG_SUBSYS=INIT,COLL: a line for each call",
    fits_nccl_log, read};

}  // namespace simtrain

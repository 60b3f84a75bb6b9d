#include "sim/study/tasks/journal.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <set>
#include <stdexcept>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "sim/core/files/text_file.h"
#include "sim/core/fingerprint.h"
#include "sim/core/json_text.h"

namespace simtrain {
namespace {

constexpr std::string_view kSchema = "simtrain.journal/1";

/// sum, blank, payload, line end
std::string sealed(std::string_view payload) {
  Fingerprint sum;
  sum.add(payload);
  return fmt::format("{} {}\n", sum.text(), payload);
}

/// The payload of a whole line; nothing where its checksum does not fit.
std::string_view opened(std::string_view line) {
  constexpr std::size_t kSum = 16;
  if (line.size() <= kSum + 1 || line[kSum] != ' ') return {};
  const std::string_view payload = line.substr(kSum + 1);
  Fingerprint sum;
  sum.add(payload);
  return sum.text() == line.substr(0, kSum) ? payload : std::string_view();
}

std::string head_line(const JournalHead& head) {
  const nlohmann::ordered_json json{{"schema", kSchema},
                                    {"work", head.work},
                                    {"question", head.question},
                                    {"program", head.program},
                                    {"tasks", head.tasks}};
  return sealed(json.dump());
}

bool read_head(std::string_view payload, JournalHead& head) {
  const auto json = parse_json(payload);
  if (!json.is_object() || json.value("schema", nlohmann::json()) != kSchema) return false;
  try {
    if (!json.at("tasks").is_number_unsigned()) return false;
    head = {json.at("work").get<std::string>(), json.at("question").get<std::string>(),
            json.at("program").get<std::string>(), json.at("tasks").get<std::uint64_t>()};
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

using NumberOf = std::function<std::uint64_t(std::string_view)>;

bool add_record(std::string_view payload, const NumberOf& number_of, JournalContent& content,
                std::set<std::uint64_t>& known) {
  try {
    const std::uint64_t number = number_of(payload);
    if (number >= content.head.tasks) return false;
    if (known.insert(number).second) content.records.push_back({number, std::string(payload)});
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

}  // namespace

JournalContent read_journal(std::string_view text, const NumberOf& number_of) {
  JournalContent content;
  std::set<std::uint64_t> known;
  for (bool first = true; !text.empty(); first = false) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break;  // torn
    const std::string_view payload = opened(text.substr(0, end));
    text.remove_prefix(end + 1);
    if (first) {
      content.has_head = !payload.empty() && read_head(payload, content.head);
      if (!content.has_head) break;
    } else if (payload.empty() || !add_record(payload, number_of, content, known)) {
      ++content.damaged;
    }
  }
  return content;
}

Journal::Journal(std::string path, const JournalHead& head, JournalStart start,
                 const TaskList& tasks)
    : path_(std::move(path)) {
  check_writable(path_);
  file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) throw failure(std::strerror(errno));
  try {
    lock();
    begin(head, start, tasks);
  } catch (...) {
    close(file_);
    throw;
  }
}

Journal::~Journal() { close(file_); }

InputError Journal::failure(const std::string& what) const {
  return {{path_}, "", "cannot be written: " + what};
}

/// A file system without locks is trusted to have one user.
void Journal::lock() const {
  if (flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw InputError({path_}, "", "another simtrain is at work on it");
  struct stat open_file {};
  struct stat named_file {};
  const bool same = fstat(file_, &open_file) == 0 && stat(path_.c_str(), &named_file) == 0 &&
                    open_file.st_ino == named_file.st_ino;
  if (!same) throw InputError({path_}, "", "another simtrain has just removed it; start again");
}

void Journal::begin(const JournalHead& head, JournalStart start, const TaskList& tasks) {
  constexpr std::size_t kLongestLine = std::size_t{1} << 15U;
  const TextFileKind journal{"a journal", 1 + (head.tasks * kLongestLine >> 20U)};
  const std::string text = read_text_file(path_, journal);
  const std::string wanted = head_line(head);
  if (start == JournalStart::replace || wanted.starts_with(text)) {
    if (text == wanted) return;
    if (ftruncate(file_, 0) != 0) throw failure(std::strerror(errno));
    write(wanted);
    return;
  }
  content_ = read_journal(text, tasks.number_of);
  if (!content_.has_head)
    throw InputError({path_}, "",
                     fmt::format("is no journal of a {}; --force replaces it", head.work));
  if (start == JournalStart::fresh)
    throw InputError({path_}, "",
                     fmt::format("is the journal of a {} that was stopped ({} of {} done); "
                                 "--resume goes on with it, --force starts anew",
                                 content_.head.work, content_.records.size(), content_.head.tasks));
  if (content_.head.work != head.work || content_.head.question != head.question)
    throw InputError({path_}, "",
                     "belongs to another question (scenario, settings, what is asked of them or "
                     "hardware files differ); --force starts anew");
  if (content_.head.program != head.program)
    throw InputError({path_}, "", "was begun by another build of simtrain; --force starts anew");
  const std::size_t whole = text.rfind('\n') + 1;  // what is behind it is torn
  if (ftruncate(file_, static_cast<off_t>(whole)) != 0) throw failure(std::strerror(errno));
}

void Journal::write(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(file_, text.data() + at, text.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw failure(std::strerror(written < 0 ? errno : ENOSPC));
    at += static_cast<std::size_t>(written);
  }
}

void Journal::add(const std::string& record) {
  write(sealed(record));
  fresh_ = true;
}

void Journal::sync() {
  if (fdatasync(file_) != 0 && errno != EINVAL && errno != EROFS)
    throw failure(std::strerror(errno));
  synced_ = Clock::now();
  fresh_ = false;
}

void Journal::tick() {
  if (fresh_ && Clock::now() - synced_ > std::chrono::seconds(1)) sync();
}

void Journal::remove() const { unlink(path_.c_str()); }

std::string program_fingerprint() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  Fingerprint fingerprint;
  std::streamsize bytes = 0;
  std::vector<std::uint64_t> words(std::size_t{1} << 15U);  // by words: there are tens of megabytes
  do {
    std::fill(words.begin(), words.end(), 0);
    file.read(reinterpret_cast<char*>(words.data()),
              static_cast<std::streamsize>(words.size() * sizeof words[0]));
    bytes += file.gcount();
    for (const std::uint64_t word : words) fingerprint.add(word);
  } while (file);
  return bytes == 0 ? "unknown" : fingerprint.text();
}

}  // namespace simtrain

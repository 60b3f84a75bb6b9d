#pragma once

#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <protozero/pbf_reader.hpp>
#include <simdjson.h>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>
#include <zlib.h>

#include "sim/core/invariant.h"

namespace simtrain::testing {

/// A slice as a viewer builds it. Times in picoseconds, or in nanoseconds from a Perfetto file.
struct ReadSlice {
  std::string name;
  std::string category;
  std::int64_t start = 0;
  std::int64_t end = -1;
  std::size_t depth = 0;
};

struct ReadFlow {
  std::uint64_t id = 0;
  bool begins = false;
  std::int64_t time = 0;
};

/// The content of a trace, by "process/track".
struct ReadTrace {
  std::map<std::string, std::vector<ReadSlice>> slices;
  std::map<std::string, std::vector<std::pair<std::int64_t, double>>> counters;
  std::vector<ReadFlow> flows;
  std::vector<std::string> wrong;  ///< what breaks the format
};

/// Builds slices from begins and ends, and notes what does not nest.
class SliceStacks {
 public:
  explicit SliceStacks(ReadTrace& trace) : trace_(trace) {}
  void begin(const std::string& track, ReadSlice slice) {
    auto& open = open_[track];
    auto& all = trace_.slices[track];
    if (!open.empty() && slice.start < all[open.back()].start) wrong(track, "begins too early");
    if (open.empty() && !all.empty() && slice.start < last_end_[track])
      wrong(track, "overlaps the one before");
    if (slice.start < last_end_[track]) wrong(track, "begins before its sibling ends");
    slice.depth = open.size();
    open.push_back(all.size());
    all.push_back(std::move(slice));
  }
  void end(const std::string& track, std::int64_t time) {
    auto& open = open_[track];
    if (open.empty()) return wrong(track, "ends without a begin");
    ReadSlice& slice = trace_.slices[track][open.back()];
    open.pop_back();
    if (time < slice.start || time < last_end_[track]) wrong(track, "ends too early");
    slice.end = time;
    last_end_[track] = time;
  }
  void finish() {
    for (const auto& [track, open] : open_) {
      if (!open.empty()) wrong(track, "is left open");
    }
  }

 private:
  void wrong(const std::string& track, const std::string& what) {
    trace_.wrong.push_back(track + ": a slice " + what);
  }
  ReadTrace& trace_;
  std::map<std::string, std::vector<std::size_t>> open_;
  std::map<std::string, std::int64_t> last_end_;
};

inline std::string bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Of zlib's format or gzip's.
inline std::string inflated(const std::string& packed) {
  z_stream stream{};
  invariant(inflateInit2(&stream, 15 + 32) == Z_OK, "zlib can be set up");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string result;
  std::string block(1U << 16U, '\0');
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    state = inflate(&stream, Z_NO_FLUSH);
    result.append(block, 0, block.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  invariant(state == Z_STREAM_END, "the packed bytes are whole");
  return result;
}

inline ReadTrace read_chrome(const std::string& text) {
  using Text = std::string_view;
  ReadTrace trace;
  SliceStacks stacks(trace);
  simdjson::dom::parser parser;
  std::map<std::int64_t, std::string> processes;
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> threads;
  for (const simdjson::dom::element event : parser.parse(text)["traceEvents"].get_array()) {
    const Text phase = event["ph"].get_string();
    const std::int64_t pid = event["pid"].get_int64();
    std::int64_t tid = 0;
    double microseconds = 0;
    std::ignore = event["tid"].get(tid);
    std::ignore = event["ts"].get(microseconds);
    const auto time = std::llround(microseconds * 1e6);
    const auto text_of = [&](Text key) { return std::string(Text(event[key].get_string())); };
    if (phase == "M") {
      const std::string what = text_of("name");
      if (what == "process_name") processes[pid] = Text(event["args"]["name"].get_string());
      if (what == "thread_name") threads[{pid, tid}] = Text(event["args"]["name"].get_string());
      continue;
    }
    const std::string process = processes.at(pid);
    if (phase == "C") {
      const double value = event["args"].get_object().begin().value().get_double();
      trace.counters[process + "/" + text_of("name")].emplace_back(time, value);
      continue;
    }
    const std::string track = process + "/" + threads.at({pid, tid});
    if (phase == "B") stacks.begin(track, {text_of("name"), text_of("cat"), time});
    if (phase == "E") stacks.end(track, time);
    if (phase == "s" || phase == "f")
      trace.flows.push_back({event["id"].get_uint64(), phase == "s", time});
  }
  stacks.finish();
  return trace;
}

/// Reads what protos/perfetto/trace defines, by its numbers.
class PerfettoReader {
 public:
  static ReadTrace read(const std::string& bytes) {
    PerfettoReader reader;
    reader.packets(bytes);
    reader.stacks_.finish();
    return std::move(reader.trace_);
  }

 private:
  using Reader = protozero::pbf_reader;

  void packets(const std::string& bytes) {
    for (Reader trace(bytes); trace.next(1);) packet(trace.get_view());
  }
  void packet(protozero::data_view view) {
    std::int64_t time = 0;
    for (Reader packet(view); packet.next();) {
      switch (packet.tag()) {
        case 8:
          time = static_cast<std::int64_t>(packet.get_uint64());
          break;
        case 12:
          intern(packet.get_view());
          break;
        case 13:
          if ((packet.get_uint32() & 1U) != 0) names_.clear();
          break;
        case 11:
          event(time, packet.get_view());
          break;
        case 50:
          packets(inflated(packet.get_bytes()));
          break;
        case 60:
          descriptor(packet.get_view());
          break;
        default:
          packet.skip();
      }
    }
  }
  void descriptor(protozero::data_view view) {
    std::uint64_t uuid = 0;
    std::uint64_t parent = 0;
    std::string name;
    bool counter = false;
    for (Reader track(view); track.next();) {
      if (track.tag() == 1) {
        uuid = track.get_uint64();
      } else if (track.tag() == 5) {
        parent = track.get_uint64();
      } else if (track.tag() == 2) {
        name = track.get_string();
      } else if (track.tag() == 3) {
        Reader process = track.get_message();
        while (process.next(6)) name = process.get_string();
      } else {
        counter = counter || track.tag() == 8;
        track.skip();
      }
    }
    tracks_[uuid] = parent == 0 ? name : tracks_.at(parent) + "/" + name;
    if (counter) counters_.insert({uuid, true});
  }
  void intern(protozero::data_view view) {
    for (Reader data(view); data.next();) {
      const auto field = data.tag();
      std::uint64_t number = 0;
      std::string text;
      for (Reader entry = data.get_message(); entry.next();) {
        if (entry.tag() == 1) {
          number = entry.get_uint64();
        } else {
          text = entry.get_string();
        }
      }
      names_[{field, number}] = text;
    }
  }
  void event(std::int64_t time, protozero::data_view view) {
    std::uint64_t track = 0;
    std::int32_t type = 0;
    double value = 0;
    ReadSlice slice;
    slice.start = time;
    for (Reader event(view); event.next();) {
      switch (event.tag()) {
        case 9:
          type = event.get_enum();
          break;
        case 11:
          track = event.get_uint64();
          break;
        case 10:
          slice.name = names_.at({2, event.get_uint64()});
          break;
        case 3:
          slice.category = names_.at({1, event.get_uint64()});
          break;
        case 44:
          value = event.get_double();
          break;
        case 47:
          trace_.flows.push_back({event.get_fixed64(), true, time});
          break;
        case 48:
          trace_.flows.push_back({event.get_fixed64(), false, time});
          break;
        default:
          event.skip();
      }
    }
    const std::string& name = tracks_.at(track);
    if (type == 1) stacks_.begin(name, slice);
    if (type == 2) stacks_.end(name, time);
    if (type == 4) trace_.counters[name].emplace_back(time, value);
  }

  ReadTrace trace_;
  SliceStacks stacks_{trace_};
  std::map<std::uint64_t, std::string> tracks_;
  std::map<std::uint64_t, bool> counters_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::string> names_;
};

}  // namespace simtrain::testing

#include "sim/run/engine/stream_program.h"

namespace simtrain {
Seats::Seats(const std::vector<Program>& programs) {
  for (const Program& program : programs) {
    for (const Op& op : program.ops) {
      std::uint8_t& seat = seats_[static_cast<std::size_t>(op.group)];
      if (op.group == GroupKind::self || seat != 0) continue;
      seat = static_cast<std::uint8_t>(kinds_.size());
      kinds_.push_back(op.group);
    }
  }
}

StreamProgram by_stream(const Program& program, const Seats& seats) {
  StreamProgram result;
  for (const Op& op : program.ops) ++result.begin[stream_of(op) + 1];
  for (std::size_t stream = 0; stream < kStreams; ++stream)
    result.begin[stream + 1] += result.begin[stream];
  std::vector<std::uint32_t> place(program.ops.size());
  std::array<std::uint32_t, kStreams + 1> next = result.begin;
  for (std::size_t i = 0; i < place.size(); ++i) place[i] = next[stream_of(program.ops[i])]++;
  result.ops.resize(program.ops.size());
  for (std::size_t i = 0; i < place.size(); ++i) {
    const Op& op = program.ops[i];
    StreamOp& sorted = result.ops[place[i]];
    sorted.op = static_cast<std::uint32_t>(i);
    sorted.cost = op.cost;
    sorted.seat = seats.of(op.group);
    sorted.compute = op.compute;
    sorted.stream = static_cast<std::uint8_t>(op.stream);
    sorted.last = place[i] + 1 == result.begin[stream_of(op) + 1];
    if (!op.compute) sorted.sms = program.transfers[op.cost].sms;
    for (std::size_t k = 0; k < op.after.size(); ++k) {
      if (op.after[k] == kNoOp) continue;
      sorted.after_place[k] = place[op.after[k]] + 1;
      sorted.after_stream[k] = static_cast<std::uint8_t>(program.ops[op.after[k]].stream);
    }
  }
  return result;
}

}  // namespace simtrain

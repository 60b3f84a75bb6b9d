#include "sim/import/job/sharding_keys.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sim/import/terms/term_findings.h"

namespace simtrain {
namespace {

/// Words of Megatron-FSDP, and what they are here.
constexpr std::array kMegatronStrategies{
    std::pair<std::string_view, std::string_view>{"no_shard", "ddp"},
    std::pair<std::string_view, std::string_view>{"optim", "zero1"},
    std::pair<std::string_view, std::string_view>{"optim_grads", "zero2"},
    std::pair<std::string_view, std::string_view>{"optim_grads_params", "megatron_fsdp"}};

[[noreturn]] void refuse_word(const Given<std::string>& given, std::string_view known) {
  throw InputError(given.place, given.origin,
                   fmt::format("'{}' is not modelled; {} would do",
                               plain_text(given.value.substr(0, 80)), known));
}

Finding megatron_strategy(const RecipeTerms& terms) {
  if (!terms.data_parallel_sharding_strategy)
    return {"", "megatron_fsdp",
            terms.use_megatron_fsdp->origin + ": all is sharded, Megatron-FSDP's default", true,
            true};
  const Given<std::string>& given = *terms.data_parallel_sharding_strategy;
  for (const auto& [word, strategy] : kMegatronStrategies) {
    if (given.value == word) return {"", std::string(strategy), given.origin, given.assumed};
  }
  refuse_word(given, "no_shard, optim, optim_grads or optim_grads_params");
}

/// Groups of ranks that each hold all of the state.
Given<std::int64_t> replicas_of(const RecipeTerms& terms, const JobRanks& job) {
  if (terms.data_parallel_replicate_degree) return *terms.data_parallel_replicate_degree;
  if (holds(terms.shards_within_node))
    return {job.nodes, terms.shards_within_node->origin + ": one a node", false,
            terms.shards_within_node->place};
  return {1, "", true, {}};
}

void check_degrees(const RecipeTerms& terms, std::int64_t replicas, std::int64_t ranks) {
  if (!terms.data_parallel_shard_degree) return;
  const Given<std::int64_t>& shards = *terms.data_parallel_shard_degree;
  const std::int64_t context = terms.context_parallel_size
                                   ? std::max<std::int64_t>(1, terms.context_parallel_size->value)
                                   : 1;
  const double product = static_cast<double>(shards.value) * static_cast<double>(replicas) *
                         static_cast<double>(context);
  if (product == static_cast<double>(ranks)) return;
  throw InputError(shards.place, shards.origin,
                   fmt::format("{} shards of {} replicas with CP {} are not the {} ranks of "
                               "DP x CP; another --nodes would do",
                               shards.value, replicas, context, ranks));
}

void refuse_outer_sharding(const RecipeTerms& terms) {
  const WordTerm& outer = terms.outer_dp_sharding_strategy;
  if (!outer || outer->value == "no_shard") return;
  throw InputError(outer->place, outer->origin,
                   fmt::format("'{}' shards over the replicas as well, which is not modelled; "
                               "no_shard would do",
                               plain_text(outer->value.substr(0, 80))));
}

/// How a recipe's data-parallel ranks share state; nothing where it says no more than whether the
/// optimizer is distributed.
std::optional<Finding> sharding_of(const RecipeTerms& terms) {
  if (terms.sharding)
    return Finding{"", terms.sharding->value, terms.sharding->origin, terms.sharding->assumed};
  if (holds(terms.use_torch_fsdp2)) return Finding{"", "fsdp2", terms.use_torch_fsdp2->origin};
  if (holds(terms.use_megatron_fsdp)) return megatron_strategy(terms);
  return std::nullopt;
}

void settle_library(RecipeTerms& terms) {
  if (!terms.fsdp_library) return;
  const Given<std::string>& given = *terms.fsdp_library;
  if (given.value == "false") return;
  if (given.value != "megatron" && given.value != "pytorch")
    refuse_word(given, "megatron or pytorch");
  (given.value == "megatron" ? terms.use_megatron_fsdp : terms.use_torch_fsdp2) =
      Given<bool>{true, given.origin, false, given.place};
}

/// PyTorch's first FSDP, as NeMo 1 has it: full, grad (parameters stay to the backward) or hybrid.
void settle_first_fsdp(RecipeTerms& terms) {
  if (!holds(terms.use_torch_fsdp)) return;
  const Given<bool>& on = *terms.use_torch_fsdp;
  terms.sharding = Given<std::string>{"fsdp1", on.origin, false, on.place};
  if (terms.fsdp_grad_reduce_dtype) terms.grad_reduce_dtype = terms.fsdp_grad_reduce_dtype;
  if (!terms.data_parallel_sharding_strategy) return;
  const Given<std::string>& way = *terms.data_parallel_sharding_strategy;
  if (way.value != "full" && way.value != "grad" && way.value != "hybrid")
    refuse_word(way, "full, grad or hybrid");
  terms.reshard_after_forward = Given<bool>{way.value != "grad", way.origin, false, way.place};
  if (way.value == "hybrid")
    terms.shards_within_node = Given<bool>{true, way.origin, false, way.place};
}

template <class T>
void set_unused_aside(std::optional<Given<T>>& term, RecipeReading& reading) {
  if (!term) return;
  ++reading.ignored["of sharded parameters, which are off"][term->origin];
  --reading.taken;
  term.reset();
}

}  // namespace

void settle_sharding(RecipeReading& reading) {
  RecipeTerms& terms = reading.terms;
  settle_library(terms);
  settle_first_fsdp(terms);
  if (terms.sharding || holds(terms.use_torch_fsdp2) || holds(terms.use_megatron_fsdp)) return;
  set_unused_aside(terms.data_parallel_sharding_strategy, reading);
  set_unused_aside(terms.outer_dp_sharding_strategy, reading);
  set_unused_aside(terms.fsdp_grad_reduce_dtype, reading);
  set_unused_aside(terms.reshard_after_forward, reading);
}

void put_sharding(const RecipeTerms& terms, const JobRanks& job, std::int64_t ranks,
                  const PutKey& put) {
  const std::string section = "sharding.";
  refuse_outer_sharding(terms);
  const Given<std::int64_t> replicas = replicas_of(terms, job);
  check_degrees(terms, replicas.value, ranks);
  const auto found = sharding_of(terms);
  const bool partly = replicas.value > 1 && replicas.value < ranks;
  std::string strategy;
  if (found) {
    strategy = put(section + "strategy", [&]() -> Finding {
      const ShardingRow* row = sharding_row(found->value);
      const bool whole = row != nullptr && row->shards_optimizer && replicas.value > 1 && !partly;
      return whole ? Finding{"", "ddp", replicas.origin + ": each rank is a replica"} : *found;
    });
  }
  const ShardingRow* row = sharding_row(strategy);
  const bool shards =
      row == nullptr ? holds(terms.use_distributed_optimizer) : row->shards_optimizer;
  if (replicas.value > 1 && shards && (partly || !found)) {
    put(section + "data_parallel_replicate_degree", [&]() -> Finding {
      return {"", std::to_string(replicas.value), replicas.origin, replicas.assumed};
    });
  }
  if (row != nullptr && row->units && terms.reshard_after_forward)
    put(section + "reshard_after_forward", [&] { return of(*terms.reshard_after_forward); });
}

std::string_view megatron_fsdp_word(Sharding strategy) {
  const auto* const found =
      std::find_if(kMegatronStrategies.begin(), kMegatronStrategies.end(),
                   [&](const auto& row) { return row.second == name_of(strategy); });
  return found == kMegatronStrategies.end() ? "" : found->first;
}

const ShardingRow* sharding_row(std::string_view name) {
  const auto rows = sharding_rows();
  const auto found = std::find_if(
      rows.begin(), rows.end(), [&](const ShardingRow& row) { return name_of(row.kind) == name; });
  return found == rows.end() ? nullptr : &*found;
}

Finding bucket_of(const RecipeTerms& terms, const BucketFacts& facts) {
  const bool given = terms.bucket_size || (terms.bucket_cap_mb && !terms.bucket_cap_mb->assumed);
  if (facts.by_units && !given) return {"", "125", "not used: gradients are reduced unit by unit"};
  if (terms.bucket_cap_mb)
    return {"", fmt::format("{}", terms.bucket_cap_mb->value), terms.bucket_cap_mb->origin,
            terms.bucket_cap_mb->assumed};
  const std::int64_t bytes = facts.grad_reduce_dtype == "fp32" ? 4 : 2;
  const auto megabytes = [&](std::int64_t elements) {
    return fmt::format("{}", static_cast<double>(elements * bytes) / 1e6);
  };
  if (terms.bucket_size) {
    const std::int64_t elements = std::min<std::int64_t>(terms.bucket_size->value, 100000000000000);
    return {"", megabytes(elements),
            fmt::format("{}: {} elements of {} bytes", terms.bucket_size->origin, elements, bytes),
            terms.bucket_size->assumed};
  }
  if (!facts.overlaps)
    return {"", "1000000", "Megatron's default without overlap: all in one", true};
  return {"", megabytes(std::max<std::int64_t>(40000000, 1000000 * facts.ranks)),
          "Megatron's default: 40 million elements, or a million for each rank of DP x CP", true};
}

bool overlaps_by_itself(const ShardingRow& row) {
  return row.units.has_value() && row.kind != Sharding::megatron_fsdp;
}

}  // namespace simtrain

#include "sim/import/job/batch_size.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "sim/import/job/batch_rampup.h"
#include "sim/import/terms/term_findings.h"

namespace simtrain {
namespace {

constexpr double kMostSamples = 1e12;
constexpr std::string_view kGlobalBatch = "training.global_batch_size";

/// Samples, and what of the recipe they are made of.
struct Samples {
  double count = 0;
  std::string origin;
  SourcePlace place;
};

template <class T>
Samples times(const Given<T>& given, double factor, const std::string& of_what) {
  return {static_cast<double>(given.value) * factor,
          fmt::format("{} x {} {}", given.origin, factor, of_what), given.place};
}

void multiply(Samples& samples, const Given<std::int64_t>& steps) {
  samples.count *= static_cast<double>(steps.value);
  samples.origin += " x " + steps.origin;
}

/// Of a step over all replicas, where the recipe gives it by its parts.
std::optional<Samples> parts_of_step(const RecipeTerms& terms, const JobRanks& job) {
  const auto replicas = static_cast<double>(job.replicas);
  if (terms.local_batch_size) return times(*terms.local_batch_size, replicas, "replicas");
  const auto& steps = terms.gradient_accumulation_steps;
  if (terms.per_device_batch_size) {
    Samples all = times(*terms.per_device_batch_size, static_cast<double>(job.gpus), "GPUs");
    if (steps && steps->value > 1) multiply(all, *steps);
    return all;
  }
  if (!terms.micro_batch_size || !steps) return std::nullopt;
  Samples samples = times(*terms.micro_batch_size, replicas, "replicas");
  multiply(samples, *steps);
  return samples;
}

Finding whole(const Samples& samples, std::string_view key) {
  const bool is_whole = samples.count >= 1 && samples.count <= kMostSamples &&
                        samples.count == std::floor(samples.count);
  if (is_whole) return {"", fmt::format("{:.0f}", samples.count), samples.origin};
  throw InputError(samples.place, std::string(key),
                   fmt::format("is no whole number of samples: {} makes {:g}; --nodes N or "
                               "--set {}=N would do",
                               samples.origin, samples.count, key));
}

/// Composer makes a micro-batch no larger than what a replica has of a step.
Finding shrunk_micro_batch(const RecipeTerms& terms, const JobRanks& job) {
  const Given<std::int64_t>& micro = *terms.micro_batch_size;
  if (!terms.micro_batch_shrinks || !terms.global_batch_size) return of(micro);
  const std::int64_t samples = terms.global_batch_size->value;
  const std::int64_t own = samples / job.replicas;
  if (own < 1 || own >= micro.value || samples % job.replicas != 0) return of(micro);
  return {"", std::to_string(own),
          fmt::format("{}, which is more than the {} samples of a replica", micro.origin, own)};
}

Finding widened_batch(const RecipeTerms& terms, const JobRanks& job) {
  const Given<std::int64_t>& given = *terms.global_batch_size;
  const double samples = static_cast<double>(given.value) * static_cast<double>(job.widened);
  return {"", fmt::format("{:.0f}", std::min(samples, kMostSamples)),
          fmt::format("{} {} on {} times the GPUs: a replica has as many samples", given.origin,
                      given.value, job.widened),
          true, true};
}

/// A global batch of several local ones under pipeline stages: torchtitan accumulates gradients
/// over as many runs of its schedule, each with a bubble of its own.
std::optional<Finding> batch_of_one_pipeline(const RecipeTerms& terms, const JobRanks& job) {
  const auto& stages = terms.pipeline_model_parallel_size;
  if (!terms.local_batch_size || !stages || stages->value < 2) return std::nullopt;
  const Given<std::int64_t>& given = *terms.global_batch_size;
  const double runs =
      static_cast<double>(given.value) /
      (static_cast<double>(terms.local_batch_size->value) * static_cast<double>(job.replicas));
  if (!(runs > 1)) return std::nullopt;
  return Finding{"", std::to_string(given.value),
                 fmt::format("{}, in one run of the pipeline schedule; the framework runs it {:g} "
                             "times, each with a bubble of its own",
                             given.origin, runs),
                 true, true};
}

/// What is taken where a recipe gives no batch.
Finding fewest_samples(const RecipeTerms& terms, const JobRanks& job, std::int64_t micro_batch) {
  const auto degree = [](const WholeTerm& term) {
    return term ? std::clamp<std::int64_t>(term->value, 1, 100'000) : 1;
  };
  const std::int64_t stages = degree(terms.virtual_pipeline_model_parallel_size) > 1
                                  ? degree(terms.pipeline_model_parallel_size)
                                  : 1;
  const std::string_view why = stages == 1 ? "the default of Megatron and DeepSpeed"
                                           : "one for each stage, which interleaving needs";
  return {"", std::to_string(job.replicas * micro_batch * stages),
          fmt::format("not given, {} on each of {} replicas, {}; --set {}=N sets another",
                      stages == 1 ? "one micro-batch" : fmt::format("{} micro-batches", stages),
                      job.replicas, why, kGlobalBatch),
          true, true};
}

}  // namespace

Finding global_batch_of(const RecipeTerms& terms, const JobRanks& job, std::int64_t micro_batch) {
  if (terms.global_batch_size && terms.rampup_batch_size) return ramped_batch(terms);
  if (terms.global_batch_size && job.widened > 1) return widened_batch(terms, job);
  if (terms.global_batch_size)
    return batch_of_one_pipeline(terms, job).value_or(of(*terms.global_batch_size));
  if (const auto samples = parts_of_step(terms, job)) return whole(*samples, kGlobalBatch);
  return fewest_samples(terms, job, micro_batch);
}

Finding micro_batch_of(const RecipeTerms& terms, const JobRanks& job, const SourcePlace& recipe) {
  constexpr std::string_view kKey = "training.micro_batch_size";
  if (terms.micro_batch_size) return shrunk_micro_batch(terms, job);
  std::optional<Samples> samples = parts_of_step(terms, job);
  if (terms.local_batch_size) {
    samples = times(*terms.local_batch_size, 1, "");
    samples->origin = terms.local_batch_size->origin;
  }
  const auto& steps = terms.gradient_accumulation_steps;
  if (terms.global_batch_size && steps)
    samples = Samples{static_cast<double>(terms.global_batch_size->value * job.widened),
                      terms.global_batch_size->origin, terms.global_batch_size->place};
  if (!samples)
    throw InputError(
        recipe, std::string(kKey),
        fmt::format("the recipe does not give it; --set {}=N sets it, --defaults takes 1", kKey));
  if (!terms.local_batch_size) {
    samples->count /= static_cast<double>(job.replicas);
    samples->origin += fmt::format(", over {} replicas", job.replicas);
  }
  if (steps && steps->value > 1) {
    samples->count /= static_cast<double>(steps->value);
    samples->origin += fmt::format(" and {} {}", steps->value, steps->origin);
  }
  return whole(*samples, kKey);
}

}  // namespace simtrain

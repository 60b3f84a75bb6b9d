#include "sim/import/job/usual_terms.h"

#include "sim/import/terms/term_findings.h"
#include "sim/workload/model/usual_sequence.h"

namespace simtrain {

void settle_usual_terms(RecipeTerms& terms) {
  const std::string usual = "--defaults: what is usual";
  default_to(terms.seq_length, kUsualSequence, usual);
  const bool batched = terms.local_batch_size || terms.per_device_batch_size ||
                       (terms.global_batch_size && terms.gradient_accumulation_steps);
  if (!batched) default_to(terms.micro_batch_size, 1, usual);
  const bool precise = terms.precision || terms.bf16 || terms.fp16 || terms.fp8 || terms.fp4;
  if (!precise) default_to(terms.bf16, true, usual);
  const WholeTerm& tp = terms.tensor_model_parallel_size;
  if (terms.num_moe_experts && tp && tp->value > 1)
    default_to(terms.sequence_parallel, true, "--defaults: what experts beside TP need");
  if (holds(terms.moe_shared_expert_overlap))
    default_to(terms.moe_token_dispatcher_type, "alltoall",
               "--defaults: what the overlap of shared experts needs");
}

}  // namespace simtrain

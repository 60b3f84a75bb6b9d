#include "sim/import/recipe_format.h"

namespace simtrain {

const std::vector<RecipeFormat>& recipe_formats() {
  static const std::vector<RecipeFormat> rows{
      kTorchtitan, kDlloggerHeader, kHuggingFaceConfig, kMegatronModelConfig, kMegatronBridge,
      kNemo2,      kNemo1,          kNemo1Hparams,      kMegatronArguments};
  return rows;
}

}  // namespace simtrain

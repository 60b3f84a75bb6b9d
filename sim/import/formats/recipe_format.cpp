#include "sim/import/formats/recipe_format.h"

namespace simtrain {

const std::vector<RecipeFormat>& recipe_formats() {
  static const std::vector<RecipeFormat> rows{kPrimus,
                                              kTorchtitan,
                                              kMaxText,
                                              kLlmFoundry,
                                              kGptNeox,
                                              kNanotron,
                                              kDeepSpeed,
                                              kDlloggerHeader,
                                              kHuggingFaceConfig,
                                              kMegatronModelConfig,
                                              kMegatronYamlConfig,
                                              kMegatronBridge,
                                              kNemo2,
                                              kNemo1,
                                              kNemo1Hparams,
                                              kTorchtitanLaunch,
                                              kConfigurationLaunch,
                                              kPerformanceLaunch,
                                              kNemo2Launch,
                                              kBridgeLaunch,
                                              kMegatronLaunch,
                                              kMegatronArguments};
  return rows;
}

}  // namespace simtrain

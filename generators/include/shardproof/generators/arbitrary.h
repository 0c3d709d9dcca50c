#pragma once

#include <rapidcheck/Gen.h>

#include <vector>

#include "shardproof/generators/batches.h"
#include "shardproof/generators/cases.h"
#include "shardproof/generators/models.h"
#include "shardproof/generators/splits.h"
#include "shardproof/generators/strategies.h"
#include "shardproof/generators/values.h"

namespace shardproof {

// Generators for properties that users state with RapidCheck themselves. Their simpler values are
// those of the matching `for_each_simpler`, without the ones that the arguments exclude; each is
// made only when RapidCheck asks for it. RapidCheck is not thread-safe: draw on one thread.

/// Finite values of `dtype`, as the family draws inputs.
rc::Gen<double> arbitrary_value(ValueFamily family, Dtype dtype);

/// Garbage for padded rows.
rc::Gen<double> arbitrary_padding(PaddingContent content, Dtype dtype);

/// Positive values of `dtype`.
rc::Gen<double> arbitrary_learning_rate(Dtype dtype);

rc::Gen<Model> arbitrary_model(const ModelLimits& limits, const Palette& palette);

/// Splits with exactly these conditions; simpler ones may have fewer shards, and of the conditions
/// at least one and no other.
rc::Gen<Split> arbitrary_split(const SplitRequest& request);

/// Steps of a model and split; simpler ones keep the split.
rc::Gen<Step> arbitrary_step(const Model& model, const Split& split, const Filling& filling);

/// Permutations of the ranks, or nothing: any order.
rc::Gen<std::vector<int>> arbitrary_arrival(int world);

/// Right strategies that have a name.
rc::Gen<Strategy> arbitrary_strategy();

/// Whole cases: valid and inside claim and options, as the random ones of `draw_case`.
/// \throws InputError  when claim and options leave nothing to draw, naming what excludes it
rc::Gen<Case> arbitrary_case(const Claim& claim, SubjectKind kind, const DrawOptions& options);

}  // namespace shardproof

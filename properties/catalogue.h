#pragma once

#include "shardproof/judge/property.h"

namespace shardproof {

// One function a property, each defined in the file of its name.

// Laws.
Property matches_reference();
Property ranks_agree();
Property repeatable();
Property inputs_untouched();
Property padding_is_invisible();
Property all_empty_gives_no_number();
Property loss_is_pre_update();
Property count_and_norm_are_true();
Property one_update_per_leaf();

// Views.
Property equal_shards();
Property unequal_counts();
Property masked_count();
Property empty_rank();
Property single_rank();
Property micro_batches();
Property second_step();
Property many_leaves();
Property learning_rate_moves_only_parameters();

}  // namespace shardproof

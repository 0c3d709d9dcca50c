#include "mean.h"

#include <shardproof/properties/gtest.h>

SHARDPROOF_CHECK(Mean, mean_subject(), .run = {.cases = 100});

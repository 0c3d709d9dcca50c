#include "shardproof/generators/arbitrary.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "shardproof/generators/shrinking.h"

namespace shardproof {
namespace {

/// The values simpler than one of `dtype` that `keep` admits.
template <class Keep>
EachSimpler<double> simpler_values(Dtype dtype, Keep keep) {
  return [dtype, keep](double value, const std::function<bool(double)>& visit) {
    for_each_simpler(value, [&](double simpler) {
      return !representable(dtype, simpler) || !keep(simpler) || visit(simpler);
    });
  };
}

bool keeps_conditions(const Split& split, ConditionSet wanted) {
  return wanted.contains_all(conditions(split));
}

bool all_representable(Dtype dtype, const Step& step) {
  const auto are = [dtype](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(),
                       [dtype](double value) { return representable(dtype, value); });
  };
  for (const Shard& shard : step.shards) {
    for (const MicroBatch& rows : shard.micro_batches) {
      if (!are(rows.x) || !are(rows.y)) return false;
    }
  }
  return true;
}

}  // namespace

rc::Gen<double> arbitrary_value(ValueFamily family, Dtype dtype) {
  return generator<double>(
      [palette = Palette{.family = family, .dtype = dtype}](Source& source, int) {
        const int role = source.below(3);
        return role == 0 ? palette.input(source)
                         : (role == 1 ? palette.parameter(source) : palette.target(source));
      },
      simpler_values(dtype, [](double) { return true; }));
}

rc::Gen<double> arbitrary_padding(PaddingContent content, Dtype dtype) {
  const double largest =
      content == PaddingContent::finite ? kLargestPadding : std::numeric_limits<double>::infinity();
  return generator<double>(
      [=](Source& source, int) { return draw_padding(source, content, dtype); },
      simpler_values(dtype, [=](double value) { return std::fabs(value) <= largest; }));
}

rc::Gen<double> arbitrary_learning_rate(Dtype dtype) {
  return generator<double>([=](Source& source, int) { return draw_learning_rate(source, dtype); },
                           simpler_values(dtype, [](double value) { return value > 0; }));
}

rc::Gen<Model> arbitrary_model(const ModelLimits& limits, const Palette& palette) {
  return generator<Model>(
      [=](Source& source, int) {
        Model model = draw_model_shape(source, limits);
        fill_parameters(source, palette, model);
        return model;
      },
      [dtype = palette.dtype](const Model& model, const std::function<bool(Model)>& visit) {
        for_each_simpler(model, [&](Model simpler) {
          for (const double parameter : simpler.parameters) {
            if (!representable(dtype, parameter)) return true;
          }
          return visit(std::move(simpler));
        });
      });
}

rc::Gen<Split> arbitrary_split(const SplitRequest& request) {
  return generator<Split>(
      [=](Source& source, int) { return draw_split(source, request); },
      [wanted = request.conditions](const Split& split, const std::function<bool(Split)>& visit) {
        for_each_simpler(split, [&](Split simpler) {
          return !keeps_conditions(simpler, wanted) || visit(std::move(simpler));
        });
      });
}

rc::Gen<Step> arbitrary_step(const Model& model, const Split& split, const Filling& filling) {
  return generator<Step>(
      [=](Source& source, int) { return draw_step(source, split, model, filling); },
      [dtype = filling.palette.dtype](const Step& step, const std::function<bool(Step)>& visit) {
        for_each_simpler(step, [&](Step simpler) {
          return !all_representable(dtype, simpler) || visit(std::move(simpler));
        });
      });
}

rc::Gen<std::vector<int>> arbitrary_arrival(int world) {
  return generator<std::vector<int>>(
      [=](Source& source, int) {
        return source.chance(1, 4) ? std::vector<int>{} : draw_arrival(source, world);
      },
      for_each_simpler_arrival);
}

rc::Gen<Strategy> arbitrary_strategy() {
  return generator<Strategy>(
      [](Source& source, int) { return draw_strategy(source); },
      [](const Strategy& strategy, const std::function<bool(Strategy)>& visit) {
        for_each_simpler(strategy, visit);
      });
}

}  // namespace shardproof

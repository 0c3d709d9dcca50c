#include "shardproof/case/small_cases.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "case/case_values.h"
#include "case/simplicity.h"

namespace shardproof {
namespace {

/// Where a row stands: counted over all micro-batches of all ranks and steps, and kept or padding.
struct PlacedRow {
  int micro_batch = 0;
  bool valid = true;
};

std::vector<Model> models(int leaves) {
  std::vector<Model> all{{.features = 1, .layers = {{1, false}}, .parameters = {0}},
                         {.features = 1, .layers = {{2, false}}, .parameters = {0, 0}},
                         {.features = 2, .layers = {{1, false}}, .parameters = {0, 0}}};
  if (leaves < 2) return all;
  all.push_back({.features = 1, .layers = {{1, true}}, .parameters = {0, 0}});
  all.push_back({.features = 1, .layers = {{1, false}, {1, false}}, .parameters = {0, 0}});
  return all;
}

int places_of(const Case& problem) {
  int count = 0;
  for (const Step& step : problem.steps) {
    count += step.micro_batches() * static_cast<int>(step.shards.size());
  }
  return count;
}

/// The case of one structure with all values 0.
class Blank {
 public:
  Blank(const Model& model, Dtype dtype, int ranks, const std::vector<int>& micro_batches) {
    case_.model = model;
    case_.dtype = dtype;
    case_.learning_rate = kSimplestLearningRate;
    case_.mesh.axes.front().size = ranks;
    for (int count : micro_batches) {
      Shard shard;
      shard.micro_batches.resize(static_cast<std::size_t>(count));
      case_.steps.push_back({std::vector<Shard>(static_cast<std::size_t>(ranks), shard)});
    }
  }

  [[nodiscard]] int places() const { return places_of(case_); }

  [[nodiscard]] Case with(const std::vector<PlacedRow>& rows) const {
    Case filled = case_;
    for (const PlacedRow& row : rows) {
      MicroBatch& batch = micro_batch(filled, row.micro_batch);
      batch.x.insert(batch.x.end(), static_cast<std::size_t>(case_.model.features), 0.0);
      batch.y.insert(batch.y.end(), static_cast<std::size_t>(case_.model.outputs()), 0.0);
      batch.mask.push_back(row.valid ? 1 : 0);
    }
    return filled;
  }

  static MicroBatch& micro_batch(Case& problem, int place) {
    for (Step& step : problem.steps) {
      for (Shard& shard : step.shards) {
        const auto count = static_cast<int>(shard.micro_batches.size());
        if (place < count) return shard.micro_batches[static_cast<std::size_t>(place)];
        place -= count;
      }
    }
    return problem.steps.back().shards.back().micro_batches.back();
  }

 private:
  Case case_;
};

/// Calls `visit` with every way to place up to `most` rows: places in ascending order.
void for_each_placement(int places, int most, std::vector<PlacedRow>& rows,
                        const std::function<void()>& visit) {
  if (!rows.empty()) visit();
  if (static_cast<int>(rows.size()) == most) return;
  for (int place = rows.empty() ? 0 : rows.back().micro_batch; place < places; ++place) {
    for (bool valid : {true, false}) {
      rows.push_back({place, valid});
      for_each_placement(places, most, rows, visit);
      rows.pop_back();
    }
  }
}

bool every_step_has_a_valid_row(const Case& problem) {
  return std::ranges::all_of(problem.steps,
                             [](const Step& step) { return step.valid().value > 0; });
}

/// All structures of the domain, sorted: values, arrival and absences are still plain.
std::vector<Case> structures(const SmallDomain& domain, Dtype dtype) {
  std::vector<Case> found;
  const auto add = [&](int ranks, const std::vector<int>& micro_batches) {
    for (const Model& model : models(domain.leaves)) {
      const Blank blank(model, dtype, ranks, micro_batches);
      std::vector<PlacedRow> rows;
      for_each_placement(blank.places(), domain.rows, rows, [&] {
        Case problem = blank.with(rows);
        if (every_step_has_a_valid_row(problem)) found.push_back(std::move(problem));
      });
    }
  };
  for (int ranks = 1; ranks <= domain.ranks; ++ranks) {
    for (int m = 1; m <= domain.micro_batches; ++m) {
      add(ranks, {m});
      for (int n = 1; domain.steps > 1 && n <= domain.micro_batches; ++n) add(ranks, {m, n});
    }
  }
  std::ranges::stable_sort(found, is_simpler);
  return found;
}

/// `problem` with every choice of unused layers, one micro-batch with rows after another.
std::vector<Case> with_absences(Case problem) {
  std::vector<Case> all{std::move(problem)};
  if (all.front().model.layers.size() < 2) return all;
  const int places = places_of(all.front());
  for (int place = 0; place < places; ++place) {
    const std::size_t before = all.size();
    for (std::size_t i = 0; i < before; ++i) {
      if (Blank::micro_batch(all[i], place).rows() == 0) continue;
      for (std::size_t unused : {0U, 1U}) {
        Case changed = all[i];
        Blank::micro_batch(changed, place).absent = {0, 0};
        Blank::micro_batch(changed, place).absent[unused] = 1;
        all.push_back(std::move(changed));
      }
    }
  }
  return all;
}

/// None, and where asked for every permutation.
std::vector<std::vector<int>> arrivals(int ranks, bool permutations) {
  std::vector<std::vector<int>> all{{}};
  if (!permutations) return all;
  std::vector<int> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  do {
    all.push_back(order);
  } while (std::next_permutation(order.begin(), order.end()));
  return all;
}

/// The filling that is the least simple one.
Case last_filling(Case problem) {
  for (double* value : values_of(problem)) *value = -1;
  return problem;
}

/// Gives the values of a structure every combination of 0, 1, -1.
/// \return whether to go on
bool for_each_filling(Case problem, const std::function<bool(const Case&)>& visit) {
  constexpr std::array kValues{0.0, 1.0, -1.0};
  const std::vector<double*> values = values_of(problem);
  std::vector<std::size_t> digits(values.size(), 0);
  while (true) {
    if (!visit(problem)) return false;
    std::size_t at = 0;
    while (at < digits.size() && ++digits[at] == kValues.size()) {
      digits[at] = 0;
      *values[at++] = kValues[0];
    }
    if (at == digits.size()) return true;
    *values[at] = kValues[digits[at]];
  }
}

}  // namespace

void for_each_small_case(const SmallDomain& domain, const Case& bound,
                         const std::function<bool(const Case&)>& visit) {
  const auto visit_simpler = [&](const Case& problem) {
    return !is_simpler(problem, bound) || visit(problem);
  };
  const auto visit_fillings = [&](const Case& problem) {
    if (is_simpler(last_filling(problem), bound)) return for_each_filling(problem, visit);
    return for_each_filling(problem, visit_simpler);
  };
  for (const Case& structure : structures(domain, bound.dtype)) {
    if (!is_simpler(structure, bound)) continue;  // nor is what is filled in
    for (Case& used : with_absences(structure)) {
      if (!is_simpler(used, bound)) continue;
      for (std::vector<int>& order : arrivals(used.world_size().value, domain.arrivals)) {
        Case arriving = used;
        arriving.arrival = std::move(order);
        if (!visit_fillings(arriving)) return;
      }
    }
  }
}

}  // namespace shardproof

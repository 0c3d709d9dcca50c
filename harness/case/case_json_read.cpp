#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "case/case_json.h"

namespace shardproof {
namespace {

constexpr auto kMostElements = static_cast<std::size_t>(kMaxElements);
constexpr std::int64_t kIntMax = std::numeric_limits<int>::max();

int read_int(JsonReader& reader, std::int64_t least) {
  return static_cast<int>(reader.integer(least, kIntMax));
}

std::vector<std::uint8_t> read_flags(JsonReader& reader, std::size_t most) {
  std::vector<std::uint8_t> flags;
  reader.array(most, [&] { flags.push_back(static_cast<std::uint8_t>(reader.integer(0, 1))); });
  return flags;
}

// Rows of equally many numbers, one behind the other; their number goes into `count`.
std::vector<double> read_rows(JsonReader& reader, std::size_t& count) {
  std::vector<double> out;
  std::size_t width = 0;
  count = 0;
  reader.array(kMaxRows, [&] {
    const std::size_t before = out.size();
    reader.array(kMostElements - before, [&] { out.push_back(reader.number()); });
    const std::size_t here = out.size() - before;
    if (here == 0) reader.refuse("a row has no numbers");
    if (count != 0 && here != width) {
      reader.refuse("has " + std::to_string(here) + " numbers, the row before has " +
                    std::to_string(width));
    }
    width = here;
    ++count;
  });
  return out;
}

MicroBatch read_micro_batch(JsonReader& reader) {
  MicroBatch batch;
  std::size_t rows_of_x = 0;
  std::size_t rows_of_y = 0;
  reader.object({
      {"x", [&] { batch.x = read_rows(reader, rows_of_x); }},
      {"y", [&] { batch.y = read_rows(reader, rows_of_y); }},
      {"mask", [&] { batch.mask = read_flags(reader, kMaxRows); }},
      {"absent", [&] { batch.absent = read_flags(reader, kMaxLayers); }, false},
  });
  // Here and not left to `validate`, which sees numbers and not rows any more.
  const auto same_as_mask = [&](std::string_view what, std::size_t rows) {
    if (rows == batch.mask.size()) return;
    reader.refuse("mask has " + std::to_string(batch.mask.size()) + " entries, " +
                  std::string(what) + " has " + std::to_string(rows) + " rows");
  };
  same_as_mask("x", rows_of_x);
  same_as_mask("y", rows_of_y);
  return batch;
}

Shard read_shard(JsonReader& reader) {
  Shard shard;
  reader.object({{"micro_batches", [&] {
                    reader.array(kMaxMicroBatches,
                                 [&] { shard.micro_batches.push_back(read_micro_batch(reader)); });
                  }}});
  return shard;
}

Step read_step(JsonReader& reader) {
  Step step;
  reader.object({{"shards", [&] {
                    reader.array(kMaxWorldSize, [&] { step.shards.push_back(read_shard(reader)); });
                  }}});
  return step;
}

Layer read_layer(JsonReader& reader) {
  Layer layer;
  reader.object({{"outputs", [&] { layer.outputs = read_int(reader, 1); }},
                 {"bias", [&] { layer.bias = reader.boolean(); }}});
  return layer;
}

Model read_model(JsonReader& reader) {
  Model model;
  reader.object({
      {"features", [&] { model.features = read_int(reader, 1); }},
      {"layers",
       [&] { reader.array(kMaxLayers, [&] { model.layers.push_back(read_layer(reader)); }); }},
      {"parameters", [&] { model.parameters = reader.numbers(kMostElements); }},
  });
  return model;
}

Mesh read_mesh(JsonReader& reader) {
  constexpr std::size_t kMostAxes = 8;
  Mesh mesh{.axes = {}};
  reader.array(kMostAxes, [&] {
    Axis axis;
    reader.object({{"name", [&] { axis.name = reader.string(); }},
                   {"size", [&] { axis.size = read_int(reader, 1); }}});
    mesh.axes.push_back(std::move(axis));
  });
  return mesh;
}

GivenContributions::Item read_item(JsonReader& reader) {
  GivenContributions::Item item;
  reader.object({{"gradient", [&] { item.gradient = reader.numbers(kMostElements); }},
                 {"loss", [&] { item.loss = reader.number(); }}});
  return item;
}

GivenContributions read_given(JsonReader& reader) {
  GivenContributions given;
  reader.array(kMaxSteps, [&] {
    auto& step = given.items.emplace_back();
    reader.array(kMaxWorldSize, [&] {
      auto& shard = step.emplace_back();
      reader.array(kMaxMicroBatches, [&] { shard.push_back(read_item(reader)); });
    });
  });
  return given;
}

Dtype read_dtype(JsonReader& reader) {
  const std::string text = reader.string();
  if (const auto dtype = parse_dtype(text)) return *dtype;
  std::string known;
  for (const Dtype each : all_dtypes()) {
    known += (known.empty() ? "" : ", ") + std::string(name(each));
  }
  reader.refuse("no such dtype; known: " + known);
}

// `validate` sees numbers and no rows, so it could only guess at a width that does not fit.
void check_widths(const JsonReader& reader, const Case& problem) {
  const auto check = [&](const char* array, std::size_t numbers, int rows, int wanted,
                         const std::string& place) {
    const std::size_t width = rows == 0 ? 0 : numbers / static_cast<std::size_t>(rows);
    if (rows == 0 || width == static_cast<std::size_t>(wanted)) return;
    reader.refuse(place + ": rows of " + array + " have " + std::to_string(width) +
                  " numbers, the model has " + std::to_string(wanted) +
                  (*array == 'x' ? " features" : " outputs"));
  };
  std::int64_t outputs = 0;
  for (const Layer& layer : problem.model.layers) outputs += layer.outputs;
  if (outputs > kIntMax) reader.refuse("model: too many outputs");
  for (std::size_t s = 0; s < problem.steps.size(); ++s) {
    const std::vector<Shard>& shards = problem.steps[s].shards;
    for (std::size_t r = 0; r < shards.size(); ++r) {
      const std::vector<MicroBatch>& batches = shards[r].micro_batches;
      for (std::size_t m = 0; m < batches.size(); ++m) {
        const std::string place = "steps[" + std::to_string(s) + "].shards[" + std::to_string(r) +
                                  "].micro_batches[" + std::to_string(m) + "]";
        const MicroBatch& batch = batches[m];
        check("x", batch.x.size(), batch.rows(), problem.model.features, place);
        check("y", batch.y.size(), batch.rows(), static_cast<int>(outputs), place);
      }
    }
  }
}

}  // namespace

Case read_case(JsonReader& reader) {
  Case problem;
  reader.object({
      {"dtype", [&] { problem.dtype = read_dtype(reader); }},
      {"learning_rate", [&] { problem.learning_rate = reader.number(); }},
      {"arrival",
       [&] {
         reader.array(kMaxWorldSize, [&] {
           problem.arrival.push_back(static_cast<int>(reader.integer(0, kMaxWorldSize - 1)));
         });
       },
       false},
      {"mesh", [&] { problem.mesh = read_mesh(reader); }},
      {"model", [&] { problem.model = read_model(reader); }},
      {"steps",
       [&] { reader.array(kMaxSteps, [&] { problem.steps.push_back(read_step(reader)); }); }},
      {"given",
       [&] { problem.given = std::make_shared<const GivenContributions>(read_given(reader)); },
       false},
  });
  check_widths(reader, problem);
  return problem;
}

}  // namespace shardproof

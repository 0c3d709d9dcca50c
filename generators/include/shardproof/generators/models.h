#pragma once

#include <functional>

#include "shardproof/case/case.h"
#include "shardproof/case/shapes.h"
#include "shardproof/generators/values.h"

namespace shardproof {

/// The sizes of a drawn model.
struct ModelLimits {
  int features = 4;
  int layers = 3;
  int outputs = 3;  ///< of one layer
  int least_features = 1;
  int least_layers = 1;
  int least_outputs = 1;
  Biases biases = Biases::any;
};

/// Features and layers with and without bias; parameters are still to be filled in.
Model draw_model_shape(Source& source, const ModelLimits& limits);

/// Gives every parameter of the model a value from the palette.
void fill_parameters(Source& source, const Palette& palette, Model& model);

/// Which layers a micro-batch leaves unused: nothing where all are used, which most do; never all
/// of them.
std::vector<std::uint8_t> draw_absent(Source& source, const Model& model);

/// x W + b of one row in column `output` of y, in double; every layer taken as used.
double prediction(const Model& model, const double* x, int output);

/// Whether `a` is strictly simpler than `b`: fewer layers, then outputs, biases, features, then
/// simpler parameters.
bool is_simpler(const Model& a, const Model& b);

/// Hands strictly simpler models to `visit`, boldest first, until it returns false.
void for_each_simpler(const Model& model, const std::function<bool(Model)>& visit);

}  // namespace shardproof

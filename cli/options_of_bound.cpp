#include "values.h"
#include "verb_options.h"

namespace shardproof::cli {
namespace {

void add_bound_roles(VerbOptions& bound, BoundRequest& to) {
  const auto on_dtype = [&bound](const char* option, const char* what, auto& field) {
    bound.text(option, what, "DTYPE",
               [option, &field](const auto& text) { field = dtype(option, text); });
  };
  on_dtype("--dtype", "Of what is handed in (f32)", to.dtype);
  on_dtype("--accumulate", "Of every intermediate result (that of --dtype)", to.accumulate);
  on_dtype("--output", "Of the result (that of --dtype)", to.output);
  on_dtype("--wire", "To which terms are converted to be sent (none)", to.wire);
}

void add_bound_sum(VerbOptions& bound, BoundRequest& to) {
  bound.text("--placement", "Of the division: any, or the roundings of a term (any)", "any|M",
             [&to](const auto& text) {
               to.roundings.reset();
               if (text != "any") to.roundings = whole_number("--placement", text, 0);
             });
  bound.text("--summation", "any order, or a tree of rounded additions (any)", "any|tree",
             [&to](const auto& text) { to.tree = second_of("--summation", text, "any", "tree"); });
  bound.text("--levels", "Levels of averaging over ranks (1)", "L",
             [&to](const auto& text) { to.levels = whole_number("--levels", text, 1); });
  bound.text("--rounding", "nearest, or faithful (nearest)", "nearest|faithful",
             [&to](const auto& text) {
               to.faithful = second_of("--rounding", text, "nearest", "faithful");
             });
  bound.text("--flush", "Whether subnormals may become zero (no)", "no|either",
             [&to](const auto& text) { to.flush = second_of("--flush", text, "no", "either"); });
}

}  // namespace

void add_bound(Verbs& verbs, BoundRequest& to) {
  VerbOptions& bound = verbs.add("bound", "Print the proved error bound of a reduction");
  add_bound_roles(bound, to);
  bound.text("--ranks", "Ranks that reduce together (2)", "P", [&to](const auto& text) {
    to.ranks = whole_number("--ranks", text, 1, kMaxWorldSize);
  });
  bound.text("--micro-batches", "Of each rank (1)", "K", [&to](const auto& text) {
    to.micro_batches = whole_number("--micro-batches", text, 1, kMaxMicroBatches);
  });
  bound.text("--terms", "Local means, rank by rank (any)", "V,V,...",
             [&to](const auto& text) { to.terms = numbers("--terms", text); });
  bound.text("--counts", "Valid rows of each term (1 each)", "N,N,...",
             [&to](const auto& text) { to.counts = counts("--counts", text); });
  add_bound_sum(bound, to);
}

}  // namespace shardproof::cli

#include <utility>

#include "judge/hypotheses.h"
#include "shardproof/subject/fault.h"

namespace shardproof {
namespace {

/// Where a rank's piece begins when the tree is cut evenly.
std::size_t even_offset(const ResultSite& site, std::size_t rank) {
  return rank * even_piece_length(site.shape.size, site.problem.world_size());
}

/// The right result of another element; 0 in the padding behind the tree.
std::optional<Prediction> right_at(const ResultSite& site, std::size_t element) {
  if (element >= site.shape.size) return Prediction{};
  ResultSite other = site;
  other.element = element;
  return predict(Fault{.what = Weigh{}}, other);
}

bool is_in_a_piece(const ResultSite& site) {
  return site.claim.result == Result::pieces && site.element < site.shape.size &&
         site.problem.world_size().value > 1;
}

/// The piece of the rank that is so many further, in the place of the own one.
Hypothesis piece_of_rank(std::string name, std::string formula, std::string meaning,
                         std::size_t (*other)(std::size_t rank, std::size_t ranks)) {
  return {.name = std::move(name),
          .formula = std::move(formula),
          .meaning = std::move(meaning),
          .fix = "let rank r return the elements from r ceil(n/P) on",
          .predict = [other](const ResultSite& site) -> std::optional<Prediction> {
            if (!is_in_a_piece(site)) return std::nullopt;
            const auto ranks = static_cast<std::size_t>(site.problem.world_size().value);
            const std::size_t own = even_offset(site, site.rank);
            if (site.element < own) return std::nullopt;
            const std::size_t from = even_offset(site, other(site.rank, ranks));
            return right_at(site, from + (site.element - own));
          },
          .of_leaves = true};
}

/// Pieces of floor(n/P) where ceil(n/P) is the length.
Hypothesis floored_cut() {
  return {.name = "floored-cut",
          .formula = "G from r floor(n/P) on",
          .meaning = "each rank returned the piece of a cut by floor(n/P)",
          .fix = "cut by ceil(n/P), and pad the tree to P ceil(n/P)",
          .predict = [](const ResultSite& site) -> std::optional<Prediction> {
            if (!is_in_a_piece(site)) return std::nullopt;
            const auto ranks = static_cast<std::size_t>(site.problem.world_size().value);
            const std::size_t own = even_offset(site, site.rank);
            if (site.element < own) return std::nullopt;
            return right_at(site, site.rank * (site.shape.size / ranks) + (site.element - own));
          },
          .of_leaves = true};
}

}  // namespace

std::vector<Hypothesis> piece_hypotheses() {
  std::vector<Hypothesis> made;
  made.push_back(
      piece_of_rank("piece-of-next-rank", "piece r + 1 of G on rank r",
                    "each rank returned the piece of the next rank as its own",
                    [](std::size_t rank, std::size_t ranks) { return (rank + 1) % ranks; }));
  made.push_back(piece_of_rank(
      "piece-of-previous-rank", "piece r - 1 of G on rank r",
      "each rank returned the piece of the rank before it as its own",
      [](std::size_t rank, std::size_t ranks) { return (rank + ranks - 1) % ranks; }));
  made.push_back(floored_cut());
  return made;
}

}  // namespace shardproof

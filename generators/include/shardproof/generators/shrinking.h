#pragma once

#include <rapidcheck/Gen.h>
#include <rapidcheck/Seq.h>
#include <rapidcheck/Shrinkable.h>
#include <rapidcheck/shrinkable/Create.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "shardproof/generators/source.h"

namespace shardproof {

/// Hands values that are strictly simpler than its first argument to the visitor, boldest first,
/// until that returns false.
template <class T>
using EachSimpler = std::function<void(const T&, const std::function<bool(T)>&)>;

/// A sequence of the simpler values, made a few at a time: a visitor cannot be paused, so that each
/// further portion walks again and skips what was taken before; portions double in size.
template <class T>
class SimplerValues {
 public:
  SimplerValues(T value, std::shared_ptr<const EachSimpler<T>> each_simpler)
      : value_(std::move(value)), each_simpler_(std::move(each_simpler)) {}

  rc::Maybe<rc::Shrinkable<T>> operator()();

 private:
  void fetch();

  T value_;
  std::shared_ptr<const EachSimpler<T>> each_simpler_;
  std::vector<T> portion_;
  std::size_t next_ = 0;   ///< in the portion
  std::size_t taken_ = 0;  ///< before the portion
  bool ended_ = false;
};

/// `value` with its simpler values, theirs and so on, each made only when it is asked for.
template <class T>
rc::Shrinkable<T> with_simpler(T value, std::shared_ptr<const EachSimpler<T>> each_simpler) {
  auto shared = std::make_shared<const T>(std::move(value));
  return rc::shrinkable::lambda(
      [shared] { return *shared; },
      [shared, each_simpler] {
        return rc::Seq<rc::Shrinkable<T>>(SimplerValues<T>(*shared, each_simpler));
      });
}

template <class T>
void SimplerValues<T>::fetch() {
  constexpr std::size_t kFirstPortion = 8;
  taken_ += portion_.size();
  portion_.clear();
  next_ = 0;
  const std::size_t wanted = taken_ == 0 ? kFirstPortion : taken_;
  std::size_t seen = 0;
  (*each_simpler_)(value_, [&](T simpler) {
    if (seen++ >= taken_) portion_.push_back(std::move(simpler));
    return portion_.size() < wanted;
  });
  ended_ = portion_.size() < wanted;
}

template <class T>
rc::Maybe<rc::Shrinkable<T>> SimplerValues<T>::operator()() {
  if (next_ == portion_.size() && !ended_) fetch();
  if (next_ == portion_.size()) return rc::Nothing;
  return with_simpler(std::move(portion_[next_++]), each_simpler_);
}

/// A generator of what `draw(Source&, size)` returns, that shrinks through `each_simpler`.
template <class T, class Draw>
rc::Gen<T> generator(Draw draw, EachSimpler<T> each_simpler) {
  auto shared = std::make_shared<const EachSimpler<T>>(std::move(each_simpler));
  return rc::Gen<T>([draw = std::move(draw), shared](const rc::Random& random, int size) {
    Source source(random);
    return with_simpler<T>(draw(source, size), shared);
  });
}

}  // namespace shardproof

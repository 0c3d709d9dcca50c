#include "shardproof/case/error.h"

#include "case/one_line.h"

namespace shardproof {
namespace {

std::string joined(std::string_view place, std::string_view what) {
  std::string text(place);
  if (!text.empty()) text += ": ";
  text += what;
  return one_line(text);  // it may quote a file
}

}  // namespace

InputError::InputError(std::string_view place, std::string_view what)
    : std::runtime_error(joined(place, what)) {}

}  // namespace shardproof

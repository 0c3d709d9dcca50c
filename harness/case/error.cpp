#include "shardproof/case/error.h"

namespace shardproof {
namespace {

std::string joined(std::string_view place, std::string_view what) {
  std::string text(place);
  if (!text.empty()) text += ": ";
  text += what;
  // One line whatever stands in it: the text may quote a file.
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

}  // namespace

InputError::InputError(std::string_view place, std::string_view what)
    : std::runtime_error(joined(place, what)) {}

}  // namespace shardproof

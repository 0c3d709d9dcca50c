#include <charconv>

#include "case/json_reader.h"
#include "case/json_text.h"

namespace shardproof {
namespace {

constexpr std::size_t kLongestString = std::size_t{1} << 20U;

void append_utf8(std::string& out, unsigned code) {
  const auto put = [&out](unsigned byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0U | (code >> 6U));
  } else if (code < 0x10000) {
    put(0xE0U | (code >> 12U));
    put(0x80U | ((code >> 6U) & 0x3FU));
  } else {
    put(0xF0U | (code >> 18U));
    put(0x80U | ((code >> 12U) & 0x3FU));
    put(0x80U | ((code >> 6U) & 0x3FU));
  }
  put(0x80U | (code & 0x3FU));
}

}  // namespace

std::string JsonReader::string() {
  expect('"', "a string");
  std::string out;
  while (true) {
    const std::size_t length = utf8_length(text_, at_);
    if (length == 0) refuse_syntax("more of a string");
    if (out.size() > kLongestString) refuse("a string is longer than a mebibyte");
    const char c = text_[at_];
    if (length == 1 && static_cast<unsigned char>(c) < 0x20) refuse_syntax("more of a string");
    if (c == '\\') {
      ++at_;
      escape(out);
      continue;
    }
    out += text_.substr(at_, length);
    at_ += length;
    if (c == '"') break;
  }
  out.pop_back();  // the closing quote
  return out;
}

void JsonReader::escape(std::string& out) {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  if (at_ >= text_.size()) refuse_syntax("an escape");
  const char c = text_[at_];
  if (const auto name = kNames.find(c); name != std::string_view::npos) {
    ++at_;
    out += kMeanings[name];
    return;
  }
  if (c != 'u') refuse_syntax("an escape");
  ++at_;
  unsigned code = hex4();
  if (code >= 0xD800 && code <= 0xDBFF && text_.substr(at_, 2) == "\\u") {
    at_ += 2;
    const unsigned second = hex4();
    if (second < 0xDC00 || second > 0xDFFF) refuse("a string has half of a surrogate pair");
    code = 0x10000 + ((code - 0xD800) << 10U) + (second - 0xDC00);
  }
  if (code >= 0xD800 && code <= 0xDFFF) refuse("a string has half of a surrogate pair");
  append_utf8(out, code);
}

unsigned JsonReader::hex4() {
  unsigned code = 0;
  const std::string_view digits = text_.substr(at_, 4);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  if (error != std::errc{} || end != digits.data() + 4) refuse_syntax("four hexadecimal digits");
  at_ += 4;
  return code;
}

}  // namespace shardproof

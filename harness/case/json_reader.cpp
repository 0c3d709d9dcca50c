#include "case/json_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "case/json_text.h"
#include "shardproof/case/error.h"

namespace shardproof {
namespace {

constexpr std::size_t kLongestString = std::size_t{1} << 20U;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

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

// Short, printable, and one line whatever the file holds.
std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  if (text.size() <= kLongest) return json_string(text);
  return json_string(std::string(text.substr(0, kLongest)) + "...");
}

}  // namespace

JsonReader::JsonReader(std::string_view text, std::string_view place)
    : text_(text), place_(place) {}

std::string JsonReader::path() const {
  std::string out;
  for (const Step& step : path_) {
    if (step.key.empty()) {
      out += '[' + std::to_string(step.index) + ']';
    } else {
      if (!out.empty()) out += '.';
      out += step.key;
    }
  }
  return out;
}

void JsonReader::refuse(std::string_view what) const {
  const std::string where = path();
  std::string place = place_;
  if (!where.empty()) place += (place.empty() ? "" : ": ") + where;
  throw InputError(place, what);
}

std::string JsonReader::found() const {
  if (at_ >= text_.size()) return "the file ends";
  const std::size_t length = utf8_length(text_, at_);
  const auto line =
      1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
  const std::string what =
      length == 0 ? "a byte that is not text" : quoted(text_.substr(at_, length));
  return "found " + what + " in line " + std::to_string(line);
}

void JsonReader::refuse_syntax(std::string_view wanted) const {
  refuse(std::string(wanted) + " is due, " + found());
}

void JsonReader::skip_blanks() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
    ++at_;
  }
}

bool JsonReader::take(char c) {
  skip_blanks();
  if (at_ >= text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

void JsonReader::expect(char c, std::string_view wanted) {
  if (!take(c)) refuse_syntax(wanted);
}

bool JsonReader::take_word(std::string_view word) {
  skip_blanks();
  if (text_.substr(at_, word.size()) != word) return false;
  at_ += word.size();
  return true;
}

const JsonReader::Field& JsonReader::field_of(std::string_view key,
                                              std::span<const Field> fields) const {
  const auto field = std::ranges::find(fields, key, &Field::key);
  if (field != fields.end()) return *field;
  std::string known;
  for (const Field& each : fields) known += (known.empty() ? "" : ", ") + std::string(each.key);
  refuse("unknown key " + quoted(key) + "; known: " + known);
}

void JsonReader::object(std::span<const Field> fields) {
  expect('{', "an object");
  std::vector<bool> seen(fields.size());
  if (!take('}')) {
    do {
      skip_blanks();
      const std::string key = string();
      const Field& field = field_of(key, fields);
      const auto index = static_cast<std::size_t>(&field - fields.data());
      if (seen[index]) refuse("key " + quoted(key) + " stands there twice");
      seen[index] = true;
      expect(':', "':'");
      path_.push_back({field.key});
      field.read();
      path_.pop_back();
    } while (take(','));
    expect('}', "',' or '}'");
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].required && !seen[i]) refuse("key " + quoted(fields[i].key) + " is missing");
  }
}

void JsonReader::array(std::size_t most, const std::function<void()>& element) {
  expect('[', "an array");
  if (take(']')) return;
  path_.push_back({});
  do {
    if (path_.back().index == most) {
      path_.pop_back();
      refuse("more than " + std::to_string(most) + " elements");
    }
    element();
    ++path_.back().index;
  } while (take(','));
  path_.pop_back();
  expect(']', "',' or ']'");
}

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

bool JsonReader::boolean() {
  if (take_word("true")) return true;
  if (take_word("false")) return false;
  refuse_syntax("true or false");
}

// -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
std::string_view JsonReader::number_token() {
  skip_blanks();
  const std::size_t begin = at_;
  const auto digits = [this] {
    if (at_ >= text_.size() || !is_digit(text_[at_])) refuse_syntax("a digit");
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  };
  const auto next_is = [this](std::string_view set) {
    return at_ < text_.size() && set.find(text_[at_]) != std::string_view::npos;
  };
  if (!next_is("-0123456789")) refuse_syntax("a number");
  if (next_is("-")) ++at_;
  if (next_is("0")) {
    ++at_;
    if (next_is("0123456789")) refuse("a number begins with 0");
  } else {
    digits();
  }
  if (next_is(".")) {
    ++at_;
    digits();
  }
  if (next_is("eE")) {
    ++at_;
    if (next_is("+-")) ++at_;
    digits();
  }
  return text_.substr(begin, at_ - begin);
}

std::int64_t JsonReader::integer(std::int64_t least, std::int64_t most) {
  const std::string_view token = number_token();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (end != token.data() + token.size()) refuse(std::string(quoted(token)) + " is no integer");
  if (error != std::errc{} || value < least || value > most) {
    refuse(std::string(token.substr(0, 40)) + " lies outside " + std::to_string(least) + " to " +
           std::to_string(most));
  }
  return value;
}

std::uint64_t JsonReader::natural() {
  const std::string_view token = number_token();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error != std::errc{} || end != token.data() + token.size()) {
    refuse(quoted(token) + " is no integer from 0 to 2^64 - 1");
  }
  return value;
}

double JsonReader::number() {
  skip_blanks();
  if (at_ < text_.size() && text_[at_] == '"') {
    const std::string word = string();
    if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (word == "Infinity") return std::numeric_limits<double>::infinity();
    if (word == "-Infinity") return -std::numeric_limits<double>::infinity();
    refuse(quoted(word) + R"( is no number; "NaN", "Infinity" and "-Infinity" are)");
  }
  const std::string_view token = number_token();
  double value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error != std::errc{} || end != token.data() + token.size()) {
    refuse(quoted(token) + " lies outside the range of binary64");
  }
  return value;
}

std::vector<double> JsonReader::numbers(std::size_t most) {
  std::vector<double> out;
  array(most, [&] { out.push_back(number()); });
  return out;
}

void JsonReader::end() {
  skip_blanks();
  if (at_ < text_.size()) refuse_syntax("the end of the file");
}

}  // namespace shardproof

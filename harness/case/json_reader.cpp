#include "case/json_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "case/json_text.h"
#include "shardproof/case/error.h"

namespace shardproof {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Short, printable, and one line whatever the file holds.
std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  if (text.size() <= kLongest) return json_string(text);
  return json_string(std::string(text.substr(0, kLongest)) + "...");
}

}  // namespace

JsonReader::JsonReader(std::string_view text, std::string_view place, Text what)
    : text_(text), place_(place), what_(what) {}

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
  if (at_ >= text_.size()) return what_ == Text::file ? "the file ends" : "the line ends";
  const std::size_t length = utf8_length(text_, at_);
  const auto line =
      1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
  const std::string what =
      length == 0 ? "a byte that is not text" : quoted(text_.substr(at_, length));
  if (what_ == Text::line) return "found " + what + " at byte " + std::to_string(at_ + 1);
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

void JsonReader::members(const std::function<void(const std::string& key)>& value) {
  expect('{', "an object");
  if (take('}')) return;
  std::vector<std::string> seen;
  do {
    skip_blanks();
    const std::string key = string();
    if (std::ranges::find(seen, key) != seen.end()) {
      refuse("key " + quoted(key) + " stands there twice");
    }
    seen.push_back(key);
    expect(':', "':'");
    path_.push_back({key});
    value(key);
    path_.pop_back();
  } while (take(','));
  expect('}', "',' or '}'");
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

char JsonReader::next() {
  skip_blanks();
  return at_ < text_.size() ? text_[at_] : '\0';
}

std::optional<double> JsonReader::bare_word() {
  if (what_ == Text::file) return std::nullopt;
  if (take_word("NaN")) return std::numeric_limits<double>::quiet_NaN();
  if (take_word("Infinity")) return std::numeric_limits<double>::infinity();
  if (take_word("-Infinity")) return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

double JsonReader::number() {
  if (const auto word = bare_word()) return *word;
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

void JsonReader::skip(int depth) {
  if (depth == 0) refuse("is nested too deeply");
  switch (next()) {
    case '{':
      return members([&](const std::string&) { skip(depth - 1); });
    case '[':
      return array(text_.size(), [&] { skip(depth - 1); });
    case '"':
      static_cast<void>(string());
      return;
    case 't':
    case 'f':
      static_cast<void>(boolean());
      return;
    case 'n':
      if (!take_word("null")) refuse_syntax("null");
      return;
    default:
      static_cast<void>(number());
  }
}

std::vector<double> JsonReader::numbers(std::size_t most) {
  std::vector<double> out;
  array(most, [&] { out.push_back(number()); });
  return out;
}

void JsonReader::end() {
  skip_blanks();
  if (at_ < text_.size()) {
    refuse_syntax(what_ == Text::file ? "the end of the file" : "the end of the line");
  }
}

}  // namespace shardproof

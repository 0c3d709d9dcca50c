#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardproof {

/// Reads one JSON document whose shape is known, straight into its destination.
///
/// The caller asks for what must come next, so anything else is refused where it stands, no tree is
/// built and depth needs no limit: it is the caller's own. Every refusal is an InputError of one
/// line: file, place in the document, what was found or allowed.
class JsonReader {
 public:
  /// A member of an object: its key, and what reads its value.
  struct Field {
    std::string_view key;
    std::function<void()> read;
    bool required = true;
  };

  /// \param text   must outlive the reader
  /// \param place  prefix of messages: the file's name
  JsonReader(std::string_view text, std::string_view place);

  /// Reads an object with these members in any order. Refuses unknown, repeated and missing ones.
  void object(std::span<const Field> fields);
  void object(std::initializer_list<Field> fields) {
    object(std::span(fields.begin(), fields.size()));
  }
  /// Reads an array, calling `element` where each of its elements begins.
  /// \param most  more elements are refused before they are read
  void array(std::size_t most, const std::function<void()>& element);

  std::string string();
  bool boolean();
  /// An integer within the limits, written without point or exponent.
  std::int64_t integer(std::int64_t least, std::int64_t most);
  std::uint64_t natural();
  /// A finite number, or one of the strings `NaN`, `Infinity`, `-Infinity`.
  double number();
  std::vector<double> numbers(std::size_t most);

  /// Refuses anything but blanks up to the end of the text.
  void end();

  [[noreturn]] void refuse(std::string_view what) const;

 private:
  struct Step {
    std::string_view key;  // empty: an element of an array
    std::size_t index = 0;
  };

  [[nodiscard]] std::string path() const;
  [[noreturn]] void refuse_syntax(std::string_view wanted) const;
  [[nodiscard]] std::string found() const;
  void skip_blanks();
  bool take(char c);
  void expect(char c, std::string_view wanted);
  bool take_word(std::string_view word);
  std::string_view number_token();
  void escape(std::string& out);
  unsigned hex4();
  const Field& field_of(std::string_view key, std::span<const Field> fields) const;

  std::string_view text_;
  std::string place_;
  std::size_t at_ = 0;
  std::vector<Step> path_;
};

}  // namespace shardproof

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
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

  /// What the text is: how its end and its places are called.
  enum class Text {
    file,
    line,  ///< of a program: NaN, Infinity and -Infinity may stand there without quotes
  };

  /// \param text   must outlive the reader
  /// \param place  prefix of messages: the file's name
  JsonReader(std::string_view text, std::string_view place, Text what = Text::file);

  /// Reads an object with these members in any order. Refuses unknown, repeated and missing ones.
  void object(std::span<const Field> fields);
  void object(std::initializer_list<Field> fields) {
    object(std::span(fields.begin(), fields.size()));
  }
  /// Reads an object with whatever members, calling `value` where each one's value begins. Refuses
  /// repeated ones.
  void members(const std::function<void(const std::string& key)>& value);
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

  /// Reads any value and forgets it. \param depth  nested deeper it is refused
  void skip(int depth = 64);

  /// The character with which the next value begins; 0 at the end of the text.
  [[nodiscard]] char next();

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

  [[nodiscard]] std::optional<double> bare_word();

  std::string_view text_;
  std::string place_;
  Text what_;
  std::size_t at_ = 0;
  std::vector<Step> path_;
};

}  // namespace shardproof

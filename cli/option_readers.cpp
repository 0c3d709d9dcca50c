#include "option_readers.h"

#include <utility>

#include "shardproof/case/error.h"

namespace shardproof::cli {

void on_text(CLI::App& app, const std::string& option, const std::string& what,
             const std::string& value, std::function<void(const std::string&)> read) {
  app.add_option_function<std::string>(option, std::move(read), what)->type_name(value);
}

void on_path(CLI::App& app, const std::string& option, const std::string& what,
             const std::string& value, std::string& to) {
  on_text(app, option, what, value, [option, &to](const std::string& text) {
    if (text.empty()) throw InputError("", option + " must not be empty");
    to = text;
  });
}

}  // namespace shardproof::cli

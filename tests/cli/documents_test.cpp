// docs/properties.md and docs/claims.md, held to the program.

#include <gtest/gtest.h>

#include <filesystem>

#include "cli/program.h"
#include "shardproof/case/claim.h"
#include "shardproof/case/claim_presets.h"
#include "shardproof/properties/registry.h"

namespace shardproof::testing {
namespace {

std::string document(const char* name) {
  return contents(std::filesystem::path(SHARDPROOF_SOURCE) / "docs" / name);
}

/// The line that begins with `beginning`; empty where there is none.
std::string line_of(const std::string& text, const std::string& beginning) {
  const std::size_t at = text.find('\n' + beginning);
  if (at == std::string::npos) return "";
  return text.substr(at + 1, text.find('\n', at + 1) - at - 1);
}

using PropertiesDocument = ProgramTest;

TEST_F(PropertiesDocument, GivesEachPropertyItsStatementAndASubjectThatItRefutes) {
  const std::string text = document("properties.md");
  for (const Property& property : all_properties()) {
    const std::string line =
        line_of(text, "| `" + property.name + "` | " + property.statement + " | ");
    ASSERT_NE(line, "") << property.name;
    const std::size_t end = line.rfind('`');
    const std::size_t begin = line.rfind('`', end - 1) + 1;
    const std::string subject = line.substr(begin, end - begin);
    const Ended checked =
        run({"check", subject, "--property", property.name, "--seed", "0", "--quiet"});
    EXPECT_EQ(checked.status, 1) << property.name << " does not refute " << subject;
  }
}

TEST(ClaimsDocument, GivesEachFieldItsDefault) {
  const std::string text = document("claims.md");
  for (const ClaimField& field : claim_fields()) {
    EXPECT_NE(line_of(text, "| `" + field.key + "` | `" + field.usual + "` | "), "") << field.key;
  }
}

TEST(ClaimsDocument, NamesEveryPreset) {
  const std::string text = document("claims.md");
  for (const ClaimPreset& preset : claim_presets()) {
    EXPECT_NE(line_of(text, "| `" + std::string(preset.name) + "` | "), "") << preset.name;
  }
}

using ClaimsCombinations = ProgramTest;

TEST_F(ClaimsCombinations, OfDtypesAreConsistentForTheSubjectsThatTheDocumentNames) {
  for (const char* subject : {"ring:weight-by-count:f32", "ring:weight-by-count:gradient=f32",
                              "ring:weight-by-count:f64", "ring", "sgd"}) {
    for (const char* dtype : {"bf16", "f16"}) {
      const Ended checked =
          run({"check", subject, "--dtype", dtype, "--seed", "0", "--cases", "120", "--quiet"});
      EXPECT_EQ(checked.status, 0) << subject << " " << dtype << ": " << checked.out;
    }
  }
  const Ended wire = run({"check", "ring:weight-by-count:wire=f16", "--dtype", "f32", "--seed", "0",
                          "--cases", "120", "--quiet"});
  EXPECT_EQ(wire.status, 0) << wire.out;
}

}  // namespace
}  // namespace shardproof::testing

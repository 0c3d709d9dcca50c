#include <shardproof/properties/suite.h>
#include <shardproof/run/report.h>

#include <iostream>

#include "mean.h"

int main() {
  const std::unique_ptr<shardproof::Subject> subject = mean_subject();
  const shardproof::RunResult result =
      shardproof::check(*subject, {.seed = 1, .run = {.cases = 200}});
  std::cout << shardproof::text_report(
      {.subject = subject->name(), .claim = subject->claim(), .seed = 1}, result);
  return result.finding || result.cases == 0 ? 1 : 0;
}

// Shows that a check can fail: a world without a mistake passes it, and one with the mistake does not.
#pragma once

#include "properties/record.hpp"
#include "tests/catch.hpp"

namespace plusmax::properties::fake {

template <class Sound, class Broken>
void expect_caught(const char* check, const char* line) {
  CAPTURE(check, line);
  Sound sound;
  const Record good = sound.run(check, line);
  INFO(good.reason);
  CHECK(good.outcome == Outcome::passed);
  CHECK(good.compared > 0);
  Broken broken;
  const Record bad = broken.run(check, line);
  CAPTURE(bad.reason);
  CHECK(bad.outcome == Outcome::failed);
  CHECK_FALSE(bad.reason.empty());
}

}  // namespace plusmax::properties::fake

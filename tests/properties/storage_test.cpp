// Where logits and padding land in memory.
#include "properties/storage.hpp"
#include "tests/catch.hpp"
#include "tests/properties/fake.hpp"

using namespace plusmax;
using namespace plusmax::properties;

namespace {

const Rows& two_by_three() {
  static const Rows rows(PLUSMAX_F32, 2, 3, std::vector<double>{1, 2, 3, 4, 5, 6});
  return rows;
}

std::vector<float> memory(const Layout& layout, const Execution& execution, std::size_t count) {
  fake::Machine machine;
  const Storage storage(two_by_three(), layout, execution);
  const auto buffer = storage.place(machine);
  std::vector<float> values(count);
  buffer->read(0, values.data(), count * sizeof(float));
  return values;
}

}  // namespace

TEST_CASE("storage: padding stands between the rows and nowhere else", "[storage]") {
  Execution execution;
  execution.padding = Padding::infinity;
  const auto values = memory({5, 1, 1, 0}, execution, 8);
  CHECK(values == std::vector<float>{1, 2, 3, INFINITY, INFINITY, 4, 5, 6});
}

TEST_CASE("storage: a transposed layout puts columns one after the other", "[storage]") {
  Execution execution;
  execution.padding = Padding::huge;
  const float huge = std::numeric_limits<float>::max();
  CHECK(memory({1, 3, 1, 0}, execution, 8) == std::vector<float>{1, 4, huge, 2, 5, huge, 3, 6});
}

TEST_CASE("storage: surrounding padding keeps the phase of the first logit", "[storage]") {
  for (const bool surrounded : {false, true}) {
    fake::Machine machine;
    Execution execution;
    execution.surrounded = surrounded;
    const Storage storage(two_by_three(), {3, 1, 1, 5}, execution);
    const auto buffer = storage.place(machine);
    CHECK((reinterpret_cast<std::uintptr_t>(buffer->data()) + storage.first_byte()) % 256 == 5 * sizeof(float));
    CHECK(storage.first_byte() == (surrounded ? 256 : 0));
    float first = 0;
    buffer->read(storage.first_byte(), &first, sizeof first);
    CHECK(first == 1);
  }
}

TEST_CASE("storage: a changed logit and changed padding are both seen", "[storage]") {
  fake::Machine machine;
  const Storage storage(two_by_three(), {5, 1, 1, 0}, {});
  for (const std::size_t element : {std::size_t{0}, std::size_t{3}, std::size_t{7}}) {
    const auto buffer = storage.place(machine);
    CHECK_NOTHROW(storage.verify(*buffer));
    const float other = 9;
    buffer->write(element * sizeof other, &other, sizeof other);
    CHECK_THROWS_AS(storage.verify(*buffer), DeviceError);
  }
}

TEST_CASE("storage: data too large for one image are placed row by row", "[storage]") {
  // The same elements, whether the padding is held once in memory or left to the device.
  fake::Machine machine;
  const std::int64_t stride = (std::int64_t{1} << 24) + 8;
  const Storage storage(two_by_three(), {stride, 1, 1, 0}, {});
  const auto buffer = storage.place(machine);
  float values[3];
  buffer->read(static_cast<std::size_t>(stride) * sizeof(float), values, sizeof values);
  CHECK(values[0] == 4);
  CHECK(values[2] == 6);
  CHECK_NOTHROW(storage.verify(*buffer));
}

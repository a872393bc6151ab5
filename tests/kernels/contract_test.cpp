// What every variant promises, in its smallest form; the properties check the same over many cases.
#include "tests/catch.hpp"
#include "tests/kernels/rows.hpp"

using namespace plusmax;
using namespace plusmax::tests;

TEST_CASE("logsumexp: log(e + e^2) is 2.3132617, and a row of -inf gives -inf", "[logsumexp][special]") {
  for (const auto* variant : variants()) {
    Rows rows(2, 2);
    rows.set(0, {1, 2});
    rows.set(1, {-kInfinity, -kInfinity});
    const std::vector<float> lse = rows.run(*variant);
    INFO(variant->name);
    CHECK(std::fabs(lse[0] - 2.31326169f) <= 3e-7f);
    CHECK(lse[1] == -kInfinity);
  }
}

TEST_CASE("logsumexp: NaN wins over +inf, +inf over everything else, wherever it stands", "[logsumexp][special]") {
  const std::size_t cols = GENERATE(1u, 5u, 40u, 1030u, 4099u);
  for (const auto* variant : variants(cols))
    for (const std::size_t at : {std::size_t{0}, cols / 2, cols - 1}) {
      Rows rows(4, cols, 1);
      std::vector<float> values = wavy(cols);
      values[at] = kInfinity;
      rows.set(0, values);
      values[at] = NAN;
      rows.set(1, values);
      values[(at + 1) % cols] = kInfinity;
      values[at] = NAN;
      rows.set(2, values);
      values.assign(cols, -kInfinity);
      values[at] = NAN;
      rows.set(3, values);
      const std::vector<float> lse = rows.run(*variant);
      INFO(variant->name << " cols " << cols << " at " << at);
      CHECK(lse[0] == kInfinity);
      CHECK(std::isnan(lse[1]));
      CHECK(std::isnan(lse[2]));
      CHECK(std::isnan(lse[3]));
    }
}

TEST_CASE("logsumexp: one finite logit among -inf comes out bit for bit", "[logsumexp][special]") {
  const std::size_t cols = GENERATE(1u, 33u, 2000u, 9001u);
  for (const auto* variant : variants(cols))
    for (const float value : {-1e30f, -1.25f, 3e38f, 1e-40f}) {
      Rows rows(1, cols, 0, 4);
      std::vector<float> values(cols, -kInfinity);
      values[cols - 1] = value;
      rows.set(0, values);
      INFO(variant->name << " cols " << cols << " value " << value);
      CHECK(rows.run(*variant)[0] == value);
    }
}

TEST_CASE("logsumexp: no columns give -inf and read nothing, and no rows write nothing", "[logsumexp]") {
  for (const auto* variant : variants()) {
    INFO(variant->name);
    Rows rows(3, 1);
    logsumexp::Params p = rows.params();
    p.cols = 0;
    p.logits = nullptr;
    for (const float lse : rows.run(*variant, p)) CHECK(lse == -kInfinity);
    p = rows.params();
    p.rows = 0;
    for (const float lse : rows.run(*variant, p)) {
      std::uint32_t bits;
      std::memcpy(&bits, &lse, sizeof bits);
      CHECK(bits == 0x55555555u);
    }
  }
}

TEST_CASE("logsumexp: row_stride 0 repeats a row, lse_stride leaves the gaps alone", "[logsumexp][stride]") {
  for (const auto* variant : variants()) {
    INFO(variant->name);
    Rows rows(5, 100);
    rows.set(0, wavy(100));
    logsumexp::Params p = rows.params();
    p.row_stride = 0;
    const std::vector<float> repeated = rows.run(*variant, p);
    for (const float lse : repeated) CHECK(lse == repeated[0]);
    p.rows = 2;
    p.lse_stride = 3;
    const std::vector<float> spread = rows.run(*variant, p);
    CHECK(spread[0] == repeated[0]);
    CHECK(spread[3] == repeated[0]);
    CHECK(spread[1] == spread[2]);
    CHECK(spread[1] != repeated[0]);
  }
}

TEST_CASE("logsumexp: a row's bits depend on its own logits and its start modulo 128 bytes alone",
          "[logsumexp][bits]") {
  const std::size_t cols = GENERATE(7u, 1000u, 5003u);
  for (const auto* variant : variants(cols)) {
    Rows alone(1, cols, 0, 36);
    alone.set(0, wavy(cols, 2));
    const float expected = alone.run(*variant)[0];
    // 32 floats are 128 bytes: every row of this matrix begins in the same phase.
    Rows many(9, cols, 32 - cols % 32, 36);
    for (std::size_t row = 0; row < 9; ++row)
      many.set(row, wavy(cols, row == 6 ? 2.f : 50.f + static_cast<float>(row)));
    INFO(variant->name << " cols " << cols);
    CHECK(same_bits({many.run(*variant)[6]}, {expected}));
  }
}

TEST_CASE("logsumexp: neither the schedule nor what the workspace held shows in a bit", "[logsumexp][bits]") {
  Device& device = Rows::device();
  for (const auto* variant : variants(3001)) {
    Rows rows(2, 3001, 2);
    rows.set(0, wavy(3001));
    rows.set(1, wavy(3001, -80));
    device.configure(Schedule::forward, 0, 0);
    const std::vector<float> expected = rows.run(*variant, 0x00);
    INFO(variant->name);
    for (const unsigned char fill : {0xff, 0x01})
      for (const Schedule schedule : {Schedule::reverse, Schedule::random})
        for (const std::uint64_t seed : {1u, 2u}) {
          device.configure(schedule, seed, 0);
          CHECK(same_bits(rows.run(*variant, fill), expected));
        }
    device.configure(Schedule::forward, 0, 0);
  }
}

TEST_CASE("logsumexp: offsets beyond 2^31 elements are reached", "[logsumexp][stride]") {
  const std::size_t stride = (std::size_t{1} << 31) + 32;
  for (const auto* variant : variants()) {
    Rows rows(3, 64, stride - 64);
    for (std::size_t row = 0; row < 3; ++row) rows.set(row, wavy(64, static_cast<float>(row)));
    const std::vector<float> lse = rows.run(*variant);
    INFO(variant->name);
    CHECK(std::fabs(lse[2] - lse[0] - 2) <= 1e-5f);
  }
}

TEST_CASE("logsumexp: a transposed matrix gives what the straight one gives, within the bound", "[logsumexp][stride]") {
  constexpr std::size_t kRows = 37, kCols = 90;
  Rows straight(kRows, kCols), turned(kCols, kRows);
  std::vector<std::vector<float>> columns(kCols, std::vector<float>(kRows));
  for (std::size_t row = 0; row < kRows; ++row) {
    const std::vector<float> values = wavy(kCols, static_cast<float>(row));
    straight.set(row, values);
    for (std::size_t col = 0; col < kCols; ++col) columns[col][row] = values[col];
  }
  for (std::size_t col = 0; col < kCols; ++col) turned.set(col, columns[col]);
  logsumexp::Params p = turned.params();
  p.rows = kRows;
  p.cols = kCols;
  p.row_stride = 1;
  p.col_stride = kRows;
  const std::vector<float> across = turned.run(variant("lane_per_row"), p),
                           along = straight.run(variant("block_per_row"));
  for (std::size_t row = 0; row < kRows; ++row) CHECK(std::fabs(across[row] - along[row]) <= 1e-5f);
}

TEST_CASE("logsumexp: variants that need neighbouring columns refuse others with the value", "[logsumexp]") {
  for (const char* name : {"warp_per_row", "block_per_row", "split_row"}) {
    logsumexp::Params p = Rows(2, 10).params();
    p.col_stride = 7;
    const Status status = variant(name).supports(p);
    CHECK(status.code == PLUSMAX_UNSUPPORTED);
    CHECK(std::string(status.message).find("col_stride 1, got 7") != std::string::npos);
  }
}

namespace {

// bf16 columns of `rows` rows, `stride` elements apart, transposed; results of lane_per_row.
std::vector<float> turned_bf16(std::size_t rows, std::size_t cols, std::size_t stride, std::size_t phase) {
  Device& device = Rows::device();
  const auto logits = device.allocate({.name = "logits",
                                       .lines = cols,
                                       .line_bytes = rows * 2,
                                       .line_stride = stride * 2,
                                       .phase = phase,
                                       .read_only = true});
  const auto lse = device.allocate({.name = "lse", .line_bytes = rows * 4});
  for (std::size_t col = 0; col < cols; ++col)
    for (std::size_t row = 0; row < rows; ++row) {
      const float value = 4 * std::sin(static_cast<float>(row * 31 + col * 7));
      std::uint32_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      const auto half = static_cast<std::uint16_t>(bits >> 16);
      logits->write((col * stride + row) * 2, &half, 2);
    }
  logits->seal();
  logsumexp::Params p;
  p.dtype = PLUSMAX_BF16;
  p.rows = static_cast<std::int64_t>(rows);
  p.cols = static_cast<std::int64_t>(cols);
  p.row_stride = 1;
  p.col_stride = static_cast<std::int64_t>(stride);
  p.logits = logits->data();
  p.lse = lse->data();
  if (const Status status = variant("lane_per_row").launch(p, nullptr, device.stream()); !status.ok())
    throw std::runtime_error(status.message);
  device.synchronize();
  REQUIRE(logits->violation() + lse->violation() == "");
  std::vector<float> results(rows);
  lse->read(0, results.data(), rows * 4);
  return results;
}

}  // namespace

TEST_CASE("logsumexp: pairs of 16-bit rows give the bits that single rows give, and read no row that is not there",
          "[logsumexp][bits]") {
  const std::size_t rows = GENERATE(1u, 2u, 63u, 64u, 97u);
  const std::vector<float> pairs = turned_bf16(rows, 150, 98, 0);
  CHECK(same_bits(pairs, turned_bf16(rows, 150, 99, 0)));  // an odd stride
  CHECK(same_bits(pairs, turned_bf16(rows, 150, 98, 2)));  // a start between words
}

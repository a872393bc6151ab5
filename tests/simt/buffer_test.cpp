// The promises of DeviceBuffer, as the host machine keeps them.
#include "tests/simt/planted.hpp"

#include <chrono>
#include <cstring>
#include <fstream>
#include <new>
#include <stdexcept>
#include <vector>

using namespace plusmax;
using namespace plusmax::planted;

namespace {

std::unique_ptr<DeviceBuffer> make(std::size_t lines, std::size_t bytes, std::size_t stride, std::size_t phase = 0,
                                   bool left = false) {
  return host_device().allocate({"buffer", lines, bytes, stride, phase, left, false});
}
std::size_t resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmRSS:", 0) == 0) return std::stoul(line.substr(6));
  return 0;
}
std::size_t mappings() {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) ++count;
  return count;
}
double seconds(const std::chrono::steady_clock::time_point& start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
// Written by the test itself, not by a kernel: past ASan, which would stop it.
#if PLUSMAX_TEST_ASAN
__attribute__((no_sanitize("address")))
#endif
void poke(DeviceBuffer& buffer, std::ptrdiff_t offset) {
  volatile char* p = static_cast<char*>(buffer.data()) + offset;
  *p = char(*p ^ 1);
}

}  // namespace

TEST_CASE("buffer: starts at its phase from a 256-byte boundary, on either side", "[simt][buffer]") {
  for (std::size_t phase = 0; phase < 256; ++phase)
    for (bool left : {false, true})
      for (std::size_t bytes : {1u, 6u, 4096u, 5000u}) {
        const auto buffer = make(1, bytes, 0, phase, left);
        REQUIRE(reinterpret_cast<std::uintptr_t>(buffer->data()) % 256 == phase);
      }
}

TEST_CASE("buffer: every byte of every line is 0xFF at first", "[simt][buffer]") {
  const auto buffer = make(5, 1000, 1024);
  for (std::size_t line = 0; line < 5; ++line) {
    std::vector<unsigned char> bytes(1000);
    buffer->read(line * 1024, bytes.data(), bytes.size());
    REQUIRE(bytes == std::vector<unsigned char>(1000, 0xFF));
  }
}

TEST_CASE("buffer: what is written is read back, and a span that leaves its line is refused with the values",
          "[simt][buffer]") {
  const auto buffer = make(3, 100, 128);
  const char text[] = "logits";
  buffer->write(128 + 94, text, 6);
  char back[6];
  buffer->read(128 + 94, back, 6);
  CHECK(std::memcmp(text, back, 6) == 0);
  CHECK(buffer->violation() == "");
  CHECK_THROWS_AS(buffer->write(128 + 95, text, 6), std::out_of_range);
  CHECK_THROWS_AS(buffer->read(100, back, 1), std::out_of_range);
  CHECK_THROWS_AS(buffer->read(2 * 128 + 100, back, 1), std::out_of_range);
  CHECK_THROWS_AS(buffer->write(3 * 128, text, 1), std::out_of_range);
  CHECK_NOTHROW(buffer->write(100, text, 0));
  try {
    buffer->read(95, back, 6);
  } catch (const std::out_of_range& e) {
    CHECK(std::string(e.what()) ==
          "read of 6 bytes at offset 95 leaves the lines of 'buffer' (3 of 100 bytes, 128 apart)");
  }
}

TEST_CASE("buffer: violation() sees one changed byte of slack, wherever it is", "[simt][buffer]") {
  struct Spot {
    std::size_t lines, bytes, stride, phase;
    bool left;
    std::ptrdiff_t offset;
    const char* words;
  };
  const Spot spots[] = {{1, 100, 0, 0, false, 100, "behind its end"},
                        {1, 100, 0, 0, false, -1, "before its start"},
                        {1, 4095, 0, 1, false, -1, "before its start"},
                        {1, 100, 0, 8, true, -8, "before its start"},
                        {1, 100, 0, 0, true, 100, "behind its end"},
                        {1, 100, 0, 0, true, 4095, "behind its end"},
                        {9, 100, 256, 0, false, 100, "padding"},
                        {9, 100, 256, 0, false, 255, "padding"},
                        {9, 100, 101, 0, false, 7 * 101 + 100, "padding"},
                        {9, 4000, 65536, 0, false, 3 * 65536 + 4095, "padding"},
                        {9, 4000, 65536, 0, false, 8 * 65536 + 4000, "behind its end"},
                        {9, 6000, 65536, 0, true, 3 * 65536 + 6001, "padding"}};
  for (const Spot& spot : spots) {
    const auto buffer = make(spot.lines, spot.bytes, spot.stride, spot.phase, spot.left);
    INFO(spot.lines << " x " << spot.bytes << ", " << spot.stride << " apart, offset " << spot.offset);
    REQUIRE(buffer->violation() == "");
    poke(*buffer, spot.offset);
    const std::string violation = buffer->violation();
    INFO(violation);
    CHECK(violation.find(spot.words) != std::string::npos);
    CHECK(violation.find("byte offset " + std::to_string(spot.offset) + ",") != std::string::npos);
    poke(*buffer, spot.offset);
    CHECK(buffer->violation() == "");
  }
}

TEST_CASE("buffer: a stride of 2^31 elements costs a few pages", "[simt][buffer]") {
  const std::size_t before = resident_kib();
  const auto buffer = make(64, 4096, std::size_t(1) << 34);  // a terabyte of address space
  buffer->fill(3);
  CHECK(buffer->violation() == "");
  CHECK(resident_kib() < before + 16 * 1024);
  char byte = 0;
  buffer->read((std::size_t(63) << 34) + 4095, &byte, 1);
  CHECK(byte == 3);
}

TEST_CASE("buffer: close lines share pages and mappings, however many they are", "[simt][buffer]") {
  const std::size_t before = mappings();
  const auto start = std::chrono::steady_clock::now();
  const auto small = make(400000, 60, 64);      // 25 MB
  const auto apart = make(20000, 1000, 20000);  // more pieces than mappings are allowed: gaps are bridged
  CHECK(mappings() < before + 20000);
  CHECK(small->violation() == "");
  CHECK(apart->violation() == "");
  poke(*small, 399998 * 64 + 61);
  CHECK(small->violation() != "");
  poke(*apart, 19998l * 20000 + 1003);
  CHECK(apart->violation() != "");
  CHECK(seconds(start) < 10);
}

TEST_CASE("buffer: violation() of a gigabyte without padding looks at its ends only", "[simt][buffer]") {
  const auto buffer = make(1, std::size_t(1) << 28, 0);
  const auto start = std::chrono::steady_clock::now();
  CHECK(buffer->violation() == "");
  CHECK(seconds(start) < 0.05);
}

TEST_CASE("buffer: an empty one has an address and no bytes", "[simt][buffer]") {
  for (const auto& buffer : {make(0, 16, 16), make(3, 0, 16)}) {
    CHECK(buffer->data() != nullptr);
    CHECK(buffer->violation() == "");
    buffer->fill(1);
    char byte;
    CHECK_THROWS_AS(buffer->read(0, &byte, 1), std::out_of_range);
    CHECK_NOTHROW(buffer->read(0, &byte, 0));
  }
}

TEST_CASE("buffer: lines that overlap are one piece", "[simt][buffer]") {
  const auto repeated = make(100, 64, 0), overlapping = make(10, 64, 16);
  repeated->fill(7);
  overlapping->fill(7);
  char byte = 0;
  overlapping->read(9 * 16 + 63, &byte, 1);
  CHECK(byte == 7);
  CHECK(repeated->violation() == "");
  CHECK(overlapping->violation() == "");
  poke(*overlapping, 9 * 16 + 64);
  CHECK(overlapping->violation() != "");
}

TEST_CASE("buffer: a span beyond the address space is bad_alloc", "[simt][buffer]") {
  CHECK_THROWS_AS(make(1000, 8, std::size_t(1) << 60), std::bad_alloc);
  CHECK_THROWS_AS(make(3, 8, ~std::size_t(0) / 2), std::bad_alloc);
  CHECK_THROWS_AS(make(1, ~std::size_t(0), 0), std::bad_alloc);
}

TEST_CASE("device: says what it is", "[simt][device]") {
  Device& device = host_device();
  CHECK(std::string(device.backend()) == "host");
  CHECK(device.description().find("host SIMT") == 0);
  CHECK(device.available());
  CHECK(device.free_bytes() > 0);
#if defined(PLUSMAX_RACE)
  CHECK(device.detects_races());
#else
  CHECK_FALSE(device.detects_races());
#endif
}

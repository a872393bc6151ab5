// A hash of text that is the same on every machine and for every build: names of files and keys of streams depend on it.
#pragma once

#include "properties/random.hpp"

#include <cstdint>
#include <string_view>

namespace plusmax::properties::gen {

constexpr std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = mix(text.size());
  for (const char letter : text) hash = mix(hash, static_cast<unsigned char>(letter));
  return hash;
}

}  // namespace plusmax::properties::gen

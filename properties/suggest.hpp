// "did you mean": the known word nearest to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plusmax::properties {

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
std::size_t edit_distance(std::string_view, std::string_view);
// The nearest word, if it is near enough to be a slip of the hand (a third of the letters, at least one); else empty.
std::string nearest_word(std::string_view word, const std::vector<std::string>& known);
// ": did you mean 'cols'?", or ": use rows, cols or seed" if none is near.
std::string suggestion(std::string_view word, const std::vector<std::string>& known);
// 'text', cut after 60 characters
std::string in_quotes(std::string_view text);
// "a, b or c"
std::string listed(const std::vector<std::string>& words);

}  // namespace plusmax::properties

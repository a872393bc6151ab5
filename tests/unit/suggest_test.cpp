#include "properties/suggest.hpp"

#include "tests/catch.hpp"

using namespace plusmax::properties;

TEST_CASE("suggest: the distance counts insertions, deletions, replacements and swaps", "[suggest]") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("cols", "cols") == 0);
  CHECK(edit_distance("cosl", "cols") == 1);
  CHECK(edit_distance("col", "cols") == 1);
  CHECK(edit_distance("ccols", "cols") == 1);
  CHECK(edit_distance("cads", "cols") == 2);
  CHECK(edit_distance("", "cols") == 4);
  for (const char* a : {"stride", "phase", "seed"})
    for (const char* b : {"strode", "rows", "dees", ""}) CHECK(edit_distance(a, b) == edit_distance(b, a));
}

TEST_CASE("suggest: a slip of the hand finds its word, another word none", "[suggest]") {
  const std::vector<std::string> known = {"rows", "cols", "stride", "col_stride"};
  CHECK(nearest_word("row", known) == "rows");
  CHECK(nearest_word("strid", known) == "stride");
  CHECK(nearest_word("colstride", known) == "col_stride");
  CHECK(nearest_word("banana", known).empty());
  CHECK(nearest_word("", known).empty());
  CHECK(suggestion("strdie", known) == ": did you mean 'stride'?");
  CHECK(suggestion("banana", known) == ": use rows, cols, stride or col_stride");
  CHECK(listed({}) == "");
  CHECK(listed({"a"}) == "a");
  CHECK(in_quotes("abc") == "'abc'");
  CHECK(in_quotes(std::string(61, 'x')) == "'" + std::string(60, 'x') + "...'");
}

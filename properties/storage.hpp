// How the logits of one launch lie in memory: which lines the device guards, and the padding between the elements.
#pragma once

#include "properties/execution.hpp"
#include "properties/rows.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace plusmax::properties {

class Storage {
 public:
  // `overwritten`: the launch may write the logits themselves, though not what lies between them.
  Storage(const Rows&, const Layout&, const Execution&, bool overwritten = false, const char* name = "logits");
  std::unique_ptr<DeviceBuffer> place(Device&) const;                // allocated, written, sealed
  std::size_t first_byte() const { return first_ * element_bytes_; }  // of logit (0, 0), from data()
  void verify(const DeviceBuffer&) const;  // throws DeviceError if a byte changed that the launch may not write

 private:
  // One piece of memory that the device guards as a whole.
  struct Line {
    std::size_t offset;                // bytes from data()
    std::vector<unsigned char> bytes;
  };
  // image: all in one line, padding and all. by_row, by_column: a line each, so that a huge stride costs nothing between.
  // packed: rows without gaps, in pieces of a size to copy.
  enum class Mode { image, by_row, by_column, packed };

  Mode choose() const;
  BufferSpec spec() const;
  template <class Use> void each_line(Use use) const;
  template <class Use> void packed_pieces(Use use) const;
  template <class Use> void column_lines(Use use) const;
  Line padded(std::size_t offset, std::size_t elements) const;
  template <class Encoder>
  void put_row(std::int64_t row, Line&, std::size_t first, std::size_t step, Encoder&) const;
  void put_elements(const Line& from, std::vector<unsigned char>& to) const;  // of an image
  std::size_t span() const;            // elements from the first to the last logit, both included

  const Rows& rows_;
  const Layout layout_;
  const Execution execution_;
  const bool overwritten_;
  const char* name_;
  std::size_t element_bytes_;
  std::vector<unsigned char> padding_;  // one element
  std::size_t first_ = 0;               // element of logit (0, 0)
  Mode mode_;
  mutable std::vector<double> scratch_;  // of a row that is not stored
};

}  // namespace plusmax::properties

// What bench times: a case of one operation in device memory, often enough to defeat the caches. Its first rows repeat,
// with all that belongs to them, because random data are slow to make.
#pragma once

#include "kernels/catalog.hpp"
#include "properties/subject.hpp"

#include <cstddef>
#include <string>

namespace plusmax::properties {

class BenchBed {
 public:
  virtual ~BenchBed() = default;

  virtual int buffers() const = 0;
  virtual const void* logits() const = 0;        // on the device, of the first buffer
  virtual std::size_t logits_bytes() const = 0;  // of one buffer
  // What a launch does with its logits: the ceiling that it is measured against.
  virtual Traffic traffic() const = 0;
  // Whether a launch leaves something else in place of its logits, which restore() brings back.
  bool overwrites() const { return traffic() == Traffic::in_place_copy; }
  virtual Status restore(int /* buffer */, void* /* stream */) const { return {}; }

  virtual std::string refusal(const Subject&) const = 0;  // why the variant does not take the case, or empty
  virtual double bytes(const Subject&) const = 0;         // what it must move
  virtual std::size_t workspace_bytes(const Subject&) const = 0;
  virtual Status launch(const Subject&, int buffer, void* workspace, void* stream) const = 0;

  // A launch on each buffer, judged by the certified reference; what is wrong, or empty.
  virtual std::string verify(const Subject&, void* workspace) = 0;
  // Every bit of the results of all rows over `times` launches on buffer 0; what differs, or empty.
  virtual std::string repeat(const Subject&, void* workspace, int times) = 0;
};

}  // namespace plusmax::properties

// What bench times: a case of one operation in device memory, often enough to defeat the caches. Its first rows repeat,
// with all that belongs to them, because random data are slow to make. An operation that moves its logits is measured
// against memory traffic, one that multiplies matrices against those products alone, in the same rounds.
#pragma once

#include "kernels/catalog.hpp"
#include "properties/case.hpp"
#include "properties/record.hpp"
#include "properties/subject.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace plusmax::properties {

struct BenchCase {
  Case of;
  std::string variant = {};  // the one that it is about; empty: every one
  std::string options = {};  // as in case lines, over those that the operation has unless told otherwise
};

// The products of a launch and nothing else, with the memory that they take.
class BenchProducts {
 public:
  virtual ~BenchProducts() = default;
  virtual std::string name() const = 0;  // "3 products"
  virtual Status launch(void* stream) const = 0;
};

class BenchBed {
 public:
  virtual ~BenchBed() = default;

  virtual int buffers() const { return 1; }
  virtual const void* logits() const { return nullptr; }  // on the device, of the first buffer
  virtual std::size_t logits_bytes() const { return 0; }  // of one buffer
  // What a launch does with its logits: the ceiling that it is measured against.
  virtual Traffic traffic() const { return Traffic::read; }
  // Whether a launch leaves something else in place of its logits, which restore() brings back.
  bool overwrites() const { return traffic() == Traffic::in_place_copy; }
  virtual Status restore(int /* buffer */, void* /* stream */) const { return {}; }

  virtual std::string refusal(const Subject&) const = 0;  // why the variant does not take the case, or empty
  virtual double bytes(const Subject&) const = 0;         // what it must move
  virtual std::size_t workspace_bytes(const Subject&) const = 0;
  virtual Status launch(const Subject&, int buffer, void* workspace, void* stream) const = 0;

  // What is decided once, on what a launch has left in its buffers. Synchronizes.
  virtual Status tune(const Subject&, void* /* workspace */, void* /* stream */) { return {}; }
  virtual void release() {}  // what is held for the subject that was measured
  // Tuned; they overwrite results. Null: measured against traffic(). Throws std::bad_alloc, DeviceError.
  virtual std::unique_ptr<BenchProducts> products(const Subject&) { return nullptr; }

  // A launch on each buffer, judged by the certified reference; what is wrong, or empty.
  virtual std::string verify(const Subject&, void* workspace) = 0;
  // Of the last verify(), where it counts them: how far off, and what was judged.
  virtual std::vector<BenchError> errors() const { return {}; }
  virtual std::string sample() const { return ""; }
  // Every bit of the results of all rows over `times` launches on buffer 0; what differs, or empty.
  virtual std::string repeat(const Subject&, void* workspace, int times) = 0;
};

}  // namespace plusmax::properties

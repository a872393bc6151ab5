#include "properties/storage.hpp"

#include "reference/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace plusmax::properties {
namespace {

constexpr std::size_t kImageBytes = std::size_t{1} << 26;  // with its padding held once in memory
constexpr std::size_t kPieceBytes = std::size_t{1} << 24;  // per copy to the device

// Encodes rows; equal rows after each other, of which the largest cases are made, are encoded once.
class RowEncoder {
 public:
  explicit RowEncoder(plusmax_dtype dtype) : dtype_(dtype), size_(reference::size_of(dtype)) {}
  const unsigned char* operator()(std::span<const double> row) {
    const auto same_bits = last_.size() == row.size() && std::memcmp(last_.data(), row.data(), row.size_bytes()) == 0;
    if (same_bits) return bytes_.data();
    last_.assign(row.begin(), row.end());
    bytes_.resize(row.size() * size_);
    for (std::size_t j = 0; j < row.size(); ++j) reference::encode(dtype_, row[j], bytes_.data() + j * size_);
    return bytes_.data();
  }

 private:
  plusmax_dtype dtype_;
  std::size_t size_;
  std::vector<double> last_;
  std::vector<unsigned char> bytes_;
};

}  // namespace

Storage::Storage(const Rows& rows, const Layout& layout, const Execution& execution, bool overwritten, const char* name)
    : rows_(rows), layout_(layout), execution_(execution), overwritten_(overwritten), name_(name), element_bytes_(reference::size_of(rows.dtype())),
      padding_(element_bytes_) {
  reference::encode(rows.dtype(), value_of(execution.padding, rows.dtype()), padding_.data());
  if (execution.surrounded) first_ = static_cast<std::size_t>(per_bytes(rows.dtype(), 256));
  mode_ = choose();
}

std::size_t Storage::span() const {
  if (rows_.rows() == 0 || rows_.cols() == 0) return 1;  // a device may not lend 0 bytes
  return static_cast<std::size_t>((rows_.rows() - 1) * layout_.row_stride + (rows_.cols() - 1) * layout_.col_stride + 1);
}

Storage::Mode Storage::choose() const {
  const bool is_packed = layout_.col_stride == 1 && layout_.row_stride == rows_.cols();
  if (span() <= kImageBytes / element_bytes_ || execution_.surrounded) return Mode::image;
  if (is_packed) return Mode::packed;
  const std::int64_t row_span = (rows_.cols() - 1) * layout_.col_stride + 1;
  if (layout_.row_stride >= row_span) return Mode::by_row;
  if (layout_.col_stride >= (rows_.rows() - 1) * layout_.row_stride + 1) return Mode::by_column;
  return Mode::image;
}

BufferSpec Storage::spec() const {
  BufferSpec spec;
  spec.name = name_;
  spec.read_only = !overwritten_;
  spec.flush_left = execution_.flush_left;
  // 256 bytes of surrounding padding keep the phase.
  spec.phase = static_cast<std::size_t>(layout_.phase) * element_bytes_ % 256;
  if (mode_ == Mode::by_row) {
    spec.lines = static_cast<std::size_t>(rows_.rows());
    spec.line_bytes = static_cast<std::size_t>((rows_.cols() - 1) * layout_.col_stride + 1) * element_bytes_;
    spec.line_stride = static_cast<std::size_t>(layout_.row_stride) * element_bytes_;
  } else if (mode_ == Mode::by_column) {
    spec.lines = static_cast<std::size_t>(rows_.cols());
    spec.line_bytes = static_cast<std::size_t>((rows_.rows() - 1) * layout_.row_stride + 1) * element_bytes_;
    spec.line_stride = static_cast<std::size_t>(layout_.col_stride) * element_bytes_;
  } else {
    spec.line_bytes = spec.line_stride = (span() + 2 * first_) * element_bytes_;
  }
  return spec;
}

Storage::Line Storage::padded(std::size_t offset, std::size_t elements) const {
  Line line{offset, std::vector<unsigned char>(elements * element_bytes_)};
  for (std::size_t k = 0; k < elements; ++k) std::memcpy(line.bytes.data() + k * element_bytes_, padding_.data(), element_bytes_);
  return line;
}

template <class Encoder>
void Storage::put_row(std::int64_t row, Line& line, std::size_t first, std::size_t step, Encoder& encode) const {
  const auto data = rows_.row(row, scratch_);
  if (data.empty()) return;
  const unsigned char* bytes = encode(data);
  unsigned char* to = line.bytes.data() + first * element_bytes_;
  if (step == 1) {
    std::memcpy(to, bytes, data.size() * element_bytes_);
    return;
  }
  for (std::size_t j = 0; j < data.size(); ++j) std::memcpy(to + j * step * element_bytes_, bytes + j * element_bytes_, element_bytes_);
}

template <class Use>
void Storage::packed_pieces(Use use) const {
  const auto cols = static_cast<std::size_t>(rows_.cols());
  const auto rows = rows_.rows();
  const auto at_once = static_cast<std::int64_t>(std::max<std::size_t>(1, kPieceBytes / (cols * element_bytes_)));
  RowEncoder encode(rows_.dtype());
  for (std::int64_t r = 0; r < rows; r += at_once) {
    const std::int64_t count = std::min(at_once, rows - r);
    Line line = padded(static_cast<std::size_t>(r) * cols * element_bytes_, static_cast<std::size_t>(count) * cols);
    for (std::int64_t k = 0; k < count; ++k) put_row(r + k, line, static_cast<std::size_t>(k) * cols, 1, encode);
    use(line);
  }
}

template <class Use>
void Storage::column_lines(Use use) const {
  const auto step = static_cast<std::size_t>(layout_.row_stride);
  std::vector<Line> lines;
  for (std::int64_t c = 0; c < rows_.cols(); ++c)
    lines.push_back(padded(static_cast<std::size_t>(c * layout_.col_stride) * element_bytes_,
                           static_cast<std::size_t>(rows_.rows() - 1) * step + 1));
  std::vector<double> scratch;
  for (std::int64_t r = 0; r < rows_.rows(); ++r) {
    const auto row = rows_.row(r, scratch);
    for (std::size_t c = 0; c < row.size(); ++c)
      reference::encode(rows_.dtype(), row[c], lines[c].bytes.data() + static_cast<std::size_t>(r) * step * element_bytes_);
  }
  for (Line& line : lines) use(line);
}

template <class Use>
void Storage::each_line(Use use) const {
  if (mode_ == Mode::packed) return packed_pieces(use);
  if (mode_ == Mode::by_column) return column_lines(use);
  RowEncoder encode(rows_.dtype());
  const auto step = static_cast<std::size_t>(layout_.col_stride), stride = static_cast<std::size_t>(layout_.row_stride);
  if (mode_ == Mode::image) {
    Line line = padded(0, span() + 2 * first_);
    for (std::int64_t r = 0; r < rows_.rows() && rows_.cols() > 0; ++r)
      put_row(r, line, first_ + static_cast<std::size_t>(r) * stride, step, encode);
    return use(line);
  }
  for (std::int64_t r = 0; r < rows_.rows(); ++r) {
    Line line = padded(static_cast<std::size_t>(r) * stride * element_bytes_, static_cast<std::size_t>(rows_.cols() - 1) * step + 1);
    put_row(r, line, 0, step, encode);
    use(line);
  }
}

std::unique_ptr<DeviceBuffer> Storage::place(Device& device) const {
  auto buffer = device.allocate(spec());
  each_line([&](const Line& line) { buffer->write(line.offset, line.bytes.data(), line.bytes.size()); });
  buffer->seal();
  return buffer;
}

void Storage::put_elements(const Line& from, std::vector<unsigned char>& to) const {
  const auto stride = static_cast<std::size_t>(layout_.row_stride), step = static_cast<std::size_t>(layout_.col_stride);
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows_.rows()); ++r)
    for (std::size_t c = 0; c < static_cast<std::size_t>(rows_.cols()); ++c) {
      const std::size_t at = (first_ + r * stride + c * step) * element_bytes_;
      std::memcpy(to.data() + at, from.bytes.data() + at, element_bytes_);
    }
}

void Storage::verify(const DeviceBuffer& buffer) const {
  if (overwritten_ && mode_ != Mode::image) return;  // the other modes keep nothing but logits
  std::vector<unsigned char> now;
  each_line([&](const Line& line) {
    now.resize(line.bytes.size());
    buffer.read(line.offset, now.data(), now.size());
    if (overwritten_) put_elements(line, now);
    const auto changed = std::mismatch(now.begin(), now.end(), line.bytes.begin()).first;
    if (changed != now.end())
      throw DeviceError(fmt::format("{}: byte {} was changed from 0x{:02x} to 0x{:02x}", name_, line.offset + (changed - now.begin()),
                                    line.bytes[static_cast<std::size_t>(changed - now.begin())], *changed));
  });
}

}  // namespace plusmax::properties

// Pieces of HTML. Text is escaped on the way in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plusmax::reports {

std::string escaped(std::string_view text);           // & < > " ', and control characters that XML forbids dropped
std::string code(std::string_view text);              // <code>
std::string tag(std::string_view name, std::string_view classes, std::string_view html);

// A table; cells are HTML. Columns marked numeric are set flush right and sorted by their data-value.
class Table {
 public:
  struct Column {
    std::string title;
    bool numeric = false;
  };
  struct Cell {
    std::string html;
    double value = 0;       // of a numeric column: what it is sorted by
    std::string classes = {};
  };
  explicit Table(std::vector<Column> columns, std::string_view classes = "");
  void row(const std::vector<Cell>& cells, std::string_view classes = "");
  std::string html() const;
  std::size_t rows() const { return rows_; }

 private:
  std::vector<Column> columns_;
  std::string head_, body_;
  std::size_t rows_ = 0;
};

}  // namespace plusmax::reports

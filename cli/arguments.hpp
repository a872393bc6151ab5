// The command line of one verb. Only arguments.cpp and main.cpp meet CLI11: its header costs seconds in every file.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace plusmax::cli {

struct ArgumentTraits {
  std::string (*refuse)(const std::string& text) = nullptr;  // what is wrong with a text, or empty
  bool shows_default = false;
  bool required = false;
};

class Arguments {
 public:
  explicit Arguments(CLI::App& app) : app_(app) {}

  // `name`: "--seed", "-q,--quiet", or "line" for a word without a dash. The value keeps what it is if the user says
  // nothing, and must outlive the parse. T: std::string, int, std::int64_t, std::uint64_t, double, or a vector of
  // strings, to which each use of the option adds.
  template <class T>
  void option(const std::string& name, T& value, const std::string& help, const ArgumentTraits& traits = {});
  // T: bool, or int for how often it is given.
  template <class T>
  void flag(const std::string& name, T& value, const std::string& help);

 private:
  CLI::App& app_;
};

}  // namespace plusmax::cli

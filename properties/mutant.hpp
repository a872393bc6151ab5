// A planted mistake, as its .mutant file states it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plusmax::properties {

struct Mutant {
  std::string name, op, file, why, killed_by;
  std::vector<std::string> sources;   // public bug reports
  std::vector<std::string> cases;     // 1 to 3 case lines
  std::vector<std::string> gpu_cases; // up to 3 more for devices: what needs thousands of blocks at once to show
  std::vector<std::string> variants, dtypes;
  bool race = false;                  // the race build must kill it too
  bool must_crash = false;            // a crash or a fault is the kill
  bool host_only = false;             // a device shows it by chance, if at all
};

const std::vector<Mutant>& all_mutants();  // compiled in from the files, sorted by name
std::string mutant_module_path(const Mutant&, std::string_view backend);  // beside the executable

}  // namespace plusmax::properties

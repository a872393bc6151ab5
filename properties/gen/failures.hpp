// The failure database: a directory of files of one line, each a Case that has failed; its name is the hash of the line.
#pragma once

#include "properties/case.hpp"

#include <string>
#include <vector>

namespace plusmax::properties::gen {

// Every *.case file of `directory`, by name; empty if there is no such directory.
// Throws UsageError with the file and what is wrong with its line, std::runtime_error if it cannot be read.
std::vector<Case> load_failures(const std::string& directory);

// Writes DIRECTORY/HASH.case, making the directory, and returns that path. All or nothing: the file is renamed into place.
// Throws std::runtime_error with the path and the system's own words.
std::string store_failure(const std::string& directory, const Case&);

// "0123456789abcdef" + ".case": the same on every machine.
std::string failure_file_name(const Case&);

}  // namespace plusmax::properties::gen

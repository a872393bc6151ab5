#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <vector>

namespace plusmax::cli {

template <class T>
void Arguments::option(const std::string& name, T& value, const std::string& help, const ArgumentTraits& traits) {
  CLI::Option* option = app_.add_option(name, value, help);
  if (traits.refuse != nullptr) option->check(traits.refuse);
  if (traits.shows_default) option->capture_default_str();
  if (traits.required) option->required();
}
template void Arguments::option(const std::string&, std::string&, const std::string&, const ArgumentTraits&);
template void Arguments::option(const std::string&, int&, const std::string&, const ArgumentTraits&);
template void Arguments::option(const std::string&, std::int64_t&, const std::string&, const ArgumentTraits&);
template void Arguments::option(const std::string&, std::uint64_t&, const std::string&, const ArgumentTraits&);
template void Arguments::option(const std::string&, double&, const std::string&, const ArgumentTraits&);
template void Arguments::option(const std::string&, std::vector<std::string>&, const std::string&, const ArgumentTraits&);

template <class T>
void Arguments::flag(const std::string& name, T& value, const std::string& help) {
  app_.add_flag(name, value, help);
}
template void Arguments::flag(const std::string&, bool&, const std::string&);
template void Arguments::flag(const std::string&, int&, const std::string&);

}  // namespace plusmax::cli

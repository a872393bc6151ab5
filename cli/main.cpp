// plusmax VERB [options]: one line to stderr when something is wrong, and the exit codes of reports/summary.hpp.
#include "cli/build_info.hpp"
#include "cli/suggest.hpp"
#include "cli/verbs.hpp"
#include "properties/case.hpp"
#include "properties/suggest.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <string>
#include <system_error>
#include <vector>

namespace plusmax::cli {
namespace {

struct VerbEntry {
  const char* name;
  const char* summary;
  RunVerb (*add)(Arguments&);
};

constexpr VerbEntry kVerbs[] = {
    {"check", "run case files and properties on every variant; the gate", add_check},
    {"fuzz", "search for failures, shrink them, print one replay line each", add_fuzz},
    {"replay", "run one case line", add_replay},
    {"explain", "the error bound of one case line, term by term", add_explain},
    {"bench", "time and bandwidth against ceilings of the same run", add_bench},
    {"mutants", "run every planted mistake: each must be killed; the gate of the harness itself", add_mutants},
    {"plan", "how much memory the logits of linear_cross_entropy need, and which chunk fits a budget", add_plan},
    {"report", "write the report files again from the records", add_report},
    {"list", "what this build contains", add_list},
    {"doctor", "what this machine can do, and what to do about the rest", add_doctor},
};

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const VerbEntry& verb : kVerbs) names.emplace_back(verb.name);
  return names;
}

std::string one_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

int complain(const std::string& what, int code) {
  fmt::print(stderr, "plusmax: {}\n", one_line(what));
  return code;
}

// "--sed is no option of check: did you mean '--seed'?"
std::string unexpected(const CLI::App& app, const CLI::App& verb) {
  std::vector<std::string> extras = verb.remaining();
  if (extras.empty()) extras = app.remaining(true);
  const std::string word = extras.empty() ? "?" : extras.front();
  if (!word.starts_with("-")) return fmt::format("'{}' is one argument too many for {}; quote a case line as one word", word, verb.get_name());
  std::vector<std::string> known;
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  return fmt::format("{} is no option of {}{}", word, verb.get_name(), properties::suggestion(word, known));
}

// "--sede stands before the verb": plusmax itself has few options.
std::string unexpected(const std::string& word, const CLI::App& app) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  return fmt::format(
      "{} is no option of plusmax itself{}; options of a verb stand behind it, as in `./plusmax check --profile smoke`",
      word, properties::suggestion(word, known));
}

// Output that nobody received is no success. Whoever closes a pipe has seen enough, and the verdict stands.
int delivered(int code) {
  std::fflush(stdout);
  const int error = errno;
  if (std::ferror(stdout) == 0 || code == reports::kUsage) return code;
  pollfd out{1, POLLOUT, 0};
  if (::poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0) return code;
  const std::string why =
      error != 0 ? fmt::format(": {}", std::strerror(error)) : "";  // not known if the write was an earlier one
  return complain(fmt::format("cannot write to standard output{}; send it to a place that has room", why),
                  reports::kInternal);
}

int dispatch(int argc, char** argv) {
  CLI::App app("plusmax: kernels for the loss layer of language models, and the harness that proves them", "plusmax");
  app.set_version_flag("--version", fmt::format("plusmax {} ({}; {})", build_info().version, build_info().git, build_info().toolchain));
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "help of every verb");
  std::map<const CLI::App*, RunVerb> runners;
  for (const VerbEntry& verb : kVerbs) {
    CLI::App* sub = app.add_subcommand(verb.name, verb.summary);
    Arguments arguments(*sub);
    runners[sub] = verb.add(arguments);
  }
  if (argc < 2) {
    fmt::print("{}", app.help());
    return reports::kUsage;
  }
  const std::string first = argv[1];
  const std::vector<std::string> verbs = verb_names();
  if (!first.starts_with("-") && std::find(verbs.begin(), verbs.end(), first) == verbs.end())
    return complain(unknown_name("verb", first, verbs), reports::kUsage);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& answer) {  // --help, --version
    return app.exit(answer);
  } catch (const CLI::ParseError& error) {
    for (const VerbEntry& verb : kVerbs)
      if (first == verb.name) {
        const bool extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
        return complain(extra ? unexpected(app, *app.get_subcommand(verb.name))
                              : fmt::format("{}; `./plusmax {} --help` shows its options", one_line(error.what()), first), reports::kUsage);
      }
    if (first.starts_with("-")) return complain(unexpected(first, app), reports::kUsage);
    return complain(fmt::format("{}; `./plusmax --help` shows the verbs", one_line(error.what())), reports::kUsage);
  }
  return runners.at(app.get_subcommands().front())({std::vector<std::string>(argv, argv + argc)});
}

}  // namespace
}  // namespace plusmax::cli

int main(int argc, char** argv) {
  using namespace plusmax;
  // A closed standard stream would give its number to the next file opened, and our output to that file.
  for (int descriptor = 0; descriptor < 3; ++descriptor)
    if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0) return reports::kInternal;
  std::signal(SIGPIPE, SIG_IGN);  // a child that died, or a reader like `head` that has seen enough
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may grow no more is an error of write(), not a reason to die
  try {
    const int code = cli::dispatch(argc, argv);
    errno = 0;
    return cli::delivered(code);
  } catch (const properties::UsageError& error) {
    std::fflush(stdout);
    return cli::complain(error.what(), reports::kUsage);
  } catch (const std::system_error& error) {
    if (error.code().value() == EPIPE) return 128 + SIGPIPE;  // whoever read our output has seen enough
    errno = error.code().value();
    if (std::ferror(stdout) != 0) return cli::delivered(reports::kInternal);
    return cli::complain(fmt::format("internal error: {}", error.what()), reports::kInternal);
  } catch (const std::exception& error) {
    std::fflush(stdout);
    return cli::complain(fmt::format("internal error: {}", error.what()), reports::kInternal);
  }
}

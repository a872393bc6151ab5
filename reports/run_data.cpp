#include "reports/run_data.hpp"

#include "reports/numbers.hpp"
#include "reports/record_json.hpp"
#include "reports/to_json.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace plusmax::reports {
namespace {

namespace fs = std::filesystem;

std::string slurp(const fs::path& path) {
  if (fs::is_directory(path))
    throw std::runtime_error(
        fmt::format("{} is a directory; name a directory that holds a file of that name", path.string()));
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error(fmt::format("{}: {}", path.string(), std::strerror(errno)));
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// What no run writes, and what would make nonsense of a sum or of a verdict.
void require_sense(const properties::Record& r) {
  if (r.checks == 0) throw std::runtime_error("checks is 0: it must be 1 or more");
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 48;  // far above what a run counts, and sums stay below 2^64
  for (const auto& [name, count] : {std::pair{"checks", r.checks}, {"escalations", r.escalations}, {"uncertified", r.uncertified}})
    if (count > kLargest) throw std::runtime_error(fmt::format("{} is {}: it must be at most 2^48", name, count));
  if (!(r.seconds >= 0 && std::isfinite(r.seconds)))
    throw std::runtime_error(fmt::format("seconds is {}: it must be finite, 0 or more", decimal(r.seconds)));
  if (r.outcome == properties::Outcome::passed && !(r.worst_ratio >= 0 && std::isfinite(r.worst_ratio)))
    throw std::runtime_error(fmt::format("outcome is passed, but worst_ratio {}", decimal(r.worst_ratio)));
}
void require_sense(const properties::MutantResult& m) {
  if (m.has_margin && !(m.margin >= 0))
    throw std::runtime_error(fmt::format("margin is {}: it must be 0 or more", decimal(m.margin)));
}
void require_sense(const properties::BenchResult& b) {
  for (const auto& [name, value] : {std::pair{"bytes", b.bytes},
                                    {"median_us", b.median_us},
                                    {"p10_us", b.p10_us},
                                    {"p90_us", b.p90_us},
                                    {"cold_median_us", b.cold_median_us},
                                    {"ceiling_us", b.ceiling_us}})
    if (!(value >= 0)) throw std::runtime_error(fmt::format("{} is {}: it must be 0 or more", name, decimal(value)));
}

// False if the file is not there. A run that was killed while writing leaves half a line behind: it is noted and left out.
template <class T>
bool read_lines(const fs::path& path, T (*parse)(std::string_view), std::vector<T>& out, std::vector<std::string>& notes) {
  if (!fs::exists(path)) return false;
  const std::string text = slurp(path);
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    ++number;
    if (end == std::string::npos) {
      notes.push_back(fmt::format("{}: line {} is cut off and left out", path.filename().string(), number));
      break;
    }
    const std::string_view line(text.data() + begin, end - begin);
    begin = end + 1;
    if (line.empty()) continue;
    try {
      out.push_back(parse(line));
      require_sense(out.back());
    } catch (const std::exception& error) {
      throw std::runtime_error(fmt::format("{}:{}: {}", path.string(), number, error.what()));
    }
  }
  return true;
}

void read_meta(const fs::path& path, RunData& data) {
  try {
    const Json json = Json::parse(slurp(path));
    const int version = json.at("schemaVersion");
    if (version != kSchemaVersion)
      throw std::runtime_error(fmt::format("schemaVersion {}, this program reads {}", version, kSchemaVersion));
    from_json_value(json.at("meta"), data.info);
    for (const Json& entry : json.at("checks")) from_json_value(entry, data.checks.emplace_back());
    data.unrecorded = get_or<std::string>(json, "unrecorded", "");
    data.info.interrupted |= !data.unrecorded.empty();
    for (const Json& note : json.at("notes")) data.notes.push_back(note);
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace

RunData read_run(const fs::path& directory) {
  RunData data;
  const bool meta = fs::exists(directory / "run.json");
  if (meta) read_meta(directory / "run.json", data);
  bool any = meta;
  any |= read_lines(directory / "records.jsonl", &record_from_json, data.records, data.notes);
  any |= read_lines(directory / "mutants.jsonl", &mutant_from_json, data.mutants, data.notes);
  any |= read_lines(directory / "bench.jsonl", &bench_from_json, data.bench, data.notes);
  if (!any)
    throw std::runtime_error(fmt::format("{} holds no records.jsonl, mutants.jsonl or bench.jsonl: name a directory that "
                                         "check, fuzz, mutants or bench wrote with --out", directory.string()));
  return data;
}

std::string run_json(const RunData& data) {
  Json json;
  json["schemaVersion"] = kSchemaVersion;
  json["meta"] = json_of(data.info);
  put_text(json, "unrecorded", data.unrecorded);
  json["checks"] = Json::array();
  for (const CheckInfo& check : data.checks) json["checks"].push_back(json_of(check));
  json["notes"] = data.notes;
  return dump(json, 1) + "\n";
}

void merge(RunData& into, RunData from) {
  const auto append = [](auto& to, auto& more) {
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  append(into.records, from.records);
  append(into.mutants, from.mutants);
  append(into.bench, from.bench);
  append(into.notes, from.notes);
  if (!from.unrecorded.empty()) into.unrecorded += (into.unrecorded.empty() ? "" : "; ") + from.unrecorded;
  into.info.interrupted |= from.info.interrupted;
  if (into.checks.empty()) into.checks = std::move(from.checks);
}

}  // namespace plusmax::reports

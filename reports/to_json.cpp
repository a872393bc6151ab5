#include "reports/to_json.hpp"

#include "reports/record_json.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace plusmax::reports {
namespace {

using properties::BenchResult;
using properties::MutantResult;
using properties::Record;
using properties::RunInfo;
using Strings = std::vector<std::string>;

void put_measurements(Json& json, const Record& r) {
  put_count(json, "compared", r.compared);
  put_count(json, "logits", r.logits);
  put_exact(json, "worst_ratio", r.worst_ratio);
  json["worst_probabilistic"] = number(r.worst_probabilistic);
  json["sum_ratio"] = number(r.sum_ratio);
  json["worst_row"] = r.worst_row;
  put_exact(json, "got", r.got);
  put_exact(json, "want", r.want);
  put_exact(json, "error", r.error);
  put_exact(json, "bound", r.bound);
  json["worst_ulps"] = number(r.worst_ulps);
  if (!r.ulp_histogram.empty()) {
    Json bins = Json::object();
    for (const auto& [bin, count] : r.ulp_histogram) bins[std::to_string(bin)] = count;
    json["ulp_histogram"] = bins;
  }
  if (r.gradients > 0) {
    put_count(json, "gradients", r.gradients);
    put_count(json, "flushed", r.flushed);
    json["worst_gradient_ulps"] = number(r.worst_gradient_ulps);
  }
  for (const properties::AccuracyPoint& p : r.accuracy)
    json["accuracy"].push_back(
        {{"result", p.result}, {"x", number(p.x)}, {"ulps", number(p.ulps)}, {"textbook_ulps", number(p.textbook_ulps)}});
  put_count(json, "escalations", r.escalations);
  put_count(json, "uncertified", r.uncertified);
}

int bin_from(const std::string& text) {
  std::size_t end = 0;
  const int bin = std::stoi(text, &end);
  if (end != text.size())
    throw std::runtime_error(fmt::format("'{}' is no bin of ulp_histogram: it must be a whole number", text));
  return bin;
}

std::int64_t row_from(const Json& json) {
  const auto found = json.find("worst_row");
  return found == json.end() || *found == -1 ? -1 : get_size(json, "worst_row");
}

void get_measurements(const Json& json, Record& r) {
  r.compared = get_count(json, "compared");
  r.logits = get_count(json, "logits");
  r.worst_ratio = get_number(json, "worst_ratio");
  r.worst_probabilistic = get_number(json, "worst_probabilistic");
  r.sum_ratio = get_number(json, "sum_ratio");
  r.worst_row = row_from(json);
  r.got = get_number(json, "got");
  r.want = get_number(json, "want");
  r.error = get_number(json, "error");
  r.bound = get_number(json, "bound");
  r.worst_ulps = get_number(json, "worst_ulps");
  if (const auto bins = json.find("ulp_histogram"); bins != json.end())
    for (const auto& [bin, count] : bins->items()) r.ulp_histogram[bin_from(bin)] = get_count(*bins, bin);
  r.gradients = get_count(json, "gradients", 0);
  r.flushed = get_count(json, "flushed", 0);
  if (json.contains("worst_gradient_ulps")) r.worst_gradient_ulps = get_number(json, "worst_gradient_ulps");
  if (const auto points = json.find("accuracy"); points != json.end())
    for (const Json& p : *points)
      r.accuracy.push_back(
          {p.at("result"), get_number(p, "x"), get_number(p, "ulps"), get_number(p, "textbook_ulps")});
  r.escalations = get_count(json, "escalations");
  r.uncertified = get_count(json, "uncertified");
}

}  // namespace

Json json_of(const Record& r) {
  Json json;
  json["op"] = r.op;
  json["variant"] = r.variant;
  json["dtype"] = r.dtype;
  json["backend"] = r.backend;
  json["check"] = r.check;
  put_text(json, "mutant", r.mutant);
  json["case"] = r.case_line;
  put_text(json, "case_id", r.case_id);
  json["source"] = r.source;
  put_text(json, "case_file", r.case_file);
  if (r.checks != 1) json["checks"] = r.checks;
  json["rows"] = r.rows;
  json["cols"] = r.cols;
  json["seed"] = r.seed;
  json["outcome"] = name_of(r.outcome);
  put_text(json, "reason", r.reason);
  put_measurements(json, r);
  json["seconds"] = number(r.seconds);
  return json;
}

void from_json_value(const Json& json, Record& r) {
  r.op = json.at("op");
  r.variant = json.at("variant");
  r.dtype = json.at("dtype");
  r.backend = json.at("backend");
  r.check = json.at("check");
  r.mutant = get_or<std::string>(json, "mutant", "");
  r.case_line = json.at("case");
  r.case_id = get_or<std::string>(json, "case_id", "");
  r.source = json.at("source");
  r.case_file = get_or<std::string>(json, "case_file", "");
  r.checks = get_count(json, "checks", 1);
  r.rows = get_size(json, "rows");
  r.cols = get_size(json, "cols");
  json.at("seed");
  r.seed = get_count(json, "seed");
  const auto outcome = outcome_from(json.at("outcome").get<std::string>());
  if (!outcome) throw std::runtime_error(fmt::format("unknown outcome '{}'", json.at("outcome").get<std::string>()));
  r.outcome = *outcome;
  r.reason = get_or<std::string>(json, "reason", "");
  get_measurements(json, r);
  r.seconds = get_number(json, "seconds");
}

Json json_of(const MutantResult& m) {
  Json json;
  json["name"] = m.name;
  json["op"] = m.op;
  json["why"] = m.why;
  json["sources"] = m.sources;
  json["killed_by"] = m.killed_by;
  json["kills"] = m.kills;
  json["killed"] = m.killed;
  json["has_margin"] = m.has_margin;
  put_exact(json, "margin", m.margin);
  json["case"] = m.case_line;
  json["variant"] = m.variant;
  json["dtype"] = m.dtype;
  json["detail"] = m.detail;
  return json;
}

void from_json_value(const Json& json, MutantResult& m) {
  m.name = json.at("name");
  m.op = json.at("op");
  m.why = get_or<std::string>(json, "why", "");
  m.sources = get_or<Strings>(json, "sources", {});
  m.killed_by = json.at("killed_by");
  m.kills = get_or<Strings>(json, "kills", {});
  m.killed = json.at("killed");
  m.has_margin = json.at("has_margin");
  m.margin = get_number(json, "margin");
  m.case_line = get_or<std::string>(json, "case", "");
  m.variant = get_or<std::string>(json, "variant", "");
  m.dtype = get_or<std::string>(json, "dtype", "");
  m.detail = get_or<std::string>(json, "detail", "");
}

// Of a launch that was measured in rounds.
static void put_rounds(Json& json, const BenchResult& b) {
  json["ratio"] = number(b.ratio);
  json["rested_us"] = number(b.rested_us);
  json["rested_ceiling_us"] = number(b.rested_ceiling_us);
  json["rested_ratio"] = number(b.rested_ratio);
  put_count(json, "taken_bytes", b.taken_bytes);
  for (const properties::BenchError& e : b.errors)
    json["errors"].push_back({{"result", e.result}, {"judged", e.judged}, {"worst_ratio", number(e.worst_ratio)}, {"rms", number(e.rms)}, {"rms_bound", number(e.rms_bound)}});
  put_text(json, "sample", b.sample);
}

static void get_rounds(const Json& json, BenchResult& b) {
  b.ratio = get_number(json, "ratio");
  b.rested_us = get_number(json, "rested_us");
  b.rested_ceiling_us = get_number(json, "rested_ceiling_us");
  b.rested_ratio = get_number(json, "rested_ratio");
  b.taken_bytes = get_count(json, "taken_bytes", 0);
  b.sample = get_or<std::string>(json, "sample", "");
  if (const auto errors = json.find("errors"); errors != json.end())
    for (const Json& e : *errors)
      b.errors.push_back({e.at("result"), get_count(e, "judged"), get_number(e, "worst_ratio"), get_number(e, "rms"), get_number(e, "rms_bound")});
}

Json json_of(const BenchResult& b) {
  Json json;
  json["op"] = b.op;
  json["variant"] = b.variant;
  json["dtype"] = b.dtype;
  json["device"] = b.device;
  json["case"] = b.case_line;
  json["rows"] = b.rows;
  json["cols"] = b.cols;
  json["bytes"] = number(b.bytes);
  json["median_us"] = number(b.median_us);
  json["p10_us"] = number(b.p10_us);
  json["p90_us"] = number(b.p90_us);
  json["cold_median_us"] = number(b.cold_median_us);
  json["workspace_bytes"] = b.workspace_bytes;
  json["ceiling"] = b.ceiling;
  put_text(json, "load", b.load);
  json["ceiling_us"] = number(b.ceiling_us);
  json["share"] = number(b.share);
  json["verified"] = b.verified;
  put_text(json, "note", b.note);
  if (b.ratio > 0) put_rounds(json, b);
  return json;
}

void from_json_value(const Json& json, BenchResult& b) {
  b.op = json.at("op");
  b.variant = json.at("variant");
  b.dtype = json.at("dtype");
  b.device = get_or<std::string>(json, "device", "");
  b.case_line = json.at("case");
  b.rows = get_size(json, "rows");
  b.cols = get_size(json, "cols");
  b.bytes = get_number(json, "bytes");
  b.median_us = get_number(json, "median_us");
  b.p10_us = get_number(json, "p10_us");
  b.p90_us = get_number(json, "p90_us");
  b.cold_median_us = get_number(json, "cold_median_us");
  b.workspace_bytes = json.value("workspace_bytes", std::uint64_t{0});
  b.ceiling = get_or<std::string>(json, "ceiling", "");
  b.load = get_or<std::string>(json, "load", "");
  b.ceiling_us = get_number(json, "ceiling_us");
  b.share = get_number(json, "share");
  b.verified = json.at("verified");
  b.note = get_or<std::string>(json, "note", "");
  get_rounds(json, b);
}

Json json_of(const RunInfo& info) {
  Json json;
  json["argv"] = info.argv;
  json["seed"] = info.seed;
  json["verb"] = info.verb;
  put_text(json, "profile", info.profile);
  json["version"] = info.version;
  json["git"] = info.git;
  json["toolchain"] = info.toolchain;
  json["device"] = info.device;
  json["backend"] = info.backend;
  json["reference"] = info.reference;
  json["started"] = info.started;
  json["seconds"] = number(info.seconds);
  json["interrupted"] = info.interrupted;
  return json;
}

void from_json_value(const Json& json, RunInfo& info) {
  info.argv = get_or<Strings>(json, "argv", {});
  info.seed = get_count(json, "seed");
  info.verb = get_or<std::string>(json, "verb", "");
  info.profile = get_or<std::string>(json, "profile", "");
  info.version = get_or<std::string>(json, "version", "");
  info.git = get_or<std::string>(json, "git", "");
  info.toolchain = get_or<std::string>(json, "toolchain", "");
  info.device = get_or<std::string>(json, "device", "");
  info.backend = get_or<std::string>(json, "backend", "");
  info.reference = get_or<std::string>(json, "reference", "");
  info.started = get_or<std::string>(json, "started", "");
  info.seconds = get_number(json, "seconds");
  info.interrupted = get_or<bool>(json, "interrupted", false);
}

Json json_of(const CheckInfo& check) {
  Json json;
  json["op"] = check.op;
  json["name"] = check.name;
  json["statement"] = check.statement;
  json["has_margin"] = check.has_margin;
  return json;
}

void from_json_value(const Json& json, CheckInfo& check) {
  check.op = json.at("op");
  check.name = json.at("name");
  check.statement = json.at("statement");
  check.has_margin = get_or<bool>(json, "has_margin", false);
}

}  // namespace plusmax::reports

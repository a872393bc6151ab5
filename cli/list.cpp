// list: everything that has a name.
#include "cli/catalog.hpp"
#include "cli/verbs.hpp"
#include "properties/fill.hpp"
#include "properties/mutant.hpp"
#include "properties/operation.hpp"
#include "reports/json_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

namespace plusmax::cli {
namespace {

using reports::JsonWriter;

struct ListOptions {
  Selection selection;
  bool json = false;
};

std::vector<std::pair<std::string, const properties::Check*>> checks_of(const Selection& selection) {
  std::vector<std::pair<std::string, const properties::Check*>> all;
  for (const std::string& op : operation_names())
    if (selection.op.empty() || selection.op == op)
      for (const properties::Check* check : properties::checks_of(op)) all.emplace_back(op, check);
  return all;
}

void print_json(const Selection& selection, const std::vector<VariantFacts>& variants) {
  JsonWriter w;
  w.begin_object().begin_array("variants");
  for (const VariantFacts& v : variants) {
    w.begin_object().text("op", v.op).text("name", v.name).text("backend", v.backend).begin_array("dtypes");
    for (const std::string& dtype : v.dtypes) w.text("", dtype);
    w.end_array().end_object();
  }
  w.end_array().begin_array("checks");
  for (const auto& [op, check] : checks_of(selection))
    w.begin_object().text("op", op).text("name", check->name).text("statement", check->statement).boolean("has_margin", check->has_margin).end_object();
  w.end_array().begin_array("fills");
  for (const properties::Fill* fill : properties::fills::all()) {
    w.begin_object().text("name", fill->name).text("exposes", fill->exposes).begin_array("parameters");
    for (const properties::FillParameter& p : fill->parameters)
      w.begin_object().text("name", p.name).real("default", p.initial).text("meaning", p.meaning).end_object();
    w.end_array().end_object();
  }
  w.end_array().begin_array("mutants");
  for (const properties::Mutant& m : properties::all_mutants())
    w.begin_object().text("name", m.name).text("op", m.op).text("killed_by", m.killed_by).text("why", m.why).end_object();
  w.end_array().begin_array("profiles");
  for (const std::string& profile : profile_names()) w.text("", profile);
  w.end_array().end_object();
  fmt::print("{}", w.str());
}

void print_text(const Selection& selection, const std::vector<VariantFacts>& variants) {
  fmt::print("variants\n");
  for (const VariantFacts& v : variants) fmt::print("  {}/{:16} {} ({})\n", v.op, v.name, fmt::join(v.dtypes, " "), v.backend);
  fmt::print("checks\n");
  for (const auto& [op, check] : checks_of(selection)) fmt::print("  {}/{:20} {}\n", op, check->name, check->statement);
  fmt::print("fills\n");
  for (const properties::Fill* fill : properties::fills::all()) {
    fmt::print("  {:20} {}\n", fill->name, fill->exposes);
    for (const properties::FillParameter& p : fill->parameters) fmt::print("    {}={}  {}\n", p.name, p.initial, p.meaning);
  }
  fmt::print("mutants\n");
  for (const properties::Mutant& m : properties::all_mutants()) fmt::print("  {:28} killed by {:16} {}\n", m.name, m.killed_by, m.why);
  fmt::print("profiles\n  {}\n", fmt::join(profile_names(), " "));
}

}  // namespace

RunVerb add_list(Arguments& arguments) {
  auto options = std::make_shared<ListOptions>();
  add_backend(arguments, options->selection);
  arguments.option("--op", options->selection.op, "only this operation");
  arguments.flag("--json", options->json, "as JSON");
  return [options](const Invocation&) {
    options->selection.validate();
    const std::vector<VariantFacts> variants = variants_of(choose_backend(options->selection), options->selection);
    options->json ? print_json(options->selection, variants) : print_text(options->selection, variants);
    return 0;
  };
}

}  // namespace plusmax::cli

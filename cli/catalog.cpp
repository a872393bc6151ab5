#include "cli/catalog.hpp"

#include "reference/dtype.hpp"

namespace plusmax::cli {

std::vector<VariantFacts> variants_of(const Backend& backend, const Selection& selection) {
  std::vector<VariantFacts> all;
  for (const std::string& op : operation_names()) {
    if (!selection.op.empty() && selection.op != op) continue;
    for (const properties::Subject& subject : properties::subjects_of(*backend.module, op, "")) {
      VariantFacts facts{op, subject.variant, backend.name, {}};
      for (const std::string& name : dtype_names())
        if (subject.has(*reference::dtype_from(name))) facts.dtypes.push_back(name);
      all.push_back(std::move(facts));
    }
  }
  return all;
}

std::vector<std::string> profile_names() { return {"smoke", "ci", "full"}; }

}  // namespace plusmax::cli

#include "cli/check_work.hpp"

#include "cli/answers.hpp"
#include "cli/pool.hpp"
#include "cli/replayed.hpp"
#include "reports/record_json.hpp"

#include <string_view>

namespace plusmax::cli {

using properties::Record;
using properties::Subject;

bool device_is_broken(const Module& module) {
  if (std::string_view(module.device->backend()) == "host") return false;
  try {
    module.device->synchronize();
    return false;
  } catch (const DeviceError&) {
    return true;  // an error that stays: every later call of this process would fail with it
  }
}

void run_plan(const Plan& plan, const Backend& backend, const Running& running, Run& run) {
  run.progress().expect(plan.units() + plan.set_aside.size());
  const auto complete = [&](std::size_t group, std::size_t unit, Record record) {
    const PlannedCase& planned = plan.cases[plan.groups[group].of];
    record.source = planned.source;
    record.case_id = planned.id;
    if (is_expected(*plan.groups[group].checks[unit]) && has_answers(planned.row, planned.source))
      record.case_file = planned.row.file;
    run.add(group, std::move(record));
    if (unit + 1 == plan.groups[group].checks.size()) run.end_group(group);
  };
  PoolWork work;
  work.exists = [&](std::size_t group) { return group < plan.groups.size(); };
  work.units = [&](std::size_t group) { return plan.groups[group].checks.size(); };
  work.done = [&](std::size_t group, std::size_t unit, const std::string& line) { complete(group, unit, reports::record_from_json(line)); };
  work.died = [&](std::size_t group, std::size_t unit, const Death& death) {
    const Group& g = plan.groups[group];
    complete(group, unit, record_of(death, identity_of(*g.checks[unit], plan.cases[g.of].of, plan.subjects[g.subject], backend.name)));
  };
  work.tick = [&] { run.progress().tick(); };
  work.stop = [&] { return run.must_stop(); };
  work.work = [&](std::size_t group, std::size_t unit, const Say&) {
    const Group& g = plan.groups[group];
    const PlannedCase& planned = plan.cases[g.of];
    Subject subject = plan.subjects[g.subject];
    const bool answers = is_expected(*g.checks[unit]) && has_answers(planned.row, planned.source);
    return reports::to_json(answers ? check_answers(planned.row, subject)
                                    : properties::run_check(*g.checks[unit], planned.of, subject));
  };
  work.broken = [&] { return device_is_broken(*backend.module); };
  run_pool(work, jobs_for(backend, running.jobs), running.timeout);
  for (const Record& record : plan.set_aside) {
    run.add(plan.groups.size(), record);
  }
  run.end_group(plan.groups.size());
}

}  // namespace plusmax::cli

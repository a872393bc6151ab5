#include "cli/isolated.hpp"

#include "cli/interrupt.hpp"

namespace plusmax::cli {

IsolatedAnswer run_isolated(double timeout, const std::function<std::string(const Say& say)>& work) {
  IsolatedAnswer answer;
  PoolWork pool;
  pool.exists = [](std::size_t group) { return group == 0; };
  pool.units = [](std::size_t) { return std::size_t{1}; };
  pool.note = [&](std::size_t, std::size_t, const std::string& line) { answer.lines.push_back(line); };
  pool.done = pool.note;
  pool.died = [&](std::size_t, std::size_t, const Death& death) {
    answer.died = true;
    answer.death = death;
  };
  pool.tick = [] {};
  pool.stop = [] { return interrupted(); };
  pool.work = [&](std::size_t, std::size_t, const Say& say) { return work(say); };
  run_pool(pool, 1, timeout);
  return answer;
}

}  // namespace plusmax::cli

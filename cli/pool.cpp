#include "cli/pool.hpp"

#include "cli/interrupt.hpp"
#include "cli/worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <poll.h>
#include <system_error>
#include <vector>

namespace plusmax::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

struct Position {
  std::size_t group, unit;
};

struct Slot {
  std::unique_ptr<Worker> worker;
  std::optional<Position> at;        // the unit that is running
  Clock::time_point since;           // when it began
};

class Pool {
 public:
  Pool(const PoolWork& work, int jobs, double timeout) : work_(work), timeout_(timeout), slots_(static_cast<std::size_t>(jobs)) {}

  void run() {
    for (;;) {
      const bool stopping = work_.stop();
      if (stopping && !stopped_) stopped_ = Clock::now();
      if (!stopped_)
        for (Slot& slot : slots_) hand_out(slot);
      if (std::none_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.at.has_value(); })) return;
      if (stopped_ && seconds_since(*stopped_) > kStopGraceSeconds) return;  // ~Worker kills what still runs
      wait();
      for (Slot& slot : slots_)
        if (slot.at && timeout_ > 0 && seconds_since(slot.since) > timeout_) time_out(slot);
      work_.tick();
    }
  }

 private:
  std::optional<Position> next() {
    if (!resumed_.empty()) {
      const Position position = resumed_.front();
      resumed_.pop_front();
      return position;
    }
    if (!work_.exists(next_group_)) return std::nullopt;
    return Position{next_group_++, 0};
  }

  void hand_out(Slot& slot) {
    if (slot.at) return;
    const std::optional<Position> position = next();
    if (!position) return;
    // What goes on behind a death gets a process that was forked after it, and so knows of it.
    if (!slot.worker || position->unit > 0) slot.worker = std::make_unique<Worker>(work_);
    slot.at = position;
    slot.since = Clock::now();
    slot.worker->send(position->group, position->unit, work_.units(position->group));  // a dead worker shows when we read
  }

  void wait() {
    std::vector<pollfd> descriptors;
    std::vector<Slot*> owners;
    for (Slot& slot : slots_)
      if (slot.at) {
        descriptors.push_back({slot.worker->descriptor(), POLLIN, 0});
        owners.push_back(&slot);
      }
    const int ready = ::poll(descriptors.data(), descriptors.size(), 100);
    if (ready < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
    if (ready <= 0) return;
    for (std::size_t i = 0; i < descriptors.size(); ++i)
      if (descriptors[i].revents != 0) receive(*owners[i]);
  }

  void receive(Slot& slot) {
    const bool alive = slot.worker->read();
    while (slot.at) {
      const std::optional<Worker::Answer> answer = slot.worker->take();
      if (!answer) break;
      const Position position = *slot.at;
      if (answer->kind == Worker::Answer::note) {
        slot.since = Clock::now();
        if (work_.note) work_.note(position.group, position.unit, answer->text);
        continue;
      }
      if (answer->kind == Worker::Answer::threw) work_.died(position.group, position.unit, {Death::threw, answer->text});
      else work_.done(position.group, position.unit, answer->text);
      advance(slot);
      if (answer->last_of_process) return replace(slot);
    }
    if (!alive && slot.at) {
      work_.died(slot.at->group, slot.at->unit, {Death::crashed, slot.worker->obituary()});
      advance(slot);
      replace(slot);
    } else if (!alive) {
      slot.worker.reset();
    }
  }

  void time_out(Slot& slot) {
    work_.died(slot.at->group, slot.at->unit, {Death::timeout, fmt::format("no answer in {} s", timeout_)});
    advance(slot);
    replace(slot);
  }

  // The worker goes to the next unit of its group by itself.
  void advance(Slot& slot) {
    slot.since = Clock::now();
    if (++slot.at->unit >= work_.units(slot.at->group)) slot.at.reset();
  }

  void replace(Slot& slot) {
    slot.worker.reset();
    if (slot.at) resumed_.push_back(*slot.at);
    slot.at.reset();
  }

  const PoolWork& work_;
  double timeout_;
  std::vector<Slot> slots_;
  std::deque<Position> resumed_;
  std::size_t next_group_ = 0;
  std::optional<Clock::time_point> stopped_;
};

}  // namespace

void run_pool(const PoolWork& work, int jobs, double timeout) { Pool(work, std::max(jobs, 1), timeout).run(); }

}  // namespace plusmax::cli

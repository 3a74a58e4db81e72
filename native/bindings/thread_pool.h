// Threads that work on a batch while the caller's thread watches for signals. Where no thread can
// be started, as in a browser or under a limit of processes, the caller's thread does both.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "arrays.h"
#include "control.h"

namespace topple {

constexpr std::chrono::milliseconds kWatchInterval{100};

// Whether a signal is to end the batch; asked often, it looks now and then.
inline bool signalled() {
  thread_local std::chrono::steady_clock::time_point due;
  const auto now = std::chrono::steady_clock::now();
  if (now < due) return false;
  due = now + kWatchInterval;
  const nb::gil_scoped_acquire acquire;
  return PyErr_CheckSignals() != 0;
}

// Runs work() on so many threads; a batch that is over before anybody can interrupt is done
// by this one. Progress is written to the counter, if there is one.
template <class Work>
void run_threads(int threads, bool brief, Control& control, int64_t* progress, const Work& work) {
  if (threads <= 1 && brief) {
    nb::gil_scoped_release release;
    work();
  } else {
    std::mutex mutex;
    std::condition_variable finished;
    int running = 0;
    const auto change_running = [&](int by) {
      const std::lock_guard<std::mutex> lock(mutex);
      running += by;
      if (running == 0) finished.notify_one();
    };
    std::vector<std::thread> pool;
    pool.reserve(static_cast<size_t>(threads));
    for (int i = 0; i < threads; ++i) {
      change_running(1);
      try {
        pool.emplace_back([&] {
          work();
          change_running(-1);
        });
      } catch (const std::system_error&) {
        change_running(-1);
        break;  // the system gives no more of them; those it gave do the work
      }
    }
    bool interrupted = false;
    if (pool.empty()) {
      control.interrupted = signalled;
      const nb::gil_scoped_release release;
      work();
      interrupted = control.cancelled;
    } else {
      nb::gil_scoped_release release;
      std::unique_lock<std::mutex> lock(mutex);
      while (!finished.wait_for(lock, kWatchInterval, [&] { return running == 0; })) {
        lock.unlock();
        if (progress) *progress = control.done;
        {
          nb::gil_scoped_acquire acquire;
          interrupted = PyErr_CheckSignals() != 0;
        }
        if (interrupted) control.cancelled = true;
        lock.lock();
        if (interrupted) finished.wait(lock, [&] { return running == 0; });
      }
      lock.unlock();
      for (std::thread& thread : pool) thread.join();
    }
    if (progress) *progress = control.done;
    if (interrupted) throw nb::python_error();
  }
  if (progress) *progress = control.done;
  if (control.failed) throw std::bad_alloc();
}

}  // namespace topple

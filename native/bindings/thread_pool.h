// Threads that work on a batch while the caller's thread watches for signals.
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
    if (pool.empty()) throw std::runtime_error("no thread could be started");
    bool interrupted = false;
    {
      nb::gil_scoped_release release;
      std::unique_lock<std::mutex> lock(mutex);
      while (
          !finished.wait_for(lock, std::chrono::milliseconds(100), [&] { return running == 0; })) {
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

// Things that one call at a time may use, for any number of calls at once.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace mdh::runtime {

/// Lends things of one kind to threads. A thing is made when none is free and kept when it comes
/// back, so that there are never more of them than there were loans at the same time. The first one
/// is made with the pool: what cannot be made at all is noticed there. Several threads may make
/// things at once.
template <class T>
class Pool {
 public:
  explicit Pool(std::function<T()> make) : make_(std::move(make)) {
    free_.push_back(std::make_unique<T>(make_()));
    made_ = 1;
  }

  /// One thing, on loan as long as this object lives. The pool has to live longer.
  class Loan {
   public:
    explicit Loan(Pool& pool) : pool_(pool), thing_(pool.take()) {}
    ~Loan() { pool_.put_back(std::move(thing_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

    T& operator*() const { return *thing_; }
    T* operator->() const { return thing_.get(); }

   private:
    Pool& pool_;
    std::unique_ptr<T> thing_;
  };

  /// How many things were made so far.
  size_t made() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return made_;
  }

 private:
  std::unique_ptr<T> take() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<T> thing = std::move(free_.back());
        free_.pop_back();
        return thing;
      }
    }
    // Not under the lock: making a thing may take long, and others can come back meanwhile.
    auto thing = std::make_unique<T>(make_());
    const std::lock_guard<std::mutex> lock(mutex_);
    ++made_;
    free_.reserve(made_);  // so that coming back needs no memory, and cannot fail
    return thing;
  }

  void put_back(std::unique_ptr<T> thing) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(std::move(thing));
  }

  const std::function<T()> make_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;  // the one that came back last is lent first
  size_t made_ = 0;
};

}  // namespace mdh::runtime

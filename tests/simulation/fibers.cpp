// SPDX-License-Identifier: BSD-3-Clause
#include "fibers.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include <cxxabi.h>
#include <ucontext.h>

#include "base/schedule_point.h"
#include "comm/tags.h"
#include "endpoint.h"
#include "memory/shared_file.h"

namespace simulation {

namespace {

constexpr size_t stack_bytes = 512 * 1024;
constexpr double point_seconds = 5e-7;
constexpr double look_seconds = 1e-8;
constexpr int64_t most_points = 20'000'000;
constexpr int most_holds = 4; // of one message, one after the other
constexpr double never = std::numeric_limits<double>::infinity();

// What the C++ runtime keeps of exceptions, per thread.
struct Exceptions {
    void *caught;
    unsigned int uncaught;
};

struct Fiber {
    ucontext_t context{};
    std::unique_ptr<char[]> stack = std::make_unique_for_overwrite<char[]>(stack_bytes);
    Exceptions exceptions{};
    char text[halo::simulation::error_text_bytes] = "no error";
    double wakes = 0;
    double held_until = 0, unreachable_until = 0;
    uint64_t held = 0; // says which channels
    bool has_held = false;
    std::array<uint8_t, 64> holds{}; // by channel, of which several may share a place
    int64_t points = 0, points_in_storage = 0, allocations = 0;
    int in_library = 0;
    bool counts = false, has_ended = false, has_died = false;
};

int64_t live = 0;

class World {
public:
    World(int32_t n, Scheduler &scheduler, const std::vector<Event> &events, const std::function<void(int32_t)> &body)
        : fibers_(static_cast<size_t>(n)),
          scheduler_(scheduler),
          events_(events),
          body_(body) {
        ready_.reserve(fibers_.size());
        for (Fiber &fiber : fibers_) prepare(fiber);
    }

    Outcome run() {
        current = this;
        for (int32_t next = choose(); next >= 0; next = choose()) enter(next);
        current = nullptr;
        outcome_.seconds = clock_;
        return outcome_;
    }

    Fiber &now() { return fibers_[static_cast<size_t>(now_)]; }
    int32_t rank() const { return now_; }
    double clock(double step) { return clock_ += step; }
    bool has_died(int64_t rank) const { return fibers_[static_cast<size_t>(rank)].has_died; }
    bool any_has_died() const {
        return std::any_of(fibers_.begin(), fibers_.end(), [](const Fiber &fiber) { return fiber.has_died; });
    }
    // `is_here`: has the message reached the rank?
    bool holds_back(uint64_t channel, bool is_here) {
        if (now_ < 0) return false;
        Fiber &fiber = now();
        if (clock_ < fiber.held_until && ((channel ^ fiber.held) * 0x9e3779b97f4a7c15u >> 63) != 0) {
            fiber.has_held = fiber.has_held || is_here;
            return true;
        }
        uint8_t &holds = fiber.holds[(channel * 0x9e3779b97f4a7c15u) >> 58];
        const bool holds_back = holds < most_holds && scheduler_.holds_back();
        holds = static_cast<uint8_t>(holds_back ? holds + 1 : 0);
        return holds_back;
    }
    // One has overtaken what is held back.
    void delivers() {
        if (now_ < 0 || clock_ >= now().held_until || !std::exchange(now().has_held, false)) return;
        ++outcome_.faults[static_cast<size_t>(Fault::reorder)];
    }
    bool is_out_of_reach() {
        if (now_ < 0 || clock_ >= now().unreachable_until) return false;
        ++outcome_.faults[static_cast<size_t>(Fault::unreachable)];
        return true;
    }
    void count_sent(int32_t tag, int64_t n) { outcome_.unread += tag == halo::inquiry_tag ? 0 : n; }
    void count(halo::Rare what) { ++outcome_.rare[static_cast<size_t>(what)]; }
    uint64_t next_word() { return ++words_; }

    void point() {
        clock_ += point_seconds;
        if (++outcome_.points > most_points) {
            std::fprintf(stderr, "%lld points: a rank waits for ever\n", static_cast<long long>(most_points));
            std::abort();
        }
        Fiber &fiber = now();
        if (fiber.counts)
            if (const Event *event = find(fiber.points++, Place::anywhere)) happen(*event);
        leave();
    }
    void point_in_storage() {
        Fiber &fiber = now();
        if (fiber.counts)
            if (const Event *event = find(fiber.points_in_storage++, Place::storage)) happen(*event);
        point();
    }
    void sleep(double seconds) {
        now().wakes = clock_ + seconds;
        leave();
    }
    bool allocation_fails() {
        if (now_ < 0) return false;
        Fiber &fiber = now();
        if (!fiber.counts || fiber.in_library == 0 || !find(fiber.allocations++, Place::allocation)) return false;
        ++outcome_.faults[static_cast<size_t>(Fault::memory)];
        return true;
    }

    static World *current;

private:
    [[gnu::noinline]] void prepare(Fiber &fiber) {
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack.get();
        fiber.context.uc_stack.ss_size = stack_bytes;
        fiber.context.uc_link = &main_;
        makecontext(&fiber.context, begin, 0);
    }
    static void begin() {
        World &world = *current;
        world.body_(world.now_);
        world.now().has_ended = true;
    }

    enum class Place : uint8_t { anywhere, storage, allocation };
    static Place place_of(Fault fault) {
        return fault == Fault::memory ? Place::allocation : fault == Fault::stop_in_storage ? Place::storage : Place::anywhere;
    }
    const Event *find(int64_t at, Place place) const {
        for (const Event &event : events_)
            if (event.rank == now_ && event.at == at && place_of(event.fault) == place) return &event;
        return nullptr;
    }
    void happen(const Event &event) {
        Fiber &fiber = now();
        const double end = clock_ + event.seconds;
        switch (event.fault) {
        case Fault::death: fiber.has_died = true; break;
        case Fault::stop:
        case Fault::stop_in_storage: fiber.wakes = end; break;
        case Fault::reorder: fiber.held_until = end, fiber.held = static_cast<uint64_t>(event.at); return; // counted where it shows
        case Fault::unreachable: fiber.unreachable_until = end; return;
        default: return;
        }
        ++outcome_.faults[static_cast<size_t>(event.fault)];
    }

    // -1: all have ended.
    int32_t choose() {
        ready_.clear();
        double first = never;
        for (const Fiber &fiber : fibers_)
            if (!fiber.has_ended && !fiber.has_died) first = std::min(first, fiber.wakes);
        if (first == never) return unwind();
        clock_ = std::max(clock_, first);
        for (size_t rank = 0; rank < fibers_.size(); ++rank) {
            const Fiber &fiber = fibers_[rank];
            if (!fiber.has_ended && !fiber.has_died && fiber.wakes <= clock_) ready_.push_back(static_cast<int32_t>(rank));
        }
        return scheduler_.next(ready_, now_);
    }
    // The dead, when nobody else is left.
    int32_t unwind() {
        const auto dead = std::find_if(fibers_.begin(), fibers_.end(), [](const Fiber &fiber) { return !fiber.has_ended; });
        if (dead == fibers_.end()) return -1;
        clock_ = std::max(clock_, dead->wakes);
        return static_cast<int32_t>(dead - fibers_.begin());
    }

    void leave() {
        const int32_t from = now_, to = choose();
        if (to == from) return;
        Fiber &fiber = now();
        auto *const kept = reinterpret_cast<Exceptions *>(abi::__cxa_get_globals());
        fiber.exceptions = *kept;
        now_ = to;
        *kept = now().exceptions;
        swapcontext(&fiber.context, &now().context);
    }
    void enter(int32_t rank) {
        now_ = rank;
        *reinterpret_cast<Exceptions *>(abi::__cxa_get_globals()) = now().exceptions;
        swapcontext(&main_, &now().context);
        now_ = -1;
    }

    std::vector<Fiber> fibers_;
    Scheduler &scheduler_;
    const std::vector<Event> &events_;
    const std::function<void(int32_t)> &body_;
    std::vector<int32_t> ready_;
    ucontext_t main_{};
    int32_t now_ = -1;
    double clock_ = 1;
    uint64_t words_ = uint64_t{ 1 } << 32;
    Outcome outcome_;
};

World *World::current = nullptr;

void *allocate(size_t bytes, size_t alignment) noexcept {
    if (World::current && World::current->allocation_fails()) return nullptr;
    void *memory = alignment == 0 ? std::malloc(bytes) : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    live += memory != nullptr;
    return memory;
}

void *allocate_or_throw(size_t bytes, size_t alignment) {
    void *memory = allocate(bytes ? bytes : 1, alignment);
    if (!memory) throw std::bad_alloc();
    return memory;
}

void release(void *memory) noexcept {
    live -= memory != nullptr;
    std::free(memory);
}

} // namespace

int32_t RandomScheduler::next(const std::vector<int32_t> &ready, int32_t now) {
    const bool stays = std::find(ready.begin(), ready.end(), now) != ready.end() && !is(switches_);
    return stays ? now : ready[random_() % ready.size()];
}

Outcome run(int32_t n_ranks, Scheduler &scheduler, const std::vector<Event> &events, const std::function<void(int32_t)> &body) {
    World world(n_ranks, scheduler, events, body);
    return world.run();
}

bool any_has_died() { return World::current->any_has_died(); }
bool has_died() { return World::current->has_died(World::current->rank()); }
void begin_faults() { World::current->now().counts = true; }
void sleep_for(double seconds) { World::current->sleep(seconds); }
InLibrary::InLibrary() { ++World::current->now().in_library; }
InLibrary::~InLibrary() { --World::current->now().in_library; }
int64_t n_live() { return live; }

} // namespace simulation

namespace halo::simulation {

using ::simulation::World;

// Outside of a run, where contexts of no rank are made.
namespace {
char outer_text[error_text_bytes] = "no error";
}

void point() {
    if (World::current && World::current->rank() >= 0) World::current->point();
}
void point_in_storage() {
    if (World::current && World::current->rank() >= 0) World::current->point_in_storage();
}
void before_access(const void *, unsigned) { point(); }
void sleep(double seconds) {
    if (World::current && World::current->rank() >= 0) World::current->sleep(seconds);
}
double seconds() { return World::current ? World::current->clock(::simulation::look_seconds) : 0; }
bool holds_back(const void *request) {
    if (!World::current) return false;
    const auto &known = *static_cast<const inproc::Request *>(request);                                          // all of them are
    return World::current->holds_back(known.key, known.state == inproc::Request::State::finished && known.data); // of sends too; those have no data
}
bool holds_back(int32_t peer, int32_t lane, int32_t tag) {
    return World::current && World::current->holds_back(inproc::make_key(peer, lane, tag), false);
}
void delivers() {
    if (World::current) World::current->delivers();
}
void delivers(const void *request) {
    const auto &known = *static_cast<const inproc::Request *>(request);
    if (World::current && known.data) World::current->count_sent(inproc::tag_of(known.key), -1);
    delivers();
}
void sends(int32_t tag) {
    if (World::current) World::current->count_sent(tag, 1);
}
bool is_out_of_reach() { return World::current && World::current->is_out_of_reach(); }
void count(Rare what) {
    if (World::current) World::current->count(what);
}
int64_t process() { return World::current ? World::current->rank() : -1; }
bool has_died(int64_t process) { return World::current && World::current->has_died(process); }
char *error_text() { return World::current && World::current->rank() >= 0 ? World::current->now().text : outer_text; }

} // namespace halo::simulation

// The same in each run of a seed.
uint64_t halo::random_word() {
    static uint64_t outside = 0; // of a run
    using simulation::World;
    return (World::current ? World::current->next_word() : ++outside) * 2 + 1;
}

void *operator new(size_t bytes) { return simulation::allocate_or_throw(bytes, 0); }
void *operator new[](size_t bytes) { return simulation::allocate_or_throw(bytes, 0); }
void *operator new(size_t bytes, std::align_val_t alignment) { return simulation::allocate_or_throw(bytes, static_cast<size_t>(alignment)); }
void *operator new[](size_t bytes, std::align_val_t alignment) { return simulation::allocate_or_throw(bytes, static_cast<size_t>(alignment)); }
void *operator new(size_t bytes, const std::nothrow_t &) noexcept { return simulation::allocate(bytes ? bytes : 1, 0); }
void *operator new[](size_t bytes, const std::nothrow_t &) noexcept { return simulation::allocate(bytes ? bytes : 1, 0); }
void operator delete(void *memory) noexcept { simulation::release(memory); }
void operator delete[](void *memory) noexcept { simulation::release(memory); }
void operator delete(void *memory, size_t) noexcept { simulation::release(memory); }
void operator delete[](void *memory, size_t) noexcept { simulation::release(memory); }
void operator delete(void *memory, std::align_val_t) noexcept { simulation::release(memory); }
void operator delete[](void *memory, std::align_val_t) noexcept { simulation::release(memory); }
void operator delete(void *memory, size_t, std::align_val_t) noexcept { simulation::release(memory); }
void operator delete[](void *memory, size_t, std::align_val_t) noexcept { simulation::release(memory); }

// SPDX-License-Identifier: BSD-3-Clause
#include "explorer.h"

#include <array>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>

#include <ucontext.h>

#include "base/error.h"
#include "base/schedule_point.h"

namespace simulation {

namespace {

constexpr size_t stack_bytes = 256 << 10;
constexpr uint32_t no_line = 0;
constexpr char before_word = 'w';

// One rank's script, as far as it has come.
class Fiber {
public:
    enum class Wants : uint8_t { turn, choice, nothing };

    void begin(World &world, int rank) {
        if (!stack_) stack_ = std::make_unique<std::byte[]>(stack_bytes);
        world_ = &world, rank_ = rank;
        wants_ = Wants::turn, line_ = no_line, seen_.clear();
        getcontext(&own_);
        own_.uc_stack.ss_sp = stack_.get();
        own_.uc_stack.ss_size = stack_bytes;
        own_.uc_link = &main_;
        makecontext(&own_, enter, 0);
    }
    // Until its next point.
    void resume() {
        running = this;
        swapcontext(&main_, &own_);
        running = nullptr;
    }
    void stop_at(uint32_t line, Wants wants) {
        line_ = line, wants_ = wants;
        seen_.clear();
        swapcontext(&own_, &main_);
        wants_ = Wants::turn;
    }
    // What the word holds when the rank goes on decides what it does.
    void stop_before(const void *word, unsigned bytes) {
        seen_.push_back(before_word);
        swapcontext(&own_, &main_);
        seen_.append(static_cast<const char *>(word), bytes);
    }
    Wants wants() const { return wants_; }
    uint32_t line() const { return line_; }
    void add_state(Key &key) const {
        key.add(line_), key.add(wants_);
        key.add(seen_.size()), key.add(seen_.data(), seen_.size());
    }
    bool chosen = false;

    static Fiber *running;

private:
    static void enter() {
        Fiber &self = *running;
        self.world_->run(self.rank_);
        self.wants_ = Wants::nothing;
        self.seen_.clear();
    }

    World *world_ = nullptr;
    int rank_ = 0;
    std::unique_ptr<std::byte[]> stack_;
    ucontext_t own_{}, main_{};
    uint32_t line_ = no_line; // of the last point in the script
    std::string seen_;        // in words, since then
    Wants wants_ = Wants::turn;
};

Fiber *Fiber::running = nullptr;
std::string violation;

// States, and which come after which: by a step of a rank, or by a choice.
class Graph {
public:
    static constexpr int64_t none = -1;

    // True: it has not been seen before.
    std::pair<int64_t, bool> add(const std::string &key) {
        const auto [found, is_new] = numbers_.try_emplace(key, static_cast<int64_t>(before_.size()));
        if (is_new) before_.emplace_back();
        return { found->second, is_new };
    }
    void connect(int64_t from, int64_t to, int by) {
        if (from != none) before_[static_cast<size_t>(to)].push_back({ from, by });
    }
    void note_end(int64_t state, int rank) { ends_[static_cast<size_t>(rank)].push_back(state); }
    int64_t size() const { return static_cast<int64_t>(before_.size()); }
    // From how many the rank cannot end by steps of its own, and choices.
    int64_t n_stuck(int rank) const {
        std::vector<bool> can_end(before_.size());
        std::vector<int64_t> open = ends_[static_cast<size_t>(rank)];
        for (const int64_t state : open) can_end[static_cast<size_t>(state)] = true;
        while (!open.empty()) {
            const int64_t state = open.back();
            open.pop_back();
            for (const auto &[from, by] : before_[static_cast<size_t>(state)]) {
                if ((by != rank && by != by_choice) || can_end[static_cast<size_t>(from)]) continue;
                can_end[static_cast<size_t>(from)] = true;
                open.push_back(from);
            }
        }
        int64_t n = 0;
        for (const bool can : can_end) n += can ? 0 : 1;
        return n;
    }

    static constexpr int by_choice = n_ranks;

private:
    struct Edge {
        int64_t from;
        int by;
    };
    std::unordered_map<std::string, int64_t> numbers_;
    std::vector<std::vector<Edge>> before_;
    std::array<std::vector<int64_t>, n_ranks> ends_;
};

struct Decision {
    int taken;
    int n_options;
};

class Explorer {
public:
    explicit Explorer(const std::function<std::unique_ptr<World>()> &make) : make_(make) {}

    Found explore() {
        Found found;
        do {
            execute();
            ++found.executions;
        } while (violation.empty() && next_path());
        found.states = graph_.size();
        found.violation = violation.empty() ? "" : halo::format("%s\n%s", violation.c_str(), text_of_path().c_str());
        for (int rank = 0; rank < n_ranks; ++rank) found.stuck[rank] = graph_.n_stuck(rank);
        violation.clear();
        return found;
    }

private:
    bool next_path() {
        while (!path_.empty() && path_.back().taken + 1 == path_.back().n_options) path_.pop_back();
        if (path_.empty()) return false;
        ++path_.back().taken;
        return true;
    }

    // None: from here on all has been seen.
    std::optional<int> decide(World &world, int n_options, int by) {
        if (depth_ < path_.size()) {
            last_by_ = by;
            state_ = states_[depth_];
            return path_[depth_++].taken;
        }
        Key key;
        world.add_state(key);
        for (const Fiber &fiber : fibers_) fiber.add_state(key);
        const auto [state, is_new] = graph_.add(key.text());
        graph_.connect(state_, state, last_by_);
        if (!is_new) return {};
        for (int rank = 0; rank < n_ranks; ++rank)
            if (fibers_[static_cast<size_t>(rank)].wants() == Fiber::Wants::nothing) graph_.note_end(state, rank);
        path_.push_back({ 0, n_options });
        states_.resize(depth_);
        states_.push_back(state);
        ++depth_;
        last_by_ = by;
        state_ = state;
        return 0;
    }

    void execute() {
        depth_ = 0;
        state_ = Graph::none;
        const std::unique_ptr<World> world = make_();
        for (int rank = 0; rank < n_ranks; ++rank) fibers_[static_cast<size_t>(rank)].begin(*world, rank);
        int rank = 0;
        while (violation.empty()) {
            std::array<int, n_ranks> runnable{};
            int n = 0;
            for (int r = 0; r < n_ranks; ++r)
                if (fibers_[static_cast<size_t>(r)].wants() == Fiber::Wants::turn) runnable[static_cast<size_t>(n++)] = r;
            const std::optional<int> which = decide(*world, std::max(n, 1), Graph::none);
            if (!which) return;
            if (n == 0) return world->check_end();
            rank = runnable[static_cast<size_t>(*which)];
            last_by_ = rank;
            if (!go_on(*world, rank)) return;
        }
    }

    // False: all has been seen.
    bool go_on(World &world, int rank) {
        Fiber &fiber = fibers_[static_cast<size_t>(rank)];
        fiber.resume();
        while (violation.empty() && fiber.wants() == Fiber::Wants::choice) {
            const std::optional<int> which = decide(world, 2, Graph::by_choice);
            if (!which) return false;
            last_by_ = Graph::by_choice;
            fiber.chosen = *which != 0;
            fiber.resume();
        }
        return true;
    }

    // The steps again, with the lines of the scripts.
    std::string text_of_path() {
        std::string text = "decisions:";
        for (const Decision &decision : path_) text += halo::format(" %d/%d", decision.taken, decision.n_options);
        text += "; the ranks are at lines";
        for (const Fiber &fiber : fibers_) text += halo::format(" %u", fiber.line());
        return text;
    }

    const std::function<std::unique_ptr<World>()> &make_;
    std::array<Fiber, n_ranks> fibers_;
    Graph graph_;
    std::vector<Decision> path_;
    std::vector<int64_t> states_; // at which each was taken
    size_t depth_ = 0;
    int64_t state_ = Graph::none; // the last one
    int last_by_ = Graph::by_choice;
};

} // namespace

Found explore(const std::function<std::unique_ptr<World>()> &make) { return Explorer(make).explore(); }

void point(int line) { Fiber::running->stop_at(line, Fiber::Wants::turn); }

bool choose(int line) {
    Fiber::running->stop_at(line, Fiber::Wants::choice);
    return Fiber::running->chosen;
}

void require(bool holds, const char *what) {
    if (!holds && violation.empty()) violation = what;
}

} // namespace simulation

// ---- what the library asks

namespace halo::simulation {

void point() {}
void point_in_storage() {}
void before_access(const void *word, unsigned bytes) {
    if (::simulation::Fiber::running) ::simulation::Fiber::running->stop_before(word, bytes);
}
void sleep(double) {}
double seconds() { return 0; }
bool holds_back(const void *) { return false; }
bool holds_back(int32_t, int32_t, int32_t) { return false; }
void delivers() {}
void delivers(const void *) {}
void sends(int32_t) {}
bool is_out_of_reach() { return false; }
void count(Rare) {}
int64_t process() { return -1; }
bool has_died(int64_t) { return false; }
char *error_text() {
    static char text[error_text_bytes] = "no error";
    return text;
}

} // namespace halo::simulation

// SPDX-License-Identifier: BSD-3-Clause
#include "forked.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <thread>

namespace transport_tests {

namespace {

constexpr size_t slot_bytes = 16384;
constexpr std::chrono::seconds patience{ 60 };

// One rank's place in the shared area. `written` and `read` count rounds of allgather.
struct Slot {
    std::atomic<uint64_t> written;
    std::atomic<uint64_t> read;
    std::atomic<int32_t> ended; // the process has, by whatever
    uint64_t bytes;             // of the whole allgather
    unsigned char data[slot_bytes];
};

class Area {
public:
    explicit Area(int32_t n_ranks) : n_(static_cast<size_t>(n_ranks)) {
        void *memory = mmap(nullptr, n_ * sizeof(Slot), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::runtime_error("no shared memory for the ranks");
        slots_ = static_cast<Slot *>(memory);
        for (size_t i = 0; i < n_; ++i) new (&slots_[i]) Slot{};
    }
    ~Area() { munmap(slots_, n_ * sizeof(Slot)); }
    Area(const Area &) = delete;
    Area &operator=(const Area &) = delete;

    void ended(size_t rank) { slots_[rank].ended = 1; }

    halo_status allgather(size_t rank, const unsigned char *mine, size_t bytes, unsigned char *all) {
        size_t begin = 0;
        do { // a round even if there is nothing to tell
            const size_t part = std::min(slot_bytes, bytes - begin);
            if (!all_have(&Slot::read, round_)) return HALO_ERR_PEER;
            Slot &own = slots_[rank];
            own.bytes = bytes;
            if (part > 0) std::memcpy(own.data, mine + begin, part);
            own.written = ++round_;
            if (!all_have(&Slot::written, round_)) return HALO_ERR_PEER;
            for (size_t i = 0; i < n_; ++i) {
                if (slots_[i].bytes != bytes) return HALO_ERR_MISMATCH;
                if (part > 0) std::memcpy(all + i * bytes + begin, slots_[i].data, part);
            }
            own.read = round_;
            begin += part;
        } while (begin < bytes);
        return HALO_SUCCESS;
    }

private:
    bool all_have(std::atomic<uint64_t> Slot::*counter, uint64_t round) const {
        const auto end = std::chrono::steady_clock::now() + patience;
        for (size_t i = 0; i < n_; ++i) {
            const Slot &slot = slots_[i];
            while (slot.*counter < round) {
                // What it did last it did before it ended.
                if (slot.ended != 0 && slot.*counter < round) return false;
                if (std::chrono::steady_clock::now() > end) return false;
                std::this_thread::yield();
            }
        }
        return true;
    }

    size_t n_;
    uint64_t round_ = 0; // of this process
    Slot *slots_ = nullptr;
};

struct Process {
    Area *area;
    size_t rank;
};

halo_status allgather(void *user, const void *mine, size_t bytes, void *all) {
    auto *process = static_cast<Process *>(user);
    return process->area->allgather(process->rank, static_cast<const unsigned char *>(mine), bytes, static_cast<unsigned char *>(all));
}

[[noreturn]] void be_rank(Area &area, int32_t rank, int32_t n_ranks, pid_t launcher, const ForkedBody &body) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != launcher) std::_Exit(1);
    Process process{ &area, static_cast<size_t>(rank) };
    halo_bootstrap bootstrap = HALO_BOOTSTRAP_INIT;
    bootstrap.rank = rank;
    bootstrap.n_ranks = n_ranks;
    bootstrap.user = &process;
    bootstrap.allgather = allgather;
    std::exit(body(bootstrap));
}

// Waits for all; marks those that have ended.
class Family {
public:
    Family(Area &area, double patience_seconds) : area_(area), patience_(patience_seconds) {}

    void add(pid_t child) { children_.push_back(child); }

    std::vector<int> wait() {
        statuses_.assign(children_.size(), 0);
        left_ = children_.size();
        while (left_ > 0) {
            for (size_t i = 0; i < children_.size(); ++i) look_at(i);
            if (failed_ && std::chrono::steady_clock::now() > end_) kill_all();
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        return statuses_;
    }

    void kill_all() {
        for (const pid_t child : children_)
            if (child > 0) kill(child, SIGKILL);
    }

private:
    void look_at(size_t i) {
        if (children_[i] <= 0 || waitpid(children_[i], &statuses_[i], WNOHANG) != children_[i]) return;
        children_[i] = 0;
        --left_;
        area_.ended(i);
        if (failed_ || statuses_[i] == 0) return;
        failed_ = true;
        end_ = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(patience_);
    }

    Area &area_;
    std::chrono::duration<double> patience_;
    std::chrono::steady_clock::time_point end_;
    std::vector<pid_t> children_; // 0: has ended
    std::vector<int> statuses_;
    size_t left_ = 0;
    bool failed_ = false;
};

} // namespace

std::vector<int> run_forked(int32_t n_ranks, const ForkedBody &body, double patience_seconds) {
    Area area(n_ranks);
    Family family(area, patience_seconds);
    const pid_t launcher = getpid();
    std::fflush(nullptr); // or each process would print what is there
    for (int32_t rank = 0; rank < n_ranks; ++rank) {
        const pid_t child = fork();
        if (child == 0) be_rank(area, rank, n_ranks, launcher, body);
        if (child < 0) {
            family.kill_all();
            family.wait();
            throw std::runtime_error("fork failed");
        }
        family.add(child);
    }
    return family.wait();
}

bool forked_may_read() {
    static const int there = 1; // at the same place in both
    const std::vector<int> statuses = run_forked(2, [](const halo_bootstrap &bootstrap) {
        const pid_t own = getpid();
        pid_t all[2] = {};
        if (bootstrap.allgather(bootstrap.user, &own, sizeof own, all) != HALO_SUCCESS) return 1;
        int here = 0;
        const iovec to{ &here, sizeof here }, from{ const_cast<int *>(&there), sizeof there };
        const bool is_read = process_vm_readv(all[1 - bootstrap.rank], &to, 1, &from, 1, 0) == sizeof here && here == there;
        const bool both = bootstrap.allgather(bootstrap.user, &own, sizeof own, all) == HALO_SUCCESS; // or one might be gone when it is read
        return is_read && both ? 0 : 1;
    });
    return statuses == std::vector<int>{ 0, 0 };
}

std::string failure_of(int wait_status) {
    if (wait_status == 0) return {};
    if (WIFEXITED(wait_status)) return "ended with status " + std::to_string(WEXITSTATUS(wait_status));
    return "was killed by signal " + std::to_string(WTERMSIG(wait_status));
}

int launch_forked(int32_t n_ranks, const ForkedBody &body) {
    const std::vector<int> statuses = run_forked(n_ranks, body);
    int result = 0;
    for (size_t rank = 0; rank < statuses.size(); ++rank) {
        if (statuses[rank] == 0) continue;
        std::fprintf(stderr, "rank %zu of %d %s\n", rank, n_ranks, failure_of(statuses[rank]).c_str());
        result = 1;
    }
    return result;
}

int32_t ranks_wanted(int argc, char **argv) {
    const char option[] = "--ranks=";
    for (int i = 1; i < argc; ++i)
        if (std::strncmp(argv[i], option, sizeof option - 1) == 0) return static_cast<int32_t>(std::strtol(argv[i] + sizeof option - 1, nullptr, 10));
    return 0;
}

} // namespace transport_tests

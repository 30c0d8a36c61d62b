// SPDX-License-Identifier: BSD-3-Clause
#include "traced.h"

#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace transport_tests {

namespace {

constexpr int begin_mark = -770001, end_mark = -770002; // no descriptors: to close them does nothing
constexpr int not_permitted = 78;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

bool is_wait(long call) { return call == SYS_sched_yield || call == SYS_clock_nanosleep; }

[[noreturn]] void be_traced(pid_t tracer, const std::function<int()> &work) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != tracer) std::_Exit(1);
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) std::_Exit(not_permitted);
    raise(SIGSTOP);
    const int result = work();
    std::fflush(nullptr);
    std::_Exit(result);
}

class Tracer {
public:
    explicit Tracer(pid_t process) : process_(process) {}

    Traced trace() {
        int status = 0;
        if (waitpid(process_, &status, 0) != process_) return refused("waitpid");
        if (!WIFSTOPPED(status)) { // it has ended
            traced_.why_not = "PTRACE_TRACEME is not permitted";
            return std::move(traced_);
        }
        if (request(PTRACE_SETOPTIONS, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) != 0) return refused("PTRACE_SETOPTIONS");
        for (long signal = 0;;) {
            if (request(PTRACE_SYSCALL, signal) != 0) return refused("PTRACE_SYSCALL");
            if (waitpid(process_, &status, 0) != process_) return refused("waitpid");
            if (!WIFSTOPPED(status)) break;
            const bool is_call = WSTOPSIG(status) == (SIGTRAP | 0x80);
            if (is_call && !note_call()) return refused("PTRACE_GET_SYSCALL_INFO");
            signal = is_call ? 0 : WSTOPSIG(status);
        }
        if (WIFEXITED(status)) traced_.exit_status = WEXITSTATUS(status);
        return std::move(traced_);
    }

private:
    long request(__ptrace_request what, long value) const { return ptrace(what, process_, nullptr, reinterpret_cast<void *>(value)); }

    // A call begins, or ends.
    bool note_call() {
        __ptrace_syscall_info info{};
        if (ptrace(PTRACE_GET_SYSCALL_INFO, process_, reinterpret_cast<void *>(sizeof info), &info) <= 0) return false;
        if (info.op != PTRACE_SYSCALL_INFO_ENTRY) return true;
        const auto call = static_cast<long>(info.entry.nr);
        const int argument = static_cast<int>(info.entry.args[0]);
        if (call == SYS_close && argument == begin_mark) {
            begin_ = now();
            counts_ = true;
        } else if (call == SYS_close && argument == end_mark) {
            traced_.seconds += now() - begin_;
            counts_ = false;
        } else if (counts_) {
            ++traced_.calls[call];
        }
        return true;
    }

    Traced refused(const char *what) {
        traced_.why_not = std::string(what) + ": " + std::strerror(errno);
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
        return std::move(traced_);
    }

    pid_t process_;
    Traced traced_;
    bool counts_ = false;
    double begin_ = 0;
};

} // namespace

int64_t Traced::n_waits() const {
    int64_t n = 0;
    for (const auto &[call, times] : calls) n += is_wait(call) ? times : 0;
    return n;
}

int64_t Traced::n_others() const {
    int64_t n = 0;
    for (const auto &[call, times] : calls) n += is_wait(call) || call == SYS_clock_gettime ? 0 : times;
    return n;
}

std::string Traced::text() const {
    std::string all;
    for (const auto &[call, times] : calls) all += (all.empty() ? "" : ", ") + std::to_string(times) + " of call " + std::to_string(call);
    return all;
}

Traced run_traced(const std::function<int()> &work) {
    std::fflush(nullptr); // or both would print what is there
    const pid_t tracer = getpid();
    const pid_t process = fork();
    if (process == 0) be_traced(tracer, work);
    if (process > 0) return Tracer(process).trace();
    Traced none;
    none.why_not = std::string("fork: ") + std::strerror(errno);
    return none;
}

void begin_counting() { close(begin_mark); }
void end_counting() { close(end_mark); }

} // namespace transport_tests

// SPDX-License-Identifier: BSD-3-Clause
#include "process.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace halo::launch {

namespace {

class Pipe {
public:
    Pipe() {
        if (pipe2(ends_.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    }
    ~Pipe() {
        for (const int end : ends_)
            if (end >= 0) close(end);
    }
    Pipe(const Pipe &) = delete;
    Pipe &operator=(const Pipe &) = delete;

    int to_read() const { return ends_[0]; }
    int to_write() const { return ends_[1]; }
    int take_reader() { return std::exchange(ends_[0], -1); }
    int take_writer() { return std::exchange(ends_[1], -1); }

private:
    std::array<int, 2> ends_{ -1, -1 };
};

std::vector<char *> pointers(const std::vector<std::string> &all) {
    std::vector<char *> list;
    for (const std::string &one : all) list.push_back(const_cast<char *>(one.c_str()));
    list.push_back(nullptr);
    return list;
}

struct Ends {
    int input; // -1: stays
    int output, error, report;
    pid_t parent;
};

// In the child, up to the program.
[[noreturn]] void become(char *const *arguments, char **environment, const Before &before, const Ends &ends) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL); // whatever becomes of this launcher
    if (getppid() != ends.parent) _exit(1);
    bool good = ends.input < 0 || dup2(ends.input, STDIN_FILENO) >= 0;
    good = good && dup2(ends.output, STDOUT_FILENO) >= 0 && dup2(ends.error, STDERR_FILENO) >= 0;
    if (good) {
        setrlimit(RLIMIT_NOFILE, &before.descriptors);
        sigprocmask(SIG_SETMASK, &before.signals, nullptr);
        environ = environment;
        execvp(arguments[0], arguments);
    }
    const int error = errno;
    const ssize_t told = write(ends.report, &error, sizeof error);
    _exit(told == static_cast<ssize_t>(sizeof error) ? 127 : 126);
}

std::string quoted(const std::string &text) {
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'') result += "'\\'";
        result += c;
    }
    result += '\'';
    return result;
}

const char *const far_script = R"(IFS= read -r HALO_RENDEZVOUS_ID
export HALO_RENDEZVOUS_ID
cd "$1" || exit 126
grace=$2
shift 2
exec 3<&0
setsid env "$@" </dev/null 3<&- &
p=$!
{ cat <&3; kill -TERM -$p; sleep "$grace"; kill -KILL -$p; } >/dev/null 2>&1 &
w=$!
exec 3<&-
wait $p
s=$?
kill $w 2>/dev/null
kill -TERM -$p 2>/dev/null
exit $s)";

} // namespace

void Process::close_input() {
    if (input >= 0) close(input);
    input = -1;
}

Process start(const Command &command, const Before &before) {
    Pipe input, output, error, report;
    const std::vector<char *> arguments = pointers(command.arguments);
    std::vector<char *> environment = pointers(command.environment);
    const int nothing = command.input == Input::nothing ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
    const int stdin_of_child = command.input == Input::nothing ? nothing : command.input == Input::pipe ? input.to_read() : -1;
    const Ends ends{ stdin_of_child, output.to_write(), error.to_write(), report.to_write(), getpid() };
    Process process;
    process.pid = fork();
    if (process.pid == 0) become(arguments.data(), environment.data(), before, ends);
    const int failed = errno;
    if (nothing >= 0) close(nothing);
    if (process.pid < 0) throw std::system_error(failed, std::generic_category(), "fork");
    setpgid(process.pid, process.pid);
    close(report.take_writer());
    int trouble = 0;
    ssize_t n = 0;
    while ((n = read(report.to_read(), &trouble, sizeof trouble)) < 0 && errno == EINTR) {}
    if (n == static_cast<ssize_t>(sizeof trouble)) {
        waitpid(process.pid, nullptr, 0);
        throw std::system_error(trouble, std::generic_category(), "cannot start " + command.arguments[0]);
    }
    process.output = output.take_reader();
    process.error = error.take_reader();
    for (const int end : { process.output, process.error }) fcntl(end, F_SETFL, O_NONBLOCK);
    if (command.input == Input::pipe) {
        process.input = input.take_writer();
        fcntl(process.input, F_SETFL, O_NONBLOCK);
    }
    return process;
}

// Of a group that is empty the number may be another's soon.
void signal_group(Process &process, int signal) {
    if (!process.group_gone && kill(-process.pid, signal) != 0 && errno == ESRCH) process.group_gone = process.ended;
}

std::string how_it_ended(int status, bool far_away) {
    const auto named = [](int signal) { return std::string("signal ") + std::to_string(signal) + " (" + strsignal(signal) + ")"; };
    if (WIFSIGNALED(status)) return "was ended by " + named(WTERMSIG(status));
    constexpr int by_signal = 128, of_ssh = 255;
    const int code = WEXITSTATUS(status);
    std::string text = "ended with status ";
    text += std::to_string(code);
    if (far_away && code > by_signal && code < by_signal + NSIG) text += ", as by " + named(code - by_signal);
    if (far_away && code == of_ssh) text += ", which may be that of the shell to its host";
    return text;
}

int exit_status(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

std::string line_for_shell(const std::vector<std::string> &environment, const std::vector<std::string> &command, double grace) {
    std::array<char, 4096> directory{};
    if (!getcwd(directory.data(), directory.size())) throw std::system_error(errno, std::generic_category(), "working directory");
    std::string line =
        "exec /bin/sh -c " + quoted(far_script) + " halo_launch " + quoted(directory.data()) + " " + std::to_string(static_cast<int>(grace));
    for (const auto *list : { &environment, &command })
        for (const std::string &one : *list) line.append(" ").append(quoted(one));
    return line;
}

} // namespace halo::launch

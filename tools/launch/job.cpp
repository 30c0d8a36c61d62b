// SPDX-License-Identifier: BSD-3-Clause
#include "job.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <iterator>
#include <system_error>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace halo::launch {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

namespace {

std::string name_of(const std::string &variable) { return variable.substr(0, variable.find('=')); }

void set(std::vector<std::string> &environment, const std::string &variable) {
    std::erase_if(environment, [&](const std::string &one) { return name_of(one) == name_of(variable); });
    environment.push_back(variable);
}

std::vector<std::string> own_environment() {
    std::vector<std::string> all;
    for (char **one = environ; *one; ++one) all.emplace_back(*one);
    return all;
}

bool goes_far(const std::string &variable) {
    for (const char *prefix : { "HALO_", "UCX_", "OMP_" })
        if (variable.starts_with(prefix)) return true;
    const std::string name = name_of(variable);
    return name == "PATH" || name == "LD_LIBRARY_PATH";
}

// NAME, or NAME=VALUE
void add_exported(std::vector<std::string> &environment, const std::vector<std::string> &exported, const std::vector<std::string> &own) {
    for (const std::string &one : exported) {
        const auto mine = std::find_if(own.begin(), own.end(), [&](const std::string &variable) { return name_of(variable) == one; });
        if (one.find('=') != std::string::npos)
            set(environment, one);
        else if (mine != own.end())
            set(environment, *mine);
    }
}

} // namespace

Job::Job(const Options &options, std::vector<Place> places, const std::string &rendezvous, const std::string &id, Server &server, Signals &signals)
    : options_(options),
      places_(std::move(places)),
      rendezvous_(rendezvous),
      id_(id),
      server_(server),
      signals_(signals),
      out_(STDOUT_FILENO, signals),
      err_(STDERR_FILENO, signals) {
    before_.signals = signals.of_children();
    getrlimit(RLIMIT_NOFILE, &before_.descriptors);
    rlimit most = before_.descriptors;
    most.rlim_cur = most.rlim_max;
    setrlimit(RLIMIT_NOFILE, &most);
    prctl(PR_SET_CHILD_SUBREAPER, 1); // what ranks leave behind is seen to end
}

Job::~Job() {
    for (Rank &rank : ranks_) {
        signal_group(rank.process, SIGKILL);
        rank.process.close_input();
        for (const int one : { rank.process.output, rank.process.error })
            if (one >= 0) close(one);
    }
}

void Job::tell(const std::string &text) { err_.write("halo_launch: " + text + "\n", this); }

Command Job::command_of(int32_t rank, bool input_is_terminal) const {
    const Place &place = places_[static_cast<size_t>(rank)];
    const std::vector<std::string> own = own_environment();
    std::vector<std::string> environment = own;
    if (!place.host.empty()) std::erase_if(environment, [](const std::string &one) { return !goes_far(one); });
    std::erase_if(environment, [](const std::string &one) { return one.starts_with("HALO_RENDEZVOUS") || one.starts_with("HALO_LAUNCH_"); });
    add_exported(environment, options_.exported, own);
    set(environment, "HALO_RENDEZVOUS=" + rendezvous_);
    set(environment, "HALO_RENDEZVOUS_RANK=" + std::to_string(rank));
    set(environment, "HALO_RENDEZVOUS_RANKS=" + std::to_string(places_.size()));
    set(environment, "HALO_LAUNCH_LOCAL_RANK=" + std::to_string(place.local_rank));
    set(environment, "HALO_LAUNCH_LOCAL_RANKS=" + std::to_string(place.n_local));
    if (place.host.empty()) {
        set(environment, "HALO_RENDEZVOUS_ID=" + id_);
        return { options_.command, environment, rank > 0 ? Input::nothing : input_is_terminal ? Input::pipe : Input::inherited };
    }
    std::vector<std::string> shell = options_.shell;
    shell.push_back(place.host);
    shell.push_back(line_for_shell(environment, options_.command, options_.grace)); // without the id, which others could read there
    return { shell, own, Input::pipe };
}

bool Job::start_all() {
    const bool terminal = isatty(STDIN_FILENO) == 1;
    forwards_ = terminal && places_[0].host.empty() && tcgetpgrp(STDIN_FILENO) == getpgrp();
    for (size_t r = 0; r < places_.size(); ++r) {
        std::string prefix = options_.prefix ? "[" : "";
        if (options_.prefix) prefix += std::to_string(r) + "] ";
        Rank &rank = ranks_.emplace_back(prefix, out_, err_);
        try {
            rank.process = start(command_of(static_cast<int32_t>(r), terminal), before_);
        } catch (const std::system_error &error) {
            ranks_.pop_back();
            constexpr int not_there = 127, not_allowed = 126;
            tell("rank " + std::to_string(r) + ": " + error.what());
            end_all(error.code().value() == ENOENT ? not_there : not_allowed);
            return false;
        }
        const std::string line = id_ + "\n";
        if (!places_[r].host.empty() && write(rank.process.input, line.data(), line.size()) < 0) rank.process.close_input();
        if (r == 0 && terminal && !forwards_) rank.process.close_input();
    }
    return true;
}

int Job::run() {
    start_all();
    while (anything_left()) {
        wait_and_serve();
        if (signals_.stop() != 0 && !status_) {
            tell("was told to end by signal " + std::to_string(signals_.stop()) + " (" + strsignal(signals_.stop()) + ")");
            end_all(128 + signals_.stop());
        }
        if (signals_.n_stops() > 1 && n_stops_ < 2) ends_at_ = seconds(); // whoever says it twice means it
        n_stops_ = signals_.n_stops();
        if (ends_at_ == 0 && all_ended()) end_all(0); // what they have left running
        if (ends_at_ > 0 && seconds() >= ends_at_) end_harder();
    }
    for (Rank &rank : ranks_) {
        rank.output.end();
        rank.error.end();
    }
    return status_.value_or(0);
}

int Job::patience() const {
    constexpr int look_again = 20; // milliseconds
    return ends_at_ > 0 ? look_again : server_.patience();
}

void Job::wait_and_serve() {
    std::vector<pollfd> all{ { signals_.descriptor(), POLLIN, 0 } };
    server_.add_to(all);
    const size_t pipes = all.size();
    for (const Rank &rank : ranks_)
        for (const int one : { rank.process.output, rank.process.error }) all.push_back({ one, POLLIN, 0 }); // those that are closed are passed over
    all.push_back({ forwards_ && input_.empty() ? STDIN_FILENO : -1, POLLIN, 0 });
    all.push_back({ forwards_ && !input_.empty() ? ranks_.front().process.input : -1, POLLOUT, 0 });
    if (poll(all.data(), all.size(), patience()) < 0) return;
    server_.serve(&all[1]);
    for (size_t r = 0; r < ranks_.size(); ++r) {
        if (all[pipes + 2 * r].revents != 0) read(ranks_[r].process.output, ranks_[r].output);
        if (all[pipes + 2 * r + 1].revents != 0) read(ranks_[r].process.error, ranks_[r].error);
    }
    if (all[all.size() - 2].revents != 0 || all.back().revents != 0) forward_input();
    if (all[0].revents != 0) signals_.drain();
    take_ends();
}

void Job::read(int &descriptor, Lines &lines) {
    char some[1 << 16];
    const ssize_t n = ::read(descriptor, some, sizeof some);
    if (n > 0) return lines.take(some, static_cast<size_t>(n));
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    lines.end();
    close(descriptor);
    descriptor = -1;
}

// What is there.
void Job::read_all(Rank &rank) {
    const auto drain = [&](int &descriptor, Lines &lines) {
        for (pollfd one{ descriptor, POLLIN, 0 }; descriptor >= 0 && poll(&one, 1, 0) > 0;) read(descriptor, lines);
    };
    drain(rank.process.output, rank.output);
    drain(rank.process.error, rank.error);
}

// From the terminal to rank 0.
void Job::forward_input() {
    Process &first = ranks_.front().process;
    if (input_.empty()) {
        char some[4096];
        const ssize_t n = ::read(STDIN_FILENO, some, sizeof some);
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
        if (n > 0)
            input_.assign(some, static_cast<size_t>(n));
        else
            forwards_ = false;
    }
    if (!input_.empty()) {
        const ssize_t n = write(first.input, input_.data(), input_.size());
        if (n > 0)
            input_.erase(0, static_cast<size_t>(n));
        else if (errno != EINTR && errno != EAGAIN)
            forwards_ = false;
    }
    if (!forwards_) first.close_input();
}

// Children of ranks too, once these have gone. Of several that have ended meanwhile, one that a signal has ended comes first.
void Job::take_ends() {
    std::vector<size_t> ended;
    int status = 0;
    for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
        const auto rank = std::find_if(ranks_.begin(), ranks_.end(), [&](const Rank &one) { return one.process.pid == pid; });
        if (rank == ranks_.end() || rank->process.ended) continue;
        rank->process.ended = true;
        rank->process.status = status;
        ended.push_back(static_cast<size_t>(std::distance(ranks_.begin(), rank)));
    }
    std::stable_partition(ended.begin(), ended.end(), [&](size_t r) { return WIFSIGNALED(ranks_[r].process.status); });
    for (const size_t r : ended) note_end(r);
}

void Job::note_end(size_t r) {
    Rank &rank = ranks_[r];
    read_all(rank);
    rank.process.close_input();
    if (r == 0) forwards_ = false;
    const bool far_away = !places_[r].host.empty();
    const std::string how = how_it_ended(rank.process.status, far_away);
    if (status_) return;
    if (rank.process.status == 0) return server_.rank_ended(static_cast<int32_t>(r), how);
    tell("rank " + std::to_string(r) + (far_away ? " on " + places_[r].host : "") + " " + how);
    end_all(exit_status(rank.process.status));
}

// Those far away end when their input does; what leads to them must last until they have.
void Job::end_all(int status) {
    if (status != 0) status_ = status;
    ends_at_ = seconds() + options_.grace;
    for (size_t r = 0; r < ranks_.size(); ++r)
        if (places_[r].host.empty() || ranks_[r].process.ended)
            signal_group(ranks_[r].process, SIGTERM);
        else
            ranks_[r].process.close_input();
}

void Job::end_harder() {
    constexpr double way_home = 2; // seconds for those far away
    for (size_t r = 0; r < ranks_.size(); ++r)
        if (places_[r].host.empty() || killed_) signal_group(ranks_[r].process, SIGKILL);
    ends_at_ = seconds() + way_home;
    killed_ = true;
}

bool Job::all_ended() const {
    return std::all_of(ranks_.begin(), ranks_.end(), [](const Rank &one) { return one.process.ended; });
}

// Whoever has left its group may keep a pipe open: nobody waits for that.
bool Job::anything_left() {
    if (!all_ended()) return true;
    bool left = false;
    for (Rank &rank : ranks_) {
        signal_group(rank.process, 0);
        if (rank.process.group_gone) read_all(rank);
        left = left || !rank.process.group_gone;
    }
    return left;
}

} // namespace halo::launch

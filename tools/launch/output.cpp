// SPDX-License-Identifier: BSD-3-Clause
#include "output.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace halo::launch {

Signals::Signals() {
    sigset_t wanted;
    sigemptyset(&wanted);
    for (const int signal : { SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE }) sigaddset(&wanted, signal);
    sigprocmask(SIG_BLOCK, &wanted, &before_);
    sigdelset(&wanted, SIGPIPE); // is seen where it comes from
    descriptor_ = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
    if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
}

Signals::~Signals() { close(descriptor_); }

void Signals::drain() {
    signalfd_siginfo one;
    while (read(descriptor_, &one, sizeof one) == static_cast<ssize_t>(sizeof one)) {
        if (one.ssi_signo == SIGCHLD) continue;
        stop_by(static_cast<int>(one.ssi_signo));
        ++n_stops_;
    }
}

// Nobody may read it for long: then a signal still ends the job.
void Sink::write(const std::string &text, const void *whose) {
    constexpr size_t without_blocking = 4096; // of a pipe that has room at all
    constexpr int patience_of_the_end = 50;   // milliseconds
    const bool tears = unfinished_ && unfinished_ != whose;
    const std::string all = tears ? "\n" + text : text;
    if (!text.empty()) unfinished_ = text.back() == '\n' ? nullptr : whose;
    for (size_t at = 0; at < all.size() && !closed_;) {
        pollfd ready[] = { { descriptor_, POLLOUT, 0 }, { signals_.descriptor(), POLLIN, 0 } };
        if (poll(ready, 2, signals_.stop() != 0 ? patience_of_the_end : -1) < 0) continue;
        if (ready[1].revents != 0) signals_.drain();
        if (ready[0].revents == 0) {
            if (signals_.stop() != 0) return;
            continue;
        }
        const ssize_t n = ::write(descriptor_, all.data() + at, std::min(without_blocking, all.size() - at));
        if (n >= 0) {
            at += static_cast<size_t>(n);
        } else if (errno != EINTR && errno != EAGAIN) {
            closed_ = true;
            signals_.stop_by(SIGPIPE);
        }
    }
}

void Lines::take(const char *data, size_t bytes) {
    constexpr size_t longest = 1 << 20; // longer ones come in pieces
    held_.append(data, bytes);
    const size_t end = held_.rfind('\n');
    if (end != std::string::npos) write(end + 1);
    if (held_.size() >= longest) write(held_.size());
}

void Lines::end() {
    if (!held_.empty()) write(held_.size());
}

void Lines::write(size_t bytes) {
    std::string text;
    if (prefix_.empty()) {
        text = held_.substr(0, bytes);
    } else {
        for (size_t begin = 0; begin < bytes;) {
            const size_t end = std::min(held_.find('\n', begin), bytes);
            text += prefix_;
            text.append(held_, begin, end - begin);
            text += '\n';
            begin = end + 1;
        }
    }
    held_.erase(0, bytes);
    to_.write(text, this);
}

} // namespace halo::launch

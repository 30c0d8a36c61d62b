// SPDX-License-Identifier: BSD-3-Clause
#include "plugin/rendezvous.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

namespace halo {

using namespace rendezvous;

namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();
constexpr double seconds_to_connect = 10; // where no timeout is set
constexpr double seconds_to_answer = 1;   // who is missing

// "host:port", "[host]:port"
struct HostAndPort {
    std::string host, port;
};

HostAndPort split(const std::string &address) {
    const size_t colon = address.rfind(':');
    HostAndPort parts;
    if (colon != std::string::npos) parts = { address.substr(0, colon), address.substr(colon + 1) };
    if (parts.host.size() > 2 && parts.host.front() == '[' && parts.host.back() == ']') parts.host = parts.host.substr(1, parts.host.size() - 2);
    const bool digits = !parts.port.empty() && parts.port.find_first_not_of("0123456789") == std::string::npos;
    if (parts.host.empty() || !digits) fail(HALO_ERR_CONFIG, "setting rendezvous = '%s': host:port is wanted", address.c_str());
    return parts;
}

// False: not by then.
bool await_ready(int descriptor, short events, double until) {
    for (;;) {
        const double left = until - steady_seconds();
        pollfd one{ descriptor, events, 0 };
        constexpr double most = 1e6;
        const int n = poll(&one, 1, left == no_limit ? -1 : static_cast<int>(std::ceil(std::clamp(left * 1e3, 0.0, most))));
        if (n > 0) return true;
        if (n < 0 && errno != EINTR) fail(HALO_ERR_TRANSPORT, "rendezvous: poll: %s", std::strerror(errno));
        if (n == 0 && steady_seconds() >= until) return false;
    }
}

struct FreeAddresses {
    void operator()(addrinfo *all) const { freeaddrinfo(all); }
};

// Nothing there yet: `trouble` says why.
std::unique_ptr<addrinfo, FreeAddresses> look_up(const std::string &address, std::string &trouble) {
    const HostAndPort parts = split(address);
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV;
    addrinfo *all = nullptr;
    const int error = getaddrinfo(parts.host.c_str(), parts.port.c_str(), &hints, &all);
    if (error == EAI_MEMORY) throw std::bad_alloc();
    if (error == EAI_AGAIN || error == EAI_SYSTEM)
        trouble = error == EAI_SYSTEM ? std::strerror(errno) : gai_strerror(error);
    else if (error != 0)
        fail(HALO_ERR_CONFIG, "setting rendezvous = '%s': %s", address.c_str(), gai_strerror(error));
    return std::unique_ptr<addrinfo, FreeAddresses>(error == 0 ? all : nullptr);
}

// A port of this host that nobody listens at may be the one the system gives to who wants to reach it.
bool leads_to_itself(int descriptor) {
    sockaddr_storage mine{}, peer{};
    socklen_t bytes = sizeof mine, peer_bytes = sizeof peer;
    return getsockname(descriptor, reinterpret_cast<sockaddr *>(&mine), &bytes) == 0 &&
           getpeername(descriptor, reinterpret_cast<sockaddr *>(&peer), &peer_bytes) == 0 && bytes == peer_bytes &&
           std::memcmp(&mine, &peer, bytes) == 0;
}

// 0, or what was wrong.
int connect_to(const addrinfo &one, double until, Descriptor &connected) {
    Descriptor trial(socket(one.ai_family, one.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, one.ai_protocol));
    if (trial.get() < 0) return errno;
    if (connect(trial.get(), one.ai_addr, one.ai_addrlen) != 0) {
        if (errno != EINPROGRESS && errno != EINTR) return errno;
        if (!await_ready(trial.get(), POLLOUT, until)) return ETIMEDOUT;
        int error = 0;
        socklen_t bytes = sizeof error;
        if (getsockopt(trial.get(), SOL_SOCKET, SO_ERROR, &error, &bytes) != 0) return errno;
        if (error != 0) return error;
    }
    if (leads_to_itself(trial.get())) return ECONNREFUSED;
    const int on = 1, idle = 30;
    setsockopt(trial.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(trial.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(trial.get(), IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    connected.reset(trial.release());
    return 0;
}

// How many contexts this process has made over each rendezvous.
struct Made {
    std::mutex mutex;
    pid_t pid = 0; // another one after fork
    uint64_t process = 0;
    std::map<std::string, uint32_t> contexts;
};

Made &made() {
    static Made process_wide;
    return process_wide;
}

template <size_t n>
void copy_text(char (&to)[n], const std::string &from) {
    std::memcpy(to, from.c_str(), std::min(from.size(), n - 1));
}

} // namespace

void Descriptor::reset(int number) {
    if (number_ >= 0) close(number_);
    number_ = number;
}

RendezvousPlace rendezvous_place(const Config &config) {
    RendezvousPlace place;
    place.address = config.text("rendezvous");
    if (place.address.empty()) return place;
    place.id = config.text("rendezvous.id");
    const int64_t rank = config.integer("rendezvous.rank"), n_ranks = config.integer("rendezvous.ranks");
    if (rank < 0 || n_ranks < 1 || rank >= n_ranks)
        fail(HALO_ERR_CONFIG, "setting rendezvous = %s, but rendezvous.rank = %lld and rendezvous.ranks = %lld", place.address.c_str(),
             static_cast<long long>(rank), static_cast<long long>(n_ranks));
    if (place.id.size() >= sizeof Hello::id) fail(HALO_ERR_CONFIG, "setting rendezvous.id has %zu characters: 63 are the most", place.id.size());
    place.rank = static_cast<int32_t>(rank);
    place.n_ranks = static_cast<int32_t>(n_ranks);
    split(place.address);
    return place;
}

ContextNumber::ContextNumber(const RendezvousPlace &place) : key_(format("%s %s %d", place.address.c_str(), place.id.c_str(), place.rank)) {
    Made &all = made();
    const std::lock_guard lock(all.mutex);
    if (all.pid != getpid()) {
        uint64_t process = 0;
        if (getrandom(&process, sizeof process, 0) != sizeof process) fail(HALO_ERR_TRANSPORT, "rendezvous: getrandom: %s", std::strerror(errno));
        all.contexts.clear();
        all.process = process;
        all.pid = getpid();
    }
    process_ = all.process;
    value_ = ++all.contexts[key_];
}

ContextNumber::~ContextNumber() {
    if (kept_) return;
    Made &all = made();
    const std::lock_guard lock(all.mutex);
    const auto last = all.contexts.find(key_);
    if (all.process == process_ && last != all.contexts.end() && last->second == value_) --last->second;
}

Rendezvous::Rendezvous(RendezvousPlace place, double time_limit, double warn_after, Tell tell)
    : place_(std::move(place)),
      tell_(std::move(tell)),
      begun_(steady_seconds()),
      time_limit_(time_limit),
      warn_after_(warn_after),
      number_(place_) {
    given_.rank = place_.rank;
    given_.n_ranks = place_.n_ranks;
    given_.user = this;
    given_.allgather = [](void *self, const void *mine, size_t bytes, void *all) {
        auto *rendezvous = static_cast<Rendezvous *>(self);
        try {
            rendezvous->allgather(mine, bytes, all);
            return HALO_SUCCESS;
        } catch (...) {
            rendezvous->failed_ = present_error();
            return rendezvous->failed_->status();
        }
    };
    connect();
    greet();
}

std::string Rendezvous::what() const { return format("rendezvous %s, context %u", place_.address.c_str(), number_.value()); }

void Rendezvous::lost(const char *doing, int error) const {
    fail(HALO_ERR_TRANSPORT, "%s: the server has gone (%s: %s)", what().c_str(), doing, error == 0 ? "closed" : std::strerror(error));
}

int Rendezvous::try_to_connect(std::string &trouble, double until) {
    int error = 0;
    const auto addresses = look_up(place_.address, trouble);
    for (const addrinfo *one = addresses.get(); one; one = one->ai_next) {
        error = connect_to(*one, until, socket_);
        if (socket_.get() >= 0) return 0;
        trouble = std::strerror(error);
    }
    return error;
}

// The server may come later than the ranks.
void Rendezvous::connect() {
    constexpr double first_nap = 0.01, longest_nap = 0.2; // seconds
    const double until = begun_ + (time_limit_ > 0 ? time_limit_ : seconds_to_connect);
    std::string trouble;
    for (double nap = first_nap;; nap = std::min(2 * nap, longest_nap)) {
        const int error = try_to_connect(trouble, until);
        if (socket_.get() >= 0) return;
        if (error == EMFILE || error == ENFILE || error == EACCES || error == EPERM)
            fail(HALO_ERR_TRANSPORT, "rendezvous %s cannot be reached: %s", place_.address.c_str(), trouble.c_str());
        const double now = steady_seconds();
        if (now >= until)
            fail(HALO_TIMEOUT, "timed out after %.1f s: rendezvous %s cannot be reached: %s", now - begun_, place_.address.c_str(), trouble.c_str());
        await_ready(-1, 0, std::min(now + nap, until));
    }
}

void Rendezvous::greet() {
    Hello mine{};
    mine.rank = place_.rank;
    mine.n_ranks = place_.n_ranks;
    mine.process = number_.process();
    mine.context = number_.value();
    mine.pid = getpid();
    copy_text(mine.id, place_.id);
    gethostname(mine.host, sizeof mine.host - 1);
    send(hello, 0, &mine, sizeof mine);
    await(welcome);
}

void Rendezvous::allgather(const void *mine, size_t bytes, void *all_parts) {
    if (bytes > longest_part || bytes * static_cast<uint64_t>(place_.n_ranks) > longest_all)
        fail(HALO_ERR_LIMIT, "%s: %zu bytes from each of %d ranks are too many", what().c_str(), bytes, place_.n_ranks);
    send(give, ++exchanges_, mine, bytes);
    const std::string parts = await(all);
    if (parts.size() != bytes * static_cast<size_t>(place_.n_ranks))
        fail(HALO_ERR_WIRE, "%s: %zu bytes came from %d ranks of %zu bytes each", what().c_str(), parts.size(), place_.n_ranks, bytes);
    if (!parts.empty()) std::memcpy(all_parts, parts.data(), parts.size());
}

// The server closes, so that no port of this end has to rest after each context.
void Rendezvous::done() noexcept {
    try {
        send(rendezvous::done, 0, nullptr, 0);
        for (const double until = steady_seconds() + seconds_to_answer; steady_seconds() < until;) read_more(until);
    } catch (...) { // it has
    }
    socket_.reset(-1);
}

void Rendezvous::give_up(const Error &why) noexcept {
    try {
        if (socket_.get() >= 0)
            send(rendezvous::give_up, static_cast<uint32_t>(why.status()), why.what(), std::min<size_t>(why.text().size(), longest_text));
    } catch (...) { // the server sees it close
    }
    socket_.reset(-1);
}

void Rendezvous::send(Kind kind, uint32_t number, const void *payload, size_t bytes) {
    const Head head{ magic, kind, number, 0, bytes };
    send_bytes(&head, sizeof head);
    send_bytes(payload, bytes);
}

void Rendezvous::send_bytes(const void *data, size_t bytes) {
    constexpr double longest = 60; // where no timeout is set: the server always reads
    const double until = std::max(steady_seconds() + seconds_to_answer, begun_ + time_limit_ + (time_limit_ > 0 ? 0 : longest));
    for (const char *next = static_cast<const char *>(data); bytes > 0;) {
        const ssize_t n = ::send(socket_.get(), next, bytes, MSG_NOSIGNAL);
        if (n >= 0) {
            next += n;
            bytes -= static_cast<size_t>(n);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            if (!await_ready(socket_.get(), POLLOUT, until)) lost("send", ETIMEDOUT);
        } else if (errno != EINTR) {
            lost("send", errno);
        }
    }
}

// Nothing within the time is no error.
void Rendezvous::read_more(double until) {
    if (!await_ready(socket_.get(), POLLIN, until)) return;
    char some[1 << 16];
    const ssize_t n = recv(socket_.get(), some, sizeof some, 0);
    if (n > 0)
        in_.append(some, static_cast<size_t>(n));
    else if (n == 0)
        lost("receive", 0);
    else if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)
        lost("receive", errno);
}

bool Rendezvous::take_frame(Head &head, std::string &payload) {
    if (in_.size() < sizeof head) return false;
    std::memcpy(&head, in_.data(), sizeof head);
    if (head.magic != magic || head.bytes > longest_all)
        fail(HALO_ERR_WIRE, "%s: what answers there is no rendezvous of this version of the library", what().c_str());
    if (in_.size() - sizeof head < head.bytes) return false;
    payload = in_.substr(sizeof head, head.bytes);
    in_.erase(0, sizeof head + head.bytes);
    return true;
}

void Rendezvous::throw_failure(const Head &head, const std::string &payload) const {
    const auto status = static_cast<halo_status>(head.number);
    if (head.kind == refused) fail(status, "%s: rank %d is refused: %s", what().c_str(), place_.rank, payload.c_str());
    Cause cause{ -1, 0 };
    if (head.kind != failed || payload.size() < sizeof cause)
        fail(HALO_ERR_WIRE, "%s: a message of kind %u, %zu bytes", what().c_str(), head.kind, payload.size());
    std::memcpy(&cause, payload.data(), sizeof cause);
    const std::string text = payload.substr(sizeof cause);
    if (cause.rank < 0) fail(status, "%s: %s", what().c_str(), text.c_str());
    fail_after(HALO_ERR_PEER, format("%s: another rank has given it up", what().c_str()), { cause.rank, status, text });
}

// Who waits for long asks who is missing, and is told by the server.
std::string Rendezvous::await(Kind kind) {
    const double begin = steady_seconds(), limit = time_limit_ > 0 ? begun_ + time_limit_ : no_limit;
    double warn = warn_after_ > 0 ? begin + warn_after_ : no_limit, last = limit;
    bool ends = false;
    for (;;) {
        Head head{};
        std::string payload;
        while (take_frame(head, payload)) {
            if (head.kind == welcome || head.kind == failed) number_.keep();
            if (head.kind == kind) return payload;
            if (head.kind != absent) throw_failure(head, payload);
            if (ends) fail(HALO_TIMEOUT, "timed out after %.1f s: %s: %s", steady_seconds() - begun_, what().c_str(), payload.c_str());
            tell_(format("waiting for %.0f s: %s: %s", steady_seconds() - begin, what().c_str(), payload.c_str()));
        }
        const double now = steady_seconds();
        if (ends && now >= last) fail(HALO_TIMEOUT, "timed out after %.1f s: %s: the server does not answer", now - begun_, what().c_str());
        if (!ends && now >= limit) {
            send(ask, 0, nullptr, 0);
            ends = true;
            last = now + seconds_to_answer;
        } else if (!ends && now >= warn) {
            send(ask, 0, nullptr, 0);
            warn = now + (now - begin); // when the wait has doubled
        }
        read_more(std::min(ends ? last : limit, warn));
    }
}

} // namespace halo

// SPDX-License-Identifier: BSD-3-Clause
#include "server.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <halo.h>

namespace halo::launch {

using namespace rendezvous;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

} // namespace

struct Server::Connection {
    explicit Connection(int number) : socket(number) {}
    ~Connection() { close(socket); }
    Connection(const Connection &) = delete;
    Connection &operator=(const Connection &) = delete;

    int socket;
    double begun = now();
    std::string in;                                     // read, but not taken
    std::deque<std::shared_ptr<const std::string>> out; // the first one from `sent` on
    size_t sent = 0;
    int32_t rank = -1;    // -1: has not said
    uint32_t context = 0; // 0: in none
    bool refused = false; // nothing more is listened to
    bool dead = false;
};

namespace {

[[noreturn]] void fail(const std::string &what) { throw std::system_error(errno, std::generic_category(), what); }

template <size_t n>
std::string text_of(const char (&field)[n]) {
    return std::string(field, strnlen(field, n));
}

// In a time that does not tell how much is alike.
bool same(const std::string &a, const std::string &b) {
    unsigned differ = a.size() == b.size() ? 0 : 1;
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) differ |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
    return differ == 0;
}

int open_listener(int family, const sockaddr *address, socklen_t bytes) {
    const int listener = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0) return -1;
    const int on = 1, off = 0;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (family == AF_INET6) setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (bind(listener, address, bytes) == 0 && ::listen(listener, SOMAXCONN) == 0) return listener;
    const int error = errno;
    close(listener);
    errno = error;
    return -1;
}

} // namespace

Server::Server(int32_t n_ranks, std::string id, std::function<void(const std::string &)> tell)
    : n_ranks_(n_ranks),
      id_(std::move(id)),
      tell_(std::move(tell)),
      ranks_(static_cast<size_t>(n_ranks)) {}

Server::~Server() {
    if (listener_ >= 0) close(listener_);
}

// For all: by IPv6, which takes IPv4 too where the host has both.
void Server::listen(bool on_loopback_alone, uint16_t port) {
    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(port);
    six.sin6_addr = in6addr_any;
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_port = htons(port);
    four.sin_addr.s_addr = htonl(on_loopback_alone ? INADDR_LOOPBACK : INADDR_ANY);
    listener_ = on_loopback_alone ? -1 : open_listener(AF_INET6, reinterpret_cast<const sockaddr *>(&six), sizeof six);
    if (listener_ < 0 && (on_loopback_alone || errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL))
        listener_ = open_listener(AF_INET, reinterpret_cast<const sockaddr *>(&four), sizeof four);
    if (listener_ < 0) fail("port " + std::to_string(port));
    sockaddr_storage bound{};
    socklen_t bytes = sizeof bound;
    if (getsockname(listener_, reinterpret_cast<sockaddr *>(&bound), &bytes) != 0) fail("getsockname");
    in_port_t given = 0;
    if (bound.ss_family == AF_INET6)
        given = reinterpret_cast<const sockaddr_in6 *>(&bound)->sin6_port;
    else
        given = reinterpret_cast<const sockaddr_in *>(&bound)->sin_port;
    port_ = ntohs(given);
}

void Server::add_to(std::vector<pollfd> &all) {
    constexpr double patience_with_strangers = 30; // seconds
    const double since = now() - patience_with_strangers;
    std::erase_if(connections_, [&](const auto &one) { return one->dead || (one->rank < 0 && one->begun < since); });
    all.push_back({ listener_, static_cast<short>(accepts_ ? POLLIN : 0), 0 });
    for (const auto &one : connections_) all.push_back({ one->socket, static_cast<short>(POLLIN | (one->out.empty() ? 0 : POLLOUT)), 0 });
    n_polled_ = connections_.size();
}

int Server::patience() const {
    constexpr int milliseconds = 100;
    return accepts_ ? -1 : milliseconds;
}

void Server::serve(const pollfd *first) {
    const pollfd *next = first + 1;
    for (size_t i = 0; i < n_polled_; ++i, ++next) {
        Connection &one = *connections_[i];
        if (!one.dead && (next->revents & POLLOUT) != 0) flush(one);
        if (!one.dead && (next->revents & (POLLIN | POLLHUP | POLLERR)) != 0) read(one);
    }
    accepts_ = true;
    accept_all();
}

// Where there is no descriptor for another one, those that come wait.
void Server::accept_all() {
    for (;;) {
        const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (socket < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
        if (socket < 0) {
            accepts_ = errno == EAGAIN || errno == EWOULDBLOCK;
            return;
        }
        const int on = 1;
        setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
        connections_.push_back(std::make_unique<Connection>(socket));
    }
}

void Server::read(Connection &from) {
    char some[1 << 16];
    const ssize_t n = recv(from.socket, some, sizeof some, 0);
    if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (n <= 0) return leave(from);
    if (from.refused) return;
    from.in.append(some, static_cast<size_t>(n));
    while (!from.dead && !from.refused && take_frame(from)) {}
}

// False: none is complete.
bool Server::take_frame(Connection &from) {
    Head head{};
    if (from.in.size() < sizeof head) return false;
    std::memcpy(&head, from.in.data(), sizeof head);
    const bool first = from.rank < 0;
    const uint64_t most = first ? sizeof(Hello) : head.kind == give ? longest_part : longest_text;
    if (head.magic != magic || head.bytes > most || first != (head.kind == hello)) {
        leave(from); // nobody of ours
        return false;
    }
    if (from.in.size() - sizeof head < head.bytes) return false;
    const std::string payload = from.in.substr(sizeof head, head.bytes);
    from.in.erase(0, sizeof head + head.bytes);
    if (first)
        greet(from, payload);
    else
        answer(from, head, payload);
    return true;
}

void Server::answer(Connection &from, const Head &head, const std::string &payload) {
    switch (head.kind) {
    case give: return gather(from, head.number, payload);
    case ask: return send(from, absent, 0, missing(contexts_.at(from.context)));
    case done: contexts_.at(from.context).presence[static_cast<size_t>(from.rank)] = Presence::done; break;
    case give_up: fail_context(from.context, { from.rank, static_cast<int32_t>(head.number), payload }); break;
    default: break; // is none of ours
    }
    leave(from);
}

void Server::refuse(Connection &to, int32_t status, const std::string &text) {
    to.refused = true;
    send(to, refused, static_cast<uint32_t>(status), text);
}

void Server::greet(Connection &from, const std::string &payload) {
    Hello said{};
    if (payload.size() != sizeof said) return leave(from);
    std::memcpy(&said, payload.data(), sizeof said);
    if (!same(text_of(said.id), id_)) return refuse(from, HALO_ERR_CONFIG, "its id is not that of this rendezvous (setting rendezvous.id)");
    if (said.n_ranks != n_ranks_)
        return refuse(from, HALO_ERR_MISMATCH, "it counts " + std::to_string(said.n_ranks) + " ranks, the server " + std::to_string(n_ranks_));
    if (said.rank < 0 || said.rank >= n_ranks_ || said.context == 0) return refuse(from, HALO_ERR_ARGUMENT, "no such rank");
    Rank &rank = ranks_[static_cast<size_t>(said.rank)];
    if (rank.process != said.process) {
        if (rank.n_open > 0) return refuse(from, HALO_ERR_EXISTS, "this rank is here already, as " + rank.who);
        rank.process = said.process;
        rank.before = rank.last;
        rank.who = "process " + std::to_string(said.pid) + " on " + text_of(said.host);
    }
    enter(from, said, rank.before + said.context);
}

void Server::enter(Connection &from, const Hello &said, uint32_t number) {
    const auto r = static_cast<size_t>(said.rank);
    Context &context = contexts_[number];
    context.presence.resize(ranks_.size());
    from.rank = said.rank;
    if (context.presence[r] != Presence::expected) { // it has not heard that it was known
        from.refused = true;
        return send_failure(from, context.failure.value_or(Cause{ said.rank, HALO_ERR_TRANSPORT, "it comes to the same context twice" }));
    }
    from.context = number;
    context.presence[r] = Presence::here;
    ranks_[r].last = std::max(ranks_[r].last, number);
    ++ranks_[r].n_open;
    if (context.failure) return send_failure(from, *context.failure);
    send(from, welcome, 0, {});
    for (size_t other = 0; other < ranks_.size(); ++other)
        if (!ranks_[other].ended.empty() && context.presence[other] == Presence::expected) return fail_for_ended(number, other);
}

void Server::gather(Connection &from, uint32_t number, const std::string &payload) {
    Context &context = contexts_.at(from.context);
    const auto r = static_cast<size_t>(from.rank);
    if (context.failure) return;
    if (context.n_given == 0) {
        context.bytes = payload.size();
        context.given.assign(ranks_.size(), 0);
        context.all.assign(payload.size() * ranks_.size(), '\0');
    }
    if (number != context.exchange || context.given[r] != 0) return leave(from);
    if (payload.size() != context.bytes)
        return fail_context(from.context, { -1, HALO_ERR_MISMATCH,
                                            "exchange " + std::to_string(number) + ": rank " + std::to_string(from.rank) + " gives " +
                                                std::to_string(payload.size()) + " bytes, others " + std::to_string(context.bytes) });
    payload.copy(context.all.data() + r * payload.size(), payload.size());
    context.given[r] = 1;
    if (++context.n_given < n_ranks_) return;
    const Head head{ magic, all, context.exchange, 0, context.all.size() };
    const auto heads = std::make_shared<const std::string>(reinterpret_cast<const char *>(&head), sizeof head);
    const auto parts = std::make_shared<const std::string>(std::move(context.all));
    ++context.exchange;
    context.n_given = 0;
    context.all.clear();
    for (const auto &one : connections_)
        if (!one->dead && !one->refused && one->rank >= 0 && one->context == from.context) {
            one->out.push_back(heads);
            if (!parts->empty()) one->out.push_back(parts);
            flush(*one);
        }
}

// A rank that has neither done all nor given up has failed the others.
void Server::leave(Connection &from) {
    from.dead = true;
    shutdown(from.socket, SHUT_RDWR);
    if (from.context == 0) return;
    const uint32_t number = std::exchange(from.context, 0);
    const auto r = static_cast<size_t>(from.rank);
    Context &context = contexts_.at(number);
    --ranks_[r].n_open;
    if (context.presence[r] == Presence::here) {
        context.presence[r] = Presence::gone;
        fail_context(number, { from.rank, HALO_ERR_TRANSPORT, ranks_[r].who + " has gone" });
    }
    if (++context.n_left == n_ranks_) contexts_.erase(number);
}

// The first cause stands.
void Server::fail_context(uint32_t number, const Cause &cause) {
    Context &context = contexts_.at(number);
    if (context.failure) return;
    context.failure = cause;
    for (const auto &one : connections_)
        if (!one->dead && !one->refused && one->rank >= 0 && one->context == number && one->rank != cause.rank) send_failure(*one, cause);
}

void Server::send_failure(Connection &to, const Cause &cause) {
    const rendezvous::Cause on{ cause.rank, 0 };
    send(to, failed, static_cast<uint32_t>(cause.status), std::string(reinterpret_cast<const char *>(&on), sizeof on) + cause.text);
}

void Server::send(Connection &to, uint32_t kind, uint32_t number, std::string payload) {
    const Head head{ magic, kind, number, 0, payload.size() };
    payload.insert(0, reinterpret_cast<const char *>(&head), sizeof head);
    to.out.push_back(std::make_shared<const std::string>(std::move(payload)));
    flush(to);
}

// What cannot be sent is noticed when it is read from.
void Server::flush(Connection &to) {
    while (!to.out.empty()) {
        const std::string &next = *to.out.front();
        const ssize_t n = ::send(to.socket, next.data() + to.sent, next.size() - to.sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK) to.out.clear();
        if (n < 0) return;
        to.sent += static_cast<size_t>(n);
        if (to.sent < next.size()) continue;
        to.sent = 0;
        to.out.pop_front();
    }
}

std::string Server::ranks_where(const std::function<bool(size_t)> &is_one) const {
    constexpr int most = 8;
    std::string text;
    int n = 0;
    for (size_t r = 0; r < ranks_.size(); ++r)
        if (is_one(r) && ++n <= most) text += (n == 1 ? "" : ", ") + std::to_string(r);
    if (n > most) text += " and " + std::to_string(n - most) + " more";
    return (n == 1 ? "rank " : "ranks ") + text;
}

std::string Server::missing(const Context &context) const {
    const auto absent_ones = [&](size_t r) { return context.presence[r] == Presence::expected; };
    if (std::count(context.presence.begin(), context.presence.end(), Presence::expected) > 0) return "not come yet: " + ranks_where(absent_ones);
    if (context.n_given == 0) return "nobody is missing";
    return "exchange " + std::to_string(context.exchange) + " is wanted of " + ranks_where([&](size_t r) { return context.given[r] == 0; });
}

void Server::fail_for_ended(uint32_t number, size_t rank) {
    const Context &context = contexts_.at(number);
    if (context.failure) return;
    const std::string waiting = ranks_where([&](size_t r) { return context.presence[r] == Presence::here; });
    const std::string text = ranks_[rank].ended + " before it came to context " + std::to_string(number);
    tell_("rank " + std::to_string(rank) + " " + text + ", where it is waited for by " + waiting);
    fail_context(number, { static_cast<int32_t>(rank), HALO_ERR_STATE, "it " + text });
}

void Server::rank_ended(int32_t rank, const std::string &how) {
    const auto r = static_cast<size_t>(rank);
    ranks_[r].ended = how;
    for (auto &[number, context] : contexts_)
        if (context.presence[r] == Presence::expected) fail_for_ended(number, r);
}

} // namespace halo::launch

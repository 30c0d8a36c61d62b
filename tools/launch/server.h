// SPDX-License-Identifier: BSD-3-Clause
// The rendezvous: ranks come to it by TCP, once for each context that they make, and it gathers what they give. Single-threaded: what is there is
// served.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <poll.h>

#include "plugin/rendezvous_wire.h"

namespace halo::launch {

class Server {
public:
    // `tell` hears what whoever started the ranks ought to know.
    Server(int32_t n_ranks, std::string id, std::function<void(const std::string &)> tell);
    ~Server();
    Server(const Server &) = delete;
    Server &operator=(const Server &) = delete;

    // Port 0: any that is free. Throws std::system_error.
    void listen(bool on_loopback_alone, uint16_t port);
    uint16_t port() const { return port_; }
    const std::string &id() const { return id_; }

    // What to wait for, behind what is there already; then served by `serve` with what poll has put there.
    void add_to(std::vector<pollfd> &all);
    void serve(const pollfd *first);
    // Milliseconds until it has something to do without being asked; -1: never.
    int patience() const;

    // Nobody is to wait for this rank any more; `how` it has ended, as in "ended with status 0".
    void rank_ended(int32_t rank, const std::string &how);

private:
    enum class Presence : uint8_t { expected, here, done, gone };
    struct Connection;
    struct Cause {
        int32_t rank; // -1: none
        int32_t status;
        std::string text;
    };
    struct Context {
        std::vector<Presence> presence;
        int32_t n_left = 0;
        std::optional<Cause> failure;
        uint32_t exchange = 1; // the one that is being gathered
        uint64_t bytes = 0;
        std::vector<uint8_t> given;
        int32_t n_given = 0;
        std::string all;
    };
    struct Rank {
        uint64_t process = 0; // 0: none has come
        uint32_t before = 0;  // contexts of processes before it
        uint32_t last = 0;    // context it has come to
        int32_t n_open = 0;
        std::string who;
        std::string ended; // how
    };

    void accept_all();
    void read(Connection &from);
    bool take_frame(Connection &from);
    void answer(Connection &from, const rendezvous::Head &head, const std::string &payload);
    void greet(Connection &from, const std::string &payload);
    void enter(Connection &from, const rendezvous::Hello &hello, uint32_t number);
    void gather(Connection &from, uint32_t number, const std::string &payload);
    void leave(Connection &from);
    void refuse(Connection &to, int32_t status, const std::string &text);
    void fail_context(uint32_t number, const Cause &cause);
    void send_failure(Connection &to, const Cause &cause);
    void send(Connection &to, uint32_t kind, uint32_t number, std::string payload);
    void flush(Connection &to);
    std::string missing(const Context &context) const;
    std::string ranks_where(const std::function<bool(size_t)> &is_one) const;
    void fail_for_ended(uint32_t number, size_t rank);

    int32_t n_ranks_;
    std::string id_;
    std::function<void(const std::string &)> tell_;
    int listener_ = -1;
    uint16_t port_ = 0;
    bool accepts_ = true;
    std::vector<std::unique_ptr<Connection>> connections_;
    size_t n_polled_ = 0; // of the connections
    std::vector<Rank> ranks_;
    std::map<uint32_t, Context> contexts_; // that not all ranks have left
};

} // namespace halo::launch

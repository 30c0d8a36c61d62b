// SPDX-License-Identifier: BSD-3-Clause
// Ranks that a server brings together: halo_launch, or one of its own. Each context that is made has a connection to it meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/config.h"
#include "base/error.h"
#include "halo.h"
#include "plugin/rendezvous_wire.h"

namespace halo {

struct RendezvousPlace {
    std::string address; // "host:port"; empty: there is none
    std::string id;
    int32_t rank = 0;
    int32_t n_ranks = 0;

    std::string text() const { return "the rendezvous " + address; }
};

// Of the settings. HALO_ERR_CONFIG: they do not fit together.
RendezvousPlace rendezvous_place(const Config &config);

// Closes it.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() { reset(-1); }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;

    int get() const { return number_; }
    void reset(int number);
    int release() {
        const int number = number_;
        number_ = -1;
        return number;
    }

private:
    int number_ = -1;
};

// The number of a context among those that this process has made over one rendezvous: what all ranks have alike, as they make them in the same order.
class ContextNumber {
public:
    explicit ContextNumber(const RendezvousPlace &place);
    // Given back if the server has not heard of it, and it is the last.
    ~ContextNumber();
    ContextNumber(const ContextNumber &) = delete;
    ContextNumber &operator=(const ContextNumber &) = delete;

    uint32_t value() const { return value_; }
    uint64_t process() const { return process_; }
    void keep() { kept_ = true; }

private:
    std::string key_;
    uint64_t process_ = 0;
    uint32_t value_ = 0;
    bool kept_ = false;
};

class Rendezvous {
public:
    using Tell = std::function<void(const std::string &)>;

    // Goes there, up to the time limit (none: 10 s). `tell` hears of waits that last for `warn_after`. Seconds; 0: none.
    Rendezvous(RendezvousPlace place, double time_limit, double warn_after, Tell tell);
    // The others hear of it, if this rank has neither done all nor given up.
    ~Rendezvous() = default;
    Rendezvous(const Rendezvous &) = delete;
    Rendezvous &operator=(const Rendezvous &) = delete;

    const RendezvousPlace &place() const { return place_; }
    const halo_bootstrap &given() const { return given_; }
    void allgather(const void *mine, size_t bytes, void *all);
    // All is exchanged.
    void done() noexcept;
    // The others will not wait for this rank.
    void give_up(const Error &why) noexcept;

    // What has failed in an exchange is thrown rather than what others make of it.
    template <class Open>
    auto opens(Open &&open) {
        try {
            return open();
        } catch (...) {
            const Error why = failed_ ? *failed_ : present_error();
            give_up(why);
            throw Error(why);
        }
    }

private:
    void connect();
    int try_to_connect(std::string &trouble, double until);
    void greet();
    void send(rendezvous::Kind kind, uint32_t number, const void *payload, size_t bytes);
    void send_bytes(const void *data, size_t bytes);
    std::string await(rendezvous::Kind kind);
    // What is there of it is taken. False: it is not complete.
    bool take_frame(rendezvous::Head &head, std::string &payload);
    void read_more(double until);
    [[noreturn]] void throw_failure(const rendezvous::Head &head, const std::string &payload) const;
    [[noreturn]] void lost(const char *doing, int error) const;
    std::string what() const;

    RendezvousPlace place_;
    Tell tell_;
    double begun_;
    double time_limit_; // 0: none
    double warn_after_; // 0: never
    ContextNumber number_;
    uint32_t exchanges_ = 0;
    Descriptor socket_;
    std::string in_; // read, but not taken
    halo_bootstrap given_ = HALO_BOOTSTRAP_INIT;
    std::optional<Error> failed_;
};

} // namespace halo

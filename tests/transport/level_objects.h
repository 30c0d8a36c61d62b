// SPDX-License-Identifier: BSD-3-Clause
// One of everything that two ranks make from a context and that sends messages: exchanges and groups of both policies, a batch, a reduction.
#pragma once

#include <string>

#include "halo_access.h"
#include "halo_channel.h"

namespace mpi_levels {

class Objects {
public:
    explicit Objects(halo_context *context); // collective, like the rest; what fails ends the program
    // Everything once; values are compared.
    void use();
    // One of the exchanges alone.
    void prepare_aggregated();
    void exchange_aggregated() { exchange(aggregated_); }
    std::string description() const; // halo_exchange_describe of it
    // A batch would have to exchange; a channel's message has come, but its sender has not looked.
    void leave_work();
    // What begins something, in a thread that may not.
    void expect_refused(const char *word);
    void expect_channel_refused(const char *word); // which also looks after its message
    void destroy();

private:
    void make_field();
    halo_group *make_group(int32_t messages, halo_channel *(&channels)[2]);
    void run_group();
    void send_on_channel();
    void receive_on_channel();
    void exchange(halo_exchange *exchange);
    void loop();
    void reduce();
    void fill();
    void compare(const char *what) const;

    halo_context *context_;
    int32_t rank_ = 0, n_ranks_ = 0;
    int round_ = 0;
    halo_topology *blocks_ = nullptr;
    halo_field *field_ = nullptr;
    double *data_ = nullptr;
    halo_exchange *aggregated_ = nullptr, *per_channel_ = nullptr;
    halo_reduction *reduction_ = nullptr;
    halo_channel *by_hand_[2] = {}, *in_one_message_[2] = {}; // to the next rank, from the one before
    halo_group *group_ = nullptr, *group_in_one_message_ = nullptr;
};

} // namespace mpi_levels

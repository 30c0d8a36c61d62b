// SPDX-License-Identifier: BSD-3-Clause
// The ranks of one start, from their first process to the last.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <poll.h>

#include "options.h"
#include "output.h"
#include "process.h"
#include "server.h"

namespace halo::launch {

class Job {
public:
    Job(const Options &options, std::vector<Place> places, const std::string &rendezvous, const std::string &id, Server &server, Signals &signals);
    ~Job();
    Job(const Job &) = delete;
    Job &operator=(const Job &) = delete;

    // Until all have ended. Exit status.
    int run();
    // On standard error, between the lines of ranks.
    void tell(const std::string &text);

private:
    struct Rank {
        Rank(const std::string &prefix, Sink &out, Sink &err) : output(out, prefix), error(err, prefix) {}
        Process process;
        Lines output, error;
    };

    bool start_all();
    Command command_of(int32_t rank, bool input_is_terminal) const;
    void wait_and_serve();
    void read(int &descriptor, Lines &lines);
    void read_all(Rank &rank);
    void forward_input();
    void take_ends();
    void note_end(size_t rank);
    // All are asked to end, then made to.
    void end_all(int status);
    void end_harder();
    bool all_ended() const;
    bool anything_left();
    int patience() const;

    const Options &options_;
    std::vector<Place> places_;
    std::string rendezvous_, id_;
    Server &server_;
    Signals &signals_;
    Before before_;
    Sink out_, err_;
    std::deque<Rank> ranks_; // those that were started
    std::string input_;      // of a terminal, not yet with rank 0
    bool forwards_ = false;
    std::optional<int> status_; // of the first failure
    double ends_at_ = 0;        // when patience ends; 0: nothing is to end
    bool killed_ = false;
    int n_stops_ = 0;
};

// For reports: seconds since some moment.
double seconds();

} // namespace halo::launch

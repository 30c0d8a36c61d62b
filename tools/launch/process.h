// SPDX-License-Identifier: BSD-3-Clause
// One process with its group, and its ends of pipes.
#pragma once

#include <csignal>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/types.h>

namespace halo::launch {

enum class Input {
    nothing,
    inherited,
    pipe, // written by this process
};

struct Command {
    std::vector<std::string> arguments;
    std::vector<std::string> environment; // NAME=VALUE
    Input input = Input::nothing;
};

// What a child has otherwise than this process.
struct Before {
    sigset_t signals{};
    rlimit descriptors{};
};

struct Process {
    pid_t pid = -1; // and number of its group
    int input = -1; // Input::pipe
    int output = -1;
    int error = -1;
    bool ended = false;      // its first process
    bool group_gone = false; // all of them
    int status = 0;          // as of waitpid, once it has ended

    void close_input();
};

// Throws std::system_error with the errno of what failed, of exec too.
Process start(const Command &command, const Before &before);

// To all of its group.
void signal_group(Process &process, int signal);

// "ended with status 3", "was ended by signal 11 (Segmentation fault)"
std::string how_it_ended(int status, bool far_away);
// As a shell has it.
int exit_status(int status);

// A line for another host's shell: changes to this directory, reads the rendezvous' id from standard input, starts the command in a session of its
// own, and ends that when standard input ends, by SIGKILL after `grace` seconds.
std::string line_for_shell(const std::vector<std::string> &environment, const std::vector<std::string> &command, double grace);

} // namespace halo::launch

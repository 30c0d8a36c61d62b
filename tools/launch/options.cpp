// SPDX-License-Identifier: BSD-3-Clause
#include "options.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include <getopt.h>

namespace halo::launch {

const char *const usage =
    "usage: halo_launch -n RANKS [option]... program [argument]...\n"
    "       halo_launch --serve PORT -n RANKS [--address HOST]\n"
    "Runs a program as several ranks without MPI, and brings them together. The first one that fails ends all; its status is that of halo_launch.\n"
    "  -n, --ranks N        how many\n"
    "      --hosts A,B:4    where: hosts with the ranks that each takes, filled in this order; without, all run here. Without a number: an equal "
    "share\n"
    "      --shell COMMAND  starts what is on other hosts, as COMMAND HOST LINE (ssh)\n"
    "      --address HOST   name or number by which ranks reach this machine (its host name; 127.0.0.1 where all ranks run here)\n"
    "  -x, --export NAME    a variable, or NAME=VALUE, for the ranks. Those of other hosts get HALO_*, UCX_*, OMP_*, PATH and LD_LIBRARY_PATH "
    "anyway\n"
    "      --no-prefix      lines of output as they are, without `[rank] ` in front\n"
    "      --grace SECONDS  between SIGTERM and SIGKILL, when ranks are to end (5)\n"
    "      --serve PORT     starts nothing: serves ranks that are started otherwise, and prints what to set for them. PORT 0: any.\n"
    "                       The id is HALO_RENDEZVOUS_ID where that is set\n"
    "      --version        of the library\n"
    "      --help           this text\n"
    "Standard input goes to rank 0, if it runs here. Ranks find HALO_RENDEZVOUS, HALO_RENDEZVOUS_ID, HALO_RENDEZVOUS_RANK, HALO_RENDEZVOUS_RANKS, "
    "which\n"
    "halo_context_create reads, and HALO_LAUNCH_LOCAL_RANK, HALO_LAUNCH_LOCAL_RANKS: this one, and how many, on its host.\n";

namespace {

constexpr int32_t most_ranks = 65536;

[[noreturn]] void refuse(const std::string &text) { throw std::invalid_argument(text); }

int32_t number(const std::string &what, const std::string &text, int32_t low, int32_t high) {
    int32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < low || value > high)
        refuse(what + " '" + text + "': a number from " + std::to_string(low) + " to " + std::to_string(high) + " is wanted");
    return value;
}

std::vector<std::string> pieces(const std::string &text, char between) {
    std::vector<std::string> all;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(between, begin), text.size());
        all.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return all;
}

std::vector<Host> hosts_in(const std::string &list) {
    std::vector<Host> hosts;
    for (const std::string &one : pieces(list, ',')) {
        const size_t colon = one.find(':');
        Host host{ one.substr(0, colon), 0 };
        if (host.name.empty() || host.name.front() == '-') refuse("--hosts '" + list + "': '" + one + "' is no host");
        if (colon != std::string::npos) host.slots = number("--hosts: ranks of " + host.name, one.substr(colon + 1), 1, most_ranks);
        hosts.push_back(std::move(host));
    }
    return hosts;
}

void set_option(Options &options, int which) {
    const std::string given = optarg ? optarg : "";
    switch (which) {
    case 'n': options.n_ranks = number("-n", given, 1, most_ranks); break;
    case 'H': options.hosts = hosts_in(given); break;
    case 'S':
        options.shell = pieces(given, ' ');
        std::erase(options.shell, "");
        if (options.shell.empty()) refuse("--shell: a command is wanted");
        break;
    case 'A': options.address = given; break;
    case 'x': options.exported.push_back(given); break;
    case 'P': options.prefix = false; break;
    case 'G': options.grace = number("--grace", given, 0, 86400); break;
    case 's': options.serve = number("--serve", given, 0, 65535); break;
    case 'V': options.version = true; break;
    case 'h': options.help = true; break;
    default: refuse("see halo_launch --help"); // getopt has said what is wrong
    }
}

} // namespace

Options parse_options(int argc, char **argv) {
    static const option known[] = { { "ranks", required_argument, nullptr, 'n' },
                                    { "hosts", required_argument, nullptr, 'H' },
                                    { "shell", required_argument, nullptr, 'S' },
                                    { "address", required_argument, nullptr, 'A' },
                                    { "export", required_argument, nullptr, 'x' },
                                    { "no-prefix", no_argument, nullptr, 'P' },
                                    { "grace", required_argument, nullptr, 'G' },
                                    { "serve", required_argument, nullptr, 's' },
                                    { "version", no_argument, nullptr, 'V' },
                                    { "help", no_argument, nullptr, 'h' },
                                    { nullptr, 0, nullptr, 0 } };
    Options options;
    for (int which = 0; (which = getopt_long(argc, argv, "+n:x:h", known, nullptr)) >= 0;) set_option(options, which);
    options.command.assign(argv + optind, argv + argc);
    if (options.help || options.version) return options;
    if (options.serve >= 0) {
        if (options.n_ranks == 0) refuse("--serve: how many ranks? -n N is wanted");
        if (!options.command.empty() || !options.hosts.empty()) refuse("--serve starts nothing: no program and no --hosts");
        return options;
    }
    if (options.command.empty()) refuse("a program is wanted; see halo_launch --help");
    for (const Host &host : options.hosts)
        if (options.n_ranks == 0 && host.slots == 0) refuse("-n N is wanted, or a number of ranks for each host");
    if (options.n_ranks == 0 && options.hosts.empty()) refuse("-n N is wanted");
    return options;
}

std::vector<Place> deal(const Options &options) {
    std::vector<Host> hosts = options.hosts;
    if (hosts.empty()) hosts.push_back({ "", options.n_ranks });
    int32_t wanted = options.n_ranks, n_open = 0;
    for (const Host &host : hosts) {
        wanted -= options.n_ranks > 0 ? host.slots : 0;
        n_open += host.slots == 0 ? 1 : 0;
    }
    if (wanted > 0 && n_open == 0)
        refuse("-n " + std::to_string(options.n_ranks) + ", but --hosts takes " + std::to_string(options.n_ranks - wanted));
    for (Host &host : hosts) {
        if (host.slots > 0) continue;
        host.slots = std::max(0, (wanted + n_open - 1) / n_open);
        wanted -= host.slots;
        --n_open;
    }
    std::vector<Place> places;
    for (const Host &host : hosts) {
        const auto left = options.n_ranks > 0 ? options.n_ranks - static_cast<int32_t>(places.size()) : host.slots;
        const int32_t n = std::min(host.slots, left);
        const bool here = host.name == "localhost";
        for (int32_t i = 0; i < n; ++i) places.push_back({ here ? "" : host.name, i, n });
    }
    return places;
}

} // namespace halo::launch

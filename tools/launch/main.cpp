// SPDX-License-Identifier: BSD-3-Clause
// Runs a program as several ranks, without MPI. Exit status: that of the first rank that fails, 128 and its number where a signal has ended it; 0; 2
// for wrong use.
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <system_error>

#include <sys/random.h>
#include <unistd.h>

#include <halo.h>

#include "job.h"

namespace halo::launch {

namespace {

std::string random_id() {
    std::array<unsigned char, 16> bytes{};
    if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw std::system_error(errno, std::generic_category(), "getrandom");
    std::string text;
    for (const unsigned char byte : bytes) {
        std::array<char, 3> digits{};
        std::snprintf(digits.data(), digits.size(), "%02x", byte);
        text += digits.data();
    }
    return text;
}

bool is_loopback(const std::string &address) { return address == "localhost" || address == "::1" || address.starts_with("127."); }

std::string address_of(const Options &options, bool all_here) {
    if (!options.address.empty()) return options.address.find(':') == std::string::npos ? options.address : "[" + options.address + "]";
    if (all_here) return "127.0.0.1";
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) != 0) throw std::system_error(errno, std::generic_category(), "host name");
    return name.data();
}

int launch(const Options &options) {
    const std::vector<Place> places = deal(options);
    bool all_here = true;
    for (const Place &place : places) all_here = all_here && place.host.empty();
    Signals signals;
    Job *told = nullptr;
    Server server(static_cast<int32_t>(places.size()), random_id(), [&](const std::string &text) { told->tell(text); });
    server.listen(all_here && (options.address.empty() || is_loopback(options.address)), 0);
    Job job(options, places, address_of(options, all_here) + ":" + std::to_string(server.port()), server.id(), server, signals);
    told = &job;
    return job.run();
}

void print_what_to_set(const Server &server, const Options &options) {
    std::printf("export HALO_RENDEZVOUS=%s:%u HALO_RENDEZVOUS_ID=%s HALO_RENDEZVOUS_RANKS=%d\n", address_of(options, false).c_str(), server.port(),
                server.id().c_str(), options.n_ranks);
    std::printf("# and for each rank its own of: HALO_RENDEZVOUS_RANK=0 to HALO_RENDEZVOUS_RANK=%d\n", options.n_ranks - 1);
    std::fflush(stdout);
}

// Until a signal ends it.
int serve(const Options &options) {
    Signals signals;
    const char *given = std::getenv("HALO_RENDEZVOUS_ID");
    constexpr size_t longest_id = sizeof rendezvous::Hello::id - 1;
    if (given && std::strlen(given) > longest_id) throw std::invalid_argument("HALO_RENDEZVOUS_ID has more than 63 characters");
    Server server(options.n_ranks, given && *given ? given : random_id(),
                  [](const std::string &text) { std::fprintf(stderr, "halo_launch: %s\n", text.c_str()); });
    server.listen(is_loopback(options.address), static_cast<uint16_t>(options.serve));
    print_what_to_set(server, options);
    while (signals.stop() == 0) {
        std::vector<pollfd> all{ { signals.descriptor(), POLLIN, 0 } };
        server.add_to(all);
        if (poll(all.data(), all.size(), server.patience()) < 0) continue;
        server.serve(&all[1]);
        if (all[0].revents != 0) signals.drain();
    }
    return 0;
}

int run(int argc, char **argv) {
    const Options options = parse_options(argc, argv);
    if (options.help) return std::fputs(usage, stdout) >= 0 ? 0 : 1;
    if (options.version) {
        const int32_t version = halo_version();
        return std::printf("%d.%d.%d\n", version / 10000, version / 100 % 100, version % 100) > 0 ? 0 : 1;
    }
    return options.serve >= 0 ? serve(options) : launch(options);
}

} // namespace

} // namespace halo::launch

int main(int argc, char **argv) {
    constexpr int wrong_use = 2, failed = 1;
    try {
        return halo::launch::run(argc, argv);
    } catch (const std::invalid_argument &error) {
        std::fprintf(stderr, "halo_launch: %s\n", error.what());
        return wrong_use;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "halo_launch: %s\n", error.what());
        return failed;
    }
}

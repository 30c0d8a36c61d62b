// SPDX-License-Identifier: BSD-3-Clause
#include "base/setting_table.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/error.h"

namespace halo {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr double longest = 1e9; // seconds, some 30 years: sums of such times stay exact to below a microsecond
constexpr bool fixed = false;
constexpr bool changeable = true;
constexpr bool may_differ = false;
constexpr bool agrees = true;

constexpr Setting table[] = {
    { "transport", SettingType::text, "auto", 0, 0, "auto, inproc, mpi or the name of a module; or several, separated by commas", fixed, may_differ,
      "What carries messages between ranks. `auto` takes the usable one with the highest score, and `shm` beside it to ranks of the same host, where "
      "all ranks can open that; a name that cannot be used is an error. "
      "Of several the last carries the rest, those before it go to the ranks that they reach, as `transport.besides`: `shm,auto`. `^ucx`: what "
      "`auto` leaves out." },
    { "transport.besides", SettingType::text, "", 0, 0, "names of modules, separated by commas", fixed, agrees,
      "Transports that carry messages to the ranks that they reach, the first of them that does; `transport` carries the rest." },
    { "mpi", SettingType::word, "auto", 0, 0, "auto|openmpi|mpich|abi", fixed, may_differ,
      "The MPI to use when neither the process has loaded one nor its launcher tells, or which of two that the launcher serves; `abi`: the standard "
      "ABI." },
    { "mpi.threads", SettingType::word, "auto", 0, 0, "auto|funneled|serialized|multiple", fixed, may_differ,
      "The thread level MPI is initialised with (`auto`: funneled), or must have where the program has done so (`auto`: any). See docs/threads.md." },
    { "mpi.requests", SettingType::word, "plain", 0, 0, "plain|persistent", fixed, may_differ,
      "How the MPI modules send and receive: each message by a request of its own, or by one that is made when a message comes the second time with "
      "the "
      "same peer, tag, memory and size, and started from then on." },
    { "bootstrap", SettingType::text, "auto", 0, 0, "auto or the name of a module", fixed, may_differ,
      "What has started the ranks and lets them exchange addresses. `auto`: a rendezvous if one is set, else MPI, else pmix where that has started "
      "this "
      "process. See docs/running-without-mpi.md." },
    { "rendezvous", SettingType::text, "", 0, 0, "host:port", fixed, may_differ,
      "The server that brings the ranks together where they do not come from MPI; halo_launch sets it. See docs/running-without-mpi.md." },
    { "rendezvous.id", SettingType::text, "", 0, 0, "at most 63 characters", fixed, may_differ,
      "Which rendezvous is meant: a server refuses ranks with another one than its own." },
    { "rendezvous.rank", SettingType::integer, "-1", -1, 2147483646, nullptr, fixed, may_differ,
      "Which of the ranks of the rendezvous this is, from 0." },
    { "rendezvous.ranks", SettingType::integer, "0", 0, 2147483647, nullptr, fixed, may_differ, "How many ranks meet at the rendezvous." },
    { "device", SettingType::text, "host", 0, 0, "host or the name of a module", fixed, may_differ,
      "Where fields may be, besides the host, and are packed then." },
    { "device.ordinal", SettingType::integer, "-1", -1, 2147483646, nullptr, fixed, may_differ,
      "Which of the devices the library takes where the program names none. -1: ranks of one host take turns, by their number on it." },
    { "device.context", SettingType::text, "", 0, 0, "a hexadecimal number", fixed, may_differ,
      "The program's context that a device works in. opencl: its cl_context; empty: one of the module's own." },
    { "device.chunk", SettingType::bytes, "4MiB", 1, unlimited, nullptr, fixed, may_differ,
      "What a device packs leaves once it is as much as this, while the rest is being packed, and larger runs are unpacked likewise as they come. "
      "`inf`: all in one launch." },
    { "device.graphs", SettingType::word, "auto", 0, 0, "auto|yes|no", fixed, may_differ,
      "Whether launches that come again in every run are recorded and put on the device by one call. `auto`: two and more together that move at most "
      "device.chunk. `yes`: single ones too, and beside copies within the rank of any size; an error where the device cannot." },
    { "device.messages", SettingType::word, "auto", 0, 0, "auto|yes|no", fixed, may_differ,
      "Whether dense values that a device packs leave from its own memory, and come there, in messages of their own. `auto`: where the transport "
      "says that it takes such memory. `yes`: whatever it says. `no`: by memory that host and device reach." },
    { "device.messages_least", SettingType::bytes, "64KiB", 1024, unlimited, nullptr, fixed, may_differ,
      "Less than this goes to a peer by memory that host and device reach, for a message of its own costs a little." },
    { "timeout", SettingType::duration, "none", 0, longest, nullptr, changeable, may_differ,
      "Limit of every blocking call that has none of its own. The call then returns HALO_TIMEOUT and names what is missing." },
    { "warn_after", SettingType::duration, "10s", 0, longest, nullptr, changeable, may_differ,
      "When a wait has lasted this long, what is missing is logged, and again each time the wait has doubled. Polls of channels: once." },
    { "messages", SettingType::word, "aggregate", 0, 0, "aggregate|per_channel|neighbourhood", fixed, agrees,
      "One message per peer, or one per channel, for exchanges that leave it open. `neighbourhood`: as `aggregate`, and exchanges with one message "
      "per peer "
      "send those of a run in one neighbourhood collective of MPI, if they are prepared ahead of their first run." },
    { "receive", SettingType::word, "posted", 0, 0, "posted|probed", fixed, may_differ,
      "Receives posted when a run starts, or buffers taken only when a message has been seen (least memory), for exchanges that leave it open." },
    { "shared_memory", SettingType::boolean, "yes", 0, 0, nullptr, fixed, may_differ,
      "Between ranks of one host, the messages of an aggregated exchange are packed where the peer reads them." },
    { "shared_memory.least", SettingType::bytes, "16384", 0, unlimited, nullptr, fixed, may_differ,
      "Less than this goes into a message, even if it could go from storage to storage." },
    { "path", SettingType::word, "auto", 0, 0, "auto|message|slot|put|get|direct", fixed, may_differ,
      "How values reach ranks of the same host. `message`: through the transport alone. `slot`: also packed where the peer reads them. `put`: also "
      "written into the peer's storage, `get`: also read there, `direct`: both, wherever it can be. `auto`: direct if that is faster in the first "
      "runs." },
    { "shm.copy", SettingType::word, "auto", 0, 0, "auto|once|twice", fixed, may_differ,
      "How messages of the transport shm are copied. `once`: by the receiver, where they lie at the sender; `twice`: into shared memory and out of "
      "it, as small ones are in any case, and all where the system does not permit the other; `auto`: once if they are large. See "
      "docs/transports.md." },
    { "discovery", SettingType::word, "auto", 0, 0, "auto|alltoall|reduce_scatter|consensus", fixed, agrees,
      "How ranks find out who sends to them while an unstructured topology is made: all tell all, a sum of counts, or non-blocking consensus. "
      "`auto`: all tell all up to 64 ranks, consensus beyond." },
    { "check", SettingType::boolean, "no", 0, 0, "full", fixed, agrees,
      "Check mode: ghosts are poisoned before they are filled, digests and states are verified, the first offender is named. `full`: all storage is "
      "compared in every run. See docs/check-mode.md." },
    { "check.seed", SettingType::integer, "0", 0, 1e9, nullptr, fixed, may_differ,
      "What check mode puts into ghosts of integers and bytes. A program whose results depend on it reads ghosts before finish." },
    { "strict", SettingType::boolean, "no", 0, 0, nullptr, fixed, may_differ, "Unknown settings are errors instead of warnings." },
    { "log_level", SettingType::word, "warn", 0, 0, "error|warn|info|debug", changeable, may_differ,
      "What is logged: this level and all before it." },
    { "plugin_path", SettingType::text, "", 0, 0, "absolute directories, separated by ':'", fixed, may_differ,
      "Where modules are looked for ahead of the library's own directory. Ignored in processes that run with raised rights." },
    { "pool.cap", SettingType::bytes, "inf", 4096, unlimited, nullptr, fixed, may_differ,
      "The most a pool holds, in use and kept for reuse, for each memory kind and device. Beyond it calls fail with HALO_ERR_MEMORY. Memory of a "
      "device that other ranks may have open does not count once the pool has given it back: the context keeps it." },
    { "threads", SettingType::word, "serialized", 0, 0, "serialized|multiple", fixed, may_differ,
      "Calls on a context and what was made from it come from one thread at a time, which the program sees to, or from several at once, which take "
      "turns. See docs/threads.md." },
    { "progress_thread", SettingType::boolean, "no", 0, 0, nullptr, fixed, may_differ,
      "A thread of the context lets messages come and go while the program computes. MPI must have MPI_THREAD_MULTIPLE. See docs/threads.md." },
    { "host.threads", SettingType::integer, "1", 1, 1024, nullptr, fixed, may_differ, "Threads of the host device for one table of copies." },
    { "wait.spin", SettingType::integer, "100", 0, 1e9, nullptr, changeable, may_differ,
      "Turns of a wait before the first yield. Small, because ranks may share cores; larger is better where each has its own." },
    { "wait.sleep_after", SettingType::duration, "20ms", 0, longest, nullptr, changeable, may_differ,
      "When a wait has lasted this long, it sleeps between turns instead of yielding." },
    { "wait.ask_after", SettingType::duration, "1s", 0, longest, nullptr, changeable, may_differ,
      "When a run has waited this long for others, or for a quarter of its time limit, it asks them what they do instead. 0: never." },
};

// Insertions, deletions, replacements and swaps of neighbours that turn one text into the other.
size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        before.swap(above);
        above.swap(row);
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({ above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]) });
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row[b.size()];
}

std::string bytes_text(double bytes) { return bytes == unlimited ? "inf" : format("%.0f", bytes); }

} // namespace

std::span<const Setting> setting_table() { return table; }

const Setting *find_setting(std::string_view key) {
    const auto row = std::find_if(std::begin(table), std::end(table), [&](const Setting &setting) { return setting.key == key; });
    return row == std::end(table) ? nullptr : row;
}

std::string environment_name(std::string_view key) {
    std::string name = "HALO_";
    for (const char c : key) name += c == '.' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return name;
}

const char *nearest_key(std::string_view key) {
    constexpr size_t longest_key = 64; // longer ones are no typing mistakes, and their distance costs time
    if (key.size() > longest_key) return nullptr;
    const Setting *nearest = nullptr;
    size_t best = std::max<size_t>(2, key.size() / 3) + 1;
    for (const Setting &setting : table) {
        const size_t length = std::string_view(setting.key).size();
        if (std::max(length, key.size()) - std::min(length, key.size()) >= best) continue; // nor is the distance less
        const size_t distance = edit_distance(key, setting.key);
        if (distance < best && distance < length) {
            best = distance;
            nearest = &setting;
        }
    }
    return nearest ? nearest->key : nullptr;
}

const char *type_name(SettingType type) {
    switch (type) {
    case SettingType::boolean: return "boolean";
    case SettingType::integer: return "integer";
    case SettingType::duration: return "duration";
    case SettingType::bytes: return "bytes";
    case SettingType::word: return "word";
    default: return "text";
    }
}

std::string describe_values(const Setting &setting) {
    switch (setting.type) {
    case SettingType::boolean: return setting.words ? format("yes, no or %s", setting.words) : "yes or no";
    case SettingType::integer: return format("%.0f to %.0f", setting.low, setting.high);
    case SettingType::duration: return format("%.10g to %.10g s, none", setting.low, setting.high);
    case SettingType::bytes: return bytes_text(setting.low) + " to " + bytes_text(setting.high) + " bytes";
    case SettingType::text: return setting.words;
    case SettingType::word: break;
    }
    std::string text = "one of ";
    for (const char *c = setting.words; *c; ++c) text += *c == '|' ? ", " : std::string(1, *c);
    return text;
}

} // namespace halo

// SPDX-License-Identifier: BSD-3-Clause
#include "library.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

#include "report.h"
#include "turn.h"

namespace halo::mpi {

using transport::report;

namespace {

// Larger than the bound of any MPI: the bound of this mpi.h need not be that of the library which fills the text in.
constexpr size_t version_capacity = 16384;

std::string version_text() {
    std::string text(version_capacity, '\0');
    int length = 0;
    if (MPI_Get_library_version(text.data(), &length) != MPI_SUCCESS) return "unknown MPI";
    text.resize(static_cast<size_t>(length));
    size_t end = text.find_first_of(",\n\0", 0, 3);
    if (end != std::string::npos) text.resize(end);
    for (char &c : text) {
        if (c == '\t') c = ' ';
    }
    return text;
}

// Implementations by what their launchers set: the first variable tells the number of ranks. Those that are neither start as MPICH does.
struct Implementation {
    const char *name;
    const char *launcher_variables[3];
};
constexpr Implementation open_mpi = { "Open MPI", { "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", nullptr } };
[[maybe_unused]] constexpr Implementation mpich = { "MPICH", { "PMI_SIZE", "PMI_RANK", "MPI_LOCALNRANKS" } };

bool is_open_mpi() { return version_text().find(open_mpi.name) != std::string::npos; }

// Of the functions that this module has got; the standard ABI leaves it open.
const Implementation &implementation() {
#if defined(HALO_MPI_STANDARD_ABI)
    return is_open_mpi() ? open_mpi : mpich;
#elif defined(OPEN_MPI)
    return open_mpi;
#else
    return mpich;
#endif
}

// The first variable that its launcher has set; null: none.
const char *set_by_launcher_of(const Implementation &one) {
    for (const char *name : one.launcher_variables) {
        const char *text = name ? std::getenv(name) : nullptr;
        if (text && *text != '\0') return name;
    }
    return nullptr;
}

// Which version of the standard ABI the functions have that this module has got; 0: they have another interface. By a name that tools for profiling
// do not define.
int standard_abi() {
    int major = 0;
    int minor = 0;
    const auto version = reinterpret_cast<int (*)(int *, int *)>(function_of_library("PMPI_Abi_get_version"));
    if (version == nullptr || version(&major, &minor) != MPI_SUCCESS) return 0;
    return major > 0 ? major : 0; // -1: it has the function, and another interface
}

pid_t initialized_by = 0;

// Not after a failure: a rank that leaves without finalising makes the launcher end the others, which would wait for it forever. Nor in a process
// forked since, which has no MPI.
void finalize_at_exit(int exit_status, void *) {
    if (exit_status != EXIT_SUCCESS || getpid() != initialized_by || finalized()) return;
    Turn::end_all(); // before MPICH turns off its locks, which it does first
    MPI_Finalize();
}

} // namespace

// In the object that has the functions which this module has got.
void *function_of_library([[maybe_unused]] const char *name) {
#if !defined(SMPI_H)
    Dl_info info{};
    void *holder = nullptr;
    if (dladdr1(reinterpret_cast<void *>(&PMPI_Init_thread), &info, &holder, RTLD_DL_LINKMAP) == 0) return nullptr;
    const char *file = static_cast<const link_map *>(holder)->l_name;
    void *object = dlopen(*file != '\0' ? file : nullptr, RTLD_LAZY | RTLD_NOLOAD);
    if (object == nullptr) return nullptr;
    void *function = dlsym(object, name);
    dlclose(object); // it stays, as this module is linked with it
    return function;
#else
    return nullptr;
#endif
}

std::string library_text() {
    Dl_info info{};
    const char *path = "unknown file";
    if (dladdr(reinterpret_cast<void *>(&MPI_Init_thread), &info) != 0 && info.dli_fname != nullptr) path = info.dli_fname;
    return version_text() + " (" + path + ")";
}

bool bound_to_own_library() {
#if defined(HALO_MPI_STANDARD_ABI)
    int version = 0; // MPICH 4.3 has a draft of the ABI, with the same version and other constants
    int subversion = 0;
    return standard_abi() == MPI_ABI_VERSION && MPI_Get_version(&version, &subversion) == MPI_SUCCESS && version >= 5;
#elif defined(OPEN_MPI)
    return standard_abi() == 0 && is_open_mpi();
#else
    return standard_abi() == 0 && !is_open_mpi();
#endif
}

bool launched(const char *&variable) {
    const char *set = set_by_launcher_of(implementation());
    variable = set != nullptr ? set : implementation().launcher_variables[0];
    return set != nullptr;
}

const char *launched_by_another() {
#if defined(HALO_MPI_STANDARD_ABI)
    const char *variable = (is_open_mpi() ? mpich : open_mpi).launcher_variables[0];
    const char *text = std::getenv(variable);
    const bool several = text != nullptr && std::strtol(text, nullptr, 10) > 1;
    return several && set_by_launcher_of(implementation()) == nullptr ? variable : nullptr;
#else
    return nullptr; // which MPI it is was known before this module was opened
#endif
}

bool initialized() {
    int flag = 0;
    return MPI_Initialized(&flag) == MPI_SUCCESS && flag != 0;
}

bool finalized() {
    int flag = 0;
    return MPI_Finalized(&flag) == MPI_SUCCESS && flag != 0;
}

namespace {

struct Level {
    const char *word; // of the setting
    const char *name;
    int level;
};
constexpr Level levels[] = { { "single", "MPI_THREAD_SINGLE", MPI_THREAD_SINGLE },
                             { "funneled", "MPI_THREAD_FUNNELED", MPI_THREAD_FUNNELED },
                             { "serialized", "MPI_THREAD_SERIALIZED", MPI_THREAD_SERIALIZED },
                             { "multiple", "MPI_THREAD_MULTIPLE", MPI_THREAD_MULTIPLE } };

const char *name_of(int level) {
    for (const Level &one : levels)
        if (one.level == level) return one.name;
    return "an unknown thread level";
}

const char *setting(const halo_host *host, const char *key) {
    const char *word = host->setting ? host->setting(host->core, key) : nullptr;
    return word != nullptr ? word : "";
}

bool has_own_thread(const halo_host *host) { return std::strcmp(setting(host, "progress_thread"), "yes") == 0; }

// What other settings of the context need.
struct Need {
    const char *setting;
    int level;
};

Need need_of(const halo_host *host) {
    if (has_own_thread(host)) return { "progress_thread = yes", MPI_THREAD_MULTIPLE };
    if (std::strcmp(setting(host, "threads"), "multiple") == 0) return { "threads = multiple", MPI_THREAD_SERIALIZED };
    return { "", MPI_THREAD_SINGLE };
}

// That of the setting; `otherwise` where it leaves it open.
int wanted_level(const halo_host *host, int otherwise) {
    const char *word = setting(host, "mpi.threads");
    for (const Level &one : levels)
        if (std::strcmp(word, one.word) == 0) return one.level;
    return otherwise;
}

// Ranks of a simulation take turns in one thread.
#if defined(SMPI_H)
int present_level() { return MPI_THREAD_MULTIPLE; }
bool in_main_thread() { return true; }
#else
int present_level() {
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    return level;
}
bool in_main_thread() {
    int is_main = 0;
    MPI_Is_thread_main(&is_main);
    return is_main != 0;
}
#endif

// The level that MPI has must be the one that is asked for, and allow this thread.
halo_status check_level(const halo_host *host, bool by_program) {
    const int present = present_level();
    const int wanted = wanted_level(host, MPI_THREAD_SINGLE);
    if (present < wanted) {
        return report(host, HALO_ERR_STATE, "the setting mpi.threads asks for %s, but %s has %s: %s", name_of(wanted), library_text().c_str(),
                      name_of(present), by_program ? "the program must give MPI_Init_thread that level" : "it has no more");
    }
    if (const Need need = need_of(host); present < need.level) {
        return report(host, HALO_ERR_STATE, "the setting %s needs %s, but %s has %s: %s", need.setting, name_of(need.level), library_text().c_str(),
                      name_of(present),
                      by_program ? "the program must give MPI_Init_thread that level" : "set mpi.threads = multiple for the first context");
    }
    if (present < MPI_THREAD_SERIALIZED && !in_main_thread()) {
        return report(host, HALO_ERR_STATE, "MPI has %s, and this is not the thread that initialised it: make contexts there, or %s",
                      name_of(present),
                      by_program ? "give MPI_Init_thread the level MPI_THREAD_MULTIPLE" : "set mpi.threads = multiple for the first context");
    }
    if (present == MPI_THREAD_SERIALIZED) rule = Rule::one_by_one;
    if (has_own_thread(host)) rule = Rule::counted;
    return HALO_SUCCESS;
}

// MPI calls the deleters of MPI_COMM_SELF's attributes first when it is finalised.
#if defined(SMPI_H)
void call_at_finalize() {}
#else
void call_at_finalize() {
    const auto note = [](MPI_Comm, int, void *, void *) -> int {
        Turn::end_all();
        return MPI_SUCCESS;
    };
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
    MPI_Comm_free_keyval(&key);
}
#endif

constexpr const char *size_variables[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS" };

// Where the launcher is another MPI's, each process is a world of its own.
void warn_of_singletons(const halo_host *host) {
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (const char *variable : size_variables) {
        const char *value = std::getenv(variable);
        if (size > 1 || !value || std::strtol(value, nullptr, 10) <= 1 || !host->log) continue;
        const std::string text = std::string("MPI_COMM_WORLD has one rank, but ") + variable + " = " + value +
                                 ": the processes were started by the launcher of another MPI, and each works alone. Start them with that of " +
                                 implementation().name + ", " + library_text();
        return host->log(host->core, 1, text.c_str());
    }
}

// What is to be done once in a process that uses MPI.
void begin_use(const halo_host *host) {
    static bool begun = false;
    if (std::exchange(begun, true)) return;
    call_at_finalize();
    warn_of_singletons(host);
}

// Set when libhalo has initialised MPI.
bool initialized_here = false;

halo_status initialize(const halo_host *host) {
    int provided = 0;
    const int open = std::max<int>(need_of(host).level, MPI_THREAD_FUNNELED);
    const int code = MPI_Init_thread(nullptr, nullptr, wanted_level(host, open), &provided);
    if (code != MPI_SUCCESS) return report(host, HALO_ERR_TRANSPORT, "MPI_Init_thread failed with %d: %s", code, library_text().c_str());
    initialized_by = getpid();
    on_exit(finalize_at_exit, nullptr);
    initialized_here = true;
    return HALO_SUCCESS;
}

} // namespace

bool persistent_requests_wanted(const halo_host *host) { return std::strcmp(setting(host, "mpi.requests"), "persistent") == 0; }

bool for_main_thread_only() { return present_level() < MPI_THREAD_SERIALIZED; }

halo_status ensure_initialized(const halo_host *host, bool has_communicator) {
    static std::mutex one_at_a_time; // contexts may be made in several threads
    const std::lock_guard lock(one_at_a_time);
    if (!bound_to_own_library()) {
        return report(host, HALO_ERR_PLUGIN, "module %s got the functions of another MPI, %s: two MPIs in one process", HALO_MPI_MODULE,
                      library_text().c_str());
    }
    if (finalized()) return report(host, HALO_ERR_PLUGIN, "MPI is finalised already: %s", library_text().c_str());
    if (!initialized() && has_communicator) {
        return report(host, HALO_ERR_PLUGIN, "a communicator was given, but the MPI of module %s is not initialised: a second MPI, %s, was loaded",
                      HALO_MPI_MODULE, library_text().c_str());
    }
    if (!initialized())
        if (const halo_status status = initialize(host); status != HALO_SUCCESS) return status;
    if (const halo_status status = check_level(host, !initialized_here); status != HALO_SUCCESS) return status;
    begin_use(host);
    return HALO_SUCCESS;
}

halo_status failure(const halo_host *host, const char *call, int code) {
    char text[MPI_MAX_ERROR_STRING + 1] = "no text";
    int length = 0;
    MPI_Error_string(code, text, &length);
    return report(host, HALO_ERR_TRANSPORT, "%s: %s", call, text);
}

} // namespace halo::mpi

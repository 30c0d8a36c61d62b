// SPDX-License-Identifier: BSD-3-Clause
#include "communicator.h"

#include <mutex>
#include <vector>

#include "library.h"
#include "report.h"
#include "turn.h"

namespace halo::mpi {

namespace {

int duplicate_quietly(MPI_Comm original, MPI_Comm *copy) {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(original, &handler);
    MPI_Comm_set_errhandler(original, MPI_ERRORS_RETURN);
    int code = MPI_Comm_dup(original, copy);
    MPI_Comm_set_errhandler(original, handler);
    if (handler != MPI_ERRHANDLER_NULL) MPI_Errhandler_free(&handler);
    if (code == MPI_SUCCESS) MPI_Comm_set_errhandler(*copy, MPI_ERRORS_RETURN);
    return code;
}

// Ranks of a simulation share this process and one thread: what they retire is not kept in one place, nor freed.
#if defined(SMPI_H)
constexpr bool ranks_share_the_process = true;
#else
constexpr bool ranks_share_the_process = false;
#endif

// Communicators that this process has retired; MPI's own numbers of them are a matter of the whole process, too.
class Retired {
public:
    void add(MPI_Comm communicator, MPI_Comm besides) {
        std::lock_guard lock(mutex_);
        call_at_finalize();
        Entry entry{ communicator, besides, MPI_REQUEST_NULL };
        if (MPI_Ibarrier(communicator, &entry.all_retired) == MPI_SUCCESS) entries_.push_back(entry);
    }

    // Frees what all ranks have retired; returns whether none is left.
    bool sweep() {
        std::lock_guard lock(mutex_);
        std::erase_if(entries_, [](Entry &entry) { return settle(entry); });
        return entries_.empty();
    }

private:
    struct Entry {
        MPI_Comm communicator;
        MPI_Comm besides;
        MPI_Request all_retired;
    };

    static bool settle(Entry &entry) {
        int done = 0;
        int waiting = 0;
        if (MPI_Test(&entry.all_retired, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return true;
        if (done == 0) return false;
        int code = MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, entry.communicator, &waiting, MPI_STATUS_IGNORE);
        // MPICH would give messages that wait here to the next communicator: then this one is kept.
        if (code == MPI_SUCCESS && waiting == 0) MPI_Comm_free(&entry.communicator);
        if (entry.besides != MPI_COMM_NULL) MPI_Comm_free(&entry.besides);
        return true;
    }

    // MPI calls the deleters of MPI_COMM_SELF's attributes first when it is finalised.
    void call_at_finalize() {
        if (registered_) return;
        registered_ = true;
        int key = MPI_KEYVAL_INVALID;
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, nullptr);
        MPI_Comm_set_attr(MPI_COMM_SELF, key, this);
        MPI_Comm_free_keyval(&key);
    }

    static int at_finalize(MPI_Comm, int, void *self, void *) {
        Turn::end_all();                         // MPICH's progress is not for two threads here, whatever level it has given
        constexpr double patience_seconds = 0.5; // for ranks that have not retired theirs
        double end = MPI_Wtime() + patience_seconds;
        while (!static_cast<Retired *>(self)->sweep() && MPI_Wtime() < end) {}
        return MPI_SUCCESS;
    }

    std::mutex mutex_;
    std::vector<Entry> entries_;
    bool registered_ = false;
};

Retired &retired() {
    static Retired *instance = new Retired; // still needed while the process ends
    return *instance;
}

} // namespace

halo_status duplicate(const halo_host *host, MPI_Comm original, MPI_Comm *copy) {
    int is_inter = 0;
    MPI_Comm_test_inter(original, &is_inter);
    if (is_inter != 0) return transport::report(host, HALO_ERR_ARGUMENT, "the communicator is an inter-communicator");
    if (!ranks_share_the_process) retired().sweep();
    int code = duplicate_quietly(original, copy);
    return code == MPI_SUCCESS ? HALO_SUCCESS : failure(host, "MPI_Comm_dup", code);
}

halo_status begin_duplicate(const halo_host *host, MPI_Comm original, MPI_Comm *copy, MPI_Request *request) {
#if defined(SMPI_H) // whose ranks take turns by waiting
    *request = MPI_REQUEST_NULL;
    return duplicate(host, original, copy);
#else
    retired().sweep();
    int code = MPI_Comm_idup(original, copy, request);
    return code == MPI_SUCCESS ? HALO_SUCCESS : failure(host, "MPI_Comm_idup", code);
#endif
}

void retire(MPI_Comm communicator, MPI_Comm besides) {
    if (ranks_share_the_process) return;
    retired().add(communicator, besides);
    retired().sweep();
}

} // namespace halo::mpi

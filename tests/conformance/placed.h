// SPDX-License-Identifier: BSD-3-Clause
// Storage of tests that fill and compare it on the host. With CONFORMANCE_STORAGE=device what is bound is a twin of it in memory of test_device():
// values go there and come back in streams, and the host waits for nothing before it compares. Else all of this does nothing.
#pragma once

#include <vector>

#include "ranks.h"
#include "test_device.h"

namespace conformance {

// Of the calling thread's rank; a case begins, on streams that its number picks.
bool on_device();
void begin_case(uint64_t number);
// HALO_STREAM_NONE on the host. What comes back at the end of a run may come by another stream than what it began with.
halo_stream stream();
halo_stream finish_stream();
// What begins next comes behind what has ended by the other stream.
void follow_finish();

// The twin of an address in memory of `take_memory`; the same address on the host.
void *placed(void *data);
template <class T>
T *placed(T *data) {
    return static_cast<T *>(placed(static_cast<void *>(data)));
}
// Memory, for storage without elements.
void *somewhere();
// Storage of a binding that has its set and layout.
void place(halo_binding &binding, void *data);
// For halo_run.devices, of the thread until its next call: all on the device; NULL on the host.
const int32_t *devices(size_t n_fields);

// What goes to twins or comes from them, as one operation in the stream.
class Copies {
public:
    // Read before `go` returns.
    void up(const void *data, size_t bytes);
    void down(void *data, size_t bytes);
    // Behind what has been put into both streams; waits if anything comes down.
    void go(halo_stream in = stream());

private:
    void add(void *to, const void *from, size_t bytes);
    std::vector<late_piece> pieces_;
    bool waits_ = false;
};
void upload(const void *data, size_t bytes, halo_stream in = stream());
void download(void *data, size_t bytes);

// What the device has been given is done, and messages with it have left.
void let_messages_leave(halo_context *context);

// Storage of all local parts in set 0: by halo_field_allocate, whose storage is the host's, or of the thread's until its context goes.
void allocate_storage(halo_topology *topology, halo_field *field, size_t element_bytes = 8);
void *storage_of(const halo_field *field, int64_t gid);
void upload(const halo_field *field);
void download(const halo_field *field);

// Something that devices refuse is left out; true on the device. At the end it is told how often.
bool skips(const char *what);
// All of a program's, with --processes as one rank of a launcher's. Tells of what has been done on a device; not 0: a test has failed, or with
// CONFORMANCE_STORAGE=device the device has done nothing.
int run_tests(int argc, char **argv);

// For `run`, and for memory of storage.
void enter_device(halo_context *context);
void leave_device();
std::byte *take_twinned(size_t bytes);
void give_twinned(std::byte *memory) noexcept;

} // namespace conformance

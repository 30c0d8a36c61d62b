// SPDX-License-Identifier: BSD-3-Clause
// Storage of one binding set of a field on host and device, owned values and ghosts apart. Copies are made when an access needs them, never before.
#pragma once

#include <span>
#include <vector>

#include "access/residency.h"
#include "access/section_runs.h"
#include "field/field.h"

namespace halo {

enum class Section : int32_t { owned, ghosts };

class Mirror {
public:
    Mirror(Field &field, int32_t set);
    ~Mirror();
    Mirror(const Mirror &) = delete;
    Mirror &operator=(const Mirror &) = delete;

    Residency state(Section section) const { return accessed_ ? state_[static_cast<int>(section)] : first_state(); }

    // Memory that accesses there, and fill_ghosts, will want.
    void reserve(int32_t where, bool fills_ghosts);
    // Makes the section's values valid there, and writes void those elsewhere. HALO_ERR_DEVICE: there is no memory but the host's.
    void access(Section section, int32_t where, bool writes, bool whole, halo_stream stream);

    // Where an exchange reads and writes: with the owned values; on the device where it has the choice.
    int32_t exchange_side() const;

    // nullptr: none yet.
    void *data(int64_t local_index, int32_t where) const {
        return where == HALO_ON_HOST ? field_.data(local_index, set_) : device_[static_cast<size_t>(local_index)].data();
    }
    // The ordinal of this rank's.
    static int32_t device_of(const Context &context) { return context.devices().own().ordinal; }

    // Write a value of the field's element size into all ghosts.
    void fill_ghosts(int32_t where, const void *value, halo_stream stream);

    int64_t bytes_up = 0;
    int64_t bytes_down = 0;

private:
    std::span<const ByteRun> runs(int64_t local_index, Section section);
    const Device &the_device() const { return context_.device_of({ HALO_MEMORY_DEVICE, device_of(context_) }); }
    const Device &device_at(int32_t where) const { return where == HALO_ON_HOST ? context_.device() : the_device(); }
    // As plugins know it. An access may have none: then it is the device's own.
    halo_stream put_on(halo_stream stream) { return stream_ = stream == HALO_STREAM_DEFAULT ? nullptr : stream; }
    void allocate(int32_t where);
    ResidencyStep make_room(Section section, int32_t where, bool writes, bool whole);
    void copy(Section section, int32_t to, halo_stream stream);
    Residency first_state() const;
    void note_layout();
    void find_runs();

    Field &field_;
    int32_t set_;
    Context &context_;
    halo_stream stream_ = nullptr; // the last one that was used
    bool accessed_ = false;        // before, what counts is whether the host has storage
    Residency state_[2]{};
    std::vector<Buffer> device_;    // per part
    uint64_t layout_ = 0;           // of what `device_` and `runs_` are made for
    std::vector<SectionRuns> runs_; // per part; found out when first needed
};

} // namespace halo

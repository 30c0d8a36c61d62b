// SPDX-License-Identifier: BSD-3-Clause
// A variable on a topology: its shape, and the storage that is bound to each local part, in one or more binding sets.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "field/part_layout.h"
#include "field/point_map.h"
#include "halo_levels.h"
#include "topology/topology.h"

namespace halo {

struct FieldSpec {
    std::string name;
    halo_type type = HALO_FLOAT64;
    int64_t element_bytes = 8;
    int32_t n_components = 1;
    int32_t centring = HALO_CENTRE_CELL;              // as the caller has it,
    std::vector<Centring> places{ HALO_CENTRE_CELL }; // and where it lets the values of one cell sit
    int32_t vector = HALO_VECTOR_NONE;
    GhostWidths ghosts;
    bool sparse = false;
    int32_t n_sets = 1;
    double threshold = 0;
    double fill = 0;
};

class Field {
public:
    Field(Topology &topology, const halo_field_desc &desc);
    ~Field();
    Field(const Field &) = delete;
    Field &operator=(const Field &) = delete;

    Topology &topology() const { return topology_; }
    const FieldSpec &spec() const { return spec_; }
    halo_field_desc desc() const;
    int32_t ordinal() const { return ordinal_; }

    const PartLayout &layout(int64_t local_index) const { return layouts_[local_index]; }
    // Changes whenever a layout does; equal layouts have equal hashes. O(parts) after a change.
    uint64_t layout_hash();
    // How storage lies of parts that are given no layout of their own; before storage is bound.
    void set_layout(const halo_layout_desc &desc);

    // Where points have their values, if not in their own order; before storage is bound.
    void map_points(int64_t gid, std::span<const int64_t> positions);
    const std::shared_ptr<PointMap> &point_map(int64_t local_index) const;
    bool is_mapped() const { return !maps_.empty(); }
    // Of a part; or the positions of its map.
    Extent cells(int64_t local_index) const;
    // Where a point of a part has its value of the first component and place, in elements of its storage; none: a map leaves it out.
    std::optional<int64_t> element(int64_t local_index, const Extent &point) const;

    void *data(int64_t local_index, int32_t set) const { return data_[set][local_index]; }
    // Where all storage of a set is, or was last.
    Space space(int32_t set) const { return spaces_[static_cast<size_t>(set)]; }
    bool allocated(int64_t local_index, int32_t set) const { return data_[set][local_index] != nullptr; }
    // Of what is bound, in each set.
    size_t storage_bytes(int64_t local_index) const { return bytes_of(layouts_[local_index]); }
    void check_set(int32_t set) const;
    // HALO_ERR_STATE: a part has got another layout since its storage in this set was bound.
    void require_present_layouts(int32_t set) const {
        if (!of_another_layout_.empty()) [[unlikely]]
            refuse_another_layout(set);
    }

    void bind(int64_t gid, const halo_binding &binding);
    void bind_many(int64_t part_stride, const halo_binding &binding);
    // Storage owned by the library, for one part or (-1) for all, in every set.
    void allocate(int64_t gid);
    // For a part in some sets.
    void allocate_part(int64_t local_index, int32_t first_set, int32_t n_sets);
    // A part has the storage that another field's has, in every set, where that has some: what is the library's is there as long as one of them is.
    void share_storage(int64_t local_index, const Field &other, int64_t of);
    // Is storage the library's to give, on this rank and others? The last word said of all parts, or of any by the program.
    bool is_allocated() const { return is_allocated_; }
    void set_allocated(bool allocated) { is_allocated_ = allocated; }
    // A part's storage in all sets goes back.
    void release(int64_t local_index);
    // Its parts have storage where that one's have; null: it has none.
    Field *controller() const { return controller_; }
    std::string names_of_controlled() const;
    bool is_released_by_age() const { return release_after_ > 0; }
    // A run that fills ghosts begins: parts that have been small for long enough lose their storage. False: another run over it is in flight.
    bool begin_run_by_age();
    void end_run_by_age();
    // In how many runs, one after the other, a part has been small by now; it goes along with what is in the part.
    int64_t age(int64_t local_index) const { return ages_.empty() ? 0 : ages_[static_cast<size_t>(local_index)].runs; }
    void set_age(int64_t local_index, int64_t runs) {
        if (!ages_.empty()) ages_[static_cast<size_t>(local_index)].runs = runs;
    }
    // Data came to a part.
    void hear(int64_t local_index) {
        if (controller_) return controller_->hear(local_index);
        if (!ages_.empty()) ages_[static_cast<size_t>(local_index)].has_heard = true;
    }
    // The value that sparse ghosts and new storage get, as element_bytes bytes.
    const void *fill_value() const { return fill_value_; }
    // Write the fill value into the whole storage of a part, which `device` reaches.
    void fill(int64_t local_index, void *data, const Device &device, halo_stream stream) const;

    // Between levels, HALO_PROLONG_...; before exchanges use it.
    int32_t prolongation() const { return prolongation_; }
    void set_prolongation(int32_t prolongation);
    int32_t restriction() const { return restriction_; } // HALO_RESTRICT_...
    void set_restriction(int32_t restriction);

    // Owned points of a part, in all places; and 1 for each that the part is the owner of, x fastest.
    int64_t n_owned_points(int64_t local_index) const;
    void mark_owned(int64_t local_index, uint8_t *mask) const;

    // Ghosts of a part that no part fills, place by place.
    std::vector<halo_boundary> boundaries(int64_t gid) const;

    int32_t exchanges = 0;  // that use it
    int32_t in_flight = 0;  // runs over it
    int64_t on_devices = 0; // parts' copies there

private:
    void check_desc(const halo_field_desc &desc) const;
    void check_centring(const halo_field_desc &desc, const char *name) const;
    // Points per direction of the place with most, which storage must have beside ghosts if no map gives it others.
    Extent most_points(int64_t local_index) const;
    // What storage must have.
    Extent stored_points(int64_t local_index) const { return point_map(local_index) ? cells(local_index) : most_points(local_index); }
    GhostWidths stored_ghosts(int64_t local_index) const { return point_map(local_index) ? GhostWidths() : spec_.ghosts; }
    // All points that may have values.
    halo_box points_with_ghosts(int64_t local_index) const;
    PartLayout layout_by(const LayoutRule &rule, int64_t local_index) const;
    std::vector<PartLayout> layouts_by(const LayoutRule &rule) const;
    void require_unbound(int64_t local_index, const char *why) const;
    [[noreturn]] void fail_as_too_large(int64_t gid) const;
    void check_steps(int64_t gid, const PartLayout &layout) const;
    void check_layout(int64_t gid, int64_t local_index, const PartLayout &layout) const;
    void bind_part(int64_t local_index, int32_t set, void *data, const PartLayout *layout, Space space = host_space);
    void take_layout(int64_t local_index, int32_t set, const PartLayout &layout);
    void hold(int64_t local_index, int32_t set, void *data) noexcept;
    Space known_space(const halo_binding &binding) const;
    void require_one_space(int64_t local_index, int32_t set, Space space) const;
    void require_kind(int64_t local_index, const halo_binding &binding, const void *data, const PartLayout &layout) const;
    void require_free(int64_t local_index, int32_t set) const;
    void refuse_another_layout(int32_t set) const;
    size_t bytes_of(const PartLayout &layout) const { return static_cast<size_t>(layout.elements * spec_.element_bytes); }
    void require_unleased(int64_t local_index, int32_t set, const void *data, const PartLayout &layout) const;
    // sparse_storage.cpp
    struct Age {
        int64_t runs = 0; // in which it was small, and nothing came
        bool is_small = false;
        bool has_heard = false; // in this run, or since the last one: of what it controls alone
    };
    Field *find_controller(const halo_field_desc &desc) const;
    void join_storage_of(Field &controller);
    void check_sparse(const halo_field_desc &desc, const char *name) const;
    void require_own_storage() const;
    bool has_storage(int64_t local_index) const; // in any set
    bool is_small(int64_t local_index) const;
    bool are_small(int64_t local_index, const std::byte *data) const;
    void require_controlled_free(int64_t local_index) const;
    std::vector<Field *> give_to_controlled(int64_t local_index);
    void take_back(int64_t local_index) noexcept;

    Topology &topology_;
    FieldSpec spec_;
    int32_t ordinal_;
    int32_t prolongation_ = HALO_PROLONG_MINMOD;
    int32_t restriction_ = HALO_RESTRICT_MEAN;
    LayoutRule layout_rule_;
    std::vector<PartLayout> layouts_;
    std::vector<std::shared_ptr<PointMap>> maps_;             // of each part, or none
    std::vector<std::vector<void *>> data_;                   // [set][part]
    std::vector<Space> spaces_;                               // of each set
    std::vector<int64_t> n_bound_;                            // parts with storage, of each set
    std::vector<std::vector<Buffer>> owned_;                  // [part]: one per set, where the library owns the storage; or none
    std::set<std::pair<int32_t, int64_t>> of_another_layout_; // storage (set, part) bound before the part got its present layout
    uint64_t layout_hash_ = 0;                                // 0: to be computed
    alignas(16) std::byte fill_value_[16]{};
    bool is_allocated_ = false;
    int64_t release_after_ = 0; // runs in which a part has been small; 0: its storage stays
    double release_below_ = 0;
    std::vector<Age> ages_; // of each part, if it is released by age
    Field *controller_ = nullptr;
    std::vector<Field *> controlled_;
};

} // namespace halo

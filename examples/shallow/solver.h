// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mesh.h"

#include <functional>
#include <optional>
#include <vector>

namespace shallow {

/// Shallow water on a mesh (cell.h), with three stages of C.-W. Shu and S. Osher (1988) in time. Every rank computes the flux through a side from the
/// same numbers in the same order, so both cells get the same bits, and so does any number of ranks.
class Solver {
public:
    /// The planet turns around `axis`. The mesh outlives this.
    Solver(const Mesh &mesh, const Point &axis);
    virtual ~Solver() = default;
    Solver(const Solver &) = delete; // the field is bound to this object's storage
    Solver &operator=(const Solver &) = delete;

    /// The storage, and the exchange. To be called first.
    void begin();
    virtual void set(const std::function<State(const Point &place)> &initial);
    void step(double seconds);
    /// The state is where `each` reads it.
    virtual void wait() {}
    /// Visits this rank's cells.
    void each(const std::function<void(std::uint64_t key, const Point &place, double area, const State &state)> &visit) const;
    halo_exchange_stats stats() const { return exchange_->stats(); }

protected:
    /// Values of all cells that the rank knows: the state, and of one stage before and after it. Ghosts of `stage` are exchanged.
    enum Values { now, stage, next, n_arrays };
    const Mesh &mesh() const { return mesh_; }
    std::int64_t n_all() const { return n_values * static_cast<std::int64_t>(mesh_.keys().size()); }
    std::vector<double> &on_host(Values which) { return values_[which]; }
    void bind(double *memory, halo_binding binding); ///< all parts, behind each other
    halo::Exchange &exchange() { return *exchange_; }

private:
    // What is done where the storage is.
    virtual void allocate();
    virtual void copy(Values to, Values from) { values_[to] = values_[from]; }
    virtual void advance(const Step &step);

    const Mesh &mesh_;
    Point axis_;
    std::vector<double> values_[n_arrays];
    std::vector<Slope> slopes_;
    halo::Field field_;
    std::optional<halo::Exchange> exchange_;
};

} // namespace shallow

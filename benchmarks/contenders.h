// SPDX-License-Identifier: BSD-3-Clause
// Those that fill the ghosts of a Work: libhalo, and what it is measured against.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "expert_plan.h"
#include "session.h"
#include "work.h"

namespace bench {

// Of one rank and one exchange.
struct Counts {
    int64_t peers = 0;
    int64_t messages = 0;   // sent
    int64_t wire_bytes = 0; // in them, headers included
    int64_t jobs = 0;       // rows of tables, copies of bundles or of channels
};

class Contender {
public:
    virtual ~Contender() = default;
    virtual std::string name() const = 0;
    virtual void exchange() = 0;
    virtual std::optional<Counts> counts() = 0; // collective; nothing: the contender does not tell
};

// libhalo's objects for a work.
halo::Topology make_topology(const halo::Context &context, const Work &work);
halo::Field make_field(const halo::Topology &topology, const Work &work);
halo::Exchange make_exchange(const halo::Field &field, Part part);
void bind(halo::Field &field, const Work &work);

// One run of an exchange, and what it takes. The first one of a shape sends a digest besides.
void exchange(halo::Exchange &exchange);
Counts counts_of(halo::Exchange &exchange);

std::unique_ptr<Contender> make_libhalo(const halo::Context &context, Work &work, Part part);

// (a) One persistent message per peer, receives posted ahead of the exchange. Where its time goes is known on request.
class Expert final : public Contender {
public:
    Expert(const Session &session, Work &work, Part part);
    ~Expert() override;
    std::string name() const override { return "expert"; }
    void exchange() override;
    std::optional<Counts> counts() override;
    const char *kernels() const { return kernels_.name; }

    // Seconds of one exchange's phases.
    struct Phases {
        double pack = 0, local = 0, wait = 0, unpack = 0;
    };
    Phases exchange_by_phases();

private:
    void pack_and_send();
    void unpack(size_t i);

    const KernelSet &kernels_;
    RowSizes sizes_;
    LocalCopies local_;
    bool with_local_;
    Parcels sends_, receives_;
    std::unique_ptr<Mail> mail_; // null: no other rank
    std::vector<size_t> missing_;
};

// (b) One Isend and Irecv per channel between ranks, local copies as the expert. Needs an MPI.
std::unique_ptr<Contender> make_per_channel(const Session &session, Work &work, Part part);

// (c) One message per peer with a derived datatype on each side, local copies as the expert. Needs an MPI.
std::unique_ptr<Contender> make_datatypes(const Session &session, Work &work, Part part);

// The ghosts as leaves of a star forest. `type`: of PetscSF.
std::unique_ptr<Contender> make_petsc(Petsc &petsc, Work &work, const char *type);

// Copies as many whole cache lines as an exchange must at least touch: reads its sources, reads and writes its ghosts and messages.
class FlatCopy {
public:
    FlatCopy(const Work &work, Part part);
    void run();
    int64_t line_bytes() const { return line_bytes_; }

private:
    const Work &work_;
    const KernelSet &kernels_;
    int64_t line_bytes_ = 0; // that travel between memory and core: a written line counts twice
    int64_t values_ = 0;     // to copy
    int64_t pass_ = 0;       // of them at a time
    Values target_;
};

} // namespace bench

// SPDX-License-Identifier: BSD-3-Clause
// PetscSF as a contender: PETSc is used from outside, as any solver would.
#include <petscsf.h>

#include <stdexcept>
#include <string>

#include "module.h"

namespace bench {

namespace {

void require(PetscErrorCode code, const char *call) {
    if (code != 0) throw std::runtime_error(std::string(call) + " failed with code " + std::to_string(code));
}

class BasicOrNeighbour final : public StarForest {
public:
    BasicOrNeighbour(int64_t elements, const std::vector<Leaf> &leaves, const char *type) {
        std::vector<PetscInt> targets;
        std::vector<PetscSFNode> sources;
        for (const Leaf &leaf : leaves) {
            targets.push_back(leaf.target);
            sources.push_back({ leaf.rank, leaf.index });
        }
        require(PetscSFCreate(PETSC_COMM_WORLD, &forest_), "PetscSFCreate");
        require(PetscSFSetType(forest_, type), "PetscSFSetType");
        require(PetscSFSetGraph(forest_, static_cast<PetscInt>(elements), static_cast<PetscInt>(leaves.size()), targets.data(), PETSC_COPY_VALUES,
                                sources.data(), PETSC_COPY_VALUES),
                "PetscSFSetGraph");
        require(PetscSFSetUp(forest_), "PetscSFSetUp");
    }
    ~BasicOrNeighbour() override { PetscSFDestroy(&forest_); }
    void exchange(double *storage) override {
        require(PetscSFBcastBegin(forest_, MPI_DOUBLE, storage, storage, MPI_REPLACE), "PetscSFBcastBegin");
        require(PetscSFBcastEnd(forest_, MPI_DOUBLE, storage, storage, MPI_REPLACE), "PetscSFBcastEnd");
    }

private:
    PetscSF forest_ = nullptr;
};

class PetscOfProcess final : public Petsc {
public:
    PetscOfProcess() {
        require(PetscInitializeNoArguments(), "PetscInitialize");
        library_ =
            "PETSc " + std::to_string(PETSC_VERSION_MAJOR) + "." + std::to_string(PETSC_VERSION_MINOR) + "." + std::to_string(PETSC_VERSION_SUBMINOR);
    }
    ~PetscOfProcess() override { PetscFinalize(); }
    const char *library() const override { return library_.c_str(); }
    std::unique_ptr<StarForest> star_forest(int64_t elements, const std::vector<Leaf> &leaves, const char *type) override {
        return std::make_unique<BasicOrNeighbour>(elements, leaves, type);
    }

private:
    std::string library_;
};

} // namespace

} // namespace bench

extern "C" [[gnu::visibility("default")]] bench::Petsc *halo_bench_make_petsc() { return new bench::PetscOfProcess; }

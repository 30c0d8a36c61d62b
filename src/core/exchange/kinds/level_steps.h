// SPDX-License-Identifier: BSD-3-Clause
// What is done around a round between levels, on fields and on what stands beside them: values of the next coarser level, which are made from a
// field's before the round sends, or which a field's are made from when it is over.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/level_ratio.h"
#include "exchange/exchange.h"
#include "exchange/kinds/level_work.h"
#include "field/field.h"

namespace halo {

// Values beside a field, those of each part.
struct BesideField {
    Topology *parts = nullptr;     // null: there are none
    GhostWidths widths{};          // of these values
    LevelRatio ratio{ 1, 1, 1 };   // points of the field for one of them
    int32_t reach = 0;             // values around the one that a cell of the field lies in, from which it is made
    GhostWidths made{};            // ghosts of the field that are made
    std::optional<size_t> newer{}; // the field at a later time, by place: values are those between the two
};

const char *prolongation_of(const Field &field); // in a word
// What peers' texts must have alike of a field that is made from coarser values, or that these are made from.
std::string text_of_prolongation(const Field &field);
std::string text_of_restriction(const Field &field);

class LevelSteps : public RoundSteps, public FieldsBeside {
public:
    // `what` is done, for texts: "ghosts are made".
    explicit LevelSteps(const char *what) : what_(what) {}
    ~LevelSteps() override;
    LevelSteps(const LevelSteps &) = delete;
    LevelSteps &operator=(const LevelSteps &) = delete;
    // All of the caller's, in his order.
    void add(Field &field, BesideField beside);
    // Until then there is none.
    void set_work(size_t field, std::shared_ptr<const LevelWorks> works) {
        ++version_;
        items_[field].works = std::move(works);
    }
    // It is known what there is to do, as far as it can be yet: the values get their storage, but for those beside parts of sparse fields.
    void allocate();
    // The caller's, then those beside them; where the one beside a field stands.
    std::vector<Field *> fields() const;
    int32_t place_beside(size_t field) const { return static_cast<int32_t>(items_.size()) + items_[field].place; }

    int32_t own(int32_t field) const override {
        const auto n = static_cast<int32_t>(items_.size());
        return field < n ? field : own_[static_cast<size_t>(field - n)];
    }
    void *adopt(int32_t field, int64_t part, void *data) override;
    const Field *coarse_field(size_t field) const override;
    bool has_coarse(size_t field, int64_t part) const override { return needs_beside(items_[field], part); }
    bool coarse_follows(size_t field) const override;
    void place_coarse(size_t field) override { place_as_bound(items_[field]); }
    std::vector<halo_level_region> level_regions(size_t field, int64_t part) override;
    bool set_fraction(double fraction) override;
    void prepare() override;
    void begin(halo_run &run) override;
    void before_send(const halo_run &run, Round &round) override;
    void after_unpack(const halo_run &run, Round &round) override;
    void refine(const halo_run &run, Round &round) override;

protected:
    // Is it known what there is to do?
    virtual bool knows_work() const { return true; }
    // Can a run take this field as it says?
    virtual void check_run(const halo_run &, size_t /*field*/) const {}

private:
    struct Item {
        Field *field;
        BesideField beside;
        std::unique_ptr<Field> values; // beside it
        int32_t place;                 // of them among the fields that stand beside others
        std::shared_ptr<const LevelWorks> works;
        size_t first_pointer = 0; // storage of a run
        size_t first_beside = 0;
        std::optional<Space> space{};  // where the values' storage is, or will be; none: there is none yet
        Buffer memory{};               // of all parts, on a device, beside a dense field
        std::vector<Buffer> by_part{}; // on a device, beside a sparse field; empty ones where there is none

        size_t n_parts() const { return works->size(); }
        const LevelWork &work(size_t part) const { return (*works)[part]; }
    };
    // What is done at once in one space: none reads what another writes.
    struct Batch {
        Space space;
        std::vector<halo_level_operation> operations{};
    };
    // One step of a run, the same from run to run as long as all is where it was.
    struct Step {
        uint64_t version = 0;
        std::vector<Batch> batches{};

        std::vector<halo_level_operation> &operations_in(Space space);
        void forget();
    };
    // What a run says of them besides where values are.
    struct Narrowing {
        int32_t first_component = 0;
        int32_t n_components = 0;
        GhostWidths most{};
        uint64_t layouts = 0;
        bool operator==(const Narrowing &) const = default;
    };
    struct Values;

    // Until that is known any part may.
    bool needs_beside(const Item &item, int64_t part) const {
        return item.values && (!knows_work() || item.work(static_cast<size_t>(part)).needs_beside());
    }
    // Where storage of the values is to be, as set 0 is bound.
    static Space space_beside(const Item &item) { return item.field->space(0); }
    static bool holds_any(const Item &item);
    void give(Item &item, int64_t part);
    void give_on_device(Item &item, int64_t part);
    static void take_away(Item &item, int64_t part);
    static void use_memory(const Item &item, Round &round);
    void place(Item &item, Space space);
    void place_as_bound(Item &item);
    bool is_placed_as_bound(const Item &item) const;
    void go_to(Item &item, Space space);
    void allocate_on_device(Item &item, Space space);
    void require_operators(const Item &item, Space space) const;
    void require_storage(const halo_run &run, size_t field) const;
    // Is storage wanted beside that of a part, given or not?
    bool wants_beside(const Item &item, int64_t part, const void *data) const {
        return (data || !item.field->spec().sparse) && needs_beside(item, part);
    }
    void *follow_storage(Item &item, int64_t part, const void *data);
    Narrowing narrowing_of(const halo_run &run) const;
    template <class Add>
    void operate(Step &step, const halo_run &run, Round &round, Add &&add);
    template <class Add>
    void for_each_part(Step &step, const halo_run &run, Add &&add);

    const char *what_;
    std::vector<Item> items_;
    std::vector<int32_t> own_; // of the fields beside others, beside which each stands
    int32_t n_beside_ = 0;
    double fraction_ = 0; // of the way to fields of a later time
    std::vector<int32_t> mask_;
    std::vector<int32_t> sets_;
    std::vector<void *> data_; // the caller's fields, then those beside them
    std::vector<int32_t> devices_;
    uint64_t version_ = 1; // another for each run that differs from the one before it
    Narrowing narrowing_;
    Step sent_, halved_, made_, divided_;
};

} // namespace halo

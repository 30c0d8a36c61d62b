// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/poison.h"

#include <cstring>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/types.h"
#include "field/value_name.h"

namespace halo {

namespace {

// Of what a float with that mark is rounded to: HALO_BFLOAT16 has room for the mark alone, HALO_FLOAT16 for some of the element besides.
constexpr uint16_t poison_bfloat16 = 0xffeb;
constexpr uint16_t poison_float16 = 0xff58;
constexpr uint16_t tell_float16 = 0xfff8;

bool is_double(const FieldSpec &spec) { return spec.type == HALO_FLOAT64 || spec.type == HALO_COMPLEX128; }
bool is_float(const FieldSpec &spec) { return spec.type == HALO_FLOAT32 || spec.type == HALO_COMPLEX64; }

template <class Word>
Word word_at(const std::byte *at) {
    Word word;
    std::memcpy(&word, at, sizeof word);
    return word;
}
bool is_poison(uint64_t word) { return (word ^ poison64) >> 40 == 0; }
bool is_poison(uint32_t word) { return (word ^ poison32) >> 16 == 0; }
bool is_half_poison(halo_type type, uint16_t word) {
    return type == HALO_BFLOAT16 ? word == poison_bfloat16 : (word & tell_float16) == poison_float16;
}

// Values of `parts` numbers each.
template <class Word>
int64_t find(const std::byte *at, int64_t step, int64_t n, int64_t parts) {
    for (int64_t i = 0; i < n; ++i)
        for (int64_t part = 0; part < parts; ++part)
            if (is_poison(word_at<Word>(at + i * step + part * static_cast<int64_t>(sizeof(Word))))) return i;
    return n;
}

int64_t find_half(halo_type type, const std::byte *at, int64_t step, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
        if (is_half_poison(type, word_at<uint16_t>(at + i * step))) return i;
    return n;
}

// Equal elements of different parts have different places.
uint64_t place_of_part(int64_t part) { return static_cast<uint64_t>(part) * 0x9e3779b1u; }

// ---- names

bool is_of(const Field &field, const PoisonOrigin &origin) {
    if (origin.place < 0) return is_half(field.spec().type);
    return origin.ordinal < 0 ? is_float(field.spec()) : is_double(field.spec()) && (field.ordinal() & 0xff) == origin.ordinal;
}

struct Place {
    const Field *field;
    int64_t part;
    int64_t element;
};

// What may have the place, if it is not too many.
std::vector<Place> places_of(const std::vector<const Field *> &fields, const PoisonOrigin &origin) {
    constexpr size_t many = 64;
    std::vector<Place> places;
    const int64_t n_places = origin.ordinal < 0 ? int64_t{ 1 } << 16 : int64_t{ 1 } << 32;
    for (const Field *field : fields)
        for (int64_t part = 0; part < std::ssize(field->topology().local_parts()); ++part) {
            int64_t element = static_cast<int64_t>((static_cast<uint64_t>(origin.place) ^ place_of_part(part)) & static_cast<uint64_t>(n_places - 1));
            for (; element < field->layout(part).elements; element += n_places) {
                if (places.size() == many) return {};
                if (is_value(*field, part, element)) places.push_back({ field, part, element });
            }
        }
    return places;
}

// Ghosts come before owned values, which hold poison too in loops that write them.
std::optional<Place> only_place(const std::vector<const Field *> &fields, const PoisonOrigin &origin) {
    if (origin.place < 0) return std::nullopt;
    std::vector<Place> places = places_of(fields, origin);
    if (places.size() > 1) std::erase_if(places, [](const Place &at) { return name_source(*at.field, at.part, at.element).empty(); });
    return places.size() == 1 ? std::optional(places[0]) : std::nullopt;
}

} // namespace

Poison::Poison(const FieldSpec &spec, int32_t ordinal, int64_t seed, int64_t part) {
    if (is_double(spec)) {
        base_ = poison64 | static_cast<uint64_t>(ordinal & 0xff) << 32;
        low_mask_ = 0xffffffffu;
        tells_place_ = true;
    } else if (is_float(spec)) { // two of them
        base_ = poison32 * (uint64_t{ 1 } << 32 | 1);
        low_mask_ = 0xffffu;
        high_mask_ = low_mask_ << 32;
        tells_place_ = true;
    } else if (is_half(spec.type)) { // no room for the place
        base_ = (spec.type == HALO_BFLOAT16 ? poison_bfloat16 : poison_float16) * uint64_t{ 0x0001000100010001u };
    } else {
        base_ = Digest::mix(static_cast<uint64_t>(seed)); // any pattern that a program is unlikely to write
        is_number_ = false;
    }
    base_ ^= (place_of_part(part) & low_mask_) | (place_of_part(part) << 32 & high_mask_);
}

bool can_be_poison(const FieldSpec &spec) { return is_double(spec) || is_float(spec) || is_half(spec.type); }

std::string name_origin(const Context &context, const PoisonOrigin &origin) {
    std::vector<const Field *> fields;
    for (const auto &[ordinal, field] : context.fields)
        if (is_of(*field, origin)) fields.push_back(field);
    if (fields.empty()) return origin.ordinal < 0 ? std::string("a ghost") : format("a ghost of a field that is no more (number %d)", origin.ordinal);
    if (const auto at = only_place(fields, origin))
        return name_element(*at->field, at->part, at->element) + name_source(*at->field, at->part, at->element);
    return fields.size() == 1 ? format("a ghost of field %s", fields[0]->spec().name.c_str()) : std::string("a ghost");
}

PoisonOrigin poison_origin(const FieldSpec &spec, const std::byte *at) {
    if (is_double(spec))
        for (int64_t done = 0; done < spec.element_bytes; done += 8)
            if (const auto word = word_at<uint64_t>(at + done); is_poison(word))
                return { true, static_cast<int32_t>(word >> 32 & 0xff), static_cast<int64_t>(word & 0xffffffffu) };
    if (is_float(spec))
        for (int64_t done = 0; done < spec.element_bytes; done += 4)
            if (const auto word = word_at<uint32_t>(at + done); is_poison(word)) return { true, -1, static_cast<int64_t>(word & 0xffffu) };
    if (is_half(spec.type) && is_half_poison(spec.type, word_at<uint16_t>(at))) return { true, -1, -1 };
    return {};
}

PoisonSearch::PoisonSearch(const FieldSpec &spec) : can_(is_double(spec) || is_float(spec)) {
    for (int i = 0; i < 4; ++i)
        if (is_float(spec))
            mask_[i] = 0xffff0000u, mark_[i] = poison32;
        else if (is_double(spec) && i % 2 == 1) // its upper half
            mask_[i] = 0xffffff00u, mark_[i] = static_cast<uint32_t>(poison64 >> 32);
}

int64_t find_poison(const FieldSpec &spec, const std::byte *at, int64_t step, int64_t n) {
    if (is_double(spec)) return find<uint64_t>(at, step, n, spec.element_bytes / 8);
    if (is_float(spec)) return find<uint32_t>(at, step, n, spec.element_bytes / 4);
    if (is_half(spec.type)) return find_half(spec.type, at, step, n);
    return n;
}

} // namespace halo

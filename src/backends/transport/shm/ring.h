// SPDX-License-Identifier: BSD-3-Clause
// One-way traffic between two processes, in shared memory: one writes, one reads, neither ever waits for the other.
//
// Cells of fixed size carry headers and small payloads; larger ones lie in pieces in a byte ring beside them, to which cells point. Each cell begins
// with its number in the traffic, written last: so number, header and a small payload reach the reader in one cache line, and no cell is ever
// cleared. A reader that is far behind is written more cells: the traffic goes on in a larger area of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace halo::shm {

enum class Kind : uint8_t {
    small,  // a message, all of it in the cell
    first,  // the first piece of a message that is sent without asking
    more,   // the next piece of it
    offer,  // a message that waits at its sender, and where it lies there
    accept, // to an offer: send it, or (no receiver) nothing more of it is wanted
    piece,  // of a message that was accepted
    on,     // the next cell is the first one of the next area
};

inline constexpr size_t cell_words = 16; // two cache lines: processors fetch the second along
struct alignas(64) Cell {
    std::atomic<uint64_t> stamp; // low half: number in the traffic; then kind, then bytes of a small message
    uint64_t word[cell_words - 1];
};
inline constexpr size_t small_bytes = sizeof(Cell) - 16; // word 0 says where to
static_assert(sizeof(Cell) == 8 * cell_words && std::atomic<uint64_t>::is_always_lock_free);

inline constexpr size_t page = 4096;
inline constexpr int n_areas = 3; // of cells
constexpr size_t cells_of(int area) { return size_t{ 256 } << 3 * area; }
inline constexpr size_t bulk_bytes = 512 << 10;   // for large messages: what a cache holds more than once is copied faster,
inline constexpr size_t modest_bytes = 128 << 10; // for others this much of it, to take less memory
inline constexpr size_t piece_bytes = 16 << 10;   // the reader copies one out while the writer copies the next one in

// Written by the reader: what the writer may use again.
struct RingFront {
    alignas(64) std::atomic<uint64_t> cells_read[n_areas];
    std::atomic<uint64_t> bulk_read;
};

// As it lies in the writer's memory. The kernel fills it with zeros. The first cells, the modest part and the rest of the bytes, and further areas
// are reserved one by one when they are first needed.
struct Ring {
    RingFront front;
    alignas(page) Cell cells[cells_of(0)];
    alignas(page) unsigned char bulk[bulk_bytes];
    alignas(page) Cell more_cells[cells_of(1)];
    alignas(page) Cell most_cells[cells_of(2)];

    Cell *area(int number) { return number == 0 ? cells : number == 1 ? more_cells : most_cells; }
};
inline constexpr size_t cells_end = offsetof(Ring, bulk);
inline constexpr size_t modest_end = cells_end + modest_bytes;
inline constexpr size_t bulk_end = offsetof(Ring, more_cells);
constexpr size_t area_begin(int number) { return number == 1 ? bulk_end : offsetof(Ring, most_cells); } // of further ones
constexpr size_t area_end(int number) { return area_begin(number) + cells_of(number) * sizeof(Cell); }

inline uint64_t number_of(uint64_t position) { return (position + 1) & 0xffffffff; } // never 0 in the first lap
inline Kind kind_of(uint64_t stamp) { return static_cast<Kind>(stamp >> 32 & 0xff); }
inline size_t small_size_of(uint64_t stamp) { return static_cast<size_t>(stamp >> 40 & 0xff); }

// The cells in use, as one of the two ends goes round in them.
struct Area {
    int number;
    uint64_t last;
    Cell *cells;

    explicit Area(Ring *ring = nullptr, int which = 0) : number(which), last(cells_of(which) - 1), cells(ring ? ring->area(which) : nullptr) {}
    Cell &at(uint64_t position) const { return cells[position & last]; }
};

class RingWriter {
public:
    RingWriter() = default;
    explicit RingWriter(Ring *ring) : ring_(ring), area_(ring) {}

    // One is kept for the word that others follow elsewhere.
    bool has_cell() {
        if (cells_written_ - cells_read_ < area_.last) [[likely]]
            return true;
        cells_read_ = ring_->front.cells_read[area_.number].load(std::memory_order_acquire); // what the reader has read of them
        return cells_written_ - cells_read_ < area_.last;
    }
    // The next cell, where there is one; its stamp is not to be touched.
    Cell &cell() { return area_.at(cells_written_); }
    // Sequentially consistent, for the bell: see Endpoint::ring_bell.
    void publish(Kind kind, size_t bytes_in_cell = 0) {
        uint64_t stamp = number_of(cells_written_) | static_cast<uint64_t>(kind) << 32 | static_cast<uint64_t>(bytes_in_cell) << 40;
        cell().stamp.store(stamp, std::memory_order_seq_cst);
        ++cells_written_;
    }

    // The area behind that in use; n_areas: there is none.
    int next_area() const { return area_.number + 1; }
    // Goes on there. It has been reserved, and there is no cell here.
    void go_on() {
        publish(Kind::on);
        area_ = Area(ring_, next_area());
        cells_written_ = cells_read_ = 0;
    }

    // For a message of so many bytes as a whole?
    bool has_room(size_t bytes) {
        const size_t wanted = (bytes + 127) / 64 * 64;
        if (bulk_end_ - (bulk_written_ - bulk_read_) >= wanted) return true;
        bulk_read_ = ring_->front.bulk_read.load(std::memory_order_acquire);
        return bulk_end_ - (bulk_written_ - bulk_read_) >= wanted;
    }
    // Copies a piece of `bytes` in, as much as is of use; 0: there is no room. Returns where it is to the word that tells the reader.
    size_t put(const unsigned char *data, size_t bytes, uint64_t &place) {
        size_t wanted = bytes < piece_bytes ? bytes : piece_bytes;
        if (bulk_end_ - offset_ < wanted) wanted = bulk_end_ - offset_; // the rest follows in a piece of its own
        if (bulk_end_ - (bulk_written_ - bulk_read_) < wanted) [[unlikely]] {
            bulk_read_ = ring_->front.bulk_read.load(std::memory_order_acquire); // what the reader has copied out
            if (bulk_end_ - (bulk_written_ - bulk_read_) < wanted) return 0;
        }
        std::memcpy(ring_->bulk + offset_, data, wanted);
        place = static_cast<uint64_t>(offset_) << 32 | wanted;
        size_t taken = (wanted + 63) / 64 * 64;
        bulk_written_ += taken;
        offset_ = offset_ + taken == bulk_end_ ? 0 : offset_ + taken;
        return wanted;
    }
    // From now on all of the byte ring is used, if there is nothing in it.
    void grow() {
        if (bulk_end_ == bulk_bytes) return;
        bulk_read_ = ring_->front.bulk_read.load(std::memory_order_acquire);
        if (bulk_written_ != bulk_read_) return;
        bulk_end_ = bulk_bytes;
        offset_ = 0;
    }

private:
    Ring *ring_ = nullptr;
    Area area_;
    uint64_t cells_written_ = 0; // there
    uint64_t cells_read_ = 0;    // as last seen
    uint64_t bulk_written_ = 0;
    uint64_t bulk_read_ = 0;
    size_t bulk_end_ = modest_bytes; // of what is in use
    size_t offset_ = 0;              // of the next piece
};

class RingReader {
public:
    RingReader() = default;
    explicit RingReader(Ring *ring) : ring_(ring), area_(ring) {}

    // The next cell, or nullptr. Sequentially consistent, for the bell.
    const Cell *next(uint64_t &stamp) {
        const Cell &cell = area_.at(cells_read_);
        stamp = cell.stamp.load(std::memory_order_seq_cst);
        if ((stamp & 0xffffffff) != number_of(cells_read_)) return nullptr;
        if (kind_of(stamp) != Kind::on) [[likely]]
            return &cell;
        area_ = Area(ring_, area_.number + 1);
        cells_read_ = 0;
        return next(stamp);
    }
    void release() { ring_->front.cells_read[area_.number].store(++cells_read_, std::memory_order_release); } // after reading it

    // Where a piece lies. It is released when it has been copied out.
    static size_t size_of_piece(uint64_t place) { return static_cast<size_t>(place & 0xffffffff); }
    const unsigned char *piece(uint64_t place) const { return ring_->bulk + (place >> 32); }
    void release_piece(uint64_t place) {
        bulk_read_ += (size_of_piece(place) + 63) / 64 * 64;
        ring_->front.bulk_read.store(bulk_read_, std::memory_order_release);
    }

private:
    Ring *ring_ = nullptr;
    Area area_;
    uint64_t cells_read_ = 0; // there
    uint64_t bulk_read_ = 0;
};

} // namespace halo::shm

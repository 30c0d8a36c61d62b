// SPDX-License-Identifier: BSD-3-Clause
#include "comm/inquiries.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "comm/context.h"

namespace halo {

namespace {

constexpr size_t most_text = 2048;

} // namespace

void Inquiries::note_wait(uint32_t serial, bool waits) noexcept {
    if (const auto object = objects_.find(serial); object != objects_.end()) object->second.is_waited_in = waits;
}

// This one if a thread waits in it, else any in which one does; 0: there is none.
uint32_t Inquiries::waited_in(uint32_t serial) const {
    const auto is_waited_in = [](const auto &one) { return one.second.is_waited_in; };
    if (const auto same = objects_.find(serial); same != objects_.end() && is_waited_in(*same)) return serial;
    const auto any = std::find_if(objects_.begin(), objects_.end(), is_waited_in);
    return any == objects_.end() ? 0 : any->first;
}

// What is known of a rank stays so until it answers again: this one may give up before. Who has not answered is not asked again: it may be late in
// every run, and answers when it waits itself.
void Inquiries::ask(uint32_t serial) {
    const auto object = objects_.find(serial);
    if (object == objects_.end()) return;
    const std::vector<int32_t> awaited = object->second.described->awaited();
    const auto is_over = [&](const auto &known) { return std::find(awaited.begin(), awaited.end(), known.first) == awaited.end(); };
    std::erase_if(object->second.known, is_over);
    for (const int32_t peer : awaited)
        if (peer != context_.rank() && object->second.asked.insert(peer).second) send(InquiryKind::question, peer, serial);
}

void Inquiries::send(InquiryKind kind, int32_t to, uint32_t serial) {
    const auto object = objects_.find(serial);
    const std::string text = object == objects_.end() ? std::string() : object->second.described->terms().packed(most_text);
    InquiryHeader header;
    header.kind = kind;
    header.serial = serial;
    header.newest = context_.newest_run();
    header.has_one = object != objects_.end();
    header.waits_in = waited_in(serial);
    header.from = static_cast<uint32_t>(context_.rank());
    header.text_bytes = text.size();
    auto parcel = std::make_unique<Parcel>();
    parcel->peer = to;
    parcel->abandoned = true; // who never waits for long does not look for it
    parcel->bytes.resize(sizeof header + text.size());
    std::memcpy(parcel->bytes.data(), &header, sizeof header);
    std::memcpy(parcel->bytes.data() + sizeof header, text.data(), text.size());
    context_.fabric().send(to, 0, inquiry_tag, parcel->bytes.data(), parcel->bytes.size(), parcel->request);
    parcel->in_flight = true;
    context_.linger(std::move(parcel));
}

// A rank that has ended is the affair of those who exchange with it.
void Inquiries::read() {
    if (context_.size() == 1) return;
    try {
        while (const auto message = incoming_.take()) take(*message);
    } catch (const Error &error) {
        if (error.status() != HALO_ERR_TRANSPORT) throw;
    }
}

// What is none of this version says nothing.
void Inquiries::take(const std::vector<std::byte> &message) {
    InquiryHeader header;
    if (message.size() < sizeof header) return;
    std::memcpy(&header, message.data(), sizeof header);
    const auto from = static_cast<int32_t>(header.from);
    if (header.magic != inquiry_magic || header.version != inquiry_version || header.text_bytes != message.size() - sizeof header ||
        header.from >= static_cast<uint32_t>(context_.size()) || from == context_.rank())
        return;
    if (header.kind == InquiryKind::question) send(InquiryKind::answer, from, header.serial);
    if (const auto object = objects_.find(header.serial); header.kind == InquiryKind::answer && object != objects_.end())
        object->second.asked.erase(from);
    const char *text = reinterpret_cast<const char *>(message.data()) + sizeof header;
    if (header.has_one != 0)
        compare(header, Terms(std::string(text, header.text_bytes)));
    else if (header.newest < header.serial)
        note(header, format("rank %d has made %u exchanges, groups and reductions so far, rank %d %u", from, header.newest, context_.rank(),
                            context_.newest_run()));
    else
        note(header, format("rank %d has destroyed its own", from));
}

// Of what this rank waits for. No text: there is nothing to be told.
void Inquiries::note(const InquiryHeader &header, const std::string &text) {
    const auto object = objects_.find(header.serial);
    if (object == objects_.end() || !object->second.is_waited_in) return;
    std::map<int32_t, std::string> &known = object->second.known;
    known.erase(static_cast<int32_t>(header.from));
    if (!text.empty()) known.emplace(header.from, text);
}

// Both ranks do, and find the same.
void Inquiries::compare(const InquiryHeader &header, const Terms &peers) {
    const auto object = objects_.find(header.serial);
    if (object == objects_.end()) return;
    const int32_t here = context_.rank(), there = static_cast<int32_t>(header.from);
    const Terms own(object->second.described->terms().packed(most_text));
    const std::string text = here < there ? first_difference(own, here, peers, there) : first_difference(peers, there, own, here);
    if (text.empty()) {
        const auto elsewhere = objects_.find(header.waits_in);
        const bool is_elsewhere = header.waits_in != header.serial && elsewhere != objects_.end();
        return note(header, is_elsewhere ? format("rank %d waits in %s", there, elsewhere->second.described->what().c_str()) : "");
    }
    const std::string all = format("rank %d and rank %d have different objects %u: %s", here, there, header.serial, text.c_str());
    have_differed_ = true;
    difference_.emplace(HALO_ERR_MISMATCH, all, FirstCause{ here, HALO_ERR_MISMATCH, all, false });
}

std::string Inquiries::known_of_peers(uint32_t serial) const {
    std::string text;
    if (const auto object = objects_.find(serial); object != objects_.end())
        for (const auto &[rank, known] : object->second.known) text += "; " + known;
    return text;
}

} // namespace halo

// SPDX-License-Identifier: BSD-3-Clause
//
// See part.hpp.
#include "part.hpp"

#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/clock.hpp"

namespace tessera::trace {
namespace {

constexpr std::uint64_t kLongFromNs = 1000;
constexpr std::uint32_t kHeapUses = 4096;
constexpr std::uint32_t kTeams = 1024;
constexpr std::uint32_t kChoices = 512;
constexpr std::uint32_t kMapBytes = 128 * 1024;

// The places of the tables, one behind the other.
std::uint64_t lay_out(const Part::Identity& identity, Table (&tables)[kTableCount]) {
    const auto npes = static_cast<std::uint32_t>(identity.npes);
    const bool is_main = identity.thread == 0;
    const std::uint32_t shapes[kTableCount][2] = {
        {sizeof(OperationName), kOperationCount},
        {sizeof(Cell), kRowCells * (npes + 1)},
        {sizeof(SizeClass), kDirections * kRoutes * kSizeClasses},
        {sizeof(Record), identity.records_max},
        {sizeof(Record), identity.records_max},
        {sizeof(HeapUse), is_main ? kHeapUses : 0},
        {sizeof(TeamEntry), is_main ? kTeams : 0},
        {sizeof(ChoiceEntry), is_main ? kChoices : 0},
        {sizeof(Release), identity.records_max / 4},
        {1, is_main ? kMapBytes : 0},
    };
    std::uint64_t end = sizeof(Header);
    for (std::uint32_t i = 0; i < kTableCount; ++i) {
        end = (end + kLineBytes - 1) / kLineBytes * kLineBytes;
        tables[i] = {
            .offset = end, .entry_bytes = shapes[i][0], .capacity = shapes[i][1], .count = 0};
        end += std::uint64_t{shapes[i][0]} * shapes[i][1];
    }
    return end;
}

std::string program_name() {
    char path[PATH_MAX];
    const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
    std::string_view name(path, length > 0 ? static_cast<std::size_t>(length) : 0);
    return std::string(name.substr(name.rfind('/') + 1));
}

void fill(Header& header, const Part::Identity& identity) {
    std::memcpy(header.magic, kMagic, sizeof kMagic);
    header.version = kVersion;
    header.pe = identity.pe;
    header.npes = identity.npes;
    header.thread = identity.thread;
    header.begin_ns = header.end_ns = now_ns();
    header.long_from_ns = kLongFromNs;
    header.matched_stride = 1;
    header.pid = ::getpid();
    ::gethostname(header.host, sizeof header.host - 1);
    program_name().copy(header.program, sizeof header.program - 1);
}

std::string failure(const std::string& what) { return what + ": " + std::strerror(errno); }

}  // namespace

Part* Part::make(const Identity& identity, std::string& error) {
    const std::string path = identity.directory + "/pe" + std::to_string(identity.pe) + ".thread" +
                             std::to_string(identity.thread) + ".part";
    // The first PE to come makes it.
    if (::mkdir(identity.directory.c_str(), 0777) != 0 && errno != EEXIST) {
        error = failure("cannot make the folder " + identity.directory);
        return nullptr;
    }
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        error = failure("cannot write " + path);
        return nullptr;
    }
    Table tables[kTableCount];
    const std::uint64_t bytes = lay_out(identity, tables);
    // A full disk must not show as SIGBUS at a store.
    errno = ::posix_fallocate(fd, 0, static_cast<off_t>(bytes));
    void* memory = errno != 0 ? MAP_FAILED
                              : ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                       MAP_SHARED | MAP_POPULATE, fd, 0);
    if (memory == MAP_FAILED) error = failure("no room for " + path);
    ::close(fd);
    if (memory == MAP_FAILED) {
        ::unlink(path.c_str());
        return nullptr;
    }
    auto* part = new Part;
    part->header_ = static_cast<Header*>(memory);
    std::copy(std::begin(tables), std::end(tables), part->header_->tables);
    fill(*part->header_, identity);
    for (const OperationTraits& operation : kOperations) {
        OperationName name{};
        operation.name.copy(name.text, sizeof name.text - 1);
        part->append(kOperationTable, name);
    }
    for (const TableNumber full : {kCellTable, kSizeTable})
        part->header_->tables[full].count = tables[full].capacity;
    return part;
}

template <class Entry>
bool Part::append(TableNumber number, const Entry& entry) {
    Table& table = header_->tables[number];
    if (table.count == table.capacity) return false;
    entries_of<Entry>(number)[table.count++] = entry;
    return true;
}

void Part::note_bandwidth(Direction direction, bool is_off_node, std::uint64_t bytes,
                          std::uint64_t ns) {
    if (direction == Direction::kNone || bytes == 0) return;
    const std::uint32_t row = (direction == Direction::kGet ? kRoutes : 0) + (is_off_node ? 1 : 0);
    const auto log = static_cast<std::uint32_t>(std::bit_width(bytes)) - 1;
    SizeClass& entry =
        entries_of<SizeClass>(kSizeTable)[row * kSizeClasses + std::min(log, kSizeClasses - 1)];
    ++entry.count;
    entry.bytes += bytes;
    entry.ns += ns;
    entry.best = std::max(entry.best, static_cast<double>(bytes) /
                                          static_cast<double>(std::max<std::uint64_t>(1, ns)));
}

// ---- Long calls, and calls that changed what a PE waited for ----

void Part::append_long(const Record& record) {
    if (append(kLongTable, record)) return;
    thin(kLongTable, &Record::duration_ns, header_->long_from_ns);
    note_long(record);
}

void Part::note_release(const Release& release) {
    if (release.waited_ns < release_from_ns_ || append(kReleaseTable, release)) return;
    release_from_ns_ = std::max(release_from_ns_, kLongFromNs);
    thin(kReleaseTable, &Release::waited_ns, release_from_ns_);
    note_release(release);
}

template <class Entry>
void Part::thin(TableNumber number, std::uint64_t Entry::*measure, std::uint64_t& limit_ns) {
    Table& table = header_->tables[number];
    auto* entries = entries_of<Entry>(number);
    while (table.count > table.capacity / 2) {
        limit_ns *= 2;
        Entry* end = std::remove_if(entries, entries + table.count,
                                    [&](const Entry& entry) { return entry.*measure < limit_ns; });
        table.count = static_cast<std::uint64_t>(end - entries);
    }
}

// ---- Collectives: by their numbers, so that the PEs keep the same ones ----

void Part::note_collective(const Record& record) {
    if (record.sequence % header_->matched_stride != 0) return note_long(record);
    if (append(kMatchedTable, record)) return;
    thin_matched();
    note_collective(record);
}

void Part::thin_matched() {
    Table& table = header_->tables[kMatchedTable];
    auto* records = entries_of<Record>(kMatchedTable);
    header_->matched_stride *= 2;
    std::uint64_t kept = 0;
    for (std::uint64_t i = 0; i < table.count; ++i) {
        if (records[i].sequence % header_->matched_stride == 0) {
            records[kept++] = records[i];
        } else {
            note_long(records[i]);
        }
    }
    table.count = kept;
}

// ---- The rest ----

void Part::note_maps() {
    Table& table = header_->tables[kMapTable];
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(std::fopen("/proc/self/maps", "re"),
                                                               std::fclose);
    if (maps == nullptr) return;
    char line[PATH_MAX + 128];
    std::uint64_t bytes = 0;
    while (std::fgets(line, sizeof line, maps.get()) != nullptr) {
        const std::size_t length = std::strlen(line);
        if (std::strchr(line, '/') == nullptr || bytes + length > table.capacity) continue;
        std::memcpy(entries_of<char>(kMapTable) + bytes, line, length);
        bytes += length;
    }
    table.count = bytes;
}

// When the table is full, each second entry goes; its neighbour keeps the higher use.
void Part::note_heap(const HeapUse& use) {
    if (append(kHeapTable, use)) return;
    Table& table = header_->tables[kHeapTable];
    auto* uses = entries_of<HeapUse>(kHeapTable);
    for (std::uint64_t i = 0; i < table.count / 2; ++i) {
        uses[i] = uses[2 * i + 1];
        uses[i].bytes = std::max(uses[i].bytes, uses[2 * i].bytes);
    }
    table.count /= 2;
    append(kHeapTable, use);
}

bool Part::note_team(const TeamEntry& team) { return append(kTeamTable, team); }

ChoiceEntry* Part::add_choice(const ChoiceEntry& choice) {
    if (!append(kChoiceTable, choice)) return nullptr;
    return entries_of<ChoiceEntry>(kChoiceTable) + header_->tables[kChoiceTable].count - 1;
}

}  // namespace tessera::trace

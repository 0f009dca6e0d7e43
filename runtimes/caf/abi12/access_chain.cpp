// SPDX-License-Identifier: BSD-3-Clause
//
// The walk. A part of a chain with a nonzero rank has only fixed components behind it, so the axes
// are found once, and what follows moves their base.
#include "abi12/access_chain.hpp"

#include <dlfcn.h>

#include <cstdint>
#include <cstring>

#include "abi12/register.hpp"
#include "core/ordering.hpp"
#include "core/private_memory.hpp"
#include "core/remote_pointer.hpp"
#include "core/team.hpp"
#include "core/transfer.hpp"

namespace tessera::caf {

namespace {

// One dimension of an array with a descriptor. The address of the array is that of `lower`.
struct Span {
    std::ptrdiff_t lower;
    std::ptrdiff_t upper;
    std::ptrdiff_t stride_bytes;
};

int rank_of(const Reference& reference) {
    int rank = 0;
    while (rank < kMaxRank && reference.u.a.mode[rank] != kArrayNone) ++rank;
    return rank;
}

// Whether an address lies in the program or a library, and not in memory that was allocated.
bool is_in_module(const void* address) {
    Dl_info info;
    return dladdr(address, &info) != 0;
}

// Whether this image's part of a coarray has the container of a class(...) at an address: a pointer
// to the value, and one to the table of its type, which has a pointer to the function that copies.
bool is_class_container(const std::byte* own, std::size_t bytes) {
    constexpr std::size_t kContainer = 16;
    constexpr std::size_t kUnlimited = 24;  // with the length of a character
    constexpr std::uintptr_t kLowest = 4096;
    constexpr int kCopyFunction = 4;
    if (bytes != kContainer && bytes != kUnlimited) return false;
    const void* const* table = nullptr;
    std::memcpy(&table, own + sizeof(void*), sizeof table);
    const auto at = reinterpret_cast<std::uintptr_t>(table);
    return at >= kLowest && at % alignof(void*) == 0 && is_in_module(table) &&
           is_in_module(table[kCopyFunction]);
}

class Walk {
  public:
    Walk(Coarray& coarray, int pe, const char* routine)
        : coarray_(coarray), pe_(pe), routine_(routine) {
        target_.lists.reserve(kMaxRank);
        target_.section.base = static_cast<std::byte*>(coarray.base);
    }

    // Returns false at a component that is not allocated.
    bool run(const Reference* chain) {
        for (const Reference* link = chain; link != nullptr; link = link->next) {
            target_.section.element_bytes = link->item_bytes;
            switch (link->type) {
                case kRefComponent:
                    if (!enter_component(*link)) {
                        target_.is_allocated = false;
                        return false;
                    }
                    break;
                case kRefArray: subscript(*link, link == chain); break;
                case kRefStaticArray: subscript_fixed(*link); break;
                default:
                    stop_with_error(routine_, "this library does not know references of type %d",
                                    link->type);
            }
        }
        return true;
    }

    // The base of the target, translated to a symmetric address, or that of private memory: of a
    // variable that is no part of a coarray, or allocated in a procedure whose dummy argument is no
    // coarray.
    void reach() {
        if (pointer_ == nullptr) return;
        auto* base = static_cast<std::byte*>(translate(pointer_, pe_));
        target_.section.is_private = base == nullptr;
        if (base == nullptr) base = static_cast<std::byte*>(const_cast<void*>(pointer_));
        target_.section.base = moved(base, behind_pointer_);
        pointer_ = nullptr;
        behind_pointer_ = 0;
    }

    Target& target() { return target_; }

  private:
    void move(Wide bytes) {
        if (pointer_ != nullptr) {
            behind_pointer_ += target_.section.cut(bytes);
        } else {
            target_.section.move(bytes);
        }
    }

    // gfortran 12 does not follow the pointer in a component of type class(...): it passes the
    // place of the pointer as if the component lay there.
    void refuse_class(const Reference& link) const {
        const Reference* next = link.next;
        const bool is_array = next != nullptr && next->type == kRefArray;
        if (is_array ||
            (next != nullptr && next->type == kRefComponent && pointer_ == nullptr &&
             is_class_container(target_.section.base + link.u.c.offset, link.item_bytes))) {
            stop_with_error(routine_,
                            "gfortran 12 cannot access components of type class(...) of other "
                            "images; copy the values to a component of another type");
        }
    }

    bool enter_component(const Reference& link) {
        if (link.u.c.token_offset <= 0) {
            refuse_class(link);
            move(link.u.c.offset);
            target_.ends_at_component = false;
            return true;
        }
        reach();
        target_.component_token = target_.section.base + link.u.c.token_offset;
        move(link.u.c.offset);
        target_.component = target_.section.base;
        target_.is_array_component = link.next != nullptr && link.next->type == kRefArray;
        target_.ends_at_component =
            link.next == nullptr || (target_.is_array_component && link.next->next == nullptr);
        const std::size_t bytes =
            target_.is_array_component ? descriptor_bytes(rank_of(*link.next)) : sizeof(void*);
        complete(pe_);
        if (target_.section.is_private) {
            get_private(
                {.base = reinterpret_cast<std::byte*>(&descriptor_), .element_bytes = bytes},
                {.base = target_.section.base, .element_bytes = bytes}, pe_);
        } else {
            get_bytes(&descriptor_, target_.section.base, bytes, pe_);
        }
        pointer_ = descriptor_.base;
        behind_pointer_ = 0;
        return pointer_ != nullptr;
    }

    Span dimension(int i, bool is_coarray_itself) const {
        if (is_coarray_itself) {
            const Bounds& bounds = *coarray_.bounds;
            const std::ptrdiff_t lower = bounds.lower[i];
            return {lower, lower + static_cast<std::ptrdiff_t>(bounds.extent[i]) - 1,
                    bounds.stride_bytes[i]};
        }
        const Dimension& dim = descriptor_.dim[i];
        return {dim.lower, dim.upper, dim.stride * span_of(descriptor_)};
    }

    // The bounds are known here, so a subscript that is out of them cannot hit other memory.
    void check_bounds(std::ptrdiff_t index, const Span& span) const {
        if (index < span.lower || index > span.upper) {
            stop_with_error(routine_,
                            "subscript %td is not in [%td, %td], the bounds of the array on image "
                            "%d",
                            index, span.lower, span.upper, current_team().image_of(pe_));
        }
    }

    // Where a range begins and ends that does not say so. The compiler sets no stride of single
    // subscripts and vectors.
    static std::ptrdiff_t first_of(const Span& span, std::ptrdiff_t step) {
        return step < 0 ? span.upper : span.lower;
    }
    static std::ptrdiff_t last_of(const Span& span, std::ptrdiff_t step) {
        return step < 0 ? span.lower : span.upper;
    }

    // Subscripts of the coarray itself, or of the component that was entered last.
    void subscript(const Reference& link, bool is_coarray_itself) {
        const int rank = rank_of(link);
        if (is_coarray_itself) {
            const Bounds* bounds = bounds_of(coarray_);
            if (bounds == nullptr || bounds->rank != rank)
                stop_with_error(routine_, "the bounds of the coarray are not known");
        }
        for (int i = 0; i < rank; ++i) {
            const Span span = dimension(i, is_coarray_itself);
            const auto& selected = link.u.a.dim[i];
            const std::ptrdiff_t step = selected.s.stride;
            switch (link.u.a.mode[i]) {
                case kArrayVector:
                    for (std::size_t k = 0; k < selected.v.nvec; ++k) {
                        check_bounds(index_at(selected.v.vector, selected.v.kind, k, routine_),
                                     span);
                    }
                    add_vector_axis(target_.section, target_.lists, selected.v.vector,
                                    selected.v.kind, selected.v.nvec, span.lower, span.stride_bytes,
                                    routine_);
                    break;
                case kArraySingle:
                    check_bounds(selected.s.start, span);
                    move((selected.s.start - span.lower) * span.stride_bytes);
                    break;
                case kArrayFull:
                    add_part(first_of(span, step), last_of(span, step), step, span);
                    break;
                case kArrayRange: add_part(selected.s.start, selected.s.end, step, span); break;
                case kArrayOpenEnd:
                    add_part(selected.s.start, last_of(span, step), step, span);
                    break;
                case kArrayOpenStart:
                    add_part(first_of(span, step), selected.s.end, step, span);
                    break;
                default: stop_for_mode(link.u.a.mode[i]);
            }
        }
    }

    // An array of fixed shape: the compiler gives distances from its first element, in elements.
    void subscript_fixed(const Reference& link) {
        const auto bytes = static_cast<std::ptrdiff_t>(link.item_bytes);
        for (int i = 0; i < rank_of(link); ++i) {
            const auto& selected = link.u.a.dim[i];
            switch (link.u.a.mode[i]) {
                case kArrayVector:
                    add_vector_axis(target_.section, target_.lists, selected.v.vector,
                                    selected.v.kind, selected.v.nvec, 0, bytes, routine_);
                    break;
                case kArraySingle: move(Wide{selected.s.start} * bytes); break;
                case kArrayFull:
                case kArrayRange:
                case kArrayOpenEnd:
                case kArrayOpenStart:
                    add_range(selected.s.start, selected.s.end, selected.s.stride, 0, bytes);
                    break;
                default: stop_for_mode(link.u.a.mode[i]);
            }
        }
    }

    // A range of an array whose bounds are known.
    void add_part(std::ptrdiff_t first, std::ptrdiff_t last, std::ptrdiff_t step,
                  const Span& span) {
        const std::ptrdiff_t by = step != 0 ? step : 1;
        if (const std::size_t count = count_of(first, last, by); count > 0) {
            check_bounds(first, span);
            check_bounds(static_cast<std::ptrdiff_t>(first + Wide{count - 1} * by), span);
        }
        add_range(first, last, step, span.lower, span.stride_bytes);
    }

    // The elements first, first + step, ... up to last, of an array whose address is that of lower.
    void add_range(std::ptrdiff_t first, std::ptrdiff_t last, std::ptrdiff_t step,
                   std::ptrdiff_t lower, std::ptrdiff_t stride_bytes) {
        const std::ptrdiff_t by = step != 0 ? step : 1;
        move((Wide{first} - lower) * stride_bytes);
        target_.section.add_axis(count_of(first, last, by), Wide{by} * stride_bytes);
    }

    [[noreturn]] void stop_for_mode(int mode) const {
        stop_with_error(routine_, "this library does not know subscripts of mode %d", mode);
    }

    Coarray& coarray_;
    int pe_;
    const char* routine_;
    Target target_;
    // The descriptor of the component that was entered last; of a scalar: only its base.
    Descriptor descriptor_{};
    // An address of the other image that has not been translated yet, and the way from it.
    const void* pointer_ = nullptr;
    std::ptrdiff_t behind_pointer_ = 0;
};

}  // namespace

Target follow(Coarray& coarray, const Reference* chain, int pe, const char* routine) {
    Walk walk(coarray, pe, routine);
    if (walk.run(chain)) {
        walk.reach();
        if (walk.target().component == nullptr)
            check_inside(coarray, walk.target().section, routine);
    }
    return std::move(walk.target());
}

bool is_chain_allocated(Coarray& coarray, const Reference* chain, int pe, const char* routine) {
    return Walk(coarray, pe, routine).run(chain);
}

}  // namespace tessera::caf

// SPDX-License-Identifier: BSD-3-Clause
//
// dart_type_create_* and dart_type_destroy (types.hpp).

#include "core/types.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <memory>

#include "core/entry.hpp"
#include "core/log.hpp"

namespace tessera::dart {
namespace {

// A created type, which its handle points to. The mark tells it from other memory.
struct CreatedType {
    static constexpr std::uint64_t kMark = 0x44415254'54595045;  // "DARTTYPE"
    std::uint64_t mark = kMark;
    Type type;

    // volatile: a handle that is used again too late must not find the mark.
    void forget() { *const_cast<volatile std::uint64_t*>(&mark) = 0; }
};

struct BasicTypes {
    Type types[DART_TYPE_LAST];
    BasicTypes() {
        for (dart_datatype_t type = DART_TYPE_BYTE; type < DART_TYPE_LAST; ++type) {
            types[type].base = type;
            types[type].element_bytes = bytes_of_basic(type);
        }
    }
};

const BasicTypes& basic_types() {
    static const BasicTypes types;
    return types;
}

CreatedType* created_of(dart_datatype_t type) {
    // Below a page, and unaligned: no address that dart_type_create_* has given.
    if (type < 4096 || type % alignof(CreatedType) != 0) {
        return nullptr;
    }
    auto* created = reinterpret_cast<CreatedType*>(type);
    return created->mark == CreatedType::kMark ? created : nullptr;
}

// Starts a type whose base is `basetype`. RETURNS: nullptr: it is no possible base.
std::unique_ptr<CreatedType> derive(dart_datatype_t basetype) {
    const Type* base = find_type(basetype);
    if (base == nullptr || base->layout != Layout::kContiguous) {
        return nullptr;
    }
    auto created = std::make_unique<CreatedType>();
    created->type.base = base->base;
    created->type.element_bytes = base->element_bytes;
    return created;
}

dart_datatype_t handle_of(std::unique_ptr<CreatedType> created) {
    return reinterpret_cast<dart_datatype_t>(created.release());
}

dart_ret_t bad_base(const char* routine, dart_datatype_t basetype) {
    return fail(DART_ERR_INVAL, routine,
                "base type %ld is neither a basic nor a custom type; give one of DART_TYPE_*",
                static_cast<long>(basetype));
}

// Adds the blocks to an indexed type. RETURNS: false: a number is too large, or there is nothing.
bool add_blocks(Type& type, std::size_t count, const std::size_t* lengths,
                const std::size_t* offsets) {
    std::size_t first = SIZE_MAX;
    std::size_t end = 0;
    type.block_elements = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (lengths[i] > INT_MAX || offsets[i] > INT_MAX) {
            return false;
        }
        if (lengths[i] == 0) {
            continue;
        }
        first = std::min(first, offsets[i]);
        end = std::max(end, offsets[i] + lengths[i]);
        type.block_elements += lengths[i];
        if (!type.blocks.empty() &&
            type.blocks.back().offset + type.blocks.back().elements == offsets[i]) {
            type.blocks.back().elements += lengths[i];
        } else {
            type.blocks.push_back({offsets[i], lengths[i]});
        }
    }
    if (type.blocks.empty()) {
        return false;
    }
    type.stride = end - first;
    return true;
}

}  // namespace

const Type* find_type(dart_datatype_t type) {
    if (is_basic(type)) {
        return &basic_types().types[type];
    }
    const CreatedType* created = created_of(type);
    return created != nullptr ? &created->type : nullptr;
}

Runs::Runs(const Type& type, std::size_t elements) : type_(type), elements_left_(elements) {
    if (elements > 0) {
        start_run();
    }
}

void Runs::start_run() {
    switch (type_.layout) {
        case Layout::kContiguous: run_elements_ = elements_left_; break;
        case Layout::kStrided:
            offset_ = block_ * type_.stride;
            run_elements_ = type_.block_elements;
            break;
        case Layout::kIndexed:
            offset_ = instance_ * type_.stride + type_.blocks[block_].offset;
            run_elements_ = type_.blocks[block_].elements;
            break;
    }
}

void Runs::advance(std::size_t bytes) {
    const std::size_t elements = bytes / type_.element_bytes;
    offset_ += elements;
    run_elements_ -= elements;
    elements_left_ -= elements;
    if (run_elements_ == 0 && elements_left_ > 0) {
        ++block_;
        if (type_.layout == Layout::kIndexed && block_ == type_.blocks.size()) {
            block_ = 0;
            ++instance_;
        }
        start_run();
    }
}

DART_ENTRY dart_ret_t dart_type_create_strided(dart_datatype_t basetype, size_t stride,
                                               size_t blocklen, dart_datatype_t* newtype) {
    if (newtype == nullptr) {
        return fail(DART_ERR_INVAL, __func__, "newtype is a null pointer");
    }
    *newtype = DART_TYPE_UNDEFINED;
    auto created = derive(basetype);
    if (created == nullptr) {
        return bad_base(__func__, basetype);
    }
    if (blocklen == 0 || blocklen > stride || stride > INT_MAX) {
        return fail(DART_ERR_INVAL, __func__,
                    "stride %zu, blocklen %zu: they must be 1 <= blocklen <= stride <= %d", stride,
                    blocklen, INT_MAX);
    }
    created->type.layout = Layout::kStrided;
    created->type.block_elements = blocklen;
    created->type.stride = stride;
    *newtype = handle_of(std::move(created));
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_type_create_indexed(dart_datatype_t basetype, size_t count,
                                               const size_t blocklen[], const size_t offset[],
                                               dart_datatype_t* newtype) {
    if (newtype == nullptr || blocklen == nullptr || offset == nullptr) {
        return fail(DART_ERR_INVAL, __func__, "blocklen, offset or newtype is a null pointer");
    }
    *newtype = DART_TYPE_UNDEFINED;
    auto created = derive(basetype);
    if (created == nullptr) {
        return bad_base(__func__, basetype);
    }
    created->type.layout = Layout::kIndexed;
    if (count > INT_MAX || !add_blocks(created->type, count, blocklen, offset)) {
        return fail(DART_ERR_INVAL, __func__,
                    "%zu blocks without elements, or with a number above %d", count, INT_MAX);
    }
    *newtype = handle_of(std::move(created));
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_type_create_custom(size_t num_bytes, dart_datatype_t* newtype) {
    if (newtype == nullptr) {
        return fail(DART_ERR_INVAL, __func__, "newtype is a null pointer");
    }
    *newtype = DART_TYPE_UNDEFINED;
    if (num_bytes == 0 || num_bytes > INT_MAX) {
        return fail(DART_ERR_INVAL, __func__, "%zu bytes are not in [1, %d]", num_bytes, INT_MAX);
    }
    auto created = std::make_unique<CreatedType>();
    created->type.base = reinterpret_cast<dart_datatype_t>(created.get());
    created->type.element_bytes = num_bytes;
    *newtype = handle_of(std::move(created));
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_type_destroy(dart_datatype_t* dart_type) {
    if (dart_type == nullptr) {
        return fail(DART_ERR_INVAL, __func__, "the type is a null pointer");
    }
    CreatedType* created = created_of(*dart_type);
    if (created == nullptr) {
        return fail(DART_ERR_INVAL, __func__, "type %ld was not made by dart_type_create_*",
                    static_cast<long>(*dart_type));
    }
    created->forget();
    delete created;
    *dart_type = DART_TYPE_UNDEFINED;
    return DART_OK;
}

}  // namespace tessera::dart

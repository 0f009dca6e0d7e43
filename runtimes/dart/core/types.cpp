// SPDX-License-Identifier: BSD-3-Clause
//
// dart_type_create_* and dart_type_destroy (types.hpp).

#include "core/types.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <memory>

#include "core/entry.hpp"
#include "core/handles.hpp"
#include "core/log.hpp"

namespace tessera::dart {
namespace {

using CreatedTypes = Handles<Type, HandleKind::kType>;

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

// Starts a type whose base is `basetype`. RETURNS: nullptr: it is no possible base.
std::unique_ptr<Type> derive(dart_datatype_t basetype) {
    const Type* base = find_type(basetype);
    if (base == nullptr || base->layout != Layout::kContiguous) return nullptr;
    auto created = std::make_unique<Type>();
    created->base = base->base;
    created->element_bytes = base->element_bytes;
    return created;
}

dart_datatype_t handle_of(std::unique_ptr<Type> created) {
    return static_cast<dart_datatype_t>(CreatedTypes::all().add(std::move(created)));
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
        if (lengths[i] > INT_MAX || offsets[i] > INT_MAX) return false;
        if (lengths[i] == 0) continue;
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
    if (type.blocks.empty()) return false;
    type.stride = end - first;
    return true;
}

}  // namespace

const Type* find_type(dart_datatype_t type) {
    if (is_basic(type)) return &basic_types().types[type];
    return CreatedTypes::all().find(static_cast<std::uint64_t>(type));
}

Runs::Runs(const Type& type, std::size_t elements) : type_(type), elements_left_(elements) {
    if (elements > 0) start_run();
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
    if (newtype == nullptr) return fail(DART_ERR_INVAL, __func__, "newtype is a null pointer");
    *newtype = DART_TYPE_UNDEFINED;
    auto created = derive(basetype);
    if (created == nullptr) return bad_base(__func__, basetype);
    if (blocklen == 0 || blocklen > stride || stride > INT_MAX) {
        return fail(DART_ERR_INVAL, __func__,
                    "stride %zu, blocklen %zu: they must be 1 <= blocklen <= stride <= %d", stride,
                    blocklen, INT_MAX);
    }
    created->layout = Layout::kStrided;
    created->block_elements = blocklen;
    created->stride = stride;
    *newtype = handle_of(std::move(created));
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_type_create_indexed(dart_datatype_t basetype, size_t count,
                                               const size_t blocklen[], const size_t offset[],
                                               dart_datatype_t* newtype) {
    if (newtype == nullptr || blocklen == nullptr || offset == nullptr)
        return fail(DART_ERR_INVAL, __func__, "blocklen, offset or newtype is a null pointer");
    *newtype = DART_TYPE_UNDEFINED;
    auto created = derive(basetype);
    if (created == nullptr) return bad_base(__func__, basetype);
    created->layout = Layout::kIndexed;
    if (count > INT_MAX || !add_blocks(*created, count, blocklen, offset)) {
        return fail(DART_ERR_INVAL, __func__,
                    "%zu blocks without elements, or with a number above %d", count, INT_MAX);
    }
    *newtype = handle_of(std::move(created));
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_type_create_custom(size_t num_bytes, dart_datatype_t* newtype) {
    if (newtype == nullptr) return fail(DART_ERR_INVAL, __func__, "newtype is a null pointer");
    *newtype = DART_TYPE_UNDEFINED;
    if (num_bytes == 0 || num_bytes > INT_MAX)
        return fail(DART_ERR_INVAL, __func__, "%zu bytes are not in [1, %d]", num_bytes, INT_MAX);
    auto created = std::make_unique<Type>();
    Type& type = *created;
    type.element_bytes = num_bytes;
    *newtype = type.base = handle_of(std::move(created));
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_type_destroy(dart_datatype_t* dart_type) {
    if (dart_type == nullptr) return fail(DART_ERR_INVAL, __func__, "the type is a null pointer");
    if (CreatedTypes::all().remove(static_cast<std::uint64_t>(*dart_type)) == nullptr) {
        return fail(DART_ERR_INVAL, __func__,
                    "type %ld was not made by dart_type_create_*, or has ended",
                    static_cast<long>(*dart_type));
    }
    *dart_type = DART_TYPE_UNDEFINED;
    return DART_OK;
}

}  // namespace tessera::dart

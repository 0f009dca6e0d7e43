// SPDX-License-Identifier: BSD-3-Clause
//
// The owner's side of accessors, and the call of the other side.
#include "abi15/accessor_service.hpp"

#include <shmem.h>

#include <cstdlib>
#include <memory>

#include "abi15/accessors.hpp"
#include "core/hooks.hpp"
#include "core/ordering.hpp"
#include "core/runtime.hpp"
#include "core/service.hpp"

namespace tessera::caf {

namespace {

// Runs a getter, and makes the message of its result.
std::unique_ptr<Message> run_get(Request& request, const Arguments& arguments, void* source) {
    std::vector<std::byte> room(request.has_dest_descriptor ? 0 : request.data_bytes);
    request.dest_descriptor.base = nullptr;  // It is the other image's.
    const Got got = run_getter(
        arguments, source, request.has_source_descriptor ? &request.source_descriptor : nullptr,
        request.has_dest_descriptor ? &request.dest_descriptor : nullptr, room.data(),
        request.data_bytes, request.has_dest_length ? &request.dest_length : nullptr,
        request.has_source_length ? &request.source_length : nullptr);
    const Reply reply{.is_present = true,
                      .data_bytes = got.data == nullptr ? 0 : got.bytes,
                      .dest_length = request.dest_length,
                      .dest_descriptor = request.dest_descriptor};
    auto message = std::make_unique<Message>(sizeof reply + reply.data_bytes);
    message->add(&reply, sizeof reply);
    message->add(got.data, reply.data_bytes);
    if (got.is_owned) std::free(got.data);
    return message;
}

std::unique_ptr<Message> execute(std::uint64_t pointer) {
    Request request;
    fetch(&request, pointer, 0, sizeof request);
    std::vector<std::byte> add_data(request.add_bytes);
    fetch(add_data.data(), pointer, sizeof request, add_data.size());
    std::byte* coarray = service_base() + request.coarray;
    if (!is_in_coarray(coarray))
        stop_with_error("coindexed access", "the coarray does not exist on this image");
    const Arguments arguments{.index = index_of(request.hash),
                              .image = request.image,
                              .add_data = add_data.data(),
                              .add_bytes = add_data.size()};
    if (request.task == Task::kGet) return run_get(request, arguments, coarray);
    Reply reply{};
    if (request.task == Task::kIsPresent) {
        reply.is_present =
            run_checker(arguments, coarray,
                        request.has_source_descriptor ? &request.source_descriptor : nullptr);
    } else {
        std::vector<std::byte> data(request.data_bytes);
        fetch(data.data(), pointer, sizeof request + add_data.size(), data.size());
        request.source_descriptor.base = data.data();
        run_receiver(arguments, coarray,
                     request.has_dest_descriptor ? &request.dest_descriptor : nullptr, data.data(),
                     request.has_source_descriptor ? &request.source_descriptor : nullptr,
                     request.has_dest_length ? &request.dest_length : nullptr,
                     request.has_source_length ? &request.source_length : nullptr);
        reply.dest_length = request.dest_length;
    }
    auto message = std::make_unique<Message>(sizeof reply);
    message->add(&reply, sizeof reply);
    return message;
}

}  // namespace

// Collective over all images.
CAF_ENTRY void _gfortran_caf_register_accessors_finish() {
    sort_accessors();
    ensure_initialized();
    start_service(execute);
    detail::at_component = start_service_thread;
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        if (shmem_ptr(service_base(), pe) == nullptr) return start_service_thread();
    }
}

Answer ask_owner(Request request, const void* add_data, const void* source, const Coarray& coarray,
                 int pe) {
    complete(pe);
    const std::size_t source_bytes = request.task == Task::kPut ? request.data_bytes : 0;
    request.coarray = static_cast<std::byte*>(coarray.base) - service_base();
    Message message(sizeof request + request.add_bytes + source_bytes);
    message.add(&request, sizeof request);
    message.add(add_data, request.add_bytes);
    message.add(source, source_bytes);
    const ServiceCall call(message, pe);
    Answer answer;
    call.fetch(&answer.reply, 0, sizeof answer.reply);
    answer.data.resize(answer.reply.data_bytes);
    call.fetch(answer.data.data(), sizeof answer.reply, answer.data.size());
    return answer;
}

}  // namespace tessera::caf

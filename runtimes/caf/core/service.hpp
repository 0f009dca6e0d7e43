// SPDX-License-Identifier: BSD-3-Clause
//
// Work that the image which owns some memory does for another one. Each image has a mailbox for one
// request. A caller locks it, leaves there a global pointer to the request in its own local memory,
// and waits for one to the reply. A thread of the owner fetches the request, does the work and
// replies.
//
// THREADS: start_service: the thread that starts the images; the others any.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace tessera::caf {

// A message in local memory of this image, which others fetch. ERRORS: without memory the program
// ends.
class Message {
  public:
    explicit Message(std::size_t bytes);
    ~Message();
    Message(const Message&) = delete;
    Message& operator=(const Message&) = delete;

    void add(const void* data, std::size_t bytes);
    // Room for data that the caller writes.
    std::byte* add_room(std::size_t bytes);
    std::uint64_t pointer() const;

  private:
    std::byte* base_;
    std::size_t filled_ = 0;
};

// Copies bytes of a message of any image, from a place in it.
void fetch(void* dest, std::uint64_t message, std::size_t from, std::size_t bytes);

// Does the work of a request. RETURNS: the reply.
using Handler = std::unique_ptr<Message> (*)(std::uint64_t request);

// Makes the mailboxes. Collective over all images; does nothing the second time.
void start_service(Handler handler);

// Starts this image's thread, unless it runs. REQUIRES: start_service().
void start_service_thread();

// The symmetric address of the mailbox, from which places in symmetric memory can count.
std::byte* service_base();

// Has the thread of the owner do the work of a request. The reply lives as long as this object.
class ServiceCall {
  public:
    // RETURNS when: the owner has replied. ERRORS: if the owner dies the program ends.
    ServiceCall(const Message& request, int pe);
    ~ServiceCall();
    ServiceCall(const ServiceCall&) = delete;
    ServiceCall& operator=(const ServiceCall&) = delete;

    void fetch(void* dest, std::size_t from, std::size_t bytes) const {
        caf::fetch(dest, reply_, from, bytes);
    }

  private:
    std::lock_guard<std::mutex> one_request_;
    int pe_;
    std::uint64_t reply_ = 0;
};

}  // namespace tessera::caf

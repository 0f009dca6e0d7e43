// SPDX-License-Identifier: BSD-3-Clause
//
// The state of each image, in symmetric memory: whether it runs, and how often it has executed sync
// images with each other one. Numbers here are those of PEs (initial team, from 0).
//
// An image that has stopped or failed stays as a silent host of its memory until all images have.

#pragma once

#include <cstdint>

namespace tessera::caf {

enum class ImageState : std::uint64_t { kRunning = 0, kStopped = 1, kFailed = 2 };

// Called by initialize(), collectively.
void make_image_state(int pe, int npes);

ImageState state_of_pe(int pe);

// kOk, kStoppedImage or kFailedImage: whether the image on `pe` has initiated termination or has
// executed fail image. Its memory is there in each case.
int status_of_pe(int pe);

// Publishes that this image has stopped or failed, and tells the images that wait for it in sync
// images.
void publish_state(ImageState state);

// sync images with `count` different PEs; the calling PE may be among them and is skipped.
// RETURNS when: each of them has called it with this PE as often as this one with it, or stopped or
// failed instead: kOk, kStoppedImage or kFailedImage.
int sync_with_pes(const int* pes, int count);

// Whether all other images have stopped or failed.
bool is_alone();

// This bit is set in the word of a wait that no other image can end any more.
inline constexpr std::uint64_t kNoImageLeft = std::uint64_t{1} << 62;

// How a wait for a count ends.
enum class Awaited : std::uint8_t {
    kReached,
    kTaken,  // It was reached, but another thread of this image has taken of it.
    kOver    // All other images have stopped or failed, or one has died of which no such wait has
             // told yet: it may be the one that was to increment the word.
};
// Waits until a word of this image, which other images increment, is at least `wanted`.
// THREADS: any; where several wait at once, all but one of them look again and again.
Awaited await_count(std::uint64_t* word, std::uint64_t wanted);

}  // namespace tessera::caf

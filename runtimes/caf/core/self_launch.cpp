// SPDX-License-Identifier: BSD-3-Clause
//
// The start without a launcher (self_launch.hpp). oshrun is looked for beside libtessera
// (<prefix>/lib and <prefix>/bin), then in PATH.

#include "core/self_launch.hpp"

#include <dlfcn.h>
#include <shmem.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace tessera::caf {
namespace {

constexpr const char* kVariable = "SHMEM_NUM_IMAGES";
constexpr long kImagesMax = 1'000'000;

// Variables that launchers give each process: PMIx, PMI-1 and PMI-2, Slurm's srun, Open MPI.
constexpr const char* kLauncherVariables[] = {"PMIX_RANK", "PMIX_NAMESPACE", "PMI_RANK", "PMI_FD",
                                              "OMPI_COMM_WORLD_RANK"};

bool has_launcher() {
    for (const char* name : kLauncherVariables) {
        if (std::getenv(name) != nullptr) return true;
    }
    return false;
}

long parse_images(const char* text) {
    char* end = nullptr;
    errno = 0;
    const long images = std::strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || images < 1 || images > kImagesMax) {
        std::fprintf(stderr, "%s=%s: give a number of images from 1 to %ld\n", kVariable, text,
                     kImagesMax);
        ::_exit(1);
    }
    return images;
}

// The arguments of this process. Constructors run before anything else knows them.
std::vector<std::string> read_command_line() {
    std::vector<std::string> words;
    std::FILE* file = std::fopen("/proc/self/cmdline", "re");
    if (file == nullptr) return words;
    std::string word;
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) {
        if (c != '\0') {
            word.push_back(static_cast<char>(c));
            continue;
        }
        words.push_back(word);
        word.clear();
    }
    std::fclose(file);
    return words;
}

std::string program_path() {
    char path[4096];
    const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path - 1);
    return length < 0 ? std::string() : std::string(path, static_cast<std::size_t>(length));
}

// oshrun of libtessera's installation; without it the one in PATH.
std::string oshrun_path() {
    Dl_info info{};
    if (::dladdr(reinterpret_cast<const void*>(&shmem_init_thread), &info) != 0) {
        std::string directory = info.dli_fname;
        // Up from lib, or from lib/x86_64-linux-gnu.
        for (int level = 0; level < 3; ++level) {
            const std::size_t slash = directory.rfind('/');
            directory = slash == std::string::npos ? "." : directory.substr(0, slash);
            const std::string candidate = directory + "/bin/oshrun";
            if (level > 0 && ::access(candidate.c_str(), X_OK) == 0) return candidate;
        }
    }
    return "oshrun";
}

}  // namespace

void launch_images_if_wanted() {
    const char* text = std::getenv(kVariable);
    if (text == nullptr) return;
    const long images = parse_images(text);
    // Images, and programs that they start, are not launched again.
    ::unsetenv(kVariable);
    if (images == 1 || has_launcher()) return;
    const std::string oshrun = oshrun_path();
    std::vector<std::string> words = {oshrun, "-n", std::to_string(images), program_path()};
    const std::vector<std::string> own = read_command_line();
    if (own.size() > 1) words.insert(words.end(), own.begin() + 1, own.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execvp(oshrun.c_str(), arguments.data());
    std::fprintf(stderr,
                 "%s=%ld: cannot run %s: %s. Add its folder to PATH, or start the program "
                 "with oshrun -n %ld\n",
                 kVariable, images, oshrun.c_str(), std::strerror(errno), images);
    ::_exit(1);
}

}  // namespace tessera::caf

// SPDX-License-Identifier: BSD-3-Clause
//
// A growing list of pmix_info_t with typed setters. PMIx copies the values of
// the entries, or the list keeps them for the life of the process: the server may read them later.
// Used by pmix_server.cpp.
#pragma once

#include <pmix.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace tessera::oshrun {

class InfoList {
  public:
    void add_text(const char* key, const std::string& text) {
        add(key).value.type = PMIX_STRING;
        infos_.back().value.data.string = ::strdup(text.c_str());
    }
    void add_number(const char* key, std::uint32_t number) {
        add(key).value.type = PMIX_UINT32;
        infos_.back().value.data.uint32 = number;
    }
    void add_short(const char* key, std::uint16_t number) {
        add(key).value.type = PMIX_UINT16;
        infos_.back().value.data.uint16 = number;
    }
    void add_rank(const char* key, pmix_rank_t rank) {
        add(key).value.type = PMIX_PROC_RANK;
        infos_.back().value.data.rank = rank;
    }
    void add_topology(const char* key, pmix_topology_t& topology) {
        add(key).value.type = PMIX_TOPO;
        infos_.back().value.data.topo = &topology;
    }

    // `generate` compresses `text`. Only PMIx knows how long the result is: it may contain nulls.
    void add_regex(const char* key, const std::string& text,
                   pmix_status_t (*generate)(const char*, char**)) {
        char* expression = nullptr;
        if (generate(text.c_str(), &expression) != PMIX_SUCCESS) return;
        PMIX_INFO_LOAD(&add(key), key, expression, PMIX_REGEX);
        std::free(expression);
    }

    // A list as one entry of this list.
    void add_list(const char* key, const InfoList& list) {
        auto* copies = static_cast<pmix_info_t*>(std::malloc(sizeof(pmix_info_t) * list.size()));
        std::memcpy(copies, list.infos_.data(), sizeof(pmix_info_t) * list.size());
        auto* array = static_cast<pmix_data_array_t*>(std::malloc(sizeof(pmix_data_array_t)));
        *array = {.type = PMIX_INFO, .size = list.size(), .array = copies};
        add(key).value.type = PMIX_DATA_ARRAY;
        infos_.back().value.data.darray = array;
    }

    pmix_info_t* data() { return infos_.data(); }
    std::size_t size() const { return infos_.size(); }

  private:
    pmix_info_t& add(const char* key) {
        pmix_info_t& info = infos_.emplace_back();
        std::memset(&info, 0, sizeof info);
        std::strncpy(info.key, key, sizeof info.key - 1);
        return info;
    }

    std::vector<pmix_info_t> infos_;
};

}  // namespace tessera::oshrun

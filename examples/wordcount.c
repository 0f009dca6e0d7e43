// SPDX-License-Identifier: BSD-3-Clause
//
// wordcount: the most frequent words of a text, counted by several processes together.
//
//     oshcc -O2 wordcount.c -o wordcount
//     oshrun -n 4 ./wordcount README.md
//
// If OpenSHMEM is new to you, read this file from top to bottom; it uses the ideas you need most.
//
//   * `oshrun -n 4` starts the same program four times. Each copy is a "processing element", a PE,
//     with a number from 0 to 3. PEs share no ordinary variables: malloc() gives private memory.
//   * Some memory is *symmetric*: it exists on every PE, and every PE may read and write the copy
//     of every other one. Static variables are symmetric, and so is what shmem_malloc() returns.
//     Remote memory is named by the address of one's own copy and the number of the other PE.
//   * Communication is one-sided. `shmem_getmem(here, there, bytes, pe)` fetches from that PE,
//     which does not have to do anything for it. `shmem_putmem` stores, and shmem_..._atomic_...
//     routines change a remote word in one indivisible step, so that no update gets lost.
//   * `shmem_barrier_all()` waits until all PEs are there and all their stores have arrived.
//
// The plan is one function per step, called in this order by main():
//
//   1. count_my_part   Every PE counts the words of its own part of the text, in private memory.
//   2. make_table      The PEs agree how large a shared hash table has to be, and allocate it. A
//                      word's hash decides which PE owns it, so every PE holds a part of the table.
//   3. send_letters    Every PE stores the letters of its words in the memory of their owners.
//   4. add_counts      Every PE enters its words into the owners' parts of the table: a remote
//                      compare-and-swap claims a free slot, an atomic addition adds the count.
//   5. sort_my_slots   Every PE sorts the words it owns, the most frequent ones first.
//   6. print_result    PE 0 merges the sorted lists and prints the requested words.
//
// A word is a run of the letters A-Z and a-z; upper and lower case are the same. So these are the
// counts of: tr -cs 'A-Za-z' '\n' < FILE | tr 'A-Z' 'a-z' | sort | uniq -c

#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <shmem.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// One word of this PE's part of the text.
struct word {
    const unsigned char* text;  // its first occurrence in the file
    size_t length;
    unsigned long hash;
    unsigned long count;
    unsigned long offset;  // where its letters are in the owner's `letters`; set in step 3
};

// One place of the shared table. `key` is 0 while the place is free. Otherwise it holds the offset
// of the letters and a piece of the hash: 64 bits that a single compare-and-swap can set.
struct slot {
    unsigned long key;
    unsigned long count;
    unsigned long length;  // set in step 5
};
enum { kOffsetBits = 40 };
static const unsigned long kOffsetMask = ((unsigned long)1 << kOffsetBits) - 1;

// Values that main() and the steps pass on to each other. These variables happen to be symmetric
// too, but every PE only ever uses its own copy.
static int me, pe_count;
static const unsigned char* text;
static size_t text_bytes;
static struct word* words;  // the words of my part
static size_t word_count;
static unsigned long slot_count;     // size of `slots`, the same on all PEs
static unsigned long letters_bytes;  // size of `letters`, the same on all PEs

// These are read and changed by other PEs.
static unsigned long incoming_words;     // how many words the PEs will send me ...
static unsigned long incoming_letters;   // ... and how many bytes these need
static unsigned long letters_used;       // how much of my `letters` has been handed out
static unsigned long owned_words;        // how many different words I own in the end ...
static unsigned long owned_occurrences;  // ... and how often these occur in the text
static int failures;                     // on PE 0: how many PEs have found an error
static struct slot* slots;               // symmetric memory: my part of the shared table
static char* letters;                    // symmetric memory: the words I own, each ended by '\0'

// Prints the error and ends the program on all PEs. If many PEs fail, only the first one prints.
static void fail(const char* format, ...) {
    if (shmem_int_atomic_fetch_inc(&failures, 0) == 0) {
        va_list arguments;
        va_start(arguments, format);
        fputs("wordcount: ", stderr);
        vfprintf(stderr, format, arguments);
        fputc('\n', stderr);
        va_end(arguments);
        shmem_global_exit(EXIT_FAILURE);
    }
    for (;;) pause();  // The other PE's shmem_global_exit ends this one as well.
}

// realloc() that does not fail. The memory is private.
static void* resize(void* memory, size_t count, size_t size) {
    memory = count <= SIZE_MAX / size ? realloc(memory, count * size) : NULL;
    if (memory == NULL) fail("PE %d has no memory for %zu times %zu bytes", me, count, size);
    return memory;
}

// Every PE maps the whole file, which costs nothing: only the pages a PE looks at are ever read.
static void open_text(const char* name) {
    struct stat status;
    int file = open(name, O_RDONLY);
    if (file < 0 || fstat(file, &status) != 0) fail("cannot open %s: %s", name, strerror(errno));
    if (!S_ISREG(status.st_mode)) fail("%s is not a regular file", name);
    text_bytes = (size_t)status.st_size;
    if (text_bytes > 0) {
        void* address = mmap(NULL, text_bytes, PROT_READ, MAP_PRIVATE, file, 0);
        if (address == MAP_FAILED) fail("cannot map %s: %s", name, strerror(errno));
        text = address;
    }
    close(file);
}

static int is_letter(unsigned char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static unsigned char lower_case(unsigned char letter) { return letter | ('a' - 'A'); }

// The FNV-1a hash of the word in lower case, stirred at the end so that all its bits are good.
static unsigned long hash_of(const unsigned char* word, size_t length) {
    unsigned long hash = 14695981039346656037ul;
    for (size_t i = 0; i < length; i++) hash = (hash ^ lower_case(word[i])) * 1099511628211ul;
    hash = (hash ^ (hash >> 32)) * 0x9e3779b97f4a7c15ul;
    return hash ^ (hash >> 29);
}

// The PE on which a word lives, and the place of that PE's table where the search for it begins.
static int owner_of(const struct word* word) { return (int)(word->hash % (unsigned long)pe_count); }

static unsigned long first_place_of(const struct word* word) {
    return word->hash / (unsigned long)pe_count % slot_count;
}

// Step 1: count the words of my part. `word_index` is a private hash table over `words`: a place
// of it holds 0 for "free", or 1 + the number of a word.
static size_t *word_index, word_index_size;

static void grow_index(void) {
    word_index_size = word_index_size > 0 ? 2 * word_index_size : 1024;
    word_index = resize(word_index, word_index_size, sizeof *word_index);
    words = resize(words, word_index_size / 2, sizeof *words);
    memset(word_index, 0, word_index_size * sizeof *word_index);
    for (size_t i = 0; i < word_count; i++) {
        size_t place = words[i].hash % word_index_size;
        while (word_index[place] != 0) place = (place + 1) % word_index_size;
        word_index[place] = i + 1;
    }
}

static int is_same_word(const struct word* a, const struct word* b) {
    if (a->hash != b->hash || a->length != b->length) return 0;
    size_t i = 0;
    while (i < a->length && lower_case(a->text[i]) == lower_case(b->text[i])) i++;
    return i == a->length;
}

static void count_word(const unsigned char* start, size_t length) {
    struct word word = {.text = start, .length = length, .hash = hash_of(start, length)};
    word.count = 1;
    if (2 * word_count >= word_index_size) grow_index();
    size_t place = word.hash % word_index_size;
    while (word_index[place] != 0) {
        struct word* known = &words[word_index[place] - 1];
        if (is_same_word(known, &word)) {
            known->count++;
            return;
        }
        place = (place + 1) % word_index_size;
    }
    words[word_count++] = word;
    word_index[place] = word_count;
}

// The owners in the order me, me + 1, ..., me - 1, so that not all PEs go to PE 0 at the same time.
static int compare_owners(const void* a, const void* b) {
    int left = owner_of(a) - me, right = owner_of(b) - me;
    if (left < 0) left += pe_count;
    if (right < 0) right += pe_count;
    return (left > right) - (left < right);
}

// The file is cut into equal parts, one per PE. A word that lies across a border belongs to the
// part where it begins: that PE reads on beyond its end, and the next one skips the rest.
static void count_my_part(void) {
    size_t pe = (size_t)me, share = text_bytes / (size_t)pe_count;
    size_t rest = text_bytes % (size_t)pe_count;
    size_t begin = share * pe + (pe < rest ? pe : rest);
    size_t end = begin + share + (pe < rest ? 1 : 0);
    size_t i = begin;
    if (begin > 0) {
        while (i < end && is_letter(text[i - 1]) && is_letter(text[i])) i++;
    }
    while (i < end) {
        size_t start = i;
        while (i < text_bytes && is_letter(text[i])) i++;
        if (i > start) count_word(text + start, i - start);
        i++;  // This character is not a letter.
    }
    free(word_index);
    // Bring the words of each owner together: the next two steps deal with one owner at a time.
    if (word_count > 0) qsort(words, word_count, sizeof *words, compare_owners);
}

// Returns the end of the run of words that begins with number `first` and has one owner, and adds
// up the bytes that their letters need, with a '\0' behind each word.
static size_t end_of_run(size_t first, unsigned long* bytes) {
    size_t i = first;
    *bytes = 0;
    for (; i < word_count && owner_of(&words[i]) == owner_of(&words[first]); i++)
        *bytes += words[i].length + 1;
    return i;
}

// Step 2: agree on the size of the table and allocate it. Every PE tells every owner how much will
// come, by atomic additions to the owner's counters. Two PEs may send the same word, so this is an
// upper limit, and the table can never overflow.
static void make_table(void) {
    unsigned long bytes;
    for (size_t first = 0, end; first < word_count; first = end) {
        int owner = owner_of(&words[first]);
        end = end_of_run(first, &bytes);
        shmem_ulong_atomic_add(&incoming_words, end - first, owner);
        shmem_ulong_atomic_add(&incoming_letters, bytes, owner);
    }
    shmem_barrier_all();  // Now all additions have arrived everywhere.

    // Symmetric memory has the same size on all PEs: every PE takes the largest of the sizes.
    unsigned long words_max = 1;
    letters_bytes = 1;
    for (int pe = 0; pe < pe_count; pe++) {
        unsigned long pe_words = shmem_ulong_g(&incoming_words, pe);
        unsigned long pe_letters = shmem_ulong_g(&incoming_letters, pe);
        if (pe_words > words_max) words_max = pe_words;
        if (pe_letters > letters_bytes) letters_bytes = pe_letters;
    }
    slot_count = 2 * words_max;  // A hash table is fast while at least half of it is free.
    if (letters_bytes > kOffsetMask) fail("too many words for %d PEs: use more PEs", pe_count);

    slots = shmem_calloc(slot_count, sizeof *slots);
    letters = shmem_malloc(letters_bytes);
    if (slots == NULL || letters == NULL) {
        fail(
            "the table needs %lu bytes of symmetric memory per PE, and there is less: use "
            "more PEs or set the environment variable SHMEM_SYMMETRIC_SIZE to a larger value",
            slot_count * sizeof *slots + letters_bytes);
    }
}

// Step 3: send the letters. For each owner, one atomic addition reserves room for all my words (it
// returns the old value, which is where my room begins), and one put stores them there.
static void send_letters(void) {
    unsigned long bytes;
    for (size_t first = 0, end; first < word_count; first = end) {
        int owner = owner_of(&words[first]);
        end = end_of_run(first, &bytes);
        char* packed = resize(NULL, bytes, 1);
        unsigned long begin = shmem_ulong_atomic_fetch_add(&letters_used, bytes, owner);
        char* next = packed;
        for (size_t i = first; i < end; i++) {
            words[i].offset = begin + (unsigned long)(next - packed);
            const unsigned char *source = words[i].text, *end_of_word = source + words[i].length;
            while (source < end_of_word) *next++ = (char)lower_case(*source++);
            *next++ = '\0';
        }
        shmem_putmem(letters + begin, packed, bytes, owner);
        free(packed);  // A put returns as soon as its source may be used again.
    }
    shmem_barrier_all();  // From here on, every PE can read the letters of every word.
}

// Do the letters at this offset of the owner's memory spell the word? `buffer` has room for it.
static int owner_has_word_at(unsigned long offset, const struct word* word, char* buffer) {
    if (word->length >= letters_bytes - offset) return 0;
    shmem_getmem(buffer, letters + offset, word->length + 1, owner_of(word));
    size_t i = 0;
    while (i < word->length && buffer[i] == (char)lower_case(word->text[i])) i++;
    return i == word->length && buffer[i] == '\0';
}

// Step 4: enter my words into their owners' tables and add my counts. The compare-and-swap stores
// `key` if the place is free (0) and returns what it found, all in one indivisible step. If several
// PEs enter the same word at the same time, one of them gets the place; the others find its key
// there and see by the letters that it is their word, too.
static void add_counts(void) {
    size_t length_max = 0;
    for (size_t i = 0; i < word_count; i++) {
        if (words[i].length > length_max) length_max = words[i].length;
    }
    char* buffer = resize(NULL, length_max + 1, 1);
    for (size_t i = 0; i < word_count; i++) {
        const struct word* word = &words[i];
        int owner = owner_of(word);
        unsigned long hash_piece = (word->hash >> kOffsetBits | 1) << kOffsetBits;  // never 0
        unsigned long key = hash_piece | word->offset;
        unsigned long place = first_place_of(word);
        for (;; place = (place + 1) % slot_count) {
            unsigned long found = shmem_ulong_atomic_compare_swap(&slots[place].key, 0, key, owner);
            if (found == 0) break;
            if ((found & ~kOffsetMask) == hash_piece &&
                owner_has_word_at(found & kOffsetMask, word, buffer)) {
                break;
            }
        }
        shmem_ulong_atomic_add(&slots[place].count, word->count, owner);
    }
    free(buffer);
    shmem_barrier_all();  // All counts are complete.
}

static const char* letters_of(const struct slot* slot) {
    return letters + (slot->key & kOffsetMask);
}

// The order of the result: the more frequent word first, equally frequent ones by the alphabet.
static int compare_slots(const void* a, const void* b) {
    const struct slot *left = a, *right = b;
    if (left->count != right->count) return left->count < right->count ? 1 : -1;
    return strcmp(letters_of(left), letters_of(right));
}

// Step 5: sort my part of the table. This is plain C: to its owner, symmetric memory is like any
// other memory.
static void sort_my_slots(void) {
    for (unsigned long place = 0; place < slot_count; place++) {
        if (slots[place].key == 0) continue;
        slots[owned_words] = slots[place];
        slots[owned_words].length = strlen(letters_of(&slots[place]));
        owned_occurrences += slots[owned_words].count;
        owned_words++;
    }
    qsort(slots, owned_words, sizeof *slots, compare_slots);
    shmem_barrier_all();  // PE 0 may now read the lists of all PEs.
}

// The first word of one PE's list that PE 0 has not printed yet.
struct list {
    unsigned long position, size;
    struct slot slot;
    char* word;
};

static void fetch_head(struct list* list, int pe) {
    if (list->position == list->size) return;
    shmem_getmem(&list->slot, &slots[list->position], sizeof list->slot, pe);
    list->word = resize(list->word, list->slot.length + 1, 1);
    shmem_getmem(list->word, letters_of(&list->slot), list->slot.length + 1, pe);
}

static int comes_before(const struct list* a, const struct list* b) {
    if (a->slot.count != b->slot.count) return a->slot.count > b->slot.count;
    return strcmp(a->word, b->word) < 0;
}

// Step 6: PE 0 merges the lists and prints the first `limit` words.
static void print_result(unsigned long limit, int is_plain, double seconds_at_start) {
    struct list* lists = resize(NULL, (size_t)pe_count, sizeof *lists);
    unsigned long distinct = 0, occurrences = 0;
    for (int pe = 0; pe < pe_count; pe++) {
        lists[pe] = (struct list){.size = shmem_ulong_g(&owned_words, pe)};
        distinct += lists[pe].size;
        occurrences += shmem_ulong_g(&owned_occurrences, pe);
        fetch_head(&lists[pe], pe);
    }
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec - seconds_at_start;

    if (!is_plain) printf("%12s  %s\n", "count", "word");
    for (unsigned long printed = 0; printed < limit && printed < distinct; printed++) {
        int best = -1;
        for (int pe = 0; pe < pe_count; pe++) {
            if (lists[pe].position == lists[pe].size) continue;
            if (best < 0 || comes_before(&lists[pe], &lists[best])) best = pe;
        }
        printf(is_plain ? "%lu %s\n" : "%12lu  %s\n", lists[best].slot.count, lists[best].word);
        lists[best].position++;
        fetch_head(&lists[best], best);
    }
    if (!is_plain) {
        printf("%lu words, %lu distinct, %d PE%s, %.4f s\n", occurrences, distinct, pe_count,
               pe_count == 1 ? "" : "s", seconds);
    }
    for (int pe = 0; pe < pe_count; pe++) free(lists[pe].word);
    free(lists);
}

int main(int argc, char** argv) {
    shmem_init();
    me = shmem_my_pe();
    pe_count = shmem_n_pes();

    unsigned long limit = 10;
    int is_plain = 0, option;
    opterr = 0;
    while ((option = getopt(argc, argv, "ak:")) != -1) {
        if (option == 'a') {
            is_plain = 1;
            limit = ULONG_MAX;
        } else if (option == 'k' && optarg[0] >= '0' && optarg[0] <= '9') {
            limit = strtoul(optarg, NULL, 10);
        } else {
            optind = argc;  // Leads to the message below.
        }
    }
    if (argc - optind != 1) {
        fail(
            "usage: wordcount [-k NUMBER | -a] FILE\n"
            "  -k NUMBER  print this many of the most frequent words (default 10)\n"
            "  -a         print all of them, as \"COUNT WORD\" and nothing else");
    }

    struct timespec start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    open_text(argv[optind]);
    count_my_part();
    make_table();
    send_letters();
    add_counts();
    sort_my_slots();
    if (me == 0) print_result(limit, is_plain, (double)start.tv_sec + 1e-9 * (double)start.tv_nsec);

    free(words);
    shmem_free(letters);  // Waits for all PEs, so PE 0 can read to the end.
    shmem_free(slots);
    shmem_finalize();
    return 0;
}

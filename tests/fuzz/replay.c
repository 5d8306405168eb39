/* SPDX-License-Identifier: MIT
 * Feeds the files of a corpus, each of them cut short, and each changed, to a fuzz target:
 * what libFuzzer's own main would do with them, for compilers that lack it.  The changes are
 * the same in every run: FUZZ_CHANGES of each file (default 4), FUZZ_CUTS (default 32, or the
 * target's fuzz_cuts).  Then, for FUZZ_SECONDS of the processor's time (default 0), files of the
 * corpus with one to four changes of their structure, as FUZZ_SEED (default 1) has them. */
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support/structure.h"

enum { LONGEST = 1 << 20, MANY = 4096, SLOW_SECONDS = 300 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern const char fuzz_replay;
const char fuzz_replay = 1;
/* Of targets whose runs take long. */
__attribute__((weak)) extern const size_t fuzz_cuts;
/* Of targets with a file in mutate/. */
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                                                     unsigned seed);

/* Anew for each file, so that a file is changed alike on every machine. */
static struct dice dice = { 1 };

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
    size_t at = size > 0 ? dice_roll(&dice, size) : 0;

    switch (dice_roll(&dice, 4)) {
    case 0:
        if (size < most) {
            memmove(data + at + 1, data + at, size - at);
            data[at] = (uint8_t)dice_roll(&dice, 256);
            return size + 1;
        }
        return size;
    case 1:
        if (size > 1)
            memmove(data + at, data + at + 1, --size - at);
        return size;
    default:
        if (size > 0)
            data[at] ^= (uint8_t)(1 << dice_roll(&dice, 8));
        return size;
    }
}

/* A copy of its own size, so that a sanitiser sees a read behind the end. */
static void feed(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);

    for (size_t i = 0; i < size; i++)
        copy[i] = data[i];
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static size_t number(const char *name, size_t usual)
{
    const char *value = getenv(name);

    return value != NULL ? strtoul(value, NULL, 10) : usual;
}

static void feed_changed(const uint8_t *data, size_t size)
{
    static uint8_t changed[LONGEST];

    for (size_t i = 0; i < number("FUZZ_CHANGES", 4); i++) {
        size_t most = size + 4096 < LONGEST ? size + 4096 : LONGEST, n;

        memcpy(changed, data, size);
        n = LLVMFuzzerCustomMutator != NULL ?
                LLVMFuzzerCustomMutator(changed, size, most, (unsigned)i) :
                LLVMFuzzerMutate(changed, size, most);
        feed(changed, n);
    }
}

/* ---- changes for some seconds ---- */

/* The files of the corpus. */
static struct bytes seed[MANY];
static size_t n_seeds;

/* The one that is fed now, for whoever looks for it: the same seed makes it again. */
static size_t fed;

static char which[64];

/* Of what a handler of signals may call. */
static void say_which(void)
{
    if (write(STDERR_FILENO, which, strlen(which)) < 0)
        _exit(1);
}

static void too_slow(int signal)
{
    static const char said[] = "one changed input took too long\n";

    (void)signal;
    if (write(STDERR_FILENO, said, sizeof said - 1) > 0)
        say_which();
    _exit(1);
}

/* Sanitisers call it before they end the process. */
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));

/* An input that asks for more is refused its memory, as on a small machine. */
const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
    return "max_allocation_size_mb=1024";
}

static void keep_seed(const uint8_t *data, size_t size)
{
    uint8_t *copy = n_seeds < MANY ? malloc(size + 1) : NULL;

    if (copy == NULL)
        return;
    memcpy(copy, data, size);
    seed[n_seeds++] = (struct bytes){ copy, size, size };
}

/* A file with one to four changes; every other time the first is the target's own. */
static struct bytes changed_seed(void)
{
    static uint8_t changed[LONGEST];
    struct bytes from = seed[dice_roll(&dice, n_seeds)], other = seed[dice_roll(&dice, n_seeds)];
    struct bytes b = { changed, from.size, LONGEST };
    size_t changes = 1 + dice_roll(&dice, 4);

    memcpy(changed, from.data, from.size);
    if (LLVMFuzzerCustomMutator != NULL && dice_roll(&dice, 2) == 0) {
        size_t most = b.size + 4096 < LONGEST ? b.size + 4096 : LONGEST;

        b.size = LLVMFuzzerCustomMutator(changed, b.size, most, (unsigned)fed);
    }
    while (changes-- > 0)
        structure_change(&b, other, &dice);
    return b;
}

static void feed_for(size_t seconds)
{
    clock_t end = clock() + (clock_t)seconds * CLOCKS_PER_SEC;

    if (&__sanitizer_set_death_callback != NULL)
        __sanitizer_set_death_callback(say_which);
    signal(SIGALRM, too_slow);
    dice = dice_of((unsigned)number("FUZZ_SEED", 1));
    while (n_seeds > 0 && clock() < end) {
        struct bytes b = changed_seed();

        fed++;
        snprintf(which, sizeof which, "changed input %zu of FUZZ_SEED=%zu\n", fed,
                 number("FUZZ_SEED", 1));
        alarm(SLOW_SECONDS);
        feed(b.data, b.size);
    }
    alarm(0);
    printf("%zu changed inputs\n", fed);
    while (n_seeds > 0)
        free(seed[--n_seeds].data);
}

/* ---- the corpus ---- */

static int replay(const char *path)
{
    static uint8_t data[LONGEST];
    FILE *f = fopen(path, "rb");
    size_t n, cuts = number("FUZZ_CUTS", &fuzz_cuts != NULL ? fuzz_cuts : 32);

    if (f == NULL)
        return 0;
    n = fread(data, 1, sizeof data, f);
    fclose(f);
    if (number("FUZZ_SECONDS", 0) > 0)
        keep_seed(data, n);
    feed(data, n);
    for (size_t cut = 1; cut < cuts && cut < n; cut++)
        feed(data, n * cut / cuts);
    dice = (struct dice){ 1 };
    feed_changed(data, n);
    return 1;
}

static int in_order(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int replay_folder(const char *folder)
{
    struct dirent **entry;
    int n_entries = scandir(folder, &entry, NULL, in_order), n = 0;

    for (int i = 0; i < n_entries; i++) {
        char path[4096];

        snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        if (entry[i]->d_name[0] != '.')
            n += replay(path);
        free(entry[i]);
    }
    if (n_entries >= 0)
        free(entry);
    return n;
}

int main(int argc, char **argv)
{
    int n = 0;

    for (int i = 1; i < argc; i++)
        n += replay_folder(argv[i]);
    printf("%d inputs\n", n);
    if (number("FUZZ_SECONDS", 0) > 0)
        feed_for(number("FUZZ_SECONDS", 0));
    return n > 0 ? 0 : 1;       /* an empty corpus proves nothing */
}

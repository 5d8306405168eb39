/* SPDX-License-Identifier: MIT
 * Opening a model and its tokeniser where memory ends at any allocation: the handler of
 * the arena hears of it, or an error is returned; what was open is released by then. */
#include "check.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "text/tok.h"

/* Sanitizers have an allocator of their own. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ || !defined __GLIBC__
#define DENIES 0
#else
#define DENIES 1
#endif

static struct {
    bool counts;
    long left;                  /* allocations that are granted */
    long open;                  /* granted and not freed */
} memory;

#if DENIES
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void __libc_free(void *p);

static bool granted(void)
{
    if (!memory.counts)
        return true;
    if (memory.left == 0)
        return false;
    memory.left--;
    memory.open++;
    return true;
}

/* These stand before the C library's, for all that is linked. */
void *malloc(size_t size)
{
    return granted() ? __libc_malloc(size) : NULL;
}

void *calloc(size_t n, size_t size)
{
    return granted() ? __libc_calloc(n, size) : NULL;
}

void *realloc(void *p, size_t size)
{
    if (p == NULL)
        return malloc(size);
    return !memory.counts || memory.left > 0 ? __libc_realloc(p, size) : NULL;
}

void free(void *p)
{
    if (memory.counts && p != NULL)
        memory.open--;
    __libc_free(p);
}
#endif

static void leave(void *self, size_t size_bytes)
{
    (void)size_bytes;
    longjmp(*(jmp_buf *)self, 1);
}

enum outcome { OPENED, RETURNED, LEFT };

/* All that is allocated is the arena's, and goes with it, whichever way it ends. */
static enum outcome open_one(const char *path, bool tokeniser)
{
    struct err e = { ERR_NONE, "" };
    struct model *volatile m = NULL;
    struct tok *volatile tok = NULL;
    enum outcome outcome;
    struct arena a;
    jmp_buf border;

    arena_init(&a, leave, &border);
    if (setjmp(border) != 0) {
        arena_finish(&a);
        return LEFT;
    }
    if (tokeniser)
        tok = tok_open(&a, path, &e);
    else
        m = model_open(&a, path, &e);
    outcome = tok != NULL || m != NULL ? OPENED : RETURNED;
    if (outcome == RETURNED)
        assert_int_equal(e.kind, ERR_SYSTEM);
    tok_close(tok);
    model_close(m);
    arena_finish(&a);
    return outcome;
}

/* Denies the last of n allocations and all after it, for each n until all are granted. */
static void deny_each(const char *path, bool tokeniser)
{
    long n = 0, step = 1;
    enum outcome outcome;

    if (open_one(path, tokeniser) != OPENED)
        fail_msg("%s cannot be opened", path);
    do {
        memory.left = n;
        memory.open = 0;
        memory.counts = true;
        outcome = open_one(path, tokeniser);
        memory.counts = false;
        if (memory.open != 0)
            fail_msg("%s: %ld allocations: %ld are still open", path, n, memory.open);
        if (n > 2000)           /* the long stretches where pieces are added one by one */
            step = 97;
        n += step;
    } while (outcome != OPENED);
    assert_true(n > 3);
}

static void models(void **state)
{
    static const char *const paths[] = {
        "tests/ref/bert", "tests/ref/gpt2", "tests/ref/gguf_llama/model.gguf",
    };

    (void)state;
    if (!DENIES)
        skip();
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        deny_each(paths[i], false);
}

static void tokenisers(void **state)
{
    static const char *const paths[] = {
        "bert_bare", "bytes_bpe", "gpt2_bare", "roberta_bare", "t5_model", "wordpiece",
    };
    char path[64];

    (void)state;
    if (!DENIES)
        skip();
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        snprintf(path, sizeof path, "tests/ref/tokenizers/%s", paths[i]);
        deny_each(path, true);
    }
    deny_each("tests/ref/gguf_llama/model.gguf", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(models),
                                        cmocka_unit_test(tokenisers) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

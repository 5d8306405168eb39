/* SPDX-License-Identifier: MIT
 * Opening a model and its tokeniser where memory ends at any allocation: the handler of
 * the arena hears of it, or an error is returned; what was open is released by then. */
#include "denied.h"

#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "text/tok.h"

static void leave(void *self, size_t size_bytes)
{
    (void)size_bytes;
    longjmp(*(jmp_buf *)self, 1);
}

struct opening {
    const char *path;
    bool tokeniser;
};

/* All that is allocated is the arena's, and goes with it, whichever way it ends. */
static enum outcome open_one(void *self)
{
    const struct opening *opening = self;
    struct err e = { ERR_NONE, "" };
    struct model *volatile m = NULL;
    struct tok *volatile tok = NULL;
    bool opened;
    struct arena a;
    jmp_buf border;

    arena_init(&a, leave, &border);
    if (setjmp(border) != 0) {
        arena_finish(&a);
        return REFUSED;
    }
    if (opening->tokeniser)
        tok = tok_open(&a, opening->path, &e);
    else
        m = model_open(&a, opening->path, &e);
    opened = tok != NULL || m != NULL;
    tok_close(tok);
    model_close(m);
    arena_finish(&a);
    return opened ? WORKED : e.kind == ERR_SYSTEM ? REFUSED : WRONG;
}

static void deny(const char *path, bool tokeniser)
{
    struct opening opening = { path, tokeniser };

    assert_true(deny_each(path, open_one, &opening, 2000) > 3);
}

static void models(void **state)
{
    static const char *const paths[] = {
        "tests/ref/bert", "tests/ref/gpt2", "tests/ref/gguf_llama/model.gguf",
    };

    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        deny(paths[i], false);
}

static void tokenisers(void **state)
{
    static const char *const paths[] = {
        "bert_bare", "bytes_bpe", "gpt2_bare", "roberta_bare", "t5_model", "wordpiece",
    };
    char path[64];

    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        snprintf(path, sizeof path, "tests/ref/tokenizers/%s", paths[i]);
        deny(path, true);
    }
    deny("tests/ref/gguf_llama/model.gguf", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(models),
                                        cmocka_unit_test(tokenisers) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

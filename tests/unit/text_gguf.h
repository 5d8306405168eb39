/* SPDX-License-Identifier: MIT
 * Keys of a GGUF's tokeniser, one after the other, and what comes of them. */
#ifndef TEXT_GGUF_H
#define TEXT_GGUF_H

#include "check.h"

#include "text/gguf_tok.h"
#include "text/tok.h"
#include "unit/gguf_bytes.h"
#include "unit/weights_files.h"

static struct arena arena;
static struct bytes b;
static int n_keys;
static char *dir;

static inline void begin(const char *model)
{
    put_head(&b, 3, 0, 0);
    put_key_string(&b, "tokenizer.ggml.model", model);
    n_keys = 1;
}

static inline void text(const char *key, const char *v)
{
    put_key_string(&b, key, v);
    n_keys++;
}

static inline void number(const char *key, uint32_t v)
{
    put_key_u32(&b, key, v);
    n_keys++;
}

static inline void flag(const char *key, bool v)
{
    put_key(&b, key, GGUF_BOOL);
    put(&b, &(unsigned char){ v }, 1);
    n_keys++;
}

static inline void list(const char *key, const char *const *v, int n)
{
    put_array(&b, key, GGUF_STRING, (uint64_t)n);
    for (int i = 0; i < n; i++)
        put_string(&b, v[i]);
    n_keys++;
}

static inline void types(const int *v, int n)
{
    put_array(&b, "tokenizer.ggml.token_type", GGUF_I32, (uint64_t)n);
    for (int i = 0; i < n; i++)
        put_u32(&b, (uint32_t)v[i]);
    n_keys++;
}

static struct tok *open_b(struct err *e)
{
    const char *path = file_join(&arena, dir, "t.gguf");

    bytes_put(b.v + 16, (uint64_t)n_keys, 8);
    write_file(path, (struct span){ b.v, b.n });
    return tok_open(&arena, path, e);
}

static inline void refused(const char *want)
{
    struct err e = { ERR_NONE, "" };

    assert_null(open_b(&e));
    assert_int_equal(e.kind, ERR_INPUT);
    if (strstr(e.msg, "t.gguf: ") == NULL || strstr(e.msg, want) == NULL)
        fail_msg("\"%s\", expected \"%s\"", e.msg, want);
}

/* want: pieces with blanks between. */
static inline void gives(const char *in, const char *want)
{
    struct err e = { ERR_NONE, "" };
    struct tok *t = open_b(&e);
    struct tok_input input = { .text = in, .text_size = strlen(in) };
    struct tokens out;
    char *got = arena_strdup(&arena, "");

    if (t == NULL || tok_encode(t, &arena, &input, &out, &e) != 0)
        fail_msg("%s", e.msg);
    for (int i = 0; i < out.n; i++)
        got = arena_printf(&arena, "%s%s%s", got, i > 0 ? " " : "", out.piece[i]);
    assert_string_equal(got, want);
    tok_close(t);
}

static inline void floats(const char *key, const float *v, int n)
{
    put_array(&b, key, GGUF_F32, (uint64_t)n);
    put_numbers(&b, v, (size_t)n, sizeof *v);
    n_keys++;
}

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    dir = new_dir(&arena);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    drop_dir(&arena, dir);
    arena_finish(&arena);
    return 0;
}

#endif

/* SPDX-License-Identifier: MIT
 * Any bytes as a text for the small tokenisers: the first byte says which one and
 * how; spans lie inside of the text, in bytes and characters alike.  A token is found by
 * the text that it stands for. */
#include "fuzz.h"

#include <string.h>

#include "base/utf8.h"
#include "session/shown/place.h"
#include "text/tok.h"

static const char *const names[] = {
    "wordpiece", "gpt2", "llama3", "roberta", "bert_bare", "gpt2_bare", "roberta_bare"
};

enum { N = sizeof names / sizeof names[0] };

static const struct tok *fixture(int i)
{
    static struct arena arena;
    static struct tok *tok[N];
    struct err e = { 0 };

    if (tok[i] == NULL) {
        if (arena.full == NULL)
            arena_init(&arena, NULL, NULL);
        tok[i] = tok_open(&arena, file_join(&arena, "tests/ref/tokenizers", names[i]),
                          &e);
    }
    assert(tok[i] != NULL);
    return tok[i];
}

static void check(const struct tokens *out, const char *s, size_t n)
{
    for (int i = 0; i < out->n; i++) {
        struct range b = out->bytes[i], c = out->chars[i];
        int cp, chars = 0;

        assert(0 <= b.start && b.start <= b.end && (size_t)b.end <= n);
        for (int at = b.start; at < b.end; chars++)
            at += utf8_decode(s + at, n - (size_t)at, &cp);
        assert(chars == c.end - c.start);
    }
}

/* By any name, and by that of a token: what it stands for, without blanks. */
static void check_place(struct arena *a, const struct tokens *t, const char *text, size_t n)
{
    struct place place;
    struct err e = { 0 };

    if (place_parse(&place, "--at", arena_strndup(a, text, n), &e) == 0)
        assert(place_find(&place, "--at", t, text, &e) < t->n);
    for (int i = 0; i < t->n && i < 8; i++) {
        const char *name = t->label[i];
        size_t size = strnlen(name, t->label_size[i]), blanks = strspn(name, " ");

        if (size < t->label_size[i] || blanks >= size || memchr(name, '#', size) != NULL)
            continue;
        name = arena_printf(a, "=%.*s", (int)(size - blanks), name + blanks);
        assert(place_parse(&place, "--at", name, &e) == 0);
        assert(place_find(&place, "--at", t, text, &e) >= 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tok_input in = { .text = (const char *)data + 1, .text_size = size - 1 };
    struct tokens out;
    struct arena a;
    struct err e = { 0 };
    jmp_buf no_memory;

    if (size == 0)
        return 0;
    in.pretokenized = data[0] & 0x40;
    in.no_special = data[0] & 0x80;
    arena_init(&a, fuzz_full, &no_memory);
    if (setjmp(no_memory) == 0) {
        if (tok_encode(fixture((data[0] & 0x3f) % N), &a, &in, &out, &e) == 0) {
            check(&out, in.text, in.text_size);
            check_place(&a, &out, in.text, in.text_size);
        } else {
            assert(e.kind == ERR_INPUT && e.msg[0] != '\0');
        }
    }
    arena_finish(&a);
    return 0;
}

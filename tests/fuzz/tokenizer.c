/* SPDX-License-Identifier: MIT
 * Any bytes as a tokenizer.json: refused with a message, or the tokeniser makes
 * tokens of a text with something of everything, or says why not. */
#include "fuzz.h"

#include <string.h>

#include "text/tok.h"

static void check(const struct tokens *out, const struct tok *t, int size)
{
    for (int i = 0; i < out->n; i++) {
        assert(tok_piece(t, out->id[i]) == out->piece[i]);
        assert(0 <= out->bytes[i].start && out->bytes[i].start <= out->bytes[i].end);
        assert(out->chars[i].start <= out->chars[i].end && out->bytes[i].end <= size);
        assert(out->label[i][out->label_size[i]] == '\0');
    }
}

static void use(const struct tok *t, struct arena *a)
{
    static const char text[] = "The cat's 12,345 naïve I\u0307 e\u0301\u0323 我喜欢 가 \t\n "
                               "<s>[MASK] a\0b ½\u2028 ab ##a ĠĊ";
    struct tok_input in = { .text = text, .text_size = sizeof text - 1 };
    const int ids[] = { -1, 0, 1, 1 << 30 };
    struct tokens out;
    struct err e = { 0 };

    if (tok_encode(t, a, &in, &out, &e) == 0)
        check(&out, t, sizeof text - 1);
    else
        assert(e.kind == ERR_INPUT && e.msg[0] != '\0');
    in.pair = "a b";
    in.pair_size = 3;
    in.no_special = true;
    if (tok_encode(t, a, &in, &out, &e) == 0)
        check(&out, t, sizeof text - 1);
    tok_describe(t, a, ids, NULL, 4, &out);
    assert(tok_vocab_size(t) >= 0 && out.n == 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct err e = { 0 };
    jmp_buf out;

    arena_init(&a, fuzz_full, &out);
    if (setjmp(out) == 0) {
        struct tok *t = tok_open_memory(&a, (struct span){ data, size }, "f", &e);

        if (t != NULL)
            use(t, &a);
        else
            assert(e.kind == ERR_INPUT && strncmp(e.msg, "f: ", 3) == 0);
        tok_close(t);
    }
    arena_finish(&a);
    return 0;
}

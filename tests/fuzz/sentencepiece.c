/* SPDX-License-Identifier: MIT
 * Any bytes as a SentencePiece model: refused with a message, or it makes tokens
 * of a text whose spans lie inside of it. */
#include "fuzz.h"

#include "text/tok.h"

static void use(const struct tok *t, struct arena *a)
{
    static const char text[] = "  The cat's 12  na\xc3\xafve e\xcc\x81 \xe6\x88\x91 \t\n "
                               "<s> <0x41> \xe2\x96\x81 a\0b ";
    struct tok_input in = { .text = text, .text_size = sizeof text - 1 };
    struct tokens out;
    struct err e = { 0 };

    if (tok_encode(t, a, &in, &out, &e) != 0) {
        assert(e.kind == ERR_INPUT && e.msg[0] != '\0');
        return;
    }
    for (int i = 0; i < out.n; i++) {
        assert(tok_piece(t, out.id[i]) == out.piece[i]);
        assert(0 <= out.bytes[i].start && out.bytes[i].start <= out.bytes[i].end);
        assert(out.bytes[i].end <= (int)sizeof text - 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct err e = { 0 };
    jmp_buf out;

    arena_init(&a, fuzz_full, &out);
    if (setjmp(out) == 0) {
        struct tok *t = tok_open_sentencepiece(&a, (struct span){ data, size }, "f", &e);

        if (t != NULL)
            use(t, &a);
        else
            assert(e.kind == ERR_INPUT && e.msg[0] != '\0');
        tok_close(t);
    }
    arena_finish(&a);
    return 0;
}

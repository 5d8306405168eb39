/* SPDX-License-Identifier: MIT
 * A text, a NUL, then any bytes as a precompiled character map: refused, or the
 * text is rewritten, in both ways, to UTF-8 that stands for bytes of the text. */
#include "fuzz.h"

#include <string.h>

#include "base/utf8.h"
#include "text/tok_priv.h"

static void try_map(struct arena *a, const char *s, size_t n, struct span map,
                    bool longest)
{
    struct tok t = { .a = a, .name = "f" };
    struct work w = { .t = &t, .a = a, .limit = 64 * (n + 64) };
    struct fragment part = { s, n, NULL, 0, -1 };
    struct err e = { 0 };
    const struct charsmap *m = charsmap_read(&t, map, longest, &e);

    fragment_add(&w, &w.parts, part);
    if (m == NULL || charsmap_run(m, &w, &e) != 0) {
        assert(e.kind == ERR_INPUT && e.msg[0] != '\0');
        return;
    }
    part = w.parts.v[0];
    assert(utf8_check(part.s, part.n) == part.n);
    for (size_t i = 0; i < part.n && !w.too_large; i++) {
        struct range r = fragment_span(&part, i, i + 1);

        assert(0 <= r.start && r.start <= r.end && (size_t)r.end <= n);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size > 0 ? memchr(data, 0, size) : NULL;
    size_t n = end != NULL ? (size_t)(end - data) : 0;
    struct arena a;
    jmp_buf out;

    if (end == NULL || utf8_check((const char *)data, n) < n)
        return 0;
    arena_init(&a, fuzz_full, &out);
    if (setjmp(out) == 0) {
        struct span map = { end + 1, size - n - 1 };

        try_map(&a, (const char *)data, n, map, false);
        try_map(&a, (const char *)data, n, map, true);
    }
    arena_finish(&a);
    return 0;
}

/* SPDX-License-Identifier: MIT
 * Any bytes as the stream of --hidden-in, whose checksums are mended: refused with a message, or
 * texts that are whole. */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "session/source/stream.h"

enum { MAGIC = 24 };

/* Block after block, as far as their sizes hold. */
static unsigned char *mended(struct arena *a, const uint8_t *data, size_t size)
{
    unsigned char *bytes = arena_alloc(a, size, 1);
    size_t at = MAGIC;

    memcpy(bytes, data, size);
    while (at <= size && size - at >= 20) {
        uint64_t n = bytes_get(bytes + at, 8), more;
        size_t block = at;

        if (n > size - at - 20)
            break;
        at += 8 + (size_t)n;
        more = bytes_get(bytes + at, 8);
        if (more > size - at - 12)
            break;
        at += 8 + (size_t)more;
        bytes_put(bytes + at, crc32_z(0, bytes + block, at - block), 4);
        at += 4;
    }
    return bytes;
}

static void look(const struct stream *s, const struct item *item)
{
    const struct tokens *t = &item->tokens;
    double sum = 0;

    assert(t->n > 0 && item->index >= 0 && item->part >= 0);
    for (int i = 0; i < s->n_streams; i++)
        for (int64_t k = 0; k < (int64_t)t->n * s->width; k++)
            sum += item->x[i][k] > 0;
    for (int i = 0; i < t->n; i++) {
        assert(t->id[i] >= 0 && t->type[i] >= 0 && t->special[i] <= 1);
        assert(t->word == NULL || t->word[i] >= -1);
        assert(t->label[i][t->label_size[i]] == '\0');
        sum += item->global != NULL && item->global[i];
    }
    assert(sum >= 0);
}

static int read_all(struct arena *a, FILE *f, struct err *e)
{
    struct stream s = { .file = f, .name = "f" };
    struct arena_mark mark;
    int status;

    if (stream_read_head(a, &s, e) != 0)
        return -1;
    assert(json_is_object(s.run) && s.layer > 0 && s.width > 0);
    mark = arena_mark(a);
    do {
        struct item item = { .text = "" };
        struct stream_end end = { .n = -1 };

        status = stream_next(&s, a, &item, &end, e);
        if (status == 1)
            look(&s, &item);
        assert(status != 0 || (end.n >= 0 && end.n_bad >= 0));
        arena_reset(a, mark);
    } while (status == 1);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct err e = { 0 };
    FILE *volatile f = NULL;
    jmp_buf out;

    if (size == 0)
        return 0;
    arena_init(&a, fuzz_full, &out);
    if (setjmp(out) == 0) {
        f = fmemopen(mended(&a, data, size), size, "rb");
        if (f != NULL && read_all(&a, f, &e) != 0)
            assert(e.kind == ERR_INPUT);
    }
    if (f != NULL)
        fclose(f);
    arena_finish(&a);
    return 0;
}

/* SPDX-License-Identifier: MIT
 * Files of layers written as text, and what is read of them. */
#ifndef UNIT_LAYER_FILES_H
#define UNIT_LAYER_FILES_H

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "model/layer.h"
#include "weights/safetensors.h"

static struct arena arena;

static inline int begin(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

/* ---- files as text: "NAME ROWSxCOLUMNS", then a letter where they are not all zeros ---- */

/* i: whole numbers; h: halves; t: triangular; u: but for one number; n: NaN; f: infinite. */
static inline float value_of(char kind, int64_t i, int64_t columns)
{
    int64_t row = i / columns, column = i % columns;

    switch (kind) {
    case 't': return column <= row;
    case 'u': return column <= row && i != 2 * columns;
    case 'n': return i == 1 ? NAN : 0;
    case 'f': return i == 1 ? INFINITY : 0;
    default:  return 0;
    }
}

static inline struct tensor tensor_of(const char *name, const char *shape)
{
    struct tensor t = { .name = name, .dtype = DTYPE_F32, .n_elements = 1 };
    char *end = (char *)(uintptr_t)shape;
    int64_t columns;
    float *data;

    do
        t.n_elements *= t.shape[t.n_dims++] = strtol(end + (*end == 'x'), &end, 10);
    while (*end == 'x');
    columns = t.shape[t.n_dims - 1] > 0 ? t.shape[t.n_dims - 1] : 1;
    data = arena_alloc(&arena, (size_t)t.n_elements + 1, sizeof *data);
    for (int64_t i = 0; i < t.n_elements; i++)      /* in the file's order */
        bytes_copy((unsigned char *)&data[i], &(float){ value_of(*end, i, columns) }, 1,
                   sizeof *data);
    t.dtype = *end == 'i' ? DTYPE_I32 : *end == 'h' ? DTYPE_F16 : DTYPE_F32;
    t.data = (unsigned char *)data;
    return t;
}

static inline struct weights *file_of(const char *text, const struct note *note)
{
    struct tensor t[128];
    char *all = arena_strdup(&arena, text), *bytes = NULL, *save, *kept;
    size_t size;
    FILE *f = open_memstream(&bytes, &size);
    struct err e = { ERR_NONE, "" };
    struct weights *w;
    int n = 0;

    for (char *name = strtok_r(all, " ", &save); name != NULL; name = strtok_r(NULL, " ", &save))
        t[n++] = tensor_of(name, strtok_r(NULL, " ", &save));
    assert_int_equal(safetensors_begin(f, t, n, note, note != NULL, &e), 0);
    for (int i = 0; i < n; i++)
        fwrite(t[i].data, (size_t)dtype_table[t[i].dtype].size_bytes, (size_t)t[i].n_elements, f);
    fclose(f);
    kept = arena_alloc(&arena, size, 1);
    memcpy(kept, bytes, size);
    w = weights_open_memory(&arena, (struct span){ (unsigned char *)kept, size }, "file", &e);
    if (w == NULL)
        fail_msg("%s", e.msg);
    free(bytes);
    return w;
}

struct row {
    const char *file;
    struct layer_asked asked;
    const char *want;               /* a piece of the message, or the whole description */
    struct note note;               /* its key NULL: none */
};

/* "encoder layer 2/2 heads of 2, 2: 1 layer, 4 -> 4, note"; or the message. */
static inline const char *describe(const struct row *r, bool *taken)
{
    struct err e = { ERR_NONE, "" };
    struct weights *w = file_of(r->file, r->note.key != NULL ? &r->note : NULL);
    const struct family *f;
    const char *note = NULL;
    struct config c;

    *taken = layer_describe(&c, &f, &arena, w, "file", &r->asked, &note, &e) == 0;
    if (!*taken)
        return arena_strdup(&arena, e.msg);
    return arena_printf(&arena, "%s%s %d/%d heads of %d, %d: %d layer%s, width %d%s%s", f->name,
                        f->causal ? " causal" : "", c.n_heads, c.n_kv_heads, c.d_head, c.d_value,
                        c.n_layers, c.n_layers == 1 ? "" : "s", c.d_model,
                        note != NULL ? "; " : "", note != NULL ? note : "");
}

static inline void check_rows(const struct row *rows, size_t n, bool good)
{
    for (size_t i = 0; i < n; i++) {
        bool taken;
        const char *got = describe(&rows[i], &taken);

        if (taken != good || (good ? strcmp(got, rows[i].want) != 0 :
                                     strstr(got, rows[i].want) == NULL))
            fail_msg("%.70s: \"%s\", expected \"%s\"", rows[i].file, got, rows[i].want);
    }
}

#define GOOD(...) \
    do { \
        static const struct row rows[] = { __VA_ARGS__ }; \
        check_rows(rows, sizeof rows / sizeof rows[0], true); \
    } while (0)
#define BAD(...) \
    do { \
        static const struct row rows[] = { __VA_ARGS__ }; \
        check_rows(rows, sizeof rows / sizeof rows[0], false); \
    } while (0)

#define ONE(before, q, k, v, o) \
    before "linear_q.weight " q " " before "linear_k.weight " k " " before "linear_v.weight " v \
    " " before "linear_out.weight " o
#define SQUARE(before) ONE(before, "4x4", "4x4", "4x4", "4x4")
#define MANY(q, k, v) \
    "q_linears.0.weight " q " k_linears.0.weight " k " v_linears.0.weight " v \
    " q_linears.1.weight 2x4 k_linears.1.weight 2x4 v_linears.1.weight 2x4 " \
    "output_linear.weight 4x4"

#endif

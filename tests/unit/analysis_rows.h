/* SPDX-License-Identifier: MIT
 * Rows made by hand, given to sinks as a pass gives them: a model of 2 layers of 2
 * heads, texts of a few tokens. */
#ifndef UNIT_ANALYSIS_ROWS_H
#define UNIT_ANALYSIS_ROWS_H

#include "check.h"

#include <string.h>

#include "analysis/slots.h"

enum { STRIDE = 8 };

static const struct family rows_family = { .stack_id = STACK_DECODER };
static const struct model rows_model = { .family = &rows_family,
                                         .config = { .n_layers = 2, .n_heads = 2,
                                                     .d_head = 2, .d_value = 2 } };

/* Texts of these lengths; special: of the tokens of all of them; NULL: none is. */
static inline struct attended rows_texts(struct arena *a, const int *length, int n_texts,
                                         const unsigned char *special)
{
    struct attended_text *text = arena_alloc(a, (size_t)n_texts, sizeof *text);

    for (int i = 0; i < n_texts; i++) {
        text[i].queries = (struct token_list){ .n = length[i], .special = special };
        text[i].keys = text[i].queries;
        special = special != NULL ? special + length[i] : NULL;
    }
    return (struct attended){ n_texts, text, false };
}

/* One block of rows: what a pass knows of it. */
struct rows_block {
    struct rows rows;
    double entropy[STRIDE];
    int visible[STRIDE];
    unsigned char hidden[STRIDE * STRIDE];
};

/* Rows row0 .. row0 + n_rows - 1 of weight [n, STRIDE], which are causal or not. */
static inline void rows_block(struct rows_block *b, int text, int layer, int head,
                              int row0, int n_rows, int n, const float *weight,
                              bool causal)
{
    memset(b, 0, sizeof *b);
    b->rows = (struct rows){ .text = text, .stack = STACK_DECODER, .layer = layer,
                             .head = head, .row0 = row0, .n_rows = n_rows, .n_keys = n,
                             .n_queries = n, .n_all_keys = n, .stride = STRIDE,
                             .weight = weight + row0 * STRIDE, .entropy = b->entropy,
                             .n_visible = b->visible,
                             .hidden = causal ? b->hidden : NULL };
    for (int t = 0; t < n_rows; t++) {
        b->visible[t] = causal ? row0 + t + 1 : n;
        for (int j = 0; j < n; j++) {
            double w = (double)b->rows.weight[t * STRIDE + j];

            b->entropy[t] -= w > 0 ? w * log(w) : 0;
            b->hidden[t * STRIDE + j] = causal && j > row0 + t;
        }
    }
}

/* All rows of a head, in two blocks. */
static inline void rows_give(struct sink sink, int text, int layer, int head, int n,
                             const float *weight, bool causal)
{
    int split = n / 2;

    assert_int_equal(sink.scope, SINK_HEAD);
    for (int block = 0; block < 2; block++) {
        int row0 = block ? split : 0, n_rows = block ? n - split : split;
        struct rows_block b;

        rows_block(&b, text, layer, head, row0, n_rows, n, weight, causal);
        if (n_rows > 0)
            sink.take(sink.self, &b.rows, 1);
    }
    if (sink.done != NULL)
        sink.done(sink.self, text, layer);
}

/* Two rows, of which the first sees nothing and the second both keys alike. */
static inline void rows_give_blind(struct sink sink)
{
    static const float weight[2 * STRIDE] = { [STRIDE] = 0.5f, [STRIDE + 1] = 0.5f };
    struct rows_block b;

    rows_block(&b, 0, 0, 0, 0, 2, 2, weight, false);
    b.hidden[0] = b.hidden[1] = 1;
    b.rows.hidden = b.hidden;
    b.visible[0] = 0;
    sink.take(sink.self, &b.rows, 1);
    if (sink.done != NULL)
        sink.done(sink.self, 0, 0);
}

#endif

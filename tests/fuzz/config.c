/* SPDX-License-Identifier: MIT
 * Any bytes as config.json and as generation_config.json: refused with a message that
 * names the file, or numbers that every later product of them can rely on. */
#include "fuzz.h"

#include <string.h>

#include "model/config.h"
#include "model/family_slots.h"
#include "model/generation.h"

static void look(const struct config *c, const struct family *f)
{
    assert(f != NULL);
    assert(c->n_layers > 0 && c->n_heads > 0 && c->n_kv_heads > 0);
    assert(c->n_heads % c->n_kv_heads == 0);
    assert(c->d_model > 0 && c->d_head > 0 && c->d_ff > 0);
    assert(c->n_vocab > 0 || f->front != FRONT_TOKENS);
    if (f->front == FRONT_PATCH)
        assert(c->n_positions == family_has(f, W_CLS) + family_has(f, W_CLS_2) +
               (c->front.image[0] / c->front.patch[0]) *
               (c->front.image[1] / c->front.patch[1]) && c->n_positions > 0);
    assert((int64_t)c->n_heads * c->d_head <= 1 << 24);
    if (f->positions == POS_ROPE)       /* a share of them may be none */
        assert(c->rotary.n_columns >=
               (f->rotated == ROTATED_SHARE || f->rotated == ROTATED_PCT ? 0 : 2) &&
               c->rotary.n_columns % 2 == 0 &&
               c->rotary.n_columns <= c->d_head);
    if (c->chunked.pad_to != 0)
        assert(c->chunked.near.len > 0 && c->chunked.hashed.len > 0 &&
               c->chunked.pad_above > 0 && c->chunked.pad_to % c->chunked.pad_above == 0 &&
               c->layer_kind != NULL && c->chunked.n_hashes > 0);
    assert(c->card.layer >= -1 && c->card.layer < c->n_layers);
    for (int d = DIM_NONE + 1; d <= DIM_TYPE; d++)
        assert(family_slot_dim(f, c, (enum dim)d) >= 0);
}

/* The same bytes as generation_config.json of a model of 99 words. */
static void look_generation(struct arena *a, struct span bytes)
{
    struct model decoder = { 0 };
    const struct model m = { .config = { .n_vocab = 99 }, .decoder = &decoder };
    struct generation g;
    struct err e = { 0 };

    if (generation_read_json(&g, a, &m, bytes, "f", &e) != 0) {
        assert(e.kind == ERR_INPUT && strncmp(e.msg, "f: ", 3) == 0);
        return;
    }
    assert(g.start >= 0 && g.start < 99 && g.forced_first < 99 && g.penalty > 0);
    for (int i = 0; i < g.forced_last.n; i++)
        assert(g.forced_last.id[i] >= 0 && g.forced_last.id[i] < 99);
    for (int i = 0; i < g.n_bad; i++)
        assert(g.bad[i].n > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct err e = { 0 };
    jmp_buf out;

    arena_init(&a, fuzz_full, &out);
    if (setjmp(out) == 0) {
        struct config c;
        const struct family *f = NULL;

        for (enum tower t = TOWER_TEXT; t < N_TOWER; t++)
            if (config_read(&c, &f, &a, (struct span){ data, size }, "f", t, &e) == 0)
                look(&c, f);
            else
                assert(e.kind == ERR_INPUT && strncmp(e.msg, "f: ", 3) == 0);
        look_generation(&a, (struct span){ data, size });
    }
    arena_finish(&a);
    return 0;
}

/* SPDX-License-Identifier: MIT
 * The mechanism lsh on the queries of a real Reformer layer, with its rotations: its rows
 * are those that the reference library gave (goldens, reformer_lsh). */
#include "check.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn/mechanism.h"
#include "nn/norm.h"
#include "weights/npz.h"

enum { T = 32, WIDTH = 32, H = 4, D = 8 };

#define TOLERANCE 2e-5              /* the case's own for attention */

static float *read_all(struct arena *a, const struct weights *w, const char *name,
                       int64_t n)
{
    const struct tensor *t = weights_find(w, name);
    float *x;

    if (t == NULL || t->n_elements != n)
        fail_msg("%s: not there, or of another size", name);
    x = arena_alloc(a, (size_t)n, sizeof *x);
    tensor_read(x, t, 0, n);
    return x;
}

/* Queries [T, H D] of layer 1: its norm of the second stream, then its projection. */
static float *queries(struct arena *a, const struct weights *model,
                      const struct weights *golden)
{
    static const char *const at = "reformer.encoder.layers.1.attention.";
    const char *norm = arena_printf(a, "%slayer_norm.", at);
    float *x = read_all(a, golden, "r0.hs.1", T * WIDTH);
    float *weight = read_all(a, model, arena_printf(a, "%sweight", norm), WIDTH);
    float *bias = read_all(a, model, arena_printf(a, "%sbias", norm), WIDTH);
    const char *project = arena_printf(a, "%sself_attention.query_key.weight", at);
    float *w = read_all(a, model, project, H * D * WIDTH);
    float *q = arena_alloc(a, T * H * D, sizeof *q);

    norm_layer(x, x, weight, bias, 1e-12f, T, WIDTH);
    for (int t = 0; t < T; t++)
        for (int i = 0; i < H * D; i++)
            for (int k = 0; k < WIDTH; k++)
                q[t * H * D + i] += x[t * WIDTH + k] * w[i * WIDTH + k];
    return q;
}

static void check_head(struct arena *a, int head, const float *q, const float *rotations,
                       const float *want)
{
    static const struct mechanism_params params = { .n_buckets = 4, .n_rounds = 1,
                                                    .chunk = 8 };
    const struct mechanism *m = mechanism_table[MECHANISM_lsh];
    const struct attention in = {
        .mechanism = m, .q = q + head * D, .k = q + head * D, .v = q + head * D,
        .q_stride = H * D, .k_stride = H * D, .v_stride = H * D, .T = T, .head = head,
        .params = &params,
        .weights = rotations,
        .at = { .S = T, .d = D, .d_v = D, .scale = 1, .lo = INT_MAX, .hi = 0 },
    };
    double *w = arena_alloc(a, T * T, sizeof *w);
    double *out = arena_alloc(a, T * D, sizeof *out);
    struct check_worst worst = { 0 };

    assert_int_equal(m->n_weights(&params, T, H, D), H * D * 2);
    m->reference(w, out, &in, arena_alloc(a, m->reference_room(&in), 1));
    for (int i = 0; i < T * T; i++)
        check_see(&worst, i, w[i], (double)want[head * T * T + i]);
    check_within(&worst, "weight", TOLERANCE);
}

static void rows_of_the_layer(void **state)
{
    const char *shared = getenv("MHA_VIZ_SHARED");
    struct err e = { ERR_NONE, "" };
    struct weights *model, *golden;
    struct arena a;
    char dir[512], path[600];
    float *q, *rotations, *want;

    (void)state;
    snprintf(dir, sizeof dir, "%s/goldens/extra/reformer_lsh",
             shared != NULL ? shared : "");
    if (shared == NULL || !file_is_dir(dir))
        skip();
    arena_init(&a, NULL, NULL);
    model = weights_open(&a, dir, &e);
    snprintf(path, sizeof path, "%s/expected.npz", dir);
    golden = npz_open(&a, path, &e);
    if (model == NULL || golden == NULL)
        fail_msg("%s", e.msg);
    q = queries(&a, model, golden);
    rotations = read_all(&a, golden, "r0.rotations", H * D * 2);
    want = read_all(&a, golden, "r0.attn.1", H * T * T);
    for (int h = 0; h < H; h++)
        check_head(&a, h, q, rotations, want);
    weights_close(model);
    weights_close(golden);
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rows_of_the_layer) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

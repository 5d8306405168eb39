/* SPDX-License-Identifier: MIT
 * What a classifier reads of a text: the last token that is not a pad. */
#include "check.h"

#include <string.h>

#include "run/run.h"

enum { N_LABELS = 8 };

static struct arena arena;
static struct model *model;

static int set_up(void **state)
{
    struct err e;

    (void)state;
    arena_init(&arena, NULL, NULL);
    model = model_open(&arena, "tests/ref/heads/LlamaForSequenceClassification", &e);
    return model != NULL && model->config.head.n_labels <= N_LABELS ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    model_close(model);
    arena_finish(&arena);
    return 0;
}

/* The logits of n ids where that one is a pad; -1: none is. */
static void classify(float out[N_LABELS], int pad, int n, const int *id)
{
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(1, &e);
    const int start[] = { 0, n };
    const struct batch b = { .n_texts = 1, .start = start, .id = id };
    struct wanted want = { .logits = out };

    memset(out, 0, N_LABELS * sizeof *out);
    model->config.head.pad_id = pad;
    if (run_forward(model, &b, &want, NULL, 0, par, &arena, &e) != 0)
        fail_msg("%s", e.msg);
    par_free(par);
}

/* Its tokens look back only: pads at the end change nothing, whatever number they have. */
static void pads_at_the_end(void **state)
{
    float plain[N_LABELS], padded[N_LABELS];

    (void)state;
    classify(plain, -1, 2, (const int[]){ 5, 7 });
    for (int pad = 0; pad < 4; pad += 3) {
        classify(padded, pad, 4, (const int[]){ 5, 7, pad, pad });
        check_floats("padded", padded, plain, N_LABELS, 1e-6);
        classify(padded, -1, 4, (const int[]){ 5, 7, pad, pad });
        assert_true(memcmp(padded, plain, sizeof plain) != 0);
    }
}

/* One in the middle is read over; a text of nothing else has its first. */
static void pads_elsewhere(void **state)
{
    float plain[N_LABELS], padded[N_LABELS];

    (void)state;
    classify(plain, -1, 3, (const int[]){ 5, 0, 7 });
    classify(padded, 0, 3, (const int[]){ 5, 0, 7 });
    check_floats("in the middle", padded, plain, N_LABELS, 0);
    classify(plain, -1, 1, (const int[]){ 0 });
    classify(padded, 0, 3, (const int[]){ 0, 0, 0 });
    check_floats("nothing else", padded, plain, N_LABELS, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pads_at_the_end), cmocka_unit_test(pads_elsewhere),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* SPDX-License-Identifier: MIT
 * What the tests of mechanisms share: one head, run by both versions; arrays of files. */
#ifndef TESTS_NN_MECHANISM_CHECK_H
#define TESTS_NN_MECHANISM_CHECK_H

#include "nn_check.h"

#include "nn/mechanism.h"
#include "weights/npz.h"

/*
 * Outputs of values in [-1, 1]: scores of some tens lose units of 2^-24 of themselves,
 * weights as much relatively, and the exponents of random features likewise.
 */
#define RUN_TOLERANCE 2e-5

/* ---- one head ---- */

struct head {
    struct attention a;
    float *q, *k, *v, *weights;
    double *w, *out;            /* the reference's */
    float *got;                 /* [T, d_v + 3] the fast version's */
    int64_t n_scores;
};

static inline void *room_of(uint64_t (*room)(const struct attention *a),
                            const struct attention *a)
{
    size_t n = room != NULL ? (size_t)room(a) : 0;
    unsigned char *p = NULL;

    /* Filled with what must not be read. */
    assert_int_equal(posix_memalign((void **)&p, 64, n > 0 ? n : 1), 0);
    memset(p, 0xff, n);
    return p;
}

static inline void refer(struct head *h, const struct mechanism *m)
{
    size_t T = (size_t)h->a.T;
    void *room;

    h->a.mechanism = m;
    room = room_of(m->reference_room, &h->a);
    h->w = malloc(T * (size_t)h->a.at.S * sizeof *h->w);
    h->out = malloc(T * (size_t)h->a.at.d_v * sizeof *h->out);
    m->reference(h->w, h->out, &h->a, room);
    free(room);
}

static inline void run(struct head *h, const struct mechanism *m)
{
    int64_t stride = h->a.at.d_v + 3;
    void *room;

    h->a.mechanism = m;
    room = room_of(m->room, &h->a);
    h->got = nan_floats((size_t)(h->a.T * stride));
    h->n_scores = m->run(h->got, stride, &h->a, room);
    free(room);
}

static inline void head_free(struct head *h)
{
    free(h->q);
    free(h->k);
    free(h->v);
    free(h->weights);
    free(h->w);
    free(h->out);
    free(h->got);
}

static inline void check_run(const struct mechanism *m, const struct head *h)
{
    int d_v = h->a.at.d_v;

    for (int i = 0; i < h->a.T; i++)
        for (int c = 0; c < d_v; c++)
            kernel_near(m->name, i, (double)h->got[i * (d_v + 3) + c], h->out[i * d_v + c],
                       RUN_TOLERANCE);
}

/* ---- arrays of files ---- */

static inline const struct tensor *find(const struct weights *file, const char *name)
{
    const struct tensor *t = weights_find(file, name);

    if (t == NULL)
        fail_msg("tests/ref/mechanisms: no array %s", name);
    return t;
}

static inline float *array(const struct weights *file, const char *name, int64_t first,
                    int64_t n)
{
    const struct tensor *t = find(file, name);
    float *x = floats((size_t)n);

    assert_true(first + n <= t->n_elements);
    tensor_read(x, t, first, n);
    return x;
}

#endif

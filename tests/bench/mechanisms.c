/* SPDX-License-Identifier: MIT
 * Time and memory of every mechanism against the length of the text, one head of width
 * 64, one thread; and the exponents of N that fit the longer half.  A size is left out
 * where the one before lets expect more than LIMIT_S; so are mechanisms that join heads,
 * which are exact for one.  Fails where a goal is missed.
 *     mechanisms [POINTS.tsv]     every time and room as well, for growth.py to draw */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/arena.h"
#include "base/rng.h"
#include "nn/mechanism.h"
#include "nn/nn.h"

enum { D = 64, FIRST = 256, LAST = 16384, SIZES = 7, RUNS = 3, FIT_FROM = 1024 };

static const double LIMIT_S = 3;

static const struct mechanism_params params = {
    .window = 64, .n_global = 16, .stride = 0, .n_columns = 1, .block = 128, .top_k = 32,
    .sinks = 4, .page = 16, .n_groups = 1, .bits = 2, .rank = 16, .segments = 8,
    .n_features = 128, .n_buckets = 0, .n_rounds = 2, .chunk = 64, .additive_width = 0,
    .seed = 1,
};

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct point {
    double N, s, bytes;
};

static const float *normal(struct arena *a, struct rng *r, int n)
{
    float *x = arena_alloc_raw(a, (size_t)n * D, sizeof *x);

    rng_normal_fill(r, x, (int64_t)n * D);
    return x;
}

static struct point measure(const struct mechanism *m, int N, bool causal,
                            struct arena *a)
{
    struct arena_mark mark = arena_mark(a);
    struct rng rng;
    struct attention head = {
        .mechanism = m, .q_stride = D, .k_stride = D, .v_stride = D, .T = N, .params = &params,
        .at = { .S = N, .d = D, .d_v = D, .scale = 0.125f, .lo = INT_MAX,
                .hi = causal ? 0 : INT_MAX },
    };
    struct point p = { N, HUGE_VAL, 0 };
    float *out = arena_alloc_raw(a, (size_t)N * D, sizeof *out), *weights = NULL;
    void *room;

    rng_seed(&rng, 1);
    head.q = normal(a, &rng, N);
    head.k = normal(a, &rng, N);
    head.v = normal(a, &rng, N);
    if (m->n_weights != NULL) {
        weights = arena_alloc_raw(a, m->n_weights(&params, N, 1, D), sizeof *weights);
        m->draw(weights, &params, N, 1, D);
    }
    head.weights = weights;
    p.bytes = (double)m->room(&head);
    room = arena_alloc_raw(a, m->room(&head), 1);
    for (int r = 0; r < RUNS && (r == 0 || p.s * r < LIMIT_S); r++) {
        double start = now_s(), s;

        m->run(out, D, &head, room);
        s = now_s() - start;
        p.s = s < p.s ? s : p.s;
    }
    arena_reset(a, mark);
    return p;
}

/* The slope of ln y over ln N from FIT_FROM on. */
static double exponent(const struct point *p, int n, bool bytes)
{
    double x = 0, y = 0, xx = 0, xy = 0, count = 0;

    for (int i = 0; i < n; i++) {
        double u = log(p[i].N), v = log(bytes ? p[i].bytes : p[i].s);

        if (p[i].N < FIT_FROM)
            continue;
        x += u;
        y += v;
        xx += u * u;
        xy += u * v;
        count++;
    }
    return (count * xy - x * y) / (count * xx - x * x);
}

/* The most that the exponent of time may be; 0: no goal. */
static double goal_of(enum mechanism_id id)
{
    switch (id) {
    case MECHANISM_elu: case MECHANISM_favor: case MECHANISM_local: case MECHANISM_global:
    case MECHANISM_block:
        return 1.1;
    case MECHANISM_exact:
        return 2.1;
    default:
        return 0;
    }
}

/* points: a line a size; NULL: not wanted. */
static bool bench(enum mechanism_id id, bool causal, FILE *points, struct arena *a)
{
    const struct mechanism *m = mechanism_table[id];
    struct point p[SIZES];
    double goal = goal_of(id), e;
    int n = 0;

    for (int N = FIRST; N <= LAST; N *= 2) {
        if (n > 0 && p[n - 1].s * 4 > LIMIT_S)
            break;
        p[n++] = measure(m, N, causal, a);
    }
    printf("%s\t%s", m->name, causal ? "causal" : "full");
    for (int i = 0; i < SIZES; i++)
        if (i < n)
            printf("\t%.3f", p[i].s * 1e3);
        else
            printf("\t-");
    for (int i = 0; points != NULL && i < n; i++)
        fprintf(points, "%s\t%s\t%.0f\t%.6g\t%.6g\n", m->name, causal ? "causal" : "full",
                p[i].N, p[i].s * 1e3, p[i].bytes / 1024);
    e = exponent(p, n, false);
    printf("\t%.1f\t%.2f\t%.2f\t%s\n", p[n - 1].bytes / 1024, e, exponent(p, n, true),
           goal == 0 ? "" : e <= goal ? "ok" : "MISSED");
    fflush(stdout);
    return goal == 0 || e <= goal;
}

int main(int argc, char **argv)
{
    FILE *points = argc > 1 ? fopen(argv[1], "w") : NULL;
    struct arena a;
    bool all = true;

    if (argc > 1 && points == NULL) {
        perror(argv[1]);
        return 1;
    }
    if (points != NULL)
        fprintf(points, "mechanism\tmask\tN\tms\tKiB\n");

    arena_init(&a, NULL, NULL);
    nn_choose_kernel(NULL);
    printf("mechanism\tmask");
    for (int N = FIRST; N <= LAST; N *= 2)
        printf("\tms N=%d", N);
    printf("\tKiB at the last\ttime ~ N^\tmemory ~ N^\tgoal\n");
    for (int id = 0; id < N_MECHANISM; id++)
        for (int causal = 0; causal < 2; causal++)
            if (mechanism_table[id]->join == JOIN_NONE)
                all &= bench((enum mechanism_id)id, causal == 1, points, &a);
    arena_finish(&a);
    if (points != NULL && fclose(points) != 0)
        return 1;
    return all ? 0 : 1;
}

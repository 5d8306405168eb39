/* SPDX-License-Identifier: MIT
 * Both halves of a pass: rows of the stacks that are wanted, as two passes give them. */
#include "check.h"

#include <string.h>

#include "run/pair.h"
#include "run_room.h"

enum { MAX = 4096 };

/* Rows by stack, one after the other, of one thread. */
struct kept {
    float weight[N_STACK][MAX];
    int n[N_STACK];
};

static void keep(void *self, const struct rows *rows, int n)
{
    struct kept *k = self;

    (void)n;
    for (int t = 0; t < rows->n_rows; t++)
        for (int s = 0; s < rows->n_keys; s++) {
            assert_true(k->n[rows->stack] < MAX);
            k->weight[rows->stack][k->n[rows->stack]++] =
                rows->weight[(size_t)t * rows->stride + (size_t)s];
        }
}

struct pair {
    struct arena a;
    struct par *par;
    struct model *m;
    struct batch source, target;
};

static void pair_open(struct pair *p)
{
    static const int sources[] = { 5, 3 }, targets[] = { 4, 6 };
    struct err e = { ERR_NONE, "" };

    arena_init(&p->a, NULL, NULL);
    p->par = par_new(1, &e);
    p->m = model_open(&p->a, "tests/ref/seq2seq/t5", &e);
    assert_non_null(p->m);
    p->source = room_batch(&p->a, p->m, sources, 2, 1);
    p->target = room_batch(&p->a, p->m->decoder, targets, 2, 2);
}

static void pair_close(struct pair *p)
{
    model_close(p->m);
    par_free(p->par);
    arena_finish(&p->a);
}

static struct kept *run(struct pair *p, unsigned stacks)
{
    struct kept *k = arena_alloc(&p->a, 1, sizeof *k);
    const struct sink sink = { SINK_HEAD, keep, NULL, k };
    struct wanted want = { .stacks = stacks };
    struct err e = { ERR_NONE, "" };

    assert_int_equal(run_pair(p->m, &p->source, &p->target, &want, &sink, 1, p->par, &p->a,
                              &e), 0);
    return k;
}

static void only_the_stacks_that_are_wanted(void **state)
{
    struct pair p;
    struct kept *all, *one;

    (void)state;
    pair_open(&p);
    all = run(&p, 0);
    for (int stack = 0; stack < N_STACK; stack++) {
        assert_true(all->n[stack] > 0);
        one = run(&p, 1u << stack);
        for (int other = 0; other < N_STACK; other++)
            assert_int_equal(one->n[other], other == stack ? all->n[stack] : 0);
        assert_memory_equal(one->weight[stack], all->weight[stack],
                            (size_t)all->n[stack] * sizeof(float));
    }
    pair_close(&p);
}

static void the_same_as_two_passes(void **state)
{
    struct pair p;
    struct kept *all, *own;
    struct sink sink = { SINK_HEAD, keep, NULL, NULL };
    struct memory memory;
    struct wanted encoder = { .layer = NULL }, decoder = { .memory = &memory };
    struct err e = { ERR_NONE, "" };

    (void)state;
    pair_open(&p);
    all = run(&p, 0);
    sink.self = own = arena_alloc(&p.a, 1, sizeof *own);
    encoder.hidden = arena_alloc(&p.a, (size_t)p.source.start[2],
                                 (size_t)p.m->config.d_model * sizeof(float));
    memory = (struct memory){ .x = encoder.hidden, .start = p.source.start };
    assert_int_equal(run_forward(p.m, &p.source, &encoder, &sink, 1, p.par, &p.a, &e), 0);
    assert_int_equal(run_forward(p.m->decoder, &p.target, &decoder, &sink, 1, p.par, &p.a,
                                 &e), 0);
    assert_memory_equal(own, all, sizeof *own);
    pair_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_stacks_that_are_wanted),
        cmocka_unit_test(the_same_as_two_passes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 * Continuing a text with the built-in model, one thread: N tokens with the cache, beside a
 * pass over the whole text for each of them.  Fails where the two differ, or where the
 * cache does not save what it is for. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "model/generation.h"
#include "nn/nn.h"
#include "run/generate.h"

enum { PROMPT = 16, MOST = 256 };

static double cpu_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct bench {
    struct arena a;
    struct model *m;
    struct par *par;
    struct generation rules;
    struct err e;
};

/* Ids of n tokens behind the prompt; processor seconds, -1 on an error. */
static double with_cache(struct bench *b, int n, int *id)
{
    struct continuation c = { .n_prompt = PROMPT, .most = n, .id = id };
    double t = cpu_s();

    return run_generate(b->m, &b->rules, NULL, &c, 1, NULL, 1e9, b->par, &b->a, &b->e) != 0
               ? -1 : cpu_s() - t;
}

static double without(struct bench *b, int n, int *id)
{
    size_t V = (size_t)b->m->n_logits;
    float *logits = arena_alloc(&b->a, V, sizeof *logits);
    double t = cpu_s();

    for (int i = PROMPT; i < PROMPT + n; i++) {
        struct continuation c = { .n_prompt = PROMPT, .most = n, .id = id, .n = i };
        struct batch batch = { 1, (int[]){ 0, i }, id, NULL };
        struct wanted want = { .logits = logits, .only_row = &(int){ i - 1 } };

        if (run_forward(b->m, &batch, &want, NULL, 0, b->par, &b->a, &b->e) != 0)
            return -1;
        id[i] = generate_choose(&b->rules, &c, logits, (int)V, &b->a);
    }
    return cpu_s() - t;
}

static void prompt(int *id)
{
    for (int i = 0; i < PROMPT; i++)
        id[i] = i == 0 ? 0 : 300 + 7 * i;
}

static int compare(struct bench *b)
{
    static int one[PROMPT + MOST], two[PROMPT + MOST];
    double fast = 0, slow = 0;

    printf("what\tN\twith ms a token\twithout ms a token\twith / without\n");
    for (int n = 32; n <= MOST; n *= 2) {
        prompt(one);
        prompt(two);
        fast = with_cache(b, n, one);
        slow = without(b, n, two);
        if (fast < 0 || slow < 0) {
            fprintf(stderr, "generate: %s\n", b->e.msg);
            return 1;
        }
        if (memcmp(one, two, (size_t)(PROMPT + n) * sizeof *one) != 0) {
            fprintf(stderr, "generate: %d tokens differ without the cache\n", n);
            return 1;
        }
        printf("generate\t%d\t%.3f\t%.3f\t%.3f\n", n, 1e3 * fast / n, 1e3 * slow / n,
               fast / slow);
    }
    return fast > slow / 4;
}

int main(void)
{
    struct bench b = { .rules = { .forced_first = -1, .penalty = 1 } };
    int rc = 1;

    nn_choose_kernel(NULL);
    arena_init(&b.a, NULL, NULL);
    b.m = model_open(&b.a, NULL, &b.e);
    b.par = par_new(1, &b.e);
    if (b.m != NULL && b.par != NULL)
        rc = compare(&b);
    par_free(b.par);
    model_close(b.m);
    arena_finish(&b.a);
    return rc;
}

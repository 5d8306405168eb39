/* SPDX-License-Identifier: MIT
 * A pass over the tokens behind a cache gives the same bytes as one over all tokens: for
 * every model of tests/ref that is causal, token by token and in larger steps, two texts
 * of different lengths together, on each kernel and one or two threads.
 * file_tags=threads */
#include "check.h"

#include <dirent.h>

#include "model/generation.h"
#include "nn/nn.h"
#include "unit/run_room.h"

static const struct { const char *kernel; enum precision precision; } runs[] = {
    { "c", PRECISION_F32 }, { "avx2", PRECISION_F32 }, { "avx512", PRECISION_F32 },
    { "c", PRECISION_BF16 }, { "neon", PRECISION_F32 },
};
static const char *const folders[] = { "tests/ref", "tests/ref/families",
                                       "tests/ref/seq2seq" };
enum { N_TEXTS = 2, LONGEST = 75 };

/* How many tokens each step adds; later ones add 1. */
static const int steps[N_TEXTS][5] = { { 3, 1, 1, 4, 1 }, { 11, 1, 2, 1, 30 } };
static const int memory_start[] = { 0, 9, 15 };

struct check {
    struct arena *a;
    const struct model *m;          /* the one that is continued */
    struct par *par;
    struct batch whole;             /* LONGEST tokens of each text */
    struct memory memory;
    int longest;                    /* of each text */
    struct cache *cache[N_TEXTS];
    struct change change;
};

static struct memory random_memory(struct arena *a, int D)
{
    float *x = arena_alloc(a, (size_t)memory_start[N_TEXTS] * (size_t)D, sizeof *x);
    unsigned seed = 9;

    for (int i = 0; i < memory_start[N_TEXTS] * D; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)(seed >> 8) / (float)(1 << 23) - 1;
    }
    return (struct memory){ x, memory_start };
}

/* Tokens from[t] .. end[t] - 1 of each text. */
static struct batch part(const struct check *c, const int *from, const int *end)
{
    int *start = arena_alloc(c->a, N_TEXTS + 1, sizeof *start);
    int *id = arena_alloc(c->a, N_TEXTS * LONGEST, sizeof *id);

    for (int t = 0; t < N_TEXTS; t++) {
        start[t + 1] = start[t] + end[t] - from[t];
        memcpy(id + start[t], c->whole.id + t * LONGEST + from[t],
               (size_t)(end[t] - from[t]) * sizeof *id);
    }
    return (struct batch){ N_TEXTS, start, id, NULL };
}

static float *run(const struct check *c, const struct batch *b, bool cached,
                  const struct memory *memory)
{
    size_t D = (size_t)c->m->d_hidden, V = c->m->has_head ? (size_t)c->m->n_logits : 0;
    float *out = arena_alloc(c->a, N_TEXTS * (D + V), sizeof *out);
    int last[N_TEXTS];
    struct wanted want = { .memory = memory, .cache = cached ? c->cache : NULL,
                           .only_row = last, .change = &c->change, .hidden = out,
                           .logits = V > 0 ? out + N_TEXTS * D : NULL };
    struct err e;

    for (int t = 0; t < N_TEXTS; t++)
        last[t] = b->start[t + 1] - b->start[t] - 1;
    if (run_forward(c->m, b, &want, NULL, 0, c->par, c->a, &e) != 0)
        fail_msg("%s", e.msg);
    return out;
}

static void check_steps(struct check *c, const char *name)
{
    static const int none[N_TEXTS];
    size_t width = (size_t)c->m->d_hidden + (c->m->has_head ? (size_t)c->m->n_logits : 0);
    int end[N_TEXTS] = { 0 }, from[N_TEXTS];
    const struct memory *memory = c->memory.x != NULL ? &c->memory : NULL;

    for (int i = 0;; i++) {
        bool looks = i < 8 || i % 4 == 0;       /* a full pass each time takes long */
        struct batch fresh, all;
        const float *got, *want;

        for (int t = 0; t < N_TEXTS; t++) {
            int add = i < 5 ? steps[t][i] : 1, left = c->longest - end[t];

            if (left == 0)
                return;
            end[t] += add < left ? add : left;
            from[t] = cache_tokens(c->cache[t], c->m, end[t]);
        }
        fresh = part(c, from, end);
        got = run(c, &fresh, true, i == 0 ? memory : NULL);
        if (!looks)
            continue;
        all = part(c, none, end);
        want = run(c, &all, false, memory);
        if (memcmp(got, want, N_TEXTS * width * sizeof *got) != 0)
            fail_msg("%s: step %d (%d and %d tokens) differs", name, i, end[0], end[1]);
    }
}

static bool check_model(const char *path, enum precision precision, int threads)
{
    struct arena a;
    struct err e;
    struct model *m;
    static const int lengths[] = { LONGEST, LONGEST };
    struct check c = { .longest = LONGEST, .change = { .precision = precision } };
    bool causal;

    arena_init(&a, NULL, NULL);
    m = room_open(&a, path, &e);
    if (m == NULL)
        fail_msg("%s", e.msg);
    c.a = &a;
    c.m = m->decoder != NULL ? m->decoder : m;
    /* An encoder that counts its positions, masked as a decoder of its kind is. */
    for (int l = 0; m->family->positions == POS_TABLE_FROM_IDS &&
         l < m->config.n_layers; l++)
        m->layer[l].hi = 0;
    causal = model_predicts_next(c.m);
    if (causal && cache_fits(c.m)) {
        struct model *own = m->decoder != NULL ? m->decoder : m;

        /* Without a table there is no end of positions. */
        if (c.m->slot[W_POS].weight == NULL)
            own->max_tokens = LONGEST;
        if (own->max_tokens < LONGEST)
            c.longest = own->max_tokens;
        c.par = par_new(threads, &e);
        c.whole = room_batch(&a, own, lengths, N_TEXTS, 5);
        if (m->decoder != NULL)
            c.memory = random_memory(&a, own->config.d_model);
        for (int t = 0; t < N_TEXTS; t++)
            c.cache[t] = cache_new(&a, own, c.longest, m->decoder == NULL ? 0 :
                                   memory_start[t + 1] - memory_start[t]);
        check_steps(&c, path);
        par_free(c.par);
    }
    model_close(m);
    arena_finish(&a);
    return causal;
}

static int check_folder(const char *folder, enum precision precision, int threads)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    int n = 0;

    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        char path[512], config[600];

        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        snprintf(config, sizeof config, "%s/config.json", path);
        if (entry->d_name[0] != '.' && file_exists(config))
            n += check_model(path, precision, threads);
    }
    closedir(dir);
    return n;
}

static void same_bytes(void **state)
{
    (void)state;
    for (int k = 0; k < (int)(sizeof runs / sizeof *runs); k++) {
        int n = 0;

        if (nn_choose_kernel(runs[k].kernel) != 0) {
            print_message("no %s here\n", runs[k].kernel);
            continue;
        }
        for (int f = 0; f < 3; f++)
            n += check_folder(folders[f], runs[k].precision, 1 + k % 2);
        assert_in_range(n, 45, 1000);
    }
    nn_choose_kernel("c");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(same_bytes) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

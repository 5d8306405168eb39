/* SPDX-License-Identifier: MIT
 * Encoder-decoders against the reference library: the attention of all three stacks,
 * the encoder's and decoder's hidden states, logits; batches packed.
 * file_tags=threads */
#include "check.h"

#include "nn/nn.h"
#include "ref/golden.h"
#include "run/run.h"

static const char *const own_cases[] = { "bart", NULL };
static const char *const shared_cases[] = { "t5", "t5_v11", "bart", "extra/mbart", "marian",
                                           "extra/whisper", "more/blenderbot", "more/pegasus",
                                           "more/led", "more/m2m_100", "more/blenderbot_small",
                                           "more/prophetnet", NULL };

struct where {                  /* what a test is about */
    const char *name;
    bool shared;
};

/* Every row of one stack, [texts][L, H, T, S]. */
struct kept {
    int H;
    float **layer;              /* [texts * L] -> [H, T, S] */
    int L;
};

static void keep(struct kept *k, const struct rows *r)
{
    float *map = k->layer[r->text * k->L + r->layer] +
                 (int64_t)r->head * r->n_queries * r->n_all_keys;

    for (int t = 0; t < r->n_rows; t++)
        memcpy(map + (int64_t)(r->row0 + t) * r->n_all_keys + r->key0,
               r->weight + (size_t)t * r->stride, (size_t)r->n_keys * sizeof *map);
}

struct all {
    struct kept stack[N_STACK];
};

static void take(void *self, const struct rows *r, int n_heads)
{
    (void)n_heads;
    keep(&((struct all *)self)->stack[r->stack], r);
}

static struct kept make_kept(struct arena *a, const struct model *m, int n,
                             const int *t_start, const int *s_start)
{
    struct kept k = { .H = m->config.n_heads, .L = m->config.n_layers };

    k.layer = arena_alloc(a, (size_t)(n * k.L), sizeof *k.layer);
    for (int i = 0; i < n * k.L; i++) {
        int text = i / k.L, T = t_start[text + 1] - t_start[text];

        k.layer[i] = arena_alloc(a, (size_t)(k.H * T * (s_start[text + 1] - s_start[text])),
                                 sizeof(float));
    }
    return k;
}

static void check(const struct golden *g, const json_t *run, const char *what, double off,
                  double tolerance)
{
    if (!(off <= tolerance))
        fail_msg("%s %s: %s is off by %.3g, expected at most %.3g", g->dir,
                 golden_id(run), what, off, tolerance);
}

/* One layer of one text against [B,] H, rows, columns of the file, from the first row
 * row0 and column column0. */
static void check_stack(struct golden *g, const json_t *run, const char *prefix,
                        const struct kept *k, int text, int batch, int T, int S, int row0,
                        int column0)
{
    for (int l = 0; l < k->L; l++) {
        char name[32];
        const struct tensor *t;
        const float *want;
        int64_t rows, columns;

        snprintf(name, sizeof name, "%s.%d", prefix, l);
        want = golden_array(g, run, name, &t);
        assert_non_null(want);
        rows = t->shape[t->n_dims - 2];
        columns = t->shape[t->n_dims - 1];
        for (int64_t h = 0; h < k->H; h++)
            for (int64_t i = 0; i < T; i++) {
                int64_t at = (((batch < 0 ? 0 : batch) * k->H + h) * rows + row0 + i) *
                             columns + column0;
                double off = golden_worst(k->layer[text * k->L + l] + (h * T + i) * S,
                                          want + at, S);

                g->worst_attn = fmax(g->worst_attn, off);
                check(g, run, name, off, g->tol_attn);
            }
    }
}

static void check_rows(struct golden *g, const json_t *run, const char *name, int batch,
                       int first, int n, const float *got)
{
    bool last = strcmp(name, "logits_last") == 0;
    const struct tensor *t;
    const float *want = golden_array(g, run, name, &t);
    int64_t width, N;
    double off;

    if (want == NULL)
        return;
    width = t->shape[t->n_dims - 1];
    N = last ? 1 : t->shape[t->n_dims - 2];
    if (last)
        got += (n - 1) * width;
    else
        want += ((batch < 0 ? 0 : batch) * N + first) * width;
    off = golden_worst(got, want, (last ? 1 : n) * width);
    g->worst_hidden = fmax(g->worst_hidden, off);
    check(g, run, name, off, g->tol_hidden);
}

static int *decoder_ids(struct golden *g, const json_t *run, int batch, int *n)
{
    const json_t *list = golden_row(run, "decoder_input_ids", batch);
    int *id;

    *n = (int)json_array_size(list);
    id = arena_alloc(&g->arena, (size_t)*n, sizeof *id);
    for (int i = 0; i < *n; i++)
        id[i] = (int)json_integer_value(json_array_get(list, (size_t)i));
    return id;
}

static void check_run(struct golden *g, const struct model *m, const json_t *run)
{
    struct arena *a = &g->arena;
    int n, *s_start, *t_start, *s_id, *t_id;
    unsigned char *global;
    struct sentence *s = golden_sentences(g, run, &n);
    struct wanted enc = { 0 }, dec = { 0 };
    struct memory memory;
    struct batch source;
    struct all all;
    struct sink sink = { SINK_HEAD, take, NULL, &all };
    struct par *par;
    struct err e = { ERR_NONE, "" };

    s_start = arena_alloc(a, (size_t)n + 1, sizeof *s_start);
    t_start = arena_alloc(a, (size_t)n + 1, sizeof *t_start);
    s_id = arena_alloc(a, 10000, sizeof *s_id);
    t_id = arena_alloc(a, 10000, sizeof *t_id);
    global = arena_alloc(a, 10000, 1);
    for (int i = 0; i < n; i++) {
        int n_dec, *id = decoder_ids(g, run, s[i].batch, &n_dec);

        if (s[i].id != NULL)
            memcpy(s_id + s_start[i], s[i].id, (size_t)s[i].n * sizeof *s_id);
        if (s[i].global != NULL)
            memcpy(global + s_start[i], s[i].global, (size_t)s[i].n);
        memcpy(t_id + t_start[i], id, (size_t)n_dec * sizeof *t_id);
        s_start[i + 1] = s_start[i] + s[i].n;
        t_start[i + 1] = t_start[i] + n_dec;
    }
    all.stack[STACK_ENCODER] = make_kept(a, m, n, s_start, s_start);
    all.stack[STACK_DECODER] = make_kept(a, m->decoder, n, t_start, t_start);
    all.stack[STACK_CROSS] = make_kept(a, m->decoder, n, t_start, s_start);
    enc.hidden = arena_alloc(a, (size_t)(s_start[n] * m->config.d_model), sizeof(float));
    dec.hidden = arena_alloc(a, (size_t)(t_start[n] * m->config.d_model), sizeof(float));
    dec.logits = arena_alloc(a, (size_t)(t_start[n] * m->decoder->n_logits), sizeof(float));
    memory = (struct memory){ enc.hidden, s_start };
    dec.memory = &memory;
    par = par_new(2, &e);
    source = (struct batch){ n, s_start, s_id, .global = global };
    if (s[0].id == NULL)            /* one array: these runs are no batches */
        source.values = &s[0].values;
    if (run_forward(m, &source, &enc, &sink, 1, par, a, &e) != 0 ||
        run_forward(m->decoder, &(struct batch){ n, t_start, t_id, NULL, NULL }, &dec, &sink,
                    1, par, a, &e) != 0)
        fail_msg("%s", e.msg);
    par_free(par);
    for (int i = 0; i < n; i++) {
        int T = t_start[i + 1] - t_start[i], b = s[i].batch;
        const float *h = dec.hidden + (int64_t)t_start[i] * m->config.d_model;
        const float *v = dec.logits + (int64_t)t_start[i] * m->decoder->n_logits;

        check_stack(g, run, "attn", &all.stack[STACK_ENCODER], i, b, s[i].n, s[i].n,
                    s[i].first, s[i].first);
        check_stack(g, run, "dec", &all.stack[STACK_DECODER], i, b, T, T, 0, 0);
        check_stack(g, run, "cross", &all.stack[STACK_CROSS], i, b, T, s[i].n, 0,
                    s[i].first);
        check_rows(g, run, "enc_hidden", b, s[i].first, s[i].n,
                   enc.hidden + (int64_t)s_start[i] * m->config.d_model);
        check_rows(g, run, "hidden", b, 0, T, h);
        check_rows(g, run, "logits", b, 0, T, v);
        check_rows(g, run, "logits_last", b, 0, T, v);
    }
}

static void case_test(void **state)
{
    const struct where *w = *state;
    struct golden g;
    struct err e = { ERR_NONE, "" };
    struct model *m;
    size_t i;
    json_t *run;

    if (golden_open(&g, w->name, w->shared) != 0)
        skip();
    m = model_open(&g.arena, g.dir, &e);
    if (m == NULL)
        fail_msg("%s", e.msg);
    assert_non_null(m->decoder);
    for (int k = N_KERNEL - 1; k >= KERNEL_C; k--)
        if (nn_choose_kernel(nn_kernel_name((enum kernel)k)) == 0)
            json_array_foreach(json_object_get(g.root, "runs"), i, run)
                check_run(&g, m, run);
    print_message("# %s: attention within %.1e (want %.1e), hidden and logits within %.1e "
                  "(want %.1e)\n", g.dir, g.worst_attn, g.tol_attn, g.worst_hidden,
                  g.tol_hidden);
    model_close(m);
    golden_close(&g);
}

int main(void)
{
    const char *const *const lists[] = { golden_folders("seq2seq"), own_cases,
                                         shared_cases };
    static struct where where[GOLDEN_MAX];
    static struct CMUnitTest tests[GOLDEN_MAX];
    static char names[GOLDEN_MAX][64];
    size_t n = 0;

    for (int i = 0; i < 3; i++)
        for (const char *const *c = lists[i]; *c != NULL && n < GOLDEN_MAX; c++) {
            where[n] = (struct where){ *c, i == 2 };
            snprintf(names[n], sizeof names[n], "%s%s", i == 2 ? "shared " : "", *c);
            tests[n] = (struct CMUnitTest){ names[n], case_test, NULL, NULL, &where[n] };
            n++;
        }
    return _cmocka_run_group_tests("seq2seq", tests, n, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 * Ids, attention, hidden states, logits, entropies and strongest links of every run of
 * every case, on each kernel, against the reference library.  A batch runs packed; its
 * valid rows count.
 * file_tags=threads */
#include "check.h"

#include "analysis/links.h"
#include "analysis/stats.h"
#include "nn/nn.h"
#include "ref/golden.h"
#include "run/run.h"
#include "text/tok.h"

struct where {                  /* what a test is about */
    const char *name;
    bool shared;
};

/* ---- one pass, everything kept ---- */

struct kept {
    int H;
    const int *start;
    size_t *text_at;            /* [texts] floats before a text, in units of L H */
    float *attn;                /* texts, then [L, H, n, n] */
    float *single;              /* the same of single copies of keys */
    int L;
};

/* Where the map [n, n] of a head begins in attn and single. */
static size_t kept_at(const struct kept *k, int text, int layer, int head)
{
    size_t n = (size_t)(k->start[text + 1] - k->start[text]);

    return k->text_at[text] + ((size_t)layer * (size_t)k->H + (size_t)head) * n * n;
}

static void keep_rows(float *map, const struct rows *r, const float *weight)
{
    for (int t = 0; t < r->n_rows; t++)
        memcpy(map + (size_t)(r->row0 + t) * (size_t)r->n_all_keys + r->key0,
               weight + (size_t)t * r->stride, (size_t)r->n_keys * sizeof *map);
}

static void keep(void *self, const struct rows *r, int n_heads)
{
    struct kept *k = self;
    size_t at = kept_at(k, r->text, r->layer, r->head);

    (void)n_heads;
    keep_rows(k->attn + at, r, r->weight);
    keep_rows(k->single + at, r, r->single != NULL ? r->single : r->weight);
}

struct result {
    struct batch batch;
    struct kept kept;
    struct stats *exact, *eps;      /* entropy_eps 0 and 1e-9 */
    struct links *links;
    float *hidden, *logits;
};

/* Those that the reference drew, where no seed says which. */
static const struct rotations *rotations(struct golden *g, const json_t *run,
                                         const struct model *m)
{
    const struct tensor *t;
    struct rotations *r = arena_alloc(&g->arena, 1, sizeof *r);

    if (m->n_hashed == 0 || m->config.chunked.has_seed)
        return NULL;
    r->x = golden_array(g, run, "rotations", &t);
    if (r->x == NULL)           /* a text of one chunk */
        return NULL;
    r->n_sets = (int)t->shape[0];
    r->width = (int)t->shape[4];
    return r;
}

static void run(struct result *r, const struct model *m, const struct sentence *s,
                int n_sentences, const struct rotations *rotated, struct arena *a)
{
    static const struct metric_set exact = { metric_table, METRIC_first + 1, { 0 } };
    static const struct metric_set eps = { metric_table, METRIC_first + 1, { 1e-9 } };
    struct attended attended = { .n_texts = n_sentences };
    struct attended_text *text = arena_alloc(a, (size_t)n_sentences, sizeof *text);
    struct wanted want = { .rotations = rotated };
    struct sink sinks[2 + 2 * STATS_SINKS];
    int n_sinks = 0;
    struct par *par;
    struct err e = { ERR_NONE, "" };
    int L = m->config.n_layers, H = m->config.n_heads, N;
    int *start = arena_alloc(a, (size_t)n_sentences + 1, sizeof *start), *id, *type;
    unsigned char *global;
    size_t total = 0;
    struct values *values;

    r->kept = (struct kept){ .H = H, .L = L, .start = start };
    r->kept.text_at = arena_alloc(a, (size_t)n_sentences, sizeof *r->kept.text_at);
    for (int i = 0; i < n_sentences; i++) {
        start[i + 1] = start[i] + s[i].n;
        r->kept.text_at[i] = total;
        total += (size_t)L * (size_t)H * (size_t)s[i].n * (size_t)s[i].n;
        text[i].queries.n = text[i].keys.n = s[i].n;
    }
    N = start[n_sentences];
    r->kept.attn = arena_alloc(a, total, sizeof(float));
    r->kept.single = arena_alloc(a, total, sizeof(float));
    id = arena_alloc(a, (size_t)N, sizeof *id);
    type = arena_alloc(a, (size_t)N, sizeof *type);
    global = arena_alloc(a, (size_t)N, 1);
    values = arena_alloc(a, (size_t)n_sentences, sizeof *values);
    for (int i = 0; i < n_sentences; i++) {
        values[i] = s[i].values;
        if (s[i].id == NULL)
            continue;
        memcpy(id + start[i], s[i].id, (size_t)s[i].n * sizeof *id);
        memcpy(type + start[i], s[i].type, (size_t)s[i].n * sizeof *type);
        if (s[i].global != NULL)
            memcpy(global + start[i], s[i].global, (size_t)s[i].n);
    }
    r->batch = (struct batch){ n_sentences, start, id, type, .global = global, .box = s[0].box };
    if (s[0].id == NULL)
        r->batch = (struct batch){ n_sentences, start, .values = values };
    r->hidden = arena_alloc(a, (size_t)N * (size_t)m->d_hidden, sizeof(float));
    want.hidden = r->hidden;
    if (m->has_head)
        r->logits = arena_alloc(a, (size_t)N * (size_t)m->n_logits, sizeof(float));
    want.logits = r->logits;
    attended.text = text;
    r->exact = stats_new(a, m, &attended, &want, &exact);
    r->eps = stats_new(a, m, &attended, &want, &eps);
    r->links = links_new(a, m, &attended, &want);
    sinks[n_sinks++] = (struct sink){ SINK_HEAD, keep, NULL, &r->kept };
    sinks[n_sinks++] = links_sink(r->links);
    n_sinks += stats_sinks(r->exact, sinks + n_sinks);
    n_sinks += stats_sinks(r->eps, sinks + n_sinks);
    par = par_new(2, &e);
    assert_non_null(par);
    if (run_forward(m, &r->batch, &want, sinks, n_sinks, par, a, &e) != 0)
        fail_msg("%s", e.msg);
    par_free(par);
}

/* ---- what is compared ---- */

static void check(const struct golden *g, const json_t *run, const char *what, double off,
                  double tolerance)
{
    if (!(off <= tolerance))
        fail_msg("%s %s: %s is off by %.3g, expected at most %.3g", g->dir,
                 golden_id(run), what, off, tolerance);
}

/* The strongest key where the reference's two strongest differ clearly. */
static void check_links(const struct golden *g, const json_t *run, const float *want,
                        const struct head_links *links, int n)
{
    assert_int_equal(links->n_rows, n);
    for (int i = 0; i < n; i++) {
        const float *row = want + (size_t)i * (size_t)n;
        float second = -1;
        int best = 0;

        for (int j = 1; j < n; j++)
            if (row[j] > row[best])
                best = j;
        for (int j = 0; j < n; j++)
            if (j != best && row[j] > second)
                second = row[j];
        assert_int_equal(links->row[i].query, i);
        if ((double)(row[best] - second) > 2 * g->tol_attn)
            assert_int_equal(links->row[i].key, best);
        check(g, run, "a strongest weight", fabs((double)(links->row[i].weight - row[best])),
              g->tol_attn);
    }
}

/* entropy[layers that attend, H] of the file, where the run is no batch. */
static double expected_entropy(struct golden *g, const json_t *run, const struct model *m,
                               int layer, int head)
{
    const struct tensor *t;
    const float *v = golden_array(g, run, "entropy", &t);
    int64_t row = 0;

    assert_non_null(v);
    for (int l = 0; l < layer; l++)
        row += model_has_layer(m, l);
    return (double)v[row * t->shape[1] + head];
}

static void check_head(struct golden *g, const json_t *run, const struct model *m,
                       const struct result *r, const struct sentence *s, int text, int layer,
                       int head, const float *want)
{
    const float *got = r->kept.attn + kept_at(&r->kept, text, layer, head);
    const struct head_stats *exact = stats_head(r->exact, text, layer, head);
    const struct head_stats *eps = stats_head(r->eps, text, layer, head);
    const float *single = golden_map(g, run, "attn", s, layer, r->kept.H);
    size_t n = (size_t)s->n, at = kept_at(&r->kept, text, layer, head);
    /* The file's entropies are of single copies: where keys have several, another sum. */
    bool copies = golden_map(g, run, "eff", s, layer, r->kept.H) != NULL;
    double entropy = s->batch < 0 && !copies ? expected_entropy(g, run, m, layer, head)
                                             : golden_entropy(want, s->n, 1e-9);

    double off = copies ? golden_worst_sums(got, want, s->n)
                        : golden_worst(got, want, (int64_t)s->n * s->n);

    g->worst_attn = fmax(g->worst_attn, off);
    check(g, run, "attention", off, g->tol_attn);
    off = golden_worst(r->kept.single + at, single + (size_t)head * n * n,
                       (int64_t)(n * n));
    check(g, run, "attention to single copies", off, g->tol_attn);
    check(g, run, "entropy with eps", fabs(eps->value[METRIC_entropy] - entropy),
          g->tol_entropy);
    /* Against the formula on our own weights: tight, whatever the model. */
    check(g, run, "entropy with eps, by the formula",
          fabs(eps->value[METRIC_entropy] - golden_entropy(got, s->n, 1e-9)), 1e-12);
    check(g, run, "exact entropy",
          fabs(exact->value[METRIC_entropy] - golden_entropy(got, s->n, 0)), 1e-6);
    check_links(g, run, want, links_head(r->links, text, layer, head), s->n);
}

/* Rows first .. first + n - 1 of [N, width] or, in a batch, [B, N, width]. */
static void check_rows(struct golden *g, const json_t *run, const char *name,
                       const struct sentence *s, const float *got)
{
    const struct tensor *t;
    const float *want = golden_array(g, run, name, &t);
    bool last = strcmp(name, "logits_last") == 0, narrow;
    int64_t N, width;
    double off;

    if (want == NULL)
        return;
    narrow = t->n_dims == 1 && !last;       /* one number a token */
    width = narrow ? 1 : t->shape[t->n_dims - 1];
    N = narrow ? t->shape[0] : t->n_dims > 1 ? t->shape[t->n_dims - 2] : 1;
    if (last)
        got += (s->n - 1) * width;
    else
        want += ((s->batch < 0 ? 0 : s->batch) * N + s->first) * width;
    off = golden_worst(got, want, (last ? 1 : s->n) * width);
    g->worst_hidden = fmax(g->worst_hidden, off);
    check(g, run, name, off, g->tol_hidden);
}

/* The logits of a head that gives labels: one row a text. */
static void check_labels(struct golden *g, const json_t *run, const struct model *m,
                         const float *got)
{
    const struct tensor *t;
    const float *want = golden_array(g, run, "logits", &t);
    double off;

    assert_non_null(want);
    assert_int_equal(t->n_elements, m->n_logits);
    off = golden_worst(got, want, t->n_elements);
    g->worst_hidden = fmax(g->worst_hidden, off);
    check(g, run, "logits", off, g->tol_hidden);
}

static void check_sentence(struct golden *g, const json_t *run, const struct model *m,
                           const struct result *r, const struct sentence *s, int text)
{
    int64_t row = r->batch.start[text];

    for (int l = 0; l < m->config.n_layers; l++) {
        const float *want = golden_attn(g, run, s, l, m->config.n_heads);

        assert_true((want != NULL) == model_has_layer(m, l));
        for (int h = 0; want != NULL && h < m->config.n_heads; h++)
            check_head(g, run, m, r, s, text, l, h,
                       want + (size_t)h * (size_t)s->n * (size_t)s->n);
    }
    check_rows(g, run, "hidden", s, r->hidden + row * m->d_hidden);
    if (r->logits == NULL) {
        const struct tensor *t;

        if (m->slot[W_TOK].weight != NULL &&
            strstr(m->slot[W_TOK].weight->file, ".gguf") != NULL)
            return;             /* the format has no place for BERT's head */
        assert_null(golden_array(g, run, "logits", &t));
        assert_null(golden_array(g, run, "logits_last", &t));
        return;
    }
    if (m->config.head.task != NULL && m->family->front == FRONT_TOKENS)
        return;                 /* classifiers of texts are those of tests/ref/heads */
    if (m->config.head.task != NULL && head_scope(&m->config) != HEAD_ALL) {
        check_labels(g, run, m, r->logits + (int64_t)text * m->n_logits);
        return;
    }
    check_rows(g, run, "logits", s, r->logits + row * m->n_logits);
    check_rows(g, run, "logits_last", s, r->logits + row * m->n_logits);
}

/* ---- ids ---- */

static void check_ids(struct golden *g, const struct tok *t, const struct sentence *s)
{
    struct tok_input in = { .text = s->text, .text_size = strlen(s->text), .pair = s->pair,
                            .pair_size = s->pair != NULL ? strlen(s->pair) : 0 };
    struct tokens got;
    struct err e;

    if (tok_encode(t, &g->arena, &in, &got, &e) != 0)
        fail_msg("%s: '%s': %s", g->dir, s->text, e.msg);
    assert_int_equal(got.n, s->n);
    for (int i = 0; i < s->n; i++) {
        assert_int_equal(got.id[i], s->id[i]);
        assert_int_equal(got.type[i], s->type[i]);
        /* The library shows the text itself where a Unigram has no piece for it. */
        if (strcmp(got.piece[i], "<unk>") != 0 && strcmp(got.piece[i], "[UNK]") != 0)
            assert_string_equal(got.piece[i], s->token[i]);
    }
}

static struct tok *open_tok(struct golden *g)
{
    struct err e = { ERR_NONE, "" };
    struct tok *t = tok_open(&g->arena, g->dir, &e);

    if (t == NULL && !g->by_ids)
        fail_msg("%s", e.msg);
    if (t == NULL)
        print_message("# %s: runs by its ids: %s\n", g->dir, e.msg);
    return t;
}

/* ---- all runs of a case ---- */

/* pictures: the tower of runs without ids, where they are of another than m; NULL: m. */
static void check_runs(struct golden *g, const struct model *texts, const struct model *pictures,
                       const struct tok *t)
{
    size_t i;
    json_t *run_json;

    json_array_foreach(json_object_get(g->root, "runs"), i, run_json) {
        int n;
        struct sentence *s = golden_sentences(g, run_json, &n);
        struct result r = { .hidden = NULL };
        const struct model *m = s[0].id == NULL && pictures != NULL ? pictures : texts;

        run(&r, m, s, n, rotations(g, run_json, m), &g->arena);
        for (int k = 0; k < n; k++) {
            if (t != NULL && s[k].id != NULL && s[k].text != NULL)
                check_ids(g, t, &s[k]);
            check_sentence(g, run_json, m, &r, &s[k], k);
        }
    }
}

static struct model *open_model(struct golden *g, enum tower tower, struct err *e)
{
    static const char *adapter[1];
    struct layer_asked asked = { .adapter = adapter, .tower = tower };

    adapter[0] = g->model;
    asked.n_adapters = strcmp(g->model, g->dir) != 0;
    return model_open_layer(&g->arena, g->dir, &asked, e);
}

static void case_test(void **state)
{
    const struct where *w = *state;
    struct golden g;
    struct err e = { ERR_NONE, "" };
    struct model *m, *pictures = NULL;
    struct tok *t;

    if (golden_open(&g, w->name, w->shared) != 0)
        skip();
    m = open_model(&g, golden_has(&g, true) ? TOWER_TEXT : TOWER_PICTURE, &e);
    if (m == NULL)
        fail_msg("%s", e.msg);
    if (m->config.tower == TOWER_TEXT && golden_has(&g, false)) {
        pictures = open_model(&g, TOWER_PICTURE, &e);
        if (pictures == NULL)
            fail_msg("%s", e.msg);
    }
    t = open_tok(&g);
    assert_true(json_array_size(json_object_get(g.root, "runs")) >= 1);
    for (int k = N_KERNEL - 1; k >= KERNEL_C; k--)
        if (nn_choose_kernel(nn_kernel_name((enum kernel)k)) == 0)
            check_runs(&g, m, pictures, t);
    print_message("# %s: attention within %.1e (want %.1e), hidden and logits within %.1e "
                  "(want %.1e)\n", g.dir, g.worst_attn, g.tol_attn, g.worst_hidden,
                  g.tol_hidden);
    if (t != NULL)
        tok_close(t);
    model_close(pictures);
    model_close(m);
    golden_close(&g);
}

/* What no slot takes is told, and a head is there where it can be computed. */
static void case_notes(void **state)
{
    struct err e = { ERR_NONE, "" };
    struct arena a;
    struct model *m;

    (void)state;
    arena_init(&a, NULL, NULL);
    m = model_open(&a, "tests/ref/bert_old", &e);
    assert_non_null(m);
    assert_int_equal(m->n_unused, 2);       /* the pooler's */
    assert_string_equal(m->unused[0], "pooler.dense.bias");
    assert_false(m->has_head);
    model_close(m);
    m = model_open(&a, "tests/ref/gpt2", &e);
    assert_non_null(m);
    assert_int_equal(m->n_unused, 0);
    assert_true(m->has_head);
    model_close(m);
    arena_finish(&a);
}

/* With arguments: only the shared cases of those names. */
static bool wanted(const char *name, bool shared, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (shared && strcmp(argv[i], name) == 0)
            return true;
    return argc == 1;
}

int main(int argc, char **argv)
{
    const char *const *const lists[] = { golden_own, golden_adapted, golden_packed,
                                         golden_folders("families"), golden_shared };
    static struct where where[GOLDEN_MAX];
    static struct CMUnitTest tests[GOLDEN_MAX + 1];
    static char names[GOLDEN_MAX][64];
    size_t n = 0;

    for (int i = 0; i < 5; i++)
        for (const char *const *c = lists[i]; *c != NULL && n < GOLDEN_MAX; c++) {
            if (!wanted(*c, i == 4, argc, argv))
                continue;
            where[n] = (struct where){ *c, i == 4 };
            snprintf(names[n], sizeof names[n], "%s%s", i == 4 ? "shared " : "", *c);
            tests[n] = (struct CMUnitTest){ names[n], case_test, NULL, NULL, &where[n] };
            n++;
        }
    tests[n++] = (struct CMUnitTest){ "what_is_unused", case_notes, NULL, NULL, NULL };
    return _cmocka_run_group_tests("exact", tests, n, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 * Weights that are prepared once, rounded or turned: results are those without. */
#include "check.h"

#include "nn/fast.h"
#include "nn/turned.h"
#include "run/prepared.h"
#include "unit/run_room.h"

static struct model *open(struct arena *a, const char *name)
{
    struct err e = { ERR_NONE, "" };
    char path[128];
    struct model *m;

    snprintf(path, sizeof path, "tests/ref/families/%s", name);
    m = model_open(a, strncmp(name, "builtin:", 8) == 0 ? name : path, &e);
    if (m == NULL)
        fail_msg("%s", e.msg);
    return m;
}

static float *logits(struct arena *a, const struct model *m, const struct batch *b,
                     const struct change *change, struct prepared *prepared, struct par *par)
{
    struct wanted want = { .change = change, .prepared = prepared };
    struct err e = { ERR_NONE, "" };
    struct arena call;

    want.logits = arena_alloc(a, (size_t)b->start[b->n_texts],
                              (size_t)m->n_logits * sizeof(float));
    arena_init(&call, NULL, NULL);
    if (run_forward(m, b, &want, NULL, 0, par, &call, &e) != 0)
        fail_msg("%s", e.msg);
    arena_finish(&call);
    return want.logits;
}

/* Some rows, one, again until they are turned, and more than are multiplied at a time, by the same
   weights. */
static void check(const char *name, const struct change *change, double spare, struct par *par)
{
    static const int length[] = { 3, 1, 2, 4, 1, 200 };
    struct arena a;
    struct model *m;
    struct prepared *prepared;

    arena_init(&a, NULL, NULL);
    m = open(&a, name);
    prepared = prepared_new(&a, spare > 0, spare);
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) {
        int n = length[i] < m->max_tokens ? length[i] : m->max_tokens;
        struct batch b = room_batch(&a, m, &n, 1, 1);
        size_t size = (size_t)n * (size_t)m->n_logits * sizeof(float);

        assert_memory_equal(logits(&a, m, &b, change, prepared, par),
                            logits(&a, m, &b, change, NULL, par), size);
    }
    model_close(m);
    arena_finish(&a);
}

static void passes_are_the_same(void **state)
{
    static const char *const name[] = {
        "deepseek_v2", "gemma3n", "gpt2_unscaled", "gpt_oss_mxfp4", "llama_llama3", "mixtral",
    };
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(3, &e);

    (void)state;
    assert_non_null(par);
    for (int f = FAST_NONE + 1; f < N_FAST; f++) {
        const struct change change = { .fast = (enum fast)f };

        for (size_t i = 0; fast_kernel(change.fast) != NULL && i < sizeof name / sizeof *name; i++)
            check(name[i], &change, 0, par);
    }
    par_free(par);
}

/* Whether a linear of its layers is turned, where there is memory. */
static bool has_turned(const struct model *m)
{
    for (int l = 0; l < m->config.n_layers; l++)
        for (int s = 0; s < N_SLOT; s++) {
            const struct param *w = &m->layer[l].slot[s];

            if (w->weight != NULL && w->is_linear && w->matrix.N >= TURNED &&
                turned_row(&w->matrix) > 0)
                return true;
        }
    return false;
}

/* Most models of the tests are too small to be turned. */
static void turned_passes_are_the_same(void **state)
{
    static const char *const name[] = { "builtin:decoder", "codegen" };
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(3, &e);

    (void)state;
    assert_non_null(par);
    for (int k = 0; k < N_KERNEL; k++)
        for (size_t i = 0; nn_choose_kernel(nn_kernel_name((enum kernel)k)) == 0 &&
                           i < sizeof name / sizeof *name; i++) {
            struct arena a;
            struct model *m;

            arena_init(&a, NULL, NULL);
            m = open(&a, name[i]);
            assert_true(has_turned(m) || k == KERNEL_C);
            model_close(m);
            arena_finish(&a);
            check(name[i], NULL, 1e9, par);
            check(name[i], NULL, 1 << 18, par);     /* some are turned, and others not */
        }
    nn_choose_kernel(NULL);
    par_free(par);
}

/* Streams beside the first have matrices of their own. */
static void memory_of_streams(void **state)
{
    const struct change change = { .fast = FAST_BF16 };
    const struct fast_kernel *fast = fast_kernel(change.fast);
    struct arena a;
    struct model *m;
    double all, one;
    int n, D;

    (void)state;
    if (fast == NULL)
        skip();
    arena_init(&a, NULL, NULL);
    m = open(&a, "gemma3n");
    all = prepared_memory(m, &change);
    n = m->config.streams.n;
    D = m->config.d_model;
    assert_true(n > 1);
    one = (double)sizeof(float) * fast_words(fast, D) * ((D - 1) / PANEL + 1) * PANEL;
    m->config.streams.n = 1;
    assert_true(all - prepared_memory(m, &change) == 2 * (n - 1) * one);
    model_close(m);
    arena_finish(&a);
}

static double counted(const char *name)
{
    const struct change change = { .fast = FAST_BF16 };
    struct arena a;
    struct model *m;
    double bytes;

    arena_init(&a, NULL, NULL);
    m = open(&a, name);
    bytes = prepared_memory(m, &change);
    m->slot[W_HEAD].is_linear = m->slot[W_INPUT_EMB].is_linear = false;
    for (int l = 0; l < m->config.n_layers; l++)
        m->layer[l].slot[W_KV_A].is_linear = false;
    bytes -= prepared_memory(m, &change);
    model_close(m);
    arena_finish(&a);
    return bytes;
}

/* Logits by the tokens' embeddings; parts with panels of their own. */
static void memory_of_what_is_shared_or_in_parts(void **state)
{
    const struct fast_kernel *fast = fast_kernel(FAST_BF16);
    struct arena a;
    struct model *m;
    double panel = (double)sizeof(float) * PANEL, heads, parts;
    int D, L;

    (void)state;
    if (fast == NULL)
        skip();
    arena_init(&a, NULL, NULL);
    m = open(&a, "gemma3n");
    D = m->config.d_model;
    L = m->config.n_layers;
    assert_null(m->slot[W_HEAD].weight);
    heads = panel * fast_words(fast, D) * ((m->n_logits - 1) / PANEL + 1);
    parts = panel * fast_words(fast, D) * L;
    model_close(m);
    assert_true(counted("gemma3n") >= heads + parts);
    m = open(&a, "deepseek_v2");
    heads = panel * fast_words(fast, m->config.d_model) * ((m->n_logits - 1) / PANEL + 1);
    parts = panel * fast_words(fast, m->config.d_model) * 2 * m->config.n_layers;
    model_close(m);
    assert_true(counted("deepseek_v2") >= heads + parts);
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_are_the_same),
        cmocka_unit_test(turned_passes_are_the_same), cmocka_unit_test(memory_of_streams),
        cmocka_unit_test(memory_of_what_is_shared_or_in_parts),
    };

    nn_choose_kernel(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

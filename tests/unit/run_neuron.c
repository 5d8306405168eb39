/* SPDX-License-Identifier: MIT
 * Of every family whose fixture reads tokens: products sum to the dot product, parts to the
 * score, and the softmax of the scores is the row that the pass attends with. */
#include "check.h"

#include <dirent.h>
#include <math.h>

#include "run/neuron.h"
#include "base/elementary.h"
#include "unit/run_room.h"

/* Sums of up to 64 products, in floats and in double; relative to the largest addend. */
#define SUM_TOLERANCE 1e-5

/* Of weights, whose scores are floats. */
#define WEIGHT_TOLERANCE 2e-5

static double scaled_of(const struct neuron *n, double dot)
{
    double x = dot * (double)n->scale;

    return n->cap > 0 ? (double)n->cap * elementary_tanh(x / (double)n->cap) : x;
}

static double size_of(const struct neuron *n, int s)
{
    double size = 1;

    for (int c = 0; c < n->d; c++)
        size = fmax(size, fabs((double)n->q[c] * (double)n->k[s * n->d + c]));
    return size;
}

static void check_sums(const char *path, const struct neuron *n, int s,
                       const bool has[N_NEURON_PART])
{
    double dot = 0, sum = (double)n->scaled[s], size = size_of(n, s), most = fabs(sum);

    for (int c = 0; c < n->d; c++)
        dot += (double)neuron_product(n, s, c);
    for (int i = 0; i < N_NEURON_PART; i++) {
        sum += (double)n->part[i][s];
        most = fmax(most, fabs((double)n->part[i][s]));
        if (!has[i] && n->part[i][s] != 0)
            fail_msg("%s: part %d, which the model has not", path, i);
    }
    assert_true(fabs(dot - n->dot[s]) <= 1e-12 * size);
    if (!(fabs(scaled_of(n, dot) - (double)n->scaled[s]) <= SUM_TOLERANCE * size))
        fail_msg("%s: key %d: scaled is %g, expected %g", path, s, (double)n->scaled[s],
                 scaled_of(n, dot));
    if (!(fabs(sum - (double)n->score[s]) <= 1e-6 * most))
        fail_msg("%s: key %d: parts sum to %g, not to the score %g", path, s, sum,
                 (double)n->score[s]);
}

/* Returns how many keys are seen. */
static int check_row(const char *path, const struct neuron *n, const bool has[N_NEURON_PART])
{
    double most = -INFINITY, total = 0;
    int seen = 0;

    for (int s = 0; s < n->S; s++)
        if (!n->hidden[s])
            most = fmax(most, (double)n->score[s]);
    for (int s = 0; s < n->S; s++)
        if (!n->hidden[s])
            total += exp((double)n->score[s] - most);
    if (!isnan(n->sink)) {
        total += exp((double)n->sink - most);
        assert_true(fabs(exp((double)n->sink - most) / total - (double)n->sink_weight) <=
                    WEIGHT_TOLERANCE);
    }
    for (int s = 0; s < n->S; s++) {
        double want = n->hidden[s] ? 0 : exp((double)n->score[s] - most) / total;

        check_sums(path, n, s, has);
        if (!(fabs(want - (double)n->weight[s]) <= WEIGHT_TOLERANCE))
            fail_msg("%s: key %d: weight %g, expected %g", path, s, (double)n->weight[s], want);
        seen += !n->hidden[s];
    }
    return seen;
}

/* One head of each layer, one row. */
static void check_model(const char *path, const struct model *m, struct arena *a,
                        bool any[N_NEURON_PART])
{
    const int lengths[] = { m->max_tokens < 70 ? m->max_tokens : 70 };
    struct batch b = room_batch(a, m, lengths, 1, 7);
    int T = b.start[1];
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(2, &e);

    for (int l = 0; l < m->config.n_layers; l++) {
        int head = l % m->config.n_heads, row = T - 1 - l;
        struct neuron *n = neuron_new(a, m, m->family->stack_id, l, head, row, T);
        struct tap tap = neuron_tap(n);
        struct sink sink = neuron_sink(n);
        struct wanted want = { .tap = &tap };
        bool has[N_NEURON_PART];

        if (!model_has_layer(m, l))
            continue;
        if (run_forward(m, &b, &want, &sink, 1, par, a, &e) != 0)
            fail_msg("%s: %s", path, e.msg);
        neuron_parts(has, m, l, n->stack, false);
        assert_in_range(check_row(path, n, has), 1, T);
        for (int i = 0; i < N_NEURON_PART; i++)
            for (int s = 0; s < n->S; s++)
                any[i] |= n->part[i][s] != 0;
    }
    par_free(par);
}

static bool open_and_check(const char *name, bool any[N_NEURON_PART])
{
    struct err e = { ERR_NONE, "" };
    struct arena a;
    struct model *m;
    char path[512];
    bool checked;

    snprintf(path, sizeof path, "tests/ref/families/%s", name);
    arena_init(&a, NULL, NULL);
    m = room_open(&a, path, &e);
    if (m == NULL)
        fail_msg("%s: %s", path, e.msg);
    checked = room_reads(m);
    if (checked)
        check_model(path, m, &a, any);
    model_close(m);
    arena_finish(&a);
    return checked;
}

static void every_family(void **state)
{
    DIR *dir = opendir("tests/ref/families");
    bool any[N_NEURON_PART] = { false };
    const struct dirent *entry;
    int n = 0;

    (void)state;
    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL)
        if (entry->d_name[0] != '.')
            n += open_and_check(entry->d_name, any);
    closedir(dir);
    assert_true(n > 40);
    for (int i = 0; i < NEURON_MASK; i++)       /* no family adds a mask of its own */
        if (!any[i])
            fail_msg("part %d is in no score of any family", i);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_family) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

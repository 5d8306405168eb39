/* SPDX-License-Identifier: MIT
 * Metrics of blocks of rows, against the same row by row. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "nn/attend.h"
#include "nn/nn.h"

enum { MOST = 70, KEYS = 80 };

static struct arena arena;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

static const struct family family = { .stack_id = STACK_DECODER };
static const struct model model = { .family = &family,
                                    .config = { .n_layers = 1, .n_heads = 1, .d_head = 2,
                                                .d_value = 2 } };

/* ---- the table, without its blocks ---- */

static struct metric rowwise[N_METRIC];
static struct metric_rule rules[N_METRIC];
static struct metric_state states[N_METRIC];

/* Metrics with one state have one copy of it. */
static void make_rowwise(void)
{
    for (int k = 0; k < N_METRIC; k++) {
        int first = 0;

        rowwise[k] = metric_table[k];
        rules[k] = *metric_table[k].rule;
        rowwise[k].rule = &rules[k];
        rules[k].block = NULL;
        if (rules[k].state == NULL)
            continue;
        while (metric_table[first].rule->state != metric_table[k].rule->state)
            first++;
        states[k] = *metric_table[k].rule->state;
        states[k].take_block = NULL;
        rules[k].state = &states[first];
    }
}

/* ---- rows ---- */

struct head {
    int n, stride;
    _Alignas(64) float weight[MOST * KEYS];
    unsigned char hidden[MOST * KEYS];
    double entropy[MOST], null_mass[MOST];
    int n_visible[MOST];
    int id[MOST];
    unsigned char special[MOST], mark[MOST];
    int type[MOST];
};

static double chance(void)
{
    return (double)rand() / RAND_MAX;
}

/* Weights of one row, some of them equal, of rows that look at few keys or at all. */
static void make_row(struct head *h, int t, bool causal, bool gaps)
{
    float *row = h->weight + t * h->stride;
    double sum = 0, sharp = t % 5;

    h->n_visible[t] = 0;
    h->entropy[t] = 0;
    for (int j = 0; j < h->n; j++) {
        bool seen = (!causal || j <= t) && (!gaps || j == t || (j + t) % 3 != 0);

        h->hidden[t * h->stride + j] = !seen;
        h->n_visible[t] += seen;
        row[j] = seen ? (float)exp(-sharp * (j % 4 == 2 ? 1 : 3 * chance())) : 0;
        sum += (double)row[j];
    }
    for (int j = 0; j < h->n; j++) {
        row[j] = (float)((double)row[j] / sum);
        h->entropy[t] -= row[j] > 0 ? (double)row[j] * log((double)row[j]) : 0;
    }
}

static void make_head(struct head *h, int n, bool causal, bool gaps)
{
    memset(h, 0, sizeof *h);
    h->n = n;
    h->stride = (n + 15) / 16 * 16;
    for (int t = 0; t < n; t++) {
        for (int j = n; j < h->stride; j++)
            h->weight[t * h->stride + j] = NAN;         /* not to be read */
        make_row(h, t, causal, gaps);
        h->null_mass[t] = chance();
        h->id[t] = rand() % 20;
        h->special[t] = t == 0 || t == n - 1;
        h->mark[t] = (unsigned char)(t == n - 1 ? TOKEN_ENDS | TOKEN_SEPARATES :
                                     t % 6 == 5 ? TOKEN_PUNCTUATION : 0);
        h->type[t] = t > n / 2;
    }
}

/* Blocks of a pass, of keys from key0 on, which are all that rows see. */
static const struct head_stats *take(struct head *h, const struct metric *metrics, bool hides,
                                     bool null_mass)
{
    static int64_t count[20];
    static struct metric_set set;
    static struct attended_text text;
    static struct wanted want;
    struct attended texts = { 1, &text, false };
    struct sink sinks[STATS_SINKS];
    struct stats *stats;

    for (int i = 0; i < 20; i++)
        count[i] = 1 + i * 7 % 11;
    set = (struct metric_set){ metrics, N_METRIC, metric_opts_default() };
    set.opts.counts = metric_counts_new(&arena, count, 18);
    ((unsigned char *)set.opts.counts->common)[3] = 0;
    text.queries = (struct token_list){ h->n, h->id, NULL, h->special, h->type, h->mark };
    text.keys = text.queries;
    stats = stats_new(&arena, &model, &texts, &want, &set);
    stats_sinks(stats, sinks);
    for (int row = 0; row < h->n; row += ATTEND_ROWS) {
        size_t at = (size_t)(row * h->stride);
        struct rows rows = {
            .stack = STACK_DECODER, .row0 = row,
            .n_rows = h->n - row < ATTEND_ROWS ? h->n - row : ATTEND_ROWS,
            .n_keys = h->n, .n_queries = h->n, .n_all_keys = h->n,
            .stride = (size_t)h->stride, .weight = h->weight + at,
            .hidden = hides ? h->hidden + at : NULL, .n_visible = h->n_visible + row,
            .entropy = h->entropy + row, .null_mass = null_mass ? h->null_mass + row : NULL,
        };

        sinks[0].take(sinks[0].self, &rows, 1);
    }
    sinks[0].done(sinks[0].self, 0, 0);
    return stats_head(stats, 0, 0, 0);
}

/* Terms of entropy_clark are floats in blocks (facts.h), doubles in rows. */
static void check_value(int k, int n, double got, double want)
{
    double off = k == METRIC_entropy_clark ? 2.5e-7 : 1e-11;

    if (isnan(want) ? isnan(got) : fabs(got - want) <= off * (1 + fabs(want)))
        return;
    print_error("%s of %d tokens: %.17g, row by row %.17g\n", metric_table[k].name, n, got, want);
    fail();
}

static void check_head(struct head *h, bool hides, bool null_mass)
{
    const struct head_stats *got = take(h, metric_table, hides, null_mass);
    const struct head_stats *want = take(h, rowwise, hides, null_mass);

    for (int k = 0; k < N_METRIC; k++) {
        check_value(k, h->n, got->value[k], want->value[k]);
        if (want->list[k].v == NULL)
            continue;
        assert_int_equal(got->list[k].n, want->list[k].n);
        for (int i = 0; i < want->list[k].n; i++)
            check_value(k, h->n, got->list[k].v[i], want->list[k].v[i]);
    }
}

static void all_metrics(void **state)
{
    static struct head h;

    (void)state;
    make_rowwise();
    for (int kernel = 0; kernel < N_KERNEL; kernel++) {
        if (nn_choose_kernel(nn_kernel_name((enum kernel)kernel)) != 0) {
            print_message("%s: not on this processor\n", nn_kernel_name((enum kernel)kernel));
            continue;
        }
        srand(1);
        for (int n = 1; n <= MOST; n += n < 20 ? 1 : 5) {
            struct arena_mark mark = arena_mark(&arena);

            make_head(&h, n, false, false);
            check_head(&h, false, n % 2 == 1);
            make_head(&h, n, true, false);
            check_head(&h, true, false);
            make_head(&h, n, n % 2 == 0, true);
            check_head(&h, true, n % 3 == 0);
            arena_reset(&arena, mark);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(all_metrics) };

    return cmocka_run_group_tests(tests, setup, teardown);
}

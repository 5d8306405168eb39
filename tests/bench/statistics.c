/* SPDX-License-Identifier: MIT
 * What the statistics alone take: CPU time a row of attention, the rows being in cache as a pass
 * hands them out, by the number of tokens and by what is computed.
 *
 *     statistics [TOKENS[,TOKENS...] [RUNS [KERNEL [KIND]]]]
 *
 * TOKENS of each text (default 38); prints the least of RUNS (default 20) for each kernel, or for
 * KERNEL, and for each KIND: basic, more or all.  Of
 * several texts also what all of them take, heads of 6 x 12. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/stats.h"
#include "analysis/summary.h"
#include "nn/attend.h"
#include "nn/attention.h"
#include "nn/kernels.h"
#include "nn/softmax.h"

enum { L = 6, H = 12, MAX_TOKENS = 4096, MAX_TEXTS = 4096 };

static const struct family family = { .stack_id = STACK_ENCODER };
static const struct model model = { .family = &family,
                                    .config = { .n_layers = L, .n_heads = H, .d_head = 32,
                                                .d_value = 32 } };

/* The numbers of metrics.py. */
static const char *const more[] = {
    "entropy_clark", "neff", "neff_of_mean", "participation", "kl_uniform",
    "uniformity_gap_norm", "tv_uniform", "frob2", "k90", "tau_uniform", "tau_rowmax",
    "distance_sd", "distance_norm", "distance_vig", "pattern_vertical", "pattern_diagonal",
    "top1_mass", "top2_mass", "top4_mass", "top8_mass", "top16_mass", "local_1", "local_2",
    "local_4", "local_8", "local_16",
};

/* A head of a text of n tokens. */
struct head {
    int n;
    size_t stride;
    float *weight;              /* [n, stride] */
    double *entropy;            /* [n] */
    int *n_visible;             /* [n] */
};

static void *room(size_t size)
{
    void *p = NULL;

    if (posix_memalign(&p, 64, size > 0 ? size : 1) != 0)
        exit(4);
    return p;
}

/* Some rows look at few keys, others at most. */
static struct head head_new(int n)
{
    struct head h = { n, attention_stride(n), NULL, NULL, NULL };
    uint32_t state = 1;

    h.weight = room((size_t)n * h.stride * sizeof(float));
    h.entropy = room((size_t)n * sizeof(double));
    h.n_visible = room((size_t)n * sizeof(int));
    for (int t = 0; t < n; t++) {
        float *row = h.weight + (size_t)t * h.stride;

        for (int j = 0; j < n; j++) {
            state = state * 1664525u + 1013904223u;
            row[j] = (float)(state >> 8) * 0x1p-24f;
        }
        h.entropy[t] = softmax_sums_entropy(softmax_row(row, (n + PANEL - 1) / PANEL * PANEL, 0,
                                                        n, 1 + (float)(t % 8)));
        h.n_visible[t] = n;
    }
    return h;
}

static void head_free(struct head *h)
{
    free(h->weight);
    free(h->entropy);
    free(h->n_visible);
}

/* All heads of a text, block by block, and the sums over texts. */
static void text(const struct head *h, const struct metric_set *set, struct summary *summary,
                 double *value, struct arena *a)
{
    struct arena_mark mark = arena_mark(a);
    struct wanted want = { 0 };
    struct attended_text one = { { .n = h->n }, { .n = h->n } };
    struct attended texts = { 1, &one, false };
    struct stats *stats = stats_new(a, &model, &texts, &want, set);
    struct sink sink[STATS_SINKS];

    stats_sinks(stats, sink);
    for (int l = 0; l < L; l++) {
        for (int i = 0; i < H; i++)
            for (int row = 0; row < h->n; row += ATTEND_ROWS) {
                struct rows rows = {
                    .stack = STACK_ENCODER, .layer = l, .head = i, .row0 = row,
                    .n_rows = h->n - row < ATTEND_ROWS ? h->n - row : ATTEND_ROWS,
                    .n_keys = h->n, .n_queries = h->n, .n_all_keys = h->n,
                    .stride = h->stride, .weight = h->weight + (size_t)row * h->stride,
                    .n_visible = h->n_visible + row, .entropy = h->entropy + row,
                };

                sink[0].take(sink[0].self, &rows, 1);
            }
        sink[0].done(sink[0].self, 0, l);
    }
    for (int at = 0; at < L * H; at++)
        memcpy(value + at * set->n, stats_head(stats, 0, at / H, at % H)->value,
               (size_t)set->n * sizeof *value);
    summary_add(summary, 0, value);
    arena_reset(a, mark);
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The least time of a row, in ns. */
static double measure(const struct head *h, const struct metric_set *set, int runs)
{
    struct arena a;
    struct summary_kind kind = { .n = L * H * set->n };
    struct summary *summary;
    double least = INFINITY, *value;
    int repeat = 1 + 40000 / (L * H * h->n);

    arena_init(&a, NULL, NULL);
    summary = summary_new(&a, &kind);
    value = arena_alloc(&a, (uint64_t)kind.n, sizeof *value);
    for (int run = 0; run < runs; run++) {
        double since = seconds();

        for (int i = 0; i < repeat; i++)
            text(h, set, summary, value, &a);
        least = fmin(least, seconds() - since);
    }
    arena_finish(&a);
    return least / repeat / (L * H * h->n) * 1e9;
}

/* The metrics of a kind: 0 basic, 1 these and more, 2 --metric all. */
static struct metric_set choose(struct metric *room, int kind)
{
    struct metric_set set = { .metric = room, .opts = metric_opts_default() };

    for (int k = 0; k < N_METRIC; k++) {
        const struct metric *m = &metric_table[k];
        bool taken = m->group == METRIC_BASIC || (kind == 2 && m->group == METRIC_ALL);

        for (size_t i = 0; kind == 1 && i < sizeof more / sizeof *more; i++)
            taken |= strcmp(m->name, more[i]) == 0;
        if (taken)
            room[set.n++] = *m;
    }
    return set;
}

/* Seconds of all texts of a list, each length measured once, and the mean time of a row, in ns. */
static double measure_all(const int *n_tokens, int n_texts, const struct metric_set *set, int runs,
                          double *ns)
{
    double each[MAX_TOKENS + 1] = { 0 }, total = 0, rows = 0;

    for (int i = 0; i < n_texts; i++) {
        double *of = &each[n_tokens[i]];

        if (*of == 0) {
            struct head h = head_new(n_tokens[i]);

            *of = measure(&h, set, runs);
            head_free(&h);
        }
        total += *of * n_tokens[i] * L * H * 1e-9;
        rows += n_tokens[i] * L * H;
    }
    *ns = total / rows * 1e9;
    return total;
}

/* Numbers from 1 to MAX_TOKENS with commas between them; how many there are. */
static int read_list(const char *list, int *n_tokens)
{
    int n = 0;

    for (const char *at = list; n < MAX_TEXTS; at++) {
        char *end;
        long value = strtol(at, &end, 10);

        if (value < 1 || value > MAX_TOKENS || (*end != ',' && *end != 0)) {
            fprintf(stderr, "%s: expected numbers of tokens, 1 to %d\n", list, MAX_TOKENS);
            exit(2);
        }
        n_tokens[n++] = (int)value;
        at = end;
        if (*end == 0)
            break;
    }
    return n;
}

int main(int argc, char **argv)
{
    static const char *const names[] = { "basic", "more", "all" };
    static int n_tokens[MAX_TEXTS];
    int n = read_list(argc > 1 ? argv[1] : "38", n_tokens);
    int runs = argc > 2 ? atoi(argv[2]) : 20;

    for (int k = 0; k < N_KERNEL; k++) {
        if ((argc > 3 && strcmp(argv[3], nn_kernel_name((enum kernel)k)) != 0) ||
            nn_choose_kernel(nn_kernel_name((enum kernel)k)) != 0)
            continue;
        for (int kind = 0; kind < 3; kind++) {
            struct metric metric[N_METRIC];
            struct metric_set set = choose(metric, kind);
            double ns, all;

            if (argc > 4 && strcmp(argv[4], names[kind]) != 0)
                continue;
            all = measure_all(n_tokens, n, &set, runs, &ns);
            printf("%-8s %-6s %3d numbers %9.1f ns a row", nn_kernel_name((enum kernel)k),
                   names[kind], set.n, ns);
            if (n > 1)
                printf(" %9.6f s in all", all);
            putchar('\n');
        }
    }
    return 0;
}

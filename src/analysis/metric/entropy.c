/* SPDX-License-Identifier: MIT
 * Metrics of width: entropy, entropy relative to its maximum, and the effective number of keys. */
#include "analysis/metric.h"
#include "base/elementary.h"

/* Source: Clark et al. 2019, section 3; 0 ln 0 = 0. */
static bool entropy(const struct metric_row *row, double *v)
{
    *v = row->entropy;
    if (row->opts->entropy_eps == 0)
        return true;
    *v = 0;
    for (int j = 0; j < row->n_keys; j++) {
        double w = (double)row->a[j];

        *v -= w * elementary_log(w + row->opts->entropy_eps);
    }
    return true;
}

static int entropy_block(const struct metric_block *block, double *sum)
{
    *sum = metric_block_entropies(block)->sum;
    return block->n_rows;
}

static bool entropy_norm(const struct metric_row *row, double *v)
{
    double h;

    if (row->n_visible < 2)       /* 0 / ln 1 */
        return false;
    entropy(row, &h);
    *v = h / elementary_log(row->n_visible);
    return true;
}

static int entropy_norm_block(const struct metric_block *block, double *sum)
{
    const struct metric_entropies *all = metric_block_entropies(block);

    *sum = all->sum_norm;
    return all->n_norm;
}

/* Clark et al. 2019, section 3, as their code has it: a' = 0.9999 a + 0.0001 / n. */
static bool entropy_clark(const struct metric_row *row, double *v)
{
    enum { PART = 64 };
    double part[PART], scale = 1 - 1e-4, rest = 1e-4 / row->n_visible;

    *v = 0;
    for (int at = 0; at < row->n_keys; at += PART) {
        int n = row->n_keys - at < PART ? row->n_keys - at : PART;

        for (int j = 0; j < n; j++) {
            double w = scale * (double)row->a[at + j] + rest;

            part[j] = w * elementary_log_plain(w);
        }
        for (int j = 0; j < n; j++)
            *v -= metric_sees(row, row->key0 + at + j) ? part[j] : 0;
    }
    return true;
}

static int entropy_clark_block(const struct metric_block *block, double *sum)
{
    const struct facts_rows rows = metric_block_facts(block);
    double each[ATTEND_ROWS];

    facts_mixed_entropy(each, &rows, 1e-4);
    *sum = metric_sum_double(each, block->n_rows);
    return block->n_rows;
}

/* KL(a || uniform) = ln n - H. */
static bool kl_uniform(const struct metric_row *row, double *v)
{
    *v = elementary_log(row->n_visible) - row->entropy;
    return true;
}

static int kl_uniform_block(const struct metric_block *block, double *sum)
{
    const struct metric_entropies *all = metric_block_entropies(block);

    *sum = all->sum_ln - all->sum;
    return block->n_rows;
}

static bool uniformity_gap_norm(const struct metric_row *row, double *v)
{
    if (row->n_visible < 2)
        return false;
    *v = 1 - row->entropy / elementary_log(row->n_visible);
    return true;
}

static int uniformity_gap_norm_block(const struct metric_block *block, double *sum)
{
    int n = entropy_norm_block(block, sum);

    *sum = n - *sum;
    return n;
}

/* Hill's number of order 1: e^H keys that are looked at alike have this entropy. */
static bool neff(const struct metric_row *row, double *v)
{
    *v = elementary_exp(row->entropy);
    return true;
}

static int neff_block(const struct metric_block *block, double *sum)
{
    *sum = 0;
    for (int t = 0; t < block->n_rows; t++)
        *sum += elementary_exp(block->entropy[t]);
    return block->n_rows;
}

/* Hill's number of order 2: 1 / sum a^2. */
static bool participation(const struct metric_row *row, double *v)
{
    double sum = 0;

    for (int j = 0; j < row->n_keys; j++)
        sum += (double)row->a[j] * (double)row->a[j];
    *v = 1 / sum;
    return true;
}

static int participation_block(const struct metric_block *block, double *sum)
{
    const struct facts_shape *shape = metric_block_shape(block);

    *sum = 0;
    for (int t = 0; t < block->n_rows; t++)
        *sum += 1 / shape->squares[t];
    return block->n_rows;
}

/* The variance of the scores under the row's weights, which differ from ln a by a constant:
 * -dH / d ln beta at beta = 1, how fast entropy falls as the scores grow. */
static bool var_logit(const struct metric_row *row, double *v)
{
    double mean = 0;

    *v = 0;
    for (int j = 0; j < row->n_keys; j++)
        mean += row->a[j] > 0 ? (double)row->a[j] * elementary_log((double)row->a[j]) : 0;
    for (int j = 0; j < row->n_keys; j++)
        if (row->a[j] > 0) {
            double away = elementary_log((double)row->a[j]) - mean;

            *v += (double)row->a[j] * away * away;
        }
    return true;
}

const struct metric_rule metric_entropy = { .row = entropy, .block = entropy_block };
const struct metric_rule metric_entropy_norm = { .row = entropy_norm,
                                                 .block = entropy_norm_block };
const struct metric_rule metric_var_logit = { .row = var_logit };
const struct metric_rule metric_entropy_clark = { .row = entropy_clark,
                                                  .block = entropy_clark_block };
const struct metric_rule metric_kl_uniform = { .row = kl_uniform, .block = kl_uniform_block };
const struct metric_rule metric_uniformity_gap_norm = { .row = uniformity_gap_norm,
                                                        .block = uniformity_gap_norm_block };
const struct metric_rule metric_neff = { .row = neff, .block = neff_block };
const struct metric_rule metric_participation = { .row = participation,
                                                  .block = participation_block };

/* ---- of all rows at once ---- */

struct entropies { double sum, sum_most; int n; };

static size_t entropies_size(const struct metric_shape *shape)
{
    (void)shape;
    return sizeof(struct entropies);
}

static void entropies_take(void *state, const struct metric_row *rows, int n)
{
    struct entropies *all = state;

    (void)n;
    all->sum += rows->entropy;
    all->sum_most += elementary_log(rows->n_visible);
    all->n++;
}

static void entropies_take_block(void *state, const struct metric_block *block)
{
    const struct metric_entropies *found = metric_block_entropies(block);
    struct entropies *all = state;

    all->sum += found->sum;
    all->sum_most += found->sum_ln;
    all->n += block->n_rows;
}

/* sum H / sum ln n: long rows count for more than in entropy_norm. */
static bool ratio(const void *state, int layer, int head, double *v)
{
    const struct entropies *all = state;

    (void)layer;
    (void)head;
    *v = all->sum / all->sum_most;
    return all->sum_most > 0;
}

/* e^(mean H), at most the mean of e^H. */
static bool of_mean(const void *state, int layer, int head, double *v)
{
    const struct entropies *all = state;

    (void)layer;
    (void)head;
    *v = elementary_exp(all->sum / all->n);
    return all->n > 0;
}

static const struct metric_state entropies = { SCOPE_HEAD, entropies_size, entropies_take,
                                               .take_block = entropies_take_block };

const struct metric_rule metric_entropy_norm_ratio = { .state = &entropies, .value = ratio };
const struct metric_rule metric_neff_of_mean = { .state = &entropies, .value = of_mean };

/* SPDX-License-Identifier: MIT
 * Metrics of heads' outputs: their change if rows keep only the first and the last keys
 * (streaming), and their norm relative to the layer's other heads.  |z W_O| is computed by the Gram
 * matrix of W_O, from values that last until the sinks have got the layer's rows. */
#include <math.h>
#include <string.h>

#include "analysis/metric.h"

/* What a head reads of a text. */
struct source {
    const float *v;             /* [keys] rows of values; NULL: nothing was looked at */
    int64_t stride;
    int d;
    const double *gram;         /* [d, d] W_O W_O^T */
};

static struct source source_of(const struct qkv_view *view, int head, int n_keys)
{
    if (view->out == NULL || view->S != n_keys)
        return (struct source){ NULL, 0, 0, NULL };
    return (struct source){ view->kv + view->v_at[head / (view->H / view->G)], view->kv_stride,
                            view->at[head].d_v, view_written(view, head) };
}

/* z[d] += the values of the keys from .. to - 1, by their weights; returns these' sum. */
static double add_values(double *z, const struct source *source, const struct metric_row *row,
                         int from, int to)
{
    double mass = 0;

    if (from < row->key0)
        from = row->key0;
    if (to > row->key0 + row->n_keys)
        to = row->key0 + row->n_keys;
    for (int j = from; j < to; j++) {
        double w = (double)row->a[j - row->key0];
        const float *v = source->v + j * source->stride;

        mass += w;
        for (int c = 0; c < source->d && w > 0; c++)
            z[c] += w * (double)v[c];
    }
    return mass;
}

/* |z W_O|^2 */
static double squared(const struct source *source, const double *z)
{
    double sum = 0;

    for (int i = 0; i < source->d; i++) {
        double row = 0;

        for (int j = 0; j < source->d; j++)
            row += z[j] * source->gram[(int64_t)i * source->d + j];
        sum += z[i] * row;
    }
    return sum > 0 ? sum : 0;
}

/* ---- a stream: the first keys and the last ---- */

struct stream {
    const struct metric_opts *opts;
    struct source source;
    int n_keys, n;              /* n: rows that see more than is kept */
    bool looks_ahead;           /* a row sees a key after it: nothing is defined */
    double whole, moved;        /* sums of squares */
    double omitted;
    double *z, *kept;           /* [d_head] */
};

static size_t stream_size(const struct metric_shape *shape)
{
    (void)shape;
    return sizeof(struct stream);
}

static void stream_start(void *state, const struct metric_shape *shape, struct arena *a)
{
    struct stream *all = state;

    all->opts = shape->opts;
    all->n_keys = shape->n_keys;
    all->z = arena_alloc(a, (uint64_t)shape->d_head, sizeof *all->z);
    all->kept = arena_alloc(a, (uint64_t)shape->d_head, sizeof *all->kept);
}

static void stream_look(void *state, const struct qkv_view *view, int head)
{
    struct stream *all = state;

    all->source = source_of(view, head, all->n_keys);
}

/* z becomes how far the row's output moves where the others' weights are divided by `mass`. */
static void move(struct stream *all, const struct metric_row *row, double mass, int first, int last)
{
    size_t size = (size_t)all->source.d * sizeof *all->z;

    memset(all->z, 0, size);
    memset(all->kept, 0, size);
    add_values(all->kept, &all->source, row, 0, first);
    add_values(all->kept, &all->source, row, last, row->query + 1);
    add_values(all->z, &all->source, row, first, last);
    for (int c = 0; c < all->source.d; c++)
        all->z[c] += all->kept[c];
    all->whole += squared(&all->source, all->z);
    for (int c = 0; c < all->source.d; c++)
        all->z[c] -= mass > 0 ? all->kept[c] / mass : 0;
    all->moved += squared(&all->source, all->z);
}

static double mass_of(const struct metric_row *row, int from, int to)
{
    double sum = 0;

    for (int j = from; j < to; j++)
        sum += metric_weight(row, j);
    return sum;
}

static void stream_take(void *state, const struct metric_row *rows, int n)
{
    struct stream *all = state;
    int first = all->opts->stream_first, last = rows->query + 1 - all->opts->stream_last;
    double mass, null = isnan(rows->null_mass) ? 0 : rows->null_mass;   /* which is kept */

    (void)n;
    all->looks_ahead = all->looks_ahead || metric_looks_ahead(rows);
    if (all->looks_ahead || rows->n_visible <= first + all->opts->stream_last)
        return;
    mass = mass_of(rows, 0, first) + mass_of(rows, last, rows->query + 1) + null;
    all->omitted += 1 - mass;
    all->n++;
    if (all->source.v != NULL)
        move(all, rows, mass, first, last);
}

static bool stream_dev(const void *state, int layer, int head, double *v)
{
    const struct stream *all = state;

    (void)layer;
    (void)head;
    *v = sqrt(all->moved / all->whole);
    return !all->looks_ahead && all->whole > 0;
}

static bool stream_omitted(const void *state, int layer, int head, double *v)
{
    const struct stream *all = state;

    (void)layer;
    (void)head;
    *v = all->omitted / all->n;
    return !all->looks_ahead && all->n > 0;
}

static const struct metric_state stream = { SCOPE_HEAD, stream_size, stream_take,
                                            .look = stream_look, .start = stream_start };

/* Source: Xiao et al. 2024 (StreamingLLM), of one head by itself. */
const struct metric_rule metric_stream_dev = { .state = &stream, .value = stream_dev };
const struct metric_rule metric_stream_omitted = { .state = &stream, .value = stream_omitted };

/* ---- how long it is ---- */

struct written {
    int n_heads, n_keys;
    double *z;                  /* [d_head] */
    struct of_head {
        struct source source;
        double squares;         /* sum over rows */
        int n;
    } *head;                    /* [n_heads] */
};

static size_t written_size(const struct metric_shape *shape)
{
    (void)shape;
    return sizeof(struct written);
}

static void written_start(void *state, const struct metric_shape *shape, struct arena *a)
{
    struct written *all = state;

    all->n_heads = shape->n_heads;
    all->n_keys = shape->n_keys;
    all->z = arena_alloc(a, (uint64_t)shape->d_head, sizeof *all->z);
    all->head = arena_alloc(a, (uint64_t)shape->n_heads, sizeof *all->head);
}

static void written_look(void *state, const struct qkv_view *view, int head)
{
    struct written *all = state;

    all->head[head].source = source_of(view, head, all->n_keys);
}

static void written_take(void *state, const struct metric_row *rows, int n)
{
    struct written *all = state;

    for (int i = 0; i < n; i++) {
        struct of_head *head = &all->head[rows[i].head];

        if (head->source.v == NULL)
            continue;
        memset(all->z, 0, (size_t)head->source.d * sizeof *all->z);
        add_values(all->z, &head->source, &rows[i], 0, all->n_keys);
        head->squares += squared(&head->source, all->z);
        head->n++;
    }
}

static double rms(const struct of_head *head)
{
    return head->n > 0 ? sqrt(head->squares / head->n) : 0;
}

static bool write_rms(const void *state, int layer, int head, double *v)
{
    const struct written *all = state;
    double sum = 0;
    int n = 0;

    (void)layer;
    for (int h = 0; h < all->n_heads; h++) {
        sum += rms(&all->head[h]);
        n += all->head[h].n > 0;
    }
    *v = rms(&all->head[head]) / (sum / n);
    return all->head[head].n > 0 && sum > 0;
}

static const struct metric_state written = { SCOPE_LAYER, written_size, written_take,
                                             .look = written_look, .start = written_start };

const struct metric_rule metric_write_rms = { .state = &written, .value = write_rms };

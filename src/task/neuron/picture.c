/* SPDX-License-Identifier: MIT
 * The query and its visible keys as bands of colours, their products, scores and weights. */
#include <math.h>
#include <stdlib.h>

#include "draw/figure/bands.h"
#include "task/neuron/neuron.h"

/* k, q x k, q.k, what is added, the score, the weight. */
enum { MOST_FIELDS = 5 + N_NEURON_PART };

/* More keys than these would be higher than any page. */
enum { MOST_KEYS = 100 };

/* The keys that are drawn, one after the other. */
struct keys {
    const struct neuron *n;
    struct arena *a;
    bool cut;                   /* to those of the greatest weight */
    int count;
    int *at;                    /* [count] positions */
    int *place;                 /* [S] which of them; -1: none */
};

struct ranked { float weight; int at; };

/* Of equal weights the first. */
static int by_weight(const void *x, const void *y)
{
    const struct ranked *a = x, *b = y;

    return a->weight != b->weight ? (a->weight < b->weight) - (a->weight > b->weight) :
                                    a->at - b->at;
}

/* [S] which keys are drawn: those that the query sees, of many the strongest. */
static const bool *choose_keys(const struct neuron *neuron, struct arena *a, bool *cut)
{
    struct ranked *ranked = arena_alloc(a, (size_t)neuron->S, sizeof *ranked);
    bool *drawn = arena_alloc(a, (size_t)neuron->S, sizeof *drawn);
    int count = 0;

    for (int s = 0; s < neuron->S; s++)
        if (!neuron->hidden[s])
            ranked[count++] = (struct ranked){ neuron->weight[s], s };
    *cut = count > MOST_KEYS;
    if (*cut)
        qsort(ranked, (size_t)count, sizeof *ranked, by_weight);
    for (int i = 0; i < count && i < MOST_KEYS; i++)
        drawn[ranked[i].at] = true;
    return drawn;
}

static struct keys keys_of(const struct neuron *neuron, struct arena *a)
{
    struct keys keys = { .n = neuron, .a = a, .at = arena_alloc(a, (size_t)neuron->S, sizeof(int)),
                         .place = arena_alloc(a, (size_t)neuron->S, sizeof(int)) };
    const bool *drawn = choose_keys(neuron, a, &keys.cut);

    for (int s = 0; s < neuron->S; s++) {
        keys.place[s] = drawn[s] ? keys.count : -1;
        if (drawn[s])
            keys.at[keys.count++] = s;
    }
    return keys;
}

/* ---- numbers ---- */

static float *neuron_picture_rows_of(const struct keys *keys, int n_cols)
{
    return arena_alloc(keys->a, (uint64_t)keys->count, (uint64_t)n_cols * sizeof(float));
}

static const float *key_values(const struct keys *keys)
{
    int d = keys->n->d;
    float *value = neuron_picture_rows_of(keys, d);

    for (int i = 0; i < keys->count; i++)
        for (int c = 0; c < d; c++)
            value[(int64_t)i * d + c] = keys->n->k[(int64_t)keys->at[i] * d + c];
    return value;
}

static const float *neuron_picture_products(const struct keys *keys)
{
    int d = keys->n->d;
    float *value = neuron_picture_rows_of(keys, d);

    for (int i = 0; i < keys->count; i++)
        for (int c = 0; c < d; c++)
            value[(int64_t)i * d + c] = neuron_product(keys->n, keys->at[i], c);
    return value;
}

static const float *dots(const struct keys *keys)
{
    float *value = neuron_picture_rows_of(keys, 1);

    for (int i = 0; i < keys->count; i++)
        value[i] = (float)keys->n->dot[keys->at[i]];
    return value;
}

/* Of x [S]. */
static const float *chosen(const struct keys *keys, const float *x)
{
    float *value = neuron_picture_rows_of(keys, 1);

    for (int i = 0; i < keys->count; i++)
        value[i] = x[keys->at[i]];
    return value;
}

static float neuron_largest(const float *value, int64_t n)
{
    float most = 0.0f;

    for (int64_t i = 0; i < n; i++)
        if (isfinite(value[i]))
            most = fmaxf(most, fabsf(value[i]));
    return most;
}

/* ---- fields ---- */

/* From -most to most; all 0: any range has them in its middle. */
static struct bands_field signed_field(const char *title, int n_cols, const float *value,
                                       float most, const char *bar)
{
    most = most > 0.0f ? most : 1.0f;
    return (struct bands_field){ title, n_cols, value, cmap_find("bluered"), -most, most, bar };
}

static struct bands_field number_field(const struct keys *keys, const char *title,
                                       const float *value)
{
    return signed_field(title, 1, value, neuron_largest(value, keys->count), NULL);
}

static int fields_of(const struct neuron_job *job, const struct keys *keys,
                     struct bands_field *field)
{
    static const char *const titles[N_NEURON_PART] = {
        "+ position", "+ q position", "+ k position", "+ segment", "+ copies", "+ mask"
    };
    const struct neuron *n = keys->n;
    const float *k = key_values(keys), *product = neuron_picture_products(keys), *weight;
    int64_t size = (int64_t)keys->count * n->d;
    int count = 0;

    field[count++] = signed_field(
        "k", n->d, k, fmaxf(neuron_largest(k, size), neuron_largest(n->q, n->d)), "q, k");
    field[count++] = signed_field("q × k", n->d, product, neuron_largest(product, size), "q × k");
    field[count++] = number_field(keys, "q·k", dots(keys));
    for (int i = 0; i < N_NEURON_PART; i++)
        if (job->has[i])
            field[count++] = number_field(keys, titles[i], chosen(keys, n->part[i]));
    field[count++] = number_field(keys, "score", chosen(keys, n->score));
    weight = chosen(keys, n->weight);
    field[count++] = (struct bands_field){
        "softmax", 1, weight, cmap_find("Blues"), 0.0f,
        neuron_largest(weight, keys->count) > 0.0f ? neuron_largest(weight, keys->count) : 1.0f,
        NULL
    };
    return count;
}

/* ---- the sheet ---- */

/* "; drawn: the 100 keys of the greatest weight, which hold 93% of the row"; may be empty. */
static const char *cut_text(const struct keys *keys, struct arena *a)
{
    double held = 0.0;

    for (int i = 0; i < keys->count; i++)
        held += keys->n->weight[keys->at[i]];
    return !keys->cut ? "" :
           arena_printf(a, "; drawn: the %d keys of the greatest weight, which hold %.3g%% of the "
                        "row", keys->count, 100.0 * held);
}

static const char *caption_of(const struct neuron_job *job, struct arena *a,
                              const struct item *item, const struct keys *keys)
{
    const struct session *s = &job->job.s;

    return arena_printf(a, "%s%s%s; %s%s; each column of numbers has its own range of colours.",
                        s->model->name, figure_text(a, item), figure_changes(a, s->asked),
                        neuron_lead(job, a, item, keys->n), cut_text(keys, a));
}

static int neuron_picture_check_width(const struct figure_args *figure, const struct sheet *sheet,
                                      enum draw_format format, struct arena *a, struct err *e)
{
    double least;

    if (figure->width == NULL)
        return 0;
    least = bands_least(sheet, format, a);
    if (least <= sheet->width_px)
        return 0;
    return err_set(e, ERR_USAGE, "--width %s: numbers and labels leave no room for q and k; "
                   "expected at least %.0fmm, or a smaller --font-size", figure->width,
                   ceil(least * 25.4 / 100.0));
}

int neuron_draw(const struct neuron_job *job, struct arena *a, const struct item *item,
                const struct neuron *neuron, const char *path, struct err *e)
{
    const struct figure_args *figure = &job->args->shared.figure;
    const struct output *output = &job->job.results.output;
    const struct session *s = &job->job.s;
    enum draw_format format = figure_format(output);
    struct keys keys = keys_of(neuron, a);
    struct bands_field field[MOST_FIELDS];
    struct bands bands = {
        .n_rows = keys.count, .field = field, .lead = neuron->q, .lead_title = "q",
        .lead_label = records_token(a, session_queries(s, item), neuron->row),
    };
    struct part part = bands_part(&bands);
    struct sheet sheet = figure_sheet(figure, &part, caption_of(job, a, item, &keys),
                                      figure_metadata_run(s, a, item));

    if (keys.count == 0)
        return err_set(e, ERR_INPUT, "%s: the query sees no key",
                       neuron_lead(job, a, item, neuron));
    sheet.terminal = &output->terminal;
    bands.n_fields = fields_of(job, &keys, field);
    bands.rows = figure_labels(a, session_keys(s, item), keys.place, keys.count);
    if (neuron_picture_check_width(figure, &sheet, format, a, e) != 0)
        return -1;
    return sheet_write(&sheet, format, path, s->env->warn, e);
}

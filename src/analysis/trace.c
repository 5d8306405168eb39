/* SPDX-License-Identifier: MIT
 * Rows of attention and residual streams -> those of one token. */
#include "analysis/trace.h"

#include <math.h>
#include <string.h>

#include "analysis/effect.h"
#include "base/elementary.h"

static float *trace_undefined(struct arena *a, const struct model *model, int n)
{
    size_t count = (size_t)model->config.n_layers * (size_t)model->config.n_heads;
    float *x = arena_alloc(a, count, (size_t)n * sizeof *x);

    for (size_t i = 0; i < count * (size_t)n; i++)
        x[i] = NAN;
    return x;
}

static size_t stream_width(const struct model *model)
{
    return (size_t)(model->config.streams.n > 0 ? model_stream_width(model) :
                                                  model_end_width(model));
}

struct trace *trace_new(struct arena *a, const struct model *model, enum stack_id stack, int at,
                        int T, int S, bool streams)
{
    struct trace *t = arena_alloc(a, 1, sizeof *t);

    *t = (struct trace){ .m = model, .stack = stack, .at = at, .T = T, .S = S };
    t->row = trace_undefined(a, model, S);
    if (stack != STACK_CROSS)
        t->column = trace_undefined(a, model, T);
    if (streams)
        t->stream = arena_alloc(a, (size_t)model->config.n_layers,
                                stream_width(model) * sizeof *t->stream);
    return t;
}

/* ---- the tap ---- */

static void enter(void *self, int layer, enum stack_id stack, const float *x, const float *x2,
                  int n_rows, int D)
{
    const struct trace *t = self;
    size_t from = (size_t)t->at * (size_t)D, bytes = (size_t)D * sizeof *x;
    float *to = t->stream + (size_t)layer * stream_width(t->m);

    (void)n_rows;
    if (stack != t->m->family->stack_id)
        return;
    if (x2 != x) {
        memcpy(to, x2 + from, bytes);
        to += D;
    }
    memcpy(to, x + from, bytes);
}

struct tap trace_tap(struct trace *trace)
{
    return (struct tap){ .enter = enter, .self = trace };
}

/* ---- the sink ---- */

static bool trace_sees(const struct rows *rows, int row, int key)
{
    size_t at = (size_t)row * rows->stride + (size_t)key;

    return rows->hidden == NULL || rows->hidden[at] == 0;
}

static void trace_take(void *self, const struct rows *rows, int n_heads)
{
    const struct trace *t = self;
    size_t head = (size_t)rows->layer * (size_t)t->m->config.n_heads + (size_t)rows->head;
    int row = t->at - rows->row0, key = t->at - rows->key0;

    (void)n_heads;
    if (rows->stack != (int)t->stack)
        return;
    for (int j = 0; row >= 0 && row < rows->n_rows && j < rows->n_keys; j++)
        if (trace_sees(rows, row, j))
            t->row[head * (size_t)t->S + (size_t)(rows->key0 + j)] =
                      rows->weight[(size_t)row * rows->stride + (size_t)j];
    for (int i = 0; t->column != NULL && key >= 0 && key < rows->n_keys && i < rows->n_rows; i++)
        if (trace_sees(rows, i, key))
            t->column[head * (size_t)t->T + (size_t)(rows->row0 + i)] =
                      rows->weight[(size_t)i * rows->stride + (size_t)key];
}

struct sink trace_sink(struct trace *trace)
{
    return (struct sink){ SINK_HEAD, trace_take, NULL, trace };
}

/* ---- numbers ---- */

void trace_mean(double *out, const float *x, int H, int n)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        int count = 0;

        for (int h = 0; h < H; h++) {
            float weight = x[(size_t)h * (size_t)n + (size_t)i];

            if (isnan(weight))
                continue;
            sum += (double)weight;
            count++;
        }
        out[i] = count > 0 ? sum / count : NAN;
    }
}

int trace_largest(const double *x, int n)
{
    int best = -1;

    for (int i = 0; i < n; i++)
        if (!isnan(x[i]) && (best < 0 || x[i] > x[best]))
            best = i;
    return best;
}

void trace_guesses(struct trace_guess *guess, int k, const float *logits, int V)
{
    double log_sum = effect_log_sum(logits, V);
    int n = 0;

    for (int id = 0; id < V; id++) {
        int at = n < k ? n++ : k;

        if (at == k && !(logits[id] > logits[guess[k - 1].id]))
            continue;
        at = at == k ? k - 1 : at;
        for (; at > 0 && logits[id] > logits[guess[at - 1].id]; at--)
            guess[at] = guess[at - 1];
        guess[at].id = id;
    }
    for (int i = 0; i < n; i++)
        guess[i].p = elementary_exp((double)logits[guess[i].id] - log_sum);
}

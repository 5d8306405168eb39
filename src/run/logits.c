/* SPDX-License-Identifier: MIT
 * The last layer's output -> final norm -> output head. */
#include "run/logits.h"

#include <assert.h>
#include <string.h>

#include "base/elementary.h"
#include "nn/act.h"
#include "nn/nn.h"
#include "run/run.h"
#include "run/special/altup.h"
#include "run/stage.h"

/* ---- a classifier ---- */

/* The last row of a text whose token is not a pad; 0: all are. */
static int last_row(const struct pass *pass, int text)
{
    const int *id = pass->b->values == NULL ? pass->b->id + pass->b->start[text] : NULL;
    int i = pass_tokens(pass, text) - 1, pad = pass->m->config.head.pad_id;

    if (id == NULL || pad < 0)
        return i;
    while (i > 0 && id[i] == pad)
        i--;
    return i;
}

static int logits_row_of(const struct pass *pass, enum head_scope rows, int text)
{
    if (rows == HEAD_LAST_EOS)
        return pass->want->head_row[text];
    return rows == HEAD_LAST ? last_row(pass, text) :
           rows == HEAD_END ? pass_tokens(pass, text) - 1 : 0;
}

static void logits_mean(float *y, const float *x, int n, int width)
{
    for (int c = 0; c < width; c++) {
        double sum = 0;

        for (int i = 0; i < n; i++)
            sum += x[(int64_t)i * width + c];
        y[c] = (float)(sum / n);
    }
}

/* What the head reads of each text, side by side; of all rows, what there is.  *width: of one
 * row, before and after. */
static const float *head_reads(struct pass *pass, const float *hidden, int *width)
{
    enum head_scope rows = head_scope(&pass->m->config);
    int D = *width;
    float *read, *to;

    if (rows == HEAD_ALL)
        return hidden;
    if (rows == HEAD_FIRST_MEAN)
        *width = 2 * D;
    to = read = stage_floats(pass, (size_t)pass->b->n_texts, (size_t)*width);
    for (int t = 0; t < pass->b->n_texts; t++, to += *width) {
        const float *text = hidden + (int64_t)pass->b->start[t] * D;
        int n = pass_tokens(pass, t);

        if (rows == HEAD_MEAN)
            logits_mean(to, text, n, D);
        else if (rows == HEAD_OTHERS_MEAN)
            logits_mean(to, text + D, n - 1, D);
        else
            memcpy(to, text + (int64_t)logits_row_of(pass, rows, t) * D, (size_t)D * sizeof *to);
        if (rows == HEAD_FIRST_MEAN)
            logits_mean(to + D, text + D, n - 1, D);
    }
    return read;
}

static void classify(struct pass *pass, const float *hidden, int width)
{
    const struct param *slot = pass->m->slot, *dense = &slot[W_HEAD_DENSE];
    int rows = head_scope(&pass->m->config) == HEAD_ALL ? pass->N : pass->b->n_texts;

    assert(head_scope(&pass->m->config) != HEAD_LAST_EOS || pass->want->head_row != NULL);
    hidden = head_reads(pass, hidden, &width);
    if (dense->weight != NULL) {
        int narrow = dense->matrix.N;
        float *made = stage_floats(pass, (size_t)rows, (size_t)narrow);

        stage_linear(pass, made, narrow, hidden, width, rows, dense);
        head_act(&pass->m->config, made, (int64_t)rows * narrow);
        stage_norm(pass, made, made, rows, narrow, &slot[W_HEAD_NORM]);
        hidden = made;
        width = narrow;
    } else if (slot[W_HEAD_NORM].vector != NULL) {
        float *made = stage_floats(pass, (size_t)rows, (size_t)width);

        stage_norm(pass, made, hidden, rows, width, &slot[W_HEAD_NORM]);
        hidden = made;
    }
    stage_linear(pass, pass->want->logits, pass->m->n_logits, hidden, width, rows, &slot[W_HEAD]);
}

/* ---- tokens ---- */

/* out[n, V] += what the rest of the head makes of the last columns of hidden. */
static void add_rest(struct pass *pass, float *out, const float *hidden, int width, int n)
{
    const struct param *rest = &pass->m->slot[W_HEAD_REST];
    struct arena_mark mark = arena_mark(pass->call);
    int64_t V = pass->m->n_logits;
    float *room;

    if (rest->weight == NULL)
        return;
    room = stage_floats(pass, n < ROW_CHUNK ? (size_t)n : ROW_CHUNK, (size_t)V);
    for (int i = 0; i < n; i += ROW_CHUNK) {
        int count = n - i < ROW_CHUNK ? n - i : ROW_CHUNK;

        stage_linear(pass, room, V, hidden + (int64_t)i * width + width - rest->matrix.K, width,
                     count, rest);
        nn_add(out + i * V, room, count * V);
    }
    arena_reset(pass->call, mark);
}

/* out[n, V] of n rows of hidden; room [n, D] where the head has a dense layer. */
static void logits(struct pass *pass, float *out, const float *hidden, int n, float *room)
{
    const struct param *slot = pass->m->slot, *dense = &slot[W_HEAD_DENSE];
    const struct family *family = pass->m->family;
    struct param head = slot[W_HEAD];
    const struct config *config = &pass->m->config;
    float cap = (float)config->head.cap, scale = (float)config->head.scale;
    int64_t count = (int64_t)n * pass->m->n_logits;
    int width = pass->m->d_hidden;

    if (slot[W_HEAD_BIAS].vector != NULL)
        head.bias = slot[W_HEAD_BIAS].vector;
    if (dense->weight != NULL) {
        int narrow = dense->matrix.N;

        stage_linear(pass, room, narrow, hidden, width, n, dense);
        act_apply(family->has_head_act && !config->head.one_number ? family->head_act :
                                                                     config->act,
                  room, (int64_t)n * narrow);
        stage_norm(pass, room, room, n, narrow, &slot[W_HEAD_NORM]);
        hidden = room;
        width = narrow;
    }
    stage_linear(pass, out, pass->m->n_logits, hidden, width, n, &head);
    add_rest(pass, out, hidden, width, n);
    for (int64_t i = 0; scale > 0 && i < count; i++)
        out[i] *= scale;
    for (int64_t i = 0; cap > 0 && !pass->want->uncapped && i < count; i++)
        out[i] = cap * elementary_tanhf(out[i] / cap);
}

void run_logits(const struct model *model, const struct wanted *want, float *out,
                const float *hidden, int n, struct par *par, struct arena *call)
{
    struct arena_mark mark = arena_mark(call);
    struct pass pass = { .m = model, .want = want, .par = par, .call = call };
    const struct param *dense = &model->slot[W_HEAD_DENSE];
    float *room = NULL;

    assert(model->has_head && model->config.head.task == NULL);
    if (dense->weight != NULL)
        room = stage_floats(&pass, (size_t)n, (size_t)dense->matrix.N);
    logits(&pass, out, hidden, n, room);
    arena_reset(call, mark);
}

/* end[n, DIM_END] normed in place -> [n, d_hidden]: itself, or room. */
static const float *logits_finish(struct pass *pass, float *end, int n, float *room)
{
    const struct param *slot = pass->m->slot;
    int D = model_end_width(pass->m);

    stage_norm(pass, end, end, n, D, &slot[W_FINAL_NORM]);
    if (slot[W_FINAL_PROJ].weight == NULL)
        return end;
    stage_linear(pass, room, pass->m->d_hidden, end, D, n, &slot[W_FINAL_PROJ]);
    return room;
}

void run_hidden(const struct model *model, const struct wanted *want, float *out, float *stream,
                int n, struct par *par, struct arena *call)
{
    struct arena_mark mark = arena_mark(call);
    struct pass pass = { .m = model, .want = want, .par = par, .call = call };
    const float *hidden;

    if (model->config.streams.n > 0) {
        float *one = stage_floats(&pass, (size_t)n, (size_t)model->config.d_model);

        altup_merge(&pass, one, stream, n, out);
        stream = one;
    }
    hidden = logits_finish(&pass, stream, n, out);
    if (hidden != out)
        memcpy(out, hidden, (size_t)n * (size_t)model->d_hidden * sizeof *out);
    arena_reset(call, mark);
}

/* x[texts, D] = the row of each text of x[N, D] that is wanted. */
static void keep_wanted(const struct pass *pass, float *x)
{
    size_t D = (size_t)pass->m->config.d_model;

    for (int t = 0; t < pass->b->n_texts; t++)
        memmove(x + (size_t)t * D,
                x + (size_t)(pass->b->start[t] + pass->want->only_row[t]) * D, D * sizeof *x);
}

/* [N, 2 D]: [y1; y2] of each token. */
static float *both_streams(struct pass *pass)
{
    size_t D = (size_t)pass->m->config.d_model, N = (size_t)pass->N;
    float *end = arena_alloc_raw(pass->call, N * 2 * D, sizeof *end);

    for (size_t i = 0; i < N; i++) {
        memcpy(end + 2 * i * D, pass->x2 + i * D, D * sizeof *end);
        memcpy(end + (2 * i + 1) * D, pass->x + i * D, D * sizeof *end);
    }
    return end;
}

void logits_write(struct pass *pass)
{
    int width = pass->m->d_hidden;
    float *end = pass->x;
    const float *hidden;

    if (pass->want->hidden == NULL && pass->want->logits == NULL)
        return;
    assert(pass->want->only_row == NULL || pass->m->config.head.task == NULL);
    if (pass->want->only_row != NULL) {
        keep_wanted(pass, pass->x);
        if (pass_has_two_streams(pass))
            keep_wanted(pass, pass->x2);
        pass->N = pass->b->n_texts;
    }
    if (pass_has_two_streams(pass))
        end = both_streams(pass);
    hidden = logits_finish(pass, end, pass->N, pass->a);
    if (pass->want->hidden != NULL)
        memcpy(pass->want->hidden, hidden, (size_t)pass->N * (size_t)width * sizeof(float));
    if (pass->want->logits == NULL)
        return;
    if (pass->m->config.head.task != NULL)
        classify(pass, hidden, width);
    else
        logits(pass, pass->want->logits, hidden, pass->N, pass->a);
}

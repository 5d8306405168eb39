/* SPDX-License-Identifier: MIT
 * Attention of one layer: heads and texts are shared out, finished rows go to
 * the sinks. */
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "run/run_priv.h"

struct attend_job {
    const struct pass *p;
    const struct heads *heads;
    int layer;
    bool keep_out;          /* the heads' outputs are wanted */
    bool wanted;            /* rows of this layer go to the sinks */
    int *bad_row;           /* [texts, H] the first row that is not finite; -1 */
};

/* One head's buffers. */
struct head_room {
    float *packed, *weight;
    float *q, *rounded;         /* in lower precision: a block's queries, its weights */
    float *global_packed;   /* NULL: the text has no global rows */
    float *single;          /* NULL: its keys all stand once in the softmax */
    unsigned char *hidden;
    struct relative_terms terms;
    double entropy[ATTEND_ROWS];
    int n_visible[ATTEND_ROWS];
};

bool pass_has_global(const struct heads *h, int text)
{
    int start, n;

    if (h->global == NULL)
        return false;
    start = h->key_start[text];
    n = h->key_start[text + 1] - start;
    return memchr(h->global + start, 1, (size_t)n) != NULL;
}

static bool has_copies(const struct heads *h, int text)
{
    return h->copies != NULL && h->copies[text].copies > 1;
}

static void room_alloc(struct head_room *r, struct arena *scratch, const struct heads *h,
                       const struct attend *at, int text)
{
    size_t block = ATTEND_ROWS * attend_stride(at->S);
    size_t packed = attend_packed(at->S, at->d, at->d_v);

    r->packed = arena_alloc_raw(scratch, packed, sizeof(float));
    if (at->precision != PRECISION_F32) {
        r->q = arena_alloc_raw(scratch, ATTEND_ROWS * (size_t)at->d, sizeof(float));
        r->rounded = arena_alloc_raw(scratch, block, sizeof(float));
    }
    r->weight = arena_alloc_raw(scratch, block, sizeof(float));
    r->hidden = arena_alloc_raw(scratch, block, 1);
    r->global_packed = !pass_has_global(h, text) ? NULL :
                       arena_alloc_raw(scratch, packed, sizeof(float));
    r->single = !has_copies(h, text) ? NULL :
                arena_alloc_raw(scratch, block, sizeof(float));
}

/* Marks what rows see of the block's keys by lo and hi; true: not all. */
static bool mark_range(struct head_room *r, const struct attend *at,
                       const struct rows *rows)
{
    bool any = false;

    for (int t = 0; t < rows->n_rows; t++) {
        int64_t i = rows->row0 + at->offset + t;
        int64_t first = at->lo == INT_MAX ? 0 : i - at->lo;
        int64_t end = at->hi == INT_MAX ? at->S : i + at->hi + 1;
        unsigned char *h = r->hidden + (size_t)t * rows->stride;

        first = first < rows->key0 ? 0 : first - rows->key0;
        end = end - rows->key0 > rows->n_keys ? rows->n_keys : end - rows->key0;
        r->n_visible[t] = (int)(end - first);
        if (r->n_visible[t] == rows->n_keys) {
            memset(h, 0, (size_t)rows->n_keys);
            continue;
        }
        memset(h, 1, (size_t)rows->n_keys);
        memset(h + first, 0, (size_t)(end - first));
        any = true;
    }
    return any;
}

bool pass_hides(const struct heads *h)
{
    return h->hide != NULL || mask_hides(h->mask);
}

void pass_hide(const struct heads *h, const struct mask_view *v, int text,
               unsigned char *hidden, size_t stride, int row0, int n_rows, int key0,
               int n_keys)
{
    if (h->hide != NULL)
        h->hide(h->hide_self, text, (int)v->head, hidden, stride, row0, n_rows, key0,
                n_keys);
    if (mask_hides(h->mask))
        mask_hide(v, hidden, stride, row0, n_rows, key0, n_keys);
}

/* The same with the keys that single rows do not see. */
static bool mark_all(struct head_room *r, const struct attend *at, const struct heads *h,
                     const struct mask_view *mask, const struct rows *rows)
{
    bool any = mark_range(r, at, rows);

    if (!pass_hides(h))
        return any;
    pass_hide(h, mask, rows->text, r->hidden, rows->stride, rows->row0 + at->offset,
              rows->n_rows, rows->key0, rows->n_keys);
    for (int t = 0; t < rows->n_rows; t++) {
        const unsigned char *row = r->hidden + (size_t)t * rows->stride;

        r->n_visible[t] = 0;
        for (int s = 0; s < rows->n_keys; s++)
            r->n_visible[t] += row[s] == 0;
    }
    return true;
}

static struct attend attend_of(const struct attend_job *j, int text)
{
    const struct config *c = &j->p->m->config;
    const struct heads *h = j->heads;
    const struct kept *kept = h->kept != NULL ? &h->kept[text] : NULL;
    bool all = pass_has_global(h, text);

    return (struct attend){
        .S = kept != NULL ? kept->n_keys : h->key_start[text + 1] - h->key_start[text],
        .offset = kept != NULL ? kept->offset : 0,
        .d = c->d_head, .d_v = c->d_value, .scale = j->p->m->layer[j->layer].scale,
        .lo = all ? INT_MAX : h->lo, .hi = all ? INT_MAX : h->hi,
        .cap = (float)c->score_cap, .precision = pass_precision(j->p),
    };
}

static int n_queries(const struct attend_job *j, int text)
{
    return j->p->b->start[text + 1] - j->p->b->start[text];
}

/* What the model itself adds to the scores of one head; terms: room for what it reads. */
static void set_bias(const struct pass *p, const struct heads *h, int text, int head,
                     struct relative_terms *terms, struct attend *at)
{
    if (has_copies(h, text))
        at->term[0] = (struct score_term){ bias_copies, &h->copies[text] };
    else if (h->terms != NULL)
        at->term[0] = h->terms[text * p->m->config.n_heads + head];
    else if (h->biased && p->relative != NULL)
        relative_terms(p, h, text, head, terms, at);
    else if (h->biased && p->m->alibi != NULL)
        at->term[0] = (struct score_term){ bias_alibi, &p->m->alibi[head] };
    else if (h->biased && p->m->buckets != NULL)
        at->term[0] = (struct score_term){ bias_buckets, &p->m->buckets[head] };
}

struct attend pass_attend_of(const struct pass *p, int l, const struct heads *h, int text,
                             int head)
{
    const struct attend_job j = { .p = p, .heads = h, .layer = l };
    struct attend at = attend_of(&j, text);

    set_bias(p, h, text, head, arena_alloc(p->call, 1, sizeof(struct relative_terms)), &at);
    return at;
}

static void pack_from(const struct attend_job *j, float *packed, const float *kv,
                      const struct attend *at, int first, int head)
{
    const struct config *c = &j->p->m->config;
    const struct heads *h = j->heads;
    int group = head / (c->n_heads / c->n_kv_heads);
    const float *row = kv + (int64_t)first * h->kv_stride;

    attend_pack(packed, row + h->k_at[group], h->kv_stride, row + h->v_at[group],
                h->kv_stride, at->S, at->d, at->d_v);
    if (at->precision != PRECISION_F32)
        precision_round(at->precision, packed, packed,
                        (int64_t)attend_packed(at->S, at->d, at->d_v));
}

static void pack(const struct attend_job *j, struct head_room *r, const struct attend *at,
                 int text, int head)
{
    const struct heads *h = j->heads;

    if (h->kept != NULL)
        pack_from(j, r->packed, h->kept[text].kv, at, 0, head);
    else
        pack_from(j, r->packed, h->kv, at, h->key_start[text], head);
    if (r->global_packed != NULL)
        pack_from(j, r->global_packed, h->global_qkv, at, h->key_start[text], head);
}

/* A block's queries as its products read them. */
static const float *queries(struct head_room *r, const struct attend *at, const float *q,
                            int n, int64_t *stride)
{
    if (at->precision == PRECISION_F32)
        return q;
    for (int t = 0; t < n; t++)
        precision_round(at->precision, r->q + t * at->d, q + t * *stride, at->d);
    *stride = at->d;
    return r->q;
}

/* Rows of a block that are global, again, from their own projections. */
static void attend_global(const struct attend_job *j, struct head_room *r,
                          const struct attend *at, const struct rows *rows, float *out,
                          int64_t out_stride)
{
    const struct heads *h = j->heads;
    int64_t first = j->p->b->start[rows->text] + rows->row0;

    for (int t = 0; t < rows->n_rows; t++) {
        const float *q = h->global_qkv + (first + t) * h->q_stride + h->q_at[rows->head];
        struct attend own = *at;
        int64_t q_stride = h->q_stride;
        int key0, n_keys;

        if (!h->global[first + t])
            continue;
        q = queries(r, at, q, 1, &q_stride);
        own.hidden = at->hidden + (size_t)t * at->hidden_stride;
        attend_block(r->weight + (size_t)t * rows->stride, rows->stride, &key0, &n_keys,
                     &r->entropy[t], out != NULL ? out + t * out_stride : NULL,
                     out_stride, q, q_stride, r->global_packed, &own, rows->row0 + t, 1);
    }
}

/* The block's weights, those of several copies shared out among them. */
static const float *single_copies(struct head_room *r, const struct bias_copies *c,
                                  const struct rows *rows)
{
    memcpy(r->single, r->weight, (size_t)rows->n_rows * rows->stride * sizeof(float));
    for (int t = 0; t < rows->n_rows; t++)
        for (int s = 0; s < c->n_keys - rows->key0; s++)
            if (rows->row0 + t >= c->first && rows->row0 + t < c->end)
                r->single[(size_t)t * rows->stride + (size_t)s] /= (float)c->copies;
    return r->single;
}

/* One block of one head; *rows describes it for the sinks. */
static void attend_rows(const struct attend_job *j, struct head_room *r,
                        const struct attend *at, int text, int head, int row0,
                        struct rows *rows)
{
    const struct pass *p = j->p;
    const struct heads *h = j->heads;
    int T = n_queries(j, text), n = T - row0 < ATTEND_ROWS ? T - row0 : ATTEND_ROWS;
    int64_t row = p->b->start[text] + row0, z_width = p->m->config.n_heads * at->d_v;
    int *bad = &j->bad_row[text * p->m->config.n_heads + head];
    struct attend own = *at;
    float *out = j->keep_out ? p->z + row * z_width + head * at->d_v : NULL;
    const struct mask_view mask = { h->mask, pass_number(p, text), head, at->S };
    int64_t q_stride = h->q_stride;
    const float *q = queries(r, at, h->q + row * q_stride + h->q_at[head], n, &q_stride);

    own.round_room = r->rounded;
    set_bias(p, h, text, head, &r->terms, &own);
    *rows = (struct rows){
        .text = text, .stack = (int)h->stack, .layer = j->layer,
        .head = head, .row0 = row0, .n_rows = n, .n_queries = T,
        .n_all_keys = at->S, .stride = attend_stride(at->S), .weight = r->weight,
        .entropy = r->entropy, .n_visible = r->n_visible,
    };
    attend_keys(at, row0, n, &rows->key0, &rows->n_keys);
    if ((j->wanted || pass_hides(h)) && mark_all(r, at, h, &mask, rows))
        rows->hidden = r->hidden;
    if (mask_adds(h->mask))
        own.term[SCORE_TERMS - 1] = (struct score_term){ mask_add, &mask };
    if (pass_hides(h)) {
        own.hidden = r->hidden;
        own.hidden_stride = rows->stride;
    }
    attend_block(r->weight, rows->stride, &rows->key0, &rows->n_keys, r->entropy,
                 out, z_width, q, q_stride, r->packed, &own, row0, n);
    if (r->global_packed != NULL)
        attend_global(j, r, &own, rows, out, z_width);
    if (r->single != NULL && j->wanted)
        rows->single = single_copies(r, &h->copies[text], rows);
    for (int t = 0; t < n && *bad < 0; t++)
        if (!isfinite(r->entropy[t]))
            *bad = at->offset + row0 + t;
}

static void give(const struct pass *p, enum sink_scope scope, const struct rows *rows,
                 int n_heads)
{
    for (int s = 0; s < p->n_sinks; s++)
        if (p->sinks[s].scope == scope)
            p->sinks[s].take(p->sinks[s].self, rows, n_heads);
}

static bool head_wanted(const struct attend_job *j, int head)
{
    return j->wanted && (j->p->want->head == NULL || j->p->want->head[head]);
}

/* A text and a head: its row blocks in order. */
static void head_task(void *self, int i, struct arena *scratch)
{
    const struct attend_job *j = self;
    int H = j->p->m->config.n_heads, text = i / H, head = i % H;
    struct attend at = attend_of(j, text);
    struct head_room r = { 0 };

    if (!j->keep_out && !head_wanted(j, head))
        return;
    room_alloc(&r, scratch, j->heads, &at, text);
    pack(j, &r, &at, text, head);
    for (int row0 = 0; row0 < n_queries(j, text); row0 += ATTEND_ROWS) {
        struct rows rows;

        attend_rows(j, &r, &at, text, head, row0, &rows);
        if (head_wanted(j, head))
            give(j->p, SINK_HEAD, &rows, 1);
    }
}

/* What goes through its row blocks together with others. */
struct member {
    int text, head;
    struct attend at;
    struct head_room room;
};

/* Each row block of all members, for sinks of this scope that compare them. */
static void attend_together(const struct attend_job *j, struct member *m, int n,
                            enum sink_scope scope, struct arena *scratch)
{
    struct rows *rows = arena_alloc(scratch, (size_t)n, sizeof *rows);

    for (int i = 0; i < n; i++) {
        m[i].at = attend_of(j, m[i].text);
        room_alloc(&m[i].room, scratch, j->heads, &m[i].at, m[i].text);
        pack(j, &m[i].room, &m[i].at, m[i].text, m[i].head);
    }
    for (int row0 = 0; row0 < n_queries(j, m[0].text); row0 += ATTEND_ROWS) {
        int given = 0;

        for (int i = 0; i < n; i++) {
            attend_rows(j, &m[i].room, &m[i].at, m[i].text, m[i].head, row0,
                        &rows[given]);
            if (head_wanted(j, m[i].head))
                give(j->p, SINK_HEAD, &rows[given++], 1);
        }
        if (given > 0)
            give(j->p, scope, rows, given);
    }
}

static void layer_task(void *self, int text, struct arena *scratch)
{
    const struct attend_job *j = self;
    int H = j->p->m->config.n_heads;
    struct member *m = arena_alloc(scratch, (size_t)H, sizeof *m);

    for (int h = 0; h < H; h++) {
        m[h].text = text;
        m[h].head = h;
    }
    attend_together(j, m, H, SINK_LAYER, scratch);
}

static void texts_task(void *self, int head, struct arena *scratch)
{
    const struct attend_job *j = self;
    int n = j->p->b->n_texts;
    struct member *m = arena_alloc(scratch, (size_t)n, sizeof *m);

    for (int t = 0; t < n; t++) {
        m[t].text = t;
        m[t].head = head;
    }
    attend_together(j, m, n, SINK_TEXTS, scratch);
}

/* Shares the layer out as its sinks want their rows. */
static void share_out(struct pass *p, struct attend_job *j)
{
    int n_texts = p->b->n_texts, H = p->m->config.n_heads;
    bool has[SINK_TEXTS + 1] = { false };

    for (int s = 0; s < p->n_sinks; s++)
        has[p->sinks[s].scope] = true;
    assert(!has[SINK_LAYER] || !has[SINK_TEXTS]);
    if (has[SINK_LAYER])
        par_for(p->par, n_texts, layer_task, j);
    else if (has[SINK_TEXTS])
        par_for(p->par, H, texts_task, j);
    else
        par_for(p->par, n_texts * H, head_task, j);
}

/* The outputs of heads that are to say nothing become 0. */
static void silence(const struct pass *p, int l, enum stack_id stack)
{
    const struct config *c = &p->m->config;
    const struct change *change = p->want->change;
    size_t d = (size_t)c->d_value;

    if (change == NULL || change->silent == NULL || change->silent_stack != stack)
        return;
    for (int h = 0; h < c->n_heads; h++)
        for (int i = 0; change->silent[l * c->n_heads + h] && i < p->N; i++)
            memset(p->z + ((size_t)i * (size_t)c->n_heads + (size_t)h) * d, 0,
                   d * sizeof *p->z);
}

static int check_finite(const struct attend_job *j, struct err *e)
{
    int H = j->p->m->config.n_heads;

    for (int i = 0; i < j->p->b->n_texts * H; i++)
        if (j->bad_row[i] >= 0)
            return err_set(e, ERR_INPUT, "%s: layer %d, head %d: the attention of row "
                           "%d is not finite: the weights hold NaN or infinities, or "
                           "overflow", j->p->m->name, j->layer, i % H, j->bad_row[i]);
    return 0;
}

bool pass_wants(const struct pass *p, int l, enum stack_id stack)
{
    const struct wanted *w = p->want;

    return p->n_sinks > 0 && (w->layer == NULL || w->layer[l]) &&
           (w->stacks == 0 || (w->stacks >> stack & 1) != 0);
}

int pass_attend(struct pass *p, int l, const struct heads *h, bool keep_out,
                struct err *e)
{
    int n_texts = p->b->n_texts, n = n_texts * p->m->config.n_heads;
    struct arena_mark mark = arena_mark(p->call);
    struct attend_job j = { .p = p, .heads = h, .layer = l, .keep_out = keep_out,
                            .wanted = pass_wants(p, l, h->stack) };
    bool replaced = false;
    int rc;

    if (pass_tap(p, l, h, &replaced, e) != 0)
        return -1;
    if (replaced)
        return 0;
    j.bad_row = arena_alloc_raw(p->call, (size_t)n, sizeof *j.bad_row);
    memset(j.bad_row, 0xff, (size_t)n * sizeof *j.bad_row);     /* -1 */
    share_out(p, &j);
    if (keep_out)
        silence(p, l, h->stack);
    rc = check_finite(&j, e);
    arena_reset(p->call, mark);
    for (int t = 0; rc == 0 && j.wanted && t < n_texts; t++)
        for (int s = 0; s < p->n_sinks; s++)
            if (p->sinks[s].done != NULL)
                p->sinks[s].done(p->sinks[s].self, t, l);
    return rc;
}

/* SPDX-License-Identifier: MIT
 * A text -> a pass whose streams are stored, and passes that resume at one of its layers with
 * replaced outputs of some heads. */
#include <assert.h>
#include <string.h>

#include "task/ablate/ablate.h"
#include "nn/visible.h"

/* Tokens of a pass over copies of a text, one at least. */
enum { PASS_TOKENS = 4096 };

static bool is_pair(const struct ablate_run *run)
{
    return run->encoded != NULL;
}

/* The encoder of a pair runs first; all else is the second of a pair, or the only one. */
static int ablate_pass_side_of(const struct ablate_run *run, enum stack_id stack)
{
    return is_pair(run) && stack == STACK_ENCODER ? 0 : 1;
}

static int ablate_pass_width_of(const struct ablate_job *job, enum stack_id stack)
{
    const struct config *config = &ablate_model(job, stack)->config;

    return config->n_heads * config->d_value;
}

/* ---- what is kept ---- */

static void keep_streams(void *self, int layer, enum stack_id stack, const float *x,
                         const float *x2, int n_rows, int D)
{
    const struct ablate_run *r = self;
    int side = ablate_pass_side_of(r, stack);
    size_t size = (size_t)n_rows * (size_t)D * sizeof *x;

    memcpy(r->x[side][layer], x, size);
    if (x2 != x)
        memcpy(r->x2[side][layer], x2, size);
}

static void keep_outputs(void *self, int layer, enum stack_id stack, const float *z,
                         int n_rows, int width)
{
    const struct ablate_run *r = self;

    memcpy(r->z[stack][layer], z, (size_t)n_rows * (size_t)width * sizeof *z);
}

/* ---- uniform attention ---- */

/* out[d] = the mean of the values that row i of the head sees; 0 where it sees none. */
static void mean_of_seen(const struct qkv_view *view, int head, int i, double *sum, float *out)
{
    const struct attend *at = &view->at[head];
    const float *value = view->kv + view->v_at[head / (view->H / view->G)];
    int n = 0;

    memset(sum, 0, (size_t)at->d_v * sizeof *sum);
    for (int s = 0; s < view->S; s++) {
        if (!visible(at, i, s))
            continue;
        for (int k = 0; k < at->d_v; k++)
            sum[k] += (double)value[s * view->kv_stride + k];
        n++;
    }
    for (int k = 0; k < at->d_v; k++)
        out[k] = n > 0 ? (float)(sum[k] / n) : 0;
}

static void uniform_rows(const struct qkv_view *view, int head, double *sum, float *out,
                         int64_t stride)
{
    for (int i = 0; i < view->T; i++)
        mean_of_seen(view, head, i, sum, out + i * stride);
}

/* All heads of all layers. */
static int keep_uniform(void *self, const struct qkv_view *view, struct err *e)
{
    const struct ablate_run *r = self;
    int d = view->at[0].d_v;
    int64_t width = (int64_t)view->H * d;

    (void)e;
    for (int h = 0; h < view->H; h++)
        uniform_rows(view, h, r->sum, r->uniform[view->stack][view->layer] + (int64_t)h * d, width);
    return 0;
}

/* ---- the pass that is kept ---- */

/* [L] of n floats each; n 0: NULL. */
static float **ablate_pass_layers(struct arena *a, int L, int64_t n)
{
    float **x = arena_alloc(a, (size_t)L, sizeof *x);

    for (int l = 0; n > 0 && l < L; l++)
        x[l] = arena_alloc_raw(a, (uint64_t)n, sizeof **x);
    return x;
}

/* Streams of the encoder of a pair (0), or of what ends in the output (1). */
static void streams_room(struct ablate_run *run, int side, const struct model *model, int n_rows)
{
    int64_t n = (int64_t)n_rows * model_stream_width(model);
    bool two = model->norm_place == PLACE_REVERSIBLE;

    run->x[side] = ablate_pass_layers(run->a, model->config.n_layers, n);
    run->x2[side] = two ? ablate_pass_layers(run->a, model->config.n_layers, n) : run->x[side];
}

static void outputs_room(struct ablate_run *run, enum stack_id stack, int n_rows, bool uniform)
{
    int L = ablate_model(run->j, stack)->config.n_layers;
    int64_t n = (int64_t)n_rows * ablate_pass_width_of(run->j, stack);

    run->z[stack] = ablate_pass_layers(run->a, L, n);
    run->uniform[stack] = ablate_pass_layers(run->a, L, uniform ? n : 0);
}

static void ablate_pass_make_room(struct ablate_run *run, bool keep_z, bool uniform)
{
    const struct ablate_job *j = run->j;
    const struct model *whole = j->job.s.model;
    enum stack_id own = j->m->family->stack_id;

    if (whole->decoder != NULL) {
        run->encoded = arena_alloc_raw(run->a, (size_t)run->S,
                                       (uint64_t)whole->config.d_model * sizeof(float));
        streams_room(run, 0, whole, run->S);
    }
    streams_room(run, 1, j->m, run->T);
    if (keep_z && whole->decoder != NULL)
        outputs_room(run, STACK_ENCODER, run->S, uniform);
    if (keep_z)
        outputs_room(run, own, run->T, uniform);
    if (keep_z && own != STACK_CROSS && (whole->decoder != NULL || model_has_cross(whole)))
        outputs_room(run, STACK_CROSS, run->T, uniform);
    run->sum = arena_alloc_raw(run->a, (uint64_t)j->widest, sizeof *run->sum);
    run->hidden = arena_alloc_raw(run->a, (size_t)run->T,
                                  (uint64_t)j->m->d_hidden * sizeof *run->hidden);
}

int ablate_run(struct ablate_run *run, bool keep_z, struct err *e)
{
    const struct ablate_job *j = run->j;
    const struct session *s = &j->job.s;
    bool uniform = keep_z && j->args->with == ABLATE_UNIFORM;
    struct tap tap = { .take = uniform ? keep_uniform : NULL, .enter = keep_streams,
                       .made = keep_z ? keep_outputs : NULL, .self = run };
    struct wanted want = { .rotations = j->job.want.rotations, .change = j->job.want.change,
                           .tap = &tap };
    struct texts texts;

    run->T = session_queries(s, &run->item)->n;
    run->S = s->model->decoder != NULL ? run->item.tokens.n : 0;
    ablate_pass_make_room(run, keep_z, uniform);
    want.hidden = run->hidden;
    want.encoded = run->encoded;
    texts_pack(&texts, run->a, &run->item, 1);
    return session_forward(s, &texts, &want, NULL, 0, run->a, e);
}

/* ---- passes with other outputs ---- */

/* A pass over a copy of the text for each set. */
struct rerun {
    const struct ablate_run *r;
    const struct ablate_set *set;
    int n;
    float *uniform;             /* [rows, H d_v] of the attention at hand */
};

static bool replaces(const struct rerun *k, int set, int head, int layer, enum stack_id stack)
{
    const struct ablate_head *at = &k->r->j->head[k->set[set].head[head]];

    return at->layer == layer && at->stack == stack;
}

/* Uniform rows of the heads that are replaced, where values may no longer be what they were. */
static int make_uniform(void *self, const struct qkv_view *view, struct err *e)
{
    struct rerun *k = self;
    int d = view->at[0].d_v;
    int64_t width = (int64_t)view->H * d;
    float *out = k->uniform + (int64_t)view->text * view->T * width;

    (void)e;
    for (int i = 0; view->text < k->n && i < k->set[view->text].n; i++) {
        int head = k->r->j->head[k->set[view->text].head[i]].head;

        if (replaces(k, view->text, i, view->layer, view->stack))
            uniform_rows(view, head, k->r->sum, out + (int64_t)head * d, width);
    }
    return 0;
}

/* What takes the place of row `row` of z; NULL: zeros. */
static const float *ablate_pass_value_of(const struct rerun *k, int set, int layer,
                                         enum stack_id stack, int row, int n_rows)
{
    const struct ablate_values *values = k->r->values;
    int64_t width = ablate_pass_width_of(k->r->j, stack);

    if (k->uniform != NULL)
        return k->uniform + ((int64_t)set * n_rows + row) * width;
    if (values == NULL)
        return NULL;
    return values->z[stack][layer] + (values->one_row ? 0 : row) * width;
}

static void ablate_pass_replace(const struct rerun *k, int set, int layer, enum stack_id stack,
                                int head, float *z, int n_rows)
{
    int64_t width = ablate_pass_width_of(k->r->j, stack);
    int d = ablate_model(k->r->j, stack)->config.d_value;

    for (int i = 0; i < n_rows; i++) {
        const float *value;
        float *to = z + i * width + (int64_t)head * d;

        if (k->set[set].row >= 0 && k->set[set].row != i)
            continue;
        value = ablate_pass_value_of(k, set, layer, stack, i, n_rows);
        if (value == NULL)
            memset(to, 0, (size_t)d * sizeof *to);
        else
            memcpy(to, value + (int64_t)head * d, (size_t)d * sizeof *to);
    }
}

static void intervene(void *self, int layer, enum stack_id stack, float *z, int n_rows)
{
    const struct rerun *k = self;
    int each = n_rows / k->n;

    for (int set = 0; set < k->n; set++)
        for (int i = 0; i < k->set[set].n; i++)
            if (replaces(k, set, i, layer, stack))
                ablate_pass_replace(k, set, layer, stack, k->r->j->head[k->set[set].head[i]].head,
                                    z + (int64_t)set * each * ablate_pass_width_of(k->r->j, stack),
                                    each);
}

/* n copies of x[size], one after the other. */
static float *repeat(struct arena *a, const float *x, int64_t size, int n)
{
    float *to = arena_alloc_raw(a, (uint64_t)n, (uint64_t)size * sizeof *to);

    for (int i = 0; i < n; i++)
        memcpy(to + i * size, x, (size_t)size * sizeof *to);
    return to;
}

/* The first attention that any of the sets changes. */
static void find_start(const struct ablate_run *run, const struct ablate_set *set, int n,
                       int *side, int *layer)
{
    *side = 1;
    *layer = run->j->m->config.n_layers - 1;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < set[i].n; k++) {
            const struct ablate_head *head = &run->j->head[set[i].head[k]];
            int its = ablate_pass_side_of(run, head->stack);

            if (its < *side || (its == *side && head->layer < *layer)) {
                *side = its;
                *layer = head->layer;
            }
        }
}

static void pack_copies(struct texts *texts, const struct ablate_run *run, int n, struct arena *a)
{
    struct item *copies = arena_alloc(a, (size_t)n, sizeof *copies);

    for (int i = 0; i < n; i++)
        copies[i] = run->item;
    texts_pack(texts, a, copies, n);
}

static int run_copies(const struct ablate_run *run, const struct ablate_set *set, int n,
                      float *hidden, struct arena *a, struct err *e)
{
    const struct ablate_job *j = run->j;
    const struct session *s = &j->job.s;
    struct rerun rerun = { .r = run, .set = set, .n = n };
    struct tap tap = { .take = make_uniform, .self = &rerun };
    struct intervention intervention = { intervene, &rerun };
    struct change change = *j->job.want.change;
    struct wanted want = { .rotations = j->job.want.rotations, .change = &change,
                           .hidden = hidden };
    const struct model *model;
    struct resume resume;
    struct memory memory;
    struct texts texts;
    int64_t size;
    int side, rows;

    find_start(run, set, n, &side, &resume.layer);
    rows = side == 0 ? run->S : run->T;
    model = side == 0 ? s->model : j->m;
    resume.layer = model_resume_layer(model, resume.layer);
    size = (int64_t)rows * model_stream_width(model);
    resume.x = repeat(a, run->x[side][resume.layer], size, n);
    resume.x2 = run->x2[side][resume.layer] == run->x[side][resume.layer] ? resume.x :
                repeat(a, run->x2[side][resume.layer], size, n);
    want.resume = &resume;
    change.intervention = &intervention;
    pack_copies(&texts, run, n, a);
    if (is_pair(run) && side == 1) {
        memory = (struct memory){
            .x = repeat(a, run->encoded, (int64_t)run->S * s->model->config.d_model, n),
            .start = texts.source.start };
        want.memory = &memory;
    }
    if (j->args->with == ABLATE_UNIFORM) {
        int most = run->S > run->T ? run->S : run->T;

        rerun.uniform = arena_alloc_raw(a, (uint64_t)n * (uint64_t)most,
                                        (uint64_t)j->widest * sizeof(float));
        want.tap = &tap;
    }
    return session_forward(s, &texts, &want, NULL, 0, a, e);
}

int ablate_group(const struct ablate_run *run, const struct ablate_set *set, int n_sets)
{
    int most = ablate_copies(run, PASS_TOKENS / (run->T + run->S)), n = 1, side, layer;

    find_start(run, set, 1, &side, &layer);
    while (n < n_sets && n < most) {
        int its, first;

        find_start(run, &set[n], 1, &its, &first);
        if (its != side || first != layer)
            break;
        n++;
    }
    return n;
}

int ablate_run_sets(const struct ablate_run *run, const struct ablate_set *set, int n_sets,
                    float *hidden, struct err *e)
{
    struct arena_mark mark = arena_mark(run->a);
    int status = run_copies(run, set, n_sets, hidden, run->a, e);

    assert(n_sets > 0);
    arena_reset(run->a, mark);
    return status;
}

/* SPDX-License-Identifier: MIT
 * One slot -> its weight and bias: found by name, checked for type and shape, decoded. */
#include "model/bind/bind_priv.h"

#include "base/bytes.h"
#include "base/str.h"
#include "model/quirks.h"

struct shape {
    int n;
    int d[4];
};

/* Rows that a convolution reads, the i-th of a waveform. */
static int taps_of(const struct config *c, const struct slot_row *row, int i)
{
    return row == &family_slots[W_WAVE] ? c->front.wave.width[i] :
           row == &family_slots[W_CONV] || row->kind == SLOT_KERNEL ? c->front.conv_width :
                                                                    CONV_WINDOW;
}

/* The waveform's convolution that a slot at this place is of. */
static int wave_of(const struct slot_row *row, struct where at)
{
    return row->count == PER_WAVE ? at.layer : 0;
}

/* What the weight of a slot must look like. */
static struct shape bind_slot_shape_of(const struct model *m, const struct slot_row *row,
                                       struct where at, bool in_out)
{
    const struct config *config = &m->config;
    int wave = wave_of(row, at), out = family_wave_dim(m->family, config, row->out, wave), in;
    int n = config->mlp_groups;

    if (row->in == DIM_NONE && row->group == OF_QK_NORM && m->family->qk_norm == QK_NORM_HEADS)
        return (struct shape){ 2, { out / config->d_head, config->d_head } };
    if (row->in == DIM_NONE)
        return (struct shape){ 1, { out } };
    in = family_wave_dim(m->family, config, row->in, wave);
    if (row->kind == SLOT_CONV || row->kind == SLOT_KERNEL)
        return (struct shape){ 3, { out, in, taps_of(config, row, wave) } };
    if (row->kind == SLOT_EXPERTS)
        return (struct shape){ 3, { config->experts.n, in_out ? in : out, in_out ? out : in } };
    if (family_slot_is_grouped(config, (enum slot)(row - family_slots)))
        return (struct shape){ 3, { n, in / n, out / n } };
    if (row->kind == SLOT_POINT)
        return (struct shape){ 3, { out, in, 1 } };
    if (row->kind == SLOT_ROWS || row->kind == SLOT_TAPS)
        return (struct shape){ 3, { out, 1, in } };
    if (row->kind == SLOT_COLUMNS)
        return (struct shape){ 3, { 1, out, in } };
    if (row->kind == SLOT_PATCH)
        return (
            struct shape){ 4,
                           { out, in, config->front.patch[0], config->front.patch[1] } };
    return (struct shape){ 2, { in_out ? in : out, in_out ? out : in } };
}

static char *shape_text(struct arena *a, const struct shape *s)
{
    char *text = arena_printf(a, "[%d", s->d[0]);

    for (int i = 1; i < s->n; i++)
        text = arena_printf(a, "%s,%d", text, s->d[i]);
    return arena_printf(a, "%s]", text);
}

/* What has heads and their columns apart, [D, H, d] for [D, H d]. */
static bool is_split(const struct tensor *t, const struct shape *want)
{
    int count = want->n;

    return t->n_dims == count + 1 && (count == 1 || t->shape[0] == want->d[0]) &&
           t->shape[count - 1] * t->shape[count] == want->d[count - 1];
}

/* Leading dimensions of 1 say nothing where a parameter is not part of a module: BART's
 * [1, V], ViT's [1, positions, D]. */
static int bind_slot_check(struct binder *b, const struct tensor *t, struct shape want, bool loose)
{
    int first = 0;
    bool same;

    if (!dtype_table[t->dtype].is_float)
        return err_set(b->e, ERR_INPUT, "%s: %s: holds %s, expected F32, F16, BF16 or F64",
                       t->file, t->name, dtype_table[t->dtype].name);
    while (loose && t->n_dims - first > want.n && t->shape[first] == 1)
        first++;
    same = t->n_dims - first == want.n;
    for (int i = 0; same && i < want.n; i++)
        same = t->shape[first + i] == want.d[i];
    same = same || (quirks_of(b->m->family)->heads_apart && is_split(t, &want));
    return same ? 0 :
           err_set(b->e, ERR_INPUT, "%s: %s: shape %s, expected %s", t->file, t->name,
                   tensor_shape(b->a, t), shape_text(b->a, &want));
}

static float *decode(struct arena *a, const struct tensor *t)
{
    float *v = arena_alloc(a, (uint64_t)t->n_elements, sizeof *v);

    tensor_read(v, t, 0, t->n_elements);
    return v;
}

/* [C, taps] of the file -> [taps, C]. */
static const float *decode_taps(struct binder *b, const struct tensor *t, int64_t C)
{
    float *v = decode(b->a, t), *out = arena_alloc(b->a, (uint64_t)t->n_elements, sizeof *out);
    int64_t n = t->n_elements / C;

    for (int64_t c = 0; c < C; c++)
        for (int64_t k = 0; k < n; k++)
            out[k * C + c] = v[c * n + k];
    return out;
}

static const float *decode_vector(struct binder *b, const struct slot_row *row,
                                  const struct tensor *t)
{
    float *v = decode(b->a, t);

    if (row->kind == SLOT_NORM && (b->m->family->norm == NORM_RMS_PLUS_ONE ||
                                   b->m->family->norm == NORM_LAYER_PLUS_ONE))
        for (int64_t i = 0; i < t->n_elements; i++)
            v[i] += 1;
    return v;
}

static const enum element element[N_DTYPE] = {
    [DTYPE_F16] = ELEMENT_F16, [DTYPE_BF16] = ELEMENT_BF16,
#define BLOCKS(name, type, n_elements, size_bytes) [DTYPE_##name] = ELEMENT_##name,
#include "base/blocks.def"
#undef BLOCKS
};

/* A kernel of more than two dimensions is a linear on all that its window holds; experts are
 * one below the other. */
static struct matrix matrix_of(const struct tensor *t, struct shape s, enum slot_kind kind,
                               bool in_out)
{
    const struct dtype_row *dtype = &dtype_table[t->dtype];
    bool plain = BYTES_IN_ORDER && t->dtype == DTYPE_F32 && t->maker == NULL &&
                 (uintptr_t)t->data % sizeof(float) == 0;
    int row = 1, n = s.d[0];

    if (kind == SLOT_EXPERTS)
        n *= s.d[1];
    for (int i = kind == SLOT_EXPERTS ? 2 : 1; i < s.n; i++)
        row *= s.d[i];
    return (struct matrix){
        .data = t->data, .size_bytes = dtype->size_bytes, .block = dtype->block,
        .to_f32 = plain ? NULL : dtype->to_f32,
        .make = t->maker != NULL ? t->maker->read : NULL, .maker = t->maker,
        .made_at = t->made_at, .codes = t->maker != NULL ? t->maker->codes : NULL,
        .made_size = (double)tensor_stored_bytes(t) / (double)t->n_elements,
        .element = element[t->dtype],
        .N = in_out ? row : n, .K = in_out ? n : row, .stride = row,
        .order_in_out = in_out,
    };
}

/* Of groups of columns, the matrix of the first: [in / groups, out / groups]. */
static struct matrix first_group(struct matrix w, struct shape s)
{
    w.N = s.d[2];
    w.K = s.d[1];
    w.stride = s.d[2];
    w.order_in_out = true;
    return w;
}

/* Norms of a family whose own kind divides by nothing, where they do. */
static const struct own_norm *own_norm(struct binder *b, enum slot slot)
{
    const struct family *family = b->m->family;
    const struct config *config = &b->m->config;
    double bare_eps = slot == W_EMB_NORM || slot == W_MLP_NORM ? quirks_of(family)->bare_eps : 0;
    struct own_norm *own;

    if (family->norm != NORM_AFFINE || (slot != W_HEAD_NORM && !config->norm.by_row))
        return NULL;
    own = arena_alloc(b->a, 1, sizeof *own);
    *own = (struct own_norm){ NORM_LAYER, bare_eps > 0 ? bare_eps : config->norm.eps };
    return own;
}

/* A norm that neither scales nor shifts. */
static int bind_plain_norm(struct binder *b, const struct slot_row *row, struct where at,
                           struct param *p)
{
    int count = family_wave_dim(b->m->family, &b->m->config, row->out, wave_of(row, at));
    float *one = arena_alloc(b->a, (size_t)count, sizeof *one);

    for (int i = 0; i < count; i++)
        one[i] = 1;
    p->vector = one;
    return 0;
}

/* A GGUF file has no keys that say it: there all layers have what one has. */
static enum bias_rule look_up_bias(struct binder *b, enum slot slot)
{
    const char *names = bind_names(b, slot);
    enum bias_rule rule = family_slot_bias(b->m->family, &b->m->config, slot);
    int count = family_slots[slot].count == PER_STACK ? 1 : bind_layers(b);

    if (weights_gguf(b->m->weights) == NULL || rule != BIAS_NEVER)
        return rule;
    for (int l = 0; l < count; l++)
        if (bind_bias_tensor(b, names, (struct where){ l, 0 }) != NULL)
            return BIAS_ALWAYS;
    return rule;
}

static enum bias_rule bias_rule_of(struct binder *b, enum slot slot)
{
    if (b->biased[slot] == BIAS_USUAL)
        b->biased[slot] = look_up_bias(b, slot);
    return b->biased[slot];
}

static int bind_bias(struct binder *b, enum slot slot, const char *names, struct where at,
                     struct param *p)
{
    const struct slot_row *row = &family_slots[slot];
    int out = family_wave_dim(b->m->family, &b->m->config, row->out, wave_of(row, at));
    struct shape want = { 1, { out } };
    enum bias_rule rule = bias_rule_of(b, slot);

    if (rule == BIAS_NEVER)
        return 0;
    p->bias_tensor = bind_bias_tensor(b, names, at);
    if (p->bias_tensor == NULL)
        return rule != BIAS_ALWAYS ? 0 :
               bind_missing(b, slot, at, true, shape_text(b->a, &want));
    if (bind_slot_check(b, p->bias_tensor, want, false) != 0)
        return -1;
    p->bias = decode(b->a, p->bias_tensor);
    return 0;
}

/* Slots that the reference library leaves out of this model. */
static bool bind_slot_is_left_out(struct binder *b, enum slot slot)
{
    const struct family *family = b->m->family;
    const struct config *config = &b->m->config;

    if (slot == W_HEAD_BIAS)
        return bias_rule_of(b, slot) == BIAS_NEVER;
    /* Embeddings of a width of their own come to the model's by a projection, and back. */
    if (slot == W_TOK_PROJ || slot == W_EMB_PROJ || slot == W_FINAL_PROJ)
        return config->d_embed == config->d_model && !family->proj_always && !config->trigrams;
    if (slot == W_HEAD_REST)
        return config->d_embed == config->d_model || config->head.task != NULL;
    return false;
}

/* A head without its weight is tied and may have its own bias; a bias may be 0. */
static int bind_absent(struct binder *b, enum slot slot, struct where at, struct param *p)
{
    struct shape want = bind_slot_shape_of(b->m, &family_slots[slot], at,
                                           family_slot_in_out(b->m->family, slot));

    if (slot == W_HEAD && !b->m->config.head.one_number && b->m->config.head.task == NULL)
        return bind_bias(b, slot, bind_names(b, slot), at, p);
    if (slot == W_INV_FREQ || (slot == W_HEAD_BIAS && bias_rule_of(b, slot) == BIAS_AS_STORED))
        return 0;
    return bind_missing(b, slot, at, false, shape_text(b->a, &want));
}

/* check, where what is expected of a classifier's rows is said by its labels. */
static int check_weight(struct binder *b, enum slot slot, const struct tensor *t,
                        struct shape want, bool loose)
{
    const struct config *config = &b->m->config;
    bool labelled = slot == W_HEAD && config->head.task != NULL &&
                    config->head.task->gives == HEAD_LABELS;

    if (bind_slot_check(b, t, want, loose) == 0)
        return 0;
    if (labelled && t->n_dims == 2 && t->shape[0] != want.d[0])
        err_set(b->e, ERR_INPUT, "%s: config.json has %d label%s (id2label, num_labels)",
                arena_strdup(b->a, b->e->msg), want.d[0], str_plural(want.d[0]));
    return -1;
}

/* A norm of queries or keys with a tensor for each head: names has room for its number. */
static int bind_norm_heads(struct binder *b, enum slot slot, struct where at, struct param *p)
{
    int d = b->m->config.d_head, n = bind_parts(b, slot);
    struct shape want = { 1, { d } };
    float *v = arena_alloc(b->a, (size_t)n, (size_t)d * sizeof *v);

    for (at.part = 0; at.part < n; at.part++) {
        const char *names = bind_names(b, slot);
        const struct tensor *tensor = bind_weight_tensor(b, slot, &names, at);

        if (tensor == NULL)
            return bind_missing(b, slot, at, false, shape_text(b->a, &want));
        if (bind_slot_check(b, tensor, want, false) != 0)
            return -1;
        tensor_read(v + (int64_t)at.part * d, tensor, 0, d);
        p->weight = at.part == 0 ? tensor : p->weight;
    }
    p->n_parts = n;
    p->vector = v;
    return 0;
}

/* What quantisers pack lies [out, in] also where the family's linears do not. */
static bool is_in_out(const struct binder *b, enum slot slot, const struct tensor *t)
{
    return family_slot_in_out(b->m->family, slot) && !(t->maker != NULL && t->maker->out_in);
}

int bind_slot(struct binder *b, enum slot slot, struct where at, struct param *p)
{
    const struct slot_row *row = &family_slots[slot];
    const struct family *family = b->m->family;
    bool loose = row->kind == SLOT_VECTOR || row->kind == SLOT_TABLE;
    bool in_out;
    const char *names;
    struct shape want;

    if (bind_names(b, slot) == NULL || bind_slot_is_left_out(b, slot))
        return 0;
    names = bind_stored_names(b, slot);
    if (row->kind == SLOT_NORM &&
        (quirks_of(family)->norms_bare ||
         (family->defaults.norm.affine && !b->m->config.norm.affine)))
        return bind_plain_norm(b, row, at, p);
    if (row->group == OF_QK_NORM && bind_is_in_parts(b, slot))
        return bind_norm_heads(b, slot, at, p);
    p->weight = bind_weight_tensor(b, slot, &names, at);
    if (p->weight == NULL)
        return bind_absent(b, slot, at, p);
    in_out = is_in_out(b, slot, p->weight);
    want = bind_slot_shape_of(b->m, row, at, in_out);
    if (row->kind == SLOT_TAPS && p->weight->n_dims == 2)       /* as GGUF has it */
        want = (struct shape){ 2, { want.d[0], want.d[2] } };
    if (check_weight(b, slot, p->weight, want, loose) != 0)
        return -1;
    if (slot == W_MIX_TAPS)
        p->vector = decode_taps(b, p->weight, want.d[0]);
    else if (row->in == DIM_NONE || row->kind == SLOT_BIASES || row->kind == SLOT_TAPS)
        p->vector = decode_vector(b, row, p->weight);
    else
        p->matrix = matrix_of(p->weight, want, row->kind, in_out);
    if (family_slot_is_grouped(&b->m->config, slot)) {
        p->matrix = first_group(p->matrix, want);
        p->n_groups = want.d[0];
    }
    if (row->kind == SLOT_NORM)
        p->own = own_norm(b, slot);
    p->is_linear = family_slot_is_linear(slot);
    return row->group == OF_NONE || (slot == W_HEAD && quirks_of(family)->head_bias_unused &&
                                    b->m->config.head.task == NULL) ?
           0 : bind_bias(b, slot, names, at, p);
}

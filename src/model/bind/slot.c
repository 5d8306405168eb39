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
static int taps_of(const struct config *config, const struct slot_row *row, int i)
{
    return row == &family_slots[W_WAVE] ? config->front.wave.width[i] :
           row == &family_slots[W_CONV] || row->kind == SLOT_KERNEL ? config->front.conv_width :
                                                                    CONV_WINDOW;
}

/* The waveform's convolution that a slot at this place is of. */
static int wave_of(const struct slot_row *row, struct where at)
{
    return row->count == PER_WAVE ? at.layer : 0;
}

/* What the weight of a slot must look like. */
static struct shape bind_slot_shape_of(const struct model *model, const struct slot_row *row,
                                       struct where at, bool in_out)
{
    const struct config *config = &model->config;
    int wave = wave_of(row, at), out = family_wave_dim(model->family, config, row->out, wave), in;
    int n = config->mlp_groups;

    if (row->in == DIM_NONE && row->group == OF_QK_NORM && model->family->qk_norm == QK_NORM_HEADS)
        return (struct shape){ 2, { out / config->d_head, config->d_head } };
    if (row->in == DIM_NONE)
        return (struct shape){ 1, { out } };
    in = family_wave_dim(model->family, config, row->in, wave);
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

static char *shape_text(struct arena *a, const struct shape *shape)
{
    char *text = arena_printf(a, "[%d", shape->d[0]);

    for (int i = 1; i < shape->n; i++)
        text = arena_printf(a, "%s,%d", text, shape->d[i]);
    return arena_printf(a, "%s]", text);
}

/* What has heads and their columns apart, [D, H, d] for [D, H d]. */
static bool is_split(const struct tensor *tensor, const struct shape *want)
{
    int count = want->n;

    return tensor->n_dims == count + 1 && (count == 1 || tensor->shape[0] == want->d[0]) &&
           tensor->shape[count - 1] * tensor->shape[count] == want->d[count - 1];
}

/* Leading dimensions of 1 say nothing where a parameter is not part of a module: BART's
 * [1, V], ViT's [1, positions, D]. */
static int bind_slot_check(struct binder *binder, const struct tensor *tensor, struct shape want,
                           bool loose)
{
    int first = 0;
    bool same;

    if (!dtype_table[tensor->dtype].is_float)
        return err_set(binder->e, ERR_INPUT, "%s: %s: holds %s, expected F32, F16, BF16 or F64",
                       tensor->file, tensor->name, dtype_table[tensor->dtype].name);
    while (loose && tensor->n_dims - first > want.n && tensor->shape[first] == 1)
        first++;
    same = tensor->n_dims - first == want.n;
    for (int i = 0; same && i < want.n; i++)
        same = tensor->shape[first + i] == want.d[i];
    same = same || (quirks_of(binder->m->family)->heads_apart && is_split(tensor, &want));
    return same ?
               0 :
               err_set(binder->e, ERR_INPUT, "%s: %s: shape %s, expected %s", tensor->file,
                       tensor->name, tensor_shape(binder->a, tensor), shape_text(binder->a, &want));
}

static float *decode(struct arena *a, const struct tensor *tensor)
{
    float *v = arena_alloc(a, (uint64_t)tensor->n_elements, sizeof *v);

    tensor_read(v, tensor, 0, tensor->n_elements);
    return v;
}

/* [C, taps] of the file -> [taps, C]. */
static const float *decode_taps(struct binder *binder, const struct tensor *tensor, int64_t C)
{
    float *v = decode(binder->a, tensor),
          *out = arena_alloc(binder->a, (uint64_t)tensor->n_elements, sizeof *out);
    int64_t n = tensor->n_elements / C;

    for (int64_t c = 0; c < C; c++)
        for (int64_t k = 0; k < n; k++)
            out[k * C + c] = v[c * n + k];
    return out;
}

static const float *decode_vector(struct binder *binder, const struct slot_row *row,
                                  const struct tensor *tensor)
{
    float *v = decode(binder->a, tensor);

    if (row->kind == SLOT_NORM && (binder->m->family->norm == NORM_RMS_PLUS_ONE ||
                                   binder->m->family->norm == NORM_LAYER_PLUS_ONE))
        for (int64_t i = 0; i < tensor->n_elements; i++)
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
static struct matrix matrix_of(const struct tensor *tensor, struct shape s, enum slot_kind kind,
                               bool in_out)
{
    const struct dtype_row *dtype = &dtype_table[tensor->dtype];
    bool plain = BYTES_IN_ORDER && tensor->dtype == DTYPE_F32 && tensor->maker == NULL &&
                 (uintptr_t)tensor->data % sizeof(float) == 0;
    int row = 1, n = s.d[0];

    if (kind == SLOT_EXPERTS)
        n *= s.d[1];
    for (int i = kind == SLOT_EXPERTS ? 2 : 1; i < s.n; i++)
        row *= s.d[i];
    return (struct matrix){
        .data = tensor->data, .size_bytes = dtype->size_bytes, .block = dtype->block,
        .to_f32 = plain ? NULL : dtype->to_f32,
        .make = tensor->maker != NULL ? tensor->maker->read : NULL, .maker = tensor->maker,
        .made_at = tensor->made_at, .codes = tensor->maker != NULL ? tensor->maker->codes : NULL,
        .made_size = (double)tensor_stored_bytes(tensor) / (double)tensor->n_elements,
        .element = element[tensor->dtype],
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
static const struct own_norm *own_norm(struct binder *binder, enum slot slot)
{
    const struct family *family = binder->m->family;
    const struct config *config = &binder->m->config;
    double bare_eps = slot == W_EMB_NORM || slot == W_MLP_NORM ? quirks_of(family)->bare_eps : 0;
    struct own_norm *own;

    if (family->norm != NORM_AFFINE || (slot != W_HEAD_NORM && !config->norm.by_row))
        return NULL;
    own = arena_alloc(binder->a, 1, sizeof *own);
    *own = (struct own_norm){ NORM_LAYER, bare_eps > 0 ? bare_eps : config->norm.eps };
    return own;
}

/* A norm that neither scales nor shifts. */
static int bind_plain_norm(struct binder *binder, const struct slot_row *row, struct where at,
                           struct param *p)
{
    int count = family_wave_dim(binder->m->family, &binder->m->config, row->out, wave_of(row, at));
    float *one = arena_alloc(binder->a, (size_t)count, sizeof *one);

    for (int i = 0; i < count; i++)
        one[i] = 1;
    p->vector = one;
    return 0;
}

/* A GGUF file has no keys that say it: there all layers have what one has. */
static enum bias_rule look_up_bias(struct binder *binder, enum slot slot)
{
    const char *names = bind_names(binder, slot);
    enum bias_rule rule = family_slot_bias(binder->m->family, &binder->m->config, slot);
    int count = family_slots[slot].count == PER_STACK ? 1 : bind_layers(binder);

    if (weights_gguf(binder->m->weights) == NULL || rule != BIAS_NEVER)
        return rule;
    for (int l = 0; l < count; l++)
        if (bind_bias_tensor(binder, names, (struct where){ l, 0 }) != NULL)
            return BIAS_ALWAYS;
    return rule;
}

static enum bias_rule bias_rule_of(struct binder *binder, enum slot slot)
{
    if (binder->biased[slot] == BIAS_USUAL)
        binder->biased[slot] = look_up_bias(binder, slot);
    return binder->biased[slot];
}

static int bind_bias(struct binder *binder, enum slot slot, const char *names, struct where at,
                     struct param *p)
{
    const struct slot_row *row = &family_slots[slot];
    int out = family_wave_dim(binder->m->family, &binder->m->config, row->out, wave_of(row, at));
    struct shape want = { 1, { out } };
    enum bias_rule rule = bias_rule_of(binder, slot);

    if (rule == BIAS_NEVER)
        return 0;
    p->bias_tensor = bind_bias_tensor(binder, names, at);
    if (p->bias_tensor == NULL)
        return rule != BIAS_ALWAYS ? 0 :
               bind_missing(binder, slot, at, true, shape_text(binder->a, &want));
    if (bind_slot_check(binder, p->bias_tensor, want, false) != 0)
        return -1;
    p->bias = decode(binder->a, p->bias_tensor);
    return 0;
}

/* Slots that the reference library leaves out of this model. */
static bool bind_slot_is_left_out(struct binder *binder, enum slot slot)
{
    const struct family *family = binder->m->family;
    const struct config *config = &binder->m->config;

    if (slot == W_HEAD_BIAS)
        return bias_rule_of(binder, slot) == BIAS_NEVER;
    /* Embeddings of a width of their own come to the model's by a projection, and back. */
    if (slot == W_TOK_PROJ || slot == W_EMB_PROJ || slot == W_FINAL_PROJ)
        return config->d_embed == config->d_model && !family->proj_always && !config->trigrams;
    if (slot == W_HEAD_REST)
        return config->d_embed == config->d_model || config->head.task != NULL;
    return false;
}

/* A head without its weight is tied and may have its own bias; a bias may be 0. */
static int bind_absent(struct binder *binder, enum slot slot, struct where at, struct param *p)
{
    struct shape want = bind_slot_shape_of(binder->m, &family_slots[slot], at,
                                           family_slot_in_out(binder->m->family, slot));

    if (slot == W_HEAD && !binder->m->config.head.one_number && binder->m->config.head.task == NULL)
        return bind_bias(binder, slot, bind_names(binder, slot), at, p);
    if (slot == W_INV_FREQ || (slot == W_HEAD_BIAS && bias_rule_of(binder, slot) == BIAS_AS_STORED))
        return 0;
    return bind_missing(binder, slot, at, false, shape_text(binder->a, &want));
}

/* check, where what is expected of a classifier's rows is said by its labels. */
static int check_weight(struct binder *binder, enum slot slot, const struct tensor *tensor,
                        struct shape want, bool loose)
{
    const struct config *config = &binder->m->config;
    bool labelled = slot == W_HEAD && config->head.task != NULL &&
                    config->head.task->gives == HEAD_LABELS;

    if (bind_slot_check(binder, tensor, want, loose) == 0)
        return 0;
    if (labelled && tensor->n_dims == 2 && tensor->shape[0] != want.d[0])
        err_set(binder->e, ERR_INPUT, "%s: config.json has %d label%s (id2label, num_labels)",
                arena_strdup(binder->a, binder->e->msg), want.d[0], str_plural(want.d[0]));
    return -1;
}

/* A norm of queries or keys with a tensor for each head: names has room for its number. */
static int bind_norm_heads(struct binder *binder, enum slot slot, struct where at, struct param *p)
{
    int d = binder->m->config.d_head, n = bind_parts(binder, slot);
    struct shape want = { 1, { d } };
    float *v = arena_alloc(binder->a, (size_t)n, (size_t)d * sizeof *v);

    for (at.part = 0; at.part < n; at.part++) {
        const char *names = bind_names(binder, slot);
        const struct tensor *tensor = bind_weight_tensor(binder, slot, &names, at);

        if (tensor == NULL)
            return bind_missing(binder, slot, at, false, shape_text(binder->a, &want));
        if (bind_slot_check(binder, tensor, want, false) != 0)
            return -1;
        tensor_read(v + (int64_t)at.part * d, tensor, 0, d);
        p->weight = at.part == 0 ? tensor : p->weight;
    }
    p->n_parts = n;
    p->vector = v;
    return 0;
}

/* What quantisers pack lies [out, in] also where the family's linears do not. */
static bool is_in_out(const struct binder *binder, enum slot slot, const struct tensor *tensor)
{
    return family_slot_in_out(binder->m->family, slot) &&
           !(tensor->maker != NULL && tensor->maker->out_in);
}

int bind_slot(struct binder *binder, enum slot slot, struct where at, struct param *p)
{
    const struct slot_row *row = &family_slots[slot];
    const struct family *family = binder->m->family;
    bool loose = row->kind == SLOT_VECTOR || row->kind == SLOT_TABLE;
    bool in_out;
    const char *names;
    struct shape want;

    if (bind_names(binder, slot) == NULL || bind_slot_is_left_out(binder, slot))
        return 0;
    names = bind_stored_names(binder, slot);
    if (row->kind == SLOT_NORM &&
        (quirks_of(family)->norms_bare ||
         (family->defaults.norm.affine && !binder->m->config.norm.affine)))
        return bind_plain_norm(binder, row, at, p);
    if (row->group == OF_QK_NORM && bind_is_in_parts(binder, slot))
        return bind_norm_heads(binder, slot, at, p);
    p->weight = bind_weight_tensor(binder, slot, &names, at);
    if (p->weight == NULL)
        return bind_absent(binder, slot, at, p);
    in_out = is_in_out(binder, slot, p->weight);
    want = bind_slot_shape_of(binder->m, row, at, in_out);
    if (row->kind == SLOT_TAPS && p->weight->n_dims == 2)       /* as GGUF has it */
        want = (struct shape){ 2, { want.d[0], want.d[2] } };
    if (check_weight(binder, slot, p->weight, want, loose) != 0)
        return -1;
    if (slot == W_MIX_TAPS)
        p->vector = decode_taps(binder, p->weight, want.d[0]);
    else if (row->in == DIM_NONE || row->kind == SLOT_BIASES || row->kind == SLOT_TAPS)
        p->vector = decode_vector(binder, row, p->weight);
    else
        p->matrix = matrix_of(p->weight, want, row->kind, in_out);
    if (family_slot_is_grouped(&binder->m->config, slot)) {
        p->matrix = first_group(p->matrix, want);
        p->n_groups = want.d[0];
    }
    if (row->kind == SLOT_NORM)
        p->own = own_norm(binder, slot);
    p->is_linear = family_slot_is_linear(slot);
    return row->group == OF_NONE || (slot == W_HEAD && quirks_of(family)->head_bias_unused &&
                                    binder->m->config.head.task == NULL) ?
           0 : bind_bias(binder, slot, names, at, p);
}

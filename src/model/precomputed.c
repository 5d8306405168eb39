/* SPDX-License-Identifier: MIT
 * Arrays of attention, or of queries, keys and values -> a model without weights. */
#include "model/precomputed.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/hub.h"
#include "weights/npz.h"

enum {
    MAX_LAYERS = 1 << 12,
    MAX_PRECOMPUTED_HEADS = 1 << 16,
    MAX_LENGTH = 1 << 20            /* queries or keys */
};

/* The arrays of one name: attn.0, attn.1, .. */
struct arrays {
    const char *prefix;
    const struct tensor **layer;    /* [MAX_LAYERS]; NULL where there is none */
    int n;                          /* the last one's number + 1 */
    const struct tensor *first;     /* whose shape all have */
};

enum { ATTN, ARR, EFF, DEC, CROSS, SINK, N_NAMES };

struct file {
    struct arena *a;
    const char *path;
    struct weights *w;
    struct arrays of[N_NAMES];
    struct err *e;
};

/* ---- which array is which layer ---- */

/* "attn.12" -> 12; -1: no number after the prefix. */
static int number_behind(const char *name, const char *prefix)
{
    size_t count = strlen(prefix), digits;

    if (strncmp(name, prefix, count) != 0)
        return -1;
    digits = strspn(name + count, "0123456789");
    if (digits == 0 || name[count + digits] != '\0' || (name[count] == '0' && digits > 1))
        return -1;
    return digits > 8 ? MAX_LAYERS : atoi(name + count);
}

/* Dimensions, all of them sane: three, or two of sinks; a text by itself may have a batch of
 * one. */
static int check_array(struct file *file, struct tensor *tensor, int n_dims)
{
    const struct dtype_row *type = &dtype_table[tensor->dtype];

    if (!type->is_float)                /* those of an npz have no blocks */
        return err_set(file->e, ERR_INPUT, "%s: %s: numbers of type %s, expected floats",
                       file->path, tensor->name, type->name);
    if (tensor->n_dims == n_dims + 1 && tensor->shape[0] == 1) {
        memmove(tensor->shape, tensor->shape + 1, (size_t)n_dims * sizeof *tensor->shape);
        tensor->n_dims = n_dims;
    }
    if (tensor->n_dims != n_dims || tensor->n_elements == 0 ||
        tensor->shape[0] > MAX_PRECOMPUTED_HEADS || tensor->shape[1] > MAX_LENGTH ||
        (n_dims > 2 && tensor->shape[2] > MAX_LENGTH))
        return err_set(file->e, ERR_INPUT, "%s: %s: shape %s, expected [heads, queries%s]",
                       file->path, tensor->name, tensor_shape(file->a, tensor),
                       n_dims > 2 ? ", keys" : "");
    return 0;
}

static int add_array(struct file *file, struct arrays *x, int l, const struct tensor *of)
{
    struct tensor *tensor = arena_alloc(file->a, 1, sizeof *tensor);
    int n_dims = x == &file->of[SINK] ? 2 : 3;

    *tensor = *of;
    if (l >= MAX_LAYERS)
        return err_set(file->e, ERR_INPUT, "%s: %s: expected layers 0 to %d", file->path,
                       tensor->name, MAX_LAYERS - 1);
    if (check_array(file, tensor, n_dims) != 0)
        return -1;
    if (x->layer == NULL) {
        x->layer = arena_alloc(file->a, MAX_LAYERS, sizeof(struct tensor *));
        x->first = tensor;
    }
    if (memcmp(tensor->shape, x->first->shape, (size_t)n_dims * sizeof *tensor->shape) != 0)
        return err_set(file->e, ERR_INPUT, "%s: %s has shape %s, %s %s: expected the same in "
                       "all layers", file->path, x->first->name, tensor_shape(file->a, x->first),
                       tensor->name, tensor_shape(file->a, tensor));
    x->layer[l] = tensor;
    if (x->n <= l)
        x->n = l + 1;
    return 0;
}

/* Names of arrays in an npz, sorted as text: attn.10 before attn.2. */
static int find_arrays(struct file *file)
{
    for (int i = 0; i < weights_count(file->w); i++) {
        const struct tensor *tensor = weights_at(file->w, i);

        for (int k = 0; k < N_NAMES; k++) {
            int layer = number_behind(tensor->name, file->of[k].prefix);

            if (layer >= 0 && add_array(file, &file->of[k], layer, tensor) != 0)
                return -1;
        }
    }
    return 0;
}

/* One array for all layers, cut up. */
static int cut_array(struct file *file, const struct tensor *all)
{
    bool several = all->n_dims == 4;
    int64_t L = several ? all->shape[0] : 1;
    struct tensor tensor = *all;

    if ((all->n_dims != 3 && !several) || all->n_elements == 0)
        return err_set(file->e, ERR_INPUT, "%s: shape %s, expected [layers, heads, queries, "
                       "keys] or [heads, queries, keys]", file->path, tensor_shape(file->a, all));
    if (several) {
        memmove(tensor.shape, tensor.shape + 1, 3 * sizeof *tensor.shape);
        tensor.n_dims = 3;
        tensor.n_elements /= L;
    }
    for (int64_t l = 0; l < L; l++) {         /* add_array stops behind the last that may be */
        tensor.name = arena_printf(file->a, "layer %lld", (long long)l);
        if (add_array(file, &file->of[ATTN], (int)l, &tensor) != 0)
            return -1;
        tensor.data += tensor.n_elements * dtype_table[tensor.dtype].size_bytes;
    }
    return 0;
}

/* ---- do they fit together? ---- */

static bool model_precomputed_has(const struct arrays *x, int l)
{
    return l < x->n && x->layer[l] != NULL;
}

static int check_square(const struct file *file, const struct arrays *x)
{
    if (x->n == 0 || x->first->shape[1] == x->first->shape[2])
        return 0;
    return err_set(file->e, ERR_INPUT, "%s: %s has shape %s, expected as many keys as queries",
                   file->path, x->first->name, tensor_shape(file->a, x->first));
}

/* Dimension i of x is dimension k of y, where both are there. */
static int check_meet(const struct file *file, const struct arrays *x, int i,
                      const struct arrays *y, int k)
{
    if (x->n == 0 || y->n == 0 || x->first->shape[i] == y->first->shape[k])
        return 0;
    return err_set(file->e, ERR_INPUT, "%s: %s has shape %s, %s %s, which do not match",
                   file->path, x->first->name, tensor_shape(file->a, x->first), y->first->name,
                   tensor_shape(file->a, y->first));
}

/* eff.L comes with attn.L, or alone. */
static int check_sums(struct file *file)
{
    const struct arrays *eff = &file->of[EFF], *attn = &file->of[ATTN];

    for (int layer = 0; layer < eff->n && attn->n > 0; layer++)
        if (model_precomputed_has(eff, layer) != model_precomputed_has(attn, layer))
            return err_set(file->e, ERR_INPUT, "%s: layer %d has only one of attn.%d and "
                           "eff.%d", file->path, layer, layer, layer);
    for (int k = 0; k < 3; k++)
        if (check_meet(file, eff, k, attn, k) != 0)
            return -1;
    return check_square(file, eff);
}

/* sink.L is of attn.L. */
static int check_sinks(struct file *file)
{
    const struct arrays *sink = &file->of[SINK], *attn = &file->of[ATTN];

    for (int layer = 0; layer < sink->n; layer++)
        if (model_precomputed_has(sink, layer) && !model_precomputed_has(attn, layer))
            return err_set(file->e, ERR_INPUT, "%s: holds %s, but no attn.%d", file->path,
                           sink->layer[layer]->name, layer);
    return check_meet(file, sink, 0, attn, 0) != 0 || check_meet(file, sink, 1, attn, 1) != 0 ? -1 :
           0;
}

/* Each stack has the layers that another has, up to its last. */
static int model_precomputed_check_layers(struct file *file)
{
    const struct arrays *x[] = { &file->of[ATTN], &file->of[DEC], &file->of[CROSS] };
    int decoder = x[1]->n > x[2]->n ? x[1]->n : x[2]->n;

    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int layer = 0; x[i]->n > 0 && layer < (i == 0 ? x[i]->n : decoder);
                 layer++)
                if (model_precomputed_has(x[k], layer) && !model_precomputed_has(x[i], layer))
                    return err_set(file->e, ERR_INPUT, "%s: holds %s, but no %s%d", file->path,
                                   x[k]->layer[layer]->name, x[i]->prefix, layer);
    return 0;
}

static int check_file(struct file *file)
{
    struct arrays *attn = &file->of[ATTN], *cross = &file->of[CROSS], *arr = &file->of[ARR];

    if (attn->n == 0)
        *attn = *arr;
    if (attn->n > 0 && attn->first->shape[1] != attn->first->shape[2] && cross->n == 0 &&
        file->of[EFF].n == 0) {
        *cross = *attn;
        attn->n = 0;
    }
    if (attn->n + cross->n + file->of[DEC].n + file->of[EFF].n == 0)
        return err_set(file->e, ERR_INPUT, "%s: holds no array of attention: expected attn.0, "
                       "attn.1, .. of shape [heads, queries, keys]", file->path);
    if (check_sums(file) != 0 || check_sinks(file) != 0)
        return -1;
    if (attn->n == 0)
        *attn = file->of[EFF];
    return check_square(file, attn) != 0 || check_square(file, &file->of[DEC]) != 0 ||
           check_meet(file, &file->of[DEC], 0, cross, 0) != 0 ||
           check_meet(file, &file->of[DEC], 1, cross, 1) != 0 ||
           check_meet(file, attn, 1, cross, 2) != 0 ||
           model_precomputed_check_layers(file) != 0 ? -1 : 0;
}

/* ---- causal layers ---- */

/* Of a square layer. */
static bool is_causal(struct arena *a, const struct tensor *tensor)
{
    struct arena_mark mark = arena_mark(a);
    int64_t T = tensor->shape[1];
    float *row = arena_alloc_raw(a, (size_t)T, sizeof *row);
    bool causal = T > 1;

    for (int64_t i = 0; causal && i < tensor->shape[0] * T; i++) {
        int64_t later = T - 1 - i % T;

        tensor_read(row, tensor, i * T + i % T + 1, later);
        for (int64_t s = 0; causal && s < later; s++)
            causal = row[s] == 0;
    }
    arena_reset(a, mark);
    return causal;
}

/* Marks causal layers of model; true: all are. */
static bool mark_causal(struct model *model, struct arena *a, const struct precomputed_layer *layer)
{
    bool all = layer != NULL;

    for (int l = 0; layer != NULL && l < model->config.n_layers; l++) {
        if (layer[l].rows == NULL)
            continue;
        if (is_causal(a, layer[l].rows))
            model->layer[l].hi = 0;
        else
            all = false;
    }
    return all;
}

/* ---- the model ---- */

static struct precomputed_layer *model_precomputed_layers_of(struct file *file,
                                                             const struct arrays *x, int L)
{
    struct precomputed_layer *layer;

    if (x->n == 0)
        return NULL;
    layer = arena_alloc(file->a, (size_t)L, sizeof *layer);
    for (int l = 0; l < x->n; l++) {
        layer[l].rows = x->layer[l];
        if (x == &file->of[ATTN] && model_precomputed_has(&file->of[SINK], l))
            layer[l].sinks = file->of[SINK].layer[l];
    }
    return layer;
}

/* The sums of copies are what is shown; one copy comes with them. */
static void put_sums(struct file *file, struct precomputed_layer *layer)
{
    const struct arrays *eff = &file->of[EFF];

    for (int l = 0; l < eff->n; l++)
        if (model_precomputed_has(eff, l) && layer[l].rows != eff->layer[l]) {
            layer[l].single = layer[l].rows;
            layer[l].rows = eff->layer[l];
        }
}

static struct config no_weights(int L, int H)
{
    return (struct config){ .n_layers = L, .n_heads = H, .n_kv_heads = H, .d_head = 1,
                            .d_value = 1, .n_positions = MAX_LENGTH, .decoder.start_id = -1,
                            .pad_id = -1, .card.layer = -1, .score.scaled = true };
}

/* The layer that a picture shows where nobody says: as of a model, but one that is there. */
static void set_default(struct model *model)
{
    int layer = model->config.n_layers - 1 < 6 ? model->config.n_layers - 1 : 6;

    while (layer > 0 && !model_has_layer(model, layer))
        layer--;
    while (!model_has_layer(model, layer) && layer < model->config.n_layers - 1)
        layer++;
    model->config.card.layer = layer;
}

static void fill_precomputed(struct file *file, struct model *model)
{
    const struct arrays *attn = &file->of[ATTN], *dec = &file->of[DEC], *cross = &file->of[CROSS];
    struct precomputed *own = arena_alloc(file->a, 1, sizeof *own), *other;
    struct precomputed_layer *layer = model_precomputed_layers_of(file, attn,
                                                                  model->config.n_layers);

    if (layer != NULL)
        put_sums(file, layer);
    model->precomputed = own;
    own->self = layer;
    own->n_queries = attn->n > 0 ? (int)attn->first->shape[1] :
                     cross->n > 0 ? (int)cross->first->shape[2] : 0;
    model->config.sparse.block = file->of[EFF].n > 0;
    if (model->decoder == NULL)
        return;
    other = arena_alloc(file->a, 1, sizeof *other);
    model->decoder->precomputed = other;
    other->self = model_precomputed_layers_of(file, dec, model->decoder->config.n_layers);
    other->cross = model_precomputed_layers_of(file, cross, model->decoder->config.n_layers);
    other->n_queries = (int)(dec->n > 0 ? dec : cross)->first->shape[1];
    other->n_keys = cross->n > 0 ? (int)cross->first->shape[2] : 0;
    mark_causal(model->decoder, file->a, other->self);
    set_default(model->decoder);
}

static struct model *make_model(struct file *file)
{
    const struct arrays *attn = &file->of[ATTN], *dec = &file->of[DEC], *cross = &file->of[CROSS];
    const struct arrays *other = dec->n > 0 ? dec : cross;
    struct model *model = arena_alloc(file->a, 1, sizeof *model);
    struct family *family = arena_alloc(file->a, 2, sizeof *family);
    int n_other = dec->n > cross->n ? dec->n : cross->n;
    int H = (int)(attn->n > 0 ? attn : other)->first->shape[0];

    family[0] = (struct family){
        .name = "attention", .source = file->path, .stack_id = STACK_ENCODER, .bare = true,
        .front = FRONT_ROWS, .decoder = n_other > 0 ? &family[1] : NULL,
    };
    family[1] = family[0];
    family[1].stack_id = STACK_DECODER;
    family[1].decoder = NULL;
    *model = (struct model){ .name = hub_name(file->a, file->path), .family = family,
                             .config = no_weights(attn->n > 0 ? attn->n : n_other, H),
                             .weights = file->w };
    model->config.decoder.n_layers = n_other;
    model->config.decoder.n_heads = n_other > 0 ? (int)other->first->shape[0] : 0;
    if (model_bind(model, file->a, file->e) != 0)
        return NULL;
    fill_precomputed(file, model);
    if (mark_causal(model, file->a, model->precomputed->self) && n_other == 0)
        family[0].stack_id = STACK_DECODER;
    set_default(model);
    return model;
}

struct model *model_of_precomputed(struct arena *a, struct weights *weights, const char *path,
                             struct err *e)
{
    struct file file = { .a = a, .path = path, .w = weights, .e = e,
                         .of = { { "attn." }, { "arr_" }, { "eff." }, { "dec." },
                                 { "cross." }, { "sink." } } };
    const struct tensor *all = weights_find(weights, "");
    struct model *model = NULL;
    int status = all != NULL && weights_count(weights) == 1 ? cut_array(&file, all) :
                                                              find_arrays(&file);

    if (status == 0 && check_file(&file) == 0)
        model = make_model(&file);
    if (model == NULL)
        weights_close(weights);
    return model;
}

struct model *model_open_precomputed(struct arena *a, const char *path, struct err *e)
{
    struct weights *weights = npz_open(a, path, e);

    return weights != NULL ? model_of_precomputed(a, weights, path, e) : NULL;
}

/* ---- queries, keys and values ---- */

struct model *model_of_qkv(struct arena *a, struct weights *weights, const char *name,
                           const struct qkv_shape *shape, double scale, struct err *e)
{
    struct model *model = arena_alloc(a, 1, sizeof *model);
    struct family *family = arena_alloc(a, 1, sizeof *family);

    *family = (struct family){
        .name = "attention", .source = name, .bare = true, .front = FRONT_QKV,
        .stack_id = shape->cross ? STACK_CROSS : STACK_ENCODER,
    };
    *model = (struct model){ .name = name, .family = family, .weights = weights,
                             .config = no_weights(1, shape->H) };
    model->config.n_kv_heads = shape->G;
    model->config.d_head = shape->d;
    model->config.d_value = shape->d_v;
    model->config.d_model = shape->H * shape->d_v;
    if (model_bind(model, a, e) != 0) {
        weights_close(weights);
        return NULL;
    }
    if (!isnan(scale))
        model->layer[0].scale = (float)scale;
    return model;
}

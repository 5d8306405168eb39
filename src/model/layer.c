/* SPDX-License-Identifier: MIT
 * Names and shapes of a file without a config -> family and config. */
#include "model/layer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/layer_priv.h"

enum {
    MAX_LAYERS = 1 << 12,
    MAX_WIDTH = 1 << 20,        /* of one side of any matrix here */
    MAX_TOKENS = 1 << 24,       /* where no table of positions says less */
    N_SCOPE = 3
};

/* Where an attention lies; %d is the layer. */
static const char *const scopes[N_SCOPE] = { "", "self_attn.", "layers.%d.self_attn." };

struct look {
    struct config *c;
    struct family *f;
    struct arena *a;
    struct weights *w;
    const char *name;
    const struct layer_asked *asked;
    struct err *e;
    const struct naming *naming;
    int scope;                  /* of scopes */
    const char *layer;          /* what names of a layer begin with: "", "layers.%d." */
    const char *cross;          /* "cross_attn."; NULL: there is none */
    const struct ff_naming *ff; /* NULL: one attention alone */
    int n_heads;                /* where each has a matrix of its own; else 0 */
};

/* ---- what is there ---- */

static const char *in_layer(struct arena *a, const char *scope, int l)
{
    const char *d = strstr(scope, "%d");

    return d == NULL ? scope : arena_printf(a, "%.*s%d%s", (int)(d - scope), scope, l, d + 2);
}

static const struct tensor *any_of(const struct weights *w, struct arena *a,
                                   const char *scope, const struct naming *n)
{
    const struct tensor *t = NULL;

    if (n->kind == PROJ_TORCH)
        t = layer_find(w, a, scope, "in_proj", "_weight");
    for (int i = PART_Q; t == NULL && i <= PART_V; i++)
        t = n->kind == PROJ_WHOLE ? layer_find(w, a, scope, n->part[i], ".weight") :
            n->kind == PROJ_TORCH ? layer_find(w, a, scope, n->part[i], "_weight") :
            layer_find(w, a, scope, n->part[i], ".0.weight");
    return t;
}

bool layer_is(const struct weights *w)
{
    struct arena room;
    bool found = false;

    arena_init(&room, NULL, NULL);
    for (int s = 0; s < N_SCOPE; s++)
        for (int n = 0; layer_naming[n].part[0] != NULL; n++)
            found = found || any_of(w, &room, in_layer(&room, scopes[s], 0),
                                    &layer_naming[n]) != NULL;
    arena_finish(&room);
    return found;
}

static int two_layouts(const struct look *k, const char *one, const char *other)
{
    return err_set(k->e, ERR_INPUT, "%s: has two layouts at once: %s and %s", k->name,
                   one, other);
}

static int find_attention(struct look *k)
{
    const struct tensor *first = NULL;

    for (int s = 0; s < N_SCOPE; s++)
        for (int n = 0; layer_naming[n].part[0] != NULL; n++) {
            const struct tensor *t = any_of(k->w, k->a, in_layer(k->a, scopes[s], 0),
                                            &layer_naming[n]);

            if (t == NULL)
                continue;
            if (first != NULL)
                return two_layouts(k, first->name, t->name);
            first = t;
            k->scope = s;
            k->naming = &layer_naming[n];
        }
    k->layer = k->scope == 2 ? "layers.%d." : "";
    return 0;
}

static bool starts(const char *s, const char *begin)
{
    return strncmp(s, begin, strlen(begin)) == 0;
}

/* Any tensor of layer l whose name goes on with name. */
static bool has_any(const struct look *k, int l, const char *name)
{
    const char *begin = arena_printf(k->a, "%s%s", in_layer(k->a, k->layer, l), name);

    for (int i = 0; i < weights_count(k->w); i++)
        if (starts(weights_at(k->w, i)->name, begin))
            return true;
    return false;
}

/* layers.0, layers.1, ..: none may be left out. */
static int count_layers(struct look *k)
{
    int n = 1;

    if (k->scope != 2) {
        k->c->n_layers = 1;
        return 0;
    }
    while (n < MAX_LAYERS && has_any(k, n, ""))
        n++;
    for (int i = 0; i < weights_count(k->w); i++) {
        const char *name = weights_at(k->w, i)->name;

        if (starts(name, "layers.") && strtoul(name + strlen("layers."), NULL, 10) >=
            (unsigned long)n)
            return err_set(k->e, ERR_INPUT, "%s: has %s, but no tensor of layer %d",
                           k->name, name, n);
    }
    k->c->n_layers = n;
    return 0;
}

static int find_block(struct look *k)
{
    if (k->scope == 0)
        return 0;
    for (int i = 0; layer_cross[i] != NULL; i++) {
        if (!has_any(k, 0, layer_cross[i]))
            continue;
        if (k->cross != NULL)
            return two_layouts(k, k->cross, layer_cross[i]);
        k->cross = layer_cross[i];
    }
    for (int i = 0; layer_ff[i].up != NULL; i++) {
        if (!has_any(k, 0, arena_printf(k->a, "%s.", layer_ff[i].up)))
            continue;
        if (k->ff != NULL)
            return two_layouts(k, k->ff->up, layer_ff[i].up);
        k->ff = &layer_ff[i];
    }
    if (k->ff == NULL)
        return err_set(k->e, ERR_INPUT, "%s: has %s, but no tensor %s%s.weight or "
                       "%s.weight", k->name, in_layer(k->a, scopes[k->scope], 0),
                       in_layer(k->a, k->layer, 0), layer_ff[0].up, layer_ff[1].up);
    return 0;
}

static int part_all(struct look *k)
{
    int L = k->c->n_layers, n = 0;
    const char **scope = arena_alloc(k->a, 2 * (size_t)L, sizeof *scope);

    for (int l = 0; l < L; l++) {
        scope[n++] = in_layer(k->a, scopes[k->scope], l);
        if (k->cross != NULL)
            scope[n++] = arena_printf(k->a, "%s%s", in_layer(k->a, k->layer, l), k->cross);
    }
    if (k->naming->kind == PROJ_HEADS)
        k->n_heads = layer_heads(k->w, k->a, scope[0], k->naming->part[PART_Q]);
    if (layer_part(k->w, k->a, k->naming, scope, n, k->e) != 0)
        return err_under(k->e, "%s", k->name);
    return 0;
}

/* ---- numbers from shapes ---- */

static int range(const struct look *k, const struct tensor *t, int n_dims)
{
    bool ok = t->n_dims == n_dims;

    for (int i = 0; ok && i < n_dims; i++)
        ok = t->shape[i] >= 1 && t->shape[i] <= MAX_WIDTH;
    return ok ? 0 : err_set(k->e, ERR_INPUT, "%s: %s: shape %s, want %d dimensions of 1 to "
                            "%d", k->name, t->name, tensor_shape(k->a, t), n_dims,
                            MAX_WIDTH);
}

/* The four projections of layer 0, all there and matrices. */
static int find_parts(const struct look *k, const struct tensor *part[N_PART])
{
    const char *scope = in_layer(k->a, scopes[k->scope], 0);
    const struct tensor *there = NULL;

    for (int i = 0; i < N_PART; i++) {
        part[i] = layer_find(k->w, k->a, scope, k->naming->part[i], ".weight");
        if (part[i] == NULL && k->naming->kind == PROJ_TORCH)
            part[i] = layer_find(k->w, k->a, scope, k->naming->part[i], "_weight");
        if (part[i] != NULL)
            there = part[i];
    }
    for (int i = 0; i < N_PART; i++) {
        if (part[i] == NULL)
            return err_set(k->e, ERR_INPUT, "%s: has %s, but no tensor %s%s%s", k->name,
                           there != NULL ? there->name : scope, scope, k->naming->part[i],
                           k->naming->kind == PROJ_TORCH && i != PART_O ? "_weight"
                                                                        : ".weight");
        if (range(k, part[i], 2) != 0)
            return -1;
    }
    return 0;
}

/* The heads that the file says by its shapes, or in words; 0: it does not. */
static int heads_of(const struct look *k, const struct tensor *q, const struct tensor *rel,
                    int *n)
{
    const char *note = weights_note(k->w, "heads");
    char *end;

    *n = k->n_heads;
    if (*n == 0 && rel != NULL && q->shape[0] % rel->shape[1] == 0)
        *n = (int)(q->shape[0] / rel->shape[1]);
    if (*n > 0 || note == NULL)
        return 0;
    *n = note[0] >= '1' && note[0] <= '9' ? (int)strtoul(note, &end, 10) : 0;
    if (*n >= 1 && *n <= MAX_WIDTH && *end == '\0')
        return 0;
    return err_set(k->e, ERR_INPUT, "%s: __metadata__: heads: found \"%.20s\", want a number "
                   "of heads", k->name, note);
}

static int count_heads(const struct look *k, const struct tensor *q,
                       const struct tensor *rel)
{
    struct config *c = k->c;
    int said, asked = k->asked->heads;

    if (heads_of(k, q, rel, &said) != 0)
        return -1;
    if (said > 0 && asked > 0 && said != asked)
        return err_set(k->e, ERR_USAGE, "--heads: %d, but %s has %d", asked, k->name, said);
    c->n_heads = said > 0 ? said : asked;
    if (c->n_heads == 0)
        return err_set(k->e, ERR_USAGE, "%s: does not say how many heads its %lld columns "
                       "of queries are, give --heads N", k->name, (long long)q->shape[0]);
    if (q->shape[0] % c->n_heads != 0)
        return err_set(k->e, ERR_USAGE, "--heads: %d do not divide the %lld columns of %s",
                       c->n_heads, (long long)q->shape[0], q->name);
    c->d_head = (int)q->shape[0] / c->n_heads;
    return 0;
}

/* Heads may share keys and values in groups; values may be wider or narrower. */
static int count_values(const struct look *k, const struct tensor *const part[N_PART])
{
    struct config *c = k->c;
    int64_t keys = part[PART_K]->shape[0], values = part[PART_V]->shape[0];

    if (keys % c->d_head != 0 || c->n_heads % (keys / c->d_head) != 0)
        return err_set(k->e, ERR_INPUT, "%s: %s: shape %s, want %d rows: %d heads of "
                       "width %d", k->name, part[PART_K]->name,
                       tensor_shape(k->a, part[PART_K]), c->n_heads * c->d_head,
                       c->n_heads, c->d_head);
    c->n_kv_heads = (int)keys / c->d_head;
    if (values % c->n_kv_heads != 0)
        return err_set(k->e, ERR_INPUT, "%s: %s: shape %s, want rows for %d heads",
                       k->name, part[PART_V]->name, tensor_shape(k->a, part[PART_V]),
                       c->n_kv_heads);
    c->d_value = (int)values / c->n_kv_heads;
    return 0;
}

static int count_positions(const struct look *k, const struct tensor *rel)
{
    struct config *c = k->c;
    const char *form = k->asked->relative;

    c->n_positions = MAX_TOKENS;
    if (rel == NULL)
        return form == NULL ? 0 :
               err_set(k->e, ERR_USAGE, "--relative: %s has no rel_pos_encoding", k->name);
    if (rel->shape[0] % 2 == 0 || rel->shape[1] != c->d_head)
        return err_set(k->e, ERR_INPUT, "%s: %s: shape %s, want [2 max_len - 1,%d]", k->name,
                       rel->name, tensor_shape(k->a, rel), c->d_head);
    c->n_distances = (int)rel->shape[0];
    c->clip_distances = form != NULL;
    if (form == NULL)
        c->n_positions = (c->n_distances + 1) / 2;
    return 0;
}

static int read_numbers(struct look *k)
{
    const char *scope = in_layer(k->a, scopes[k->scope], 0);
    const struct tensor *part[N_PART], *up, *rel;
    struct config *c = k->c;

    if (find_parts(k, part) != 0)
        return -1;
    rel = layer_find(k->w, k->a, scope, "rel_pos_encoding", "");
    if ((rel != NULL && range(k, rel, 2) != 0) || count_heads(k, part[PART_Q], rel) != 0 ||
        count_values(k, part) != 0 || count_positions(k, rel) != 0)
        return -1;
    c->d_model = c->d_embed = (int)part[PART_Q]->shape[1];
    c->d_key_input = (int)part[PART_K]->shape[1];
    c->d_value_input = (int)part[PART_V]->shape[1];
    if (k->ff == NULL)
        return 0;
    up = layer_find(k->w, k->a, in_layer(k->a, k->layer, 0), k->ff->up, ".weight");
    if (up == NULL)
        return err_set(k->e, ERR_INPUT, "%s: has no tensor %s%s.weight", k->name,
                       in_layer(k->a, k->layer, 0), k->ff->up);
    if (range(k, up, 2) != 0)
        return -1;
    c->d_ff = (int)up->shape[0];
    return 0;
}

/* A layer is small, and what is not finite in it spoils all that is shown of it. */
static int check_finite(const struct look *k)
{
    enum { CHUNK = 4096 };
    float x[CHUNK];

    for (int i = 0; i < weights_count(k->w); i++) {
        const struct tensor *t = weights_at(k->w, i);
        bool plain = dtype_table[t->dtype].is_float && dtype_table[t->dtype].block == 1;

        for (int64_t at = 0; plain && at < t->n_elements; at += CHUNK) {
            int n = (int)(t->n_elements - at < CHUNK ? t->n_elements - at : CHUNK);

            tensor_read(x, t, at, n);
            for (int j = 0; j < n; j++)
                if (!isfinite(x[j]))
                    return err_set(k->e, ERR_INPUT, "%s: %s: element %lld is %s", k->name,
                                   t->name, (long long)(at + j),
                                   isnan(x[j]) ? "NaN" : "infinite");
        }
    }
    return 0;
}

/* ---- the family ---- */

/* Slots in the order of enum part. */
static void name_parts(struct look *k, const char *scope, const enum slot slot[N_PART])
{
    for (int i = 0; i < N_PART; i++)
        k->f->stack.name[slot[i]] = arena_printf(k->a, "%s%s", scope, k->naming->part[i]);
}

static void name_attention(struct look *k, const char *scope, bool to_memory)
{
    static const enum slot self[] = { W_Q, W_K, W_V, W_O };
    static const enum slot cross[] = { W_CROSS_Q, W_CROSS_K, W_CROSS_V, W_CROSS_O };
    const char *rel = arena_printf(k->a, "%srel_pos_encoding", scope);
    const char *first = in_layer(k->a, scope, 0);

    name_parts(k, scope, to_memory ? cross : self);
    if (layer_find(k->w, k->a, first, "rel_pos_encoding", "") != NULL)
        k->f->stack.name[to_memory ? W_CROSS_DISTANCE : W_DISTANCE] = rel;
    if (to_memory && layer_find(k->w, k->a, first, "bias_k", "") != NULL) {
        k->f->stack.name[W_CROSS_LAST_K] = arena_printf(k->a, "%sbias_k", scope);
        k->f->stack.name[W_CROSS_LAST_V] = arena_printf(k->a, "%sbias_v", scope);
    }
}

static const char *of_layer(const struct look *k, const char *name)
{
    const char *bar = strchr(name, '|');

    if (bar == NULL)
        return arena_printf(k->a, "%s%s", k->layer, name);
    return arena_printf(k->a, "%s%.*s|%s%s", k->layer, (int)(bar - name), name, k->layer,
                        bar + 1);
}

static void name_block(struct look *k)
{
    const char **name = k->f->stack.name;

    name[W_ATT_NORM] = of_layer(k, "norm1");
    name[W_CROSS_NORM] = k->cross != NULL ? of_layer(k, "norm2") : NULL;
    name[W_MLP_NORM] = of_layer(k, k->cross != NULL ? "norm3" : "norm2");
    name[W_UP] = of_layer(k, k->ff->up);
    name[W_DOWN] = of_layer(k, k->ff->down);
    if (k->scope == 2 && weights_find(k->w, "norm.weight") != NULL)
        name[W_FINAL_NORM] = "norm";
    if (k->cross != NULL)
        name_attention(k, of_layer(k, k->cross), true);
}

/* One attention reads another input where that has widths of its own, or a key more. */
static bool reads_memory(const struct look *k)
{
    const struct config *c = k->c;

    return k->asked->memory || c->d_key_input != c->d_model ||
           c->d_value_input != c->d_model ||
           weights_find(k->w, "bias_k") != NULL;
}

static int check_asked(const struct look *k)
{
    const struct layer_asked *asked = k->asked;

    if (k->ff == NULL && asked->norm_first)
        return err_set(k->e, ERR_USAGE, "--norm-first: %s is one attention, without norms",
                       k->name);
    if (k->ff == NULL && asked->activation != NULL)
        return err_set(k->e, ERR_USAGE, "--activation: %s is one attention, without an mlp",
                       k->name);
    if (k->ff != NULL && k->cross == NULL && asked->memory)
        return err_set(k->e, ERR_USAGE, "--memory: %s has no attention to another input",
                       k->name);
    return 0;
}

static void describe(struct look *k)
{
    struct family *f = k->f;
    bool to_memory = k->ff == NULL && reads_memory(k);

    *f = (struct family){
        .name = k->ff == NULL ? "attention" : k->cross == NULL ? "encoder layer"
                                                               : "decoder layer",
        .source = "Vaswani et al. 2017; torch.nn",
        .stack_id = to_memory ? STACK_CROSS : k->cross != NULL ? STACK_DECODER
                                                               : STACK_ENCODER,
        .bare = true, .causal = k->cross != NULL, .norm = NORM_LAYER,
        .place = k->asked->norm_first ? PLACE_PRE : PLACE_POST, .positions = POS_NONE,
        .front = FRONT_ROWS, .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    };
    name_attention(k, scopes[k->scope], to_memory);
    if (k->ff != NULL)
        name_block(k);
}

int layer_describe(struct config *c, const struct family **family, struct arena *a,
                   struct weights *w, const char *name, const struct layer_asked *asked,
                   struct err *e)
{
    struct look k = { .c = c, .a = a, .w = w, .name = name, .asked = asked, .e = e };
    const char *act = asked->activation;

    *c = (struct config){ .start_id = -1, .pad_id = -1, .default_layer = -1,
                          .norm_eps = 1e-5, .scale_scores = true,
                          .act = act != NULL && strcmp(act, "gelu") == 0 ? ACT_GELU
                                                                         : ACT_RELU };
    k.f = arena_alloc(a, 1, sizeof *k.f);
    *family = k.f;
    if (find_attention(&k) != 0 || find_block(&k) != 0 || count_layers(&k) != 0 ||
        check_asked(&k) != 0 || part_all(&k) != 0 || read_numbers(&k) != 0 ||
        check_finite(&k) != 0)
        return -1;
    describe(&k);
    return 0;
}

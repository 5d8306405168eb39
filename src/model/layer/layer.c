/* SPDX-License-Identifier: MIT
 * Names and shapes of a file without a config -> family and config. */
#include "model/layer.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "model/layer/layer_priv.h"

enum { MAX_LAYERS = 1 << 12 };

/* ---- is it one? ---- */

bool layer_is(const struct weights *w, struct arena *scratch)
{
    static const char *const scopes[] = { "", "self_attn.", "layers.0.self_attn." };
    static const char *const endings[] = { [PROJ_WHOLE] = ".weight", [PROJ_HEADS] =
                                           ".0.weight", [PROJ_TORCH] = "_weight" };
    struct arena_mark mark = arena_mark(scratch);
    bool found = false;

    for (int s = 0; s < 3; s++)
        for (const struct naming *n = layer_naming; n->writer != NULL; n++) {
            if (!n->sure)
                continue;
            for (int i = PART_Q; i <= PART_V; i++)
                found = found || layer_find(w, scratch, scopes[s], n->part[i],
                                            endings[n->kind]) != NULL;
            found = found || (n->kind == PROJ_TORCH &&
                              layer_find(w, scratch, scopes[s], "in_proj", "_weight") != NULL);
        }
    arena_reset(scratch, mark);
    return found;
}

/* ---- what was asked ---- */

/* Without ".weight", which names of tensors end with and those of linears do not. */
static const char *linear_name(struct arena *a, const char *name)
{
    static const char ending[] = ".weight";
    size_t size = strlen(name), tail = sizeof ending - 1;

    return size > tail && strcmp(name + size - tail, ending) == 0 ?
               arena_strndup(a, name, size - tail) : name;
}

/* "q,k,v,o", "qkv,o" or "q,kv,o" -> a table of one naming; o "-": there is no output. */
static int asked_naming(struct look *k)
{
    struct naming *naming = arena_alloc(k->a, 2, sizeof *naming);
    char *rest = arena_strndup(k->a, k->asked->names, strlen(k->asked->names));
    const char *name[N_PART];
    int count = 0;

    for (char *one = strsep(&rest, ","); one != NULL; one = strsep(&rest, ","), count++) {
        if (count < N_PART)
            name[count] = linear_name(k->a, one);
        if (one[0] == '\0' || strpbrk(one, "%|") != NULL)
            count = N_PART;
    }
    if (count < 2 || count > N_PART)
        return err_set(k->e, ERR_USAGE, "--tensor-names: '%s' is not a list of names like "
                       "Q,K,V,O, or QKV,O or Q,KV,O where one tensor holds several, with O - "
                       "where there is no output projection",
                       k->asked->names);
    naming[0] = (struct naming){ .writer = "--tensor-names", .sure = true,
                                 .part = { name[0] } };
    if (strcmp(name[count - 1], "-") != 0)
        naming[0].part[PART_O] = name[count - 1];
    if (count > 2)
        naming[0].part[PART_K] = name[1];
    if (count > 3)
        naming[0].part[PART_V] = name[2];
    naming[0].kind = count == 4 ? PROJ_WHOLE : count == 3 ? PROJ_KV :
                     k->asked->fused == LAYER_FUSED_HEADS ? PROJ_FUSED_HEADS : PROJ_FUSED;
    k->naming = naming;
    return 0;
}

/* "encoder" -> "encoder.", unless names go on without a dot. */
static const char *asked_prefix(const struct look *k)
{
    const char *prefix = k->asked->prefix;
    const char *dotted = arena_printf(k->a, "%s.", prefix);

    return layer_any(k->w, dotted) ? dotted : prefix;
}

/* Keras and Flax separate parts of names with slashes, and may number outputs. */
static int plain_names(struct look *k)
{
    int count = weights_count(k->w);
    struct tensor *all = arena_alloc(k->a, (size_t)count + 1, sizeof *all);
    bool changed = false;

    for (int i = 0; i < count; i++) {
        char *name = arena_strdup(k->a, weights_at(k->w, i)->name);
        size_t size = strlen(name);

        all[i] = *weights_at(k->w, i);
        all[i].name = name;
        if (size > 2 && strcmp(name + size - 2, ":0") == 0)
            name[size - 2] = '\0';
        for (; *name != '\0'; name++)
            if (*name == '/')
                *name = '.';
        changed = changed || strcmp(all[i].name, weights_at(k->w, i)->name) != 0;
    }
    return changed ? weights_replace(k->w, all, count, k->e) : 0;
}

/* ---- what is there ---- */

/* layers.0, layers.1, ..: none may be left out. */
static int count_layers(struct look *k)
{
    const char *begin = arena_strndup(k->a, k->layer, strcspn(k->layer, "%"));
    int count = 1;

    k->c->n_layers = 1;
    if (!k->stacked)
        return 0;
    while (count < MAX_LAYERS && layer_any(k->w, layer_name(k->a, k->layer, count)))
        count++;
    for (int i = 0; i < weights_count(k->w); i++) {
        const char *name = weights_at(k->w, i)->name;

        if (str_starts_with(name, begin) && strtoul(name + strlen(begin), NULL, 10) >=
            (unsigned long)count)
            return err_set(k->e, ERR_INPUT, "%s: has %s, but no tensor of layer %d",
                           k->name, name, count);
    }
    k->c->n_layers = count;
    return 0;
}

/* The file says in words what its tensors cannot. */
static int zero_key_said(struct look *k, struct layer_asked *asked)
{
    const char *note = weights_note(k->w, "zero_attn");

    if (note != NULL && strcmp(note, "true") != 0 && strcmp(note, "false") != 0)
        return err_set(k->e, ERR_INPUT, "%s: __metadata__: zero_attn: found \"%.20s\", "
                       "expected true or false", k->name, note);
    asked->zero_key = asked->zero_key || (note != NULL && note[0] == 't');
    return 0;
}

/* What only an attention by itself can have. */
static int check_last_key(const struct look *k)
{
    const char *scope = layer_name(k->a, k->self, 0);

    if ((k->layout == NULL && !k->stacked) ||
        layer_find(k->w, k->a, scope, "bias_k", "") == NULL)
        return 0;
    return err_set(k->e, ERR_INPUT, "%s: %sbias_k is supported only in an attention by "
                   "itself", k->name, scope);
}

/* Parts without which it would compute something else. */
static int check_supported(const struct look *k)
{
    const char *const scope[] = { layer_name(k->a, k->self, 0),
                                  layer_name(k->a, k->layer, 0) };

    for (int s = 0; s < (k->layout != NULL ? 2 : 1); s++)
        for (int i = 0; layer_unsupported[i] != NULL; i++) {
            const char *begin = arena_printf(k->a, "%s%s", scope[s], layer_unsupported[i]);
            int first;

            if (weights_range(k->w, begin, &first) > 0)
                return err_set(k->e, ERR_INPUT, "%s: %s: layers with such a part are not "
                               "supported", k->name, weights_at(k->w, first)->name);
        }
    return 0;
}

static int part_all(struct look *k)
{
    int L = k->c->n_layers, count = 0;
    const char **scope = arena_alloc(k->a, 2 * (size_t)L, sizeof *scope);

    for (int layer = 0; layer < L; layer++)
        scope[count++] = layer_name(k->a, k->self, layer);
    k->causal = layer_take_masks(k, scope, L) ||
                (k->naming->causal && !k->no_output);   /* such a one keeps its mask */
    for (int layer = 0; k->cross != NULL && layer < L; layer++)
        scope[count++] = arena_printf(k->a, "%s%s", layer_name(k->a, k->layer, layer),
                                      k->cross);
    if (layer_part(k, scope, count) != 0)
        return err_under(k->e, "%s", k->name);
    return 0;
}

/* ---- the whole ---- */

static int check_asked(const struct look *k)
{
    const struct layer_asked *asked = k->asked;

    if (k->layout != NULL && k->naming->part[PART_O] == NULL)
        return err_set(k->e, ERR_USAGE, "--tensor-names: %s is a layer, which needs an output "
                       "projection", k->name);
    if (k->layout == NULL && asked->norm_first)
        return err_set(k->e, ERR_USAGE, "--norm-first: %s is one attention, without norms",
                       k->name);
    if ((k->layout != NULL || k->stacked) && asked->zero_key)
        return err_set(k->e, ERR_USAGE, "--zero-attn: %s is more than one attention, as "
                       "torch.nn.MultiheadAttention is", k->name);
    if (k->layout == NULL && asked->activation != NULL)
        return err_set(k->e, ERR_USAGE, "--activation: %s is one attention, without an mlp",
                       k->name);
    if (k->layout != NULL && k->cross == NULL && asked->memory)
        return err_set(k->e, ERR_USAGE, "--memory: %s has no attention to another input",
                       k->name);
    return 0;
}

/* Of layers named as GPT-2's: a linear [in, out] is the transformers library's, and a mask
 * minGPT's, or that of a nanoGPT for PyTorch 1. */
static bool is_by_tanh(struct look *k)
{
    bool in_out = k->in_out || k->asked->order == LAYER_ORDER_IN_OUT;

    if (k->layout == NULL || !k->layout->tanh_of_others || (!in_out && !k->keeps_mask))
        return false;
    if (!in_out)
        k->note = "its attention keeps a mask, as minGPT's does: the activation is taken for "
                  "gelu_tanh; a nanoGPT that keeps one needs --activation gelu";
    return true;
}

static enum act act_of(struct look *k)
{
    const char *name = k->asked->activation;

    if (name == NULL && is_by_tanh(k))
        return ACT_GELU_TANH;
    if (name == NULL)
        return k->layout != NULL ? k->layout->act : ACT_RELU;
    return strcmp(name, "gelu") == 0 ? ACT_GELU :
           strcmp(name, "gelu_tanh") == 0 ? ACT_GELU_TANH : ACT_RELU;
}

static bool same_shape(const struct tensor *x, const struct tensor *y)
{
    bool same = x != NULL && y != NULL && x->n_dims == y->n_dims;

    for (int i = 0; same && i < x->n_dims; i++)
        same = x->shape[i] == y->shape[i];
    return same;
}

/* Three names may be meant as those of Q, K and V. */
static int check_three(const struct look *k)
{
    const char *const *part = k->naming->part, *scope = layer_name(k->a, k->self, 0);
    const struct tensor *q, *kv, *o;
    enum form form;

    if (k->asked->names == NULL || k->naming->kind != PROJ_KV || part[PART_O] == NULL ||
        k->asked->fused != LAYER_FUSED_AUTO)
        return 0;
    q = layer_weight(k->w, k->a, scope, part[PART_Q], &form);
    kv = layer_weight(k->w, k->a, scope, part[PART_K], &form);
    o = layer_weight(k->w, k->a, scope, part[PART_O], &form);
    if (!same_shape(q, kv) && !same_shape(kv, o))
        return 0;
    return err_set(k->e, ERR_USAGE, "--tensor-names: %s of shape %s may be the keys, or the "
                   "keys and values: give Q,K,V,O, or Q,K,V,- without an output projection, or "
                   "--fused parts for Q,KV,O", kv->name, tensor_shape(k->a, kv));
}

static void set_config(struct look *k)
{
    *k->c = (struct config){ .decoder.start_id = -1, .pad_id = -1, .card.layer = -1,
                             .norm.eps = k->layout != NULL ? k->layout->eps : 1e-5,
                             .score.scaled = true };
}

/* A place of the file -> its numbers and its family. */
static int describe_place(struct look *k)
{
    set_config(k);
    if (check_three(k) != 0 || check_last_key(k) != 0 || check_supported(k) != 0 ||
        count_layers(k) != 0 || check_asked(k) != 0 || part_all(k) != 0 ||
        layer_numbers(k) != 0 || layer_finite(k) != 0)
        return -1;
    k->c->act = act_of(k);
    k->c->cross.zero_key = k->asked->zero_key;
    if (k->layout == NULL && k->stacked && k->c->n_layers > 1)
        layer_note(k, arena_printf(k->a, "its %d attentions are run one after the other, each on "
                                   "the output of the one before", k->c->n_layers));
    layer_family(k);
    return 0;
}

static int check_pair(const struct look *k, const struct look *decoder)
{
    if (decoder->layout == NULL || !k->asked->memory)
        return 0;
    return err_set(k->e, ERR_USAGE, "--memory: %s has an encoder, whose output its decoder "
                   "reads: --prefix %s reads the decoder alone", k->name,
                   arena_strndup(k->a, decoder->layer, strcspn(decoder->layer, "%")));
}

/* What the encoder gives, the decoder reads. */
static int describe_decoder(struct look *k, struct look *decoder)
{
    decoder->c = arena_alloc(k->a, 1, sizeof *decoder->c);
    decoder->f = arena_alloc(k->a, 1, sizeof *decoder->f);
    if (describe_place(decoder) != 0)
        return -1;
    if (decoder->c->d_model != k->c->d_model)
        return err_set(k->e, ERR_INPUT, "%s: %s* has rows of %d and %s* rows of %d, expected the "
                       "same width of the encoder and of the decoder", k->name,
                       layer_name(k->a, k->layer, 0), k->c->d_model,
                       layer_name(k->a, decoder->layer, 0), decoder->c->d_model);
    k->f->name = "encoder-decoder";
    k->f->decoder = decoder->f;
    k->c->decoder.whole = decoder->c;
    if (decoder->note != NULL)
        layer_note(k, decoder->note);
    return 0;
}

int layer_describe(struct config *c, const struct family **family, struct arena *a,
                   struct weights *w, const char *name, const struct layer_asked *asked,
                   const char **note, struct err *e)
{
    struct layer_asked more = *asked;
    struct look look = { .c = c, .a = a, .w = w, .name = name, .asked = &more, .e = e,
                         .naming = layer_naming, .self = "", .layer = "", .base = "" };
    struct look decoder = { .layout = NULL };

    look.f = arena_alloc(a, 1, sizeof *look.f);
    *family = look.f;
    if (plain_names(&look) != 0 || (asked->names != NULL && asked_naming(&look) != 0))
        return -1;
    more.prefix = asked->prefix != NULL ? asked_prefix(&look) : NULL;
    if (zero_key_said(&look, &more) != 0 || layer_search(&look, &decoder) != 0 ||
        check_pair(&look, &decoder) != 0 || describe_place(&look) != 0 ||
        (decoder.layout != NULL && describe_decoder(&look, &decoder) != 0))
        return -1;
    *note = look.note;
    return 0;
}

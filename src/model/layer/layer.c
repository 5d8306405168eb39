/* SPDX-License-Identifier: MIT
 * Names and shapes of a file without a config -> family and config. */
#include "model/layer.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "model/layer/layer_priv.h"

enum { MAX_LAYERS = 1 << 12 };

/* ---- is it one? ---- */

bool layer_is(const struct weights *weights, struct arena *scratch)
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
                found = found || layer_find(weights, scratch, scopes[s], n->part[i],
                                            endings[n->kind]) != NULL;
            found = found || (n->kind == PROJ_TORCH &&
                              layer_find(weights, scratch, scopes[s], "in_proj",
                                         "_weight") != NULL);
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
static int asked_naming(struct look *look)
{
    struct naming *naming = arena_alloc(look->a, 2, sizeof *naming);
    char *rest = arena_strndup(look->a, look->asked->names, strlen(look->asked->names));
    const char *name[N_PART];
    int count = 0;

    for (char *one = strsep(&rest, ","); one != NULL; one = strsep(&rest, ","), count++) {
        if (count < N_PART)
            name[count] = linear_name(look->a, one);
        if (one[0] == '\0' || strpbrk(one, "%|") != NULL)
            count = N_PART;
    }
    if (count < 2 || count > N_PART)
        return err_set(look->e, ERR_USAGE, "--tensor-names: '%s' is not a list of names like "
                       "Q,K,V,O, or QKV,O or Q,KV,O where one tensor holds several, with O - "
                       "where there is no output projection",
                       look->asked->names);
    naming[0] = (struct naming){ .writer = "--tensor-names", .sure = true,
                                 .part = { name[0] } };
    if (strcmp(name[count - 1], "-") != 0)
        naming[0].part[PART_O] = name[count - 1];
    if (count > 2)
        naming[0].part[PART_K] = name[1];
    if (count > 3)
        naming[0].part[PART_V] = name[2];
    naming[0].kind = count == 4 ? PROJ_WHOLE : count == 3 ? PROJ_KV :
                     look->asked->fused == LAYER_FUSED_HEADS ? PROJ_FUSED_HEADS : PROJ_FUSED;
    look->naming = naming;
    return 0;
}

/* "encoder" -> "encoder.", unless names go on without a dot. */
static const char *asked_prefix(const struct look *look)
{
    const char *prefix = look->asked->prefix;
    const char *dotted = arena_printf(look->a, "%s.", prefix);

    return layer_any(look->w, dotted) ? dotted : prefix;
}

/* Keras and Flax separate parts of names with slashes, and may number outputs. */
static int plain_names(struct look *look)
{
    int count = weights_count(look->w);
    struct tensor *all = arena_alloc(look->a, (size_t)count + 1, sizeof *all);
    bool changed = false;

    for (int i = 0; i < count; i++) {
        char *name = arena_strdup(look->a, weights_at(look->w, i)->name);
        size_t size = strlen(name);

        all[i] = *weights_at(look->w, i);
        all[i].name = name;
        if (size > 2 && strcmp(name + size - 2, ":0") == 0)
            name[size - 2] = '\0';
        for (; *name != '\0'; name++)
            if (*name == '/')
                *name = '.';
        changed = changed || strcmp(all[i].name, weights_at(look->w, i)->name) != 0;
    }
    return changed ? weights_replace(look->w, all, count, look->e) : 0;
}

/* ---- what is there ---- */

/* layers.0, layers.1, ..: none may be left out. */
static int count_layers(struct look *look)
{
    const char *begin = arena_strndup(look->a, look->layer, strcspn(look->layer, "%"));
    int count = 1;

    look->c->n_layers = 1;
    if (!look->stacked)
        return 0;
    while (count < MAX_LAYERS && layer_any(look->w, layer_name(look->a, look->layer, count)))
        count++;
    for (int i = 0; i < weights_count(look->w); i++) {
        const char *name = weights_at(look->w, i)->name;

        if (str_starts_with(name, begin) && strtoul(name + strlen(begin), NULL, 10) >=
            (unsigned long)count)
            return err_set(look->e, ERR_INPUT, "%s: has %s, but no tensor of layer %d",
                           look->name, name, count);
    }
    look->c->n_layers = count;
    return 0;
}

/* The file says in words what its tensors cannot. */
static int zero_key_said(struct look *look, struct layer_asked *asked)
{
    const char *note = weights_note(look->w, "zero_attn");

    if (note != NULL && strcmp(note, "true") != 0 && strcmp(note, "false") != 0)
        return err_set(look->e, ERR_INPUT, "%s: __metadata__: zero_attn: found \"%.20s\", "
                       "expected true or false", look->name, note);
    asked->zero_key = asked->zero_key || (note != NULL && note[0] == 't');
    return 0;
}

/* What only an attention by itself can have. */
static int check_last_key(const struct look *look)
{
    const char *scope = layer_name(look->a, look->self, 0);

    if ((look->layout == NULL && !look->stacked) ||
        layer_find(look->w, look->a, scope, "bias_k", "") == NULL)
        return 0;
    return err_set(look->e, ERR_INPUT, "%s: %sbias_k is supported only in an attention by "
                   "itself", look->name, scope);
}

/* Parts without which it would compute something else. */
static int check_supported(const struct look *look)
{
    const char *const scope[] = { layer_name(look->a, look->self, 0),
                                  layer_name(look->a, look->layer, 0) };

    for (int s = 0; s < (look->layout != NULL ? 2 : 1); s++)
        for (int i = 0; layer_unsupported[i] != NULL; i++) {
            const char *begin = arena_printf(look->a, "%s%s", scope[s], layer_unsupported[i]);
            int first;

            if (weights_range(look->w, begin, &first) > 0)
                return err_set(look->e, ERR_INPUT, "%s: %s: layers with such a part are not "
                               "supported", look->name, weights_at(look->w, first)->name);
        }
    return 0;
}

static int part_all(struct look *look)
{
    int L = look->c->n_layers, count = 0;
    const char **scope = arena_alloc(look->a, 2 * (size_t)L, sizeof *scope);

    for (int layer = 0; layer < L; layer++)
        scope[count++] = layer_name(look->a, look->self, layer);
    look->causal = layer_take_masks(look, scope, L) ||
                   (look->naming->causal && !look->no_output);   /* such a one keeps its mask */
    for (int layer = 0; look->cross != NULL && layer < L; layer++)
        scope[count++] = arena_printf(look->a, "%s%s", layer_name(look->a, look->layer, layer),
                                      look->cross);
    if (layer_part(look, scope, count) != 0)
        return err_under(look->e, "%s", look->name);
    return 0;
}

/* ---- the whole ---- */

static int check_asked(const struct look *look)
{
    const struct layer_asked *asked = look->asked;

    if (look->layout != NULL && look->naming->part[PART_O] == NULL)
        return err_set(look->e, ERR_USAGE, "--tensor-names: %s is a layer, which needs an output "
                       "projection", look->name);
    if (look->layout == NULL && asked->norm_first)
        return err_set(look->e, ERR_USAGE, "--norm-first: %s is one attention, without norms",
                       look->name);
    if ((look->layout != NULL || look->stacked) && asked->zero_key)
        return err_set(look->e, ERR_USAGE, "--zero-attn: %s is more than one attention, as "
                       "torch.nn.MultiheadAttention is", look->name);
    if (look->layout == NULL && asked->activation != NULL)
        return err_set(look->e, ERR_USAGE, "--activation: %s is one attention, without an mlp",
                       look->name);
    if (look->layout != NULL && look->cross == NULL && asked->memory)
        return err_set(look->e, ERR_USAGE, "--memory: %s has no attention to another input",
                       look->name);
    return 0;
}

/* Of layers named as GPT-2's: a linear [in, out] is the transformers library's, and a mask
 * minGPT's, or that of a nanoGPT for PyTorch 1. */
static bool is_by_tanh(struct look *look)
{
    bool in_out = look->in_out || look->asked->order == LAYER_ORDER_IN_OUT;

    if (look->layout == NULL || !look->layout->tanh_of_others || (!in_out && !look->keeps_mask))
        return false;
    if (!in_out)
        look->note = "its attention keeps a mask, as minGPT's does: the activation is taken for "
                     "gelu_tanh; a nanoGPT that keeps one needs --activation gelu";
    return true;
}

static enum act act_of(struct look *look)
{
    const char *name = look->asked->activation;

    if (name == NULL && is_by_tanh(look))
        return ACT_GELU_TANH;
    if (name == NULL)
        return look->layout != NULL ? look->layout->act : ACT_RELU;
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
static int check_three(const struct look *look)
{
    const char *const *part = look->naming->part, *scope = layer_name(look->a, look->self, 0);
    const struct tensor *q, *kv, *o;
    enum form form;

    if (look->asked->names == NULL || look->naming->kind != PROJ_KV || part[PART_O] == NULL ||
        look->asked->fused != LAYER_FUSED_AUTO)
        return 0;
    q = layer_weight(look->w, look->a, scope, part[PART_Q], &form);
    kv = layer_weight(look->w, look->a, scope, part[PART_K], &form);
    o = layer_weight(look->w, look->a, scope, part[PART_O], &form);
    if (!same_shape(q, kv) && !same_shape(kv, o))
        return 0;
    return err_set(look->e, ERR_USAGE, "--tensor-names: %s of shape %s may be the keys, or the "
                   "keys and values: give Q,K,V,O, or Q,K,V,- without an output projection, or "
                   "--fused parts for Q,KV,O", kv->name, tensor_shape(look->a, kv));
}

static void set_config(struct look *look)
{
    *look->c = (struct config){ .decoder.start_id = -1, .pad_id = -1, .card.layer = -1,
                                .norm.eps = look->layout != NULL ? look->layout->eps : 1e-5,
                                .score.scaled = true };
}

/* A place of the file -> its numbers and its family. */
static int describe_place(struct look *look)
{
    set_config(look);
    if (check_three(look) != 0 || check_last_key(look) != 0 || check_supported(look) != 0 ||
        count_layers(look) != 0 || check_asked(look) != 0 || part_all(look) != 0 ||
        layer_numbers(look) != 0 || layer_finite(look) != 0)
        return -1;
    look->c->act = act_of(look);
    look->c->cross.zero_key = look->asked->zero_key;
    if (look->layout == NULL && look->stacked && look->c->n_layers > 1)
        layer_note(look, arena_printf(look->a,
                                      "its %d attentions are run one after the other, each on "
                                      "the output of the one before",
                                      look->c->n_layers));
    layer_family(look);
    return 0;
}

static int check_pair(const struct look *look, const struct look *decoder)
{
    if (decoder->layout == NULL || !look->asked->memory)
        return 0;
    return err_set(look->e, ERR_USAGE, "--memory: %s has an encoder, whose output its decoder "
                   "reads: --prefix %s reads the decoder alone", look->name,
                   arena_strndup(look->a, decoder->layer, strcspn(decoder->layer, "%")));
}

/* What the encoder gives, the decoder reads. */
static int describe_decoder(struct look *look, struct look *decoder)
{
    decoder->c = arena_alloc(look->a, 1, sizeof *decoder->c);
    decoder->f = arena_alloc(look->a, 1, sizeof *decoder->f);
    if (describe_place(decoder) != 0)
        return -1;
    if (decoder->c->d_model != look->c->d_model)
        return err_set(look->e, ERR_INPUT,
                       "%s: %s* has rows of %d and %s* rows of %d, expected the "
                       "same width of the encoder and of the decoder",
                       look->name, layer_name(look->a, look->layer, 0), look->c->d_model,
                       layer_name(look->a, decoder->layer, 0), decoder->c->d_model);
    look->f->name = "encoder-decoder";
    look->f->decoder = decoder->f;
    look->c->decoder.whole = decoder->c;
    if (decoder->note != NULL)
        layer_note(look, decoder->note);
    return 0;
}

int layer_describe(struct config *config, const struct family **family, struct arena *a,
                   struct weights *weights, const char *name, const struct layer_asked *asked,
                   const char **note, struct err *e)
{
    struct layer_asked more = *asked;
    struct look look = { .c = config, .a = a, .w = weights, .name = name, .asked = &more, .e = e,
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

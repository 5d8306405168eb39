/* SPDX-License-Identifier: MIT
 * Shapes of a layer's tensors -> the numbers of its config. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "model/layer/layer_priv.h"

enum { MAX_TOKENS = 1 << 24 };      /* where no table of positions says less */

static int range(const struct look *look, const struct tensor *tensor, int n_dims)
{
    bool ok = tensor->n_dims == n_dims;

    for (int i = 0; ok && i < n_dims; i++)
        ok = tensor->shape[i] >= 1 && tensor->shape[i] <= LAYER_MAX_WIDTH;
    return ok ? 0 :
                err_set(look->e, ERR_INPUT,
                        "%s: %s: shape %s, expected %d dimension%s of "
                        "1 to %d",
                        look->name, tensor->name, tensor_shape(look->a, tensor), n_dims,
                        str_plural(n_dims), LAYER_MAX_WIDTH);
}

/* The four projections of layer 0, all there and matrices; without an output, three. */
static int find_parts(const struct look *look, const struct tensor *part[N_PART])
{
    const char *scope = layer_name(look->a, look->self, 0);
    bool torch = look->naming->kind == PROJ_TORCH;
    const struct tensor *there = NULL;

    for (int i = 0; i < N_PART; i++) {
        part[i] = NULL;
        if (look->part[i] == NULL)
            continue;
        part[i] = layer_find(look->w, look->a, scope, look->part[i], ".weight");
        if (part[i] == NULL && torch)
            part[i] = layer_find(look->w, look->a, scope, look->part[i], "_weight");
        if (part[i] != NULL)
            there = part[i];
    }
    for (int i = 0; i < N_PART && look->part[i] != NULL; i++) {
        if (part[i] == NULL)
            return layer_incomplete(look, there != NULL ? there->name : scope, arena_printf(
                look->a, "%s%s%s", scope, look->part[i],
                torch && i != PART_O ? "_weight" : ".weight"));
        if (range(look, part[i], 2) != 0)
            return -1;
    }
    return 0;
}

int layer_heads_said(const struct look *look, int *n)
{
    const char *note = weights_note(look->w, "heads");
    unsigned long said;
    char *end;

    *n = 0;
    if (note == NULL)
        return 0;
    said = note[0] >= '1' && note[0] <= '9' ? strtoul(note, &end, 10) : 0;
    if (said >= 1 && said <= LAYER_MAX_WIDTH && *end == '\0') {
        *n = (int)said;
        return 0;
    }
    return err_set(look->e, ERR_INPUT, "%s: __metadata__: heads: found \"%.20s\", expected a "
                   "number of heads", look->name, note);
}

/* The heads that the file says by its shapes, or in words; 0: it does not. */
static int layer_numbers_heads_of(const struct look *look, const struct tensor *tensor,
                                  const struct tensor *rel, int *n)
{
    *n = look->n_heads;
    if (*n == 0 && rel != NULL && tensor->shape[0] % rel->shape[1] == 0)
        *n = (int)(tensor->shape[0] / rel->shape[1]);
    return *n > 0 ? 0 : layer_heads_said(look, n);
}

static int layer_numbers_count_heads(const struct look *look, const struct tensor *tensor,
                                     const struct tensor *rel)
{
    struct config *config = look->c;
    int said, asked = look->asked->heads;

    if (layer_numbers_heads_of(look, tensor, rel, &said) != 0)
        return -1;
    if (said > 0 && asked > 0 && said != asked)
        return err_set(look->e, ERR_USAGE, "--heads: %d, but %s has %d", asked, look->name, said);
    config->n_heads = said > 0 ? said : asked;
    if (config->n_heads == 0)
        return err_set(look->e, ERR_USAGE,
                       "%s: the number of heads of its %lld column%s of "
                       "queries is unknown; give --heads N",
                       look->name, (long long)tensor->shape[0], str_plural(tensor->shape[0]));
    if (tensor->shape[0] % config->n_heads != 0)
        return err_set(look->e, ERR_USAGE, "--heads: %d do not divide the %lld column%s of %s",
                       config->n_heads, (long long)tensor->shape[0], str_plural(tensor->shape[0]),
                       tensor->name);
    config->d_head = (int)tensor->shape[0] / config->n_heads;
    return 0;
}

/* Heads may share keys and values in groups; values may be wider or narrower. */
static int count_values(const struct look *look, const struct tensor *const part[N_PART])
{
    struct config *config = look->c;
    int64_t keys = part[PART_K]->shape[0], values = part[PART_V]->shape[0];

    if (keys % config->d_head != 0 || config->n_heads % (keys / config->d_head) != 0)
        return err_set(look->e, ERR_INPUT, "%s: %s: shape %s, expected %d row%s: %d head%s of "
                       "width %d", look->name, part[PART_K]->name,
                       tensor_shape(look->a, part[PART_K]), config->n_heads * config->d_head,
                       str_plural(config->n_heads * config->d_head), config->n_heads,
                       str_plural(config->n_heads), config->d_head);
    config->n_kv_heads = (int)keys / config->d_head;
    if (values % config->n_kv_heads != 0)
        return err_set(look->e, ERR_INPUT, "%s: %s: shape %s, expected rows for %d head%s",
                       look->name, part[PART_V]->name, tensor_shape(look->a, part[PART_V]),
                       config->n_kv_heads, str_plural(config->n_kv_heads));
    config->d_value = (int)values / config->n_kv_heads;
    return 0;
}

static int count_positions(const struct look *look, const struct tensor *rel)
{
    struct config *config = look->c;
    const char *form = look->asked->relative;

    config->n_positions = MAX_TOKENS;
    if (rel == NULL)
        return form == NULL ? 0 :
               err_set(look->e, ERR_USAGE, "--relative: %s has no rel_pos_encoding", look->name);
    if (rel->shape[0] % 2 == 0 || rel->shape[1] != config->d_head)
        return err_set(look->e, ERR_INPUT, "%s: %s: shape %s, expected [2 max_len - 1,%d]",
                       look->name, rel->name, tensor_shape(look->a, rel), config->d_head);
    config->relative.n_distances = (int)rel->shape[0];
    config->relative.clip = form != NULL;
    if (form == NULL)
        config->n_positions = (config->relative.n_distances + 1) / 2;
    return 0;
}

/* What one attention gives, the next one of a list reads. */
static int check_chain(const struct look *look)
{
    const struct config *config = look->c;

    if (config->n_layers == 1 || config->d_out == config->d_model)
        return 0;
    return err_set(look->e, ERR_INPUT, "%s: its %d attentions read rows of %d and give rows of "
                   "%d, so that none can read another: --prefix %s reads one of them", look->name,
                   config->n_layers, config->d_model, config->d_out,
                   layer_name(look->a, look->layer, 0));
}

int layer_numbers(struct look *look)
{
    const char *scope = layer_name(look->a, look->self, 0);
    const struct tensor *part[N_PART], *tensor, *rel;
    struct config *config = look->c;

    if (find_parts(look, part) != 0)
        return -1;
    rel = layer_find(look->w, look->a, scope, "rel_pos_encoding", "");
    if ((rel != NULL && range(look, rel, 2) != 0) ||
        layer_numbers_count_heads(look, part[PART_Q], rel) != 0 || count_values(look, part) != 0 ||
        count_positions(look, rel) != 0)
        return -1;
    config->d_model = config->d_embed = (int)part[PART_Q]->shape[1];
    config->cross.d_key = (int)part[PART_K]->shape[1];
    config->cross.d_value = (int)part[PART_V]->shape[1];
    if (look->layout == NULL) {
        config->d_out = part[PART_O] != NULL ? (int)part[PART_O]->shape[0] :
                                               config->n_heads * config->d_value;
        return check_chain(look);
    }
    tensor = layer_find(look->w, look->a, layer_name(look->a, look->layer, 0), look->layout->up,
                        ".weight");
    if (tensor == NULL)
        return err_set(look->e, ERR_INPUT, "%s: has no tensor %s%s.weight", look->name,
                       layer_name(look->a, look->layer, 0), look->layout->up);
    if (range(look, tensor, 2) != 0)
        return -1;
    config->d_ff = (int)tensor->shape[0];
    return 0;
}

/* Of the layer, not of what lies beside it. */
static bool is_inside(const struct look *look, const char *name)
{
    const char *scope = look->layout == NULL ? look->self : look->layer;

    return strncmp(name, scope, strcspn(scope, "%")) == 0;
}

/* A layer is small, and what is not finite in it spoils all that is shown of it. */
int layer_finite(const struct look *look)
{
    enum { CHUNK = 4096 };
    float x[CHUNK];

    for (int i = 0; i < weights_count(look->w); i++) {
        const struct tensor *tensor = weights_at(look->w, i);
        bool plain = dtype_table[tensor->dtype].is_float &&
                     dtype_table[tensor->dtype].block == 1 && is_inside(look, tensor->name);

        for (int64_t at = 0; plain && at < tensor->n_elements; at += CHUNK) {
            int count = (int)(tensor->n_elements - at < CHUNK ? tensor->n_elements - at :
                                                                CHUNK);

            tensor_read(x, tensor, at, count);
            for (int j = 0; j < count; j++)
                if (!isfinite(x[j]))
                    return err_set(look->e, ERR_INPUT, "%s: %s: element %lld is %s", look->name,
                                   tensor->name, (long long)(at + j),
                                   isnan(x[j]) ? "NaN" : "infinite");
        }
    }
    return 0;
}

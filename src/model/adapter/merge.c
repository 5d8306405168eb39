/* SPDX-License-Identifier: MIT
 * Tensors of an adapter -> the tensors of its base, merged or replaced. */
#include "model/adapter.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "model/adapter/config.h"
#include "weights/adapted.h"
#include "weights/gguf.h"

#define CONFIG "adapter_config.json"
#define TENSORS "adapter_model.safetensors"

struct merger {
    struct weights *w, *from;
    struct arena *a;
    struct adapter_config c;
    const char **module;        /* [n] those that have factors */
    int n;
    const char **merged;        /* [tensors of w] by which of them; NULL: none yet */
    struct ending *ending;      /* [tensors of w], sorted by their names from the end on */
    const struct adapter_tied *tied;    /* or NULL */
    struct tensor *added;       /* [n_added] tensors that the base does not have */
    int n_added;
    struct err *e;
};

struct ending {
    const char *name;
    int at;                     /* in w */
};

/* ---- names ---- */

/* Of an adapter's tensor, without what PEFT puts around it. */
static const char *bare_name(struct arena *a, const char *name)
{
    static const char begin[] = "base_model.model.";
    static const char *const middle[] = { ".modules_to_save.", ".base_layer." };

    if (str_starts_with(name, begin))
        name += sizeof begin - 1;
    for (int i = 0; i < 2; i++) {
        const char *at = strstr(name, middle[i]);

        if (at != NULL)
            return arena_printf(a, "%.*s.%s", (int)(at - name), name, at + strlen(middle[i]));
    }
    return name;
}

/* Two names by their last n bytes, the last one first. */
static int compare_ends(const char *x, const char *y, size_t n)
{
    size_t n_x = strlen(x), n_y = strlen(y), most = n_x < n_y ? n_x : n_y;

    most = n < most ? n : most;
    for (size_t k = 1; k <= most; k++)
        if (x[n_x - k] != y[n_y - k])
            return (unsigned char)x[n_x - k] - (unsigned char)y[n_y - k];
    return most == n ? 0 : (n_x > n_y) - (n_x < n_y);
}

static int by_end(const void *x, const void *y)
{
    return compare_ends(((const struct ending *)x)->name, ((const struct ending *)y)->name,
                        SIZE_MAX);
}

static void sort_endings(struct merger *merger)
{
    int n = weights_count(merger->w);

    merger->ending = arena_alloc(merger->a, (size_t)n + 1, sizeof *merger->ending);
    for (int i = 0; i < n; i++)
        merger->ending[i] = (struct ending){ weights_at(merger->w, i)->name, i };
    qsort(merger->ending, (size_t)n, sizeof *merger->ending, by_end);
}

/* How many tensors of the base end so; the first of them in *found. */
static int find_ending(struct merger *merger, const char *end, int *found)
{
    int low = 0, high = weights_count(merger->w), n = high, count = 0;
    size_t size = strlen(end);

    if (merger->ending == NULL)
        sort_endings(merger);
    while (low < high) {
        int middle = low + (high - low) / 2;

        if (compare_ends(merger->ending[middle].name, end, size) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    while (low + count < n && compare_ends(merger->ending[low + count].name, end, size) == 0)
        count++;
    *found = count > 0 ? merger->ending[low].at : -1;
    return count;
}

/* Files leave out prefixes that the module has, or have one more. */
static int find_base(struct merger *merger, const char *name, int *found)
{
    enum { MOST_LEFT_OUT = 2 };
    const char *rest = name;
    int count;

    for (int k = 0; rest != NULL && k <= MOST_LEFT_OUT; k++) {
        const struct tensor *t = weights_find(merger->w, rest);

        if (t != NULL) {
            *found = (int)(t - weights_at(merger->w, 0));
            return 0;
        }
        rest = strchr(rest, '.');
        rest = rest != NULL ? rest + 1 : NULL;
    }
    count = find_ending(merger, arena_printf(merger->a, ".%s", name), found);
    return count < 2 ?
               0 :
               err_set(merger->e, ERR_INPUT, "%s: changes %s, which may be any of %d tensors of %s",
                       merger->c.file, str_shown(merger->a, name), count,
                       weights_at(merger->w, 0)->file);
}

/* The adapter has factors for the module. */
static bool adapts(const struct merger *merger, const char *module)
{
    for (int i = 0; i < weights_count(merger->from); i++) {
        const char *name = weights_at(merger->from, i)->name, *end = strstr(name, ".lora_A.weight");

        if (end != NULL &&
            strcmp(bare_name(merger->a, arena_strndup(merger->a, name, (size_t)(end - name))),
                   module) == 0)
            return true;
    }
    return false;
}

/* The first of the names "A|B" that the base has a weight of; at -1: none. */
static int find_named(struct merger *merger, const char *names, int *at)
{
    *at = -1;
    for (size_t n; *names != '\0' && *at < 0; names += n + (names[n] == '|')) {
        n = strcspn(names, "|");
        if (find_base(merger, arena_printf(merger->a, "%.*s.weight", (int)n, names), at) != 0)
            return -1;
    }
    return 0;
}

/* w with one tensor more: what `from` is, under another name. */
static int add_copy(struct merger *merger, int from, const char *name)
{
    int n = weights_count(merger->w);
    struct tensor *all = arena_alloc(merger->a, (size_t)n + 1, sizeof *all);

    for (int i = 0; i < n; i++)
        all[i] = *weights_at(merger->w, i);
    all[n] = all[from];
    all[n].name = name;
    merger->ending = NULL;
    return weights_replace(merger->w, all, n + 1, merger->e);
}

/* A tied head that is adapted by itself is no longer the embedding. */
static int untie(struct merger *merger)
{
    const char *names = merger->tied != NULL ? merger->tied->head : "";
    int head, table;

    for (size_t n; *names != '\0'; names += n + (names[n] == '|')) {
        const char *name;

        n = strcspn(names, "|");
        name = arena_strndup(merger->a, names, n);
        if (!adapts(merger, name))
            continue;
        if (find_named(merger, merger->tied->head, &head) != 0 ||
            find_named(merger, merger->tied->table, &table) != 0)
            return -1;
        return head >= 0 || table < 0 ? 0 :
               add_copy(merger, table, arena_printf(merger->a, "%s.weight", name));
    }
    return 0;
}

static const char *base_file(const struct merger *merger)
{
    return weights_count(merger->w) > 0 ? weights_at(merger->w, 0)->file : "the base";
}

/* ---- factors ---- */

static const struct {
    const char *a, *b;
    bool embedding;
} factors[] = {
    { ".lora_A.weight", ".lora_B.weight", false },
    { ".lora_embedding_A", ".lora_embedding_B", true },
};

static const struct tensor *sibling(const struct merger *merger, const struct tensor *tensor,
                                    size_t n_module, const char *ending)
{
    return weights_find(merger->from,
                        arena_printf(merger->a, "%.*s%s", (int)n_module, tensor->name, ending));
}

static int merge_factors(struct merger *merger, const struct tensor *tensor, int kind)
{
    size_t n_module = strlen(tensor->name) - strlen(factors[kind].a);
    const char *module = bare_name(merger->a, arena_strndup(merger->a, tensor->name, n_module));
    struct low_rank change = { .a = tensor, .b = sibling(merger, tensor, n_module, factors[kind].b),
                               .in_out = merger->c.in_out || factors[kind].embedding };
    int at;

    merger->module[merger->n++] = module;
    change.magnitude = sibling(merger, tensor, n_module, ".lora_magnitude_vector");
    if (change.magnitude == NULL)
        change.magnitude = sibling(merger, tensor, n_module, ".lora_magnitude_vector.weight");
    if (change.b == NULL)
        return err_set(merger->e, ERR_INPUT, "%s: has %s, but no %s%s", tensor->file,
                       str_shown(merger->a, tensor->name), str_shown(merger->a, module),
                       factors[kind].b);
    if (merger->c.dora != (change.magnitude != NULL))
        return err_set(merger->e, ERR_INPUT, "%s: %s: use_dora is %s, but %s has %s magnitudes",
                       merger->c.file, str_shown(merger->a, tensor->file),
                       merger->c.dora ? "true" : "false", str_shown(merger->a, module),
                       merger->c.dora ? "no" : "also");
    if (find_base(merger, arena_printf(merger->a, "%s.weight", module), &at) != 0)
        return -1;
    if (at < 0)
        return err_set(merger->e, ERR_INPUT,
                       "%s: adapts %s, which %s does not have: is it an adapter "
                       "for another model?",
                       tensor->file, str_shown(merger->a, module), base_file(merger));
    if (merger->merged[at] != NULL)
        return err_set(merger->e, ERR_INPUT, "%s: %s and %s both adapt %s", tensor->file,
                       str_shown(merger->a, merger->merged[at]), str_shown(merger->a, module),
                       str_shown(merger->a, weights_at(merger->w, at)->name));
    merger->merged[at] = module;
    if (adapter_scale(&merger->c, module, tensor->n_dims == 2 ? tensor->shape[0] : 0, &change.scale,
                      merger->e) != 0)
        return -1;
    return weights_adapt(merger->w, at, &change, merger->e);
}

/* ---- whole tensors ---- */

static bool same_shape(const struct tensor *t, const struct tensor *u)
{
    return t->n_dims == u->n_dims &&
           memcmp(t->shape, u->shape, (size_t)t->n_dims * sizeof *t->shape) == 0;
}

static int merge_whole(struct merger *merger, const struct tensor *tensor)
{
    const char *name = bare_name(merger->a, tensor->name);
    int at;

    if (find_base(merger, name, &at) != 0)
        return -1;
    if (at >= 0) {
        const struct tensor *base = weights_at(merger->w, at);

        if (!same_shape(tensor, base))
            return err_set(merger->e, ERR_INPUT, "%s: %s: shape %s, but %s has shape %s",
                           tensor->file, str_shown(merger->a, tensor->name),
                           tensor_shape(merger->a, tensor), str_shown(merger->a, base->name),
                           tensor_shape(merger->a, base));
        weights_put(merger->w, at, tensor);
        return 0;
    }
    if (!adapter_saves(&merger->c, name))
        return err_set(merger->e, ERR_INPUT, "%s: replaces %s, which %s does not have and "
                       "modules_to_save does not name: is it an adapter for another model?",
                       tensor->file, str_shown(merger->a, name),
                       base_file(merger));
    merger->added[merger->n_added] = *tensor;
    merger->added[merger->n_added++].name = name;
    return 0;
}

/* ---- all ---- */

static bool is_part_of_factors(const char *name)
{
    static const char *const endings[] = { ".lora_B.weight", ".lora_embedding_B",
                                           ".lora_magnitude_vector",
                                           ".lora_magnitude_vector.weight" };

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (str_ends_with(name, endings[i]))
            return true;
    return false;
}

/* Factors bring their other parts with them; what has none is not one of them. */
static int check_part(const struct merger *merger, const struct tensor *tensor)
{
    const char *at = strstr(tensor->name, ".lora_");
    size_t n = (size_t)(at - tensor->name);

    for (int k = 0; k < 2; k++)
        if (is_part_of_factors(tensor->name) && sibling(merger, tensor, n, factors[k].a) != NULL)
            return 0;
    return err_set(merger->e, ERR_INPUT, "%s: %s: is no part of a module with lora_A and lora_B",
                   tensor->file, str_shown(merger->a, tensor->name));
}

/* What factors are added to comes first, then they do: they say best whether it is an adapter for
 * another model. */
enum turn { TURN_BASES, TURN_FACTORS, TURN_OTHERS, N_TURN };

static int merge_tensor(struct merger *merger, const struct tensor *tensor, enum turn turn)
{
    bool part = strstr(tensor->name, ".lora_") != NULL;
    enum turn own = part || strstr(tensor->name, ".base_layer.") == NULL ? TURN_OTHERS : TURN_BASES;

    for (int k = 0; k < 2; k++)
        if (str_ends_with(tensor->name, factors[k].a))
            return turn == TURN_FACTORS ? merge_factors(merger, tensor, k) : 0;
    if (turn != own)
        return 0;
    return part ? check_part(merger, tensor) : merge_whole(merger, tensor);
}

static int adapter_merge_add(struct merger *merger)
{
    int n = weights_count(merger->w);
    struct tensor *all;

    if (merger->n_added == 0)
        return 0;
    all = arena_alloc(merger->a, (size_t)n + (size_t)merger->n_added, sizeof *all);
    for (int i = 0; i < n; i++)
        all[i] = *weights_at(merger->w, i);
    memcpy(all + n, merger->added, (size_t)merger->n_added * sizeof *all);
    return weights_replace(merger->w, all, n + merger->n_added, merger->e);
}

static int merge_all(struct merger *merger)
{
    int n = weights_count(merger->from);

    merger->module = arena_alloc(merger->a, (size_t)n + 1, sizeof *merger->module);
    merger->added = arena_alloc(merger->a, (size_t)n + 1, sizeof *merger->added);
    if (untie(merger) != 0)
        return -1;
    merger->merged = arena_alloc(merger->a, (size_t)weights_count(merger->w) + 1,
                                 sizeof *merger->merged);
    for (int i = 0; i < N_TURN * n; i++)
        if (merge_tensor(merger, weights_at(merger->from, i % n), (enum turn)(i / n)) != 0)
            return -1;
    return adapter_check_patterns(&merger->c, merger->module, merger->n, merger->e) != 0 ? -1 :
           adapter_merge_add(merger);
}

int adapter_merge_files(struct weights *weights, struct arena *a, const struct adapter_files *files,
                        struct err *e)
{
    struct merger merger = { .w = weights, .from = files->from, .a = a, .tied = files->tied,
                             .e = e };
    int status;

    if (weights_gguf(weights) != NULL)
        return err_set(e, ERR_INPUT, "%s: the base is a GGUF file, whose tensors have other "
                       "names, expected safetensors", files->config_name);
    if (adapter_read_config(&merger.c, a, files->config, files->config_name, e) != 0)
        return -1;
    status = merge_all(&merger);
    json_drop(a, merger.c.root);
    return status;
}

int adapter_merge(struct weights *weights, struct arena *a, const char *dir,
                  const struct adapter_tied *tied, struct err *e)
{
    struct adapter_files files = { .config_name = file_join(a, dir, CONFIG), .tied = tied };
    const struct span *config = file_hold(a, files.config_name, e);
    int status;

    if (config == NULL)
        return -1;
    files.config = *config;
    files.from = weights_open(a, file_join(a, dir, TENSORS), e);
    status = files.from == NULL ? -1 : adapter_merge_files(weights, a, &files, e);
    file_drop(a, config);
    if (files.from != NULL)
        weights_adopt(weights, files.from);
    return status;
}

bool adapter_is_in(struct arena *a, const char *dir)
{
    return file_is_dir(dir) && file_exists(file_join(a, dir, CONFIG));
}

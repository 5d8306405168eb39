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

static void sort_endings(struct merger *m)
{
    int n = weights_count(m->w);

    m->ending = arena_alloc(m->a, (size_t)n + 1, sizeof *m->ending);
    for (int i = 0; i < n; i++)
        m->ending[i] = (struct ending){ weights_at(m->w, i)->name, i };
    qsort(m->ending, (size_t)n, sizeof *m->ending, by_end);
}

/* How many tensors of the base end so; the first of them in *found. */
static int find_ending(struct merger *m, const char *end, int *found)
{
    int low = 0, high = weights_count(m->w), n = high, count = 0;
    size_t size = strlen(end);

    if (m->ending == NULL)
        sort_endings(m);
    while (low < high) {
        int middle = low + (high - low) / 2;

        if (compare_ends(m->ending[middle].name, end, size) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    while (low + count < n && compare_ends(m->ending[low + count].name, end, size) == 0)
        count++;
    *found = count > 0 ? m->ending[low].at : -1;
    return count;
}

/* Files leave out prefixes that the module has, or have one more. */
static int find_base(struct merger *m, const char *name, int *found)
{
    enum { MOST_LEFT_OUT = 2 };
    const char *rest = name;
    int count;

    for (int k = 0; rest != NULL && k <= MOST_LEFT_OUT; k++) {
        const struct tensor *t = weights_find(m->w, rest);

        if (t != NULL) {
            *found = (int)(t - weights_at(m->w, 0));
            return 0;
        }
        rest = strchr(rest, '.');
        rest = rest != NULL ? rest + 1 : NULL;
    }
    count = find_ending(m, arena_printf(m->a, ".%s", name), found);
    return count < 2 ? 0 :
           err_set(m->e, ERR_INPUT, "%s: changes %s, which may be any of %d tensors of %s",
                   m->c.file, str_shown(m->a, name), count, weights_at(m->w, 0)->file);
}

/* The adapter has factors for the module. */
static bool adapts(const struct merger *m, const char *module)
{
    for (int i = 0; i < weights_count(m->from); i++) {
        const char *name = weights_at(m->from, i)->name, *end = strstr(name, ".lora_A.weight");

        if (end != NULL && strcmp(bare_name(m->a, arena_strndup(m->a, name, (size_t)(end - name))),
                                  module) == 0)
            return true;
    }
    return false;
}

/* The first of the names "A|B" that the base has a weight of; at -1: none. */
static int find_named(struct merger *m, const char *names, int *at)
{
    *at = -1;
    for (size_t n; *names != '\0' && *at < 0; names += n + (names[n] == '|')) {
        n = strcspn(names, "|");
        if (find_base(m, arena_printf(m->a, "%.*s.weight", (int)n, names), at) != 0)
            return -1;
    }
    return 0;
}

/* w with one tensor more: what `from` is, under another name. */
static int add_copy(struct merger *m, int from, const char *name)
{
    int n = weights_count(m->w);
    struct tensor *all = arena_alloc(m->a, (size_t)n + 1, sizeof *all);

    for (int i = 0; i < n; i++)
        all[i] = *weights_at(m->w, i);
    all[n] = all[from];
    all[n].name = name;
    m->ending = NULL;
    return weights_replace(m->w, all, n + 1, m->e);
}

/* A tied head that is adapted by itself is no longer the embedding. */
static int untie(struct merger *m)
{
    const char *names = m->tied != NULL ? m->tied->head : "";
    int head, table;

    for (size_t n; *names != '\0'; names += n + (names[n] == '|')) {
        const char *name;

        n = strcspn(names, "|");
        name = arena_strndup(m->a, names, n);
        if (!adapts(m, name))
            continue;
        if (find_named(m, m->tied->head, &head) != 0 || find_named(m, m->tied->table, &table) != 0)
            return -1;
        return head >= 0 || table < 0 ? 0 :
               add_copy(m, table, arena_printf(m->a, "%s.weight", name));
    }
    return 0;
}

static const char *base_file(const struct merger *m)
{
    return weights_count(m->w) > 0 ? weights_at(m->w, 0)->file : "the base";
}

/* ---- factors ---- */

static const struct {
    const char *a, *b;
    bool embedding;
} factors[] = {
    { ".lora_A.weight", ".lora_B.weight", false },
    { ".lora_embedding_A", ".lora_embedding_B", true },
};

static const struct tensor *sibling(const struct merger *m, const struct tensor *t,
                                    size_t n_module, const char *ending)
{
    return weights_find(m->from, arena_printf(m->a, "%.*s%s", (int)n_module, t->name, ending));
}

static int merge_factors(struct merger *m, const struct tensor *t, int kind)
{
    size_t n_module = strlen(t->name) - strlen(factors[kind].a);
    const char *module = bare_name(m->a, arena_strndup(m->a, t->name, n_module));
    struct low_rank change = { .a = t, .b = sibling(m, t, n_module, factors[kind].b),
                               .in_out = m->c.in_out || factors[kind].embedding };
    int at;

    m->module[m->n++] = module;
    change.magnitude = sibling(m, t, n_module, ".lora_magnitude_vector");
    if (change.magnitude == NULL)
        change.magnitude = sibling(m, t, n_module, ".lora_magnitude_vector.weight");
    if (change.b == NULL)
        return err_set(m->e, ERR_INPUT, "%s: has %s, but no %s%s", t->file,
                       str_shown(m->a, t->name), str_shown(m->a, module), factors[kind].b);
    if (m->c.dora != (change.magnitude != NULL))
        return err_set(m->e, ERR_INPUT, "%s: %s: use_dora is %s, but %s has %s magnitudes",
                       m->c.file, str_shown(m->a, t->file), m->c.dora ? "true" : "false",
                       str_shown(m->a, module), m->c.dora ? "no" : "also");
    if (find_base(m, arena_printf(m->a, "%s.weight", module), &at) != 0)
        return -1;
    if (at < 0)
        return err_set(m->e, ERR_INPUT, "%s: adapts %s, which %s does not have: is it an adapter "
                       "for another model?", t->file, str_shown(m->a, module), base_file(m));
    if (m->merged[at] != NULL)
        return err_set(m->e, ERR_INPUT, "%s: %s and %s both adapt %s", t->file,
                       str_shown(m->a, m->merged[at]), str_shown(m->a, module),
                       str_shown(m->a, weights_at(m->w, at)->name));
    m->merged[at] = module;
    if (adapter_scale(&m->c, module, t->n_dims == 2 ? t->shape[0] : 0, &change.scale, m->e) != 0)
        return -1;
    return weights_adapt(m->w, at, &change, m->e);
}

/* ---- whole tensors ---- */

static bool same_shape(const struct tensor *t, const struct tensor *u)
{
    return t->n_dims == u->n_dims &&
           memcmp(t->shape, u->shape, (size_t)t->n_dims * sizeof *t->shape) == 0;
}

static int merge_whole(struct merger *m, const struct tensor *t)
{
    const char *name = bare_name(m->a, t->name);
    int at;

    if (find_base(m, name, &at) != 0)
        return -1;
    if (at >= 0) {
        const struct tensor *base = weights_at(m->w, at);

        if (!same_shape(t, base))
            return err_set(m->e, ERR_INPUT, "%s: %s: shape %s, but %s has shape %s", t->file,
                           str_shown(m->a, t->name), tensor_shape(m->a, t),
                           str_shown(m->a, base->name), tensor_shape(m->a, base));
        weights_put(m->w, at, t);
        return 0;
    }
    if (!adapter_saves(&m->c, name))
        return err_set(m->e, ERR_INPUT, "%s: replaces %s, which %s does not have and "
                       "modules_to_save does not name: is it an adapter for another model?",
                       t->file, str_shown(m->a, name),
                       base_file(m));
    m->added[m->n_added] = *t;
    m->added[m->n_added++].name = name;
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
static int check_part(const struct merger *m, const struct tensor *t)
{
    const char *at = strstr(t->name, ".lora_");
    size_t n = (size_t)(at - t->name);

    for (int k = 0; k < 2; k++)
        if (is_part_of_factors(t->name) && sibling(m, t, n, factors[k].a) != NULL)
            return 0;
    return err_set(m->e, ERR_INPUT, "%s: %s: is no part of a module with lora_A and lora_B",
                   t->file, str_shown(m->a, t->name));
}

/* What factors are added to comes first, then they do: they say best whether it is an adapter for
 * another model. */
enum turn { TURN_BASES, TURN_FACTORS, TURN_OTHERS, N_TURN };

static int merge_tensor(struct merger *m, const struct tensor *t, enum turn turn)
{
    bool part = strstr(t->name, ".lora_") != NULL;
    enum turn own = part || strstr(t->name, ".base_layer.") == NULL ? TURN_OTHERS : TURN_BASES;

    for (int k = 0; k < 2; k++)
        if (str_ends_with(t->name, factors[k].a))
            return turn == TURN_FACTORS ? merge_factors(m, t, k) : 0;
    if (turn != own)
        return 0;
    return part ? check_part(m, t) : merge_whole(m, t);
}

static int adapter_merge_add(struct merger *m)
{
    int n = weights_count(m->w);
    struct tensor *all;

    if (m->n_added == 0)
        return 0;
    all = arena_alloc(m->a, (size_t)n + (size_t)m->n_added, sizeof *all);
    for (int i = 0; i < n; i++)
        all[i] = *weights_at(m->w, i);
    memcpy(all + n, m->added, (size_t)m->n_added * sizeof *all);
    return weights_replace(m->w, all, n + m->n_added, m->e);
}

static int merge_all(struct merger *m)
{
    int n = weights_count(m->from);

    m->module = arena_alloc(m->a, (size_t)n + 1, sizeof *m->module);
    m->added = arena_alloc(m->a, (size_t)n + 1, sizeof *m->added);
    if (untie(m) != 0)
        return -1;
    m->merged = arena_alloc(m->a, (size_t)weights_count(m->w) + 1, sizeof *m->merged);
    for (int i = 0; i < N_TURN * n; i++)
        if (merge_tensor(m, weights_at(m->from, i % n), (enum turn)(i / n)) != 0)
            return -1;
    return adapter_check_patterns(&m->c, m->module, m->n, m->e) != 0 ? -1 : adapter_merge_add(m);
}

int adapter_merge_files(struct weights *w, struct arena *a, const struct adapter_files *files,
                        struct err *e)
{
    struct merger merger = { .w = w, .from = files->from, .a = a, .tied = files->tied, .e = e };
    int status;

    if (weights_gguf(w) != NULL)
        return err_set(e, ERR_INPUT, "%s: the base is a GGUF file, whose tensors have other "
                       "names, expected safetensors", files->config_name);
    if (adapter_read_config(&merger.c, a, files->config, files->config_name, e) != 0)
        return -1;
    status = merge_all(&merger);
    json_drop(a, merger.c.root);
    return status;
}

int adapter_merge(struct weights *w, struct arena *a, const char *dir,
                  const struct adapter_tied *tied, struct err *e)
{
    struct adapter_files files = { .config_name = file_join(a, dir, CONFIG), .tied = tied };
    const struct span *config = file_hold(a, files.config_name, e);
    int status;

    if (config == NULL)
        return -1;
    files.config = *config;
    files.from = weights_open(a, file_join(a, dir, TENSORS), e);
    status = files.from == NULL ? -1 : adapter_merge_files(w, a, &files, e);
    file_drop(a, config);
    if (files.from != NULL)
        weights_adopt(w, files.from);
    return status;
}

bool adapter_is_in(struct arena *a, const char *dir)
{
    return file_is_dir(dir) && file_exists(file_join(a, dir, CONFIG));
}

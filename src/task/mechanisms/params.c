/* SPDX-License-Identifier: MIT
 * The options of the mechanisms -> their parameters. */
#include "task/mechanisms/mechanisms.h"

enum { MOST = 1000000 };            /* of a number of tokens */

static const char *const bits[] = { "2", "4", NULL };
static const int n_bits[] = { 2, 4 };

#define P(f) offsetof(struct mechanisms_args, params.f)
static const struct opt opts[] = {
    INT(0, "budget", "N", P(budget), NULL, 1, MOST,
        "keys per row, the same for all mechanisms that keep a number of them; by default "
        "each by its own options, h2o and quest 16",
         .excludes = "window|n-global|stride|n-columns|block|top-k|segments"),
    INT(0, "window", "N", P(window), NULL, 1, MOST,
        "local, global, sinks: tokens on either side; by default 4"),
    INT(0, "n-global", "N", P(n_global), NULL, 1, MOST,
        "global: the first N tokens see all tokens and are seen by all; by default 1"),
    INT(0, "sinks", "N", P(sinks), NULL, 1, MOST,
        "sinks: the first N tokens are seen by all; by default 4, at most half a budget"),
    INT(0, "stride", "N", P(stride), "0", 0, MOST,
        "strided, fixed: stride in tokens; 0: the square root of the text's length"),
    INT(0, "n-columns", "N", P(n_columns), NULL, 1, MOST,
        "fixed: the last N tokens of each stride are seen by all; by default 1"),
    INT(0, "block", "N", P(block), NULL, 1, MOST, "block: tokens per block; by default 8"),
    INT(0, "top-k", "N", P(top_k), NULL, 1, MOST, "top-k: keys per row; by default 4"),
    INT(0, "recent", "N", P(recent), "0", 0, MOST,
        "h2o: the latest of the keys that are kept; 0: half of them"),
    INT(0, "page", "N", P(page), NULL, 1, MOST,
        "quest: tokens per page; by default 16, at most a budget"),
    INT(0, "segments", "N", P(segments), NULL, 1, MOST,
        "linformer: segments whose keys and values are averaged; by default 8"),
    INT(0, "groups", "N", P(n_groups), "0", 0, 1 << 16,
        "gqa: heads of keys and values that are left; 0: the most that are fewer than the "
        "model's"),
    INT(0, "rank", "N", P(rank), "16", 1, 256, "low-rank: directions of the keys"),
    CHOICE(0, "bits", "N", offsetof(struct mechanisms_args, bits), "2", bits,
           "kivi: bits of keys and values"),
    INT(0, "features", "N", P(n_features), "256", 1, 65536, "favor: random features"),
    INT(0, "buckets", "N", P(n_buckets), "0", 0, 65536,
        "lsh: number of buckets, an even number; 0: two per chunk"),
    INT(0, "rounds", "N", P(n_rounds), "2", 1, 64, "lsh: rounds of hashing"),
    INT(0, "chunk", "N", P(chunk), "4", 1, MOST, "lsh: tokens per chunk of the sorted text"),
    PATH(0, "additive", "FILE", offsetof(struct mechanisms_args, additive),
         "additive: .safetensors with W, U [a, d] and v [a]; by default drawn at random"),
    INT(0, "seed", "N", offsetof(struct mechanisms_args, shared.asked.seed), "1", 0,
        2147483647,
        "seed of what additive, favor and lsh draw, and of the random input of a bare layer"),
    END
};
#undef P

const struct opt_group mechanisms_group = { "mechanisms", opts };

/* Options that set a size, which --budget sets or has no place for. */
#define P(f) offsetof(struct mechanism_params, f)
static const struct {
    size_t field;
    int preset;
} sizes[] = {
    { P(window), 4 }, { P(n_global), 1 }, { P(stride), 0 }, { P(n_columns), 1 },
    { P(block), 8 }, { P(top_k), 4 }, { P(segments), 8 },
};
enum { N_SIZES = sizeof sizes / sizeof *sizes };

static int *field_of(struct mechanism_params *params, size_t field)
{
    return (int *)(void *)((char *)params + field);
}

static void set_sizes(struct mechanism_params *params)
{
    for (int i = 0; i < N_SIZES; i++) {
        int *size = field_of(params, sizes[i].field);

        if (*size == 0)
            *size = sizes[i].preset;
    }
}

static int params_at_most(int x, int most)
{
    return x < most ? x : most;
}

/* Where they are not given: what a budget has room for. */
static void set_parts(struct mechanism_params *params, int budget)
{
    if (params->sinks == 0)
        params->sinks = params_at_most(4, budget > 1 ? budget / 2 : 1);
    if (params->page == 0)
        params->page = params_at_most(16, budget);
}

int mechanisms_params(const struct mechanisms_args *args, struct mechanism_params *params,
                      struct err *e)
{
    int budget = args->params.budget > 0 ? args->params.budget : MECHANISM_BUDGET;

    *params = args->params;
    params->seed = (uint64_t)args->shared.asked.seed;
    params->bits = n_bits[args->bits];
    if (params->n_buckets % 2 != 0)
        return err_set(e, ERR_USAGE, "--buckets: %d is odd", params->n_buckets);
    if (params->recent > budget)
        return err_set(e, ERR_USAGE, "--recent: %d of the %d keys that h2o keeps; expected at "
                       "most %d", params->recent, budget, budget);
    set_parts(params, budget);
    set_sizes(params);
    return 0;
}

/* ---- in words ---- */

#define BIT(id) ((uint64_t)1 << MECHANISM_##id)
static const struct {
    const char *name;
    size_t field;
    uint64_t readers;
} params[] = {
    { "window", P(window), BIT(local) | BIT(global) | BIT(sinks) },
    { "n-global", P(n_global), BIT(global) },
    { "sinks", P(sinks), BIT(sinks) },
    { "stride", P(stride), BIT(strided) | BIT(fixed) },
    { "n-columns", P(n_columns), BIT(fixed) },
    { "block", P(block), BIT(block) },
    { "top-k", P(top_k), BIT(top_k) },
    { "recent", P(recent), BIT(h2o) },
    { "page", P(page), BIT(quest) },
    { "segments", P(segments), BIT(linformer) },
    { "groups", P(n_groups), BIT(gqa) },
    { "rank", P(rank), BIT(low_rank) },
    { "bits", P(bits), BIT(kivi) },
    { "features", P(n_features), BIT(favor) },
    { "buckets", P(n_buckets), BIT(lsh) },
    { "rounds", P(n_rounds), BIT(lsh) },
    { "chunk", P(chunk), BIT(lsh) },
};
_Static_assert(N_MECHANISM <= 64, "a bit each");

static bool is_size(size_t field)
{
    for (int i = 0; i < N_SIZES; i++)
        if (sizes[i].field == field)
            return true;
    return false;
}

static uint64_t params_bits_of(const bool *shown)
{
    uint64_t all = 0;

    for (int id = 0; id < N_MECHANISM; id++)
        all |= shown == NULL || shown[id] ? (uint64_t)1 << id : 0;
    return all;
}

/* What reads random numbers; additive, where no file has its weights. */
static uint64_t drawing(bool additive_read)
{
    return BIT(favor) | BIT(lsh) | (additive_read ? 0 : BIT(additive));
}

bool mechanisms_draw(const struct mechanisms_args *args, const bool *only)
{
    return (params_bits_of(only) & drawing(args->additive != NULL)) != 0;
}

/* "local, global or sinks" */
static const char *names_of(struct arena *a, uint64_t readers)
{
    const char *text = "";

    for (int id = 0; id < N_MECHANISM; id++) {
        if ((readers >> id & 1) == 0)
            continue;
        readers &= ~((uint64_t)1 << id);
        text = arena_printf(a, "%s%s%s", text, *text == '\0' ? "" : readers != 0 ? ", " : " or ",
                            mechanism_names[id]);
    }
    return text;
}

int mechanisms_check_read(const struct mechanisms_args *args, const bool *only, struct arena *a,
                          struct err *e)
{
    const struct common_args *common = &args->shared.common;

    for (const struct opt *o = opts; o->name != NULL; o++)
        for (size_t i = 0; i < sizeof params / sizeof *params; i++)
            if (strcmp(o->name, params[i].name) == 0 && opts_is_given(common, o->field) &&
                (params_bits_of(only) & params[i].readers) == 0)
                return err_set(e, ERR_USAGE, "--%s is of %s, which --only leaves out", o->name,
                               names_of(a, params[i].readers));
    return 0;
}

const char *mechanisms_params_text(const struct mechanism_params *p, const bool *shown,
                                   struct arena *a)
{
    struct mechanism_params all = *p;
    const char *text = p->budget > 0 ? arena_printf(a, "budget %d", p->budget) : "";
    uint64_t readers = params_bits_of(shown);

    if (p->budget == 0 && (readers & (BIT(h2o) | BIT(quest))) != 0)
        text = arena_printf(a, "keys %d", MECHANISM_BUDGET);
    for (size_t i = 0; i < sizeof params / sizeof *params; i++)
        if ((readers & params[i].readers) != 0 && !(p->budget > 0 && is_size(params[i].field)))
            text = arena_printf(a, "%s%s%s %d", text, *text != '\0' ? ", " : "",
                                params[i].name, *field_of(&all, params[i].field));
    if ((readers & drawing(false)) != 0)
        text = arena_printf(a, "%s%sseed %d", text, *text != '\0' ? ", " : "",
                            (int)p->seed);
    return text;
}

struct mechanism_params mechanisms_used(const struct mechanisms_text *text)
{
    const struct config *config = &text->s->shown->config;

    return mechanism_params_used(&text->c->opts->params, session_queries(text->s, text->item)->n,
                                 config->n_kv_heads > 0 ? config->n_kv_heads : config->n_heads);
}

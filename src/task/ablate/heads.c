/* SPDX-License-Identifier: MIT
 * Options of ablate -> the measure, and the sets of heads that are replaced. */
#include <limits.h>
#include <string.h>

#include "base/rng.h"
#include "task/ablate/ablate.h"

const char *const ablate_withs[] = { "zero", "mean", "resample", "uniform", NULL };
const char *const ablate_measures[] = { "next", "masked", "hidden", NULL };
const char *const ablate_metrics[] = { "dloss", "kl", "direct", "change", "patch", NULL };

const struct model *ablate_model(const struct ablate_job *j, enum stack_id stack)
{
    const struct model *whole = j->job.s.model;

    return whole->decoder != NULL && stack != STACK_ENCODER ? whole->decoder : whole;
}

/* ---- what is measured ---- */

/* All stacks run, whichever is asked for: the output is the decoder's. */
static int choose_stack(struct ablate_job *j, struct err *e)
{
    struct session *s = &j->job.s;

    j->stack = j->of_encoder ? STACK_ENCODER : s->stack;
    j->m = s->shown;
    if (s->model->decoder == NULL)
        return 0;
    j->m = s->model->decoder;
    if (s->stack == STACK_ENCODER)
        return err_set(e, ERR_USAGE, "the output of %s is its decoder's: expected TEXT_B, "
                       "--decoder-ids or --generate N", s->model->name);
    s->stack = N_STACK;         /* of the pass */
    return 0;
}

void ablate_before_select(struct ablate_job *j)
{
    struct session *s = &j->job.s;

    j->job.all_stacks = true;
    if (s->model->decoder == NULL || s->asked->stack == NULL ||
        strcmp(s->asked->stack, family_stack_names[STACK_ENCODER]) != 0)
        return;
    j->asked = *s->asked;
    j->asked.stack = NULL;
    j->of_encoder = true;
    s->asked = &j->asked;
}

static bool predicts_tokens(const struct model *m)
{
    return m->has_head && m->config.head.task == NULL && !m->config.head.one_number &&
           m->family->front == FRONT_TOKENS;
}

/* Each token sees those before it alone. */
static bool is_causal(const struct model *m)
{
    for (int l = 0; l < m->config.n_layers; l++)
        if (m->layer[l].hi != 0)
            return false;
    return true;
}

/* By the names that tokenisers have for it; -1: none. */
static int find_mask(const struct tok *t)
{
    static const char *const names[] = { "[MASK]", "<mask>", "<mask_2>", NULL };
    int id = -1;

    for (int i = 0; t != NULL && id < 0 && names[i] != NULL; i++)
        id = tok_id(t, names[i], strlen(names[i]));
    return id;
}

static int choose_mask(struct ablate_job *j, struct err *e)
{
    const struct session *s = &j->job.s;

    if (j->args->mask_id >= j->m->config.n_vocab)
        return err_set(e, ERR_USAGE, "--mask-id: %d is out of range: %s has ids 0 to %d",
                       j->args->mask_id, s->model->name, j->m->config.n_vocab - 1);
    if (j->measure != ABLATE_MASKED)
        return 0;
    j->mask_id = j->args->mask_id >= 0 ? j->args->mask_id : find_mask(s->tok);
    if (j->mask_id < 0 || j->mask_id >= j->m->config.n_vocab) {
        j->mask_id = -1;
        err_warn(s->env->warn, "%s: its tokeniser has no mask token, so its loss is undefined "
                 "(--mask-id N names one)", s->model->name);
    }
    return 0;
}

static int choose_measure(struct ablate_job *j, struct err *e)
{
    j->mask_id = -1;
    j->measure = !predicts_tokens(j->m) ? ABLATE_HIDDEN :
                 is_causal(j->m) ? ABLATE_NEXT : ABLATE_MASKED;
    j->has_direct = j->measure != ABLATE_HIDDEN && j->m->slot[W_HEAD_DENSE].weight == NULL &&
                    j->m->config.streams.n == 0;
    return choose_mask(j, e);
}

/* ---- heads ---- */

static void add_head(struct ablate_job *j, enum stack_id stack, int layer, int head)
{
    j->head[j->n_heads++] = (struct ablate_head){ stack, layer, head };
}

/* Those of a layer of this stack that are asked for, or are not. */
static void ablate_add_layer(struct ablate_job *j, enum stack_id stack, int layer, bool asked)
{
    const struct wanted *want = &j->job.want;
    const struct session *s = &j->job.s;
    int H = ablate_model(j, stack)->config.n_heads;
    bool shown = (j->stack == N_STACK || j->stack == stack) && layer < s->n_layers;

    for (int h = 0; ablate_model(j, stack)->layer[layer].mixer == MIXER_NONE && h < H; h++)
        if ((shown && h < s->n_heads && wanted_layer(want, layer) &&
             wanted_head(want, layer, h)) == asked)
            add_head(j, stack, layer, h);
}

/* An encoder's, then a decoder's, its own and those to the encoder layer by layer. */
static void ablate_add_heads(struct ablate_job *j, bool asked)
{
    const struct model *whole = j->job.s.model, *decoder = whole->decoder;
    bool crosses = decoder != NULL || model_has_cross(whole);

    if (decoder != NULL)
        for (int l = 0; l < whole->config.n_layers; l++)
            ablate_add_layer(j, STACK_ENCODER, l, asked);
    for (int l = 0; l < j->m->config.n_layers; l++) {
        if (j->m->family->stack_id != STACK_CROSS)
            ablate_add_layer(j, j->m->family->stack_id, l, asked);
        if (crosses)
            ablate_add_layer(j, STACK_CROSS, l, asked);
    }
}

/* ---- sets ---- */

static void single_sets(struct ablate_job *j)
{
    int *index = arena_alloc(j->job.s.a, (size_t)j->n_asked, sizeof *index);

    j->n_sets = j->n_asked;
    j->set = arena_alloc(j->job.s.a, (size_t)j->n_sets, sizeof *j->set);
    for (int i = 0; i < j->n_sets; i++) {
        index[i] = i;
        j->set[i] = (struct ablate_set){ &index[i], 1, -1 };
    }
}

static bool same_layer(const struct ablate_head *x, const struct ablate_head *y)
{
    return x->stack == y->stack && x->layer == y->layer;
}

/* The next of n that a random order of them takes: item[at] and one after it change places. */
static void shuffle_step(struct rng *rng, int *item, int at, int n)
{
    int with = at + (int)(rng_uniform(rng) * (n - at)), was = item[at];

    item[at] = item[with];
    item[with] = was;
}

/* As many heads of the layer of head `first` as are chosen there; returns how many. */
static int draw_layer(const struct ablate_job *j, const struct ablate_set *chosen, int first,
                      struct rng *rng, int *room, int *out)
{
    int n = 0, wanted = 0;

    for (int i = 0; i < j->n_heads; i++)
        if (same_layer(&j->head[i], &j->head[first]))
            room[n++] = i;
    for (int i = 0; i < chosen->n; i++)
        wanted += same_layer(&j->head[chosen->head[i]], &j->head[first]);
    for (int i = 0; i < wanted; i++) {
        shuffle_step(rng, room, i, n);
        out[i] = room[i];
    }
    return wanted;
}

static bool seen_before(const struct ablate_job *j, const struct ablate_set *set, int i)
{
    for (int k = 0; k < i; k++)
        if (same_layer(&j->head[set->head[k]], &j->head[set->head[i]]))
            return true;
    return false;
}

void ablate_random(const struct ablate_job *j, const struct ablate_set *chosen,
                   struct rng *rng, struct ablate_set *out)
{
    struct arena *a = j->job.s.a;
    int *room = arena_alloc(a, (size_t)j->n_heads, sizeof *room);
    int *head = arena_alloc(a, (size_t)chosen->n, sizeof *head), n = 0;

    for (int i = 0; i < chosen->n; i++)
        if (!seen_before(j, chosen, i))
            n += draw_layer(j, chosen, chosen->head[i], rng, room, head + n);
    *out = (struct ablate_set){ head, n, -1 };
}

static void joint_sets(struct ablate_job *j)
{
    int *index = arena_alloc(j->job.s.a, (size_t)j->n_asked, sizeof *index);
    struct rng rng;

    j->n_sets = 1 + ABLATE_RANDOM;
    j->set = arena_alloc(j->job.s.a, (size_t)j->n_sets, sizeof *j->set);
    for (int i = 0; i < j->n_asked; i++)
        index[i] = i;
    j->set[0] = (struct ablate_set){ index, j->n_asked, -1 };
    rng_seed(&rng, (uint64_t)j->args->shared.asked.seed);
    for (int i = 1; i < j->n_sets; i++)
        ablate_random(j, &j->set[0], &rng, &j->set[i]);
}

int ablate_choose(struct ablate_job *j, struct err *e)
{
    const struct model *whole = j->job.s.model;
    uint64_t count = (uint64_t)whole->config.n_layers * (uint64_t)whole->config.n_heads;

    if (choose_stack(j, e) != 0 || choose_measure(j, e) != 0)
        return -1;
    if (j->args->with == ABLATE_RESAMPLE && whole->family->front != FRONT_TOKENS)
        return err_set(e, ERR_USAGE, "--with resample: %s reads arrays: expected zero, mean or "
                       "uniform", whole->name);
    count += 2 * (uint64_t)j->m->config.n_layers * (uint64_t)j->m->config.n_heads;
    j->head = arena_alloc(j->job.s.a, count, sizeof *j->head);
    ablate_add_heads(j, true);
    j->n_asked = j->n_heads;
    ablate_add_heads(j, false);
    for (int i = 0; i < j->n_heads; i++) {
        const struct config *config = &ablate_model(j, j->head[i].stack)->config;
        int width = config->n_heads * config->d_value;

        j->widest = width > j->widest ? width : j->widest;
    }
    if (j->args->together)
        joint_sets(j);
    else
        single_sets(j);
    return 0;
}

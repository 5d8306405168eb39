/* SPDX-License-Identifier: MIT
 * Options of ablate -> the measure, and the sets of heads that are replaced. */
#include <limits.h>
#include <string.h>

#include "base/rng.h"
#include "task/ablate/ablate.h"

const char *const ablate_withs[] = { "zero", "mean", "resample", "uniform", NULL };
const char *const ablate_measures[] = { "next", "masked", "hidden", NULL };
const char *const ablate_metrics[] = { "dloss", "kl", "direct", "change", "patch", NULL };

const struct model *ablate_model(const struct ablate_job *job, enum stack_id stack)
{
    const struct model *whole = job->job.s.model;

    return whole->decoder != NULL && stack != STACK_ENCODER ? whole->decoder : whole;
}

/* ---- what is measured ---- */

/* All stacks run, whichever is asked for: the output is the decoder's. */
static int choose_stack(struct ablate_job *job, struct err *e)
{
    struct session *s = &job->job.s;

    job->stack = job->of_encoder ? STACK_ENCODER : s->stack;
    job->m = s->shown;
    if (s->model->decoder == NULL)
        return 0;
    job->m = s->model->decoder;
    if (s->stack == STACK_ENCODER)
        return err_set(e, ERR_USAGE, "the output of %s is its decoder's: expected TEXT_B, "
                       "--decoder-ids or --generate N", s->model->name);
    s->stack = N_STACK;         /* of the pass */
    return 0;
}

void ablate_before_select(struct ablate_job *job)
{
    struct session *s = &job->job.s;

    job->job.all_stacks = true;
    if (s->model->decoder == NULL || s->asked->stack == NULL ||
        strcmp(s->asked->stack, family_stack_names[STACK_ENCODER]) != 0)
        return;
    job->asked = *s->asked;
    job->asked.stack = NULL;
    job->of_encoder = true;
    s->asked = &job->asked;
}

static bool predicts_tokens(const struct model *model)
{
    return model->has_head && model->config.head.task == NULL && !model->config.head.one_number &&
           model->family->front == FRONT_TOKENS;
}

/* Each token sees those before it alone. */
static bool is_causal(const struct model *model)
{
    for (int l = 0; l < model->config.n_layers; l++)
        if (model->layer[l].hi != 0)
            return false;
    return true;
}

/* By the names that tokenisers have for it; -1: none. */
static int find_mask(const struct tok *tok)
{
    static const char *const names[] = { "[MASK]", "<mask>", "<mask_2>", NULL };
    int id = -1;

    for (int i = 0; tok != NULL && id < 0 && names[i] != NULL; i++)
        id = tok_id(tok, names[i], strlen(names[i]));
    return id;
}

static int choose_mask(struct ablate_job *job, struct err *e)
{
    const struct session *s = &job->job.s;

    if (job->args->mask_id >= job->m->config.n_vocab)
        return err_set(e, ERR_USAGE, "--mask-id: %d is out of range: %s has ids 0 to %d",
                       job->args->mask_id, s->model->name, job->m->config.n_vocab - 1);
    if (job->measure != ABLATE_MASKED)
        return 0;
    job->mask_id = job->args->mask_id >= 0 ? job->args->mask_id : find_mask(s->tok);
    if (job->mask_id < 0 || job->mask_id >= job->m->config.n_vocab) {
        job->mask_id = -1;
        err_warn(s->env->warn, "%s: its tokeniser has no mask token, so its loss is undefined "
                 "(--mask-id N names one)", s->model->name);
    }
    return 0;
}

static int choose_measure(struct ablate_job *job, struct err *e)
{
    job->mask_id = -1;
    job->measure = !predicts_tokens(job->m) ? ABLATE_HIDDEN :
                   is_causal(job->m) ? ABLATE_NEXT : ABLATE_MASKED;
    job->has_direct = job->measure != ABLATE_HIDDEN && job->m->slot[W_HEAD_DENSE].weight == NULL &&
                      job->m->config.streams.n == 0;
    return choose_mask(job, e);
}

/* ---- heads ---- */

static void add_head(struct ablate_job *job, enum stack_id stack, int layer, int head)
{
    job->head[job->n_heads++] = (struct ablate_head){ stack, layer, head };
}

/* Those of a layer of this stack that are asked for, or are not. */
static void ablate_add_layer(struct ablate_job *job, enum stack_id stack, int layer, bool asked)
{
    const struct wanted *want = &job->job.want;
    const struct session *s = &job->job.s;
    int H = ablate_model(job, stack)->config.n_heads;
    bool shown = (job->stack == N_STACK || job->stack == stack) && layer < s->n_layers;

    for (int h = 0; ablate_model(job, stack)->layer[layer].mixer == MIXER_NONE && h < H; h++)
        if ((shown && h < s->n_heads && wanted_layer(want, layer) &&
             wanted_head(want, layer, h)) == asked)
            add_head(job, stack, layer, h);
}

/* An encoder's, then a decoder's, its own and those to the encoder layer by layer. */
static void ablate_add_heads(struct ablate_job *job, bool asked)
{
    const struct model *whole = job->job.s.model, *decoder = whole->decoder;
    bool crosses = decoder != NULL || model_has_cross(whole);

    if (decoder != NULL)
        for (int l = 0; l < whole->config.n_layers; l++)
            ablate_add_layer(job, STACK_ENCODER, l, asked);
    for (int l = 0; l < job->m->config.n_layers; l++) {
        if (job->m->family->stack_id != STACK_CROSS)
            ablate_add_layer(job, job->m->family->stack_id, l, asked);
        if (crosses)
            ablate_add_layer(job, STACK_CROSS, l, asked);
    }
}

/* ---- sets ---- */

static void single_sets(struct ablate_job *job)
{
    int *index = arena_alloc(job->job.s.a, (size_t)job->n_asked, sizeof *index);

    job->n_sets = job->n_asked;
    job->set = arena_alloc(job->job.s.a, (size_t)job->n_sets, sizeof *job->set);
    for (int i = 0; i < job->n_sets; i++) {
        index[i] = i;
        job->set[i] = (struct ablate_set){ &index[i], 1, -1 };
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
static int draw_layer(const struct ablate_job *job, const struct ablate_set *chosen, int first,
                      struct rng *rng, int *room, int *out)
{
    int n = 0, wanted = 0;

    for (int i = 0; i < job->n_heads; i++)
        if (same_layer(&job->head[i], &job->head[first]))
            room[n++] = i;
    for (int i = 0; i < chosen->n; i++)
        wanted += same_layer(&job->head[chosen->head[i]], &job->head[first]);
    for (int i = 0; i < wanted; i++) {
        shuffle_step(rng, room, i, n);
        out[i] = room[i];
    }
    return wanted;
}

static bool seen_before(const struct ablate_job *job, const struct ablate_set *set, int i)
{
    for (int k = 0; k < i; k++)
        if (same_layer(&job->head[set->head[k]], &job->head[set->head[i]]))
            return true;
    return false;
}

void ablate_random(const struct ablate_job *job, const struct ablate_set *chosen,
                   struct rng *rng, struct ablate_set *out)
{
    struct arena *a = job->job.s.a;
    int *room = arena_alloc(a, (size_t)job->n_heads, sizeof *room);
    int *head = arena_alloc(a, (size_t)chosen->n, sizeof *head), n = 0;

    for (int i = 0; i < chosen->n; i++)
        if (!seen_before(job, chosen, i))
            n += draw_layer(job, chosen, chosen->head[i], rng, room, head + n);
    *out = (struct ablate_set){ head, n, -1 };
}

static void joint_sets(struct ablate_job *job)
{
    int *index = arena_alloc(job->job.s.a, (size_t)job->n_asked, sizeof *index);
    struct rng rng;

    job->n_sets = 1 + ABLATE_RANDOM;
    job->set = arena_alloc(job->job.s.a, (size_t)job->n_sets, sizeof *job->set);
    for (int i = 0; i < job->n_asked; i++)
        index[i] = i;
    job->set[0] = (struct ablate_set){ index, job->n_asked, -1 };
    rng_seed(&rng, (uint64_t)job->args->shared.asked.seed);
    for (int i = 1; i < job->n_sets; i++)
        ablate_random(job, &job->set[0], &rng, &job->set[i]);
}

int ablate_choose(struct ablate_job *job, struct err *e)
{
    const struct model *whole = job->job.s.model;
    uint64_t count = (uint64_t)whole->config.n_layers * (uint64_t)whole->config.n_heads;

    if (choose_stack(job, e) != 0 || choose_measure(job, e) != 0)
        return -1;
    if (job->args->with == ABLATE_RESAMPLE && whole->family->front != FRONT_TOKENS)
        return err_set(e, ERR_USAGE, "--with resample: %s reads arrays: expected zero, mean or "
                       "uniform", whole->name);
    count += 2 * (uint64_t)job->m->config.n_layers * (uint64_t)job->m->config.n_heads;
    job->head = arena_alloc(job->job.s.a, count, sizeof *job->head);
    ablate_add_heads(job, true);
    job->n_asked = job->n_heads;
    ablate_add_heads(job, false);
    for (int i = 0; i < job->n_heads; i++) {
        const struct config *config = &ablate_model(job, job->head[i].stack)->config;
        int width = config->n_heads * config->d_value;

        job->widest = width > job->widest ? width : job->widest;
    }
    if (job->args->together)
        joint_sets(job);
    else
        single_sets(job);
    return 0;
}

/* SPDX-License-Identifier: MIT
 * -s, -l, -H -> the stack, layers and heads that are shown. */
#include "session/session.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "session/precomputed.h"

static int out_of_range(const char *what, long i, int n, struct err *e)
{
    return err_set(e, ERR_USAGE, "--%s: %ld is out of range: the model has %ss 0 to %d",
                   what, i, what, n - 1);
}

/* A number at *s, which moves behind it; -1 where there is none. */
static long number(const char **s)
{
    char *end;
    long v;

    if (!isdigit((unsigned char)**s))
        return -1;
    v = strtol(*s, &end, 10);
    *s = end;
    return v;
}

int list_next(const char **s, long *from, long *to)
{
    *from = *to = number(s);
    if (**s == '-' && *from >= 0) {
        ++*s;
        *to = number(s);
    }
    if (*from < 0 || *to < *from || (**s != ',' && **s != '\0'))
        return -1;
    return *(*s)++ == ',';
}

/* "0,3-5" or "all" -> bool[n]; what is "layer" or "head". */
static int list_parse(const char *list, const char *what, int n, bool *out, struct err *e)
{
    const char *s = list;
    long from, to;
    int more;

    if (strcmp(list, "all") == 0) {
        for (int i = 0; i < n; i++)
            out[i] = true;
        return 0;
    }
    do {
        more = list_next(&s, &from, &to);
        if (more < 0)
            return err_set(e, ERR_USAGE, "--%s: '%s' is no list like 0,3-5 or all",
                           what, list);
        if (to >= n)
            return out_of_range(what, from >= n ? from : to, n, e);
        for (long i = from; i <= to; i++)
            out[i] = true;
    } while (more > 0);
    return 0;
}

static int parse_into(const struct session *s, const char *list, const char *what,
                      int n, const bool **out, struct err *e)
{
    bool *which;

    if (list == NULL)
        return 0;
    which = arena_alloc(s->a, (size_t)n, sizeof *which);
    *out = which;
    return list_parse(list, what, n, which, e);
}

/* "only the stack decoder", or "encoder, decoder and cross". */
static const char *stacks_of(struct arena *a, const struct model *m)
{
    const char *name[N_STACK], *all;
    int n = 0;

    for (int i = 0; i < N_STACK; i++)
        if (model_has_stack(m, (enum stack_id)i))
            name[n++] = family_stack_names[i];
    all = n == 1 ? arena_printf(a, "only the stack %s", name[0]) : name[0];
    for (int i = 1; i < n; i++)
        all = arena_printf(a, "%s%s%s", all, i == n - 1 ? " and " : ", ", name[i]);
    return all;
}

/* The stack that -s names, if the model has it. */
static int find_stack(struct session *s, enum stack_id *stack, struct err *e)
{
    const struct model *m = s->model;

    for (int i = 0; i < N_STACK; i++)
        if (strcmp(s->asked->stack, family_stack_names[i]) == 0 &&
            model_has_stack(m, (enum stack_id)i)) {
            *stack = (enum stack_id)i;
            return 0;
        }
    return err_set(e, ERR_USAGE, "--stack: '%s': %s has %s", s->asked->stack, m->name,
                   stacks_of(s->a, m));
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/*
 * Without -s: cross, where the decoder has a text or the layers read another input; all
 * stacks, where several are wanted then.
 */
static enum stack_id default_stack(const struct model *m, bool target, bool all)
{
    int n = 0;

    if (m->decoder != NULL ? !target : !model_has_cross(m))
        return m->family->stack_id;
    for (int i = 0; i < N_STACK; i++)
        n += model_has_stack(m, (enum stack_id)i);
    if (all && n > 1)
        return N_STACK;
    return model_has_stack(m, STACK_CROSS) ? STACK_CROSS : STACK_DECODER;
}

/* Whether texts are to be continued; text: each has one for the decoder. */
static int plan_generation(struct session *s, bool text, struct err *e)
{
    enum { DEFAULT_TOKENS = 32 };
    const struct asked *asked = s->asked;
    const struct model *m = s->model, *last = m->decoder != NULL ? m->decoder : m;
    bool given = asked->generate > 0, pair = m->decoder != NULL;
    bool masked = asked->mask != NULL || asked->memory_mask != NULL ||
                  asked->rotations != NULL;
    struct generation *rules;

    if (given && !model_predicts_next(last))
        return err_set(e, ERR_USAGE, "--generate: %s predicts no next token, so it "
                       "continues no text", m->name);
    if (given && pair && text)
        return err_set(e, ERR_USAGE, "--generate: wants no text for the decoder: it is "
                       "generated");
    if (given && pair && s->stack == STACK_ENCODER)
        return err_set(e, ERR_USAGE, "--generate: the encoder's stack shows no token "
                       "that is generated: want -s decoder or cross");
    if (!given && (!pair || s->stack == STACK_ENCODER || text ||
                   asked->decoder_ids != NULL))
        return 0;
    if ((!last->has_head || masked) && !given && asked->jsonl)
        return 0;               /* its lines may have texts of their own */
    if (masked)
        return err_set(e, ERR_USAGE, "--mask, --memory-mask, --rotations: want a text "
                       "that is given, not generated");
    if (!last->has_head)
        return err_set(e, ERR_INPUT, "%s has no head in its weights, so it generates no "
                       "text%s", m->name, !pair ? "" : asked->input != NULL ?
                       ": want TEXT or --decoder-ids" : ": want TEXT_B, --decoder-ids "
                       "or -f FILE with --pairs or --jsonl");
    s->n_generate = given ? asked->generate : DEFAULT_TOKENS;
    s->rules = rules = arena_alloc(s->a, 1, sizeof *rules);
    return generation_read(rules, s->a, m, e);
}

int session_wanted(struct session *s, int n_operands, bool all, struct wanted *want,
                   struct err *e)
{
    const struct asked *asked = s->asked;
    struct model *m = s->model;
    bool text = n_operands > (asked->input == NULL ? 1 : 0) || asked->pairs ||
                m->precomputed != NULL;
    bool target = text || asked->decoder_ids != NULL || asked->jsonl || asked->generate > 0;

    s->stack = default_stack(m, target, all);
    if (asked->stack != NULL && find_stack(s, &s->stack, e) != 0)
        return -1;
    if (plan_generation(s, text, e) != 0)
        return -1;
    s->shown = m->decoder != NULL && s->stack != STACK_ENCODER ? m->decoder : m;
    s->n_layers = s->shown->config.n_layers;
    s->n_heads = s->shown->config.n_heads;
    if (s->stack == N_STACK) {
        s->n_layers = larger(s->n_layers, m->config.n_layers);
        s->n_heads = larger(s->n_heads, m->config.n_heads);
    }
    if (parse_into(s, asked->layer, "layer", s->n_layers, &want->layer, e) != 0 ||
        precomputed_wanted(s, want, e) != 0 || session_rotations(s, want, e) != 0)
        return -1;
    if (parse_into(s, asked->head, "head", s->n_heads, &want->head, e) != 0)
        return -1;
    return session_change(s, want, e);
}

bool session_next_head(const struct session *s, const struct wanted *want, int *l,
                       int *h)
{
    const struct config *c = &s->shown->config;

    do {
        if (++*h == c->n_heads) {
            *h = 0;
            ++*l;
        }
    } while (*l < c->n_layers &&
             !(is_wanted(want->layer, *l) && is_wanted(want->head, *h)));
    return *l < c->n_layers;
}

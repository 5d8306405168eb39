/* SPDX-License-Identifier: MIT
 * A row of logits, and the rules of generation_config.json -> the next token. */
#include <math.h>
#include <string.h>

#include "run/generate.h"

struct choice {
    const struct generation *rules;
    const struct continuation *text;
    float *logits;
    int V;
};

static void rule_out(const struct choice *c, const struct id_list *list)
{
    for (int i = 0; i < list->n; i++)
        if (list->id[i] >= 0 && list->id[i] < c->V)
            c->logits[list->id[i]] = -INFINITY;
}

/* Only these are left, with equal logits. */
static void force(const struct choice *c, const int *id, int n)
{
    for (int i = 0; i < c->V; i++)
        c->logits[i] = -INFINITY;
    for (int i = 0; i < n; i++)
        c->logits[id[i]] = 0;
}

/* Each token of the text counts once, however often it occurs. */
static void penalise(const struct choice *c, struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    float *was = arena_alloc_raw(scratch, (size_t)c->V, sizeof *was);
    float penalty = (float)c->rules->penalty;

    memcpy(was, c->logits, (size_t)c->V * sizeof *was);
    for (int i = 0; i < c->text->n; i++) {
        int id = c->text->id[i];

        if (id < c->V)
            c->logits[id] = was[id] < 0 ? was[id] * penalty : was[id] / penalty;
    }
    arena_reset(scratch, mark);
}

/* The text ends with these. */
static bool choose_ends_with(const struct continuation *text, const int *id, int n)
{
    return n <= text->n &&
           memcmp(text->id + text->n - n, id, (size_t)n * sizeof *id) == 0;
}

static void no_repeats(const struct choice *c)
{
    int count = c->rules->no_repeat;

    for (int i = 0; i + count <= c->text->n; i++) {
        const struct id_list last = { 1, c->text->id + i + count - 1 };

        if (choose_ends_with(c->text, c->text->id + i, count - 1))
            rule_out(c, &last);
    }
}

static bool is_in(const struct id_list *list, int id)
{
    for (int i = 0; i < list->n; i++)
        if (list->id[i] == id)
            return true;
    return false;
}

/* The last token of a sequence whose others end the text; never an end alone. */
static void no_bad(const struct choice *c)
{
    for (int i = 0; i < c->rules->n_bad; i++) {
        const struct id_list *bad = &c->rules->bad[i];
        const struct id_list last = { 1, bad->id + bad->n - 1 };

        if (bad->n == 1 && is_in(&c->rules->end, *last.id))
            continue;
        if (choose_ends_with(c->text, bad->id, bad->n - 1))
            rule_out(c, &last);
    }
}

static int choose_largest(const float *logits, int V)
{
    int best = 0;

    for (int i = 0; i < V; i++) {
        if (isnan(logits[i]))
            return -1;
        if (logits[i] > logits[best])
            best = i;
    }
    return best;
}

int generate_choose(const struct generation *rules, const struct continuation *text,
                    float *logits, int V, struct arena *scratch)
{
    const struct choice choice = { rules, text, logits, V };
    int count = text->n, first = text->n_prompt;

    if (choose_largest(logits, V) < 0)
        return -1;
    if (rules->penalty != 1)
        penalise(&choice, scratch);
    if (rules->no_repeat > 0)
        no_repeats(&choice);
    no_bad(&choice);
    if (count < rules->min_length || count - text->n_prompt < rules->min_new)
        rule_out(&choice, &rules->end);
    if (rules->forced_first >= 0 && count == 1)
        force(&choice, &rules->forced_first, 1);
    if (rules->forced_last.n > 0 && count == text->n_prompt + text->most - 1)
        force(&choice, rules->forced_last.id, rules->forced_last.n);
    rule_out(&choice, &rules->suppressed);
    if (first == 1 && rules->forced_first >= 0)
        first++;            /* the first that is free */
    if (count == first)
        rule_out(&choice, &rules->suppressed_first);
    return choose_largest(logits, V);
}

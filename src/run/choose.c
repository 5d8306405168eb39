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

static void rule_out(const struct choice *choice, const struct id_list *list)
{
    for (int i = 0; i < list->n; i++)
        if (list->id[i] >= 0 && list->id[i] < choice->V)
            choice->logits[list->id[i]] = -INFINITY;
}

/* Only these are left, with equal logits. */
static void force(const struct choice *choice, const int *id, int n)
{
    for (int i = 0; i < choice->V; i++)
        choice->logits[i] = -INFINITY;
    for (int i = 0; i < n; i++)
        choice->logits[id[i]] = 0;
}

/* Each token of the text counts once, however often it occurs. */
static void penalise(const struct choice *choice, struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    float *was = arena_alloc_raw(scratch, (size_t)choice->V, sizeof *was);
    float penalty = (float)choice->rules->penalty;

    memcpy(was, choice->logits, (size_t)choice->V * sizeof *was);
    for (int i = 0; i < choice->text->n; i++) {
        int id = choice->text->id[i];

        if (id < choice->V)
            choice->logits[id] = was[id] < 0 ? was[id] * penalty : was[id] / penalty;
    }
    arena_reset(scratch, mark);
}

/* The text ends with these. */
static bool choose_ends_with(const struct continuation *text, const int *id, int n)
{
    return n <= text->n &&
           memcmp(text->id + text->n - n, id, (size_t)n * sizeof *id) == 0;
}

static void no_repeats(const struct choice *choice)
{
    int count = choice->rules->no_repeat;

    for (int i = 0; i + count <= choice->text->n; i++) {
        const struct id_list last = { 1, choice->text->id + i + count - 1 };

        if (choose_ends_with(choice->text, choice->text->id + i, count - 1))
            rule_out(choice, &last);
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
static void no_bad(const struct choice *choice)
{
    for (int i = 0; i < choice->rules->n_bad; i++) {
        const struct id_list *bad = &choice->rules->bad[i];
        const struct id_list last = { 1, bad->id + bad->n - 1 };

        if (bad->n == 1 && is_in(&choice->rules->end, *last.id))
            continue;
        if (choose_ends_with(choice->text, bad->id, bad->n - 1))
            rule_out(choice, &last);
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

/* SPDX-License-Identifier: MIT
 * {"type": …} -> a row of one of the four tables; Sequence, which all but the
 * models have; and the table of models itself. */
#include <string.h>

#include "base/json_field.h"
#include "text/tok_priv.h"

static const struct step_kind model_rows[] = {
    { "WordPiece", wordpiece_open, wordpiece_run },
    { "BPE", bpe_open, bpe_run },
    { "Unigram", unigram_open, unigram_run },
    { "WordLevel", wordlevel_open, wordlevel_run },
    { 0 }
};

const struct step_table step_models = { "model", NULL, model_rows };

struct sequence {
    struct step *v;
    size_t n;
};

static int run_sequence(const void *self, struct work *work, struct err *e)
{
    const struct sequence *sequence = self;

    for (size_t i = 0; i < sequence->n; i++)
        if (step_run(&sequence->v[i], work, e) != 0)
            return -1;
    return 0;
}

static int open_sequence(struct tok *tok, const struct step_table *table,
                         const json_t *j, struct step *out, struct err *e)
{
    struct sequence *sequence = arena_alloc(tok->a, 1, sizeof *sequence);
    const json_t *list;

    if (json_field_list(j, table->list, &list, e) != 0)
        return -1;
    sequence->n = json_array_size(list);
    sequence->v = arena_alloc(tok->a, sequence->n, sizeof *sequence->v);
    for (size_t i = 0; i < sequence->n; i++)
        if (step_open(tok, table, json_array_get(list, i), &sequence->v[i], e) != 0)
            return -1;
    out->run = run_sequence;
    out->self = sequence;
    return 0;
}

/* Every supported type of the table, for the message. */
static const char *type_list(struct arena *a, const struct step_table *table)
{
    const char *all = table->list != NULL ? "Sequence" : "";

    for (const struct step_kind *kind = table->rows; kind->type != NULL; kind++)
        all = arena_printf(a, "%s%s%s", all, all[0] != '\0' ? ", " : "", kind->type);
    return all;
}

/* Models of old files say their type only by the fields they have. */
static const char *guess_type(const struct step_table *table, const json_t *j)
{
    if (table != &step_models)
        return NULL;
    if (json_object_get(j, "merges") != NULL)
        return "BPE";
    if (json_object_get(j, "unk_id") != NULL)
        return "Unigram";
    if (json_object_get(j, "max_input_chars_per_word") != NULL)
        return "WordPiece";
    return json_object_get(j, "unk_token") != NULL ? "WordLevel" : NULL;
}

int step_open(struct tok *tok, const struct step_table *table, const json_t *j,
              struct step *out, struct err *e)
{
    const char *type;

    out->run = NULL;
    out->name = NULL;
    if (j == NULL || json_is_null(j))
        return 0;
    type = json_string_value(json_object_get(j, "type"));
    if (type == NULL)
        type = guess_type(table, j);
    if (type == NULL)
        return err_set(e, ERR_INPUT, "%s has no \"type\"", table->section);
    if (table->list != NULL && strcmp(type, "Sequence") == 0)
        return open_sequence(tok, table, j, out, e);
    for (const struct step_kind *kind = table->rows; kind->type != NULL; kind++) {
        if (strcmp(type, kind->type) != 0)
            continue;
        out->run = kind->run;
        out->name = arena_printf(tok->a, "%s %s", table->section, kind->type);
        if (kind->open == NULL)
            return 0;
        out->self = kind->open(tok, j, e);
        return out->self != NULL ? 0 :
               err_under(e, "%s %s", table->section, kind->type);
    }
    return err_set(e, ERR_INPUT, "%s \"%.80s\" is not supported, only %s",
                   table->section, type, type_list(tok->a, table));
}

/* Each part is looked at, and each byte of those that are no tokens yet. */
static uint64_t work_of(const struct work *w)
{
    uint64_t work = 1 + BUDGET_PART * w->parts.n;

    for (size_t i = 0; i < w->parts.n; i++)
        work += w->parts.v[i].id < 0 ? w->parts.v[i].n : 0;
    return work;
}

int step_run(const struct step *step, struct work *work, struct err *e)
{
    if (step->run == NULL)
        return 0;
    if (step->name == NULL)            /* steps of its own */
        return step->run(step->self, work, e);
    work->step = step->name;
    work->grown = 0;
    bound_spend(work, work_of(work));
    if (bound_check(work, e) != 0 || step->run(step->self, work, e) != 0 ||
        bound_check(work, e) != 0)
        return -1;
    if (work->settles)
        fragment_settle(work);
    return 0;
}

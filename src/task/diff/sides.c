/* SPDX-License-Identifier: MIT
 * Options of diff -> its two sides, opened, and pairs of their texts. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "session/source/layer.h"
#include "task/diff/diff.h"

/* ---- what is given twice ---- */

#define L(f) offsetof(struct diff_args, f)
#define A(f) offsetof(struct asked, f)
static const struct given {
    size_t list, field;         /* a struct opt_list of the arguments; what it is in asked */
    const char *title;          /* before its value in a side's name; NULL: not there */
    bool ways;                  /* two of it: one text in two ways */
} givens[] = {
    { L(models), A(model), NULL, true },
    { L(masks), A(mask), ", mask", true },
    { L(globals), A(global), ", global", true },
    { L(ids), A(ids), ", ids", false },
    { L(type_ids), A(type_ids), ", types", false },
    { L(decoder_ids), A(decoder_ids), ", decoder", false },
    { L(inputs), A(input), ", input", false },
    { L(images), A(image), ", image", false },
    { L(audios), A(audio), ", audio", false },
};
#undef L
#undef A

enum { N_GIVENS = sizeof givens / sizeof *givens };

static const struct opt_list *list_of(const struct diff_args *args, const struct given *given)
{
    return (const void *)((const char *)args + given->list);
}

/* The item of a list that side i takes: its own, or the one that both have. */
static const char *item_of(const struct opt_list *list, int i)
{
    return list->n == 0 ? NULL : list->item[i < list->n ? i : list->n - 1];
}

static bool is_twice(const struct diff_args *args, bool ways)
{
    for (int i = 0; i < N_GIVENS; i++)
        if (givens[i].ways == ways && list_of(args, &givens[i])->n == 2)
            return true;
    return ways && (args->attentions.n > 0 || args->dtypes.n == 2 || args->fasts.n == 2);
}

/* Lines that hold both texts. */
static bool file_of_pairs(const struct diff_sides *sides)
{
    const struct asked *asked = &sides->args->shared.asked;

    return sides->texts && (asked->pairs || asked->jsonl);
}

static int diff_sides_check(struct diff_sides *sides, int n_operands, struct err *e)
{
    const struct diff_args *args = sides->args;

    sides->texts = !is_twice(args, true);
    if (args->attentions.n > 0 &&
        (args->models.n + args->attentions.n > 2 || args->dtypes.n == 2 || args->fasts.n == 2 ||
         args->masks.n == 2 || args->globals.n == 2))
        return err_set(e, ERR_USAGE, "--attention: expected two of them, or one and a model");
    if (sides->texts && n_operands == 1 && args->ids.n == 1)
        return err_set(e, ERR_USAGE, "TEXT, --ids: expected two texts of one kind, not one "
                       "of each");
    if (sides->texts && !is_twice(args, false) && !file_of_pairs(sides) && n_operands != 2)
        return err_set(e, ERR_USAGE, "nothing to compare: expected two texts, -f FILE with "
                       "--pairs, --attention, or two of -m, --dtype, --fast, --mask, "
                       "--global, --ids, --input, --image or --audio");
    return args->from != NULL ? place_parse(&sides->at, "--from", args->from, e) : 0;
}

/* ---- one side ---- */

/* *out = which of the words the name is; the first where it is NULL. */
static int parse_word(int *out, const char *option, const char *name, const char *const *word,
                      struct arena *a, struct err *e)
{
    const char *words = word[0];

    for (int i = 0; word[i] != NULL; i++)
        if (name == NULL || strcmp(word[i], name) == 0) {
            *out = i;
            return 0;
        }
    for (int i = 1; word[i] != NULL; i++)
        words = arena_printf(a, "%s, %s", words, word[i]);
    return err_set(e, ERR_USAGE, "%s: '%s' is not one of %s", option, name, words);
}

/* The side of the only --attention: what is asked of a model is asked of the other side. */
static void ask_attention(struct asked *asked, const char *file)
{
    const struct asked all = *asked;

    *asked = (struct asked){
        .names = all.names, .attention = file, .file = all.file, .pairs = all.pairs,
        .jsonl = all.jsonl, .layer = all.layer, .head = all.head, .stack = all.stack,
        .tokens = all.tokens, .key_tokens = all.key_tokens, .score_scale = NAN,
        .mask_value = NAN, .weight = all.weight,
    };
}

/* Which side --attention is, where there is one: as the command line has it. */
static int attention_side(const struct diff_args *args)
{
    return args->models.n == 1 && args->models.place[0] < args->attentions.place[0];
}

static int ask(struct diff_sides *sides, int i, struct err *e)
{
    const struct diff_args *args = sides->args;
    struct asked *asked = &sides->side[i].asked;

    *asked = args->shared.asked;
    for (int k = 0; k < N_GIVENS; k++)
        *(const char **)(void *)((char *)asked + givens[k].field) =
            item_of(list_of(args, &givens[k]), i);
    asked->mask_may_be_none = args->masks.n == 2;
    if (asked->mask_may_be_none && layer_asked_unmasked(asked))
        asked->mask_value = NAN;        /* there is no such key */
    if (file_of_pairs(sides))
        asked->half = i == 0 ? HALF_FIRST : HALF_SECOND;
    if (parse_word(&asked->dtype, "--dtype", item_of(&args->dtypes, i), precision_names,
                   sides->env.arena, e) != 0 ||
        parse_word(&asked->fast, "--fast", item_of(&args->fasts, i), fast_names,
                   sides->env.arena, e) != 0)
        return -1;
    if (args->attentions.n == 2)
        asked->attention = args->attentions.item[i];
    else if (args->attentions.n == 1 && i == attention_side(args))
        ask_attention(asked, args->attentions.item[0]);
    return 0;
}

/* Whether the second side's model is the first's: also one that was opened without its own
 * mask is another. */
static bool shares_model(const struct diff_sides *sides)
{
    bool bare = sides->side[0].s.model->family->bare;

    return sides->args->models.n < 2 && sides->args->attentions.n == 0 &&
           !(bare && layer_asked_unmasked(&sides->side[0].asked) !=
                     layer_asked_unmasked(&sides->side[1].asked));
}

static int open_session(struct diff_sides *sides, int i, struct err *e)
{
    struct diff_side *side = &sides->side[i];

    if (i == 1 && shares_model(sides))
        session_share(&side->s, &sides->side[0].s, &side->asked);
    else if (session_open(&side->s, &side->asked, false, &sides->env, e) != 0)
        return -1;
    side->open = true;
    return 0;
}

static int select_heads(const struct diff_sides *sides, struct diff_side *side, int n_operands,
                        struct err *e)
{
    if (session_select(&side->s, n_operands, false, &side->want, e) != 0)
        return -1;
    if (sides->texts && side->s.rules != NULL && side->asked.ids == NULL)
        return err_set(e, ERR_USAGE, "--stack: '%s' requires a text for the decoder, but the "
                       "two texts are the two sides: two of -m, --dtype, --fast or "
                       "--mask compare one pair in two ways", side->asked.stack);
    if (side->s.rules != NULL && !side->asked.jsonl)    /* each would say its own */
        return err_set(e, ERR_USAGE, "--stack: '%s' requires a text for the decoder: "
                       "TEXT_B, --decoder-ids or -f FILE with --pairs or --jsonl",
                       side->asked.stack);
    side->s.rules = NULL;
    return 0;
}

static int open_side(struct diff_sides *sides, int i, int n_operands, char **operands,
                     struct err *e)
{
    struct diff_side *side = &sides->side[i];
    bool split = sides->texts && n_operands == 2;
    int count = split ? 1 : n_operands;

    side->at = -1;
    if (ask(sides, i, e) != 0 || open_session(sides, i, e) != 0)
        return -1;
    if (sides->args->attentions.n == 1 && side->asked.attention != NULL)
        count = 0;              /* the model's text */
    if (select_heads(sides, side, count, e) != 0)
        return -1;
    side->in = input_open_beside(&side->s, i == 0 ? NULL : sides->side[0].in, count,
                                 split ? operands + i : operands, e);
    if (side->in == NULL)
        return -1;
    input_call(side->in, diff_text_name(sides, side));
    return i == 0 || input_is_drawn(sides->side[0].in) ? 0 :
           shared_check_seed(&sides->args->shared, side->in, NULL, e);
}

/* ---- what both sides must have in common ---- */

/* Rows that the file's attention is of: random ones are none. */
static int check_random(const struct diff_side *side, const char *file, struct err *e)
{
    const struct asked *asked = &side->asked;
    const struct model *model = side->s.model;
    bool decodes = model->decoder != NULL && side->s.stack != STACK_ENCODER;
    bool given = asked->input != NULL || asked->tokens != NULL || asked->shape != NULL;
    bool target = !decodes || asked->decoder_input != NULL || asked->decoder_tokens != NULL ||
                  asked->shape != NULL;

    if (!model->family->bare || model->precomputed != NULL || asked->qkv != NULL ||
        (given && target))
        return 0;
    return err_set(e, ERR_USAGE, "--attention: %s would read random rows: expected %s "
                   "FILE.npy with those that %s is of", model->name,
                   given ? "--decoder-input" : "--input", file);
}

/* A file of precomputed rows may lack layers that the other side has. */
static int diff_sides_check_layers(const struct diff_side *x, const struct diff_side *y,
                                   struct err *e)
{
    for (int layer = 0; layer < x->s.n_layers; layer++)
        if (wanted_layer(&x->want, layer) != wanted_layer(&y->want, layer))
            return err_set(
                e, ERR_INPUT, "layer %d is only in %s (-l selects layers)", layer,
                wanted_layer(&x->want, layer) ? x->s.model->name : y->s.model->name);
    return 0;
}

/* Rows of a file do not say whether an encoder made them or a decoder. */
static bool same_stack(const struct session *x, const struct session *y)
{
    bool any = x->model->precomputed != NULL || y->model->precomputed != NULL;

    return x->stack == y->stack ||
           (any && x->stack != STACK_CROSS && y->stack != STACK_CROSS);
}

static int check_models(const struct diff_side *x, const struct diff_side *y, struct err *e)
{
    const struct config *a = &x->s.shown->config, *b = &y->s.shown->config;

    if (!same_stack(&x->s, &y->s))
        return err_set(e, ERR_INPUT, "%s shows its %s, %s its %s: expected the same stack",
                       x->s.model->name, family_stack_names[x->s.stack], y->s.model->name,
                       family_stack_names[y->s.stack]);
    if (a->n_layers == b->n_layers && a->n_heads == b->n_heads)
        return diff_sides_check_layers(x, y, e);
    return err_set(e, ERR_INPUT, "%s has %d layer%s of %d head%s, %s has %d of %d: expected "
                   "the same", x->s.model->name, a->n_layers, str_plural(a->n_layers),
                   a->n_heads, str_plural(a->n_heads), y->s.model->name, b->n_layers,
                   b->n_heads);
}

/* The array of a side, where there are two, or its model. */
static const char *arrays_of(const struct diff_sides *sides, int i)
{
    return sides->args->inputs.n == 2 ? sides->args->inputs.item[i] : sides->side[i].s.model->name;
}

static int check_arrays(const struct diff_sides *sides, struct err *e)
{
    int64_t n_first = input_count(sides->side[0].in), n_second = input_count(sides->side[1].in);

    return n_first == n_second ? 0 :
           err_set(e, ERR_INPUT, "number of texts: %lld of %s, %lld of %s, expected the same",
                   (long long)n_first, arrays_of(sides, 0), (long long)n_second,
                   arrays_of(sides, 1));
}

static int check_sides(const struct diff_sides *sides, struct err *e)
{
    const struct opt_list *files = &sides->args->attentions;

    for (int i = 0; files->n == 1 && i < 2; i++)
        if (check_random(&sides->side[i], files->item[0], e) != 0)
            return -1;
    return check_models(&sides->side[0], &sides->side[1], e) != 0 ? -1 : check_arrays(sides, e);
}

/* ---- both sides ---- */

int diff_open(struct diff_sides *sides, const struct env *env, int n_operands, char **operands,
              struct err *e)
{
    sides->env = *env;
    /* Its lines are shared between the sides, but not between several of them. */
    sides->env.again = sides->args->shared.asked.file == NULL || sides->called != NULL;
    sides->env.piped = env->piped && sides->args->attentions.n == 0;
    if (diff_sides_check(sides, n_operands, e) != 0 ||
        open_side(sides, 0, n_operands, operands, e) != 0 ||
        open_side(sides, 1, n_operands, operands, e) != 0)
        return -1;
    return check_sides(sides, e);
}

void diff_close(struct diff_sides *sides)
{
    for (int i = 1; i >= 0; i--)
        if (sides->side[i].open)
            session_close(&sides->side[i].s);
}

int diff_next(struct diff_sides *sides, struct arena *a, struct err *e)
{
    struct arena_mark mark = arena_mark(a);

    for (;;) {
        int status = input_next(sides->side[0].in, a, &sides->side[0].item, e);

        if (status == 1)
            status = input_next(sides->side[1].in, a, &sides->side[1].item, e);
        else
            return status;
        if (status != 0)
            return status;
        arena_reset(a, mark);           /* a line that the second cannot use */
    }
}

const char *diff_text_name(const struct diff_sides *sides, const struct diff_side *side)
{
    return !sides->texts ? NULL : side == &sides->side[0] ? "the first text" : "the second text";
}

bool diff_is_file(const struct diff_sides *sides)
{
    return input_is_file(sides->side[0].in);
}

/* ---- names ---- */

/* Whether both are of one path; that of the model of no name is NULL. */
static bool is_one_path(const struct diff_sides *sides)
{
    const char *x = sides->side[0].s.path, *y = sides->side[1].s.path;

    return x == NULL || y == NULL ? x == y : strcmp(x, y) == 0;
}

/* The model, or its path where both models have one name. */
static const char *model_of(const struct diff_sides *sides, int i)
{
    const char *name = sides->side[i].s.model->name, *other = sides->side[1 - i].s.model->name;
    const char *path = sides->side[i].asked.attention != NULL ? sides->side[i].asked.attention :
                                                                sides->side[i].asked.model;

    return path == NULL || strcmp(name, other) != 0 || shares_model(sides) || is_one_path(sides) ?
               name :
               path;
}

static const char *subject(const struct diff_sides *sides, int i, bool whole, struct arena *a)
{
    const struct item *item = &sides->side[i].item;

    if (sides->texts && whole && file_of_pairs(sides))
        return i == 0 ? "first texts" : "second texts";
    if (sides->texts && !whole && item->text_size > 0)
        return arena_printf(a, "“%.*s”", (int)item->text_size, item->text);
    return model_of(sides, i);
}

const char *diff_side_name(const struct diff_sides *sides, int i, bool whole, struct arena *a)
{
    enum { LONGEST = 40 };      /* of an option's value */
    const char *name = subject(sides, i, whole, a);

    if (sides->args->dtypes.n == 2)
        name = arena_printf(a, "%s in %s", name, precision_names[sides->side[i].asked.dtype]);
    if (sides->args->fasts.n == 2)
        name = arena_printf(a, "%s, fast %s", name, fast_names[sides->side[i].asked.fast]);
    for (int k = 0; k < N_GIVENS; k++) {
        const struct opt_list *list = list_of(sides->args, &givens[k]);
        const char *value = item_of(list, i);

        if (givens[k].title != NULL && list->n == 2)
            name = arena_printf(a, "%s%s %.*s%s", name, givens[k].title, LONGEST, value,
                                strlen(value) > LONGEST ? "…" : "");
    }
    return name;
}

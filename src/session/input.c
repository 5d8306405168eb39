/* SPDX-License-Identifier: MIT
 * What was asked -> a source of texts, and its texts one by one. */
#include "session/input.h"

#include "session/encode.h"
#include "session/global.h"
#include "session/source.h"
#include "session/texts.h"

struct input {
    struct session *s;
    struct input *before;       /* the session's one before it; NULL: none */
    struct source *source;      /* NULL: it could not be opened */
    int n_bad;                  /* texts that could not be used */
};

/* ---- which source ---- */

/* One source, and options only beside the source that they belong to. */
static int check_sources(const struct asked *asked, int n_operands, struct err *e)
{
    const struct { bool wrong; const char *why; } rules[] = {
        { (n_operands > 0) + (asked->ids != NULL) + (asked->file != NULL) > 1,
          "TEXT, --ids, -f: only one of them can be given" },
        { asked->input != NULL && (asked->ids != NULL || asked->file != NULL),
          "--input, --ids, -f: only one of them can be given" },
        { asked->pairs && asked->jsonl, "--pairs, --jsonl: only one of them can be given" },
        { asked->pairs && asked->file == NULL, "--pairs requires -f FILE" },
        { asked->jsonl && asked->file == NULL, "--jsonl requires -f FILE" },
        { asked->type_ids != NULL && asked->ids == NULL, "--type-ids requires --ids" },
        { asked->decoder_ids != NULL && (n_operands > 1 || asked->file != NULL),
          "--decoder-ids requires a TEXT or --ids, and no TEXT_B" },
        { asked->decoder_ids != NULL && asked->input != NULL && n_operands > 0,
          "--decoder-ids: no TEXT can be given with --input" },
    };

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].wrong)
            return err_set(e, ERR_USAGE, "%s", rules[i].why);
    return 0;
}

/* A bare layer reads rows, or has precomputed attention. */
static int check_layer(const struct session *s, int n_operands, struct err *e)
{
    const struct asked *asked = s->asked;
    const struct model *model = s->model;

    if (n_operands > 0 &&
        (model->precomputed != NULL || model->family->front == FRONT_QKV))
        return err_set(e, ERR_USAGE, "%s reads no TEXT: --tokens gives names of its rows",
                       model->precomputed != NULL ? "--attention" : "--qkv");
    if (model->precomputed == NULL && (n_operands > 0 || asked->ids != NULL ||
                                       asked->file != NULL || asked->decoder_ids != NULL))
        return err_set(e, ERR_USAGE, "%s is a bare layer and reads no text: expected "
                       "--input FILE.npy, --tokens or --shape", model->name);
    return 0;
}

/* A model takes a text or an array, never both; *array: this one takes an array. */
static int check_front(const struct session *s, int n_operands, bool *array, struct err *e)
{
    const struct asked *asked = s->asked;
    const struct model *model = s->model;
    int64_t dim[4];
    char shape[64];

    *array = model != NULL && front_dims(model, dim) > 0;
    if (asked->tokens != NULL || asked->key_tokens != NULL || asked->shape != NULL)
        return err_set(e, ERR_USAGE, "--%s requires a bare layer (mha-viz-layers(7))",
                       asked->tokens != NULL ? "tokens" :
                       asked->key_tokens != NULL ? "key-tokens" : "shape");
    if (!*array && asked->input != NULL)
        return model == NULL ?
                   err_set(e, ERR_USAGE, "--input: an array has no tokens") :
                   err_set(e, ERR_USAGE, "--input: %s reads a text, not an array",
                           model->name);
    if (!*array)
        return 0;
    front_shape(model, shape);
    if (asked->input == NULL)
        return err_set(e, ERR_USAGE, "%s reads no text but an array of shape %s: expected "
                       "--input FILE.npy", model->name, shape);
    if (n_operands > (model->decoder != NULL))
        return err_set(e, ERR_USAGE, "--input: %s reads %s", model->name,
                       model->decoder != NULL ? "one TEXT with it, for the decoder" :
                                                "no TEXT with it");
    return 0;
}

/* Opens arrays and rows; *source NULL: a text is to be read. */
static int open_arrays(struct session *s, int n_operands, char **operands,
                       struct source **source, struct err *e)
{
    const struct model *model = s->model;
    bool array;

    *source = NULL;
    if (model != NULL && model->family->bare) {
        if (check_layer(s, n_operands, e) != 0)
            return -1;
        *source = model->precomputed != NULL ? source_precomputed(s) : source_layer(s, e);
        return *source != NULL ? 0 : -1;
    }
    if (check_front(s, n_operands, &array, e) != 0)
        return -1;
    if (!array)
        return 0;
    *source = source_arrays(s, n_operands > 0 ? operands[0] : NULL, e);
    return *source != NULL ? 0 : -1;
}

/* first: of whose source's lines this one's are, where both are of a file; NULL: none. */
static struct source *open_source(struct session *s, const struct input *first,
                                  int n_operands, char **operands, struct err *e)
{
    const struct asked *asked = s->asked;
    struct source *source;

    if (check_sources(asked, n_operands, e) != 0 || global_check(s, e) != 0 ||
        open_arrays(s, n_operands, operands, &source, e) != 0 ||
        (asked->decoder_ids != NULL &&
         encode_needs_decoder(s, "--decoder-ids", ERR_USAGE, e) != 0))
        return NULL;
    if (source != NULL)
        return source;
    if (asked->file != NULL)
        return source_lines(s, first != NULL ? first->source : NULL, e);
    return asked->ids != NULL ? source_ids(s) : source_text(s, n_operands, operands, e);
}

/* A mask [3,T,T] for one text is most often one that was meant for 3 heads. */
static void say_spare_masks(const struct session *s, int n_texts)
{
    const struct mask *all[] = { s->change.mask, s->change.memory_mask };

    for (int i = 0; i < 2; i++)
        for (int k = 0; all[i] != NULL && k < all[i]->n_arrays; k++) {
            const struct mask_array *array = &all[i]->array[k];

            if (array->n_batch > n_texts)
                err_warn(s->env->warn, "%s: has masks for %lld texts, here %s %d; the "
                         "layers have %d heads", array->name, (long long)array->n_batch,
                         n_texts == 1 ? "is" : "are", n_texts, s->n_heads);
        }
}

struct input *input_open_beside(struct session *s, const struct input *first,
                                int n_operands, char **operands, struct err *e)
{
    struct input *in = arena_alloc(s->a, 1, sizeof *in);

    *in = (struct input){ .s = s, .before = s->input };
    s->input = in;
    in->source = open_source(s, first, n_operands, operands, e);
    if (in->source == NULL)
        return NULL;
    if (s->asked->file == NULL)
        say_spare_masks(s, in->source->n);
    return in;
}

struct input *input_open(struct session *s, int n_operands, char **operands,
                         struct err *e)
{
    return input_open_beside(s, NULL, n_operands, operands, e);
}

void input_close_all(struct input *last)
{
    for (struct input *in = last; in != NULL; in = in->before)
        if (in->source != NULL && in->source->close != NULL)
            in->source->close(in->source);
}

/* ---- its texts ---- */

void input_reject(struct input *in, const struct item *item, const struct err *why)
{
    in->n_bad++;
    err_warn(in->s->env->warn, "%s: %s %d: %s", in->source->name, in->source->unit,
             item->index + 1, why->msg);
}

/* Only a line is left out where it does not fit; of several arrays one ends all. */
static int next_item(struct input *in, struct arena *a, struct item *out, struct err *e)
{
    struct source *source = in->source;
    int status;

    *out = (struct item){ .text = "" };
    status = source->next(source, a, out, e);
    if (status != SOURCE_TEXT || encode_fit(in->s, a, out, e) == 0)
        return status;
    return in->s->asked->file != NULL ? SOURCE_UNUSABLE : SOURCE_FAILED;
}

int input_next(struct input *in, struct arena *a, struct item *out, struct err *e)
{
    for (;;) {
        struct arena_mark mark = arena_mark(a);
        int status = next_item(in, a, out, e);

        if (status != SOURCE_UNUSABLE)
            return status;
        if (e->kind == ERR_SYSTEM)
            return -1;
        input_reject(in, out, e);
        arena_reset(a, mark);
    }
}

int input_result(const struct input *in, int rc, struct err *e)
{
    if (rc == 0 && in->n_bad > 0)
        return err_set(e, ERR_INPUT, "%s: %d of %d %ss could not be used", in->source->name,
                       in->n_bad, in->source->n, in->source->unit);
    return rc;
}

int input_count(const struct input *in)
{
    return in->source->n;
}

bool input_is_file(const struct input *in)
{
    return in->source->is_file;
}

int input_each(struct input *in,
               int (*fn)(void *self, struct arena *a, const struct item *item,
                         struct err *e),
               void *self, struct err *e)
{
    struct arena *a = in->s->a;
    struct arena_mark mark = arena_mark(a);
    struct item item;
    int status;

    while ((status = input_next(in, a, &item, e)) == 1) {
        if (session_generate(in->s, &item, 1, a, e) != 0 ||
            fn(self, a, &item, e) != 0) {
            if (e->kind != ERR_INPUT || !input_is_file(in))
                return -1;
            input_reject(in, &item, e);
        }
        arena_reset(a, mark);
    }
    return status;
}

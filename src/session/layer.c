/* SPDX-License-Identifier: MIT
 * --input, --decoder-input, --memory, --key, --value, or a seed -> what a bare layer reads. */
#include "session/layer.h"

#include <string.h>

#include "base/list.h"
#include "base/rng.h"
#include "base/str.h"
#include "session/precomputed.h"

const char *const layer_activations[] = { "auto", "relu", "gelu", "gelu_tanh", NULL };
const char *const layer_fusions[] = { "auto", "parts", "heads", NULL };
const char *const layer_orders[] = { "auto", "out-in", "in-out", NULL };
const char *const tower_names[] = { "auto", "text", "picture", NULL };
const char *const layer_relatives[] = { "index", "shaw", NULL };

enum { ROWS = 10 };             /* where neither --shape nor --tokens says how many */

/* Added to --seed, so that weights (init) and noise (stability) of the same seed are not
 * made of the same random bits as the input that they meet. */
static const uint64_t INPUT_SEED = 0x80000000u;

bool layer_asked_unmasked(const struct asked *asked)
{
    return asked->mask != NULL && strcmp(asked->mask, "none") == 0;
}

/* Pixels and pictures are of the tower that reads them. */
static enum tower tower_of(const struct asked *asked)
{
    return asked->tower != TOWER_NONE ? (enum tower)asked->tower :
           asked->input != NULL || asked->image != NULL ? TOWER_PICTURE : TOWER_TEXT;
}

struct layer_asked layer_of_asked(const struct asked *asked)
{
    return (struct layer_asked){
        .heads = asked->heads, .norm_first = asked->norm_first,
        .activation = asked->activation > 0 ? layer_activations[asked->activation] : NULL,
        .relative = asked->relative > 0 ? layer_relatives[asked->relative] : NULL,
        .names = asked->tensor_names, .prefix = asked->prefix, .zero_key = asked->zero_attn,
        .fused = (enum layer_fused)asked->fused, .order = (enum layer_order)asked->order,
        .tower = tower_of(asked), .unmasked = layer_asked_unmasked(asked),
        .held = (enum weights_held)asked->held,
        .memory = asked->memory != NULL || asked->key != NULL || asked->value != NULL,
    };
}

/* ---- names ---- */

/* Ends a name that may have spaces: U+001F, "unit separator". */
static const char UNIT = '\x1f';

/* As split, each up to a separator, or to the end where more follows the last one. */
static int split_units(struct arena *a, const char *names, const char **piece)
{
    int count = 0;

    while (*names != '\0') {
        const char *end = strchr(names, UNIT);
        size_t size = end != NULL ? (size_t)(end - names) : strlen(names);

        if (piece != NULL)
            piece[count] = arena_strndup(a, names, size);
        count++;
        names += size + (end != NULL);
    }
    return count;
}

/* Splits names at spaces, or at separators where there is one; returns how many, into *piece where
 * that is wanted. */
static int session_layer_split(struct arena *a, const char *names, const char **piece)
{
    int count = 0;

    if (strchr(names, UNIT) != NULL)
        return split_units(a, names, piece);
    for (;;) {
        size_t size;

        names += strspn(names, " \t\n");
        size = strcspn(names, " \t\n");
        if (size == 0)
            return count;
        if (piece != NULL)
            piece[count] = arena_strndup(a, names, size);
        count++;
        names += size;
    }
}

static int check_names(struct arena *a, const char *option, const char *names, int64_t n,
                       struct err *e)
{
    int found = names != NULL ? session_layer_split(a, names, NULL) : 0;

    return names == NULL || found == n ? 0 :
           err_set(e, ERR_USAGE, "%s: %d name%s for %lld row%s, expected the same number",
                   option, found, str_plural(found), (long long)n, str_plural(n));
}

static void name_rows(struct arena *a, const char *names, struct tokens *t)
{
    session_layer_split(a, names, t->piece);
    for (int i = 0; i < t->n; i++) {
        t->label[i] = t->piece[i];
        t->label_size[i] = strlen(t->label[i]);
    }
}

const char *layer_names_text(struct arena *a, const char *names)
{
    size_t size = strlen(names);
    char *text;

    if (size > 0 && names[size - 1] == UNIT)
        size--;
    text = arena_strndup(a, names, size);
    for (size_t i = 0; i < size; i++)
        if (text[i] == UNIT)
            text[i] = ' ';
    return text;
}

int layer_name_rows(struct arena *a, const char *option, const char *names,
                    struct tokens *t, struct err *e)
{
    if (check_names(a, option, names, t->n, e) != 0)
        return -1;
    name_rows(a, names, t);
    return 0;
}

/* ---- shapes ---- */

/* A number of 1 to MAX_VALUES at *s, which moves after it; 0: none. */
static int count_at(const char **s)
{
    long long number = list_number(s);

    return number < 1 || number > MAX_VALUES ? 0 : (int)number;
}

/* "10" or "32x50". */
static int parse_shape(const char *shape, int *B, int *T, struct err *e)
{
    const char *text = shape;

    *B = 1;
    *T = count_at(&text);
    if (*T > 0 && *text == 'x') {
        text++;
        *B = *T;
        *T = count_at(&text);
    }
    if (*T > 0 && *text == '\0')
        return 0;
    return err_set(e, ERR_USAGE, "--shape: '%s' is not a number of rows like 10, nor of "
                   "texts and rows like 32x50", shape);
}

static int rows_asked(const struct session *s, int *B, int *T, struct err *e)
{
    const struct asked *asked = s->asked;

    *B = 1;
    *T = asked->tokens != NULL ? session_layer_split(s->a, asked->tokens, NULL) :
         s->model->max_tokens < ROWS ? s->model->max_tokens : ROWS;
    if (asked->shape != NULL && parse_shape(asked->shape, B, T, e) != 0)
        return -1;
    if (*T < 1)
        return err_set(e, ERR_USAGE, "--tokens: no names are given");
    return *T <= s->model->max_tokens ? 0 :
           err_set(e, ERR_INPUT, "%d row%s, %s takes at most %d", *T, str_plural(*T),
                   s->model->name, s->model->max_tokens);
}

/* ---- arrays ---- */

/* For each text an array [T, width], in one fill. */
static struct values *session_layer_draw(struct layer_input *in, struct arena *a, struct rng *r,
                                         int64_t T, int width)
{
    int B = in->n;
    struct values *values = arena_alloc(a, (size_t)B, sizeof *values);
    float *x = arena_alloc_raw(a, (uint64_t)B * (uint64_t)T, (uint64_t)width * sizeof *x);

    in->drawn = true;
    rng_normal_fill(r, x, B * T * width);
    for (int i = 0; i < B; i++)
        values[i] = (struct values){ 2, { T, width }, x + i * T * width };
    return values;
}

/* A file of rows for something else: as many arrays as there are texts. */
static int session_layer_read_file(struct layer_input *in, struct session *s, const char *option,
                                   const char *path, int width, struct values **out, struct err *e)
{
    struct model like = *s->model;      /* reads rows of that width */
    int count;

    like.config.d_model = width;
    if (values_read(s->a, &like, s->asked->arrays, path, out, &count, e) != 0)
        return -1;
    if (count != in->n)
        return err_set(e, ERR_INPUT, "%s: %s holds %d array%s for %d of the input, expected "
                       "the same number", option, path, count, str_plural(count), in->n);
    return 0;
}

/* For keys or values; random: as the input. */
static int read_other(struct layer_input *in, struct session *s, struct rng *r,
                      const char *option, const char *path, int width,
                      struct values **out, struct err *e)
{
    if (strcmp(path, "random") != 0)
        return session_layer_read_file(in, s, option, path, width, out, e);
    *out = session_layer_draw(in, s->a, r, in->rows[0].dim[0], width);
    return 0;
}

/* Rows of the decoder: as many as have names, else as the encoder has. */
static int open_targets(struct layer_input *in, struct session *s, struct rng *r,
                        struct err *e)
{
    const struct asked *asked = s->asked;
    int width = s->model->config.d_model;
    int64_t T = asked->decoder_tokens != NULL ?
                    session_layer_split(s->a, asked->decoder_tokens, NULL) :
                    in->rows[0].dim[0];

    if (s->model->decoder == NULL)
        return 0;
    if (asked->decoder_input != NULL && strcmp(asked->decoder_input, "random") != 0)
        return session_layer_read_file(in, s, "--decoder-input", asked->decoder_input, width,
                                       &in->targets, e);
    if (T < 1)
        return err_set(e, ERR_USAGE, "--decoder-tokens: no names are given");
    in->targets = session_layer_draw(in, s->a, r, T, width);
    return 0;
}

static int read_memory(struct layer_input *in, struct session *s, struct rng *r,
                       struct err *e)
{
    const struct asked *asked = s->asked;
    const struct config *config = &s->model->config;

    if (asked->memory != NULL && config->cross.d_key != config->cross.d_value)
        return err_set(e, ERR_USAGE,
                       "--memory: keys read rows of %d and values rows of "
                       "%d: expected --key and --value",
                       config->cross.d_key, config->cross.d_value);
    if (asked->memory != NULL)
        return read_other(in, s, r, "--memory", asked->memory, config->cross.d_key,
                          &in->keys, e);
    if (read_other(in, s, r, "--key", asked->key, config->cross.d_key, &in->keys, e) !=
            0 ||
        read_other(in, s, r, "--value", asked->value, config->cross.d_value, &in->values,
                   e) != 0)
        return -1;
    if (in->keys[0].dim[0] != in->values[0].dim[0])
        return err_set(e, ERR_INPUT, "--value: %lld row%s for %lld key%s, expected the same "
                       "number", (long long)in->values[0].dim[0],
                       str_plural(in->values[0].dim[0]), (long long)in->keys[0].dim[0],
                       str_plural(in->keys[0].dim[0]));
    return 0;
}

/* Keys for a layer that wants them and was given none: its own input, where all that the
 * layer has is a key more; else numbers. */
static void draw_memory(struct layer_input *in, struct session *s, struct rng *r)
{
    const struct config *config = &s->model->config;
    int64_t T = in->rows[0].dim[0];

    if (s->model->layer[0].slot[W_UP].weight == NULL &&
        config->cross.d_key == config->d_model &&
        config->cross.d_value == config->d_model) {
        in->keys = in->rows;
        return;
    }
    in->keys = session_layer_draw(in, s->a, r, T, config->cross.d_key);
    if (config->cross.d_value != config->cross.d_key)
        in->values = session_layer_draw(in, s->a, r, T, config->cross.d_value);
}

/* ---- the whole ---- */

static int check_options(const struct session *s, struct err *e)
{
    const struct asked *asked = s->asked;
    const struct { bool wrong; const char *why; } rules[] = {
        { (asked->memory != NULL || asked->key != NULL) && !model_has_cross(s->model),
          "--memory, --key: the layer was opened for self-attention, whose keys are its own rows; "
          "open it for keys from elsewhere" },
        { asked->decoder_input != NULL && s->model->decoder == NULL,
          "--decoder-input requires an encoder and a decoder in one file" },
        { asked->decoder_tokens != NULL && s->model->decoder == NULL,
          "--decoder-tokens requires an encoder and a decoder in one file" },
        { asked->key_tokens != NULL && s->model->decoder != NULL,
          "--key-tokens: the keys of a decoder are the rows that --tokens names" },
    };

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].wrong)
            return err_set(e, ERR_USAGE, "%s", rules[i].why);
    return 0;
}

static int open_rows(struct layer_input *in, struct session *s, struct rng *r,
                     struct err *e)
{
    const struct asked *asked = s->asked;
    int T;

    in->name = asked->input;
    if (asked->input != NULL)
        return values_read(s->a, s->model, asked->arrays, asked->input, &in->rows, &in->n,
                           e);
    if (rows_asked(s, &in->n, &T, e) != 0)
        return -1;
    in->name = arena_printf(s->a, "normal numbers of seed %d", asked->seed);
    in->rows = session_layer_draw(in, s->a, r, T, s->model->config.d_model);
    return 0;
}

static int open_memory(struct layer_input *in, struct session *s, struct rng *r,
                       struct err *e)
{
    if (!model_has_cross(s->model))
        return 0;
    if (s->asked->memory != NULL || s->asked->key != NULL)
        return read_memory(in, s, r, e);
    draw_memory(in, s, r);
    return 0;
}

static int check_all_names(const struct layer_input *in, const struct asked *asked,
                           struct arena *a, struct err *e)
{
    if (asked->key_tokens != NULL && in->keys == NULL)
        return err_set(e, ERR_USAGE, "--key-tokens: the keys come from the same rows as "
                       "the queries");
    return check_names(a, "--tokens", asked->tokens, in->rows[0].dim[0], e) != 0 ||
           (in->targets != NULL && check_names(a, "--decoder-tokens", asked->decoder_tokens,
                                               in->targets[0].dim[0], e) != 0) ||
           (in->keys != NULL && check_names(a, "--key-tokens", asked->key_tokens,
                                            in->keys[0].dim[0], e) != 0) ? -1 : 0;
}

int layer_input_open(struct layer_input *in, struct session *s, struct err *e)
{
    const struct asked *asked = s->asked;
    struct rng rng;

    *in = (struct layer_input){ .n = 0 };
    rng_seed(&rng, INPUT_SEED + (uint64_t)asked->seed);
    if (asked->qkv != NULL)
        return qkv_input(in, s, e) != 0 ? -1 : check_all_names(in, asked, s->a, e);
    if (check_options(s, e) != 0 || open_rows(in, s, &rng, e) != 0 ||
        open_targets(in, s, &rng, e) != 0 || open_memory(in, s, &rng, e) != 0)
        return -1;
    return check_all_names(in, asked, s->a, e);
}

/* The keys' names: those of their rows, and that of a key that only the layer has. */
static void describe_keys(const struct layer_input *in, const struct session *s,
                          struct arena *a, struct item *out)
{
    const struct model *model = s->model;
    bool bias = model->layer[0].slot[W_CROSS_LAST_K].weight != NULL;
    bool zero = model->config.cross.zero_key;
    int count = (int)out->memory.dim[0];
    const char *names = s->asked->key_tokens != NULL ? s->asked->key_tokens :
                        in->keys == in->rows ? s->asked->tokens : NULL;

    values_describe(a, model, &out->memory, count + bias + zero, &out->keys);
    if (names != NULL) {
        struct tokens own = out->keys;

        own.n = count;
        name_rows(a, names, &own);
    }
    for (int i = count; i < out->keys.n; i++) {
        out->keys.piece[i] = out->keys.label[i] = bias && i == count ? "[bias]" : "[zero]";
        out->keys.label_size[i] = strlen(out->keys.label[i]);
    }
}

static void describe_targets(const struct session *s, struct arena *a, struct item *out)
{
    values_describe(a, s->model, &out->target_values, (int)out->target_values.dim[0],
                    &out->target);
    if (s->asked->decoder_tokens != NULL)
        name_rows(a, s->asked->decoder_tokens, &out->target);
}

void layer_input_item(const struct layer_input *in, const struct session *s,
                      struct arena *a, int i, struct item *out)
{
    const char *names = s->asked->tokens;

    out->index = i;
    out->values = in->rows[i];
    out->input = in->name;
    values_describe(a, s->model, &in->rows[i], (int)in->rows[i].dim[0], &out->tokens);
    if (names != NULL) {
        name_rows(a, names, &out->tokens);
        out->text = layer_names_text(a, names);
        out->text_size = strlen(out->text);
    }
    if (in->targets != NULL) {
        out->target_values = in->targets[i];
        describe_targets(s, a, out);
    }
    if (in->keys == NULL)
        return;
    out->memory = in->keys[i];
    if (in->values != NULL)
        out->memory_values = in->values[i];
    describe_keys(in, s, a, out);
}

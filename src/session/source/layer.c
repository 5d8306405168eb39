/* SPDX-License-Identifier: MIT
 * --input, --decoder-input, --memory, --key, --value, or a seed -> what a bare layer reads. */
#include "session/source/layer.h"

#include <string.h>

#include "base/list.h"
#include "base/rng.h"
#include "base/str.h"
#include "session/source/precomputed.h"

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

static void name_rows(struct arena *a, const char *names, struct tokens *tokens)
{
    session_layer_split(a, names, tokens->piece);
    for (int i = 0; i < tokens->n; i++) {
        tokens->label[i] = tokens->piece[i];
        tokens->label_size[i] = strlen(tokens->label[i]);
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
                    struct tokens *tokens, struct err *e)
{
    if (check_names(a, option, names, tokens->n, e) != 0)
        return -1;
    name_rows(a, names, tokens);
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

static int rows_asked(const struct session *session, int *B, int *T, struct err *e)
{
    const struct asked *asked = session->asked;

    *B = 1;
    *T = asked->tokens != NULL ? session_layer_split(session->a, asked->tokens, NULL) :
         session->model->max_tokens < ROWS ? session->model->max_tokens : ROWS;
    if (asked->shape != NULL && parse_shape(asked->shape, B, T, e) != 0)
        return -1;
    if (*T < 1)
        return err_set(e, ERR_USAGE, "--tokens: no names are given");
    return *T <= session->model->max_tokens ? 0 :
           err_set(e, ERR_INPUT, "%d row%s, %s takes at most %d", *T, str_plural(*T),
                   session->model->name, session->model->max_tokens);
}

/* ---- arrays ---- */

/* For each text an array [T, width], in one fill. */
static struct values *session_layer_draw(struct layer_input *input, struct arena *a,
                                         struct rng *rng, int64_t T, int width)
{
    int B = input->n;
    struct values *values = arena_alloc(a, (size_t)B, sizeof *values);
    float *x = arena_alloc_raw(a, (uint64_t)B * (uint64_t)T, (uint64_t)width * sizeof *x);

    input->drawn = true;
    rng_normal_fill(rng, x, B * T * width);
    for (int i = 0; i < B; i++)
        values[i] = (struct values){ 2, { T, width }, x + i * T * width };
    return values;
}

/* A file of rows for something else: as many arrays as there are texts. */
static int session_layer_read_file(struct layer_input *input, struct session *session,
                                   const char *option, const char *path, int width,
                                   struct values **out, struct err *e)
{
    struct model like = *session->model;      /* reads rows of that width */
    int count;

    like.config.d_model = width;
    if (values_read(session->a, &like, session->asked->arrays, path, out, &count, e) != 0)
        return -1;
    if (count != input->n)
        return err_set(e, ERR_INPUT, "%s: %s holds %d array%s for %d of the input, expected "
                       "the same number", option, path, count, str_plural(count), input->n);
    return 0;
}

/* For keys or values; random: as the input. */
static int read_other(struct layer_input *input, struct session *session, struct rng *rng,
                      const char *option, const char *path, int width,
                      struct values **out, struct err *e)
{
    if (strcmp(path, "random") != 0)
        return session_layer_read_file(input, session, option, path, width, out, e);
    *out = session_layer_draw(input, session->a, rng, input->rows[0].dim[0], width);
    return 0;
}

/* Rows of the decoder: as many as have names, else as the encoder has. */
static int open_targets(struct layer_input *input, struct session *session, struct rng *rng,
                        struct err *e)
{
    const struct asked *asked = session->asked;
    int width = session->model->config.d_model;
    int64_t T = asked->decoder_tokens != NULL ?
                    session_layer_split(session->a, asked->decoder_tokens, NULL) :
                    input->rows[0].dim[0];

    if (session->model->decoder == NULL)
        return 0;
    if (asked->decoder_input != NULL && strcmp(asked->decoder_input, "random") != 0)
        return session_layer_read_file(input, session, "--decoder-input", asked->decoder_input,
                                       width, &input->targets, e);
    if (T < 1)
        return err_set(e, ERR_USAGE, "--decoder-tokens: no names are given");
    input->targets = session_layer_draw(input, session->a, rng, T, width);
    return 0;
}

static int read_memory(struct layer_input *input, struct session *session, struct rng *rng,
                       struct err *e)
{
    const struct asked *asked = session->asked;
    const struct config *config = &session->model->config;

    if (asked->memory != NULL && config->cross.d_key != config->cross.d_value)
        return err_set(e, ERR_USAGE,
                       "--memory: keys read rows of %d and values rows of "
                       "%d: expected --key and --value",
                       config->cross.d_key, config->cross.d_value);
    if (asked->memory != NULL)
        return read_other(input, session, rng, "--memory", asked->memory, config->cross.d_key,
                          &input->keys, e);
    if (read_other(input, session, rng, "--key", asked->key, config->cross.d_key, &input->keys,
                   e) != 0 ||
        read_other(input, session, rng, "--value", asked->value, config->cross.d_value,
                   &input->values, e) != 0)
        return -1;
    if (input->keys[0].dim[0] != input->values[0].dim[0])
        return err_set(e, ERR_INPUT, "--value: %lld row%s for %lld key%s, expected the same "
                       "number", (long long)input->values[0].dim[0],
                       str_plural(input->values[0].dim[0]), (long long)input->keys[0].dim[0],
                       str_plural(input->keys[0].dim[0]));
    return 0;
}

/* Keys for a layer that wants them and was given none: its own input, where all that the
 * layer has is a key more; else numbers. */
static void draw_memory(struct layer_input *input, struct session *session, struct rng *rng)
{
    const struct config *config = &session->model->config;
    int64_t T = input->rows[0].dim[0];

    if (session->model->layer[0].slot[W_UP].weight == NULL &&
        config->cross.d_key == config->d_model &&
        config->cross.d_value == config->d_model) {
        input->keys = input->rows;
        return;
    }
    input->keys = session_layer_draw(input, session->a, rng, T, config->cross.d_key);
    if (config->cross.d_value != config->cross.d_key)
        input->values = session_layer_draw(input, session->a, rng, T, config->cross.d_value);
}

/* ---- the whole ---- */

static int check_options(const struct session *session, struct err *e)
{
    const struct asked *asked = session->asked;
    const struct { bool wrong; const char *why; } rules[] = {
        { (asked->memory != NULL || asked->key != NULL) && !model_has_cross(session->model),
          "--memory, --key: the layer was opened for self-attention, whose keys are its own rows; "
          "open it for keys from elsewhere" },
        { asked->decoder_input != NULL && session->model->decoder == NULL,
          "--decoder-input requires an encoder and a decoder in one file" },
        { asked->decoder_tokens != NULL && session->model->decoder == NULL,
          "--decoder-tokens requires an encoder and a decoder in one file" },
        { asked->key_tokens != NULL && session->model->decoder != NULL,
          "--key-tokens: the keys of a decoder are the rows that --tokens names" },
    };

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].wrong)
            return err_set(e, ERR_USAGE, "%s", rules[i].why);
    return 0;
}

static int open_rows(struct layer_input *input, struct session *session, struct rng *rng,
                     struct err *e)
{
    const struct asked *asked = session->asked;
    int T;

    input->name = asked->input;
    if (asked->input != NULL)
        return values_read(session->a, session->model, asked->arrays, asked->input, &input->rows,
                           &input->n, e);
    if (rows_asked(session, &input->n, &T, e) != 0)
        return -1;
    input->name = arena_printf(session->a, "normal numbers of seed %d", asked->seed);
    input->rows = session_layer_draw(input, session->a, rng, T, session->model->config.d_model);
    return 0;
}

static int open_memory(struct layer_input *input, struct session *session, struct rng *rng,
                       struct err *e)
{
    if (!model_has_cross(session->model))
        return 0;
    if (session->asked->memory != NULL || session->asked->key != NULL)
        return read_memory(input, session, rng, e);
    draw_memory(input, session, rng);
    return 0;
}

static int check_all_names(const struct layer_input *input, const struct asked *asked,
                           struct arena *a, struct err *e)
{
    if (asked->key_tokens != NULL && input->keys == NULL)
        return err_set(e, ERR_USAGE, "--key-tokens: the keys come from the same rows as "
                       "the queries");
    return check_names(a, "--tokens", asked->tokens, input->rows[0].dim[0], e) != 0 ||
           (input->targets != NULL && check_names(a, "--decoder-tokens", asked->decoder_tokens,
                                                  input->targets[0].dim[0], e) != 0) ||
           (input->keys != NULL && check_names(a, "--key-tokens", asked->key_tokens,
                                               input->keys[0].dim[0], e) != 0) ? -1 : 0;
}

int layer_input_open(struct layer_input *input, struct session *session, struct err *e)
{
    const struct asked *asked = session->asked;
    struct rng rng;

    *input = (struct layer_input){ .n = 0 };
    rng_seed(&rng, INPUT_SEED + (uint64_t)asked->seed);
    if (asked->qkv != NULL)
        return qkv_input(input, session, e) != 0 ? -1 :
               check_all_names(input, asked, session->a, e);
    if (check_options(session, e) != 0 || open_rows(input, session, &rng, e) != 0 ||
        open_targets(input, session, &rng, e) != 0 || open_memory(input, session, &rng, e) != 0)
        return -1;
    return check_all_names(input, asked, session->a, e);
}

/* The keys' names: those of their rows, and that of a key that only the layer has. */
static void describe_keys(const struct layer_input *input, const struct session *session,
                          struct arena *a, struct item *out)
{
    const struct model *model = session->model;
    bool bias = model->layer[0].slot[W_CROSS_LAST_K].weight != NULL;
    bool zero = model->config.cross.zero_key;
    int count = (int)out->memory.dim[0];
    const char *names = session->asked->key_tokens != NULL ? session->asked->key_tokens :
                        input->keys == input->rows ? session->asked->tokens : NULL;

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

static void describe_targets(const struct session *session, struct arena *a, struct item *out)
{
    values_describe(a, session->model, &out->target_values, (int)out->target_values.dim[0],
                    &out->target);
    if (session->asked->decoder_tokens != NULL)
        name_rows(a, session->asked->decoder_tokens, &out->target);
}

void layer_input_item(const struct layer_input *input, const struct session *session,
                      struct arena *a, int i, struct item *out)
{
    const char *names = session->asked->tokens;

    out->index = i;
    out->values = input->rows[i];
    out->input = input->name;
    values_describe(a, session->model, &input->rows[i], (int)input->rows[i].dim[0], &out->tokens);
    if (names != NULL) {
        name_rows(a, names, &out->tokens);
        out->text = layer_names_text(a, names);
        out->text_size = strlen(out->text);
    }
    if (input->targets != NULL) {
        out->target_values = input->targets[i];
        describe_targets(session, a, out);
    }
    if (input->keys == NULL)
        return;
    out->memory = input->keys[i];
    if (input->values != NULL)
        out->memory_values = input->values[i];
    describe_keys(input, session, a, out);
}

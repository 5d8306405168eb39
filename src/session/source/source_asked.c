/* SPDX-License-Identifier: MIT
 * A request, with the operands TEXT and TEXT_B -> its source of texts. */
#include <string.h>

#include "base/file.h"
#include "base/lines.h"
#include "session/encode.h"
#include "session/shown/boxes.h"
#include "session/shown/global.h"
#include "session/source/handed.h"
#include "session/source/source.h"

/* ---- TEXT and TEXT_B ---- */

static bool is_dash(const struct session *session, const char *text)
{
    return session->env->dash && strcmp(text, "-") == 0;
}

/* All of standard input. */
static int read_dash(struct session *session, struct operand *out, struct err *e)
{
    struct lines *lines = source_open_lines(session, "-", e);
    const char *text;
    size_t count = 0;
    int status;

    if (lines == NULL)
        return -1;
    progress_wait(session->env->progress, true);
    status = lines_rest(lines, &text, &count, e);
    progress_wait(session->env->progress, false);
    if (status >= 0)
        *out = (struct operand){ arena_strndup(session->a, status > 0 ? text : "", count), count };
    lines_close(lines);
    return status < 0 ? -1 : 0;
}

static void say_file(const struct session *session, const char *text)
{
    if (session->env->note != NULL && file_exists(text) && !file_is_dir(text))
        err_warn(session->env->note, "'%s' is read as a text, but a file has this name: -f %s "
                 "reads its lines", text, text);
}

/* The tokens of a text, or of a pair; false: there are none. */
static bool ids_of(const struct session *session, const struct operand *text,
                   const struct operand *pair, struct tokens *out)
{
    const struct tok_input in = { .text = text->text, .text_size = text->size,
                                  .pair = pair != NULL ? pair->text : NULL,
                                  .pair_size = pair != NULL ? pair->size : 0 };
    struct err e = { ERR_NONE, "" };

    if (tok_encode(session->tok, session->a, &in, out, &e) == 0)
        return true;
    arena_pass_over(session->a, &e);
    return false;
}

/* A pair is what stands there anyway: one text after the other, without a template of its own. */
static bool is_unjoined(const struct session *session, const struct operand text[2])
{
    struct tokens one[2], both;

    if (!ids_of(session, &text[0], NULL, &one[0]) || !ids_of(session, &text[1], NULL, &one[1]) ||
        !ids_of(session, &text[0], &text[1], &both) || both.n != one[0].n + one[1].n)
        return false;
    return memcmp(both.id, one[0].id, (size_t)one[0].n * sizeof *both.id) == 0 &&
           memcmp(both.id + one[0].n, one[1].id, (size_t)one[1].n * sizeof *both.id) == 0;
}

/* Two words where a model reads one text: most often one text whose quotes were forgotten. */
static void say_words(const struct session *session, const struct operand text[2])
{
    struct arena_mark mark = arena_mark(session->a);

    if (session->env->note == NULL || session->tok == NULL || session->asked->apart ||
        (session->model != NULL && session->model->decoder != NULL) ||
        strpbrk(text[0].text, " \t\n") != NULL || strpbrk(text[1].text, " \t\n") != NULL)
        return;
    if (is_unjoined(session, text))
        err_warn(session->env->note,
                 "'%s' and '%s' are read as a pair of texts, which no template of %s "
                 "joins; one text goes in quotes: '%s %s'",
                 text[0].text, text[1].text, session->name, text[0].text, text[1].text);
    arena_reset(session->a, mark);
}

/* - is what standard input holds. */
static int read_operands(struct session *session, int n, char **operands, struct operand *out,
                         struct err *e)
{
    if (n > 1 && is_dash(session, operands[0]) && is_dash(session, operands[1]))
        return err_set(e, ERR_USAGE, "TEXT, TEXT_B: only one of them can be -, standard "
                       "input");
    for (int i = 0; i < n; i++) {
        out[i] = (struct operand){ operands[i], strlen(operands[i]) };
        if (is_dash(session, operands[i]) && read_dash(session, &out[i], e) != 0)
            return -1;
        if (!is_dash(session, operands[i]))
            say_file(session, operands[i]);
    }
    if (n == 2 && !is_dash(session, operands[0]) && !is_dash(session, operands[1]))
        say_words(session, out);
    return 0;
}

/* ---- which source ---- */

/* No text is given, and standard input may hold some that the model would read. */
static bool may_be_piped(const struct session *session, int n_operands)
{
    const struct asked *asked = session->asked;
    int64_t dim[4];

    return session->env->piped && n_operands == 0 && asked->file == NULL && asked->ids == NULL &&
           asked->decoder_ids == NULL && asked_array(asked) == NULL &&
           (session->model == NULL ||
            (!session->model->family->bare && front_dims(session->model, dim) == 0));
}

/* One source, and options only beside the source that they belong to. */
static int check_sources(const struct asked *asked, int n_operands, bool lines,
                         struct err *e)
{
    const struct { bool wrong; const char *why; } rules[] = {
        { n_operands > 0 && (asked->ids != NULL || asked->file != NULL),
          "TEXT, --ids, -f: only one of them can be given" },
        { asked->pairs && !lines, "--pairs requires -f FILE, or texts on standard input" },
        { asked->shard != NULL && !lines,
          "--shard requires -f FILE, or texts on standard input" },
        { asked->jsonl && !lines, "--jsonl requires -f FILE, or texts on standard input" },
        { asked->keep_empty && !lines,
          "--keep-empty requires -f FILE, or texts on standard input" },
        { asked->boxes != NULL && lines, "--boxes requires a TEXT or --ids" },
        { asked->decoder_ids != NULL && n_operands > 1,
          "--decoder-ids requires a TEXT or --ids, and no TEXT_B" },
        { asked->decoder_ids != NULL && asked_array(asked) != NULL && n_operands > 0,
          "--decoder-ids: no TEXT can be given with an array" },
    };

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].wrong)
            return err_set(e, ERR_USAGE, "%s", rules[i].why);
    return 0;
}

/* A bare layer reads rows, or has precomputed attention. */
static int check_layer(const struct session *session, int n_operands, struct err *e)
{
    const struct asked *asked = session->asked;
    const struct model *model = session->model;

    if (n_operands > 0 &&
        (model->precomputed != NULL || model->family->front == FRONT_QKV))
        return err_set(e, ERR_USAGE, "%s reads no TEXT: --tokens gives names of its rows",
                       model->precomputed != NULL ? "--attention" : "--qkv");
    if (model->precomputed == NULL && (asked->image != NULL || asked->audio != NULL))
        return err_set(e, ERR_USAGE, "%s: %s is a bare layer and reads no %s",
                       asked_array_option(asked), model->name,
                       asked->image != NULL ? "pictures" : "sound");
    if (model->precomputed == NULL && (n_operands > 0 || asked->ids != NULL ||
                                       asked->file != NULL || asked->decoder_ids != NULL))
        return err_set(e, ERR_USAGE, "%s is a bare layer and reads no text: expected "
                       "--input FILE.npy, --tokens or --shape", model->name);
    return 0;
}

/* An option that says what a bare layer is run on; NULL: none is given. */
static const char *option_of_layers(const struct asked *asked)
{
    return asked->tokens != NULL ? "--tokens" : asked->key_tokens != NULL ? "--key-tokens" :
           asked->shape != NULL ? "--shape" :
           asked->decoder_input != NULL ? "--decoder-input" :
           asked->decoder_tokens != NULL ? "--decoder-tokens" : NULL;
}

/* A model takes a text or an array, never both; *array: this one takes an array. */
static int check_front(const struct session *session, int n_operands, bool *array, struct err *e)
{
    const struct asked *asked = session->asked;
    const struct model *model = session->model;
    int64_t dim[4];
    char shape[64];
    const char *of_layers = option_of_layers(asked), *option = asked_array_option(asked);

    *array = model != NULL && front_dims(model, dim) > 0;
    if (of_layers != NULL)
        return err_set(e, ERR_USAGE, "%s requires a bare layer (mha-viz-layers(7))", of_layers);
    if (!*array && asked_array(asked) != NULL)
        return model == NULL ?
                   err_set(e, ERR_USAGE, "%s: an array has no tokens", option) :
                   err_set(e, ERR_USAGE, "%s: %s reads a text, not %s", option, model->name,
                           asked->image != NULL ? "a picture" : asked->audio != NULL ? "sound" :
                           "an array");
    if (!*array)
        return 0;
    front_shape(model, shape);
    if (asked_array(asked) == NULL)
        return err_set(e, ERR_USAGE, "%s reads no text but an array of shape %s: expected "
                       "%s--input FILE.npy", model->name, shape,
                       front_sees(model) ? "--image FILE or " :
                       front_hears(model) ? "--audio FILE or " : "");
    if (asked->image != NULL && !front_sees(model))
        return err_set(e, ERR_USAGE, "--image: %s reads no pictures", model->name);
    if (asked->audio != NULL && !front_hears(model))
        return err_set(e, ERR_USAGE, "--audio: %s reads no sound", model->name);
    if (n_operands > (model->decoder != NULL))
        return err_set(e, ERR_USAGE, "%s: %s reads %s", option, model->name,
                       model->decoder != NULL ? "one TEXT with it, for the decoder" :
                                                "no TEXT with it");
    return 0;
}

/* Opens arrays and rows; *source NULL: a text is to be read. */
static int open_arrays(struct session *session, int n_operands, const struct operand *operands,
                       struct source **source, struct err *e)
{
    const struct model *model = session->model;
    bool array;

    *source = NULL;
    if (model != NULL && model->family->bare) {
        if (check_layer(session, n_operands, e) != 0)
            return -1;
        *source = model->precomputed != NULL ? source_precomputed(session) :
                  source_layer(session, e);
        return *source != NULL ? 0 : -1;
    }
    if (check_front(session, n_operands, &array, e) != 0)
        return -1;
    if (!array)
        return 0;
    *source = source_arrays(session, n_operands > 0 ? operands : NULL, e);
    return *source != NULL ? 0 : -1;
}

/* *source NULL: there is nothing on standard input, so a text is to be read elsewhere. */
static int open_piped(const struct session *session, struct source **source, struct err *e)
{
    if (source_piped(session, source, e) != 0)
        return -1;
    return *source == NULL ? check_sources(session->asked, 0, false, e) : 0;
}

struct source *source_asked(struct session *session, const struct source *leader, int n_operands,
                            char **operands, struct err *e)
{
    const struct asked *asked = session->asked;
    bool follows = leader != NULL && leader->lines;
    bool piped = !follows && may_be_piped(session, n_operands);
    struct operand text[2];
    struct source *source;

    if (asked->stream != NULL)
        return source_stream(session);
    if (handed_item(session) != NULL)
        return source_handed(session, handed_item(session));
    if (check_sources(asked, n_operands, piped || follows || asked->file != NULL, e) != 0 ||
        global_check(session, e) != 0 || boxes_check(session, e) != 0 ||
        read_operands(session, n_operands, operands, text, e) != 0 ||
        open_arrays(session, n_operands, text, &source, e) != 0 ||
        (asked->decoder_ids != NULL &&
         encode_needs_decoder(session, "--decoder-ids", ERR_USAGE, e) != 0) ||
        (piped && open_piped(session, &source, e) != 0))
        return NULL;
    if (source != NULL || follows)
        return source != NULL ? source : source_follow(session, leader);
    return asked->file != NULL ? source_lines(session, e) :
           asked->ids != NULL  ? source_ids(session) :
                                 source_text(session, n_operands, text, e);
}

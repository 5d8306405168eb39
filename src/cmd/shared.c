/* SPDX-License-Identifier: MIT
 * The options that many commands share, and what they open. */
#include "cmd/shared.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cmd/ready.h"
#include "model/hub.h"

#define F(f) offsetof(struct shared_args, f)
const struct opt model_opts[] = {
    { 'm', "model", "PATH", OPT_STRING, F(model), NULL, 0, 0, NULL,
      "a Hugging Face folder or its name in the cache, a .safetensors, .npz or .gguf file; "
      "without it the built-in model" },
    { 0 }
};

const struct opt text_opts[] = {
    { 'f', "file", "FILE", OPT_STRING, F(file), NULL, 0, 0, NULL,
      "a text a line; - is standard input, .gz is unpacked" },
    { 0, "pairs", NULL, OPT_FLAG, F(pairs), NULL, 0, 0, NULL,
      "each line of the file is two texts with a tab between" },
    { 0, "jsonl", NULL, OPT_FLAG, F(jsonl), NULL, 0, 0, NULL,
      "each line of the file is {\"text\":…,\"pair\":…} or {\"ids\":[…],\"type_ids\":[…]}" },
    { 0, "ids", "LIST", OPT_STRING, F(ids), NULL, 0, 0, NULL,
      "token ids instead of a text: 101,7592,102" },
    { 0, "type-ids", "LIST", OPT_STRING, F(type_ids), NULL, 0, 0, NULL,
      "the types of --ids, as many" },
    { 0, "decoder-ids", "LIST", OPT_STRING, F(decoder_ids), NULL, 0, 0, NULL,
      "token ids of the decoder of an encoder-decoder, instead of TEXT_B" },
    { 0, "global", "LIST", OPT_STRING, F(global), NULL, 0, 0, NULL,
      "tokens that see all and that all see, from 0: 0,5-7 or all or none (longformer)" },
    { 0, "input", "FILE", OPT_STRING, F(input), NULL, 0, 0, NULL,
      "a .npy instead of a text, for a model that reads pixels, sound or rows" },
    { 0, "pretokenized", NULL, OPT_FLAG, F(pretokenized), NULL, 0, 0, NULL,
      "the text is pieces of the vocabulary, split at spaces" },
    { 0, "no-special", NULL, OPT_FLAG, F(no_special), NULL, 0, 0, NULL,
      "do not add the special tokens of the model's template" },
    { 0, "truncate", NULL, OPT_FLAG, F(truncate), NULL, 0, 0, NULL,
      "cut a text that is longer than the model takes, and say so" },
    { 0 }
};

const struct opt select_opts[] = {
    { 'l', "layer", "LIST", OPT_STRING, F(layer), NULL, 0, 0, NULL,
      "layers, from 0: 3 or 0,2-4 or all" },
    { 'H', "head", "LIST", OPT_STRING, F(head), NULL, 0, 0, NULL,
      "heads, from 0: 3 or 0,2-4 or all" },
    { 's', "stack", "NAME", OPT_STRING, F(stack), NULL, 0, 0, NULL,
      "encoder, decoder or cross; without it cross where the decoder has a text" },
    { 0, "rotations", "FILE", OPT_STRING, F(rotations), NULL, 0, 0, NULL,
      "random rotations of a reformer's hash, .npy; without it drawn by hash_seed" },
    { 0 }
};

const struct opt generate_opts[] = {
    { 0, "generate", "N", OPT_INT, F(generate), NULL, 1, 1 << 20, NULL,
      "continue the text by at most N tokens, greedily; of an encoder-decoder the "
      "decoder's text, also without this where it is needed (at most 32)" },
    { 0 }
};
#undef F

/* ---- session ---- */

/* The folder, or the GGUF file, that holds the tokeniser of -m PATH. */
static const char *tok_path(struct arena *a, const char *path)
{
    size_t n = strlen(path);

    return n > 5 && strcmp(path + n - 5, ".gguf") == 0 ? path : file_folder(a, path);
}

static void open_tok(struct session *s)
{
    const char *path = s->path;

    if (s->model != NULL && s->model->family->bare)
        err_set(&s->tok_err, ERR_USAGE, "%s is a bare layer and reads no text",
                s->model->name);
    else if (path == NULL)
        s->tok = tok_open_memory(s->a, builtin_file(BUILTIN_TOKENIZER),
                                 "built-in tokenizer.json", &s->tok_err);
    else
        s->tok = tok_open(s->a, tok_path(s->a, path), &s->tok_err);
    s->target_tok = s->tok;
    if (s->tok != NULL && s->model != NULL && s->model->decoder != NULL && path != NULL)
        s->target_tok = tok_open_target(s->a, tok_path(s->a, path), &s->tok_err);
}

static void say_unused(const struct model *m, const struct warn *w)
{
    for (int i = 0; i < m->n_unused; i++)
        warn_say(w, "%s: tensor %s is not used", m->name, m->unused[i]);
}

/* What -m says -> the path of a folder or file, NULL for the built-in model. */
static int find_model(const char *asked, const struct env *env, const char **path,
                      struct err *e)
{
    const char *note = NULL;

    *path = asked != NULL ? hub_find(env->arena, asked, &note, e) : NULL;
    if (note != NULL)
        warn_say(env->warn, "%s", note);
    return *path == NULL && asked != NULL ? -1 : 0;
}

/* An error about a model of the cache may only say that it was not fetched whole. */
static void explain(const char *asked, const char *path, bool links_only,
                    const struct env *env, struct err *e)
{
    if (path != asked && e->kind == ERR_INPUT)
        hub_explain(env->arena, asked, path, links_only, e);
}

struct model *open_model(const struct shared_args *args, const struct env *env,
                         const char **path, struct err *e)
{
    const struct layer_asked asked = layer_asked_of(args);
    struct model *m;

    if (args->qkv == NULL && args->score_scale > 0) {
        err_set(e, ERR_USAGE, "--score-scale: wants --qkv");
        return NULL;
    }
    if (args->attention != NULL || args->qkv != NULL)
        return ready_open(args, env, path, e);
    if (find_model(args->model, env, path, e) != 0)
        return NULL;
    m = model_open_layer(env->arena, *path, &asked, e);
    if (m == NULL)
        explain(args->model, *path, false, env, e);
    else if (env->verbose || m->family->bare)   /* of a layer, each may mean something */
        say_unused(m, env->warn);
    return m;
}

int session_open(struct session *s, const struct shared_args *args, bool tokens_only,
                 const struct env *env, struct err *e)
{
    *s = (struct session){ .args = args, .env = env, .a = env->arena };
    if (tokens_only) {
        if (find_model(args->model, env, &s->path, e) != 0)
            return -1;
    } else {
        s->model = open_model(args, env, &s->path, e);
        if (s->model == NULL)
            return -1;
    }
    open_tok(s);
    if (s->tok == NULL)
        explain(args->model, s->path, true, env, &s->tok_err);
    s->par = par_new(env->n_threads, e);
    return s->par != NULL ? 0 : -1;
}

void session_close(struct session *s)
{
    inputs_close(s->input);
    par_free(s->par);
    if (s->target_tok != s->tok)
        tok_close(s->target_tok);
    tok_close(s->tok);
    model_close(s->model);
}

/* ---- layers and heads ---- */

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
            name[n++] = stack_names[i];
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
        if (strcmp(s->args->stack, stack_names[i]) == 0 &&
            model_has_stack(m, (enum stack_id)i)) {
            *stack = (enum stack_id)i;
            return 0;
        }
    return err_set(e, ERR_USAGE, "--stack: '%s': %s has %s", s->args->stack, m->name,
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
    const struct shared_args *args = s->args;
    const struct model *m = s->model, *last = m->decoder != NULL ? m->decoder : m;
    bool asked = args->generate > 0, pair = m->decoder != NULL;
    bool masked = args->mask != NULL || args->memory_mask != NULL ||
                  args->rotations != NULL;
    struct generation *rules;

    if (asked && !model_predicts_next(last))
        return err_set(e, ERR_USAGE, "--generate: %s predicts no next token, so it "
                       "continues no text", m->name);
    if (asked && pair && text)
        return err_set(e, ERR_USAGE, "--generate: wants no text for the decoder: it is "
                       "generated");
    if (asked && pair && s->stack == STACK_ENCODER)
        return err_set(e, ERR_USAGE, "--generate: the encoder's stack shows no token "
                       "that is generated: want -s decoder or cross");
    if (!asked && (!pair || s->stack == STACK_ENCODER || text ||
                   args->decoder_ids != NULL))
        return 0;
    if ((!last->has_head || masked) && !asked && args->jsonl)
        return 0;               /* its lines may have texts of their own */
    if (masked)
        return err_set(e, ERR_USAGE, "--mask, --memory-mask, --rotations: want a text "
                       "that is given, not generated");
    if (!last->has_head)
        return err_set(e, ERR_INPUT, "%s has no head in its weights, so it generates no "
                       "text%s", m->name, !pair ? "" : args->input != NULL ?
                       ": want TEXT or --decoder-ids" : ": want TEXT_B, --decoder-ids "
                       "or -f FILE with --pairs or --jsonl");
    s->n_generate = asked ? args->generate : DEFAULT_TOKENS;
    s->rules = rules = arena_alloc(s->a, 1, sizeof *rules);
    return generation_read(rules, s->a, m, e);
}

int session_wanted(struct session *s, int n_operands, bool all, struct wanted *want,
                   struct err *e)
{
    const struct shared_args *args = s->args;
    struct model *m = s->model;
    bool text = n_operands > (args->input == NULL ? 1 : 0) || args->pairs ||
                m->ready != NULL;
    bool target = text || args->decoder_ids != NULL || args->jsonl || args->generate > 0;

    s->stack = default_stack(m, target, all);
    if (args->stack != NULL && find_stack(s, &s->stack, e) != 0)
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
    if (parse_into(s, args->layer, "layer", s->n_layers, &want->layer, e) != 0 ||
        ready_wanted(s, want, e) != 0 || session_rotations(s, want, e) != 0)
        return -1;
    if (parse_into(s, args->head, "head", s->n_heads, &want->head, e) != 0)
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

/* ---- outputs ---- */

bool output_is_dir(const char *path)
{
    size_t n = strlen(path);

    return (n > 0 && path[n - 1] == '/') || file_is_dir(path);
}

char *output_name(struct arena *a, const char *dir, int index, const char *ending)
{
    char name[32];

    snprintf(name, sizeof name, "%06d.%s", index + 1, ending);
    return file_join(a, dir, name);
}

int output_format(const char *path, int asked, const char *const *names,
                  int *format, struct err *e)
{
    const char *slash, *dot;

    *format = asked >= 0 ? asked : 0;
    if (asked >= 0 || path == NULL || strcmp(path, "-") == 0 || output_is_dir(path))
        return 0;
    slash = strrchr(path, '/');
    dot = strrchr(slash != NULL ? slash : path, '.');
    for (int i = 0; dot != NULL && names[i] != NULL; i++)
        if (strcasecmp(dot + 1, names[i]) == 0) {
            *format = i;
            return 0;
        }
    return err_set(e, ERR_USAGE, "-o %s: the ending says none of the formats; "
                   "give --format", path);
}

/* SPDX-License-Identifier: MIT
 * A text, its tokens and the statistics of heads -> the JSON of a page. */
#include <math.h>
#include <string.h>

#include "base/memory_file.h"
#include "draw/label.h"
#include "session/shown/mark.h"
#include "task/report/report.h"
#include "task/stats/stats.h"

enum { TOKEN_CHARS = 200 };         /* a longer token is cut */

/* ---- tokens ---- */

static void write_labels(struct jsonw *json, struct arena *a, const struct tokens *tokens)
{
    jsonw_key(json, "labels");
    jsonw_array(json);
    for (int i = 0; i < tokens->n; i++)
        jsonw_string(json, label_clean(a, tokens->label[i], tokens->label_size[i], TOKEN_CHARS));
    jsonw_end(json, ']');
}

static int count_words(const struct tokens *tokens)
{
    int n = 0;

    for (int i = 0; i < tokens->n; i++)
        n = tokens->word[i] >= n ? tokens->word[i] + 1 : n;
    return n;
}

/* The pieces of a word that follow one another, as one label. */
static char *word_label(struct arena *a, const struct tokens *tokens, int word, int *from)
{
    char *text, *at;
    size_t size = 0;
    int first, end;

    for (first = *from; first < tokens->n && tokens->word[first] != word; )
        first++;
    for (end = first; end < tokens->n && tokens->word[end] == word; end++)
        size += tokens->label_size[end];
    at = text = arena_alloc(a, size + 1, 1);
    for (int i = first; i < end; at += tokens->label_size[i++])
        memcpy(at, tokens->label[i], tokens->label_size[i]);
    if (end < tokens->n)
        *from = end;
    return label_clean(a, text, size, TOKEN_CHARS);
}

/* The word that each token is of, and the words. */
static void write_words(struct jsonw *json, struct arena *a, const struct tokens *tokens)
{
    int n_words = count_words(tokens), from = 0;

    jsonw_key(json, "word");
    jsonw_array(json);
    for (int i = 0; i < tokens->n; i++)
        jsonw_int(json, tokens->word[i]);
    jsonw_end(json, ']');
    jsonw_key(json, "words");
    jsonw_array(json);
    for (int i = 0; i < n_words; i++)
        jsonw_string(json, word_label(a, tokens, i, &from));
    jsonw_end(json, ']');
}

/* Numbers of the tokens for which the flag is set. */
static void write_flags(struct jsonw *json, const char *key, const unsigned char *flag, int n)
{
    jsonw_key(json, key);
    jsonw_array(json);
    for (int i = 0; flag != NULL && i < n; i++)
        if (flag[i])
            jsonw_int(json, i);
    jsonw_end(json, ']');
}

/* Of which text each token is, where there are two: those of the second. */
static void write_second(struct jsonw *json, struct arena *a, const struct tokens *tokens,
                         const struct item *item)
{
    unsigned char *second = arena_alloc(a, (uint64_t)tokens->n, 1);

    if (item->pair == NULL || tokens->type == NULL)
        return;
    for (int i = 0; i < tokens->n; i++)
        second[i] = tokens->type[i] > 0;
    write_flags(json, "second", second, tokens->n);
}

static void write_side(struct jsonw *json, struct arena *a, const char *key,
                       const struct tokens *tokens, const struct item *item)
{
    jsonw_key(json, key);
    jsonw_object(json);
    write_labels(json, a, tokens);
    write_flags(json, "special", tokens->special, tokens->n);
    write_second(json, a, tokens, item);
    if (tokens->word != NULL)
        write_words(json, a, tokens);
    jsonw_end(json, '}');
}

/* ---- heads ---- */

static void write_heads(struct jsonw *json, const struct report_job *job)
{
    jsonw_key(json, "heads");
    jsonw_array(json);
    for (int i = 0; i < job->n_heads; i++) {
        jsonw_array(json);
        jsonw_int(json, job->head[i].layer);
        jsonw_int(json, job->head[i].head);
        jsonw_end(json, ']');
    }
    jsonw_end(json, ']');
}

/* The name of a number of each head, up to the list of them. */
static void begin_numbers(struct jsonw *json, const char *name, const char *unit, const char *help)
{
    jsonw_object(json);
    jsonw_member_string(json, "name", name);
    jsonw_member_string(json, "unit", unit);
    jsonw_member_string(json, "help", help);
    jsonw_key(json, "value");
    jsonw_array(json);
}

static void end_numbers(struct jsonw *json)
{
    jsonw_end(json, ']');
    jsonw_end(json, '}');
}

static void write_cost(struct jsonw *json, const struct report_job *job,
                       const struct report_cost *cost)
{
    int H = job->job.s.shown->config.n_heads;

    begin_numbers(json, cost->name, cost->unit, cost->help);
    for (int i = 0; i < job->n_heads; i++)
        jsonw_double(json, cost->value[job->head[i].layer * H + job->head[i].head]);
    end_numbers(json);
}

static void write_metric(struct jsonw *json, const struct report_job *job,
                         const struct stats *found, int metric)
{
    const struct metric *m = &job->set.metric[metric];

    begin_numbers(json, m->name, m->unit, m->help);
    for (int i = 0; i < job->n_heads; i++)
        jsonw_double(json,
                     stats_head(found, 0, job->head[i].layer, job->head[i].head)->value[metric]);
    end_numbers(json);
}

/* What heads are worth, where it is known, stands first. */
static void write_metrics(struct jsonw *json, const struct report_job *job,
                          const struct stats *found)
{
    jsonw_key(json, "metrics");
    jsonw_array(json);
    for (int i = 0; i < job->n_costs; i++)
        write_cost(json, job, &job->cost[i]);
    for (int i = 0; i < job->set.n; i++)
        write_metric(json, job, found, i);
    jsonw_end(json, ']');
}

/* What a head is by the metrics of the text; NULL: they do not say. */
static const struct types_label *report_text_type_of(const struct report_job *job,
                                                     const struct item *item,
                                                     const struct head_stats *head,
                                                     struct types_found *types)
{
    const struct session *s = &job->job.s;
    bool causal = s->stack != STACK_CROSS && mark_looks_back(s->shown);
    double value[N_METRIC];

    metric_choice_spread(&job->choice, head->value, value);
    stats_types_found(value, session_queries(s, item)->n - head->n_skipped,
                      stats_types_one(value), causal, types);
    return types->primary < 0 || types->label[types->primary].type == TYPE_undetermined ?
               NULL : &types->label[types->primary];
}

/* By the file, or by the metrics of the text. */
static void write_type(struct jsonw *json, const struct report_job *job, const struct item *item,
                       const struct stats *found, struct types_label *caption, int i)
{
    const struct head_id id = job->head[i];
    const char *name = NULL;
    struct types_found types;

    if (job->type != NULL) {
        name = job->type[id.layer * job->job.s.shown->config.n_heads + id.head];
    } else {
        const struct types_label *label =
            report_text_type_of(job, item, stats_head(found, 0, id.layer, id.head), &types);

        if (label != NULL) {
            name = label->name;
            caption[label->type] = *label;
        }
    }
    if (name != NULL)
        jsonw_string(json, name);
    else
        jsonw_null(json);
}

static void write_types(struct jsonw *json, const struct report_job *job, const struct item *item,
                        const struct stats *found)
{
    struct types_label caption[N_TYPE] = { { .name = NULL } };

    jsonw_key(json, "types");
    jsonw_array(json);
    for (int i = 0; i < job->n_heads; i++)
        write_type(json, job, item, found, caption, i);
    jsonw_end(json, ']');
    jsonw_key(json, "captions");
    jsonw_array(json);
    for (int i = 0; i < N_TYPE; i++)
        if (caption[i].name != NULL) {
            jsonw_array(json);
            jsonw_string(json, caption[i].name);
            jsonw_string(json, caption[i].caption);
            jsonw_end(json, ']');
        }
    jsonw_end(json, ']');
}

/* ---- the text ---- */

static void write_floats(struct jsonw *json, const char *key, const float *v, int n)
{
    jsonw_key(json, key);
    jsonw_array(json);
    for (int i = 0; i < n; i++)
        jsonw_float(json, v[i]);
    jsonw_end(json, ']');
}

/* What is needed to read the block of queries and keys. */
static void write_look(struct jsonw *json, const struct report_look *look)
{
    jsonw_key(json, "vectors");
    jsonw_object(json);
    jsonw_key(json, "group");
    jsonw_array(json);
    for (int i = 0; i < look->n_heads; i++)
        jsonw_int(json, look->group[i]);
    jsonw_end(json, ']');
    write_floats(json, "scale", look->scale, look->n_heads);
    write_floats(json, "cap", look->cap, look->n_heads);
    jsonw_key(json, "parts");
    jsonw_array(json);
    for (int i = 0; i < N_NEURON_PART; i++)
        if (look->part[i])
            jsonw_string(json, neuron_part_names[i]);
    jsonw_end(json, ']');
    jsonw_end(json, '}');
}

static void write_blocks(struct jsonw *json, const struct report_job *job)
{
    jsonw_key(json, "blocks");
    jsonw_array(json);
    for (int i = 0; i < job->n_blocks; i++) {
        jsonw_object(json);
        jsonw_member_int(json, "layer", job->block[i].layer);
        jsonw_key(json, "triangle");
        jsonw_bool(json, job->block[i].triangle);
        jsonw_member_int(json, "seen", job->block[i].look.n_seen);
        if (job->block[i].look.has_vectors)
            write_look(json, &job->block[i].look);
        jsonw_end(json, '}');
    }
    jsonw_end(json, ']');
}

/* Where the patches lie on the picture: the rows of tokens from `first` on. */
static void write_picture(struct jsonw *json, const struct model *model, const struct pixels *seen)
{
    jsonw_key(json, "picture");
    jsonw_object(json);
    jsonw_member_int(json, "width", seen->width);
    jsonw_member_int(json, "height", seen->height);
    jsonw_member_int(json, "columns", front_patch_columns(model, seen->width));
    jsonw_member_int(json, "first", front_learnt_rows(model));
    jsonw_end(json, '}');
}

static void write_string(struct jsonw *json, const char *key, const char *s, size_t n)
{
    if (s == NULL)
        return;
    jsonw_key(json, key);
    jsonw_string_n(json, s, n);
}

static void report_text_write(struct jsonw *json, struct arena *a, const struct report_job *job,
                              const struct item *item)
{
    const struct session *s = &job->job.s;

    jsonw_member_int(json, "index", item->index);
    write_string(json, "text", item->text, item->text_size);
    write_string(json, "pair", item->pair, item->pair_size);
    write_string(json, "generated", item->generated, item->generated_size);
    if (item->input != NULL)
        jsonw_member_string(json, "input", item->input);
    if (item->seen != NULL)
        write_picture(json, s->model, item->seen);
    if (item->n_cut > 0)
        jsonw_member_int(json, "cut", item->n_cut);
    jsonw_member_string(json, "model", s->name);
    if (job->side >= 0) {
        jsonw_member_int(json, "side", job->side);
        jsonw_member_string(json, "given", s->asked->model != NULL ? s->asked->model : s->name);
    }
    jsonw_member_string(json, "stack", family_stack_names[s->stack]);
    jsonw_member_string(json, "weight", weighting_names[job->job.want.weighting]);
    jsonw_member_string(json, "changes", figure_changes(a, s->asked));
}

static void write_all(struct jsonw *json, struct arena *a, const struct report_job *job,
                      const struct item *item, const struct stats *found, double error)
{
    const struct session *s = &job->job.s;

    jsonw_object(json);
    report_text_write(json, a, job, item);
    jsonw_member_int(json, "bits", job->bits);
    jsonw_member_double(json, "error", error);
    jsonw_key(json, "sink");
    jsonw_bool(json, session_has_sinks(s, &job->job.want));
    jsonw_member_int(json, "width", s->shown->config.d_head);
    jsonw_member_double(json, "vectors_error", job->vectors_error);
    jsonw_key(json, "typed");
    jsonw_bool(json, job->type != NULL);
    write_side(json, a, "queries", session_queries(s, item), item);
    if (s->stack == STACK_CROSS)
        write_side(json, a, "keys", session_keys(s, item), item);
    write_blocks(json, job);
    write_heads(json, job);
    write_metrics(json, job, found);
    write_types(json, job, item, found);
    jsonw_end(json, '}');
}

int report_text(struct report_job *job, struct arena *a, const struct item *item,
                const struct stats *found, double error, struct packed *packed,
                struct err *e)
{
    struct memory_file *text = memory_file_new(a);
    struct jsonw w;

    jsonw_init(&w, text->file);
    write_all(&w, a, job, item, found, error);
    if (memory_file_close(text) != 0)
        return err_set(e, ERR_SYSTEM, "the page's text: no memory to write it");
    pack_begin(job->words, job->packed);
    pack_add(job->words, text->data, text->size);
    *packed = pack_end(job->words);
    arena_release(a, text);
    return 0;
}

/* SPDX-License-Identifier: MIT
 * A text, its tokens and the statistics of heads -> the JSON of a page. */
#include <math.h>
#include <string.h>

#include "base/memory_file.h"
#include "task/report/report.h"
#include "task/stats/stats.h"
#include "draw/label.h"
#include "session/mark.h"

enum { TOKEN_CHARS = 200 };         /* a longer token is cut */

/* ---- tokens ---- */

static void write_labels(struct jsonw *w, struct arena *a, const struct tokens *t)
{
    jsonw_key(w, "labels");
    jsonw_array(w);
    for (int i = 0; i < t->n; i++)
        jsonw_string(w, label_clean(a, t->label[i], t->label_size[i], TOKEN_CHARS));
    jsonw_end(w, ']');
}

static int count_words(const struct tokens *t)
{
    int n = 0;

    for (int i = 0; i < t->n; i++)
        n = t->word[i] >= n ? t->word[i] + 1 : n;
    return n;
}

/* The pieces of a word that follow one another, as one label. */
static char *word_label(struct arena *a, const struct tokens *t, int word, int *from)
{
    char *text, *at;
    size_t size = 0;
    int first, end;

    for (first = *from; first < t->n && t->word[first] != word; )
        first++;
    for (end = first; end < t->n && t->word[end] == word; end++)
        size += t->label_size[end];
    at = text = arena_alloc(a, size + 1, 1);
    for (int i = first; i < end; at += t->label_size[i++])
        memcpy(at, t->label[i], t->label_size[i]);
    if (end < t->n)
        *from = end;
    return label_clean(a, text, size, TOKEN_CHARS);
}

/* The word that each token is of, and the words. */
static void write_words(struct jsonw *w, struct arena *a, const struct tokens *t)
{
    int n_words = count_words(t), from = 0;

    jsonw_key(w, "word");
    jsonw_array(w);
    for (int i = 0; i < t->n; i++)
        jsonw_int(w, t->word[i]);
    jsonw_end(w, ']');
    jsonw_key(w, "words");
    jsonw_array(w);
    for (int i = 0; i < n_words; i++)
        jsonw_string(w, word_label(a, t, i, &from));
    jsonw_end(w, ']');
}

/* Numbers of the tokens for which the flag is set. */
static void write_flags(struct jsonw *w, const char *key, const unsigned char *flag, int n)
{
    jsonw_key(w, key);
    jsonw_array(w);
    for (int i = 0; flag != NULL && i < n; i++)
        if (flag[i])
            jsonw_int(w, i);
    jsonw_end(w, ']');
}

/* Of which text each token is, where there are two: those of the second. */
static void write_second(struct jsonw *w, struct arena *a, const struct tokens *t,
                         const struct item *item)
{
    unsigned char *second = arena_alloc(a, (uint64_t)t->n, 1);

    if (item->pair == NULL || t->type == NULL)
        return;
    for (int i = 0; i < t->n; i++)
        second[i] = t->type[i] > 0;
    write_flags(w, "second", second, t->n);
}

static void write_side(struct jsonw *w, struct arena *a, const char *key, const struct tokens *t,
                       const struct item *item)
{
    jsonw_key(w, key);
    jsonw_object(w);
    write_labels(w, a, t);
    write_flags(w, "special", t->special, t->n);
    write_second(w, a, t, item);
    if (t->word != NULL)
        write_words(w, a, t);
    jsonw_end(w, '}');
}

/* ---- heads ---- */

static void write_heads(struct jsonw *w, const struct report_job *j)
{
    jsonw_key(w, "heads");
    jsonw_array(w);
    for (int i = 0; i < j->n_heads; i++) {
        jsonw_array(w);
        jsonw_int(w, j->head[i].layer);
        jsonw_int(w, j->head[i].head);
        jsonw_end(w, ']');
    }
    jsonw_end(w, ']');
}

/* The name of a number of each head, up to the list of them. */
static void begin_numbers(struct jsonw *w, const char *name, const char *unit, const char *help)
{
    jsonw_object(w);
    jsonw_member_string(w, "name", name);
    jsonw_member_string(w, "unit", unit);
    jsonw_member_string(w, "help", help);
    jsonw_key(w, "value");
    jsonw_array(w);
}

static void end_numbers(struct jsonw *w)
{
    jsonw_end(w, ']');
    jsonw_end(w, '}');
}

static void write_cost(struct jsonw *w, const struct report_job *j, const struct report_cost *cost)
{
    int H = j->job.s.shown->config.n_heads;

    begin_numbers(w, cost->name, cost->unit, cost->help);
    for (int i = 0; i < j->n_heads; i++)
        jsonw_double(w, cost->value[j->head[i].layer * H + j->head[i].head]);
    end_numbers(w);
}

static void write_metric(struct jsonw *w, const struct report_job *j, const struct stats *found,
                         int metric)
{
    const struct metric *m = &j->set.metric[metric];

    begin_numbers(w, m->name, m->unit, m->help);
    for (int i = 0; i < j->n_heads; i++)
        jsonw_double(w, stats_head(found, 0, j->head[i].layer, j->head[i].head)->value[metric]);
    end_numbers(w);
}

/* What heads are worth, where it is known, stands first. */
static void write_metrics(struct jsonw *w, const struct report_job *j, const struct stats *found)
{
    jsonw_key(w, "metrics");
    jsonw_array(w);
    for (int i = 0; i < j->n_costs; i++)
        write_cost(w, j, &j->cost[i]);
    for (int i = 0; i < j->set.n; i++)
        write_metric(w, j, found, i);
    jsonw_end(w, ']');
}

/* What a head is by the metrics of the text; NULL: they do not say. */
static const struct types_label *report_text_type_of(const struct report_job *j,
                                                     const struct item *item,
                                                     const struct head_stats *head,
                                                     struct types_found *types)
{
    const struct session *s = &j->job.s;
    bool causal = s->stack != STACK_CROSS && mark_looks_back(s->shown);
    double value[N_METRIC];

    metric_choice_spread(&j->choice, head->value, value);
    stats_types_found(value, session_queries(s, item)->n - head->n_skipped,
                      stats_types_one(value), causal, types);
    return types->primary < 0 || types->label[types->primary].type == TYPE_undetermined ?
               NULL : &types->label[types->primary];
}

/* By the file, or by the metrics of the text. */
static void write_type(struct jsonw *w, const struct report_job *j, const struct item *item,
                       const struct stats *found, struct types_label *caption, int i)
{
    const struct head_id id = j->head[i];
    const char *name = NULL;
    struct types_found types;

    if (j->type != NULL) {
        name = j->type[id.layer * j->job.s.shown->config.n_heads + id.head];
    } else {
        const struct types_label *label =
            report_text_type_of(j, item, stats_head(found, 0, id.layer, id.head), &types);

        if (label != NULL) {
            name = label->name;
            caption[label->type] = *label;
        }
    }
    if (name != NULL)
        jsonw_string(w, name);
    else
        jsonw_null(w);
}

static void write_types(struct jsonw *w, const struct report_job *j, const struct item *item,
                        const struct stats *found)
{
    struct types_label caption[N_TYPE] = { { .name = NULL } };

    jsonw_key(w, "types");
    jsonw_array(w);
    for (int i = 0; i < j->n_heads; i++)
        write_type(w, j, item, found, caption, i);
    jsonw_end(w, ']');
    jsonw_key(w, "captions");
    jsonw_array(w);
    for (int i = 0; i < N_TYPE; i++)
        if (caption[i].name != NULL) {
            jsonw_array(w);
            jsonw_string(w, caption[i].name);
            jsonw_string(w, caption[i].caption);
            jsonw_end(w, ']');
        }
    jsonw_end(w, ']');
}

/* ---- the text ---- */

static void write_floats(struct jsonw *w, const char *key, const float *v, int n)
{
    jsonw_key(w, key);
    jsonw_array(w);
    for (int i = 0; i < n; i++)
        jsonw_float(w, v[i]);
    jsonw_end(w, ']');
}

/* What is needed to read the block of queries and keys. */
static void write_look(struct jsonw *w, const struct report_look *look)
{
    jsonw_key(w, "vectors");
    jsonw_object(w);
    jsonw_key(w, "group");
    jsonw_array(w);
    for (int i = 0; i < look->n_heads; i++)
        jsonw_int(w, look->group[i]);
    jsonw_end(w, ']');
    write_floats(w, "scale", look->scale, look->n_heads);
    write_floats(w, "cap", look->cap, look->n_heads);
    jsonw_key(w, "parts");
    jsonw_array(w);
    for (int i = 0; i < N_NEURON_PART; i++)
        if (look->part[i])
            jsonw_string(w, neuron_part_names[i]);
    jsonw_end(w, ']');
    jsonw_end(w, '}');
}

static void write_blocks(struct jsonw *w, const struct report_job *j)
{
    jsonw_key(w, "blocks");
    jsonw_array(w);
    for (int i = 0; i < j->n_blocks; i++) {
        jsonw_object(w);
        jsonw_member_int(w, "layer", j->block[i].layer);
        jsonw_key(w, "triangle");
        jsonw_bool(w, j->block[i].triangle);
        jsonw_member_int(w, "seen", j->block[i].look.n_seen);
        if (j->block[i].look.has_vectors)
            write_look(w, &j->block[i].look);
        jsonw_end(w, '}');
    }
    jsonw_end(w, ']');
}

/* Where the patches lie on the picture: the rows of tokens from `first` on. */
static void write_picture(struct jsonw *w, const struct model *m, const struct pixels *seen)
{
    jsonw_key(w, "picture");
    jsonw_object(w);
    jsonw_member_int(w, "width", seen->width);
    jsonw_member_int(w, "height", seen->height);
    jsonw_member_int(w, "columns", front_patch_columns(m, seen->width));
    jsonw_member_int(w, "first", front_learnt_rows(m));
    jsonw_end(w, '}');
}

static void write_string(struct jsonw *w, const char *key, const char *s, size_t n)
{
    if (s == NULL)
        return;
    jsonw_key(w, key);
    jsonw_string_n(w, s, n);
}

static void report_text_write(struct jsonw *w, struct arena *a, const struct report_job *j,
                              const struct item *item)
{
    const struct session *s = &j->job.s;

    jsonw_member_int(w, "index", item->index);
    write_string(w, "text", item->text, item->text_size);
    write_string(w, "pair", item->pair, item->pair_size);
    write_string(w, "generated", item->generated, item->generated_size);
    if (item->input != NULL)
        jsonw_member_string(w, "input", item->input);
    if (item->seen != NULL)
        write_picture(w, s->model, item->seen);
    if (item->n_cut > 0)
        jsonw_member_int(w, "cut", item->n_cut);
    jsonw_member_string(w, "model", s->name);
    if (j->side >= 0) {
        jsonw_member_int(w, "side", j->side);
        jsonw_member_string(w, "given", s->asked->model != NULL ? s->asked->model : s->name);
    }
    jsonw_member_string(w, "stack", family_stack_names[s->stack]);
    jsonw_member_string(w, "weight", weighting_names[j->job.want.weighting]);
    jsonw_member_string(w, "changes", figure_changes(a, s->asked));
}

static void write_all(struct jsonw *w, struct arena *a, const struct report_job *j,
                      const struct item *item, const struct stats *found, double error)
{
    const struct session *s = &j->job.s;

    jsonw_object(w);
    report_text_write(w, a, j, item);
    jsonw_member_int(w, "bits", j->bits);
    jsonw_member_double(w, "error", error);
    jsonw_key(w, "sink");
    jsonw_bool(w, session_has_sinks(s, &j->job.want));
    jsonw_member_int(w, "width", s->shown->config.d_head);
    jsonw_member_double(w, "vectors_error", j->vectors_error);
    jsonw_key(w, "typed");
    jsonw_bool(w, j->type != NULL);
    write_side(w, a, "queries", session_queries(s, item), item);
    if (s->stack == STACK_CROSS)
        write_side(w, a, "keys", session_keys(s, item), item);
    write_blocks(w, j);
    write_heads(w, j);
    write_metrics(w, j, found);
    write_types(w, j, item, found);
    jsonw_end(w, '}');
}

int report_text(struct report_job *j, struct arena *a, const struct item *item,
                const struct stats *found, double error, struct packed *packed,
                struct err *e)
{
    struct memory_file *text = memory_file_new(a);
    struct jsonw w;

    jsonw_init(&w, text->file);
    write_all(&w, a, j, item, found, error);
    if (memory_file_close(text) != 0)
        return err_set(e, ERR_SYSTEM, "the page's text: no memory to write it");
    pack_begin(j->words, j->packed);
    pack_add(j->words, text->data, text->size);
    *packed = pack_end(j->words);
    arena_release(a, text);
    return 0;
}

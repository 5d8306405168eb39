/* SPDX-License-Identifier: MIT
 * --align: reference alignments of words -> the alignment error rates of cross-attention heads. */
#include <string.h>

#include "base/lines.h"
#include "base/str.h"
#include "session/source/source.h"
#include "task/types/types.h"

int types_align_open(struct types_job *job, struct err *e)
{
    struct session *s = &job->job.s;
    const char *path = job->args->align, *text;
    struct lines *lines;
    size_t size = 0;
    int status;

    if (s->stack != STACK_CROSS)
        return err_set(e, ERR_USAGE, "--align is of cross-attention: expected an encoder-decoder "
                       "and TEXT_B or --pairs");
    lines = source_open_lines(s, path, e);
    if (lines == NULL)
        return -1;
    status = lines_rest(lines, &text, &size, e);
    if (status >= 0) {
        const char *copy = arena_strndup(s->a, status > 0 ? text : "", status > 0 ? size : 0);

        job->align = pharaoh_read(s->a, (struct span){ (const unsigned char *)copy,
                                                       status > 0 ? size : 0 }, path, e);
    }
    lines_close(lines);
    job->aligned = arena_alloc(s->a, (uint64_t)s->n_layers * (uint64_t)s->n_heads,
                               sizeof *job->aligned);
    return job->align != NULL ? 0 : -1;
}

/* ---- words ---- */

static int check_line(const struct types_job *job, const struct item *item,
                      const struct types_blanks *source, const struct types_blanks *target,
                      struct err *e)
{
    const struct pharaoh_line *line = &job->align->line[item->index];

    for (int i = 0; i < line->n; i++)
        if (line->link[i].source >= source->n || line->link[i].target >= target->n)
            return err_set(e, ERR_INPUT, "%s: line %lld: link %d-%d: the texts have %d and %d "
                           "words", job->args->align, (long long)item->index + 1,
                           line->link[i].source, line->link[i].target, source->n, target->n);
    return 0;
}

/* The words that rows read, and those that they predict: of the token after. */
static int set_words(const struct types_job *job, struct arena *a, const struct item *item,
                     struct arcs_words *reads, struct arcs_words *predicts, struct err *e)
{
    struct types_blanks source, target;
    int *of, *next;

    if (item->index >= job->align->n)
        return err_set(e, ERR_INPUT, "%s: has %lld line%s, and none for this text",
                       job->args->align, (long long)job->align->n, str_plural(job->align->n));
    if (item->pair == NULL || item->tokens.bytes == NULL)
        return err_set(e, ERR_INPUT, "--align: expected two texts, not ids");
    source = types_blanks(a, item->text, item->text_size);
    target = types_blanks(a, item->pair, item->pair_size);
    if (check_line(job, item, &source, &target, e) != 0)
        return -1;
    of = types_words(a, target.at, target.n, item->pair, &item->target);
    next = arena_alloc(a, (uint64_t)item->target.n, sizeof *next);
    for (int i = 0; i < item->target.n; i++)
        next[i] = i + 1 < item->target.n ? of[i + 1] : -1;
    *reads = (struct arcs_words){ of, target.n,
                                  types_words(a, source.at, source.n, item->text, &item->tokens),
                                  source.n };
    *predicts = *reads;
    predicts->of = next;
    return 0;
}

/* ---- counts ---- */

static void add_links(struct alignment_counts *counts, const struct pharaoh_line *line,
                      const int *looks_at, int n)
{
    for (int i = 0; i < n; i++)
        counts->links += looks_at[i] >= 0;
    for (int i = 0; i < line->n; i++) {
        const struct pharaoh_link *link = &line->link[i];
        bool hit = looks_at[link->target] == link->source;

        counts->sure += link->sure;
        counts->hit_sure += hit && link->sure;
        counts->hit_possible += hit;
    }
}

static void add_item(struct types_job *job, const struct types_links *links,
                     const struct item *item, int text)
{
    const struct session *s = &job->job.s;

    for (int l = 0, h = -1; session_next_head(s, &job->job.want, &l, &h);)
        for (int i = 0; i < TYPES_LINKS; i++)
            add_links(&job->aligned[types_place(job, l, h)][i], &job->align->line[item->index],
                      arcs_looks_at(links[i].arcs, text, l, h), links[i].words[text].n);
}

int types_align_add(struct types_job *job, struct arena *a, const struct item *items, int n,
                    struct err *e)
{
    struct arcs_words *reads = arena_alloc(a, (uint64_t)n, sizeof *reads);
    struct arcs_words *predicts = arena_alloc(a, (uint64_t)n, sizeof *predicts);
    struct types_links links[TYPES_LINKS] = { { .words = reads }, { .words = predicts } };

    for (int i = 0; i < n; i++)
        if (set_words(job, a, &items[i], &reads[i], &predicts[i], e) != 0)
            return -1;
    if (types_texts_add(job, a, items, n, links, TYPES_LINKS, e) != 0)
        return -1;
    for (int i = 0; i < n; i++)
        add_item(job, links, &items[i], i);
    return 0;
}

int types_align_end(const struct types_job *job, struct err *e)
{
    int64_t n = input_count(job->job.in);

    if (job->align->n <= n)
        return 0;
    return err_set(e, ERR_INPUT, "%s: has %lld lines for %lld text%s", job->args->align,
                   (long long)job->align->n, (long long)n, str_plural(n));
}

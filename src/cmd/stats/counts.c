/* SPDX-License-Identifier: MIT
 * How often tokens occur, for the metrics of rare ones: in --unigrams, or in the texts. */
#include <string.h>

#include "base/lines.h"
#include "base/out.h"
#include "cmd/stats/stats.h"
#include "session/source.h"
#include "session/unigrams.h"

struct counting {
    const struct session *s;
    int64_t *count;             /* [n] */
    int n;
};

static int add_text(void *self, struct arena *a, const struct item *item, struct err *e)
{
    struct counting *c = self;
    const struct tokens *keys = item_side(item, session_key_side(c->s));

    (void)a;
    (void)e;
    for (int i = 0; keys->id != NULL && i < keys->n; i++)
        if (keys->id[i] >= 0 && keys->id[i] < c->n)
            c->count[keys->id[i]]++;
    return 0;
}

static int read_file(struct counting *c, const char *path, struct err *e)
{
    struct lines *lines = source_open_lines(c->s, path, e);
    const char *text = "";
    size_t size = 0;
    int status;

    if (lines == NULL)
        return -1;
    status = lines_rest(lines, &text, &size, e);
    if (status >= 0)
        status = unigrams_read((struct span){ (const unsigned char *)text, size }, path, c->n,
                               c->count, e);
    lines_close(lines);
    return status < 0 ? -1 : 0;
}

/* The texts can be read twice. */
static bool is_kept(const struct job *job)
{
    const struct session *s = &job->s;

    if (s->env->again)
        return true;
    if (s->asked->file != NULL)
        return strcmp(s->asked->file, "-") != 0 && out_is_file(s->asked->file);
    for (int i = 0; i < job->n_operands; i++)
        if (s->env->dash && strcmp(job->operands[i], "-") == 0)
            return false;
    return job->n_operands > 0 || s->asked->ids != NULL || !s->env->piped;
}

static int n_ids(const struct session *s)
{
    int n = s->model->config.n_vocab;
    int n2 = s->model->decoder != NULL ? s->model->decoder->config.n_vocab : 0;

    return n > n2 ? n : n2;
}

/* Those of the process with the layers before. */
static int take_counts(struct stats_job *j)
{
    const struct stream_unigrams *counted = &j->job.s.asked->stream->unigrams;

    if (counted->count != NULL)
        j->set.opts.counts = metric_counts_new(j->job.s.a, counted->count, counted->n);
    j->job.layers->unigrams = *counted;
    return 0;
}

/* Of tokens with ids; what is not counted leaves the metrics undefined. */
int stats_count_tokens(struct stats_job *j, struct err *e)
{
    const struct session *s = &j->job.s;
    const bool *wanted = j->choice.wanted;
    struct counting c = { s, NULL, 0 };
    int status;

    if (s->asked->stream != NULL && j->args->unigrams == NULL)
        return take_counts(j);
    if (!wanted[METRIC_rare1] && !wanted[METRIC_rare2] && !wanted[METRIC_rare_rho])
        return 0;
    if (s->tok == NULL && s->asked->ids == NULL && s->asked->file == NULL)
        return 0;
    if (j->args->unigrams == NULL && !is_kept(&j->job)) {
        if (s->env->note != NULL)
            err_warn(s->env->note, "rare1, rare2, rare_rho: these texts cannot be read twice, and "
                     "so are not counted: null without --unigrams FILE");
        return 0;
    }
    c.n = n_ids(s);
    c.count = arena_alloc(s->a, (uint64_t)c.n, sizeof *c.count);
    status = j->args->unigrams != NULL ? read_file(&c, j->args->unigrams, e) :
                                         job_again(&j->job, add_text, &c, e);
    j->set.opts.counts = metric_counts_new(s->a, c.count, c.n);
    if (j->job.layers != NULL && j->args->unigrams == NULL)
        j->job.layers->unigrams = (struct stream_unigrams){ c.count, c.n };
    return status;
}

/* SPDX-License-Identifier: MIT
 * --unigrams, or the texts -> counts of tokens. */
#include "task/common/counts.h"

#include <string.h>

#include "base/lines.h"
#include "base/out.h"
#include "session/source/source.h"
#include "task/common/shared.h"

struct counting {
    const struct session *s;
    struct unigrams *c;
};

static int counts_add_text(void *self, struct arena *a, const struct item *item, struct err *e)
{
    const struct counting *counting = self;
    const struct tokens *keys = item_side(item, session_key_side(counting->s));
    struct unigrams *c = counting->c;

    (void)a;
    (void)e;
    for (int i = 0; keys->id != NULL && i < keys->n; i++)
        if (keys->id[i] >= 0 && keys->id[i] < c->n)
            c->count[keys->id[i]]++;
    return 0;
}

static int counts_read_file(const struct session *session, struct unigrams *unigrams,
                            const char *path, struct err *e)
{
    struct lines *lines = source_open_lines(session, path, e);
    const char *text = "";
    size_t size = 0;
    int status;

    if (lines == NULL)
        return -1;
    status = lines_rest(lines, &text, &size, e);
    if (status >= 0)
        status = unigrams_read((struct span){ (const unsigned char *)text, size }, path,
                               unigrams->n, unigrams->count, e);
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
    return job->n_operands > 0 || s->asked->ids != NULL || asked_array(s->asked) != NULL ||
           !s->env->piped;
}

static int n_ids(const struct session *session)
{
    int n = session->model->config.n_vocab;
    int n2 = session->model->decoder != NULL ? session->model->decoder->config.n_vocab : 0;

    return n > n2 ? n : n2;
}

int counts_take(struct job *job, const char *what, struct unigrams *unigrams, struct err *e)
{
    const struct session *s = &job->s;
    const char *path = ((const struct shared_args *)job->args)->unigrams;
    struct counting counting = { s, unigrams };

    *unigrams = (struct unigrams){ NULL, 0 };
    if (s->tok == NULL && s->asked->ids == NULL && s->asked->file == NULL)
        return 0;
    if (path == NULL && !is_kept(job)) {
        if (s->env->note != NULL)
            err_warn(s->env->note, "%s: these texts cannot be read twice, and so are not "
                     "counted: null without --unigrams FILE", what);
        return 0;
    }
    unigrams->n = n_ids(s);
    unigrams->count = arena_alloc(s->a, (uint64_t)unigrams->n, sizeof *unigrams->count);
    return path != NULL ? counts_read_file(s, unigrams, path, e) :
           job_again(job, counts_add_text, &counting, e);
}

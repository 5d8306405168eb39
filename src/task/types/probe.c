/* SPDX-License-Identifier: MIT
 * The probes of types: repeated random texts that the program generates -> scores of heads. */
#include <math.h>
#include <string.h>

#include "base/nearest.h"
#include "gold/probe.h"
#include "session/shown/mark.h"
#include "session/source/random.h"
#include "task/types/types.h"

enum { N_RANDOM = 10 };

const char *const types_probe_names[] = { "induction", "duplicate", "previous", "retrieval",
                                          "qr", "copy", "successor", "function-vectors", NULL };

_Static_assert((int)TYPES_OF_INDUCTION == PROBE_INDUCTION &&
               (int)TYPES_OF_DUPLICATE == PROBE_DUPLICATE &&
               (int)TYPES_OF_PREVIOUS == PROBE_PREVIOUS, "the same order");
_Static_assert(TYPES_probe_induction - N_TYPES_TEXT == PROBE_INDUCTION &&
               TYPES_probe_offset_k - N_TYPES_TEXT == PROBE_OFFSET_K, "the same order");

/* ---- which ---- */

static int types_probe_find(const char *name, struct err *e)
{
    const char *meant;

    for (int i = 0; i < N_TYPES_PROBE; i++)
        if (strcmp(name, types_probe_names[i]) == 0)
            return i;
    meant = nearest_name(name, types_probe_names);
    return err_set(e, ERR_USAGE, "--probe: '%s' is not a probe%s%s%s", name,
                   meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
                   meant != NULL ? "'?" : "");
}

static int choose_listed(struct types_job *job, struct err *e)
{
    for (const char *s = job->args->probe;; s++) {
        size_t n = strcspn(s, ",");
        char name[64] = "";
        int i;

        memcpy(name, s, n < sizeof name ? n : sizeof name - 1);
        i = types_probe_find(name, e);
        if (i < 0)
            return -1;
        job->wants[i] = true;
        s += n;
        if (*s == '\0')
            return 0;
    }
}

int types_probe_choose(struct types_job *job, struct err *e)
{
    const struct types_args *args = job->args;

    if (args->no_probe && !job->has_texts)
        return err_set(e, ERR_USAGE, "--no-probe requires a TEXT or -f FILE");
    if (args->probe != NULL)
        return choose_listed(job, e);
    for (int i = 0; i < N_TYPES_PROBE && !args->no_probe; i++)
        job->wants[i] = i != TYPES_OF_FUNCTION_VECTORS;   /* many passes: by its name alone */
    return 0;
}

/* ---- random tokens twice over ---- */

/* Scores of places are all of "previous". */
static bool wants_score(const struct types_job *job, int score)
{
    return job->wants[score < PROBE_PREVIOUS ? score : PROBE_PREVIOUS];
}

static void types_probe_keep(struct types_job *job, const struct probe *probe)
{
    const struct session *s = &job->job.s;

    for (int l = 0, h = -1; session_next_head(s, &job->job.want, &l, &h);)
        for (int i = 0; i < N_PROBE_SCORE; i++)
            if (wants_score(job, i))
                job->probe[types_place(job, l, h)][i] = probe_score(probe, (enum probe_score)i, l,
                                                                    h);
}

static int run_random(struct types_job *job, struct err *e)
{
    struct session *s = &job->job.s;
    struct random_texts texts;
    struct wanted want = job->job.want;
    struct attended attended;
    struct probe *probe;
    struct sink sink;

    random_texts(s, s->a, job->args->shared.asked.seed, N_RANDOM, &texts);
    if (texts.n == 0) {
        job->refusal = "it takes too few tokens";
        return 0;
    }
    job->n_random = texts.n_texts;
    job->n_tokens = texts.n;
    want.weighting = WEIGHTING_PLAIN;
    texts_pack(&job->job.texts, s->a, texts.item, texts.n_texts);
    attended = session_attended(s, &job->job.texts, s->a);
    probe = probe_new(s->a, s->shown, &attended, &want,
                      (struct probe_shape){ texts.lead, texts.n, !mark_looks_back(s->model) });
    sink = probe_sink(probe);
    if (run_forward(s->model, &job->job.texts.source, &want, &sink, 1, s->par, s->a, e) != 0)
        return -1;
    types_probe_keep(job, probe);
    return 0;
}

/* ---- all of them ---- */

/* A mask is of the texts that are given. */
static const char *types_probe_refusal(const struct session *session)
{
    return session->asked->mask != NULL ? "--mask is of the texts that are given" :
                                          random_refusal(session);
}

static bool wants_random(const struct types_job *job)
{
    return job->wants[TYPES_OF_INDUCTION] || job->wants[TYPES_OF_DUPLICATE] ||
           job->wants[TYPES_OF_PREVIOUS];
}

/* The same of random texts: what is asked for by its name decides whether the rest will do. */
static const char *random_texts_refusal(const struct types_job *job)
{
    const struct session *s = &job->job.s;
    bool induction = job->args->probe != NULL && job->wants[TYPES_OF_INDUCTION];

    if (s->asked->mask != NULL || induction)
        return types_probe_refusal(s);
    return random_unreadable(s);
}

/* Probes of texts that the program brings along; each with a word of why it did not run. */
static int types_probe_run_texts(struct types_job *job, struct err *e)
{
    const struct {
        enum types_probe probe;
        const char **refused;
        int (*run)(struct types_job *job, struct err *e);
    } probes[] = {
        { TYPES_OF_RETRIEVAL, &job->deaf, types_retrieval_run },
        { TYPES_OF_QR, &job->unranked, types_ranking_run },
        { TYPES_OF_FUNCTION_VECTORS, &job->untried, types_vectors_run },
    };
    struct arena *a = job->job.s.a;
    struct arena_mark mark = arena_mark(a);

    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
        if (!job->wants[probes[i].probe])
            continue;
        *probes[i].refused = types_probe_refusal(&job->job.s);
        if (*probes[i].refused == NULL && probes[i].run(job, e) != 0)
            return -1;
        arena_reset(a, mark);
    }
    return 0;
}

static int run_wanted(struct types_job *job, struct err *e)
{
    struct arena *a = job->job.s.a;
    struct arena_mark mark = arena_mark(a);

    if (wants_random(job)) {
        job->refusal = random_texts_refusal(job);
        if (job->refusal == NULL && run_random(job, e) != 0)
            return -1;
        arena_reset(a, mark);
    }
    if (types_probe_run_texts(job, e) != 0)
        return -1;
    if (job->wants[TYPES_OF_COPY] || job->wants[TYPES_OF_SUCCESSOR])
        types_copy_run(job);
    return 0;
}

/* The first reason why a probe that was named did not run; NULL: all ran. */
static const char *why_not(const struct types_job *job)
{
    const char *const why[] = { job->refusal, job->deaf, job->unranked, job->untried,
                                job->weightless };

    for (size_t i = 0; i < sizeof why / sizeof *why; i++)
        if (why[i] != NULL)
            return why[i];
    return NULL;
}

/* A probe that was asked for by its name must run; without texts, one of them must. */
int types_probe_run(struct types_job *job, struct err *e)
{
    bool named = job->args->probe != NULL;
    const char *why;

    if (run_wanted(job, e) != 0)
        return -1;
    why = named ? why_not(job) : job->refusal;
    if (why == NULL || (job->has_texts && !named))
        return 0;
    return err_set(e, ERR_USAGE, "%s%s cannot be probed: %s%s", named ? "--probe: " : "",
                   job->job.s.model->name, why,
                   job->has_texts ? "" : "; expected a TEXT or -f FILE");
}

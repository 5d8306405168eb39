/* SPDX-License-Identifier: MIT
 * Few-shot texts -> scores of function-vector heads: the effect of a head's mean output after right
 * examples, put in place of its output after shuffled ones.  Source: Todd et al. 2023. */
#include <string.h>

#include "base/elementary.h"
#include "gold/haystack.h"
#include "gold/shots.h"
#include "task/types/types.h"

enum { PLACE = TYPES_probe_function_vectors - N_TYPES_TEXT, N_TRIALS = 25 };

/* The trials of a task. */
struct task {
    struct types_job *j;
    int n;                      /* trials */
    struct item shown[N_TRIALS], shuffled[N_TRIALS];
    int answer[N_TRIALS], last[N_TRIALS];       /* the last token of a text */
    const struct texts *texts;  /* of the pass */
    double *mean;               /* [L, H d_v] of the last tokens of shown */
    float **stream, **stream2;  /* [L] of shuffled, as each layer begins */
    double before[N_TRIALS];    /* probability of the answer after shuffled */
    int layer, head;            /* whose output is replaced */
};

static int types_vectors_width_of(const struct task *task)
{
    const struct config *config = &task->j->job.s.model->config;

    return config->n_heads * config->d_value;
}

/* The row of a batch in which text i ends. */
static int64_t end_of(const struct task *task, int i)
{
    return task->texts->source.start[i] + task->last[i];
}

/* ---- texts ---- */

static int make_texts(struct task *task, int number, struct err *e)
{
    const struct session *s = &task->j->job.s;
    int seed = task->j->args->shared.asked.seed;

    for (int i = 0; i < N_TRIALS; i++) {
        struct shots shown, shuffled;
        int first = shots_text(s, s->a, seed, number, i, false, &shown, e), second;

        second = first > 0 ? shots_text(s, s->a, seed, number, i, true, &shuffled, e) : first;
        if (second < 0)
            return -1;
        if (second == 0)
            continue;
        task->shown[task->n] = shown.item;
        task->shuffled[task->n] = shuffled.item;
        task->answer[task->n++] = shown.answer;
    }
    return 0;
}

/* ---- passes ---- */

static void add_outputs(void *self, int layer, enum stack_id stack, const float *z, int n_rows,
                        int width)
{
    const struct task *t = self;
    double *mean = t->mean + (int64_t)layer * width;

    (void)stack;
    (void)n_rows;
    for (int i = 0; i < t->n; i++)
        for (int k = 0; k < width; k++)
            mean[k] += (double)z[end_of(t, i) * width + k] / t->n;
}

static void keep_streams(void *self, int layer, enum stack_id stack, const float *x,
                         const float *x2, int n_rows, int D)
{
    const struct task *t = self;
    size_t size = (size_t)n_rows * (size_t)D * sizeof *x;

    (void)stack;
    memcpy(t->stream[layer], x, size);
    if (x2 != x)
        memcpy(t->stream2[layer], x2, size);
}

static void types_vectors_replace(void *self, int layer, enum stack_id stack, float *z, int n_rows)
{
    const struct task *t = self;
    int width = types_vectors_width_of(t), d = t->j->job.s.model->config.d_value;

    (void)stack;
    (void)n_rows;
    for (int i = 0; i < t->n && layer == t->layer; i++)
        for (int k = t->head * d; k < (t->head + 1) * d; k++)
            z[end_of(t, i) * width + k] = (float)t->mean[(int64_t)layer * width + k];
}

/* Of logits[n], the softmax at this one. */
static double probability(const float *logits, int n, int at)
{
    double most = (double)logits[0], sum = 0;

    for (int k = 1; k < n; k++)
        most = (double)logits[k] > most ? (double)logits[k] : most;
    for (int k = 0; k < n; k++)
        sum += elementary_exp((double)logits[k] - most);
    return elementary_exp((double)logits[at] - most) / sum;
}

/* The probability of each answer: p[n]; NULL: none is wanted. */
static int run_pass(struct task *task, const struct item *item, const struct tap *tap,
                    const struct intervention *intervention, const struct resume *resume,
                    double *p, struct err *e)
{
    struct session *s = &task->j->job.s;
    struct wanted want = task->j->job.want;
    struct change change = *want.change;
    int n = s->model->n_logits;
    float *logits = arena_alloc_raw(s->a, (uint64_t)task->n, (uint64_t)n * sizeof *logits);

    texts_pack(&task->j->job.texts, s->a, item, task->n);
    task->texts = &task->j->job.texts;
    for (int i = 0; i < task->n; i++)
        task->last[i] = item[i].tokens.n - 1;
    change.intervention = intervention;
    want.change = &change;
    want.tap = tap;
    want.resume = resume;
    want.only_row = task->last;
    want.logits = logits;
    if (run_forward(s->model, &task->texts->source, &want, NULL, 0, s->par, s->a, e) != 0)
        return -1;
    for (int i = 0; i < task->n && p != NULL; i++)
        p[i] = probability(logits + (int64_t)i * n, n, task->answer[i]);
    return 0;
}

/* What the head adds, mean over the trials. */
static int run_head(struct task *task, int layer, int head, double *effect, struct err *e)
{
    const struct intervention intervention = { types_vectors_replace, task };
    int from = model_resume_layer(task->j->job.s.model, layer);
    const struct resume resume = { from, task->stream[from], task->stream2[from] };
    struct arena *a = task->j->job.s.a;
    struct arena_mark mark = arena_mark(a);
    double p[N_TRIALS];

    task->layer = layer;
    task->head = head;
    if (run_pass(task, task->shuffled, NULL, &intervention, &resume, p, e) != 0)
        return -1;
    arena_reset(a, mark);
    *effect = 0;
    for (int i = 0; i < task->n; i++)
        *effect += (p[i] - task->before[i]) / task->n;
    return 0;
}

/* ---- tasks ---- */

static float **streams(const struct task *task, size_t n_layers)
{
    const struct session *s = &task->j->job.s;
    float **x = arena_alloc(s->a, n_layers, sizeof *x);
    uint64_t n = 0;

    for (int i = 0; i < task->n; i++)
        n += (uint64_t)task->shuffled[i].tokens.n;
    for (size_t l = 0; l < n_layers; l++)
        x[l] = arena_alloc_raw(s->a, n, (uint64_t)model_stream_width(s->model) * sizeof **x);
    return x;
}

static int run_heads(struct task *task, int n_done, struct err *e)
{
    struct types_job *j = task->j;
    const struct session *s = &j->job.s;

    for (int l = 0, h = -1; session_next_head(s, &j->job.want, &l, &h);) {
        double *score = &j->probe[types_place(j, l, h)][PLACE], effect;

        if (run_head(task, l, h, &effect, e) != 0)
            return -1;
        *score = n_done > 0 ? (*score * n_done + effect) / (n_done + 1) : effect;
        progress_step(s->env->progress);
    }
    return 0;
}

static int run_task(struct types_job *job, int number, int *n_done, struct err *e)
{
    const struct session *s = &job->job.s;
    size_t L = (size_t)s->model->config.n_layers;
    struct task t = { .j = job, .layer = -1 };
    const struct tap shown = { .made = add_outputs, .self = &t };
    const struct tap shuffled = { .enter = keep_streams, .self = &t };

    if (make_texts(&t, number, e) != 0)
        return -1;
    if (t.n == 0)
        return 0;
    t.mean = arena_alloc(s->a, L, (uint64_t)types_vectors_width_of(&t) * sizeof *t.mean);
    t.stream = streams(&t, L);
    t.stream2 = s->model->norm_place == PLACE_REVERSIBLE ? streams(&t, L) : t.stream;
    if (run_pass(&t, t.shown, &shown, NULL, NULL, NULL, e) != 0 ||
        run_pass(&t, t.shuffled, &shuffled, NULL, NULL, t.before, e) != 0 ||
        run_heads(&t, *n_done, e) != 0)
        return -1;
    job->n_trials += t.n;
    (*n_done)++;
    return 0;
}

static int64_t types_vectors_count_heads(const struct types_job *job)
{
    int64_t n = 0;

    for (int l = 0, h = -1; session_next_head(&job->job.s, &job->job.want, &l, &h);)
        n++;
    return n;
}

int types_vectors_run(struct types_job *job, struct err *e)
{
    struct session *s = &job->job.s;
    struct arena_mark mark = arena_mark(s->a);
    int n_done = 0;

    job->untried = haystack_refusal(s);
    if (job->untried != NULL)
        return 0;
    progress_begin(s->env->progress, "head", types_vectors_count_heads(job) * N_SHOT_TASKS);
    for (int number = 0; number < N_SHOT_TASKS; number++) {
        if (run_task(job, number, &n_done, e) != 0)
            return -1;
        arena_reset(s->a, mark);
    }
    progress_end(s->env->progress);
    if (n_done == 0)
        job->untried = "it takes too few tokens";
    return 0;
}

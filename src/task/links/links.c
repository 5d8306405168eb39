/* SPDX-License-Identifier: MIT
 * links: lines from query tokens to key tokens. */
#include "task/links/links.h"

#include "task/common/best.h"
#include "task/types/file.h"

#define F(f) offsetof(struct links_args, f)
static const struct opt opts[] = {
    REAL(0, "top-share", "P", F(top_share), NULL, 1, 100,
         "draw the strongest links of each row until they hold P % of its weight; by default "
         "70, or 100 with --min-weight"),
    REAL(0, "min-weight", "W", F(min_weight), NULL, 0, 1, "draw no links of a smaller weight"),
    CHOICE(0, "between", "PAIR", F(between), "all", links_betweens,
           "with a pair of texts, A and B: draw only the links from the one to the other"),
    FLAG(0, "panels", F(panels), "draw a panel for each head"),
    INT('c', "columns", "N", F(columns), NULL, 1, 64,
        "panels side by side; by default 4, or as many as fit",
         .needs = "panels"),
    FLAG(0, "arcs", F(arcs), "draw arcs above one line of text, not lines between two lists"),
    END
};
#undef F

static const struct opt_group *const groups[] = {
    &output_figures.group, &panel_group, &sheet_group, &hide_group, &region_group, &average_group,
    &best_group, &weight_group, &shard_group, &split_group, &types_group, PASS_GROUPS, NULL
};

static const char *const examples[] = {
    "mha-viz links",
    "mha-viz links -l 3 -H 0,2 --top-share 90 -o cat.svg 'the cat saw the dog'",
    "mha-viz links -l 3 --panels --arcs -o arcs.pdf 我喜欢吃苹果",
    NULL
};

static int links_check(void *self, struct err *e)
{
    const struct links_args *args = ((struct links_job *)self)->args;

    return figure_check_page(&args->shared.figure, e);
}

/* The layer that heatmap shows, where none is asked for. */
static void choose_layer(struct links_job *job)
{
    const struct session *s = &job->job.s;
    bool *only;

    if (s->asked->layer != NULL || session_names_heads(s->asked))
        return;
    only = arena_alloc(s->a, (size_t)s->n_layers, sizeof *only);
    only[session_default_layer(s)] = true;
    job->job.want.layer = only;
}

static int check_stack(const struct links_job *job, struct err *e)
{
    const struct links_args *args = job->args;

    if (job->job.s.stack != STACK_CROSS || (!args->arcs && args->between == LINKS_ALL))
        return 0;
    return err_set(e, ERR_USAGE, "%s: in cross-attention queries and keys are of two texts "
                   "already", args->arcs ? "--arcs" : "--between");
}

/* The heads of want. */
static void choose_heads(struct links_job *job)
{
    const struct session *s = &job->job.s;

    job->head = records_heads(s, &job->job.want, s->a, &job->n_heads);
    job->n_layers = 0;
    for (int i = 0; i < job->n_heads; i++)
        job->n_layers += i == 0 || job->head[i].layer != job->head[i - 1].layer;
    job->place = records_places(s, job->head, job->n_heads, s->a);
}

static int links_prepare(void *self, struct err *e)
{
    struct links_job *j = self;
    const struct session *s = &j->job.s;

    if (check_stack(j, e) != 0 || best_check(&j->args->shared.best, e) != 0 ||
        types_file_labels(s, j->args->shared.types, &j->type, e) != 0)
        return -1;
    if (j->args->shared.best.n == 0)
        choose_layer(j);
    j->job.record = records_without_shown(s, &links_record);
    choose_heads(j);
    return 0;
}

/* With --best, *own: the job with the heads that are the best in this text; else the job. */
static int job_of(struct links_job *job, struct arena *a, const struct item *item,
                  struct links_job **own, struct err *e)
{
    struct session *session;
    struct wanted want;

    *own = job;
    if (job->args->shared.best.n == 0)
        return 0;
    if (best_heads(&job->job.s, &job->job.want, &job->args->shared.best, a, item, &session, &want,
                   e) != 0)
        return -1;
    *own = arena_alloc(a, 1, sizeof **own);
    **own = *job;
    (*own)->job.s = *session;
    (*own)->job.want = want;
    choose_heads(*own);
    return 0;
}

static int links_one_text(void *self, struct arena *a, const struct item *item, const char *path,
                          struct err *e)
{
    struct links_job *j = self, *own;
    const struct output *output = &j->job.results.output;

    output_part(output, &j->drawn);
    if (job_of(j, a, item, &own, e) != 0 || links_draw(own, a, item, path, e) != 0)
        return -1;
    output_tell(output, &j->args->shared.common.output, path);
    return 0;
}

static const struct shared_reader readers[] = {
    { "--panels", offsetof(struct links_args, panels), true },
    { "--columns", offsetof(struct links_args, columns), true },
    { "--arcs", offsetof(struct links_args, arcs), true },
    { "--types", offsetof(struct links_args, shared.types), true }, { NULL, 0, false }
};

static int one_report(void *self, struct arena *a, const struct item *item, struct err *e)
{
    struct links_job *job = self, *own;
    int status;

    if (job_of(job, a, item, &own, e) != 0)
        return -1;
    status = links_write(own, a, item, e);
    job->job.results = own->job.results;        /* the header is written */
    return status;
}

static const struct job_kind kind = { .outputs = &output_figures, .name = "links",
                                      .readers = readers,
                                      .check = links_check, .prepare = links_prepare,
                                      .text = one_report, .file = links_one_text };

static int links_run(const void *args, int n_operands, char **operands, const struct env *env,
                     struct err *e)
{
    struct links_job job = { .job = { args, n_operands, operands }, .args = args };

    return job_run(&job.job, &kind, env, e);
}

const struct cmd cmd_links = {
    .name = "links", .summary = "draw lines from tokens to the tokens that they attend to",
    .operands = "[TEXT [TEXT_B]]", .opts = opts, .groups = groups,
    .args_size = sizeof(struct links_args), .examples = examples,
    .max_operands = 2, .run = links_run,
    .records = (const struct record *const[]){ &links_record, NULL },
};

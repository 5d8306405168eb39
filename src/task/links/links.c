/* SPDX-License-Identifier: MIT
 * links: lines from the tokens that attend to those that are attended to. */
#include "task/links/links.h"

#include "task/types/file.h"

#define F(f) offsetof(struct links_args, f)
static const struct opt opts[] = {
    REAL(0, "top-share", "P", F(top_share), NULL, 1, 100,
         "of each row the strongest links that hold P % of it; if not given, 70, or with "
         "--min-weight 100"),
    REAL(0, "min-weight", "W", F(min_weight), NULL, 0, 1, "no links of a smaller weight"),
    CHOICE(0, "between", "PAIR", F(between), "all", links_betweens,
           "of a pair of texts, A and B: the links from the one to the other"),
    FLAG(0, "panels", F(panels), "a panel for each head"),
    INT('c', "columns", "N", F(columns), NULL, 1, 64,
        "panels side by side; if not given, 4 or what fits", .needs = "panels"),
    FLAG(0, "arcs", F(arcs), "arcs above one line of text, in place of two lists"),
    END
};
#undef F

static const struct opt_group *const groups[] = {
    &output_figures.group, &panel_group, &sheet_group, &hide_group, &region_group, &weight_group,
    &shard_group, &split_group, &types_group, PASS_GROUPS, NULL
};

static const char *const examples[] = {
    "mha-viz links",
    "mha-viz links -l 3 -H 0,2 --top-share 90 -o cat.svg 'the cat saw the dog'",
    "mha-viz links -l 3 --panels --arcs -o arcs.pdf 我喜欢吃苹果",
    NULL
};

static int check(void *self, struct err *e)
{
    const struct links_args *args = ((struct links_job *)self)->args;

    return figure_check_page(&args->shared.figure, e);
}

/* The layer that heatmap shows, where none is asked for. */
static void choose_layer(struct links_job *j)
{
    const struct session *s = &j->job.s;
    bool *only;

    if (s->asked->layer != NULL || session_names_heads(s->asked))
        return;
    only = arena_alloc(s->a, (size_t)s->n_layers, sizeof *only);
    only[session_default_layer(s)] = true;
    j->job.want.layer = only;
}

static int check_stack(const struct links_job *j, struct err *e)
{
    const struct links_args *args = j->args;

    if (j->job.s.stack != STACK_CROSS || (!args->arcs && args->between == LINKS_ALL))
        return 0;
    return err_set(e, ERR_USAGE, "%s: in cross-attention queries and keys are of two texts "
                   "already", args->arcs ? "--arcs" : "--between");
}

static int prepare(void *self, struct err *e)
{
    struct links_job *j = self;
    const struct session *s = &j->job.s;

    if (check_stack(j, e) != 0 || types_file_labels(s, j->args->shared.types, &j->type, e) != 0)
        return -1;
    choose_layer(j);
    j->job.record = records_without_shown(s, &links_record);
    j->head = records_heads(s, &j->job.want, s->a, &j->n_heads);
    for (int i = 0; i < j->n_heads; i++)
        j->n_layers += i == 0 || j->head[i].layer != j->head[i - 1].layer;
    j->place = records_places(s, j->head, j->n_heads, s->a);
    return 0;
}

static int one_text(void *self, struct arena *a, const struct item *item, const char *path,
                    struct err *e)
{
    struct links_job *j = self;
    const struct output *output = &j->job.results.output;

    output_part(output, &j->drawn);
    if (links_draw(j, a, item, path, e) != 0)
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
    return links_write(self, a, item, e);
}

static const struct job_kind kind = { .outputs = &output_figures, .name = "links",
                                      .readers = readers,
                                      .check = check, .prepare = prepare, .text = one_report,
                                      .file = one_text };

static int run(const void *args, int n_operands, char **operands, const struct env *env,
               struct err *e)
{
    struct links_job job = { .job = { args, n_operands, operands }, .args = args };

    return job_run(&job.job, &kind, env, e);
}

const struct cmd cmd_links = {
    .name = "links", .summary = "draw lines from tokens to those that they attend to",
    .operands = "[TEXT [TEXT_B]]", .opts = opts, .groups = groups,
    .args_size = sizeof(struct links_args), .examples = examples,
    .max_operands = 2, .run = run,
    .records = (const struct record *const[]){ &links_record, NULL },
};

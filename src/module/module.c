/* SPDX-License-Identifier: MIT
 * A command line -> what the page shows.  Opened reports stay open: one of each number of texts,
 * as that decides which stack is shown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/rules.h"
#include "task/report/report.h"
#include "module/page.h"
#include "nn/nn.h"

extern const struct cmd cmd_report, cmd_stats;

static struct err complaint;

const char *module_complaint(void)
{
    return complaint.msg;
}

void *module_take(size_t n)
{
    return aligned_alloc(64, (n + 63) / 64 * 64);
}

void module_drop(void *p)
{
    free(p);
}

/* ---- a command ---- */

static void module_say(void *self, const char *msg)
{
    (void)self;
    fprintf(stderr, "%s\n", msg);
}

static struct warn to_page = { .fn = module_say };

/* Operands and the struct of settings, in a. */
static void *module_parse(const struct cmd *cmd, int argc, char **argv, struct arena *a, int *n,
                          char ***operands, struct err *e)
{
    void *args = arena_alloc(a, 1, cmd->args_size);

    return opts_parse(cmd, NULL, argc, argv, args, n, operands, e) == 0 &&
           rules_check(cmd, args, e) == 0 ? args : NULL;
}

static struct env env_of(struct arena *a, int argc, char **argv)
{
    return (struct env){ .arena = a, .warn = &to_page, .n_threads = 1, .argc = argc,
                         .argv = argv };
}

int module_command(int argc, char **argv)
{
    struct arena a;
    char **operands;
    const void *args;
    int n, status = -1;

    arena_init(&a, NULL, NULL);
    complaint = (struct err){ ERR_NONE };
    args = module_parse(&cmd_stats, argc, argv, &a, &n, &operands, &complaint);
    if (args != NULL) {
        const struct env env = env_of(&a, argc, argv);

        status = cmd_stats.run(args, n, operands, &env, &complaint);
    }
    fflush(stdout);
    arena_finish(&a);
    return status != 0 ? (int)complaint.kind : 0;
}

/* ---- reports ---- */

enum { MOST_TEXTS = 2 };

static struct open_report {
    bool is_open;
    struct arena a;
    struct progress progress;
    struct env env;
    struct report_args args;
    struct report_job job;
} reports[MOST_TEXTS + 1];      /* of one text, of two, of what is continued */

static char **kept_argv;
static int kept_argc;

void module_options(int argc, char **argv)
{
    kept_argc = argc;
    kept_argv = argv;
    nn_choose_kernel(NULL);
}

static char *picture;           /* NULL: reports are of texts */

void module_picture(const char *path)
{
    free(picture);
    picture = strdup(path);
    if (picture == NULL)
        abort();                /* the page says that the model could not be computed */
}

/* A token is there. */
static void module_count(void *self, const struct progress *progress)
{
    (void)self;
    if (progress->n > 0 && progress->n <= PROGRESS_LEVELS &&
        strcmp(progress->level[progress->n - 1].unit, "token") == 0)
        page_step((int)progress->level[progress->n - 1].done);
}

static int open_report(struct open_report *report, char **operands, int n, int generate)
{
    int n_none;
    char **none;
    struct report_args *args;
    int status;

    arena_init(&report->a, NULL, NULL);
    report->env = env_of(&report->a, kept_argc, kept_argv);
    report->progress = (struct progress){ .tell = module_count };
    if (generate > 0)
        report->env.progress = &report->progress;
    args = module_parse(&cmd_report, kept_argc, kept_argv, &report->a, &n_none, &none, &complaint);
    if (args == NULL)
        return -1;
    args->shared.asked.image = picture;
    report->args = report_with_words(args);
    if (generate > 0)
        report->args.shared.asked.generate = generate;
    report->job = (struct report_job){ .job = { &report->args, n, operands }, .args = &report->args,
                                       .first = &report->job, .side = -1 };
    status = job_gather(&report->job.job, &report_kind, &report->env, &complaint);
    if (status == 0)
        report->is_open = true;
    else {
        session_close(&report->job.job.s);
        arena_finish(&report->a);
    }
    return status;
}

static int ask_again(struct open_report *report, char **operands, int n, int generate)
{
    struct arena_mark mark = arena_mark(&report->a);
    int status;

    report->job.job.operands = operands;
    report->job.job.n_operands = n;
    if (generate > 0)
        report->job.job.s.n_generate = report->args.shared.asked.generate = generate;
    report->args.shared.asked.image = picture;
    report->job.n_texts = 0;
    report->job.size = report->job.vectors_size = 0;
    status = job_again(&report->job.job, report_kind.text, &report->job, &complaint);
    arena_reset(&report->a, mark);
    return status;
}

int module_answer(int argc, char **argv, int generate)
{
    struct open_report *r = &reports[generate > 0 ? MOST_TEXTS : argc == MOST_TEXTS];
    int status;

    complaint = (struct err){ ERR_NONE };
    status = r->is_open ? ask_again(r, argv, argc, generate) :
                          open_report(r, argv, argc, generate);
    return status != 0 ? (int)complaint.kind : 0;
}

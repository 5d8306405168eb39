/* SPDX-License-Identifier: MIT
 * Texts -> output files, one per text; checks of outputs. */
#include "task/common/shared.h"

/* What each text goes to. */
struct files {
    const struct session *s;
    const struct output *output;
    int (*fn)(void *self, struct arena *a, const struct item *item, const char *path,
              struct err *e);
    void *self;
};

/* What fn does but the pass is counted as output. */
static int to_file(const struct files *files, struct arena *a, const struct item *item,
                   const char *path, struct err *e)
{
    struct meter *meter = files->s->env->meter;
    int before = meter_enter(meter, METER_OUTPUT);
    int status = files->fn(files->self, a, item, path, e);

    meter_leave(meter, before);
    return status;
}

static int to_folder(void *self, struct arena *a, const struct item *item, struct err *e)
{
    const struct files *files = self;

    return to_file(files, a, item, output_name(files->output, a, item->index, item->part), e);
}

int shared_check_seed(const struct shared_args *args, const struct input *input, const char *what,
                      struct err *e)
{
    if (!opts_is_given(&args->common, offsetof(struct shared_args, asked.seed)) ||
        (input != NULL && input_is_drawn(input)))
        return 0;
    return err_set(e, ERR_USAGE, "--seed is of %sthe random input of a bare layer, which is not "
                   "used here", what != NULL ? what : "");
}

static int check_group(const struct shared_args *args, const struct opt_group *group,
                       struct err *e)
{
    for (const struct opt *o = group->opts; o->name != NULL; o++)
        if (opts_is_given(&args->common, o->field))
            return err_set(e, ERR_USAGE, "--%s is of pictures: expected -o with .png, .svg or "
                           ".pdf, or --format", o->name);
    return 0;
}

static bool shared_is_of(const struct output *output, enum output_format format)
{
    return output != NULL && output->format == format;
}

int shared_check_figure(const struct shared_args *args, const struct output *output,
                        const struct output *other, struct err *e)
{
    static const struct opt_group *const groups[] = { &figure_group, &panel_group, &sheet_group };
    static const struct {
        const char *option, *name;
        size_t field;
        enum output_format format;
    } only[] = {
        { "--dpi", "PNG", offsetof(struct shared_args, figure.dpi), OUTPUT_PNG },
        { "--outlines", "SVG", offsetof(struct shared_args, figure.outlines), OUTPUT_SVG },
    };

    bool drawn = output_is_picture(output) || (other != NULL && output_is_picture(other));

    for (size_t i = 0; !drawn && i < sizeof groups / sizeof *groups; i++)
        if (check_group(args, groups[i], e) != 0)
            return -1;
    for (size_t i = 0; i < sizeof only / sizeof *only; i++)
        if (!shared_is_of(output, only[i].format) && !shared_is_of(other, only[i].format) &&
            opts_is_given(&args->common, only[i].field))
            return err_set(e, ERR_USAGE, "%s is of %s: expected it with -o FILE.%s",
                           only[i].option, only[i].name,
                           only[i].format == OUTPUT_PNG ? "png" : "svg");
    return 0;
}

int shared_check_readers(const struct shared_args *args, const struct output *output,
                         const struct shared_reader *reader, struct err *e)
{
    bool report = output_is_report(output) || output->format == OUTPUT_SUMS;

    for (const struct shared_reader *r = reader; r->option != NULL; r++)
        if (opts_is_given(&args->common, r->field) &&
            !(r->picture ? output_is_picture(output) : report))
            return err_set(e, ERR_USAGE, r->picture ? "%s is of pictures: expected -o with .png, "
                           ".svg or .pdf, or --format" : "%s is of the table, TSV and JSON",
                           r->option);
    return 0;
}

int shared_several(const struct session *session, const struct input *input, const char *folder,
                   struct err *e)
{
    const char *name = input_name(input) != NULL ? input_name(input) : "--split";

    return session->asked->handed != NULL ?
        err_set(e, ERR_USAGE, "%s: several texts, where one file is made: expected one", name) :
        err_set(e, ERR_USAGE, "%s: several texts require a folder%s", name, folder);
}

int shared_to_files(const struct session *session, struct input *input, const struct output *output,
                    int (*fn)(void *self, struct arena *a, const struct item *item,
                              const char *path, struct err *e),
                   void *self, struct err *e)
{
    struct files files = { session, output, fn, self };
    struct arena *a = session->a;
    struct item item, second;
    int status;

    if (output->folder || output_is_on_terminal(output))
        return input_each(input, to_folder, &files, e);
    status = input_next(input, a, &item, e);
    if (status == 0 && input_result(input, 0, e) == 0)
        return err_set(e, ERR_INPUT, "%s: holds no text", session->asked->file);
    if (status != 1)
        return status;
    status = input_is_file(input) ? input_next(input, a, &second, e) : 0;
    if (status == 1)
        return shared_several(session, input, ": -o DIR/", e);
    if (status != 0 || session_generate(session, &item, 1, a, e) != 0)
        return -1;
    return to_file(&files, a, &item, output->path, e);
}

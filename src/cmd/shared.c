/* SPDX-License-Identifier: MIT
 * Texts to files: one for each. */
#include "cmd/shared.h"

/* Each text to its file in a folder. */
struct folder {
    const struct output *output;
    int (*fn)(void *self, struct arena *a, const struct item *item, const char *path,
              struct err *e);
    void *self;
};

static int to_folder(void *self, struct arena *a, const struct item *item, struct err *e)
{
    const struct folder *folder = self;

    return folder->fn(folder->self, a, item,
                      output_name(folder->output, a, item->index, item->part), e);
}

int shared_to_files(const struct session *s, struct input *in, const struct output *output,
                    int (*fn)(void *self, struct arena *a, const struct item *item,
                              const char *path, struct err *e),
                   void *self, struct err *e)
{
    struct arena *a = s->a;
    struct item item, second;
    int status;

    if (output->folder || output_is_on_terminal(output))
        return input_each(in, to_folder, &(struct folder){ output, fn, self }, e);
    status = input_next(in, a, &item, e);
    if (status == 0 && input_result(in, 0, e) == 0)
        return err_set(e, ERR_INPUT, "%s: holds no text", s->asked->file);
    if (status != 1)
        return status;
    status = input_is_file(in) ? input_next(in, a, &second, e) : 0;
    if (status == 1)
        return err_set(e, ERR_USAGE, "%s: several texts require a folder: -o DIR/",
                       input_name(in) != NULL ? input_name(in) : "--split");
    if (status != 0 || session_generate(s, &item, 1, a, e) != 0)
        return -1;
    return fn(self, a, &item, output->path, e);
}

/* SPDX-License-Identifier: MIT
 * Texts to files: one for each, or one for all. */
#include "cmd/shared.h"

#include "base/out.h"

/* Each text to its file in a folder. */
struct folder {
    const char *path, *ending;
    int (*fn)(void *self, struct arena *a, const struct item *item, const char *path,
              struct err *e);
    void *self;
};

static int to_folder(void *self, struct arena *a, const struct item *item, struct err *e)
{
    const struct folder *f = self;

    return f->fn(f->self, a, item, output_name(a, f->path, item->index, f->ending), e);
}

int input_to_files(const struct session *s, struct input *in, const char *out,
                   const char *ending,
                   int (*fn)(void *self, struct arena *a, const struct item *item,
                             const char *path, struct err *e),
                   void *self, struct err *e)
{
    struct arena *a = s->a;
    struct item item, second;
    int rc;

    if (output_is_dir(out))
        return input_each(in, to_folder, &(struct folder){ out, ending, fn, self }, e);
    rc = input_next(in, a, &item, e);
    if (rc == 0 && input_result(in, 0, e) == 0)
        return err_set(e, ERR_INPUT, "%s: holds no text", s->asked->file);
    if (rc != 1)
        return rc;
    rc = input_is_file(in) ? input_next(in, a, &second, e) : 0;
    if (rc == 1)
        return err_set(e, ERR_USAGE, "several texts want a folder: -o DIR/");
    if (rc != 0 || session_generate(s, &item, 1, a, e) != 0)
        return -1;
    return fn(self, a, &item, out, e);
}

int input_end(struct input *in, struct out *out, int rc, struct err *e)
{
    int bad = input_result(in, rc, e);
    struct err late;

    if (rc != 0) {
        out_abort(out);
        return rc;
    }
    if (out_commit(out, &late) == 0)
        return bad;
    *e = late;
    return -1;
}

/* SPDX-License-Identifier: MIT
 * What the program has inside it or asks of a terminal, and a page does not. */
#include <string.h>

#include "base/terminal.h"
#include "cmd/report/report.h"
#include "model/builtin.h"
#include "session/media.h"

enum terminal_way terminal_ask(int fd, enum terminal_way otherwise)
{
    (void)fd;
    return otherwise;
}

/* A page has one model: of a built-in one, its files in the folder of that name. */
int builtin_inside(struct builtin *out, int i, struct err *e)
{
    static const char *const file[] = { "config.json", "tokenizer.json", "model.safetensors",
                                        "types.json" };
    struct span *const to[] = { &out->config, &out->tokenizer, &out->weights, &out->types };
    char path[80];

    for (int k = 0; k < 4; k++) {
        snprintf(path, sizeof path, "/%s/%s", builtin_names[i], file[k]);
        if (file_map(path, to[k], e) != 0)
            return -1;
    }
    return 0;
}

/* A page of --image or --audio is not live. */
int media_picture(struct arena *a, const struct model *m, const char *path, struct values **out,
                  const struct pixels **seen, struct err *e)
{
    (void)a;
    (void)m;
    (void)path;
    (void)out;
    (void)seen;
    return err_set(e, ERR_USAGE, "--image: expected the program, not a page of it");
}

int media_sound(struct arena *a, const struct model *m, const char *path, const struct warn *warn,
                struct values **out, struct err *e)
{
    (void)a;
    (void)m;
    (void)path;
    (void)warn;
    (void)out;
    return err_set(e, ERR_USAGE, "--audio: expected the program, not a page of it");
}

/* A live page makes no other. */
int report_live_check(const struct report_args *args, struct err *e)
{
    (void)args;
    return err_set(e, ERR_USAGE, "--live: expected the program, not a page of it");
}

int report_live(FILE *f, struct report_job *j, const struct item *item, struct err *e)
{
    (void)f;
    (void)item;
    return report_live_check(j->args, e);
}

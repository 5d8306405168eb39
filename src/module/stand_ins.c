/* SPDX-License-Identifier: MIT
 * Replacements for parts of the program that a page does not have: embedded files, the terminal. */
#include <string.h>

#include "base/lock.h"
#include "base/terminal.h"
#include "draw/cmap.h"
#include "draw/scale.h"
#include "task/report/report.h"
#include "media/format.h"
#include "model/builtin.h"

/* Options of figures are known, so that they can be refused; nothing is drawn. */
const char *const cmap_names[] = { NULL };
const char *const scale_names[] = { NULL };

enum { PIXELS_AT = 8 };         /* bytes of a picture before its pixels */

enum terminal_way terminal_ask(int fd, enum terminal_way otherwise)
{
    (void)fd;
    return otherwise;
}

/* A page writes no file, and no other run works with it. */
int lock_open(const char *path, struct err *e)
{
    return err_set(e, ERR_SYSTEM, "%s: a page has no file to write", path);
}

int lock_next(int fd)
{
    (void)fd;
    return -1;
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

/*
 * The browser decodes pictures: the page hands over width and height, four bytes each from the
 * lowest on, and the pixels.
 */
int pixels_read(struct arena *a, struct span bytes, struct pixels *out, struct err *e)
{
    uint32_t width = 0, height = 0;
    size_t size;

    if (bytes.size < PIXELS_AT)
        return err_set(e, ERR_INPUT, "is not a picture of this page");
    for (int i = 0; i < 4; i++) {
        width |= (uint32_t)bytes.data[i] << 8 * i;
        height |= (uint32_t)bytes.data[4 + i] << 8 * i;
    }
    if (pixels_check_size(width, height, e) != 0)
        return -1;
    size = (size_t)width * height * 3;
    if (bytes.size - PIXELS_AT != size)
        return pixels_too_few_bytes((int)width, (int)height, bytes.size, e);
    pixels_new(a, (int)width, (int)height, out);
    memcpy(out->rgb, bytes.data + PIXELS_AT, size);
    return 0;
}

/* A live page makes no other. */
int report_live_check(const struct report_args *args, struct err *e)
{
    (void)args;
    return err_set(e, ERR_USAGE, "--live: expected the program, not a page of it");
}

int report_live(FILE *file, struct report_job *job, const struct item *item, struct err *e)
{
    (void)file;
    (void)item;
    return report_live_check(job->args, e);
}

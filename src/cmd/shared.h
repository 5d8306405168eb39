/* SPDX-License-Identifier: MIT
 * What commands that open a session share: tables of options, and where results go. */
#ifndef CMD_SHARED_H
#define CMD_SHARED_H

#include "base/file.h"
#include "cli/opt.h"
#include "cli/output.h"
#include "session/input.h"
#include "session/texts.h"

/* The first member of such a command's args struct. */
struct shared_args {
    struct common_args common;
    struct asked asked;
};

extern const struct opt model_opts[], text_opts[], select_opts[], mask_opts[],
                        generate_opts[], dtype_opts[];
/* The last is for commands without a seed of their own (in asked). */
extern const struct opt layer_opts[], rows_opts[], seed_opts[];
extern const struct opt attention_opts[], qkv_opts[];

/*
 * Ends the input and the one output that all its texts went to: what the usable
 * lines gave is kept, also where others were not usable.
 */
int input_end(struct input *in, struct out *out, int rc, struct err *e);

/*
 * The same with the file that each goes to: out itself for a single
 * text, out/000001.ENDING by line where out is a folder.  Errors: also ERR_USAGE for a
 * second text where out is no folder, before any is drawn.
 */
int input_to_files(const struct session *s, struct input *in, const char *out,
                   const char *ending,
                   int (*fn)(void *self, struct arena *a, const struct item *item,
                             const char *path, struct err *e),
                   void *self, struct err *e);

#endif

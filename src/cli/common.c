/* SPDX-License-Identifier: MIT
 * The options that every command takes. */
#include "cli/opt.h"

#define F(f) offsetof(struct common_args, f)

const struct opt common_opts[] = {
    { 't', "threads", "N", OPT_INT, F(threads), "0", 0, 1024, NULL,
      "threads; 0: one for each processor" },
    { 'q', "quiet", NULL, OPT_FLAG, F(quiet), NULL, 0, 0, NULL,
      "no warnings and no progress" },
    { 'v', "verbose", NULL, OPT_FLAG, F(verbose), NULL, 0, 0, NULL,
      "say more about what is read and done" },
    { 0 }
};

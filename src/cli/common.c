/* SPDX-License-Identifier: MIT
 * The options that every command takes. */
#include "cli/opt.h"

#define F(f) offsetof(struct common_args, f)

static const struct opt common_opts[] = {
    INT('t', "threads", "N", F(threads), "0", 0, 1024, "number of threads; 0: one per processor"),
    FLAG('q', "quiet", F(quiet), "print no warnings and no progress"),
    FLAG('v', "verbose", F(verbose), "print more about what is read and done"),
    FLAG(0, "profile", F(profile), "print to standard error where the time went"),
    { .type = OPT_HELP, .short_name = 'h', .name = "help",
      .help = "show this help; -h shows only the command's own options" },
    END
};

const struct opt_group common_group = { "program", common_opts };
const struct opt_values opt_files = { .files = true };
const struct opt_values opt_outputs = { .files = true, .written = true };

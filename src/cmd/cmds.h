/* SPDX-License-Identifier: MIT
 * The commands: cmds.def lists them, in the order of --help. */
#ifndef CMD_CMDS_H
#define CMD_CMDS_H

#include <stdio.h>

#include "cli/opt.h"

extern const struct cmd *const cmd_table[];     /* ends with NULL */
const struct cmd *cmd_find(const char *name);
/* NULL: ERR_USAGE, there is none of this name, with the one that was probably meant. */
const struct cmd *cmd_known(const char *name, struct arena *a, struct err *e);

/*
 * Chooses the kernel that MHA_VIZ_KERNEL names, the fastest where it is empty or not set.
 * ERR_USAGE: the processor does not have it.
 */
int kernel_choose(struct err *e);

/* Prints the program's version, its libraries' and the kernel in use. */
void version_print(FILE *f);

#endif

/* SPDX-License-Identifier: MIT
 * The commands: cmds.def lists them, in the order of --help. */
#ifndef CMD_CMDS_H
#define CMD_CMDS_H

#include <stdio.h>

#include "cli/opt.h"

extern const struct cmd *const cmd_table[];     /* ends with NULL */
const struct cmd *cmd_find(const char *name);
/* The command of this name; NULL with ERR_USAGE if there is none, with the one probably meant. */
const struct cmd *cmd_known(const char *name, struct arena *a, struct err *e);

/*
 * Chooses the kernel that MHA_VIZ_KERNEL names, the fastest if it is empty or not set.
 * ERR_USAGE: the processor does not support it.
 */
int kernel_choose(struct err *e);

/* Prints the program's version, its libraries' and the kernel in use. */
void version_print(FILE *file);

#endif

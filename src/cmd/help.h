/* SPDX-License-Identifier: MIT
 * mha-viz help: of the program, a command, a group of its options, all options, metrics, pages
 * of the manual. */
#ifndef CMD_HELP_H
#define CMD_HELP_H

#include "base/arena.h"
#include "base/err.h"

/*
 * Runs `mha-viz help` with the words after it: word[n], n from 0; program is argv[0].  A page of
 * the manual is shown by man, which replaces this process.  ERR_USAGE: there is
 * no such command, group, metric or page, with the nearest.  ERR_SYSTEM: man could not be run.
 */
int help_run(const char *program, char *const *word, int n, struct arena *a, struct err *e);

#endif

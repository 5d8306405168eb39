/* SPDX-License-Identifier: MIT
 *
 * Paragraphs of the manual as text: the page of metrics is in the program, so that `help` prints
 * the same about a metric as the manual. */
#ifndef CMD_MANUAL_H
#define CMD_MANUAL_H

#include "base/arena.h"

/*
 * The manual's paragraphs on a metric, in arena a: without line breaks, except an empty line
 * between two paragraphs.  If a paragraph refers to another ("the same of ..."), that comes first,
 * each after its names.  NULL: the manual has no metric of this name.
 */
const char *manual_metric(struct arena *a, const char *name);

#endif

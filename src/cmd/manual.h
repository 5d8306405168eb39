/* SPDX-License-Identifier: MIT
 *
 * Paragraphs of the manual, as text: the page of the metrics is in the program, so that what help
 * says of a metric is what the manual says. */
#ifndef CMD_MANUAL_H
#define CMD_MANUAL_H

#include "base/arena.h"

/*
 * What the manual says of a metric, of arena a: without line breaks, but an empty line between two
 * paragraphs.  What is "the same of" something stands after that, each after its names.  NULL: the
 * manual has no metric of this name.
 */
const char *manual_metric(struct arena *a, const char *name);

#endif

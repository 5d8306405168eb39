/* SPDX-License-Identifier: MIT
 * The card of a model without weights. */
#ifndef CMD_INFO_H
#define CMD_INFO_H

#include <stdio.h>

#include "base/arena.h"
#include "model/model.h"

/* What a file of --attention holds. */
void info_precomputed_card(FILE *f, struct arena *a, const struct model *m);
void info_precomputed_json(FILE *f, const struct model *m);

#endif

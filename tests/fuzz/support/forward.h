/* SPDX-License-Identifier: MIT
 * One short text through a model, whatever it reads. */
#ifndef FUZZ_FORWARD_H
#define FUZZ_FORWARD_H

#include "model/model.h"

/* All rows go to a sink that reads them; what is refused is refused with a message. */
void forward_run(const struct model *m, struct arena *a, struct err *e);

#endif

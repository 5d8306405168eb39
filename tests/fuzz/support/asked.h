/* SPDX-License-Identifier: MIT
 * What the program says of a model: the next thing that its file lacks. */
#ifndef FUZZ_ASKED_H
#define FUZZ_ASKED_H

#include "base/err.h"
#include "base/file.h"

/* How often one input is opened: libFuzzer times no mutators, and a small model has fewer
 * tensors. */
enum { ASKING_MOST = 64 };

/* Opens the bytes; true, or *e.  config is that of a Hugging Face folder; of GGUF data NULL. */
bool asked_open(struct span weights, struct span config, struct err *e);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The files of a model in its folder, by their names: others may lie there, too, such as what
 * was written of the model. */
#ifndef MODEL_FOLDER_H
#define MODEL_FOLDER_H

#include "base/arena.h"

/*
 * Claims for a, as files that are read, those of the model at path, a folder or a file, whether
 * they are opened or not (base/claims.h).
 */
void folder_claim(struct arena *a, const char *path);

#endif

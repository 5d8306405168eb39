/* SPDX-License-Identifier: MIT
 *
 * The names of a model's files in its folder, which may also have other files, such as outputs
 * about the model. */
#ifndef MODEL_FOLDER_H
#define MODEL_FOLDER_H

#include "base/arena.h"

/*
 * Claims the files of the model at path, a folder or a file, as files that are read
 * (base/claims.h), whether they are opened or not, so that no output overwrites them.
 */
void folder_claim(struct arena *a, const char *path);

#endif

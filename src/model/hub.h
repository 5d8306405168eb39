/* SPDX-License-Identifier: MIT
 *
 * Models by name, from the local cache that Hugging Face's tools fill:
 *     ROOT/models--ORG--NAME/refs/main            a commit, 40 hexadecimal digits
 *     ROOT/models--ORG--NAME/snapshots/COMMIT/    the files, mostly links to ../../blobs/
 * It is read, never written, and nothing is fetched.
 * Source: huggingface.co/docs/hub/local-cache */
#ifndef MODEL_HUB_H
#define MODEL_HUB_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"

/*
 * The folder of what -m says: asked itself where something of that name exists, else
 * the snapshot of NAME, ORG/NAME, either with @REVISION (a branch, a tag, or a commit
 * by at least 7 of its digits), main without one; in the cache $HF_HUB_CACHE,
 * $HUGGINGFACE_HUB_CACHE, $HF_HOME/hub, $XDG_CACHE_HOME/huggingface/hub or
 * ~/.cache/huggingface/hub, the first that is set and not empty; a leading ~ and $NAME,
 * ${NAME} in it stand for what they name.
 * *note: what is to be said of the choice, or NULL.
 *
 * Errors (ERR_INPUT), NULL: no such file and no name; a name that the cache lacks (the
 * folder looked in, the command that fetches it); several snapshots and no main.
 */
const char *hub_find(struct arena *a, const char *asked, const char **note,
                     struct err *e);

/* The same, of what is no path. */
const char *hub_cached(struct arena *a, const char *asked, const char **note, struct err *e);

/*
 * Where dir, the snapshot of asked, lacks a file that a model needs (links_only: where
 * a link leads nowhere), replaces *e by an error that names it and the command that
 * fetches it.
 */
void hub_explain(struct arena *a, const char *asked, const char *dir, bool links_only,
                 struct err *e);

/*
 * What to call the model at path: ORG/NAME in a cache, with the commit's first digits
 * where it is not that of main; elsewhere the last part of the path that says
 * something, so neither "." nor "model.safetensors".
 */
const char *hub_name(struct arena *a, const char *path);

/* The names of all models in the cache that hub_find looks in, sorted; NULL ends. */
const char *const *hub_names(struct arena *a);

#endif

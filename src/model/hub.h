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
 * The path of the model named by -m: `asked` itself if such a path exists, else the
 * snapshot of NAME or ORG/NAME, optionally with @REVISION (a branch, a tag, or at least 7
 * digits of a commit; default main), in the cache $HF_HUB_CACHE, $HUGGINGFACE_HUB_CACHE,
 * $HF_HOME/hub, $XDG_CACHE_HOME/huggingface/hub or ~/.cache/huggingface/hub, the first that
 * is set and not empty; a leading ~, and $NAME and ${NAME} in it are expanded.
 * *note: a remark on the choice for the user, or NULL.
 *
 * Errors (ERR_INPUT), NULL: neither a path nor a name; a name that is not in the cache (with
 * the cache's folder, and the command that downloads it); several snapshots and no main.
 */
const char *hub_find(struct arena *a, const char *asked, const char **note,
                     struct err *e);

/* The same for a name that is not a path. */
const char *hub_cached(struct arena *a, const char *asked, const char **note, struct err *e);

/*
 * If dir, the snapshot of `asked`, lacks a required file (links_only: if a link is broken),
 * replaces *e by an error with its name and the command that downloads it.
 */
void hub_explain(struct arena *a, const char *asked, const char *dir, bool links_only,
                 struct err *e);

/*
 * The name of the model at path: ORG/NAME in a cache, with the commit's first digits if
 * it is not that of main; elsewhere the last component of the path that is informative,
 * so neither "." nor "model.safetensors".
 */
const char *hub_name(struct arena *a, const char *path);

/* The names of all models in the cache of hub_find, sorted; NULL ends. */
const char *const *hub_names(struct arena *a);

#endif

/* SPDX-License-Identifier: MIT
 *
 * LoRA adapters of PEFT: a folder with adapter_config.json and adapter_model.safetensors, merged
 * into the base model's weights (weights/adapted.h).
 *     base_model.model. MODULE .lora_A.weight [r, in]      .lora_embedding_A [r, V]
 *     base_model.model. MODULE .lora_B.weight [out, r]     .lora_embedding_B [D, r]
 *     base_model.model. MODULE .lora_magnitude_vector [out]       of DoRA
 *     base_model.model. NAME                               replaces a tensor of the base
 * scale = alpha / r, with use_rslora alpha / sqrt r; r and alpha of a module are those of the
 * first key of rank_pattern and alpha_pattern that matches it. */
#ifndef MODEL_ADAPTER_H
#define MODEL_ADAPTER_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "weights/weights.h"

/* A tied output head: names of its module and of the embedding's, alternatives "A|B". */
struct adapter_tied {
    const char *head, *table;
};

/* Whether a folder has an adapter; and whether it has no model beside it. */
bool adapter_is_in(struct arena *a, const char *dir);
bool adapter_is_alone(struct arena *a, const char *path);

/*
 * The folder or file of the adapter's base model, from base_model_name_or_path: a path, relative to
 * the adapter's folder, or a name in the local cache.  *note: as in hub_find.
 *
 * Errors (ERR_INPUT), NULL: none is named; neither exists; the base is itself an adapter.
 */
const char *adapter_base(struct arena *a, const char *dir, const char **note, struct err *e);

/*
 * Merges the adapter in dir into weights.  If it adapts a tied output head alone, weights gets a
 * separate tensor for the head, initially a copy of the embedding; tied NULL: the model has no tied
 * head.
 *
 * Errors (ERR_INPUT): no such files; another kind of adapter, or an unsupported option that changes
 * results (with key and value); a module that weights does not have; factors or ranks that do not
 * fit; a pattern, or a name of target_modules, that matches none of its modules.
 */
int adapter_merge(struct weights *weights, struct arena *a, const char *dir,
                  const struct adapter_tied *tied, struct err *e);

/* The same for an adapter in memory; names are for messages; `from` must last as long as w. */
struct adapter_files {
    struct span config;
    const char *config_name;
    struct weights *from;
    const struct adapter_tied *tied;    /* or NULL */
};
int adapter_merge_files(struct weights *weights, struct arena *a, const struct adapter_files *files,
                        struct err *e);

#endif

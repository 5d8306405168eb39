/* SPDX-License-Identifier: MIT
 *
 * config.json -> numbers.  One table of keys for all families: the first key of
 * a row that is there and not null wins, else the family's default stands, as in
 * the reference library. */
#ifndef MODEL_CONFIG_H
#define MODEL_CONFIG_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "nn/nn.h"

enum rope_scaling { ROPE_DEFAULT, ROPE_LINEAR, ROPE_LLAMA3 };

struct config {
    int n_layers, n_heads, n_kv_heads;  /* L, H, G; G 0: as many as H */
    int d_model, d_head, d_ff;          /* D, d, F; d 0: D / H, F 0: 4 D */
    int n_vocab, n_positions, n_types;
    double norm_eps;
    enum act act;
    bool is_decoder;                    /* an encoder that is masked like a decoder */
    bool scale_scores;                  /* by 1 / sqrt d */
    bool scale_by_layer;                /* also by 1 / (layer + 1) */
    double rope_theta;
    enum rope_scaling rope_scaling;
    double rope_factor, rope_low, rope_high;
    int rope_original;                  /* positions before the scaling */
    /* what a model of this project says of itself; NULL and -1 elsewhere */
    const char *model_name, *default_text;
    int default_layer;
};

struct family;

/*
 * Reads the JSON in bytes; name is the file for messages.  *family is what
 * model_type says.
 *
 * Errors (ERR_INPUT): no JSON object; no model_type, or one that is not in the
 * table (lists those that are); a value of the wrong type, negative, zero or
 * beyond its range (key, found, wanted); a key that asks for something that is
 * not supported (quantization_config, add_cross_attention, a rope type, an
 * activation: each by name).
 */
int config_read(struct config *c, const struct family **family, struct arena *a,
                struct span bytes, const char *name, struct err *e);

#endif

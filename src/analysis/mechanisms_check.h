/* SPDX-License-Identifier: MIT
 * Checks that inputs and outputs of mechanisms.c are finite. */
#ifndef ANALYSIS_MECHANISMS_CHECK_H
#define ANALYSIS_MECHANISMS_CHECK_H

#include "run/run.h"

/* True if all of x[n] are finite. */
bool mechanisms_all_finite(const float *x, int64_t n);

/* Errors: ERR_INPUT: a query, key or value is not finite; names layer, head and row. */
int mechanisms_check_view(const struct model *model, const struct qkv_view *view, struct err *e);

/*
 * ERR_INPUT, naming layer and row: the attention's output out [T, d_out] is not finite although the
 * heads' outputs z [T, H d_v] are: the output projection is the cause, not a mechanism.
 */
int mechanisms_check_output(const struct model *model, const struct qkv_view *view, const float *z,
                            const float *out, int d_out, struct err *e);

/* ERR_INPUT, naming the token: one of the last hidden states x [n, model->d_hidden] is not
 * finite. */
int mechanisms_check_hidden(const struct model *model, const float *x, int n, struct err *e);

#endif

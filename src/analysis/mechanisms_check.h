/* SPDX-License-Identifier: MIT
 * What is not finite among the numbers that mechanisms.c takes and makes. */
#ifndef ANALYSIS_MECHANISMS_CHECK_H
#define ANALYSIS_MECHANISMS_CHECK_H

#include "run/run.h"

/* True if all of x[n] are. */
bool mechanisms_all_finite(const float *x, int64_t n);

/* Errors: ERR_INPUT, a query, key or value is not; layer, head and row are named. */
int mechanisms_check_view(const struct model *m, const struct qkv_view *v, struct err *e);

/*
 * Of out [T, d_out], the attention's output: ERR_INPUT, naming layer and row, where it is not while
 * the heads' outputs z [T, H d_v] are: the projection is the cause, and no mechanism.
 */
int mechanisms_check_output(const struct model *m, const struct qkv_view *v, const float *z,
                            const float *out, int d_out, struct err *e);

/* Of the last hidden states x [n, m->d_hidden]: ERR_INPUT, naming the token, one is not. */
int mechanisms_check_hidden(const struct model *m, const float *x, int n, struct err *e);

#endif

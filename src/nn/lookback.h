/* SPDX-License-Identifier: MIT
 *
 * Convolution over tokens, channel by channel, that looks back only. */
#ifndef NN_LOOKBACK_H
#define NN_LOOKBACK_H

/*
 * y[T, C] of x[T, C]: y[t] = sum over k of w[k] x[t - (n - 1) + k], k = 0 .. n - 1, then bias;
 * w [n, C], bias [C] or NULL; before: x of the n - 1 tokens before the first, [n - 1, C], NULL:
 * zeros.  Channels first .. end - 1 alone.  y is not x.
 */
void lookback_rows(float *y, const float *x, const float *before, const float *w, const float *bias,
                   int n, int C, int T, int first, int end);

/* before[n - 1, C] = x of the last n - 1 tokens of what it held and x[T, C]. */
void lookback_keep(float *before, const float *x, int n, int C, int T);

#endif

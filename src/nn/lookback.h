/* SPDX-License-Identifier: MIT
 *
 * Causal convolution over tokens, channel by channel. */
#ifndef NN_LOOKBACK_H
#define NN_LOOKBACK_H

/*
 * y[T, C] of x[T, C]: y[t] = sum over k of w[k] x[t - (n - 1) + k], k = 0 .. n - 1, then bias;
 * w [n, C], bias [C] or NULL; before [n - 1, C]: x of the n - 1 tokens before the first; NULL:
 * zeros.  Only channels first .. end - 1.  y may not be x.
 */
void lookback_rows(float *y, const float *x, const float *before, const float *w, const float *bias,
                   int n, int C, int T, int first, int end);

/* Updates before[n - 1, C] to the last n - 1 tokens of itself followed by x[T, C]. */
void lookback_keep(float *before, const float *x, int n, int C, int T);

#endif

/* SPDX-License-Identifier: MIT
 * Online softmax: a row whose keys are processed in parts. */
#ifndef NN_MECHANISM_ONLINE_H
#define NN_MECHANISM_ONLINE_H

/*
 * Merges the output over some keys and ln of their sum of exponentials (one[d_v], more) into
 * those of all keys so far (out[d_v], *sum; -INFINITY at first):
 *
 *     out = (e^sum out + e^more one) / (e^sum + e^more),  sum = ln(e^sum + e^more)
 */
void online_merge(float *out, double *sum, const float *one, double more, int d_v);

#endif

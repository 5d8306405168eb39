/* SPDX-License-Identifier: MIT
 * The softmax of a row whose keys come in parts. */
#ifndef NN_MECHANISM_ONLINE_H
#define NN_MECHANISM_ONLINE_H

/*
 * out[d_v] and *sum, the output over the keys so far and ln of their sum of exponentials
 * (-INFINITY at first), take in one[d_v] and more, those of other keys:
 *
 *     out = (e^sum out + e^more one) / (e^sum + e^more),  sum = ln(e^sum + e^more)
 */
void online_merge(float *out, double *sum, const float *one, double more, int d_v);

#endif

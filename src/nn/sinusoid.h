/* SPDX-License-Identifier: MIT
 *
 * Sinusoidal positions: x[i] = sin(p f_i), x[n/2 + i] = cos(p f_i), i < n/2,
 * f_i = 10000^(-2 i / n).  Vaswani et al. 2017, section 3.5, sines first. */
#ifndef NN_SINUSOID_H
#define NN_SINUSOID_H

/* x[n] += the sinusoid of position p, its angles in double. */
void sinusoid_add(float *x, int p, int n);

/*
 * x[n] = the sinusoid of a distance p, which may be negative, rounded where Transformer-XL
 * rounds: the exponent, the power, f and the angle, each to float.
 */
void sinusoid_distance(float *x, int p, int n);

/*
 * x[n] += [sin; cos] of p / 10000^(i / (n / 2 - 1)) for i < n / 2, in single precision; an odd
 * last column is unchanged.
 * Source: transformers modeling_m2m_100.py, after tensor2tensor.
 */
void sinusoid_add_closed(float *x, int p, int n);

#endif

/* SPDX-License-Identifier: MIT
 * Sinusoidal positions, in double and as single precision rounds them. */
#include "nn/sinusoid.h"

#include "base/elementary.h"

void sinusoid_add(float *x, int p, int n)
{
    for (int i = 0; i < n / 2; i++) {
        double angle_rad = p / elementary_pow(10000, 2.0 * i / n);

        x[i] += (float)elementary_sin(angle_rad);
        x[n / 2 + i] += (float)elementary_cos(angle_rad);
    }
}

void sinusoid_distance(float *x, int p, int n)
{
    for (int i = 0; i < n / 2; i++) {
        float f = 1.0f / (float)elementary_pow(10000, (double)((float)(2 * i) / (float)n));
        float angle_rad = (float)p * f;

        x[i] = (float)elementary_sin((double)angle_rad);
        x[n / 2 + i] = (float)elementary_cos((double)angle_rad);
    }
}

void sinusoid_add_closed(float *x, int p, int n)
{
    int half = n / 2;
    float step = half > 1 ? (float)(elementary_log(10000) / (half - 1)) : 0;

    for (int i = 0; i < half; i++) {
        float f = (float)elementary_exp((double)((float)i * -step));
        float angle_rad = (float)p * f;

        x[i] += (float)elementary_sin((double)angle_rad);
        x[half + i] += (float)elementary_cos((double)angle_rad);
    }
}

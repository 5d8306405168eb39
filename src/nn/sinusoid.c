/* SPDX-License-Identifier: MIT
 * Sinusoidal positions, in double and as single precision rounds them. */
#include "nn/sinusoid.h"

#include <math.h>

void sinusoid_add(float *x, int p, int n)
{
    for (int i = 0; i < n / 2; i++) {
        double angle_rad = p / pow(10000, 2.0 * i / n);

        x[i] += (float)sin(angle_rad);
        x[n / 2 + i] += (float)cos(angle_rad);
    }
}

void sinusoid_distance(float *x, int p, int n)
{
    for (int i = 0; i < n / 2; i++) {
        float f = 1.0f / (float)pow(10000, (double)((float)(2 * i) / (float)n));
        float angle_rad = (float)p * f;

        x[i] = (float)sin((double)angle_rad);
        x[n / 2 + i] = (float)cos((double)angle_rad);
    }
}

/* SPDX-License-Identifier: MIT
 * The gated delta rule, token by token. */
#include "nn/delta.h"

#include <math.h>
#include <string.h>

/* S *= keep, and room[d_v] = S^T k. */
static void fade(float *S, float *room, const float *k, float keep, int d_k, int d_v)
{
    memset(room, 0, (size_t)d_v * sizeof *room);
    for (int i = 0; i < d_k; i++, S += d_v)
        for (int j = 0; j < d_v; j++) {
            S[j] *= keep;
            room[j] += S[j] * k[i];
        }
}

void delta_scan(float *y, int64_t y_stride, float *S, float *room, const struct delta *delta, int T)
{
    int d_k = delta->d_k, d_v = delta->d_v;

    for (int64_t t = 0; t < T; t++, y += y_stride) {
        const float *q = delta->q + t * delta->stride, *k = delta->k + t * delta->stride;
        const float *v = delta->v + t * delta->v_stride;
        float learn = delta->learn[t * delta->rate_stride];
        float *row = S;

        fade(S, room, k, delta->keep[t * delta->rate_stride], d_k, d_v);
        for (int j = 0; j < d_v; j++)
            room[j] = (v[j] - room[j]) * learn;
        memset(y, 0, (size_t)d_v * sizeof *y);
        for (int i = 0; i < d_k; i++, row += d_v)
            for (int j = 0; j < d_v; j++) {
                row[j] += k[i] * room[j];
                y[j] += row[j] * q[i];
            }
    }
}

void delta_unit(float *x, int n, float scale)
{
    double sum = 0;
    float by;

    for (int i = 0; i < n; i++)
        sum += (double)x[i] * (double)x[i];
    by = (float)(1 / sqrt(sum + 1e-6)) * scale;
    for (int i = 0; i < n; i++)
        x[i] *= by;
}

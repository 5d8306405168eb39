/* SPDX-License-Identifier: MIT
 * Samples -> the same sound at another rate. */
#include <math.h>

#include "base/elementary.h"
#include "media/sound.h"

static const double PI = 3.14159265358979323846;
static const double BETA = 5.0;             /* of the window */

static int64_t common(int64_t p, int64_t q)
{
    while (q != 0) {
        int64_t rest = p % q;

        p = q;
        q = rest;
    }
    return p;
}

/* The modified Bessel function I0: its series, to the last bit. */
static double bessel(double x)
{
    double term = 1.0, sum = 1.0;

    for (int k = 1; term > sum * 1e-17; k++) {
        term *= x / 2.0 / k * (x / 2.0 / k);
        sum += term;
    }
    return sum;
}

/* h[2 N + 1]; see the header. */
static double *filter_of(struct arena *a, int64_t p, int64_t N, double cutoff)
{
    double *h = arena_alloc_raw(a, (uint64_t)(2 * N + 1), sizeof *h), sum = 0.0;

    for (int64_t k = 0; k <= 2 * N; k++) {
        double x = cutoff * (double)(k - N) * PI, at = (double)(k - N) / (double)N;

        h[k] = (k == N ? 1.0 : elementary_sin(x) / x) * cutoff *
               (bessel(BETA * sqrt(1.0 - at * at)) / bessel(BETA));
        sum += h[k];
    }
    for (int64_t k = 0; k <= 2 * N; k++)
        h[k] *= (double)p / sum;
    return h;
}

void sound_resample(struct arena *a, const struct sound *in, int rate, struct sound *out)
{
    int64_t both = common(rate, in->rate), p = rate / both, q = in->rate / both;
    int64_t most = p > q ? p : q, N = 10 * most;
    const double *h;

    *out = *in;
    if (p == q)
        return;
    h = filter_of(a, p, N, 1.0 / (double)most);
    out->rate = rate;
    out->n = (in->n * p + q - 1) / q;
    out->x = arena_alloc_raw(a, (uint64_t)out->n, sizeof *out->x);
    for (int64_t i = 0; i < out->n; i++) {
        /* Sample j stands at j p, the filter's middle at i q. */
        int64_t middle = i * q, first = middle - N <= 0 ? 0 : (middle - N + p - 1) / p;
        double sum = 0.0;

        for (int64_t j = first; j < in->n && j * p <= middle + N; j++)
            sum += (double)in->x[j] * h[middle - j * p + N];
        out->x[i] = (float)sum;
    }
}

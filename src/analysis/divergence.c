/* SPDX-License-Identifier: MIT
 * Two rows of attention -> their Jensen-Shannon divergence. */
#include "analysis/divergence.h"

#include "base/elementary.h"

double divergence_js(const float *p, const float *q, int n)
{
    double sum = 0;

    for (int j = 0; j < n; j++) {
        double a = (double)p[j], b = (double)q[j], m = (a + b) / 2;

        if (p[j] > 0)
            sum += a * elementary_log(a / m);
        if (q[j] > 0)
            sum += b * elementary_log(b / m);
    }
    return sum > 0 ? sum / 2 : 0;
}

/* SPDX-License-Identifier: MIT
 * Inverse frequencies of rotary positions.  Each step is rounded to float, in the order
 * in which the reference library takes it: a difference in the last digit of a frequency
 * grows with the position. */
#include <math.h>

#include "base/elementary.h"
#include "model/model.h"

static const double TURN = 6.283185307179586;

/* A number divided by a tensor is there the number times the tensor's reciprocal. */
static float over(double number, float x)
{
    return 1.0f / x * (float)number;
}

/* Three bands by wavelength: kept, divided, and a blend between. */
static float llama3(const struct rope *rope, float f)
{
    float wave = over(TURN, f), factor = (float)rope->factor, blend;

    if (wave > (float)(rope->original / rope->low))
        return f / factor;
    if (wave < (float)(rope->original / rope->high))
        return f;
    blend = (over(rope->original, wave) - (float)rope->low) / (float)(rope->high - rope->low);
    return (1 - blend) * f / factor + blend * f;
}

/* The column whose wavelength fits n times into the original positions. */
static double yarn_column(const struct rope *rope, int width, double n)
{
    return width * elementary_log(rope->original / (n * TURN)) / (2 * elementary_log(rope->theta));
}

static float yarn(const struct rope *rope, int width, int i, float power)
{
    double low = yarn_column(rope, width, rope->beta_fast > 0 ? rope->beta_fast : 32);
    double high = yarn_column(rope, width, rope->beta_slow > 0 ? rope->beta_slow : 1);
    float ramp, kept;

    if (!rope->no_truncate) {
        low = floor(low);
        high = ceil(high);
    }
    low = fmax(low, 0);
    high = fmin(high, width - 1);
    if (low == high)
        high += 0.001;
    ramp = fminf(fmaxf(((float)i - (float)low) / (float)(high - low), 0), 1);
    kept = 1 - ramp;
    return 1.0f / ((float)rope->factor * power) * (1 - kept) + 1.0f / power * kept;
}

void model_inv_freq(float *out, const struct rope *rope, int width, bool is_long)
{
    const float *divisor = is_long ? rope->long_factor : rope->short_factor;

    for (int i = 0; i < width / 2; i++) {
        float exponent = (float)(2 * i) / (float)width;
        float power = (float)elementary_pow((float)rope->theta, exponent), f = 1.0f / power;

        switch (rope->scaling) {
        case ROPE_DEFAULT: out[i] = f; break;
        case ROPE_LINEAR:  out[i] = f / (float)rope->factor; break;
        case ROPE_LLAMA3:  out[i] = llama3(rope, f); break;
        case ROPE_YARN:    out[i] = yarn(rope, width, i, power); break;
        case ROPE_LONG:    out[i] = 1.0f / (divisor[i] * power); break;
        }
    }
}

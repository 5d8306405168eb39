/* SPDX-License-Identifier: MIT
 * Coefficients of a linear function of an output -> those of the input, through linears and norms.
 * */
#include "run/back.h"

#include <math.h>
#include <string.h>

double back_dot(const float *x, const double *y, int n)
{
    double sum = 0;

    for (int i = 0; x != NULL && i < n; i++)
        sum += (double)x[i] * y[i];
    return sum;
}

/* ---- linears ---- */

/* out[n] += factor * row[n] */
static void back_add_row(double *out, const float *row, double factor, int n)
{
    for (int i = 0; i < n; i++)
        out[i] += factor * (double)row[i];
}

void back_linear(double *out, const struct param *w, const double *y, struct arena *scratch)
{
    const struct matrix *matrix = &w->matrix;
    struct arena_mark mark = arena_mark(scratch);
    float *row = arena_alloc_raw(scratch, (size_t)linear_row_size(matrix), sizeof *row);

    memset(out, 0, (size_t)matrix->K * sizeof *out);
    for (int i = 0; i < (matrix->order_in_out ? matrix->K : matrix->N); i++) {
        if (!matrix->order_in_out && y[i] == 0)
            continue;
        linear_row(row, matrix, i);
        if (matrix->order_in_out)
            out[i] = back_dot(row, y, matrix->N);
        else
            back_add_row(out, row, y[i], matrix->K);
    }
    arena_reset(scratch, mark);
}

void back_forward(double *out, const struct param *w, const float *x, struct arena *scratch)
{
    const struct matrix *matrix = &w->matrix;
    struct arena_mark mark = arena_mark(scratch);
    float *row = arena_alloc_raw(scratch, (size_t)linear_row_size(matrix), sizeof *row);
    double *in = arena_alloc_raw(scratch, (size_t)matrix->K, sizeof *in);

    for (int k = 0; k < matrix->K; k++)
        in[k] = (double)x[k];
    for (int n = 0; n < matrix->N; n++)
        out[n] = w->bias != NULL ? (double)w->bias[n] : 0;
    for (int i = 0; i < (matrix->order_in_out ? matrix->K : matrix->N); i++) {
        linear_row(row, matrix, i);
        if (matrix->order_in_out)
            back_add_row(out, row, in[i], matrix->N);
        else
            out[i] += back_dot(row, in, matrix->K);
    }
    arena_reset(scratch, mark);
}

/* ---- norms ---- */

static double back_mean(const double *x, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum / n;
}

/* What the norm divides by at x, whose mean is centre. */
static double scale_at(const struct model *model, const double *x, double centre, int D)
{
    double squares = 0, eps = model->config.norm.eps;

    for (int i = 0; i < D; i++)
        squares += (x[i] - centre) * (x[i] - centre);
    return model->family->norm == NORM_DEVIATION ? sqrt(squares / (D > 1 ? D - 1 : 1)) + eps :
                                                   sqrt(squares / D + eps);
}

void back_norm(double *y, const struct model *model, const struct param *norm, const double *x,
               int D)
{
    bool centred = family_centres(model->family);
    double c, centre;

    if (norm->vector == NULL)
        return;
    c = scale_at(model, x, centred ? back_mean(x, D) : 0, D);
    for (int i = 0; i < D; i++)
        y[i] *= (double)norm->vector[i] / c;
    centre = centred ? back_mean(y, D) : 0;
    for (int i = 0; i < D; i++)
        y[i] -= centre;
}

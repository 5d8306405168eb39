/* SPDX-License-Identifier: MIT
 * A matrix -> its first right singular vectors, by subspace iteration and Jacobi's method. */
#include "nn/spectrum.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/rng.h"

/* ---- small symmetric matrices ---- */

/* Rotates rows p and q of a[n, n], by cosine c and sine s. */
static void rotate_rows(double *a, int n, int p, int q, double c, double s)
{
    for (int k = 0; k < n; k++) {
        double x = a[(int64_t)p * n + k], y = a[(int64_t)q * n + k];

        a[(int64_t)p * n + k] = c * x - s * y;
        a[(int64_t)q * n + k] = s * x + c * y;
    }
}

static void rotate_columns(double *a, int n, int p, int q, double c, double s)
{
    for (int k = 0; k < n; k++) {
        double x = a[(int64_t)k * n + p], y = a[(int64_t)k * n + q];

        a[(int64_t)k * n + p] = c * x - s * y;
        a[(int64_t)k * n + q] = s * x + c * y;
    }
}

/* Makes a[p][q] 0; false: it is 0 already, as far as rounding goes. */
static bool annihilate(double *a, double *v, int n, int p, int q)
{
    double x = a[(int64_t)p * n + p], y = a[(int64_t)q * n + q], z = a[(int64_t)p * n + q];
    double theta, t, c;

    if (fabs(z) <= 1e-15 * sqrt(fabs(x * y)) || z == 0)
        return false;
    theta = (y - x) / (2 * z);
    t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    c = 1 / sqrt(t * t + 1);
    rotate_columns(a, n, p, q, c, t * c);
    rotate_rows(a, n, p, q, c, t * c);
    rotate_rows(v, n, p, q, c, t * c);
    return true;
}

/* Eigenvectors of a symmetric a[n, n] in the rows of v, its eigenvalues on a's diagonal. */
static void jacobi(double *a, double *v, int n)
{
    enum { SWEEPS = 30 };
    bool changed = true;

    memset(v, 0, (size_t)n * (size_t)n * sizeof *v);
    for (int i = 0; i < n; i++)
        v[(int64_t)i * n + i] = 1;
    for (int sweep = 0; changed && sweep < SWEEPS; sweep++) {
        changed = false;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++)
                changed = annihilate(a, v, n, p, q) || changed;
    }
}

/* ---- subspaces: b directions, each a row of m numbers ---- */

struct room {
    int b;
    double *gram;               /* [m, m] A^T A; NULL: too large */
    double *row;                /* [m] */
    double *x, *z;              /* [b, m] */
    double *h, *e;              /* [b, b] the Gram matrix within x, its eigenvectors */
};

static double *spectrum_next(unsigned char *base, uint64_t *used, uint64_t n)
{
    double *p = base != NULL ? (double *)(void *)(base + *used) : NULL;

    *used += (n * sizeof(double) + 63) / 64 * 64;
    return p;
}

static uint64_t spectrum_share_out(struct room *room, const struct spectrum_matrix *matrix,
                                   int rank, void *base)
{
    uint64_t used = 0, m = (uint64_t)matrix->m, b;

    *room = (struct room){ .b = 2 * (int64_t)rank + 32 < matrix->m ? 2 * rank + 32 : matrix->m };
    b = (uint64_t)room->b;
    if (matrix->m <= SPECTRUM_GRAM || room->b == matrix->m)
        room->gram = spectrum_next(base, &used, m * m);
    room->row = spectrum_next(base, &used, m);
    room->x = spectrum_next(base, &used, b * m);
    room->z = spectrum_next(base, &used, b * m);
    room->h = spectrum_next(base, &used, b * b);
    room->e = spectrum_next(base, &used, b * b);
    return used;
}

uint64_t spectrum_room(const struct spectrum_matrix *matrix, int r)
{
    struct room room;

    return spectrum_share_out(&room, matrix, r, NULL);
}

/* y[n] += factor x[n] */
static void spectrum_add(double *y, const double *x, double factor, int n)
{
    for (int i = 0; i < n; i++)
        y[i] += factor * x[i];
}

static double spectrum_dot(const double *x, const double *y, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* row[m] = row i of A. */
static void read_row(double *row, const struct spectrum_matrix *matrix, int i)
{
    for (int j = 0; j < matrix->m; j++)
        row[j] = (double)matrix->a[i * matrix->row + j * matrix->column];
}

static void make_gram(const struct room *room, const struct spectrum_matrix *matrix)
{
    int m = matrix->m;

    memset(room->gram, 0, (size_t)m * (size_t)m * sizeof *room->gram);
    for (int i = 0; i < matrix->n; i++) {
        read_row(room->row, matrix, i);
        for (int j = 0; j < m; j++)
            spectrum_add(room->gram + (int64_t)j * m, room->row, room->row[j], m);
    }
}

/* z = x A^T A */
static void apply(const struct room *room, const struct spectrum_matrix *matrix)
{
    int m = matrix->m;

    memset(room->z, 0, (size_t)room->b * (size_t)m * sizeof *room->z);
    for (int k = 0; room->gram != NULL && k < room->b; k++)
        for (int j = 0; j < m; j++)
            spectrum_add(room->z + (int64_t)k * m, room->gram + (int64_t)j * m,
                         room->x[(int64_t)k * m + j], m);
    for (int i = 0; room->gram == NULL && i < matrix->n; i++) {
        read_row(room->row, matrix, i);
        for (int k = 0; k < room->b; k++)
            spectrum_add(room->z + (int64_t)k * m, room->row,
                         spectrum_dot(room->x + (int64_t)k * m, room->row, m), m);
    }
}

/* x = the directions of z made orthonormal, by Gram and Schmidt, twice: once leaves what
 * rounding lost.  One that depends on those before becomes 0. */
static void make_orthonormal(const struct room *room, int m)
{
    for (int k = 0; k < room->b; k++) {
        double *x = room->x + (int64_t)k * m, before, after;

        memcpy(x, room->z + (int64_t)k * m, (size_t)m * sizeof *x);
        before = sqrt(spectrum_dot(x, x, m));
        for (int i = 0; i < 2 * k; i++) {
            const double *other = room->x + (int64_t)(i % k) * m;

            spectrum_add(x, other, -spectrum_dot(x, other, m), m);
        }
        after = sqrt(spectrum_dot(x, x, m));
        for (int j = 0; j < m; j++)
            x[j] = after > 1e-13 * before ? x[j] / after : 0;
    }
}

static void iterate(const struct room *room, const struct spectrum_matrix *matrix)
{
    struct rng rng;

    rng_seed(&rng, 1);
    for (int64_t i = 0; i < (int64_t)room->b * matrix->m; i++)
        room->z[i] = rng_uniform(&rng) - 0.5;
    make_orthonormal(room, matrix->m);
    for (int step = 0; step < SPECTRUM_STEPS; step++) {
        apply(room, matrix);
        make_orthonormal(room, matrix->m);
    }
    apply(room, matrix);
    for (int i = 0; i < room->b; i++)
        for (int j = 0; j < room->b; j++)
            room->h[(int64_t)i * room->b + j] = spectrum_dot(
                room->x + (int64_t)i * matrix->m, room->z + (int64_t)j * matrix->m, matrix->m);
}

/* The row with the largest of n numbers on the diagonal of h; it becomes the least. */
static int take_largest(double *h, int n)
{
    int at = 0;

    for (int i = 1; i < n; i++)
        if (h[(int64_t)i * n + i] > h[(int64_t)at * n + at])
            at = i;
    h[(int64_t)at * n + at] = -INFINITY;
    return at;
}

void spectrum_top(double *v, const struct spectrum_matrix *matrix, int r, void *base)
{
    bool whole;
    struct room room;
    double *h;

    spectrum_share_out(&room, matrix, r, base);
    whole = room.b == matrix->m;
    if (room.gram != NULL)
        make_gram(&room, matrix);
    if (!whole)
        iterate(&room, matrix);
    h = whole ? room.gram : room.h;
    jacobi(h, room.e, room.b);
    for (int i = 0; i < r; i++) {
        const double *e = room.e + (int64_t)take_largest(h, room.b) * room.b;

        memset(room.row, 0, (size_t)matrix->m * sizeof *room.row);
        for (int k = 0; k < room.b && !whole; k++)
            spectrum_add(room.row, room.x + (int64_t)k * matrix->m, e[k], matrix->m);
        for (int j = 0; j < matrix->m; j++)
            v[(int64_t)j * r + i] = whole ? e[j] : room.row[j];
    }
}

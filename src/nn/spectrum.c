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

static uint64_t spectrum_share_out(struct room *r, const struct spectrum_matrix *a, int rank,
                                   void *base)
{
    uint64_t used = 0, m = (uint64_t)a->m, b;

    *r = (struct room){ .b = 2 * (int64_t)rank + 32 < a->m ? 2 * rank + 32 : a->m };
    b = (uint64_t)r->b;
    if (a->m <= SPECTRUM_GRAM || r->b == a->m)
        r->gram = spectrum_next(base, &used, m * m);
    r->row = spectrum_next(base, &used, m);
    r->x = spectrum_next(base, &used, b * m);
    r->z = spectrum_next(base, &used, b * m);
    r->h = spectrum_next(base, &used, b * b);
    r->e = spectrum_next(base, &used, b * b);
    return used;
}

uint64_t spectrum_room(const struct spectrum_matrix *a, int r)
{
    struct room room;

    return spectrum_share_out(&room, a, r, NULL);
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
static void read_row(double *row, const struct spectrum_matrix *a, int i)
{
    for (int j = 0; j < a->m; j++)
        row[j] = (double)a->a[i * a->row + j * a->column];
}

static void make_gram(const struct room *r, const struct spectrum_matrix *a)
{
    int m = a->m;

    memset(r->gram, 0, (size_t)m * (size_t)m * sizeof *r->gram);
    for (int i = 0; i < a->n; i++) {
        read_row(r->row, a, i);
        for (int j = 0; j < m; j++)
            spectrum_add(r->gram + (int64_t)j * m, r->row, r->row[j], m);
    }
}

/* z = x A^T A */
static void apply(const struct room *r, const struct spectrum_matrix *a)
{
    int m = a->m;

    memset(r->z, 0, (size_t)r->b * (size_t)m * sizeof *r->z);
    for (int k = 0; r->gram != NULL && k < r->b; k++)
        for (int j = 0; j < m; j++)
            spectrum_add(r->z + (int64_t)k * m, r->gram + (int64_t)j * m, r->x[(int64_t)k * m + j],
                         m);
    for (int i = 0; r->gram == NULL && i < a->n; i++) {
        read_row(r->row, a, i);
        for (int k = 0; k < r->b; k++)
            spectrum_add(r->z + (int64_t)k * m, r->row,
                         spectrum_dot(r->x + (int64_t)k * m, r->row, m), m);
    }
}

/* x = the directions of z made orthonormal, by Gram and Schmidt, twice: once leaves what
 * rounding lost.  One that depends on those before becomes 0. */
static void make_orthonormal(const struct room *r, int m)
{
    for (int k = 0; k < r->b; k++) {
        double *x = r->x + (int64_t)k * m, before, after;

        memcpy(x, r->z + (int64_t)k * m, (size_t)m * sizeof *x);
        before = sqrt(spectrum_dot(x, x, m));
        for (int i = 0; i < 2 * k; i++) {
            const double *other = r->x + (int64_t)(i % k) * m;

            spectrum_add(x, other, -spectrum_dot(x, other, m), m);
        }
        after = sqrt(spectrum_dot(x, x, m));
        for (int j = 0; j < m; j++)
            x[j] = after > 1e-13 * before ? x[j] / after : 0;
    }
}

static void iterate(const struct room *r, const struct spectrum_matrix *a)
{
    struct rng rng;

    rng_seed(&rng, 1);
    for (int64_t i = 0; i < (int64_t)r->b * a->m; i++)
        r->z[i] = rng_uniform(&rng) - 0.5;
    make_orthonormal(r, a->m);
    for (int step = 0; step < SPECTRUM_STEPS; step++) {
        apply(r, a);
        make_orthonormal(r, a->m);
    }
    apply(r, a);
    for (int i = 0; i < r->b; i++)
        for (int j = 0; j < r->b; j++)
            r->h[(int64_t)i * r->b + j] = spectrum_dot(r->x + (int64_t)i * a->m,
                                                       r->z + (int64_t)j * a->m, a->m);
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

void spectrum_top(double *v, const struct spectrum_matrix *a, int r, void *base)
{
    bool whole;
    struct room room;
    double *h;

    spectrum_share_out(&room, a, r, base);
    whole = room.b == a->m;
    if (room.gram != NULL)
        make_gram(&room, a);
    if (!whole)
        iterate(&room, a);
    h = whole ? room.gram : room.h;
    jacobi(h, room.e, room.b);
    for (int i = 0; i < r; i++) {
        const double *e = room.e + (int64_t)take_largest(h, room.b) * room.b;

        memset(room.row, 0, (size_t)a->m * sizeof *room.row);
        for (int k = 0; k < room.b && !whole; k++)
            spectrum_add(room.row, room.x + (int64_t)k * a->m, e[k], a->m);
        for (int j = 0; j < a->m; j++)
            v[(int64_t)j * r + i] = whole ? e[j] : room.row[j];
    }
}

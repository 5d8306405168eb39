/* SPDX-License-Identifier: MIT
 * A matrix -> Hessenberg form -> blocks of one and two -> eigenvalues. */
#include "analysis/eigen.h"

#include <float.h>
#include <stdint.h>

/* Steps for one eigenvalue; an unusual shift is tried after each ten. */
enum { STEPS_MOST = 100, STEPS_UNUSUAL = 10 };

struct square {
    double *a;                  /* [n, n] */
    int n;
    int lo, hi;                 /* the block at hand, inclusive */
    double norm;                /* Frobenius */
};

static double *eigen_at(const struct square *square, int i, int j)
{
    return square->a + (long)i * square->n + j;
}

/* ---- reflections ---- */

/* v[n] = x by a power of two: squares of what rounding left of a small matrix would be 0, or their
 * inverse infinite. */
static void scale(double *v, const double *x, int n)
{
    double most = 0;
    int exponent;

    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    exponent = most > 0 && isfinite(most) ? ilogb(most) : 0;
    for (int i = 0; i < n; i++)
        v[i] = scalbn(x[i], -exponent);
}

/* x[n] -> v, beta with (I - beta v v^T) x = a multiple of e_1; v may be x; beta 0: it is one
 * already. */
static double reflector(double *v, const double *x, int n)
{
    double norm, tail = 0;

    scale(v, x, n);
    for (int i = 1; i < n; i++)
        tail += v[i] * v[i];
    norm = sqrt(v[0] * v[0] + tail);
    if (tail == 0)
        return 0;
    v[0] += v[0] < 0 ? -norm : norm;
    return 2 / (v[0] * v[0] + tail);
}

/* Rows first .. first + n - 1 of columns from .. to, by I - beta v v^T from the left. */
static void from_left(const struct square *square, const double *v, double beta, int first, int n,
                      int from, int to)
{
    for (int j = from; j <= to; j++) {
        double dot = 0;

        for (int i = 0; i < n; i++)
            dot += v[i] * *eigen_at(square, first + i, j);
        for (int i = 0; i < n; i++)
            *eigen_at(square, first + i, j) -= beta * dot * v[i];
    }
}

static void from_right(const struct square *square, const double *v, double beta, int first, int n,
                       int from, int to)
{
    for (int i = from; i <= to; i++) {
        double dot = 0;

        for (int j = 0; j < n; j++)
            dot += v[j] * *eigen_at(square, i, first + j);
        for (int j = 0; j < n; j++)
            *eigen_at(square, i, first + j) -= beta * dot * v[j];
    }
}

/* value[n] is room. */
static void to_hessenberg(const struct square *square, struct eigenvalue *room)
{
    double *v = (double *)room;

    for (int k = 0; k + 2 < square->n; k++) {
        int count = square->n - k - 1;
        double beta;

        for (int i = 0; i < count; i++)
            v[i] = *eigen_at(square, k + 1 + i, k);
        beta = reflector(v, v, count);
        from_left(square, v, beta, k + 1, count, k, square->n - 1);
        from_right(square, v, beta, k + 1, count, 0, square->n - 1);
        for (int i = k + 2; i < square->n; i++)
            *eigen_at(square, i, k) = 0;
    }
}

/* ---- QR steps ---- */

/* The two shifts are the eigenvalues of [ x  w / 1 ; 1  y ]. */
struct shifts { double x, y, w; };

static struct shifts shifts_of(const struct square *square, int step)
{
    int n = square->hi;
    double size = fabs(*eigen_at(square, n, n - 1)) + fabs(*eigen_at(square, n - 1, n - 2));

    if (step % STEPS_UNUSUAL == 0)      /* hqr's numbers */
        return (struct shifts){ *eigen_at(square, n, n) + .75 * size,
                                *eigen_at(square, n, n) + .75 * size, -.4375 * size * size };
    return (struct shifts){ *eigen_at(square, n, n), *eigen_at(square, n - 1, n - 1),
                            *eigen_at(square, n, n - 1) * *eigen_at(square, n - 1, n) };
}

/*
 * to[3] = a multiple of the first column of (H - s_1)(H - s_2) of the block H.  Differences from
 * the diagonal, and a division by what is below it: where all eigenvalues are nearly the same,
 * the sums of products are only rounding.
 */
static void first_column(double to[3], const struct square *square, const struct shifts *shift)
{
    int l = square->lo;
    double h = *eigen_at(square, l, l), r = shift->x - h, t = shift->y - h;

    to[0] = (r * t - shift->w) / *eigen_at(square, l + 1, l) + *eigen_at(square, l, l + 1);
    to[1] = *eigen_at(square, l + 1, l + 1) - h - r - t;
    to[2] = *eigen_at(square, l + 2, l + 1);
}

/* One step of Francis on the block, which has three rows at least. */
static void francis(const struct square *square, int step)
{
    int l = square->lo, n = square->hi;
    struct shifts shift = shifts_of(square, step);
    double x[3], v[3];

    first_column(x, square, &shift);
    for (int k = l; k < n; k++) {
        int count = k + 2 <= n ? 3 : 2;
        double beta = reflector(v, x, count);

        from_left(square, v, beta, k, count, k > l ? k - 1 : l, n);
        from_right(square, v, beta, k, count, l, k + 3 < n ? k + 3 : n);
        for (int i = 0; i < 3 && k + 1 + i <= n; i++)
            x[i] = *eigen_at(square, k + 1 + i, k);
    }
}

/* The root of the sum of squares. */
static double norm_of(const struct square *square)
{
    double squares = 0;

    for (int64_t i = 0; i < (int64_t)square->n * square->n; i++)
        squares += square->a[i] * square->a[i];
    return sqrt(squares);
}

/*
 * The first row of the last block that does not fall apart; what couples it becomes 0.  Against
 * the whole matrix, to which it was reduced with such errors: of rank 1 the diagonal is rounding.
 */
static int block_begin(const struct square *square)
{
    int l = square->hi;

    for (; l > 0; l--)
        if (fabs(*eigen_at(square, l, l - 1)) <= DBL_EPSILON * square->norm) {
            *eigen_at(square, l, l - 1) = 0;
            break;
        }
    return l;
}

/* The eigenvalues of rows n - 1, n. */
static void of_two(const struct square *s, int n, struct eigenvalue *value)
{
    double a = *eigen_at(s, n - 1, n - 1), d = *eigen_at(s, n, n),
           bc = *eigen_at(s, n - 1, n) * *eigen_at(s, n, n - 1);
    double half = (a - d) / 2, mean = (a + d) / 2, square = half * half + bc, root, far;

    if (square < 0) {
        value[0] = (struct eigenvalue){ mean, sqrt(-square) };
        value[1] = (struct eigenvalue){ mean, -sqrt(-square) };
        return;
    }
    root = sqrt(square);
    far = mean < 0 ? mean - root : mean + root;
    value[0] = (struct eigenvalue){ far, 0 };
    value[1] = (struct eigenvalue){ far != 0 ? (a * d - bc) / far : 0, 0 };
}

bool eigen_values(struct eigenvalue *value, double *a, int n)
{
    struct square s = { .a = a, .n = n, .hi = n - 1 };
    int step = 0;

    for (long i = 0; i < (long)n * n; i++)
        if (!isfinite(a[i]))
            return false;
    s.norm = norm_of(&s);
    to_hessenberg(&s, value);
    while (s.hi >= 0) {
        s.lo = block_begin(&s);
        if (s.lo + 1 < s.hi) {
            if (++step > STEPS_MOST)
                return false;
            francis(&s, step);
            continue;
        }
        step = 0;
        if (s.lo == s.hi)
            value[s.hi] = (struct eigenvalue){ *eigen_at(&s, s.hi, s.hi), 0 };
        else
            of_two(&s, s.hi, value + s.lo);
        s.hi = s.lo - 1;
    }
    return true;
}

double eigen_share(double *a, int n, struct arena *scratch)
{
    struct eigenvalue *value = arena_alloc_raw(scratch, (uint64_t)n, sizeof *value);
    double sum = 0, magnitudes = 0;

    if (!eigen_values(value, a, n))
        return EIGEN_MISSED;
    for (int i = 0; i < n; i++) {
        sum += value[i].re;
        magnitudes += sqrt(value[i].re * value[i].re + value[i].im * value[i].im);
    }
    return magnitudes > 0 ? sum / magnitudes : NAN;
}

void eigen_warn(double *x, int L, int H, const char *name, const struct warn *warn)
{
    int first = -1, others = -1;

    for (int i = 0; i < L * H; i++) {
        if (x[i] != EIGEN_MISSED)
            continue;
        first = first < 0 ? i : first;
        others++;
        x[i] = NAN;
    }
    if (first < 0)
        return;
    err_warn(warn, "%s of L%dH%d%s is not computed: no eigenvalues were found of its weights, "
             "which are not finite or do not converge", name, first / H, first % H,
             others > 0 ? " and others" : "");
}

/* SPDX-License-Identifier: MIT
 *
 * The first right singular vectors of a matrix, at a cost that is never cubic in its larger
 * dimension. */
#ifndef NN_SPECTRUM_H
#define NN_SPECTRUM_H

#include <stddef.h>
#include <stdint.h>

/* A [n, m], m <= n: element (i, j) at a + i * row + j * column. */
struct spectrum_matrix {
    const float *a;
    int64_t row, column;
    int n, m;
};

/* Bytes that spectrum_top needs, aligned to 64. */
uint64_t spectrum_room(const struct spectrum_matrix *x, int r);

/*
 * v[m, r] = the first r right singular vectors of A, in columns; r <= m.
 *
 * With b = min(m, 2 r + 32): where b = m, the eigenvectors of A^T A, by Jacobi's rotations,
 * else SPECTRUM_STEPS subspace iterations of b directions from a fixed start, and the
 * eigenvectors within them.  The angle to the exact subspace is then at most that of the
 * start times (s_b+1 / s_r)^(2 SPECTRUM_STEPS), s the singular values.  Time: n m b for each
 * step, or m^2 n once and m^2 b for each step where m <= SPECTRUM_GRAM.
 */
enum { SPECTRUM_STEPS = 24, SPECTRUM_GRAM = 512 };
void spectrum_top(double *v, const struct spectrum_matrix *x, int r, void *room);

#endif

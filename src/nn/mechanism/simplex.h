/* SPDX-License-Identifier: MIT
 * Sparsemax and entmax: rows of scores -> weights, small ones exactly 0; the arguments are those of
 * weigh in struct pair_steps. */
#ifndef NN_MECHANISM_SIMPLEX_H
#define NN_MECHANISM_SIMPLEX_H

/* Martins and Astudillo 2016, algorithm 1. */
void simplex_sparsemax(float *row, int n, int first, int end, float *spare);

/* 1.5-entmax: Peters et al. 2019, algorithm 2. */
void simplex_entmax(float *row, int n, int first, int end, float *spare);

#endif

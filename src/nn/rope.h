/* SPDX-License-Identifier: MIT
 *
 * Rotary position embeddings: pairs of columns of queries and keys are rotated by an angle
 * proportional to the position.  Su et al. 2021, eq. 34. */
#ifndef NN_ROPE_H
#define NN_ROPE_H

enum rope_layout {
    ROPE_HALVES,        /* pairs (i, i + r/2): Hugging Face's LLaMA */
    ROPE_PAIRS          /* pairs (2i, 2i + 1): GPT-J */
};

/*
 * cos[p][i] = factor cos(p f_i), sin likewise, rounded where the reference rounds:
 * the angle p f_i, its cosine and the product with factor, each to float.
 * inv_freq [r/2] holds f; cos, sin [n_pos, r/2], positions pos0 .. pos0 + n_pos - 1.
 */
void rope_table(float *cos, float *sin, const float *inv_freq, int r, float factor,
                int pos0, int n_pos);

/*
 * Rotates the first r columns of n_heads heads of width d in one row, in place:
 * (a, b) -> (a cos - b sin, b cos + a sin).  cos, sin [r/2]: those of its position.
 */
void rope_apply(float *row, int n_heads, int d, int r, enum rope_layout layout,
                const float *cos, const float *sin);

#endif

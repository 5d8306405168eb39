/* SPDX-License-Identifier: MIT
 *
 * The layout of a matrix W [out, in] of small codes in memory, for kernels that unpack it:
 *
 *     W[o][k] = (value(code[o][k]) - zero) * scale, rounded; zero and scale of o and k's group
 *
 * in single precision, in this order.  Words are little-endian 32 bits.
 *     DOWN      words [in / per, out], per = 32 / bits: field i from the low bits up is input i
 *     ACROSS    words [in, out / 8]: field i is output 0 2 4 6 1 3 5 7 of the word's eight
 *     ALONG     rows [out], stride bytes apart: half a byte for each input, or a byte */
#ifndef BASE_PACKED_CODES_H
#define BASE_PACKED_CODES_H

#include <stdbool.h>
#include <stdint.h>

enum packed_lie { PACKED_DOWN, PACKED_ACROSS, PACKED_ALONG, N_PACKED };
enum packed_round { PACKED_EXACT, PACKED_F16, PACKED_BF16 };

/* The meaning of codes of 8 bits, for ALONG. */
enum packed_value {
    PACKED_NUMBER,                  /* 0 to 255; of DOWN and ACROSS, and of fewer bits, too */
    PACKED_INT8,                    /* -128 to 127; the product is multiplied by 1/127 at last */
    PACKED_E4M3, PACKED_E5M2
};

/* Groups of inputs in any order: those of group g are input[i], first[g] <= i < first[g + 1], in
 * rising order. */
struct packed_order {
    int n_groups;
    const int *first;               /* [n_groups + 1] */
    const int *input;               /* [in] */
};

struct packed_codes {
    enum packed_lie lie;
    const unsigned char *q;         /* any alignment */
    int64_t stride;                 /* bytes from one row, as above, to the next */
    int64_t out, in;                /* several matrices are stacked: out is the sum */
    int64_t in_out;                 /* 0: elements are counted as W [out, in]; else as matrices
                                       W [in, in_out] */
    int64_t group;                  /* inputs of the same zero and scale, from a multiple on (the
                                       last may be fewer): whole words of DOWN and ALONG */
    const struct packed_order *order;   /* NULL: groups are consecutive */
    int bits;                       /* DOWN: 2, 4 or 8; ALONG: 4 or 8; ACROSS: 4 */
    bool high_first;                /* ALONG: the high half of a byte is the first input */
    enum packed_value is;
    const float *value;             /* [16] values of codes of 4 bits; NULL: the code itself */
    enum packed_round round;

    /* Sets zero[i], scale[i] of outputs o + i, i < n, for the group of input k; self: the maker */
    void (*group_of)(const void *self, float *zero, float *scale, int64_t o, int n, int64_t k);
};

/* The output whose first weight is element `at`; -1 if it is the weight of another input. */
static inline int64_t packed_output(const struct packed_codes *codes, int64_t at)
{
    if (codes->in_out == 0)
        return at % codes->in == 0 ? at / codes->in : -1;
    return at / codes->in_out % codes->in == 0 ?
               at / codes->in_out / codes->in * codes->in_out + at % codes->in_out :
               -1;
}

#endif

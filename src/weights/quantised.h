/* SPDX-License-Identifier: MIT
 *
 * Quantised linears in a safetensors file -> tensors of floats that are computed when they are
 * read, without a second copy.  One row per method in quantised/quantised.c, one file per layout
 * in quantised/; config.json names the method of a file.
 *
 * k is the name of a module, W its weight [out, in]; words are little-endian 32 bits, and
 * their fields come from the low bits up.
 *     gptq      k.qweight I32 [in b / 32, out], fields along in;  k.qzeros I32 [G, out b / 32],
 *               fields along out;  k.scales [G, out];  k.g_idx I32 [in] (absent: in order)
 *                   W = (q - z) scale;  z is stored minus 1, in gptq_v2 as it is
 *     awq       k.qweight I32 [in, out / 8], k.qzeros I32 [G, out / 8]: field i of a word is
 *               its column 0 2 4 6 1 3 5 7;  k.scales [G, out]
 *                   W = (q - z) scale
 *     bitsandbytes, 4 bits
 *               k.weight U8 [n / 2, 1], the high nibble first;  k.weight.absmax;
 *               k.weight.quant_map F32 [16];  k.weight.quant_state.bitsandbytes__*: JSON;
 *               twice quantised: k.weight.nested_absmax, k.weight.nested_quant_map F32 [256]
 *                   W = quant_map[q] absmax[i / blocksize], rounded to the JSON's dtype
 *     bitsandbytes, 8 bits
 *               k.weight I8 [out, in], k.SCB F32 [out];    W = q SCB / 127
 *     compressed-tensors
 *               float-quantized      k.weight F8_E4M3, k.weight_scale [out, 1] or [1]
 *                   W = q scale
 *               pack-quantized       k.weight_packed I32 [out, in b / 32], fields along in;
 *               k.weight_scale [out, G];  k.weight_shape I64 [2];  perhaps k.weight_zero_point
 *               I32 [out b / 32, G], fields along out;  k.weight_g_idx I32 [in]
 *                   W = (q - z) scale;  without zero points z = 2^(b - 1)
 *               nvfp4-pack-quantized k.weight_packed U8 [out, in / 2], the low nibble first;
 *               k.weight_scale F8_E4M3 [out, in / 16];  k.weight_global_scale F32 [1]
 *                   W = E2M1 (scale / global)
 *     fp8       k.weight F8_E4M3 or F8_E5M2, k.weight_scale_inv [out / rows, in / columns],
 *               both rounded up
 *                   W = q scale of its block
 *     mxfp4     k_blocks U8 [E, out, in / 32, 16], the low nibble first;  k_scales U8
 *               [E, out, in / 32]
 *                   W [E, in, out] = E2M1 2^(scale - 127)
 * E2M1 is 0 .5 1 1.5 2 3 4 6, and a sign. */
#ifndef WEIGHTS_QUANTISED_H
#define WEIGHTS_QUANTISED_H

#include "weights/weights.h"

enum quant_method {
    QUANT_NONE, QUANT_GPTQ, QUANT_AWQ, QUANT_BNB4, QUANT_BNB8,
    QUANT_CT_FLOAT, QUANT_CT_INT, QUANT_CT_NVFP4, QUANT_FP8, QUANT_MXFP4,
    N_QUANT
};

/* The quantisation in a config.json. */
struct quantisation {
    enum quant_method method;
    int bits;                   /* GPTQ: 2, 4, 8; AWQ: 4; CT_INT: 4, 8; other methods: 0 */
    int group;                  /* inputs that share a scale; 0: all of a row */
    bool v2;                    /* GPTQ: zeros are stored as they are */
    bool zeros;                 /* CT_INT: there are zero points */
    bool ordered;               /* CT_INT: inputs are not in the order of their groups (g_idx) */
    bool whole;                 /* CT_FLOAT: one scale for all rows */
    int block[2];               /* FP8: rows, columns */
};

/*
 * Replaces the tensors of each packed linear by one tensor.
 *
 * Errors (ERR_INPUT): a tensor that is missing, or of another type or shape (file, name,
 * found, expected); groups that do not divide the inputs; a group number out of range;
 * no packed linear of the method.
 */
int weights_dequantise(struct weights *weights, const struct quantisation *quantisation,
                       struct err *e);

#endif

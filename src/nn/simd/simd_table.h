/* SPDX-License-Identifier: MIT
 *
 * The functions of simd_stored.h, simd_codes.h and simd_turned.h as an initialiser of a struct
 * stored_kernels: included between its braces, by one file for each processor. */
#define BLOCKS(name, type, n_elements, size_bytes) [ELEMENT_##name] = pack_##type,
    .pack = {
        BLOCKS(F16, f16, 8, 16)
        BLOCKS(BF16, bf16, 8, 16)
#include "base/blocks.def"
    },
#undef BLOCKS
#define BLOCKS(name, type, n_elements, size_bytes) [ELEMENT_##name] = dot_##type,
    .dot = {
        BLOCKS(F32, f32, 16, 64)
        BLOCKS(F16, f16, 8, 16)
        BLOCKS(BF16, bf16, 8, 16)
#include "base/blocks.def"
    },
#undef BLOCKS
#define TURNED_BLOCKS(name, type, group, bits, lowest, adds) [ELEMENT_##name] = turn_##type,
    .turn = {
        TURNED_BLOCKS(F32, f32, 0, 32, 0, 0)
        TURNED_BLOCKS(F16, f16, 0, 16, 0, 0)
        TURNED_BLOCKS(BF16, bf16, 0, 16, 0, 0)
#include "nn/turned.def"
    },
#undef TURNED_BLOCKS
#define TURNED_BLOCKS(name, type, group, bits, lowest, adds) [ELEMENT_##name] = turned_##type,
    .turned = {
        TURNED_BLOCKS(F32, f32, 0, 32, 0, 0)
        TURNED_BLOCKS(F16, f16, 0, 16, 0, 0)
        TURNED_BLOCKS(BF16, bf16, 0, 16, 0, 0)
#include "nn/turned.def"
    },
#undef TURNED_BLOCKS
    .columns = columns,
    .codes = {
        [PACKED_DOWN] = unpack_down, [PACKED_ACROSS] = unpack_across, [PACKED_ALONG] = unpack_along,
    },
    .scale = scale_listed,

/* SPDX-License-Identifier: MIT
 * Elements of every type -> floats. */
#include "base/half.h"
#include "weights/weights_priv.h"

#define TO_F32(name, type, value)                                               \
    static void name(float *out, const unsigned char *data, int64_t n)          \
    {                                                                           \
        for (int64_t i = 0; i < n; i++) {                                       \
            type v;                                                             \
                                                                                \
            bytes_copy(&v, data + (size_t)i * sizeof v, 1, sizeof v);           \
            out[i] = (value);                                                   \
        }                                                                       \
    }

TO_F32(f64, double, (float)v)
TO_F32(f16, uint16_t, half_to_float(v))
TO_F32(bf16, uint16_t, bf16_to_float(v))
TO_F32(i64, int64_t, (float)v)
TO_F32(i32, int32_t, (float)v)
TO_F32(i16, int16_t, (float)v)
TO_F32(i8, int8_t, (float)v)
TO_F32(u8, uint8_t, (float)v)
TO_F32(f8_e4m3, uint8_t, f8_e4m3_to_float(v))
TO_F32(f8_e5m2, uint8_t, half_to_float((uint16_t)(v << 8)))
TO_F32(boolean, uint8_t, v != 0 ? 1.0f : 0.0f)

static void f32(float *out, const unsigned char *data, int64_t n)
{
    bytes_copy(out, data, (size_t)n, sizeof *out);
}

const struct dtype_row dtype_table[N_DTYPE] = {
    [DTYPE_F64]  = { "F64",  "<f8", 8, true,  f64, 1 },
    [DTYPE_F32]  = { "F32",  "<f4", 4, true,  f32, 1 },
    [DTYPE_F16]  = { "F16",  "<f2", 2, true,  f16, 1 },
    [DTYPE_BF16] = { "BF16", NULL,  2, true,  bf16, 1 },
    [DTYPE_I64]  = { "I64",  "<i8", 8, false, i64, 1 },
    [DTYPE_I32]  = { "I32",  "<i4", 4, false, i32, 1 },
    [DTYPE_I16]  = { "I16",  "<i2", 2, false, i16, 1 },
    [DTYPE_I8]   = { "I8",   "|i1", 1, false, i8, 1 },
    [DTYPE_U8]   = { "U8",   "|u1", 1, false, u8, 1 },
    [DTYPE_BOOL] = { "BOOL", "|b1", 1, false, boolean, 1 },
#define BLOCKS(name, type, n_elements, size_bytes)                              \
    [DTYPE_##name] = { #name, NULL, size_bytes, true, dequant_##type, n_elements },
#include "base/blocks.def"
#undef BLOCKS
    /* Their scale lies in another tensor, which quantised/ knows. */
    [DTYPE_F8_E4M3] = { "F8_E4M3", NULL, 1, false, f8_e4m3, 1 },
    [DTYPE_F8_E5M2] = { "F8_E5M2", NULL, 1, false, f8_e5m2, 1 },
};

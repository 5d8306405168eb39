/* SPDX-License-Identifier: MIT
 *
 * GGUF, versions 2 and 3; all numbers little-endian.
 *
 *     4   "GGUF"
 *     4   version
 *     8   number of tensors
 *     8   number of keys
 *     then each key:     string, 4 type, value
 *     then each tensor:  string name, 4 number of dimensions (1 to 4), 8 each of them,
 *                        fastest first, 4 type of element, 8 offset
 *     zeros up to a multiple of the alignment (general.alignment, else 32)
 *     the tensors' data, at their offsets from here: multiples of the alignment
 *
 *     string   8 length, bytes, no NUL
 *     value    0 u8  1 i8  2 u16  3 i16  4 u32  5 i32  6 f32  7 bool (u8)  8 string
 *              9 array  10 u64  11 i64  12 f64
 *     array    4 type of element, 8 number, that many values
 *
 * Element types are 0 F32, 1 F16, 30 BF16, 24 to 28 I8 I16 I32 I64 F64, and blocks of
 * quantised weights (see dequant.c).  If one tensor has the matrices of all experts,
 * "blk.0.ffn_up_exps.weight", each appears as a tensor "blk.0.ffn_up.7.weight".
 * A model in parts is NAME-00001-of-00003.gguf, ..;
 * the first has the keys, each its own tensors; split.count and split.tensors.count are
 * the numbers of parts and of tensors. */
#ifndef WEIGHTS_GGUF_H
#define WEIGHTS_GGUF_H

#include "weights/weights.h"

enum gguf_type {
    GGUF_U8, GGUF_I8, GGUF_U16, GGUF_I16, GGUF_U32, GGUF_I32, GGUF_F32, GGUF_BOOL,
    GGUF_STRING, GGUF_ARRAY, GGUF_U64, GGUF_I64, GGUF_F64,
    N_GGUF_TYPE
};

struct gguf_value {
    const char *key;
    enum gguf_type type;            /* of the value, or of an array's elements */
    bool is_array;
    int64_t n;                      /* elements; 1 if it is not an array */
    const unsigned char *data;      /* inside the file; every string was checked */
};

/* The keys of a file, or of the first part of several. */
struct gguf {
    const char *file;
    int n;
    const struct gguf_value *value; /* [n] sorted by key */
    int64_t n_tensors;
    struct span bytes;              /* the whole file */
    size_t tensors_at;              /* offset of the tensors' descriptions */
    size_t alignment;
    const struct span *held;        /* mapping that gguf_close unmaps; NULL: none */
};

/* Whether bytes begin with "GGUF", or its reverse in big-endian files. */
bool gguf_is(struct span bytes);

/*
 * Maps a file and reads its keys, not its tensors: so a vocabulary can be read even
 * if its weights are not supported.  NULL on errors (ERR_INPUT).
 */
struct gguf *gguf_open(struct arena *a, const char *path, struct err *e);
void gguf_close(struct arena *a, const struct gguf *gguf);

/* The same from bytes in memory that outlive it; not to be closed. */
struct gguf *gguf_read(struct arena *a, struct span bytes, const char *file,
                       struct err *e);

/*
 * The GGUF file of a folder, or the first of its parts.  *path is NULL if there is none;
 * several are an error that names some.
 */
int gguf_in_folder(struct arena *a, const char *dir, const char **path, struct err *e);

/* The path of the part with the keys, from that of any part; of another file: path. */
const char *gguf_first_part(struct arena *a, const char *path);

/* The value of a key; NULL if there is none. */
const struct gguf_value *gguf_find(const struct gguf *gguf, const char *key);

/*
 * Element i of a value of numbers (bool: 0 or 1); the caller has asked gguf_is_int
 * or gguf_is_real.
 */
bool gguf_is_int(const struct gguf_value *value);       /* whole numbers and bool */
bool gguf_is_real(const struct gguf_value *value);      /* F32, F64 */
int64_t gguf_int(const struct gguf_value *value, int64_t i);    /* U64: at most INT64_MAX */
double gguf_real(const struct gguf_value *value, int64_t i);

/* An iterator over the strings of a value. */
struct gguf_strings {
    const unsigned char *at;
    int64_t left;
};

struct gguf_strings gguf_strings(const struct gguf_value *value);   /* of a GGUF_STRING */
bool gguf_next(struct gguf_strings *strings, struct span *out);       /* false: no more */

/* "an array of 3 STRING", "a U32": for messages. */
const char *gguf_kind(struct arena *a, const struct gguf_value *value);

/* The keys of weights from a GGUF file; NULL for others. */
const struct gguf *weights_gguf(const struct weights *weights);

#endif

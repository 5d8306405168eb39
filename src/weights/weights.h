/* SPDX-License-Identifier: MIT
 *
 * Files of weights -> named tensors.  Weights are mapped read-only and borrowed, never
 * copied; every length, offset and count is checked before a tensor is returned.  Some are
 * not stored as such (quantised, changed by an adapter): their elements are computed from the
 * stored ones whenever they are read.
 *
 * safetensors: u64 header length N (little-endian), N bytes of JSON
 *     {"name": {"dtype": "F32", "shape": [..], "data_offsets": [begin, end]}, ..,
 *      "__metadata__": {"key": "value", ..}}
 * then the data; offsets count from the end of the header, cover the rest of
 * the file without holes or overlap, and end - begin = product(shape) * size.
 * A model in parts has model.safetensors.index.json with
 *     {"weight_map": {"name": "model-00001-of-00002.safetensors", ..}}. */
#ifndef WEIGHTS_WEIGHTS_H
#define WEIGHTS_WEIGHTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/packed_codes.h"
#include "base/err.h"
#include "base/file.h"

enum dtype {
    DTYPE_F64, DTYPE_F32, DTYPE_F16, DTYPE_BF16,
    DTYPE_I64, DTYPE_I32, DTYPE_I16, DTYPE_I8, DTYPE_U8, DTYPE_BOOL,
#define BLOCKS(name, type, n_elements, size_bytes) DTYPE_##name,
#include "base/blocks.def"          /* DTYPE_Q4_0, .. */
#undef BLOCKS
    DTYPE_F8_E4M3, DTYPE_F8_E5M2,
    N_DTYPE
};

struct dtype_row {
    const char *name;       /* as safetensors or GGUF writes it: "F32", "Q4_0" */
    const char *npy;        /* as NumPy writes it: "<f4"; NULL: has none */
    int size_bytes;         /* of one block */
    bool is_float;          /* may hold weights */
    /*
     * n elements as floats, n a multiple of block; F64 is rounded, integers are
     * converted
     */
    void (*to_f32)(float *out, const unsigned char *data, int64_t n);
    int block;              /* elements of a block: 1, or 32 or 256 in GGUF's own */
};

extern const struct dtype_row dtype_table[N_DTYPE];

enum { MAX_DIMS = 8 };

/*
 * A function that computes elements of a tensor that is not stored; base of the struct with its
 * data.
 */
struct maker {
    /* elements [first, first + n) as floats; maker is this */
    void (*read)(const void *maker, float *out, int64_t first, int64_t n);
    const struct packed_codes *codes;   /* their packed form, if kernels can use it; else NULL */
    const char *how;                /* description, "GPTQ, 4 bits in groups of 128" */
    const struct tensor *part;      /* [n_parts] source tensors, stored or computed */
    int n_parts;
    bool quantised;                 /* stored in fewer bits by a quantiser */
    bool out_in;                    /* a linear [out, in], whatever the family's order */
};

struct tensor {
    const char *name;
    enum dtype dtype;
    int n_dims;                     /* 0: a single number */
    int64_t shape[MAX_DIMS];        /* slowest first; each >= 0 */
    int64_t n_elements;             /* the product; 1 if n_dims is 0 */
    const unsigned char *data;      /* n_elements / block * size_bytes; any alignment;
                                       the last dimension is a multiple of block */
    const struct maker *maker;        /* computes elements, dtype F32; NULL: they are in data */
    int64_t made_at;                /* index of element 0 for the maker */
    const char *file;               /* its file, for messages */
};

struct weights;

/*
 * Opens a folder with model.safetensors, or with model.safetensors.index.json
 * and its parts, or with one .gguf file; or one .safetensors file, or a .gguf file (see
 * gguf.h), also one of several parts in the same folder.  All memory is allocated in a;
 * files stay mapped until weights_close.
 *
 * Errors (ERR_INPUT): nothing there; a folder or name with only .bin/.pt/.pth
 * /.ckpt/.h5 weights (names the command that converts them); a damaged file.
 */
struct weights *weights_open(struct arena *a, const char *path, struct err *e);

/* The same from bytes in memory that outlive it; name is for messages. */
struct weights *weights_open_memory(struct arena *a, struct span bytes,
                                    const char *name, struct err *e);

/* An array in the caller's memory. */
struct handed_array {
    const char *name, *dtype;       /* "F32", a name of dtype_table without blocks */
    const void *data;               /* its first element */
    size_t size_bytes;              /* bytes that may be read from there */
    int n_dims;
    const int64_t *shape;           /* [n_dims] */
    const int64_t *strides;         /* [n_dims] in bytes; NULL: row-major, without gaps */
};

/*
 * The same from arrays that outlive it; one that is not row-major is copied.  name is for messages.
 * Errors (ERR_INPUT): no name, a name twice, an unknown type, more than MAX_DIMS dimensions, a
 * negative length or stride, more bytes than size_bytes.
 */
struct weights *weights_open_arrays(struct arena *a, const struct handed_array *array, int n,
                                    const char *name, struct err *e);
void weights_close(struct weights *weights);

int weights_count(const struct weights *weights);
const struct tensor *weights_at(const struct weights *weights, int i);    /* by name */

/* The tensor of this name; NULL if there is none.  O(log n). */
const struct tensor *weights_find(const struct weights *weights, const char *name);

/* Number of tensors whose names begin so; *first: index of the first, for weights_at.  O(log n). */
int weights_range(const struct weights *weights, const char *begin, int *first);

/*
 * Replaces the tensors of weights by these n, which are sorted here; files stay mapped.
 * Errors: a name that appears twice.
 */
int weights_replace(struct weights *weights, struct tensor *tensor, int n, struct err *e);

/* The type of weights in memory: as stored in the file, or rounded. */
enum weights_held { HELD_AS_STORED, HELD_F16, HELD_Q8_0 };

/*
 * Rounds all matrices: HELD_F16 to F16; HELD_Q8_0 those of two dimensions, whose rows are multiples
 * of 32, to Q8_0 as in GGUF, and the others to F16.  Unchanged: tensors of fewer than two
 * dimensions, of types that are not larger, or with a number out of the type's range.  The tensors
 * are then those of a safetensors file in memory, with the additional type Q8_0.
 *
 * If none is rounded, nothing changes.
 *
 * Errors: ERR_USAGE: a GGUF file; ERR_SYSTEM: no memory.
 */
int weights_round(struct weights *weights, enum weights_held held, struct err *e);

/* That file; data NULL if nothing was rounded. */
struct span weights_rounded(const struct weights *weights);

/* The name of the type, or of the quantisation, of most of their bytes; "" if there are no weights.
 * */
const char *weights_most_type(const struct weights *weights);

/*
 * The quantisation of the first quantised tensor, and *bits = bits per weight over all of them,
 * including scales; NULL, and *bits unchanged, if there is none.
 */
const char *weights_quantised(const struct weights *weights, double *bits);

/* "[768,2304]", for messages. */
char *tensor_shape(struct arena *a, const struct tensor *tensor);

/* An entry of __metadata__ in a safetensors file. */
struct note {
    const char *key, *value;
};

/* The value of a key, for a single file; NULL if there is none. */
const char *weights_note(const struct weights *weights, const char *key);

/* Bytes of the tensor in its files. */
int64_t tensor_stored_bytes(const struct tensor *tensor);

/* Elements [first, first + n) as floats; the range must be inside. */
void tensor_read(float *out, const struct tensor *tensor, int64_t first, int64_t n);

#endif

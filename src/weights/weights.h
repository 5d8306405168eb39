/* SPDX-License-Identifier: MIT
 *
 * Bytes on disk -> named tensors.  Weights are mapped read-only and borrowed,
 * never copied; every length, offset and count was checked before a tensor is
 * handed out.  Some are not stored as such (packed by a quantiser, changed by an adapter):
 * their elements are made from what is, whenever they are read.
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
 * How elements that no file holds come from those that files hold; what makes them begins
 * with it.
 */
struct maker {
    /* elements [first, first + n) as floats; maker is this */
    void (*read)(const void *maker, float *out, int64_t first, int64_t n);
    const struct packed_codes *codes;   /* how they lie, where kernels know it; NULL */
    const char *how;                /* "GPTQ, 4 bits in groups of 128" */
    const struct tensor *part;      /* [n_parts] what they come from, itself stored or made */
    int n_parts;
    bool quantised;                 /* by a quantiser, in fewer bits */
    bool out_in;                    /* a linear, which lies so whatever its family's do */
};

struct tensor {
    const char *name;
    enum dtype dtype;
    int n_dims;                     /* 0: a single number */
    int64_t shape[MAX_DIMS];        /* slowest first; each >= 0 */
    int64_t n_elements;             /* the product; 1 where n_dims is 0 */
    const unsigned char *data;      /* n_elements / block * size_bytes; any alignment;
                                       the last dimension is a multiple of block */
    const struct maker *maker;        /* instead of data, dtype F32; NULL: data */
    int64_t made_at;                /* element 0 is this one of what it makes */
    const char *file;               /* the file that holds it, for messages */
};

struct weights;

/*
 * Opens a folder with model.safetensors, or with model.safetensors.index.json
 * and its parts, or with one .gguf file; or one .safetensors file, or a .gguf file (see
 * gguf.h), also one of several parts, whose others lie beside it.  All memory is of a;
 * files stay mapped until weights_close.
 *
 * Errors (ERR_INPUT): nothing there; a folder or name with only .bin/.pt/.pth
 * /.ckpt/.h5 weights (names the command that converts them); a damaged file.
 */
struct weights *weights_open(struct arena *a, const char *path, struct err *e);

/* The same from bytes in memory that outlive it; name is for messages. */
struct weights *weights_open_memory(struct arena *a, struct span bytes,
                                    const char *name, struct err *e);

/* An array of whoever hands it over. */
struct handed_array {
    const char *name, *dtype;       /* "F32", a name of dtype_table without blocks */
    const void *data;               /* its first element */
    size_t size_bytes;              /* that may be read from there */
    int n_dims;
    const int64_t *shape;           /* [n_dims] */
    const int64_t *strides;         /* [n_dims] bytes from one to the next; NULL: row by row */
};

/*
 * The same from arrays that outlive it; one that does not lie row by row is copied.  name is for
 * messages.  Errors (ERR_INPUT): no name, a name twice, an unknown type, more than MAX_DIMS
 * dimensions, a length or a stride below 0, more bytes than there are.
 */
struct weights *weights_open_arrays(struct arena *a, const struct handed_array *array, int n,
                                    const char *name, struct err *e);
void weights_close(struct weights *w);

int weights_count(const struct weights *w);
const struct tensor *weights_at(const struct weights *w, int i);    /* by name */

/* NULL where there is none of that name.  O(log n). */
const struct tensor *weights_find(const struct weights *w, const char *name);

/* How many have names that begin so; *first is the first of them, by weights_at.  O(log n). */
int weights_range(const struct weights *w, const char *begin, int *first);

/*
 * Gives w these n tensors in place of its own, sorted here; what they point to stays
 * mapped.  Errors: a name that appears twice.
 */
int weights_replace(struct weights *w, struct tensor *tensor, int n, struct err *e);

/* In which types weights are held: as the file has them, or rounded. */
enum weights_held { HELD_AS_STORED, HELD_F16, HELD_Q8_0 };

/*
 * Rounds all matrices: HELD_F16 to F16; HELD_Q8_0 those of two dimensions, with rows of whole
 * blocks of 32, to Q8_0, as GGUF has it, and the others to F16.  What is not of two
 * dimensions or more, is not larger than that, or has a number that the type cannot hold
 * stays as it is.  The tensors are then those of a safetensors file in memory, with Q8_0
 * as one more type.
 *
 * Where all stay as they are, nothing changes.
 *
 * Errors: ERR_USAGE: a GGUF file; ERR_SYSTEM: no memory.
 */
int weights_round(struct weights *w, enum weights_held held, struct err *e);

/* That file; data NULL: nothing was rounded. */
struct span weights_rounded(const struct weights *w);

/* The name of the type that most of their bytes are of, or how those are packed; "": there
 * are none. */
const char *weights_most_type(const struct weights *w);

/*
 * How the first of what a quantiser packed is stored, and bits a weight of all that is, scales
 * included; NULL, and *bits stays: nothing is.
 */
const char *weights_quantised(const struct weights *w, double *bits);

/* "[768,2304]", for messages. */
char *tensor_shape(struct arena *a, const struct tensor *t);

/* What a safetensors file says of itself under __metadata__. */
struct note {
    const char *key, *value;
};

/* The value of a key of a single file; NULL: none. */
const char *weights_note(const struct weights *w, const char *key);

/* The bytes that files hold of it. */
int64_t tensor_stored_bytes(const struct tensor *t);

/* Elements [first, first + n) as floats; the range must lie inside. */
void tensor_read(float *out, const struct tensor *t, int64_t first, int64_t n);

#endif

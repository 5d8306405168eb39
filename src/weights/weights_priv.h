/* SPDX-License-Identifier: MIT
 * Private interface of this folder. */
#ifndef WEIGHTS_PRIV_H
#define WEIGHTS_PRIV_H

#include <string.h>

#include "base/bytes.h"
#include "base/str.h"
#include "weights/weights.h"

struct named_span {
    const char *name;
    struct span bytes;
};

struct weights {
    struct arena *a;
    struct tensor *tensor;      /* [n] sorted by name */
    int n;
    const struct span **map;    /* [n_maps] mappings that weights_close unmaps */
    int n_maps;
    struct named_span *plain;   /* [n_plain] members of an npz that are not .npy */
    int n_plain;
    struct tensor *strings;     /* [n_strings] sorted by name: I32 [n, width] code points */
    int n_strings;
    const struct note *note;    /* [n_notes] metadata of a single safetensors file */
    int n_notes;
    int64_t n_stored;           /* GGUF: number of tensors before experts were separated */
    struct span rounded;        /* the file of weights_round; data NULL: as stored */
    const struct gguf *gguf;    /* the keys of a GGUF file; NULL for others */
};

enum { LARGEST_BLOCK = 256 };

#define BLOCKS(name, type, n_elements, size_bytes)                              \
    void dequant_##type(float *out, const unsigned char *data, int64_t n);
#include "base/blocks.def"
#undef BLOCKS

/* Maps a file and remembers it for weights_close. */
int weights_map(struct weights *weights, const char *path, struct span *out, struct err *e);

/* Sorts by name.  Errors: a name that appears twice. */
int weights_sort(struct arena *a, struct tensor *tensor, int n, struct err *e);

/*
 * *size_bytes = the size of data of this dtype and shape; sets n_elements.  -1 if it does not
 * fit in 63 bits, multiplied in the order of the dimensions.
 */
int tensor_measure(struct tensor *tensor, int64_t *size_bytes);

/* The tensors of one safetensors file, sorted by name; sets *n.  Its notes go to w,
 * which may be NULL. */
struct tensor *safetensors_read(struct arena *a, struct span bytes, const char *file,
                                int *n, struct weights *weights, struct err *e);

/* model.safetensors.index.json and the parts it names, into weights. */
int shards_read(struct weights *weights, const char *dir, const char *index, struct err *e);

/* Reads the tensors and keys of a GGUF file, and of its other parts, into weights. */
int gguf_tensors_open(struct weights *weights, struct span bytes, const char *file, struct err *e);

/*
 * Whether path, or the files of dir, are weights in a format that is not supported; sets an
 * error with the command that converts them.  Else false, with e unchanged.
 */
bool foreign_file(struct arena *a, const char *path, struct span bytes, struct err *e);
bool foreign_dir(struct arena *a, const char *dir, struct err *e);

/* ---- .npy ---- */

/*
 * Writes the header of a .npy for NumPy's type descr and at most MAX_DIMS dimensions; returns its
 * size, a multiple of 64.
 */
enum { NPY_HEADER_BYTES = 320 };
size_t npy_header(char out[NPY_HEADER_BYTES], const char *descr, int n_dims,
                  const int64_t *shape);

#define NPY ".npy"

/*
 * The end of the header that begins with these bytes, at most the allowed length; their own end if
 * they do not begin a .npy.
 */
enum { NPY_BEGIN_BYTES = 12 };
uint64_t npy_header_end(struct span begin);

/*
 * Fills tensor, except name and file, from a .npy of `size` bytes; bytes: all of it, or the
 * beginning with the header.  *strings: whether it has n strings, and tensor is I32 [n, width] of
 * their code points, padded with 0; NULL: strings are an error.
 */
int npy_parse(struct tensor *tensor, bool *strings, struct span bytes, uint64_t size,
              struct err *e);

#endif

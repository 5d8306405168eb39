/* SPDX-License-Identifier: MIT
 * What the files of this folder share. */
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
    const struct span **map;    /* [n_maps] what weights_close unmaps */
    int n_maps;
    struct named_span *plain;   /* [n_plain] members of an npz that are not .npy */
    int n_plain;
    struct tensor *strings;     /* [n_strings] sorted by name: I32 [n, width] code points */
    int n_strings;
    const struct note *note;    /* [n_notes] of a single safetensors file */
    int n_notes;
    int64_t n_stored;           /* of a GGUF: tensors before experts were parted */
    struct span rounded;        /* the file of weights_round; data NULL: as stored */
    const struct gguf *gguf;    /* the keys of a GGUF; NULL: it is none */
};

enum { LARGEST_BLOCK = 256 };

#define BLOCKS(name, type, n_elements, size_bytes)                              \
    void dequant_##type(float *out, const unsigned char *data, int64_t n);
#include "base/blocks.def"
#undef BLOCKS

/* Maps a file and remembers it for weights_close. */
int weights_map(struct weights *w, const char *path, struct span *out, struct err *e);

/* Sorts by name.  Errors: a name that appears twice. */
int weights_sort(struct arena *a, struct tensor *tensor, int n, struct err *e);

/*
 * Size of the data that dtype and shape ask for; sets n_elements.  -1 where it
 * does not fit in 63 bits, multiplied in the order of the dimensions.
 */
int tensor_measure(struct tensor *t, int64_t *size_bytes);

/* The tensors of one safetensors file, sorted by name; sets *n.  Its notes go to w,
 * which may be NULL. */
struct tensor *safetensors_read(struct arena *a, struct span bytes, const char *file,
                                int *n, struct weights *w, struct err *e);

/* model.safetensors.index.json and the parts it names, into w. */
int shards_read(struct weights *w, const char *dir, const char *index, struct err *e);

/* The tensors and keys of a GGUF file, and of the parts that belong to it, into w. */
int gguf_tensors_open(struct weights *w, struct span bytes, const char *file, struct err *e);

/*
 * The refusal of weights in formats that we do not read, with the one command
 * that converts them.  Return false, and leave e alone, where path or the files
 * of dir are nothing of the kind.
 */
bool foreign_file(struct arena *a, const char *path, struct span bytes, struct err *e);
bool foreign_dir(struct arena *a, const char *dir, struct err *e);

/* ---- .npy ---- */

/*
 * The bytes before the data, of NumPy's type descr and at most MAX_DIMS dimensions; how
 * many: a multiple of 64.
 */
enum { NPY_HEADER_BYTES = 320 };
size_t npy_header(char out[NPY_HEADER_BYTES], const char *descr, int n_dims,
                  const int64_t *shape);

#define NPY ".npy"

/*
 * Where the header ends that begins so, as far as it may reach; where these bytes end if
 * they are not the first of one.
 */
enum { NPY_BEGIN_BYTES = 12 };
uint64_t npy_header_end(struct span begin);

/*
 * Fills t from a .npy of size bytes, but for name and file; of which bytes is all, or the
 * beginning, with the header in it.  *strings: it holds n strings, and t is I32 [n, width] of
 * their code points, 0 after the last; NULL: strings are refused.
 */
int npy_parse(struct tensor *t, bool *strings, struct span bytes, uint64_t size, struct err *e);

#endif

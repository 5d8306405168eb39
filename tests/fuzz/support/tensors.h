/* SPDX-License-Identifier: MIT
 * The tensors of a small file, to be changed and written again. */
#ifndef FUZZ_TENSORS_H
#define FUZZ_TENSORS_H

#include <stdbool.h>

#include "support/dice.h"

enum { TENSORS_MOST = 256, TENSOR_NAME = 96, TENSOR_DIMS = 4 };

struct one_tensor {
    char name[TENSOR_NAME];
    int type;                   /* DTYPE_F32, .. */
    int n_dims;
    int64_t dim[TENSOR_DIMS];   /* slowest first */
    const uint8_t *data;        /* borrowed; repeated, or cut, where the shape needs it */
    size_t size;
};

struct tensors {
    int n;
    struct one_tensor t[TENSORS_MOST];
};

/* Of a safetensors file; false: it is none, or too large for this. */
bool tensors_read(struct tensors *all, const uint8_t *data, size_t size);

/* A safetensors file without holes; its size, or 0 where it does not fit. */
size_t tensors_write(const struct tensors *all, uint8_t *out, size_t most);

/* Bytes that its type and shape need; more than any file may have where they are wrong. */
size_t tensor_bytes(const struct one_tensor *t);

/* Those bytes, of its data. */
void tensor_fill(uint8_t *out, size_t n, const struct one_tensor *t);

/* One is dropped, doubled, renamed, or gets another type or shape. */
void tensors_change(struct tensors *all, struct dice *d);

/*
 * What a message of the model's binder asks for: "has no tensor NAME, expected [2,4]",
 * "NAME: shape [2,3], expected [2,4]".  false: it asks for nothing of that kind.
 */
bool tensors_mend(struct tensors *all, const char *message);

#endif

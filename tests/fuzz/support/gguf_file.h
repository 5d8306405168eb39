/* SPDX-License-Identifier: MIT
 * A small GGUF file in parts, to be changed and written again. */
#ifndef FUZZ_GGUF_FILE_H
#define FUZZ_GGUF_FILE_H

#include "support/tensors.h"

enum { GGUF_KEYS_MOST = 128 };

struct gguf_key {
    char name[TENSOR_NAME];
    uint32_t type;              /* 9: an array */
    uint32_t element;           /* its elements' type */
    uint64_t n;                 /* its elements */
    const uint8_t *data;        /* borrowed */
    size_t size;
    uint8_t own[64];            /* a changed value, which data points to */
};

struct gguf_file {
    uint32_t version;
    int n_keys;
    struct gguf_key key[GGUF_KEYS_MOST];
    struct tensors all;         /* dimensions slowest first */
};

/* false: it is none, or too large for this. */
bool gguf_file_read(struct gguf_file *g, const uint8_t *data, size_t size);

/* With counts and offsets that fit; its size, or 0 where it has no room. */
size_t gguf_file_write(const struct gguf_file *g, uint8_t *out, size_t most);

/* A key is dropped, doubled, renamed, or gets another value or type. */
void gguf_file_change(struct gguf_file *g, struct dice *d);

#endif

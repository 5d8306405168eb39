/* SPDX-License-Identifier: MIT
 * Changes of a GGUF file that leave it well-formed: a key, the architecture and all keys that
 * begin with it, a tensor.  Sometimes the tensors are then made what the binder asks for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/family.h"
#include "support/asked.h"
#include "support/gguf_file.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

static struct gguf_key *architecture(struct gguf_file *g)
{
    for (int i = 0; i < g->n_keys; i++)
        if (strcmp(g->key[i].name, "general.architecture") == 0 && g->key[i].type == 8)
            return &g->key[i];
    return NULL;
}

/* Keys of the architecture become those of another. */
static void change_architecture(struct gguf_file *g, struct dice *d)
{
    struct gguf_key *k = architecture(g);
    char from[64] = "", name[TENSOR_NAME];
    const char *to;
    size_t n = 0;

    while (family_table[n] != NULL)
        n++;
    to = family_table[dice_roll(d, n)]->name;
    if (k == NULL || k->size < 8 || k->size - 8 >= sizeof from || strlen(to) + 8 > sizeof k->own)
        return;
    memcpy(from, k->data + 8, k->size - 8);
    memset(k->own, 0, 8);
    k->own[0] = (uint8_t)strlen(to);
    memcpy(k->own + 8, to, strlen(to));
    k->data = k->own;
    k->size = 8 + strlen(to);
    n = strlen(from);
    for (int i = 0; i < g->n_keys; i++) {
        k = &g->key[i];
        if (strncmp(k->name, from, n) == 0 && k->name[n] == '.' &&
            (size_t)snprintf(name, sizeof name, "%s%s", to, k->name + n) < sizeof name)
            strcpy(k->name, name);
    }
}

/* Until the model opens, or lacks what no tensor can mend. */
static size_t complete(struct gguf_file *g, uint8_t *data, size_t most)
{
    size_t size = gguf_file_write(g, data, most);
    struct err e;

    for (int i = 0; i < ASKING_MOST && size > 0; i++) {
        if (asked_open((struct span){ data, size }, (struct span){ NULL, 0 }, &e) ||
            !tensors_mend(&g->all, e.msg))
            break;
        size = gguf_file_write(g, data, most);
    }
    return size;
}

static size_t change(struct gguf_file *g, uint8_t *data, size_t most, struct dice *d)
{
    switch (dice_roll(d, 6)) {
    case 0: change_architecture(g, d); break;
    case 1:
    case 2: tensors_change(&g->all, d); break;
    default: gguf_file_change(g, d);
    }
    return dice_roll(d, 8) == 0 ? complete(g, data, most) : gguf_file_write(g, data, most);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    struct dice d = dice_of(seed);
    static struct gguf_file g;
    uint8_t *copy = malloc(size + 1);
    size_t n = 0;

    if (copy != NULL && dice_roll(&d, 8) > 0 &&
        gguf_file_read(&g, memcpy(copy, data, size), size)) {
        n = change(&g, data, most, &d);
        if (n == 0)
            memcpy(data, copy, size);
    }
    free(copy);
    return n > 0 ? n : LLVMFuzzerMutate(data, size, most);
}

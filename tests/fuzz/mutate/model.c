/* SPDX-License-Identifier: MIT
 * Changes of a config.json, a NUL and a safetensors file that leave both well-formed: a key, a
 * family, a tensor, or its bytes.  Often the tensors are then made what the binder asks for. */
#include <stdlib.h>
#include <string.h>

#include "model/family.h"
#include "support/asked.h"
#include "support/json_change.h"
#include "support/tensors.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

struct parts {
    json_t *config;
    struct tensors all;
    uint8_t *weights;           /* a copy, which the tensors borrow */
};

static void change_config(json_t *config, struct dice *d)
{
    size_t n = 0;

    while (family_table[n] != NULL)
        n++;
    if (dice_roll(d, 6) == 0)
        json_object_set_new(config, "model_type",
                            json_string(family_table[dice_roll(d, n)]->name));
    else
        json_change(config, d);
}

/* Bytes of one tensor, in place. */
static void change_data(struct parts *p, struct dice *d)
{
    const struct one_tensor *t = &p->all.t[p->all.n > 0 ? dice_roll(d, (size_t)p->all.n) : 0];

    if (p->all.n > 0 && t->size > 0)
        LLVMFuzzerMutate(p->weights + (t->data - p->weights), t->size, t->size);
}

/* The config's text, a NUL and the weights; 0: it does not fit. */
static size_t write(const struct parts *p, uint8_t *data, size_t most, size_t *n_config)
{
    size_t n = json_dumpb(p->config, (char *)data, most, JSON_COMPACT), rest;

    if (n == 0 || n >= most)
        return 0;
    data[n] = '\0';
    rest = tensors_write(&p->all, data + n + 1, most - n - 1);
    *n_config = n;
    return rest > 0 ? n + 1 + rest : 0;
}

/* Until the model opens, or lacks what no tensor can mend. */
static size_t complete(struct parts *p, uint8_t *data, size_t most)
{
    size_t n_config = 0, size = write(p, data, most, &n_config);
    struct err e;

    for (int i = 0; i < ASKING_MOST && size > 0; i++) {
        const uint8_t *weights = data + n_config + 1;

        if (asked_open((struct span){ weights, size - n_config - 1 },
                       (struct span){ data, n_config }, &e) ||
            !tensors_mend(&p->all, e.msg))
            break;
        size = write(p, data, most, &n_config);
    }
    return size;
}

static size_t change(struct parts *p, uint8_t *data, size_t most, struct dice *d)
{
    size_t n_config;

    switch (dice_roll(d, 4)) {
    case 0: tensors_change(&p->all, d); break;
    case 1: change_data(p, d); break;
    default: change_config(p->config, d);
    }
    return dice_roll(d, 8) == 0 ? complete(p, data, most) : write(p, data, most, &n_config);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    struct dice d = dice_of(seed);
    const uint8_t *nul = size > 0 ? memchr(data, 0, size) : NULL;
    size_t n_config = nul != NULL ? (size_t)(nul - data) : size, n = 0;
    static struct parts p;

    p.config = json_loadb((const char *)data, n_config, 0, NULL);
    if (json_is_object(p.config) && nul != NULL && dice_roll(&d, 8) > 0) {
        size_t rest = size - n_config - 1;

        p.weights = malloc(rest + 1);
        if (p.weights != NULL && tensors_read(&p.all, memcpy(p.weights, nul + 1, rest), rest))
            n = change(&p, data, most, &d);
        free(p.weights);
    }
    json_decref(p.config);
    return n > 0 ? n : LLVMFuzzerMutate(data, size, most);
}

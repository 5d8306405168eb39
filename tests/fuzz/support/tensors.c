/* SPDX-License-Identifier: MIT
 * Tensors <-> safetensors, and what can be done to them in between. */
#include "support/tensors.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weights/weights.h"

enum { HEADER = 1 << 15, LARGEST = 1 << 16 };

/* ---- reading and writing ---- */

static int type_by_name(const char *name)
{
    for (int i = 0; name != NULL && i < N_DTYPE; i++)
        if (strcmp(dtype_table[i].name, name) == 0)
            return i;
    return -1;
}

static bool read_one(struct one_tensor *t, const char *name, json_t *row, const uint8_t *data,
                     size_t size)
{
    json_t *shape = json_object_get(row, "shape");
    const char *type;
    json_int_t from, to;

    *t = (struct one_tensor){ .n_dims = (int)json_array_size(shape) };
    if (strlen(name) >= TENSOR_NAME || t->n_dims > TENSOR_DIMS ||
        json_unpack(row, "{s:s, s:[I, I]}", "dtype", &type, "data_offsets", &from, &to) != 0)
        return false;
    strcpy(t->name, name);
    t->type = type_by_name(type);
    for (int i = 0; i < t->n_dims; i++)
        t->dim[i] = json_integer_value(json_array_get(shape, (size_t)i));
    if (t->type < 0 || from < 0 || to < from || (size_t)to > size)
        return false;
    t->data = data + from;
    t->size = (size_t)(to - from);
    return true;
}

bool tensors_read(struct tensors *all, const uint8_t *data, size_t size)
{
    uint64_t head = 0;
    const char *name;
    json_t *rows, *row;
    bool good;

    all->n = 0;
    for (int i = 7; i >= 0 && size >= 8; i--)
        head = head << 8 | data[i];
    if (size < 8 || head > size - 8)
        return false;
    rows = json_loadb((const char *)data + 8, (size_t)head, 0, NULL);
    good = json_is_object(rows);
    json_object_foreach(rows, name, row)
        if (strcmp(name, "__metadata__") != 0)
            good = good && all->n < TENSORS_MOST &&
                   read_one(&all->t[all->n++], name, row, data + 8 + head, size - 8 - (size_t)head);
    json_decref(rows);
    return good;
}

size_t tensor_bytes(const struct one_tensor *t)
{
    size_t n = 1;

    for (int i = 0; i < t->n_dims; i++) {
        if (t->dim[i] < 0 || t->dim[i] > LARGEST)
            return LARGEST + 1;
        n *= (size_t)t->dim[i];
        n = n < LARGEST ? n : LARGEST + 1;
    }
    return (n + (size_t)dtype_table[t->type].block - 1) / (size_t)dtype_table[t->type].block *
           (size_t)dtype_table[t->type].size_bytes;
}

void tensor_fill(uint8_t *out, size_t n, const struct one_tensor *t)
{
    for (size_t i = 0; i < n; i++)
        out[i] = t->size > 0 ? t->data[i % t->size] : (uint8_t)0;
}

/* "\"NAME\":{..},", its data from at on. */
static size_t write_row(char *out, size_t room, const struct one_tensor *t, size_t at, size_t size)
{
    json_t *shape = json_array(), *row;
    size_t n;

    for (int i = 0; i < t->n_dims; i++)
        json_array_append_new(shape, json_integer(t->dim[i]));
    row = json_pack("{s:{s:s, s:o, s:[I, I]}}", t->name, "dtype", dtype_table[t->type].name,
                    "shape", shape, "data_offsets", (json_int_t)at, (json_int_t)(at + size));
    n = row != NULL ? json_dumpb(row, out, room, JSON_COMPACT) : 0;
    json_decref(row);
    return n <= room ? n : 0;
}

size_t tensors_write(const struct tensors *all, uint8_t *out, size_t most)
{
    static char head[HEADER];
    size_t n = 0, at = 0, row;

    for (int i = 0; i < all->n; i++) {
        size_t size = tensor_bytes(&all->t[i]);

        row = write_row(head + n, HEADER - n, &all->t[i], at, size);
        at += size;
        if (row < 2 || at > most)
            return 0;
        /* All rows in one object: its braces stay at the ends. */
        head[n] = n > 0 ? ',' : '{';
        n += row - 1;
    }
    if (n + 1 + 8 + at > most || n + 1 > HEADER)
        return 0;
    if (n == 0)
        head[n++] = '{';
    head[n++] = '}';
    for (int i = 0; i < 8; i++)
        out[i] = (uint8_t)(n >> 8 * i);
    memcpy(out + 8, head, n);
    n += 8;
    for (int i = 0; i < all->n; i++) {
        tensor_fill(out + n, tensor_bytes(&all->t[i]), &all->t[i]);
        n += tensor_bytes(&all->t[i]);
    }
    return n;
}

/* ---- changes ---- */

static void rename_one(struct one_tensor *t, struct dice *d)
{
    size_t n = strlen(t->name);

    if (dice_roll(d, 2) == 0 && n > 0) {        /* another layer: a digit */
        for (size_t i = 0; i < n; i++)
            if (t->name[i] >= '0' && t->name[i] <= '9')
                t->name[i] = (char)('0' + dice_roll(d, 4));
        return;
    }
    n = LLVMFuzzerMutate((uint8_t *)t->name, n, TENSOR_NAME - 1);
    memset(t->name + n, 0, TENSOR_NAME - n);
}

static void reshape(struct one_tensor *t, struct dice *d)
{
    int i = t->n_dims > 0 ? (int)dice_roll(d, (size_t)t->n_dims) : 0;

    if (t->n_dims < TENSOR_DIMS && dice_roll(d, 8) == 0)
        t->dim[t->n_dims++] = 1;
    else if (t->n_dims > 0 && dice_roll(d, 8) == 0)
        t->n_dims--;
    else if (t->n_dims > 0)
        t->dim[i] = dice_number(d, t->dim[i]);
}

/* A width that the whole model has: all that are as wide. */
static void widen(struct tensors *all, int64_t from, int64_t to)
{
    for (int i = 0; i < all->n; i++)
        for (int j = 0; j < all->t[i].n_dims; j++)
            if (all->t[i].dim[j] == from)
                all->t[i].dim[j] = to;
}

void tensors_change(struct tensors *all, struct dice *d)
{
    struct one_tensor *t = &all->t[all->n > 0 ? dice_roll(d, (size_t)all->n) : 0];

    if (all->n == 0)
        return;
    switch (dice_roll(d, 7)) {
    case 0: *t = all->t[--all->n]; break;
    case 1:
        if (all->n < TENSORS_MOST) {
            all->t[all->n] = *t;
            rename_one(&all->t[all->n++], d);
        }
        break;
    case 2: rename_one(t, d); break;
    case 3: t->type = (int)dice_roll(d, N_DTYPE); break;
    case 4:
        if (t->n_dims > 0)
            widen(all, t->dim[0], 1 + (int64_t)dice_roll(d, 9));
        break;
    default: reshape(t, d);
    }
}

/* ---- what a message asks for ---- */

static bool set_shape(struct one_tensor *t, const char *shape)
{
    char *end;

    t->n_dims = 0;
    while (*shape == '[' || *shape == ',') {
        if (t->n_dims == TENSOR_DIMS)
            return false;
        t->dim[t->n_dims++] = strtoll(shape + 1, &end, 10);
        shape = end;
    }
    return *shape == ']' && tensor_bytes(t) <= LARGEST;
}

static struct one_tensor *named(struct tensors *all, const char *name, size_t n)
{
    static const uint8_t ones[] = { 0, 0, 0x80, 0x3d };
    struct one_tensor *t = &all->t[all->n];

    if (n == 0 || n >= TENSOR_NAME)
        return NULL;
    for (int i = 0; i < all->n; i++)
        if (strncmp(all->t[i].name, name, n) == 0 && all->t[i].name[n] == '\0')
            return &all->t[i];
    if (all->n == TENSORS_MOST)
        return NULL;
    *t = (struct one_tensor){ .type = DTYPE_F32, .data = ones, .size = sizeof ones };
    memcpy(t->name, name, n);
    all->n++;
    return t;
}

bool tensors_mend(struct tensors *all, const char *message)
{
    const char *lacks = strstr(message, "has no tensor "), *wanted = strstr(message, "expected [");
    const char *shape = strstr(message, ": shape ["), *name = lacks != NULL ? lacks + 14 : shape;
    struct one_tensor *t;

    if (name == NULL || wanted == NULL)
        return false;
    if (lacks == NULL)
        while (name > message && name[-1] != ' ')
            name--;
    t = named(all, name, lacks != NULL ? strcspn(name, ",") : (size_t)(shape - name));
    return t != NULL && set_shape(t, wanted + 9);
}

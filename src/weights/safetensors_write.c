/* SPDX-License-Identifier: MIT
 * Names and shapes -> the header of a safetensors file. */
#include <inttypes.h>
#include <string.h>

#include "base/memory_file.h"
#include "weights/safetensors.h"
#include "weights/weights_priv.h"

/* Data begin at a multiple of this, so that they can be used where they are mapped. */
enum { ALIGNMENT = 64 };

static void put_string(FILE *f, const char *s)
{
    fputc('"', f);
    for (; *s != '\0'; s++)
        if (*s == '"' || *s == '\\')
            fprintf(f, "\\%c", *s);
        else if ((unsigned char)*s < 0x20)
            fprintf(f, "\\u%04x", (unsigned char)*s);
        else
            fputc(*s, f);
    fputc('"', f);
}

static void put_notes(FILE *f, const struct note *note, int n)
{
    fprintf(f, "\"__metadata__\":{");
    for (int i = 0; i < n; i++) {
        if (i > 0)
            fputc(',', f);
        put_string(f, note[i].key);
        fputc(':', f);
        put_string(f, note[i].value);
    }
    fputc('}', f);
}

/* One tensor, whose data begin at *at, which moves after them. */
static int put_tensor(FILE *f, const struct tensor *t, int64_t *at, struct err *e)
{
    struct tensor whole = *t;
    int64_t size;

    if (tensor_measure(&whole, &size) != 0 || size > INT64_MAX - *at)
        return err_set(e, ERR_INPUT, "%s: takes over 2^63 bytes", t->name);
    put_string(f, t->name);
    fprintf(f, ":{\"dtype\":\"%s\",\"shape\":[", dtype_table[t->dtype].name);
    for (int i = 0; i < t->n_dims; i++)
        fprintf(f, "%s%" PRId64, i > 0 ? "," : "", t->shape[i]);
    fprintf(f, "],\"data_offsets\":[%" PRId64 ",%" PRId64 "]}", *at, *at + size);
    *at += size;
    return 0;
}

static int put_header(FILE *f, const struct tensor *tensor, int n, const struct note *note,
                      int n_notes, struct err *e)
{
    int64_t at = 0;

    fputc('{', f);
    if (n_notes > 0)
        put_notes(f, note, n_notes);
    for (int i = 0; i < n; i++) {
        if (i > 0 || n_notes > 0)
            fputc(',', f);
        if (put_tensor(f, &tensor[i], &at, e) != 0)
            return -1;
    }
    fputc('}', f);
    return 0;
}

/* The header's length, the header, and blanks up to where data may begin. */
static void put_begin(FILE *f, const char *header, size_t size)
{
    unsigned char length[8];
    size_t blanks = (ALIGNMENT - (sizeof length + size) % ALIGNMENT) % ALIGNMENT;

    bytes_put(length, size + blanks, sizeof length);
    fwrite(length, sizeof length, 1, f);
    fwrite(header, size, 1, f);
    fprintf(f, "%*s", (int)blanks, "");
}

int safetensors_begin(FILE *f, const struct tensor *tensor, int n, const struct note *note,
                      int n_notes, struct err *e)
{
    struct memory_file header;
    int status;

    if (memory_file_open(&header) != 0)
        return err_set(e, ERR_SYSTEM, "no memory for the names of the tensors");
    status = put_header(header.file, tensor, n, note, n_notes, e);
    if (memory_file_close(&header) != 0)
        return err_set(e, ERR_SYSTEM, "no memory for the names of the tensors");
    if (status == 0)
        put_begin(f, header.data, header.size);
    memory_file_drop(&header);
    return status;
}

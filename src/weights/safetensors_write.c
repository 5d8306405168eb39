/* SPDX-License-Identifier: MIT
 * Names and shapes -> the header of a safetensors file. */
#include <inttypes.h>
#include <string.h>

#include "base/memory_file.h"
#include "weights/safetensors.h"
#include "weights/weights_priv.h"

/* Data begin at a multiple of this, so that they can be used where they are mapped. */
enum { ALIGNMENT = 64 };

static void put_string(FILE *file, const char *s)
{
    fputc('"', file);
    for (; *s != '\0'; s++)
        if (*s == '"' || *s == '\\')
            fprintf(file, "\\%c", *s);
        else if ((unsigned char)*s < 0x20)
            fprintf(file, "\\u%04x", (unsigned char)*s);
        else
            fputc(*s, file);
    fputc('"', file);
}

static void put_notes(FILE *file, const struct note *note, int n)
{
    fprintf(file, "\"__metadata__\":{");
    for (int i = 0; i < n; i++) {
        if (i > 0)
            fputc(',', file);
        put_string(file, note[i].key);
        fputc(':', file);
        put_string(file, note[i].value);
    }
    fputc('}', file);
}

/* One tensor, whose data begin at *at, which moves after them. */
static int put_tensor(FILE *file, const struct tensor *tensor, int64_t *at, struct err *e)
{
    struct tensor whole = *tensor;
    int64_t size;

    if (tensor_measure(&whole, &size) != 0 || size > INT64_MAX - *at)
        return err_set(e, ERR_INPUT, "%s: takes over 2^63 bytes", tensor->name);
    put_string(file, tensor->name);
    fprintf(file, ":{\"dtype\":\"%s\",\"shape\":[", dtype_table[tensor->dtype].name);
    for (int i = 0; i < tensor->n_dims; i++)
        fprintf(file, "%s%" PRId64, i > 0 ? "," : "", tensor->shape[i]);
    fprintf(file, "],\"data_offsets\":[%" PRId64 ",%" PRId64 "]}", *at, *at + size);
    *at += size;
    return 0;
}

static int put_header(FILE *file, const struct tensor *tensor, int n, const struct note *note,
                      int n_notes, struct err *e)
{
    int64_t at = 0;

    fputc('{', file);
    if (n_notes > 0)
        put_notes(file, note, n_notes);
    for (int i = 0; i < n; i++) {
        if (i > 0 || n_notes > 0)
            fputc(',', file);
        if (put_tensor(file, &tensor[i], &at, e) != 0)
            return -1;
    }
    fputc('}', file);
    return 0;
}

/* The header's length, the header, and blanks up to where data may begin. */
static void put_begin(FILE *file, const char *header, size_t size)
{
    unsigned char length[8];
    size_t blanks = (ALIGNMENT - (sizeof length + size) % ALIGNMENT) % ALIGNMENT;

    bytes_put(length, size + blanks, sizeof length);
    fwrite(length, sizeof length, 1, file);
    fwrite(header, size, 1, file);
    fprintf(file, "%*s", (int)blanks, "");
}

int safetensors_begin(FILE *file, const struct tensor *tensor, int n, const struct note *note,
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
        put_begin(file, header.data, header.size);
    memory_file_drop(&header);
    return status;
}

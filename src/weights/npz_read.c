/* SPDX-License-Identifier: MIT
 *
 * .npz or .npy -> tensors.  Stored members are borrowed from the mapped file,
 * deflated ones inflated.  A zip says most things twice, and readers that
 * believe different halves see different files: here the halves must agree, and
 * members and directory must fill the file without holes. */
#include <stdlib.h>
#include <zlib.h>

#include "base/utf8.h"
#include "weights/npz.h"
#include "weights/weights_priv.h"
#include "weights/zip.h"

/* Of all deflated members together, which must fit in memory; and deflate cannot do more
 * than 1032 : 1. */
static const uint64_t INFLATE_MAX_BYTES = SIZE_MAX > UINT32_MAX ? UINT64_C(4) << 30 : SIZE_MAX / 2;
enum { DEFLATE_MAX_RATIO = 1032 };

struct entry {                  /* of the central directory */
    const char *name;
    size_t n_name;
    unsigned flags, method;
    uint32_t crc;
    uint64_t packed, size, offset;
    uint64_t end;               /* of its packed data */
    struct span bytes;          /* unpacked */
};

struct zip {
    struct arena *a;
    struct span file;
    uint64_t n, directory, directory_size;
    struct entry *entry;        /* [n] */
};

/* ---- the end records ---- */

/* Offset of the end record, whose comment must end with the file. */
static int find_end(const struct zip *z, size_t *at, struct err *e)
{
    const unsigned char *p = z->file.data;
    size_t size = z->file.size;

    for (size_t back = N_END; back <= size && back <= N_END + ZIP_16; back++) {
        *at = size - back;
        if (bytes_get(p + *at, 4) == ZIP_END &&
            bytes_get(p + *at + 20, 2) == back - N_END)
            return 0;
    }
    return err_set(e, ERR_INPUT, "zip end record missing; file truncated?");
}

/* The value of a field in the end record and its larger one in zip64's. */
static bool agree(uint64_t small, uint64_t large, uint64_t all_ones)
{
    return small == all_ones || small == large;
}

static int read_end64(struct zip *z, size_t *end, struct err *e)
{
    static const char two[] = "has two directories that disagree";
    const unsigned char *p = z->file.data, *q = p + *end;
    uint64_t at;

    if (*end < N_LOCATOR64 + N_END64 ||
        bytes_get(q - N_LOCATOR64, 4) != ZIP64_LOCATOR)
        return 0;
    at = bytes_get(q - N_LOCATOR64 + 8, 8);
    if (at != *end - N_LOCATOR64 - N_END64 || bytes_get(p + at, 4) != ZIP64_END)
        return err_set(e, ERR_INPUT, "%s: zip64 end at %llu, expected at %zu", two,
                       (unsigned long long)at, *end - N_LOCATOR64 - N_END64);
    if (!agree(z->n, bytes_get(p + at + 32, 8), ZIP_16) ||
        !agree(z->directory_size, bytes_get(p + at + 40, 8), ZIP_32) ||
        !agree(z->directory, bytes_get(p + at + 48, 8), ZIP_32) ||
        bytes_get(p + at + 24, 8) != bytes_get(p + at + 32, 8))
        return err_set(e, ERR_INPUT, "%s: zip64 end and end", two);
    z->n = bytes_get(p + at + 32, 8);
    z->directory_size = bytes_get(p + at + 40, 8);
    z->directory = bytes_get(p + at + 48, 8);
    *end = (size_t)at;
    return 0;
}

static int read_end(struct zip *z, struct err *e)
{
    const unsigned char *p = z->file.data;
    uint64_t found;
    size_t end = 0;

    if (find_end(z, &end, e) != 0)
        return -1;
    if (bytes_get(p + end + 4, 4) != 0 ||
        bytes_get(p + end + 8, 2) != bytes_get(p + end + 10, 2))
        return err_set(e, ERR_INPUT, "is one part of a split zip, expected a single file");
    z->n = bytes_get(p + end + 10, 2);
    z->directory_size = bytes_get(p + end + 12, 4);
    z->directory = bytes_get(p + end + 16, 4);
    if (read_end64(z, &end, e) != 0)
        return -1;
    if (__builtin_add_overflow(z->directory, z->directory_size, &found) || found != end)
        return err_set(e, ERR_INPUT, "zip directory at %llu of %llu bytes, expected it to "
                       "end at %zu", (unsigned long long)z->directory,
                       (unsigned long long)z->directory_size, end);
    if (z->n > z->directory_size / N_CENTRAL)
        return err_set(e, ERR_INPUT, "zip directory of %llu bytes, too small for %llu "
                       "members", (unsigned long long)z->directory_size,
                       (unsigned long long)z->n);
    return 0;
}

/* ---- the directory ---- */

/* Takes 8 bytes of the zip64 record for a field that is all ones. */
static int widen(uint64_t *field, const unsigned char **p, const unsigned char *end)
{
    if (*field != ZIP_32)
        return 0;
    if (end - *p < 8)
        return -1;
    *field = bytes_get(*p, 8);
    *p += 8;
    return 0;
}

static int read_extra(struct entry *x, const unsigned char *p, size_t n)
{
    const unsigned char *end = p + n;

    while (end - p >= 4) {
        uint64_t id = bytes_get(p, 2), length = bytes_get(p + 2, 2);
        const unsigned char *q = p + 4;

        if (length > (uint64_t)(end - q))
            return -1;
        p = q + length;
        if (id == ZIP64_EXTRA)
            return widen(&x->size, &q, p) != 0 || widen(&x->packed, &q, p) != 0 ||
                   widen(&x->offset, &q, p) != 0 ? -1 : 0;
    }
    return x->size == ZIP_32 || x->packed == ZIP_32 || x->offset == ZIP_32 ? -1 : 0;
}

/* A name that could not leave a folder, were somebody to unpack it. */
static bool is_plain_name(const char *s, size_t n)
{
    if (n == 0 || s[0] == '/' || memchr(s, '\0', n) != NULL ||
        memchr(s, '\\', n) != NULL || utf8_check(s, n) < n)
        return false;
    for (size_t i = 0; i + 1 < n; i++)
        if (s[i] == '.' && s[i + 1] == '.' && (i == 0 || s[i - 1] == '/') &&
            (i + 2 == n || s[i + 2] == '/'))
            return false;
    return true;
}

/* Reads the entry at *p, moves *p after it. */
static int read_central(struct zip *z, struct entry *x, const unsigned char **p,
                        const unsigned char *end, struct err *e)
{
    const unsigned char *h = *p;
    size_t n_extra, n_all;

    if (end - h < N_CENTRAL || bytes_get(h, 4) != ZIP_CENTRAL)
        return err_set(e, ERR_INPUT, "zip directory: no entry at %td", h - z->file.data);
    x->flags = (unsigned)bytes_get(h + 8, 2);
    x->method = (unsigned)bytes_get(h + 10, 2);
    x->crc = (uint32_t)bytes_get(h + 16, 4);
    x->packed = bytes_get(h + 20, 4);
    x->size = bytes_get(h + 24, 4);
    x->n_name = (size_t)bytes_get(h + 28, 2);
    n_extra = (size_t)bytes_get(h + 30, 2);
    x->offset = bytes_get(h + 42, 4);
    n_all = N_CENTRAL + x->n_name + n_extra + (size_t)bytes_get(h + 32, 2);
    if (n_all > (size_t)(end - h))
        return err_set(e, ERR_INPUT, "zip directory: an entry goes past its end");
    x->name = arena_strndup(z->a, (const char *)h + N_CENTRAL, x->n_name);
    if (!is_plain_name(x->name, x->n_name))
        return err_set(e, ERR_INPUT, "member \"%s\", expected a plain name: no \"..\", no "
                       "\"/\" before it, UTF-8", str_shown(z->a, x->name));
    if (read_extra(x, h + N_CENTRAL + x->n_name, n_extra) != 0)
        return err_set(e, ERR_INPUT, "%s: its zip64 sizes are missing or truncated",
                       str_shown(z->a, x->name));
    *p = h + n_all;
    return 0;
}

static int read_directory(struct zip *z, struct err *e)
{
    const unsigned char *p = z->file.data + z->directory;
    const unsigned char *end = p + z->directory_size;

    z->entry = arena_alloc(z->a, (size_t)z->n, sizeof *z->entry);
    for (uint64_t i = 0; i < z->n; i++)
        if (read_central(z, &z->entry[i], &p, end, e) != 0)
            return -1;
    if (p != end)
        return err_set(e, ERR_INPUT, "zip directory: %td bytes after its %llu entries",
                       end - p, (unsigned long long)z->n);
    return 0;
}

/* ---- members ---- */

/* Checks the local header against the entry; finds the packed data. */
static int find_data(struct zip *z, struct entry *x, struct span *packed, struct err *e)
{
    const unsigned char *h = z->file.data;
    uint64_t left, n_head;

    if (x->offset > z->directory || z->directory - x->offset < N_LOCAL ||
        bytes_get(h + x->offset, 4) != ZIP_LOCAL)
        return err_set(e, ERR_INPUT, "no zip member at %llu",
                       (unsigned long long)x->offset);
    h += x->offset;
    if ((x->flags | (unsigned)bytes_get(h + 6, 2)) & FLAG_ENCRYPTED)
        return err_set(e, ERR_INPUT, "is encrypted");
    left = z->directory - x->offset;
    n_head = N_LOCAL + bytes_get(h + 26, 2) + bytes_get(h + 28, 2);
    if (n_head > left || x->packed > left - n_head)
        return err_set(e, ERR_INPUT, "%llu bytes at %llu go past the end of the data",
                       (unsigned long long)x->packed, (unsigned long long)x->offset);
    if (bytes_get(h + 8, 2) != x->method || bytes_get(h + 26, 2) != x->n_name ||
        memcmp(h + N_LOCAL, x->name, x->n_name) != 0)
        return err_set(e, ERR_INPUT, "its local header has another name or method");
    packed->data = h + n_head;
    packed->size = (size_t)x->packed;
    x->end = x->offset + n_head + x->packed;
    return 0;
}

/* Fills out[n] exactly; false where the data are damaged or hold more or less. */
static bool inflate_all(struct arena *a, struct span packed, unsigned char *out, uint64_t n)
{
    enum { STEP = 1 << 30 };        /* zlib counts in unsigned int */
    z_stream s = { .next_in = (Bytef *)(uintptr_t)packed.data };
    int status = inflateInit2(&s, -MAX_WBITS);
    uint64_t out_left = n, in_left = packed.size;

    s.next_out = out;
    while (status == Z_OK) {
        uInt in = in_left < STEP ? (uInt)in_left : STEP;
        uInt room = out_left < STEP ? (uInt)out_left : STEP;

        s.avail_in = in;
        s.avail_out = room;
        status = inflate(&s, Z_NO_FLUSH);
        in_left -= in - s.avail_in;
        out_left -= room - s.avail_out;
        if (status == Z_OK && in == s.avail_in && room == s.avail_out)
            status = Z_BUF_ERROR;
    }
    inflateEnd(&s);
    if (status == Z_MEM_ERROR)
        arena_fail(a, 0);
    return status == Z_STREAM_END && in_left == 0 && out_left == 0;
}

static int unpack(struct zip *z, struct entry *x, struct span packed, struct err *e)
{
    unsigned char *out;

    if (x->size / DEFLATE_MAX_RATIO > x->packed)
        return err_set(e, ERR_INPUT, "%llu bytes out of %llu, more than deflate can do",
                       (unsigned long long)x->size, (unsigned long long)x->packed);
    out = arena_alloc_raw(z->a, (size_t)x->size, 1);
    if (!inflate_all(z->a, packed, out, x->size))
        return err_set(e, ERR_INPUT, "its deflated data are damaged");
    if (crc32_z(0, out, (size_t)x->size) != x->crc)
        return err_set(e, ERR_INPUT, "its checksum is wrong");
    x->bytes = (struct span){ out, (size_t)x->size };
    return 0;
}

static int read_member(struct zip *z, struct entry *x, struct err *e)
{
    struct span packed;

    if (find_data(z, x, &packed, e) != 0)
        return -1;
    if (x->method == METHOD_DEFLATED)
        return unpack(z, x, packed, e);
    if (x->method != METHOD_STORED)
        return err_set(e, ERR_INPUT, "packed by method %u, expected 0 (stored) or 8 "
                       "(deflated)", x->method);
    if (x->packed != x->size)
        return err_set(e, ERR_INPUT, "stored, but its two sizes differ: %llu and %llu",
                       (unsigned long long)x->packed, (unsigned long long)x->size);
    x->bytes = packed;
    return 0;
}

static int by_offset(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Sorted by offset, each begins where the one before ends. */
static int check_place(const struct zip *z, const struct entry *before, uint64_t at,
                       const char *what, struct err *e)
{
    enum { DESCRIPTOR_MAX = 24 };
    uint64_t end = before != NULL ? before->end : 0;
    uint64_t may = before != NULL && before->flags & FLAG_DESCRIPTOR ? DESCRIPTOR_MAX : 0;

    if (at < end || at - end > may)
        return err_set(e, ERR_INPUT, "%s begins at %llu, expected at %llu: members must "
                       "not overlap or leave gaps", str_shown(z->a, what),
                       (unsigned long long)at, (unsigned long long)end);
    return 0;
}

/* Before any of them is unpacked. */
static int check_total(const struct zip *z, struct err *e)
{
    uint64_t left = INFLATE_MAX_BYTES;

    for (uint64_t i = 0; i < z->n; i++) {
        if (z->entry[i].method != METHOD_DEFLATED)
            continue;
        if (z->entry[i].size > left)
            return err_set(e, ERR_INPUT, "the deflated members hold over %llu bytes, "
                           "expected them stored", (unsigned long long)INFLATE_MAX_BYTES);
        left -= z->entry[i].size;
    }
    return 0;
}

static int read_members(struct zip *z, struct err *e)
{
    struct entry *before = NULL;

    if (check_total(z, e) != 0)
        return -1;
    if (z->n > 0)
        qsort(z->entry, (size_t)z->n, sizeof *z->entry, by_offset);
    for (uint64_t i = 0; i < z->n; i++) {
        struct entry *entry = &z->entry[i];

        if (check_place(z, before, entry->offset, entry->name, e) != 0)
            return -1;
        if (read_member(z, entry, e) != 0)
            return err_under(e, "%s", str_shown(z->a, entry->name));
        before = entry;
    }
    return check_place(z, before, z->directory, "the directory", e);
}

/* ---- arrays ---- */

static const char NPY[] = ".npy";

/* One array, of numbers or of strings. */
static int add_array(struct weights *w, const struct entry *x, const char *file,
                     struct err *e)
{
    struct tensor tensor = { .file = file };
    bool strings = false;

    tensor.name = arena_strndup(w->a, x->name, x->n_name - (sizeof NPY - 1));
    if (npy_parse(&tensor, &strings, x->bytes, e) != 0)
        return err_under(e, "%s", str_shown(w->a, x->name));
    if (strings)
        w->strings[w->n_strings++] = tensor;
    else
        w->tensor[w->n++] = tensor;
    return 0;
}

/* No name twice, also of one array of numbers and one of strings. */
static int sort_arrays(struct weights *w, struct err *e)
{
    if (weights_sort(w->a, w->tensor, w->n, e) != 0 ||
        weights_sort(w->a, w->strings, w->n_strings, e) != 0)
        return -1;
    for (int i = 0; i < w->n_strings; i++)
        if (weights_find(w, w->strings[i].name) != NULL)
            return err_set(e, ERR_INPUT, "%s appears twice",
                           str_shown(w->a, w->strings[i].name));
    return 0;
}

static int sort_out(struct weights *w, struct zip *z, const char *file, struct err *e)
{
    w->tensor = arena_alloc(w->a, (size_t)z->n, sizeof *w->tensor);
    w->strings = arena_alloc(w->a, (size_t)z->n, sizeof *w->strings);
    w->plain = arena_alloc(w->a, (size_t)z->n, sizeof *w->plain);
    for (uint64_t i = 0; i < z->n; i++) {
        struct entry *entry = &z->entry[i];

        if (!str_ends_with(entry->name, NPY))
            w->plain[w->n_plain++] = (struct named_span){ entry->name, entry->bytes };
        else if (add_array(w, entry, file, e) != 0)
            return -1;
    }
    return sort_arrays(w, e);
}

static int open_zip(struct weights *w, struct span bytes, const char *file, struct err *e)
{
    struct zip zip = { .a = w->a, .file = bytes };

    return read_end(&zip, e) != 0 || read_directory(&zip, e) != 0 ||
           read_members(&zip, e) != 0 || sort_out(w, &zip, file, e) != 0 ? -1 : 0;
}

static int open_bytes(struct weights *w, struct span bytes, const char *file,
                      struct err *e)
{
    if (bytes.size >= 4 && memcmp(bytes.data, "PK", 2) == 0)
        return open_zip(w, bytes, file, e) != 0 ? err_under(e, "%s", file) : 0;
    if (bytes.size == 0 || bytes.data[0] != 0x93)
        return err_set(e, ERR_INPUT, "%s: is neither .npz nor .npy", file);
    w->tensor = arena_alloc(w->a, 1, sizeof *w->tensor);
    w->n = 1;
    w->tensor->name = "";
    w->tensor->file = file;
    return npy_parse(w->tensor, NULL, bytes, e) != 0 ? err_under(e, "%s", file) : 0;
}

struct weights *npz_open_memory(struct arena *a, struct span bytes, const char *name,
                                struct err *e)
{
    struct weights *weights = arena_alloc(a, 1, sizeof *weights);

    weights->a = a;
    return open_bytes(weights, bytes, arena_strdup(a, name), e) == 0 ? weights : NULL;
}

struct weights *npz_open(struct arena *a, const char *path, struct err *e)
{
    struct weights *weights = arena_alloc(a, 1, sizeof *weights);
    struct span bytes;

    weights->a = a;
    if (weights_map(weights, path, &bytes, e) == 0 &&
        open_bytes(weights, bytes, arena_strdup(a, path), e) == 0)
        return weights;
    weights_close(weights);
    return NULL;
}

struct weights *npz_open_one(struct arena *a, const char *path,
                             const struct tensor **only, struct err *e)
{
    struct weights *weights = npz_open(a, path, e);

    if (weights == NULL)
        return NULL;
    if (weights->n == 1) {
        *only = &weights->tensor[0];
        return weights;
    }
    err_set(e, ERR_INPUT, "%s: holds %d arrays, expected one (a .npy)", path, weights->n);
    weights_close(weights);
    return NULL;
}

struct span npz_bytes(const struct weights *w, const char *name)
{
    for (int i = 0; i < w->n_plain; i++)
        if (strcmp(w->plain[i].name, name) == 0)
            return w->plain[i].bytes;
    return (struct span){ NULL, 0 };
}

const struct tensor *npz_strings(const struct weights *w, const char *name)
{
    for (int i = 0; i < w->n_strings; i++)
        if (strcmp(w->strings[i].name, name) == 0)
            return &w->strings[i];
    return NULL;
}

char *npz_string(const struct tensor *strings, int64_t i, struct arena *a, size_t *size,
                 struct err *e)
{
    size_t width = (size_t)strings->shape[1];
    const unsigned char *p = strings->data + (size_t)i * width * 4;
    char *text = arena_alloc(a, width + 1, 4);

    while (width > 0 && bytes_get(p + (width - 1) * 4, 4) == 0)
        width--;
    *size = 0;
    for (size_t k = 0; k < width; k++) {
        uint64_t cp = bytes_get(p + k * 4, 4);

        if (cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000)) {
            err_set(e, ERR_INPUT, "%s[%lld]: %llx is not a Unicode code point",
                    strings->name, (long long)i, (unsigned long long)cp);
            return NULL;
        }
        *size += (size_t)utf8_encode((int)cp, text + *size);
    }
    return text;
}

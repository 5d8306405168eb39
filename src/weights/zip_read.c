/* SPDX-License-Identifier: MIT
 *
 * A zip -> its members.  Stored ones are borrowed from the mapped file, deflated ones
 * inflated.  A zip says most things twice, and readers that believe different halves see
 * different files: here the halves must agree, and members and directory must fill the file
 * without holes. */
#include <stdlib.h>
#include <zlib.h>

#include "base/utf8.h"
#include "weights/weights_priv.h"
#include "weights/zip.h"

/* Of all deflated members together, which must fit in memory; and deflate cannot do more
 * than 1032 : 1. */
static const uint64_t INFLATE_MAX_BYTES = SIZE_MAX > UINT32_MAX ? UINT64_C(4) << 30 : SIZE_MAX / 2;
enum { DEFLATE_MAX_RATIO = 1032 };

/* ---- the end records ---- */

/* Offset of the end record, whose comment must end with the file. */
static int find_end(const struct zip *zip, size_t *at, struct err *e)
{
    const unsigned char *p = zip->file.data;
    size_t size = zip->file.size;

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

static int read_end64(struct zip *zip, size_t *end, struct err *e)
{
    static const char two[] = "has two directories that disagree";
    const unsigned char *p = zip->file.data, *q = p + *end;
    uint64_t at;

    if (*end < N_LOCATOR64 + N_END64 ||
        bytes_get(q - N_LOCATOR64, 4) != ZIP64_LOCATOR)
        return 0;
    at = bytes_get(q - N_LOCATOR64 + 8, 8);
    if (at != *end - N_LOCATOR64 - N_END64 || bytes_get(p + at, 4) != ZIP64_END)
        return err_set(e, ERR_INPUT, "%s: zip64 end at %llu, expected at %zu", two,
                       (unsigned long long)at, *end - N_LOCATOR64 - N_END64);
    if (!agree(zip->n, bytes_get(p + at + 32, 8), ZIP_16) ||
        !agree(zip->directory_size, bytes_get(p + at + 40, 8), ZIP_32) ||
        !agree(zip->directory, bytes_get(p + at + 48, 8), ZIP_32) ||
        bytes_get(p + at + 24, 8) != bytes_get(p + at + 32, 8))
        return err_set(e, ERR_INPUT, "%s: zip64 end and end", two);
    zip->n = bytes_get(p + at + 32, 8);
    zip->directory_size = bytes_get(p + at + 40, 8);
    zip->directory = bytes_get(p + at + 48, 8);
    *end = (size_t)at;
    return 0;
}

static int read_end(struct zip *zip, struct err *e)
{
    const unsigned char *p = zip->file.data;
    uint64_t found;
    size_t end = 0;

    if (find_end(zip, &end, e) != 0)
        return -1;
    if (bytes_get(p + end + 4, 4) != 0 ||
        bytes_get(p + end + 8, 2) != bytes_get(p + end + 10, 2))
        return err_set(e, ERR_INPUT, "is one part of a split zip, expected a single file");
    zip->n = bytes_get(p + end + 10, 2);
    zip->directory_size = bytes_get(p + end + 12, 4);
    zip->directory = bytes_get(p + end + 16, 4);
    if (read_end64(zip, &end, e) != 0)
        return -1;
    if (__builtin_add_overflow(zip->directory, zip->directory_size, &found) || found != end)
        return err_set(e, ERR_INPUT, "zip directory at %llu of %llu bytes, expected it to "
                       "end at %zu", (unsigned long long)zip->directory,
                       (unsigned long long)zip->directory_size, end);
    if (zip->n > zip->directory_size / N_CENTRAL)
        return err_set(e, ERR_INPUT, "zip directory of %llu bytes, too small for %llu "
                       "members", (unsigned long long)zip->directory_size,
                       (unsigned long long)zip->n);
    return 0;
}

/* ---- the directory ---- */

/* Takes 8 bytes of the zip64 record for a field that is all ones. */
static int zip_read_widen(uint64_t *field, const unsigned char **p, const unsigned char *end)
{
    if (*field != ZIP_32)
        return 0;
    if (end - *p < 8)
        return -1;
    *field = bytes_get(*p, 8);
    *p += 8;
    return 0;
}

static int read_extra(struct zip_entry *x, const unsigned char *p, size_t n)
{
    const unsigned char *end = p + n;

    while (end - p >= 4) {
        uint64_t id = bytes_get(p, 2), length = bytes_get(p + 2, 2);
        const unsigned char *q = p + 4;

        if (length > (uint64_t)(end - q))
            return -1;
        p = q + length;
        if (id == ZIP64_EXTRA)
            return zip_read_widen(&x->size, &q, p) != 0 || zip_read_widen(&x->packed, &q, p) != 0 ||
                   zip_read_widen(&x->offset, &q, p) != 0 ? -1 : 0;
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
static int read_central(struct zip *zip, struct zip_entry *x, const unsigned char **p,
                        const unsigned char *end, struct err *e)
{
    const unsigned char *h = *p;
    size_t n_extra, n_all;

    if (end - h < N_CENTRAL || bytes_get(h, 4) != ZIP_CENTRAL)
        return err_set(e, ERR_INPUT, "zip directory: no entry at %td", h - zip->file.data);
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
    x->name = arena_strndup(zip->a, (const char *)h + N_CENTRAL, x->n_name);
    if (!is_plain_name(x->name, x->n_name))
        return err_set(e, ERR_INPUT, "member \"%s\", expected a plain name: no \"..\", no "
                       "\"/\" before it, UTF-8", str_shown(zip->a, x->name));
    if (read_extra(x, h + N_CENTRAL + x->n_name, n_extra) != 0)
        return err_set(e, ERR_INPUT, "%s: its zip64 sizes are missing or truncated",
                       str_shown(zip->a, x->name));
    *p = h + n_all;
    return 0;
}

static int read_directory(struct zip *zip, struct err *e)
{
    const unsigned char *p = zip->file.data + zip->directory;
    const unsigned char *end = p + zip->directory_size;

    zip->entry = arena_alloc(zip->a, (size_t)zip->n, sizeof *zip->entry);
    for (uint64_t i = 0; i < zip->n; i++)
        if (read_central(zip, &zip->entry[i], &p, end, e) != 0)
            return -1;
    if (p != end)
        return err_set(e, ERR_INPUT, "zip directory: %td bytes after its %llu entries",
                       end - p, (unsigned long long)zip->n);
    return 0;
}

/* ---- members ---- */

/* Checks the local header against the entry; finds the packed data. */
static int find_data(struct zip *zip, struct zip_entry *x, struct span *packed, struct err *e)
{
    const unsigned char *h = zip->file.data;
    uint64_t left, n_head;

    if (x->offset > zip->directory || zip->directory - x->offset < N_LOCAL ||
        bytes_get(h + x->offset, 4) != ZIP_LOCAL)
        return err_set(e, ERR_INPUT, "no zip member at %llu",
                       (unsigned long long)x->offset);
    h += x->offset;
    if ((x->flags | (unsigned)bytes_get(h + 6, 2)) & FLAG_ENCRYPTED)
        return err_set(e, ERR_INPUT, "is encrypted");
    left = zip->directory - x->offset;
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

/* Fills out[n]; false where the data are damaged or hold less, or more but may not. */
static bool inflate_to(struct arena *a, struct span packed, unsigned char *out, uint64_t n,
                       bool may_hold_more)
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
        status = inflate(&s, Z_NO_FLUSH);       /* without progress: Z_BUF_ERROR */
        in_left -= in - s.avail_in;
        out_left -= room - s.avail_out;
    }
    inflateEnd(&s);
    if (status == Z_MEM_ERROR)
        arena_fail(a, 0);
    return may_hold_more ? out_left == 0 :
                           status == Z_STREAM_END && in_left == 0 && out_left == 0;
}

/* The first n bytes, all of them with their checksum. */
static int unpack_to(struct zip *zip, struct zip_entry *x, struct span packed, uint64_t n,
                     struct err *e)
{
    unsigned char *out = arena_alloc_raw(zip->a, n, 1);
    bool part = n < x->size;

    if (!inflate_to(zip->a, packed, out, n, part))
        return err_set(e, ERR_INPUT, "its deflated data are damaged");
    if (!part && crc32_z(0, out, (size_t)n) != x->crc)
        return err_set(e, ERR_INPUT, "its checksum is wrong");
    x->bytes = (struct span){ out, (size_t)n };
    return 0;
}

static uint64_t zip_read_at_most(uint64_t n, uint64_t most)
{
    return n < most ? n : most;
}

/* As far as .npy's header says that it goes. */
static int unpack_header(struct zip *zip, struct zip_entry *x, struct span packed, struct err *e)
{
    if (unpack_to(zip, x, packed, zip_read_at_most(x->size, NPY_BEGIN_BYTES), e) != 0)
        return -1;
    return unpack_to(zip, x, packed, zip_read_at_most(x->size, npy_header_end(x->bytes)), e);
}

static int unpack(struct zip *zip, struct zip_entry *x, struct span packed, struct err *e)
{
    if (x->size / DEFLATE_MAX_RATIO > x->packed)
        return err_set(e, ERR_INPUT, "%llu bytes out of %llu, more than deflate can do",
                       (unsigned long long)x->size, (unsigned long long)x->packed);
    if (!zip->shapes_only)
        return unpack_to(zip, x, packed, x->size, e);
    return str_ends_with(x->name, NPY) ? unpack_header(zip, x, packed, e) : 0;
}

static int read_member(struct zip *zip, struct zip_entry *x, struct err *e)
{
    struct span packed;

    if (find_data(zip, x, &packed, e) != 0)
        return -1;
    if (x->method == METHOD_DEFLATED)
        return unpack(zip, x, packed, e);
    if (x->method != METHOD_STORED)
        return err_set(e, ERR_INPUT, "packed by method %u, expected 0 (stored) or 8 "
                       "(deflated)", x->method);
    if (x->packed != x->size)
        return err_set(e, ERR_INPUT, "stored, but its two sizes differ: %llu and %llu",
                       (unsigned long long)x->packed, (unsigned long long)x->size);
    x->bytes = packed;
    return 0;
}

static int zip_read_by_offset(const void *a, const void *b)
{
    const struct zip_entry *x = a, *y = b;

    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Sorted by offset, each begins where the one before ends. */
static int check_place(const struct zip *zip, const struct zip_entry *before, uint64_t at,
                       const char *what, struct err *e)
{
    enum { DESCRIPTOR_MAX = 24 };
    uint64_t end = before != NULL ? before->end : 0;
    uint64_t may = before != NULL && before->flags & FLAG_DESCRIPTOR ? DESCRIPTOR_MAX : 0;

    if (at < end || at - end > may)
        return err_set(e, ERR_INPUT, "%s begins at %llu, expected at %llu: members must "
                       "not overlap or leave gaps", str_shown(zip->a, what),
                       (unsigned long long)at, (unsigned long long)end);
    return 0;
}

/* Before any of them is unpacked. */
static int check_total(const struct zip *zip, struct err *e)
{
    uint64_t left = INFLATE_MAX_BYTES;

    for (uint64_t i = 0; i < zip->n; i++) {
        if (zip->entry[i].method != METHOD_DEFLATED)
            continue;
        if (zip->entry[i].size > left)
            return err_set(e, ERR_INPUT, "the deflated members hold over %llu bytes, "
                           "expected them stored", (unsigned long long)INFLATE_MAX_BYTES);
        left -= zip->entry[i].size;
    }
    return 0;
}

static int read_members(struct zip *zip, struct err *e)
{
    struct zip_entry *before = NULL;

    if (check_total(zip, e) != 0)
        return -1;
    if (zip->n > 0)
        qsort(zip->entry, (size_t)zip->n, sizeof *zip->entry, zip_read_by_offset);
    for (uint64_t i = 0; i < zip->n; i++) {
        struct zip_entry *entry = &zip->entry[i];

        if (check_place(zip, before, entry->offset, entry->name, e) != 0)
            return -1;
        if (read_member(zip, entry, e) != 0)
            return err_under(e, "%s", str_shown(zip->a, entry->name));
        before = entry;
    }
    return check_place(zip, before, zip->directory, "the directory", e);
}

int zip_read(struct zip *zip, struct err *e)
{
    return read_end(zip, e) != 0 || read_directory(zip, e) != 0 ? -1 : read_members(zip, e);
}

/* SPDX-License-Identifier: MIT
 *
 * Arrays -> .npz.  Room is given out when an array is added; threads write into
 * it in place and leave the checksum of what they wrote; at the end the checksums
 * are combined in order of place, and headers and directory are written. */
#include "weights/npz.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "base/utf8.h"
#include "weights/weights_priv.h"
#include "weights/zip.h"

struct range {
    int64_t begin, end;         /* bytes of the data */
    uint32_t crc;
};

struct member {
    const char *name;
    int64_t offset, at;         /* of its local header, of its first byte, in the file */
    const char *head;           /* [n_head] what stands before the data: .npy's header */
    int64_t n_head, n_data;
    int size_bytes;             /* of an element */
    int number_bytes;           /* of a number; an element of strings is several */
    uint32_t crc;
    struct range *range;        /* [n_ranges], of malloc: several threads add */
    size_t n_ranges, room;
};

struct npz {
    struct arena *a;
    int fd;
    struct member **member;     /* [n] */
    int n, room;
    int64_t end;                /* first byte of the file not given out */
    pthread_mutex_t lock;       /* of all above from other threads, and of: */
    int why;                    /* errno of the first failure */
};

struct npz *npz_new(struct arena *a, FILE *f)
{
    struct npz *npz = arena_alloc(a, 1, sizeof *npz);

    npz->a = a;
    npz->fd = fileno(f);
    pthread_mutex_init(&npz->lock, NULL);
    return npz;
}

/* The first failure is kept until npz_finish. */
static void npz_fail(struct npz *z, int why)
{
    pthread_mutex_lock(&z->lock);
    if (z->why == 0)
        z->why = why;
    pthread_mutex_unlock(&z->lock);
}

static void write_at(struct npz *z, int64_t at, const void *bytes, size_t n)
{
    const char *cursor = bytes;

    while (n > 0) {
        ssize_t done = pwrite(z->fd, cursor, n, at);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            npz_fail(z, done < 0 ? errno : ENOSPC);
            return;
        }
        cursor += done;
        at += done;
        n -= (size_t)done;
    }
}

/* ---- members ---- */

static int64_t npz_size_of(const struct member *m)
{
    return m->n_head + m->n_data;
}

static bool is_large(const struct member *m)
{
    return (uint64_t)npz_size_of(m) >= ZIP_32;
}

static size_t n_local(const struct member *m)
{
    return N_LOCAL + strlen(m->name) + (is_large(m) ? 20 : 0);
}

/* Gives out room; a file that would grow over 2^63 bytes fails at the finish. */
static int npz_add_member(struct npz *z, struct member m)
{
    struct member *copy = arena_alloc(z->a, 1, sizeof *copy), **member = z->member;
    int64_t size;

    if (strlen(m.name) > ZIP_16)
        npz_fail(z, ENAMETOOLONG);
    m.offset = z->end;
    if (__builtin_add_overflow(m.n_head, m.n_data, &size) ||
        __builtin_add_overflow(m.offset, (int64_t)n_local(&m), &m.at) ||
        __builtin_add_overflow(m.at, size, &z->end)) {
        npz_fail(z, EFBIG);
        m.n_data = 0;
    }
    *copy = m;
    if (z->n == z->room) {      /* before the lock: the arena may leave by longjmp */
        member = arena_grow(z->a, z->member, (size_t)z->n, 2 * (size_t)z->room + 16,
                            sizeof *z->member);
        z->room = 2 * z->room + 16;
    }
    pthread_mutex_lock(&z->lock);
    z->member = member;
    z->member[z->n] = copy;
    pthread_mutex_unlock(&z->lock);
    return z->n++;
}

int npz_add(struct npz *z, const char *name, enum dtype dtype, int n_dims,
            const int64_t *shape)
{
    struct tensor tensor = { .dtype = dtype, .n_dims = n_dims };
    int size_bytes = dtype_table[dtype].size_bytes;
    struct member member = { .size_bytes = size_bytes, .number_bytes = size_bytes };
    char head[NPY_HEADER_BYTES];
    size_t n_head;

    assert(n_dims <= MAX_DIMS && dtype_table[dtype].npy != NULL);
    for (int i = 0; i < n_dims; i++)
        tensor.shape[i] = shape[i];
    if (tensor_measure(&tensor, &member.n_data) != 0) {
        npz_fail(z, EFBIG);
        member.n_data = 0;
    }
    member.name = arena_printf(z->a, "%s.npy", name);
    n_head = npy_header(head, dtype_table[dtype].npy, n_dims, shape);
    member.head = arena_strndup(z->a, head, n_head);
    member.n_head = (int64_t)n_head;
    return npz_add_member(z, member);
}

/* Code points of s, 0 after the last; how many there are, up to max.  out may be NULL. */
static int code_points(const char *s, uint32_t *out, int max)
{
    size_t left = strlen(s);
    int count = 0;

    for (; left > 0 && count < max; count++) {
        int code, len = utf8_decode(s, left, &code);

        if (out != NULL)
            out[count] = len < 0 ? 0xfffd : (uint32_t)code;
        s += len < 0 ? 1 : len;
        left -= len < 0 ? 1 : (size_t)len;
    }
    return count;
}

/* Each cut after `most` code points. */
static void add_strings(struct npz *z, const char *name, const char *const *strings, int n,
                        int most)
{
    int width = 1, i;
    int64_t shape = n;
    uint32_t *all;
    struct member member = { .name = arena_printf(z->a, "%s.npy", name) };
    char head[NPY_HEADER_BYTES];
    size_t n_head;

    for (int k = 0; k < n; k++) {
        int length = code_points(strings[k], NULL, most);

        if (length > width)
            width = length;
    }
    all = arena_alloc(z->a, (size_t)n, (size_t)width * sizeof *all);
    for (int k = 0; k < n; k++)
        code_points(strings[k], all + (size_t)k * (size_t)width, width);
    member.size_bytes = width * (int)sizeof *all;
    member.number_bytes = sizeof *all;
    member.n_data = (int64_t)n * member.size_bytes;
    n_head = npy_header(head, arena_printf(z->a, "<U%d", width), 1, &shape);
    member.head = arena_strndup(z->a, head, n_head);
    member.n_head = (int64_t)n_head;
    i = npz_add_member(z, member);
    npz_put(z, i, 0, all, n);
}

void npz_add_strings(struct npz *z, const char *name, const char *const *strings, int n)
{
    add_strings(z, name, strings, n, NPZ_STRING_MAX);
}

void npz_add_text(struct npz *z, const char *name, const char *text)
{
    add_strings(z, name, &text, 1, INT_MAX / (int)sizeof(uint32_t));
}

/* ---- data ---- */

static bool add_range(struct member *m, struct range r)
{
    /* Rows of one head come in order: what it continues was added lately. */
    enum { LATELY = 16 };

    for (size_t i = m->n_ranges; i > 0 && i + LATELY > m->n_ranges; i--) {
        struct range *s = &m->range[i - 1];

        if (s->end == r.begin) {
            s->crc = (uint32_t)crc32_combine(s->crc, r.crc, r.end - r.begin);
            s->end = r.end;
            return true;
        }
    }
    if (m->n_ranges == m->room) {
        size_t room = 2 * m->room + 16;
        struct range *p = realloc(m->range, room * sizeof *p);

        if (p == NULL)
            return false;
        m->range = p;
        m->room = room;
    }
    m->range[m->n_ranges++] = r;
    return true;
}

/* Writes r's bytes, in the file's order; returns their checksum. */
static uint32_t write_numbers(struct npz *z, const struct member *m, const struct range *r,
                              const unsigned char *numbers)
{
    int64_t at = m->at + m->n_head + r->begin;
    size_t left = (size_t)(r->end - r->begin), size = (size_t)m->number_bytes;
    unsigned char chunk[1 << 12];
    uint32_t crc = 0;

    if (BYTES_IN_ORDER) {
        write_at(z, at, numbers, left);
        return (uint32_t)crc32_z(0, numbers, left);
    }
    while (left > 0) {
        size_t count = left < sizeof chunk ? left : sizeof chunk;

        bytes_copy(chunk, numbers, count / size, size);
        write_at(z, at, chunk, count);
        crc = (uint32_t)crc32_z(crc, chunk, count);
        numbers += count;
        at += (int64_t)count;
        left -= count;
    }
    return crc;
}

void npz_put(struct npz *z, int i, int64_t first, const void *elements, int64_t n)
{
    struct member *member;
    struct range range;
    bool ok, broken;

    pthread_mutex_lock(&z->lock);
    member = z->member[i];
    broken = z->why != 0;
    pthread_mutex_unlock(&z->lock);
    if (n == 0 || broken)
        return;
    range.begin = first * member->size_bytes;
    range.end = range.begin + n * member->size_bytes;
    assert(first >= 0 && n > 0 && range.end <= member->n_data);
    range.crc = write_numbers(z, member, &range, elements);
    pthread_mutex_lock(&z->lock);
    ok = add_range(member, range);
    pthread_mutex_unlock(&z->lock);
    if (!ok)
        npz_fail(z, ENOMEM);
}

/* ---- checksums ---- */

static int npz_by_place(const void *a, const void *b)
{
    const struct range *r = a, *s = b;

    return (r->begin > s->begin) - (r->begin < s->begin);
}

/* The checksum of more bytes after those of crc, n of them zero. */
static uint32_t crc_zeros(uint32_t crc, int64_t n)
{
    uLong power = crc32(0, (const Bytef *)"", 1);       /* of 2^k zeros */

    for (int64_t length = 1; n > 0; n >>= 1, length *= 2) {
        if (n & 1)
            crc = (uint32_t)crc32_combine(crc, power, length);
        if (n > 1)
            power = crc32_combine(power, power, length);
    }
    return crc;
}

static uint32_t checksum(struct member *m)
{
    uint32_t crc = (uint32_t)crc32_z(0, (const Bytef *)m->head, (size_t)m->n_head);
    int64_t at = 0;

    if (m->n_ranges > 0)
        qsort(m->range, m->n_ranges, sizeof *m->range, npz_by_place);
    for (size_t i = 0; i < m->n_ranges; i++) {
        const struct range *range = &m->range[i];

        assert(range->begin >= at);         /* nothing was written twice */
        crc = crc_zeros(crc, range->begin - at);
        crc = (uint32_t)crc32_combine(crc, range->crc, range->end - range->begin);
        at = range->end;
    }
    return crc_zeros(crc, m->n_data - at);
}

/* ---- headers ---- */

struct bytes {
    unsigned char *p;
    size_t n;
};

static void npz_put_bytes(struct bytes *b, uint64_t v, int n_bytes)
{
    bytes_put(b->p + b->n, v, n_bytes);
    b->n += (size_t)n_bytes;
}

static uint64_t npz_at_most(uint64_t v, uint64_t limit)
{
    return v < limit ? v : limit;
}

/* version .. size: what local and central headers have in common. */
static void put_common(struct bytes *b, const struct member *m, bool zip64)
{
    enum { DATE_1980_01_01 = 0x21 };
    size_t count = strlen(m->name);
    bool ascii = true;

    for (size_t i = 0; i < count; i++)
        if ((unsigned char)m->name[i] >= 0x80)
            ascii = false;
    npz_put_bytes(b, zip64 ? 45 : 20, 2);
    npz_put_bytes(b, ascii || utf8_check(m->name, count) < count ? 0 : FLAG_UTF8, 2);
    npz_put_bytes(b, METHOD_STORED, 2);
    npz_put_bytes(b, 0, 2);
    npz_put_bytes(b, DATE_1980_01_01, 2);
    npz_put_bytes(b, m->crc, 4);
    npz_put_bytes(b, npz_at_most((uint64_t)npz_size_of(m), ZIP_32), 4);
    npz_put_bytes(b, npz_at_most((uint64_t)npz_size_of(m), ZIP_32), 4);
    npz_put_bytes(b, count, 2);
}

static void put_name(struct bytes *b, const struct member *m)
{
    memcpy(b->p + b->n, m->name, strlen(m->name));
    b->n += strlen(m->name);
}

static void write_local(struct npz *z, const struct member *m)
{
    size_t count = n_local(m) + (size_t)m->n_head;
    struct bytes bytes = { arena_alloc(z->a, count, 1), 0 };

    npz_put_bytes(&bytes, ZIP_LOCAL, 4);
    put_common(&bytes, m, is_large(m));
    npz_put_bytes(&bytes, is_large(m) ? 20 : 0, 2);
    put_name(&bytes, m);
    if (is_large(m)) {
        npz_put_bytes(&bytes, ZIP64_EXTRA, 2);
        npz_put_bytes(&bytes, 16, 2);
        npz_put_bytes(&bytes, (uint64_t)npz_size_of(m), 8);
        npz_put_bytes(&bytes, (uint64_t)npz_size_of(m), 8);
    }
    memcpy(bytes.p + bytes.n, m->head, (size_t)m->n_head);
    write_at(z, m->offset, bytes.p, count);
}

static void put_central(struct bytes *b, const struct member *m)
{
    bool far = (uint64_t)m->offset >= ZIP_32, large = is_large(m);
    unsigned n_extra = (large ? 16u : 0u) + (far ? 8u : 0u);

    npz_put_bytes(b, ZIP_CENTRAL, 4);
    npz_put_bytes(b, 3 << 8 | 45, 2);             /* made by: Unix, for the permissions */
    put_common(b, m, large || far);
    npz_put_bytes(b, n_extra > 0 ? n_extra + 4 : 0, 2);
    npz_put_bytes(b, 0, 6);                       /* comment, disk, internal */
    npz_put_bytes(b, 0100644u << 16, 4);
    npz_put_bytes(b, npz_at_most((uint64_t)m->offset, ZIP_32), 4);
    put_name(b, m);
    if (n_extra > 0) {
        npz_put_bytes(b, ZIP64_EXTRA, 2);
        npz_put_bytes(b, n_extra, 2);
    }
    if (large) {
        npz_put_bytes(b, (uint64_t)npz_size_of(m), 8);
        npz_put_bytes(b, (uint64_t)npz_size_of(m), 8);
    }
    if (far)
        npz_put_bytes(b, (uint64_t)m->offset, 8);
}

static void put_end(struct bytes *b, int n_members, uint64_t size, uint64_t offset)
{
    uint64_t count = (uint64_t)n_members;

    if (count >= ZIP_16 || size >= ZIP_32 || offset >= ZIP_32) {
        npz_put_bytes(b, ZIP64_END, 4);
        npz_put_bytes(b, N_END64 - 12, 8);
        npz_put_bytes(b, 3 << 8 | 45, 2);
        npz_put_bytes(b, 45, 2);
        npz_put_bytes(b, 0, 8);
        npz_put_bytes(b, count, 8);
        npz_put_bytes(b, count, 8);
        npz_put_bytes(b, size, 8);
        npz_put_bytes(b, offset, 8);
        npz_put_bytes(b, ZIP64_LOCATOR, 4);
        npz_put_bytes(b, 0, 4);
        npz_put_bytes(b, offset + size, 8);
        npz_put_bytes(b, 1, 4);
    }
    npz_put_bytes(b, ZIP_END, 4);
    npz_put_bytes(b, 0, 4);
    npz_put_bytes(b, npz_at_most(count, ZIP_16), 2);
    npz_put_bytes(b, npz_at_most(count, ZIP_16), 2);
    npz_put_bytes(b, npz_at_most(size, ZIP_32), 4);
    npz_put_bytes(b, npz_at_most(offset, ZIP_32), 4);
    npz_put_bytes(b, 0, 2);
}

static void write_directory(struct npz *z)
{
    size_t room = N_END64 + N_LOCATOR64 + N_END;
    struct bytes bytes;

    for (int i = 0; i < z->n; i++)
        room += N_CENTRAL + strlen(z->member[i]->name) + 28;
    bytes = (struct bytes){ arena_alloc(z->a, room, 1), 0 };
    for (int i = 0; i < z->n; i++)
        put_central(&bytes, z->member[i]);
    put_end(&bytes, z->n, bytes.n, (uint64_t)z->end);
    write_at(z, z->end, bytes.p, bytes.n);
}

/* ---- the end ---- */

void npz_abort(struct npz *z)
{
    for (int i = 0; i < z->n; i++)
        free(z->member[i]->range);
    z->n = 0;
    pthread_mutex_destroy(&z->lock);
}

int npz_finish(struct npz *z, struct err *e)
{
    int why;

    for (int i = 0; i < z->n && z->why == 0; i++) {
        z->member[i]->crc = checksum(z->member[i]);
        write_local(z, z->member[i]);
    }
    if (z->why == 0)
        write_directory(z);
    why = z->why;
    npz_abort(z);
    return why == 0 ? 0 : err_set(e, ERR_SYSTEM, "write failed: %s", strerror(why));
}

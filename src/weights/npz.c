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

struct npz *npz_new(struct arena *a, FILE *file)
{
    struct npz *npz = arena_alloc(a, 1, sizeof *npz);

    npz->a = a;
    npz->fd = fileno(file);
    pthread_mutex_init(&npz->lock, NULL);
    return npz;
}

/* The first failure is kept until npz_finish. */
static void npz_fail(struct npz *npz, int why)
{
    pthread_mutex_lock(&npz->lock);
    if (npz->why == 0)
        npz->why = why;
    pthread_mutex_unlock(&npz->lock);
}

static void write_at(struct npz *npz, int64_t at, const void *bytes, size_t n)
{
    const char *cursor = bytes;

    while (n > 0) {
        ssize_t done = pwrite(npz->fd, cursor, n, at);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            npz_fail(npz, done < 0 ? errno : ENOSPC);
            return;
        }
        cursor += done;
        at += done;
        n -= (size_t)done;
    }
}

/* ---- members ---- */

static int64_t npz_size_of(const struct member *member)
{
    return member->n_head + member->n_data;
}

static bool is_large(const struct member *member)
{
    return (uint64_t)npz_size_of(member) >= ZIP_32;
}

static size_t n_local(const struct member *member)
{
    return N_LOCAL + strlen(member->name) + (is_large(member) ? 20 : 0);
}

/* Gives out room; a file that would grow over 2^63 bytes fails at the finish. */
static int npz_add_member(struct npz *npz, struct member m)
{
    struct member *copy = arena_alloc(npz->a, 1, sizeof *copy), **member = npz->member;
    int64_t size;

    if (strlen(m.name) > ZIP_16)
        npz_fail(npz, ENAMETOOLONG);
    m.offset = npz->end;
    if (__builtin_add_overflow(m.n_head, m.n_data, &size) ||
        __builtin_add_overflow(m.offset, (int64_t)n_local(&m), &m.at) ||
        __builtin_add_overflow(m.at, size, &npz->end)) {
        npz_fail(npz, EFBIG);
        m.n_data = 0;
    }
    *copy = m;
    if (npz->n == npz->room) {      /* before the lock: the arena may leave by longjmp */
        member = arena_grow(npz->a, npz->member, (size_t)npz->n, 2 * (size_t)npz->room + 16,
                            sizeof *npz->member);
        npz->room = 2 * npz->room + 16;
    }
    pthread_mutex_lock(&npz->lock);
    npz->member = member;
    npz->member[npz->n] = copy;
    pthread_mutex_unlock(&npz->lock);
    return npz->n++;
}

int npz_add(struct npz *npz, const char *name, enum dtype dtype, int n_dims,
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
        npz_fail(npz, EFBIG);
        member.n_data = 0;
    }
    member.name = arena_printf(npz->a, "%s.npy", name);
    n_head = npy_header(head, dtype_table[dtype].npy, n_dims, shape);
    member.head = arena_strndup(npz->a, head, n_head);
    member.n_head = (int64_t)n_head;
    return npz_add_member(npz, member);
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
static void add_strings(struct npz *npz, const char *name, const char *const *strings, int n,
                        int most)
{
    int width = 1, i;
    int64_t shape = n;
    uint32_t *all;
    struct member member = { .name = arena_printf(npz->a, "%s.npy", name) };
    char head[NPY_HEADER_BYTES];
    size_t n_head;

    for (int k = 0; k < n; k++) {
        int length = code_points(strings[k], NULL, most);

        if (length > width)
            width = length;
    }
    all = arena_alloc(npz->a, (size_t)n, (size_t)width * sizeof *all);
    for (int k = 0; k < n; k++)
        code_points(strings[k], all + (size_t)k * (size_t)width, width);
    member.size_bytes = width * (int)sizeof *all;
    member.number_bytes = sizeof *all;
    member.n_data = (int64_t)n * member.size_bytes;
    n_head = npy_header(head, arena_printf(npz->a, "<U%d", width), 1, &shape);
    member.head = arena_strndup(npz->a, head, n_head);
    member.n_head = (int64_t)n_head;
    i = npz_add_member(npz, member);
    npz_put(npz, i, 0, all, n);
}

void npz_add_strings(struct npz *npz, const char *name, const char *const *strings, int n)
{
    add_strings(npz, name, strings, n, NPZ_STRING_MAX);
}

void npz_add_text(struct npz *npz, const char *name, const char *text)
{
    add_strings(npz, name, &text, 1, INT_MAX / (int)sizeof(uint32_t));
}

/* ---- data ---- */

static bool add_range(struct member *member, struct range r)
{
    /* Rows of one head come in order: what it continues was added lately. */
    enum { LATELY = 16 };

    for (size_t i = member->n_ranges; i > 0 && i + LATELY > member->n_ranges; i--) {
        struct range *s = &member->range[i - 1];

        if (s->end == r.begin) {
            s->crc = (uint32_t)crc32_combine(s->crc, r.crc, r.end - r.begin);
            s->end = r.end;
            return true;
        }
    }
    if (member->n_ranges == member->room) {
        size_t room = 2 * member->room + 16;
        struct range *p = realloc(member->range, room * sizeof *p);

        if (p == NULL)
            return false;
        member->range = p;
        member->room = room;
    }
    member->range[member->n_ranges++] = r;
    return true;
}

/* Writes range's bytes, in the file's order; returns their checksum. */
static uint32_t write_numbers(struct npz *npz, const struct member *member,
                              const struct range *range, const unsigned char *numbers)
{
    int64_t at = member->at + member->n_head + range->begin;
    size_t left = (size_t)(range->end - range->begin), size = (size_t)member->number_bytes;
    unsigned char chunk[1 << 12];
    uint32_t crc = 0;

    if (BYTES_IN_ORDER) {
        write_at(npz, at, numbers, left);
        return (uint32_t)crc32_z(0, numbers, left);
    }
    while (left > 0) {
        size_t count = left < sizeof chunk ? left : sizeof chunk;

        bytes_copy(chunk, numbers, count / size, size);
        write_at(npz, at, chunk, count);
        crc = (uint32_t)crc32_z(crc, chunk, count);
        numbers += count;
        at += (int64_t)count;
        left -= count;
    }
    return crc;
}

void npz_put(struct npz *npz, int i, int64_t first, const void *elements, int64_t n)
{
    struct member *member;
    struct range range;
    bool ok, broken;

    pthread_mutex_lock(&npz->lock);
    member = npz->member[i];
    broken = npz->why != 0;
    pthread_mutex_unlock(&npz->lock);
    if (n == 0 || broken)
        return;
    range.begin = first * member->size_bytes;
    range.end = range.begin + n * member->size_bytes;
    assert(first >= 0 && n > 0 && range.end <= member->n_data);
    range.crc = write_numbers(npz, member, &range, elements);
    pthread_mutex_lock(&npz->lock);
    ok = add_range(member, range);
    pthread_mutex_unlock(&npz->lock);
    if (!ok)
        npz_fail(npz, ENOMEM);
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

static uint32_t checksum(struct member *member)
{
    uint32_t crc = (uint32_t)crc32_z(0, (const Bytef *)member->head, (size_t)member->n_head);
    int64_t at = 0;

    if (member->n_ranges > 0)
        qsort(member->range, member->n_ranges, sizeof *member->range, npz_by_place);
    for (size_t i = 0; i < member->n_ranges; i++) {
        const struct range *range = &member->range[i];

        assert(range->begin >= at);         /* nothing was written twice */
        crc = crc_zeros(crc, range->begin - at);
        crc = (uint32_t)crc32_combine(crc, range->crc, range->end - range->begin);
        at = range->end;
    }
    return crc_zeros(crc, member->n_data - at);
}

/* ---- headers ---- */

struct bytes {
    unsigned char *p;
    size_t n;
};

static void npz_put_bytes(struct bytes *bytes, uint64_t v, int n_bytes)
{
    bytes_put(bytes->p + bytes->n, v, n_bytes);
    bytes->n += (size_t)n_bytes;
}

static uint64_t npz_at_most(uint64_t v, uint64_t limit)
{
    return v < limit ? v : limit;
}

/* version .. size: what local and central headers have in common. */
static void put_common(struct bytes *bytes, const struct member *member, bool zip64)
{
    enum { DATE_1980_01_01 = 0x21 };
    size_t count = strlen(member->name);
    bool ascii = true;

    for (size_t i = 0; i < count; i++)
        if ((unsigned char)member->name[i] >= 0x80)
            ascii = false;
    npz_put_bytes(bytes, zip64 ? 45 : 20, 2);
    npz_put_bytes(bytes, ascii || utf8_check(member->name, count) < count ? 0 : FLAG_UTF8, 2);
    npz_put_bytes(bytes, METHOD_STORED, 2);
    npz_put_bytes(bytes, 0, 2);
    npz_put_bytes(bytes, DATE_1980_01_01, 2);
    npz_put_bytes(bytes, member->crc, 4);
    npz_put_bytes(bytes, npz_at_most((uint64_t)npz_size_of(member), ZIP_32), 4);
    npz_put_bytes(bytes, npz_at_most((uint64_t)npz_size_of(member), ZIP_32), 4);
    npz_put_bytes(bytes, count, 2);
}

static void put_name(struct bytes *bytes, const struct member *member)
{
    memcpy(bytes->p + bytes->n, member->name, strlen(member->name));
    bytes->n += strlen(member->name);
}

static void write_local(struct npz *npz, const struct member *member)
{
    size_t count = n_local(member) + (size_t)member->n_head;
    struct bytes bytes = { arena_alloc(npz->a, count, 1), 0 };

    npz_put_bytes(&bytes, ZIP_LOCAL, 4);
    put_common(&bytes, member, is_large(member));
    npz_put_bytes(&bytes, is_large(member) ? 20 : 0, 2);
    put_name(&bytes, member);
    if (is_large(member)) {
        npz_put_bytes(&bytes, ZIP64_EXTRA, 2);
        npz_put_bytes(&bytes, 16, 2);
        npz_put_bytes(&bytes, (uint64_t)npz_size_of(member), 8);
        npz_put_bytes(&bytes, (uint64_t)npz_size_of(member), 8);
    }
    memcpy(bytes.p + bytes.n, member->head, (size_t)member->n_head);
    write_at(npz, member->offset, bytes.p, count);
}

static void put_central(struct bytes *bytes, const struct member *member)
{
    bool far = (uint64_t)member->offset >= ZIP_32, large = is_large(member);
    unsigned n_extra = (large ? 16u : 0u) + (far ? 8u : 0u);

    npz_put_bytes(bytes, ZIP_CENTRAL, 4);
    npz_put_bytes(bytes, 3 << 8 | 45, 2);             /* made by: Unix, for the permissions */
    put_common(bytes, member, large || far);
    npz_put_bytes(bytes, n_extra > 0 ? n_extra + 4 : 0, 2);
    npz_put_bytes(bytes, 0, 6);                       /* comment, disk, internal */
    npz_put_bytes(bytes, 0100644u << 16, 4);
    npz_put_bytes(bytes, npz_at_most((uint64_t)member->offset, ZIP_32), 4);
    put_name(bytes, member);
    if (n_extra > 0) {
        npz_put_bytes(bytes, ZIP64_EXTRA, 2);
        npz_put_bytes(bytes, n_extra, 2);
    }
    if (large) {
        npz_put_bytes(bytes, (uint64_t)npz_size_of(member), 8);
        npz_put_bytes(bytes, (uint64_t)npz_size_of(member), 8);
    }
    if (far)
        npz_put_bytes(bytes, (uint64_t)member->offset, 8);
}

static void put_end(struct bytes *bytes, int n_members, uint64_t size, uint64_t offset)
{
    uint64_t count = (uint64_t)n_members;

    if (count >= ZIP_16 || size >= ZIP_32 || offset >= ZIP_32) {
        npz_put_bytes(bytes, ZIP64_END, 4);
        npz_put_bytes(bytes, N_END64 - 12, 8);
        npz_put_bytes(bytes, 3 << 8 | 45, 2);
        npz_put_bytes(bytes, 45, 2);
        npz_put_bytes(bytes, 0, 8);
        npz_put_bytes(bytes, count, 8);
        npz_put_bytes(bytes, count, 8);
        npz_put_bytes(bytes, size, 8);
        npz_put_bytes(bytes, offset, 8);
        npz_put_bytes(bytes, ZIP64_LOCATOR, 4);
        npz_put_bytes(bytes, 0, 4);
        npz_put_bytes(bytes, offset + size, 8);
        npz_put_bytes(bytes, 1, 4);
    }
    npz_put_bytes(bytes, ZIP_END, 4);
    npz_put_bytes(bytes, 0, 4);
    npz_put_bytes(bytes, npz_at_most(count, ZIP_16), 2);
    npz_put_bytes(bytes, npz_at_most(count, ZIP_16), 2);
    npz_put_bytes(bytes, npz_at_most(size, ZIP_32), 4);
    npz_put_bytes(bytes, npz_at_most(offset, ZIP_32), 4);
    npz_put_bytes(bytes, 0, 2);
}

static void write_directory(struct npz *npz)
{
    size_t room = N_END64 + N_LOCATOR64 + N_END;
    struct bytes bytes;

    for (int i = 0; i < npz->n; i++)
        room += N_CENTRAL + strlen(npz->member[i]->name) + 28;
    bytes = (struct bytes){ arena_alloc(npz->a, room, 1), 0 };
    for (int i = 0; i < npz->n; i++)
        put_central(&bytes, npz->member[i]);
    put_end(&bytes, npz->n, bytes.n, (uint64_t)npz->end);
    write_at(npz, npz->end, bytes.p, bytes.n);
}

/* ---- the end ---- */

void npz_abort(struct npz *npz)
{
    for (int i = 0; i < npz->n; i++)
        free(npz->member[i]->range);
    npz->n = 0;
    pthread_mutex_destroy(&npz->lock);
}

int npz_finish(struct npz *npz, struct err *e)
{
    int why;

    for (int i = 0; i < npz->n && npz->why == 0; i++) {
        npz->member[i]->crc = checksum(npz->member[i]);
        write_local(npz, npz->member[i]);
    }
    if (npz->why == 0)
        write_directory(npz);
    why = npz->why;
    npz_abort(npz);
    return why == 0 ? 0 : err_set(e, ERR_SYSTEM, "write failed: %s", strerror(why));
}

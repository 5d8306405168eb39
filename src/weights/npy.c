/* SPDX-License-Identifier: MIT
 * One array <-> .npy.  The header is a Python dictionary; of Python we read just
 * that much. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "weights/npz.h"
#include "base/json_scan.h"
#include "base/str.h"
#include "weights/weights_priv.h"

static const char MAGIC[] = "\x93NUMPY";
enum { N_MAGIC = 6, DATA_ALIGN = 64 };

/* What version 1.0 can say; only records of many fields have more. */
enum { MAX_DICT_BYTES = 0xffff };

/* ---- writing ---- */

size_t npy_header(char out[NPY_HEADER_BYTES], const char *descr, int n_dims,
                  const int64_t *shape)
{
    char *text = out + N_MAGIC + 4;
    int at, room = NPY_HEADER_BYTES - N_MAGIC - 4;
    size_t count, n_text;

    assert(n_dims <= MAX_DIMS);         /* so that all fits */
    at = snprintf(text, (size_t)room, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                  descr);
    for (int i = 0; i < n_dims; i++)
        at += snprintf(text + at, (size_t)(room - at), "%s%lld%s", i > 0 ? " " : "",
                       (long long)shape[i], i + 1 < n_dims || i == 0 ? "," : "");
    at += snprintf(text + at, (size_t)(room - at), "), }");
    count = (N_MAGIC + 4 + (size_t)at + 1 + DATA_ALIGN - 1) / DATA_ALIGN * DATA_ALIGN;
    n_text = count - N_MAGIC - 4;
    memcpy(out, MAGIC, N_MAGIC);
    out[N_MAGIC] = 1;
    out[N_MAGIC + 1] = 0;
    out[N_MAGIC + 2] = (char)(n_text & 0xff);
    out[N_MAGIC + 3] = (char)(n_text >> 8);
    memset(text + at, ' ', n_text - (size_t)at - 1);
    out[count - 1] = '\n';
    return count;
}

int npy_write(FILE *file, enum dtype dtype, int n_dims, const int64_t *shape,
              const void *elements, struct err *e)
{
    struct tensor tensor = { .dtype = dtype, .n_dims = n_dims };
    char head[NPY_HEADER_BYTES];
    int64_t n_data;
    size_t count, size = (size_t)dtype_table[dtype].size_bytes;

    for (int i = 0; i < n_dims; i++)
        tensor.shape[i] = shape[i];
    if (tensor_measure(&tensor, &n_data) != 0)
        return err_set(e, ERR_SYSTEM, "an array of over 2^63 bytes cannot be written");
    count = npy_header(head, dtype_table[dtype].npy, n_dims, shape);
    errno = 0;
    fwrite(head, 1, count, file);
    bytes_write(file, elements, (size_t)n_data / size, size);
    if (ferror(file))
        return err_set(e, ERR_SYSTEM, "write failed: %s", strerror(errno));
    return 0;
}

/* ---- reading ---- */

/* A Python string without escapes, of at most 31 bytes. */
static int string(struct json_scan *scan, char out[32], struct err *e)
{
    char quote = json_scan_take(scan, '\'') ? '\'' : '"';
    size_t count = 0;

    if (quote == '"' && !json_scan_take(scan, '"'))
        return json_scan_unexpected(scan, "a string", e);
    while (scan->at < scan->end && *scan->at != (unsigned char)quote && *scan->at != '\\' &&
           *scan->at != '\0' && count < 31)
        out[count++] = (char)*scan->at++;
    out[count] = '\0';
    if (scan->at == scan->end || *scan->at != (unsigned char)quote)
        return json_scan_unexpected(scan, "the end of a short string", e);
    scan->at++;
    return 0;
}

/* What a header says. */
struct header {
    struct tensor *t;
    int width;                  /* code points of each string; 0: it holds numbers */
    bool may_hold_strings;
};

/* "<U12" -> 12; 0: no strings. */
static int string_width(const char *descr)
{
    size_t count;

    if (strncmp(descr, "<U", 2) != 0)
        return 0;
    count = strspn(descr + 2, "0123456789");
    return count > 0 && count <= 9 && descr[2 + count] == '\0' ? atoi(descr + 2) : 0;
}

static int read_descr(struct json_scan *scan, struct header *header, struct err *e)
{
    char descr[32];

    if (json_scan_take(scan, '['))
        return err_set(e, ERR_INPUT, "holds records of named fields, expected plain numbers");
    if (string(scan, descr, e) != 0)
        return -1;
    for (int i = 0; i < N_DTYPE; i++)
        if (dtype_table[i].npy != NULL && strcmp(descr, dtype_table[i].npy) == 0) {
            header->t->dtype = (enum dtype)i;
            return 0;
        }
    header->width = header->may_hold_strings ? string_width(descr) : 0;
    if (header->width > 0) {
        header->t->dtype = DTYPE_I32;
        return 0;
    }
    if (descr[0] != '\0' && descr[1] == 'O')
        return err_set(e, ERR_INPUT, "holds Python objects (a pickle), expected plain numbers");
    if (descr[0] == '>')
        return err_set(e, ERR_INPUT, "dtype %s is big-endian, expected little-endian", descr);
    return err_set(e, ERR_INPUT, "dtype %s, expected floats or whole numbers that a "
                   "safetensors file could hold (<f4, <i8, ..)", descr);
}

static bool npy_word(struct json_scan *scan, const char *w)
{
    size_t count = strlen(w);

    if (json_scan_at_end(scan) || (size_t)(scan->end - scan->at) < count ||
        memcmp(scan->at, w, count) != 0)
        return false;
    scan->at += count;
    return true;
}

static int read_order(struct json_scan *scan, struct header *header, struct err *e)
{
    (void)header;
    if (npy_word(scan, "True"))
        return err_set(e, ERR_INPUT, "is in Fortran order, expected C order "
                       "(numpy.ascontiguousarray)");
    return npy_word(scan, "False") ? 0 : json_scan_unexpected(scan, "True or False", e);
}

static int npy_read_shape(struct json_scan *scan, struct header *header, struct err *e)
{
    struct tensor *tensor = header->t;

    tensor->n_dims = 0;
    if (json_scan_expect(scan, '(', e) != 0)
        return -1;
    while (!json_scan_take(scan, ')')) {
        if (tensor->n_dims == MAX_DIMS)
            return err_set(e, ERR_INPUT, "shape has over %d dimensions, expected at most %d",
                           MAX_DIMS, MAX_DIMS);
        if (json_scan_count(scan, &tensor->shape[tensor->n_dims], e) != 0)
            return -1;
        tensor->n_dims++;
        if (!json_scan_take(scan, ','))
            return tensor->n_dims > 1 ? json_scan_expect(scan, ')', e) :
                                        json_scan_expect(scan, ',', e);
    }
    return 0;
}

static const struct {
    const char *key;
    int (*read)(struct json_scan *s, struct header *h, struct err *e);
} field[] = {
    { "descr", read_descr }, { "fortran_order", read_order }, { "shape", npy_read_shape },
};
enum { N_FIELD = sizeof field / sizeof *field };

static int read_field(struct json_scan *scan, struct header *header, unsigned *seen, struct err *e)
{
    char key[32];

    if (string(scan, key, e) != 0)
        return -1;
    for (int i = 0; i < N_FIELD; i++)
        if (strcmp(key, field[i].key) == 0) {
            if (*seen & 1u << i)
                return err_set(e, ERR_INPUT, "%s appears twice", key);
            *seen |= 1u << i;
            return json_scan_expect(scan, ':', e) != 0 ? -1 : field[i].read(scan, header, e);
        }
    return err_set(e, ERR_INPUT, "key '%s', expected descr, fortran_order or shape", key);
}

static int read_dict(struct json_scan *scan, struct header *header, struct err *e)
{
    unsigned seen = 0;

    if (json_scan_expect(scan, '{', e) != 0)
        return -1;
    while (!json_scan_take(scan, '}')) {
        if (read_field(scan, header, &seen, e) != 0)
            return -1;
        if (!json_scan_take(scan, ',')) {
            if (json_scan_expect(scan, '}', e) != 0)
                return -1;
            break;
        }
    }
    if (!json_scan_at_end(scan))
        return json_scan_unexpected(scan, "only spaces after the dictionary", e);
    for (int i = 0; i < N_FIELD; i++)
        if (!(seen & 1u << i))
            return err_set(e, ERR_INPUT, "has no '%s'", field[i].key);
    return 0;
}

/* Code points are one more dimension. */
static int add_width(struct header *header, struct err *e)
{
    if (header->width == 0)
        return 0;
    if (header->t->n_dims != 1)
        return err_set(e, ERR_INPUT, "holds strings in %d dimensions, expected one",
                       header->t->n_dims);
    header->t->shape[header->t->n_dims++] = header->width;
    return 0;
}

/* Where the dictionary begins, after its length of 2 bytes, of 4 since version 2. */
static size_t dict_at(struct span bytes)
{
    return N_MAGIC + 2 + (bytes.size > N_MAGIC && bytes.data[N_MAGIC] == 1 ? 2 : 4);
}

static uint64_t dict_bytes(struct span bytes)
{
    size_t at = N_MAGIC + 2;

    return bytes_get(bytes.data + at, (int)(dict_at(bytes) - at));
}

uint64_t npy_header_end(struct span begin)
{
    if (begin.size < dict_at(begin) || dict_bytes(begin) > MAX_DICT_BYTES)
        return begin.size;
    return dict_at(begin) + dict_bytes(begin);
}

/* Sets scan to the dictionary. */
static int find_dict(struct json_scan *scan, struct span bytes, struct err *e)
{
    const unsigned char *p = bytes.data;
    size_t at = dict_at(bytes);

    if (bytes.size < at || memcmp(p, MAGIC, N_MAGIC) != 0)
        return err_set(e, ERR_INPUT, "is not a .npy file: it does not begin with "
                       "\\x93NUMPY and a version");
    if (p[N_MAGIC] < 1 || p[N_MAGIC] > 3 || p[N_MAGIC + 1] != 0)
        return err_set(e, ERR_INPUT, ".npy version %d.%d, expected 1.0, 2.0 or 3.0",
                       p[N_MAGIC], p[N_MAGIC + 1]);
    if (dict_bytes(bytes) > MAX_DICT_BYTES)
        return err_set(e, ERR_INPUT, ".npy header of %llu bytes, expected at most %d",
                       (unsigned long long)dict_bytes(bytes), MAX_DICT_BYTES);
    if (dict_bytes(bytes) > bytes.size - at)
        return err_set(e, ERR_INPUT, ".npy header of %llu bytes, but only %zu follow",
                       (unsigned long long)dict_bytes(bytes), bytes.size - at);
    scan->begin = scan->at = p + at;
    scan->end = scan->begin + dict_bytes(bytes);
    return 0;
}

int npy_parse(struct tensor *tensor, bool *strings, struct span bytes, uint64_t size, struct err *e)
{
    struct header header = { .t = tensor, .may_hold_strings = strings != NULL };
    struct json_scan scan;
    uint64_t left;
    int64_t want;

    if (find_dict(&scan, bytes, e) != 0)
        return -1;
    if (read_dict(&scan, &header, e) != 0 || add_width(&header, e) != 0)
        return err_under(e, ".npy header");
    if (tensor_measure(tensor, &want) != 0)
        return err_set(e, ERR_INPUT, ".npy header: a shape of over 2^63 bytes");
    left = size - (uint64_t)(scan.end - bytes.data);
    if ((uint64_t)want != left)
        return err_set(e, ERR_INPUT, ".npy holds %llu byte%s of data, expected %lld for its "
                       "shape", (unsigned long long)left, str_plural((int64_t)left),
                       (long long)want);
    tensor->data = scan.end;
    if (strings != NULL)
        *strings = header.width > 0;
    return 0;
}

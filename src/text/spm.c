/* SPDX-License-Identifier: MIT
 * Bytes of a SentencePiece model -> its pieces and settings. */
#include "text/spm.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"

/* ---- protobuf ---- */

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };
enum { LONGEST = 512 };         /* bytes of a piece of a BPE model */

struct field {
    uint32_t number;
    int wire;
    uint64_t value;             /* of a number; floats as their bits */
    struct span bytes;
};

static int read_varint(struct span *s, uint64_t *out, struct err *e)
{
    *out = 0;
    for (unsigned shift = 0;; shift += 7) {
        unsigned char b;

        if (s->size == 0)
            return err_set(e, ERR_INPUT, "it ends inside a number");
        b = *s->data++;
        s->size--;
        if (shift == 63 && b > 1)
            break;
        *out |= (uint64_t)(b & 0x7f) << shift;
        if (b < 0x80)
            return 0;
    }
    return err_set(e, ERR_INPUT, "a number has more than 64 bits");
}

static int spm_take(struct span *s, uint64_t n, struct span *out, struct err *e)
{
    if (n > s->size)
        return err_set(e, ERR_INPUT, "a field of %llu bytes, but only %zu are left",
                       (unsigned long long)n, s->size);
    *out = (struct span){ s->data, (size_t)n };
    s->data += n;
    s->size -= (size_t)n;
    return 0;
}

/* The next field of s, which is not empty. */
static int next_field(struct span *s, struct field *f, struct err *e)
{
    uint64_t key, count;

    *f = (struct field){ 0 };
    if (read_varint(s, &key, e) != 0)
        return -1;
    f->wire = (int)(key & 7);
    if (key >> 3 == 0 || key >> 3 > 0x1fffffff)
        return err_set(e, ERR_INPUT, "a field has the number %llu",
                       (unsigned long long)(key >> 3));
    f->number = (uint32_t)(key >> 3);
    if (f->wire == VARINT)
        return read_varint(s, &f->value, e);
    if (f->wire == BYTES)
        return read_varint(s, &count, e) == 0 ? spm_take(s, count, &f->bytes, e) : -1;
    if (f->wire != FIXED32 && f->wire != FIXED64)
        return err_set(e, ERR_INPUT, "field %u has wire type %d", (unsigned)f->number,
                       f->wire);
    if (spm_take(s, f->wire == FIXED32 ? 4 : 8, &f->bytes, e) != 0)
        return -1;
    for (size_t i = f->bytes.size; i-- > 0; )
        f->value = f->value << 8 | f->bytes.data[i];
    return 0;
}

/* Is it this one?  Of another wire type it would be another format. */
static bool is(const struct field *f, uint32_t number, int wire)
{
    return f->number == number && f->wire == wire;
}

/* ---- messages ---- */

static int read_piece(struct arena *a, struct span s, struct spm_piece *out,
                      struct err *e)
{
    struct field field;
    struct span text = { NULL, 0 };

    out->type = SPM_NORMAL;
    while (s.size > 0) {
        if (next_field(&s, &field, e) != 0)
            return -1;
        if (is(&field, 1, BYTES)) {
            text = field.bytes;
        } else if (is(&field, 2, FIXED32)) {
            uint32_t bits = (uint32_t)field.value;

            memcpy(&out->score, &bits, sizeof bits);
        } else if (is(&field, 3, VARINT)) {
            if (field.value < SPM_NORMAL || field.value > SPM_BYTE)
                return err_set(e, ERR_INPUT, "type %llu, expected 1 to 6",
                               (unsigned long long)field.value);
            out->type = (enum spm_type)field.value;
        }
    }
    out->s.s = arena_strndup(a, text.size > 0 ? (const char *)text.data : "", text.size);
    out->s.n = text.size;
    if (utf8_check(out->s.s, out->s.n) < out->s.n)
        return err_set(e, ERR_INPUT, "its text is not UTF-8");
    if (!isfinite(out->score))
        return err_set(e, ERR_INPUT, "\"%.80s\" has a score that is not finite",
                       out->s.s);
    return 0;
}

static int read_training(struct span s, struct spm *m, struct err *e)
{
    struct field field;

    while (s.size > 0) {
        if (next_field(&s, &field, e) != 0)
            return -1;
        if (is(&field, 3, VARINT)) {
            if (field.value < SPM_UNIGRAM || field.value > SPM_CHAR)
                return err_set(e, ERR_INPUT, "model type %llu, expected 1 to 4 (unigram, "
                               "bpe, word, char)", (unsigned long long)field.value);
            m->model = (enum spm_model)field.value;
        } else if (is(&field, 24, VARINT)) {
            m->suffix = field.value != 0;
        } else if (is(&field, 35, VARINT)) {
            m->byte_fallback = field.value != 0;
        }
    }
    return 0;
}

static int read_normaliser(struct span s, struct spm *m, struct err *e)
{
    struct field field;

    while (s.size > 0) {
        if (next_field(&s, &field, e) != 0)
            return -1;
        if (is(&field, 2, BYTES))
            m->map = field.bytes;
        else if (is(&field, 3, VARINT))
            m->prefix = field.value != 0;
        else if (is(&field, 4, VARINT))
            m->trim = field.value != 0;
        else if (is(&field, 5, VARINT))
            m->escape = field.value != 0;
    }
    return 0;
}

static int count_pieces(struct span s, size_t *n, struct err *e)
{
    struct field field;

    *n = 0;
    while (s.size > 0) {
        if (next_field(&s, &field, e) != 0)
            return -1;
        *n += is(&field, 1, BYTES);
    }
    return *n > 0 ? 0 : err_set(e, ERR_INPUT, "no SentencePiece model: it has no pieces");
}

/* Merges are sought in every piece, at a cost that is the square of its length. */
static int check_lengths(const struct spm *m, struct err *e)
{
    for (size_t i = 0; m->model == SPM_BPE && i < m->n; i++)
        if (m->v[i].s.n > LONGEST)
            return err_set(e, ERR_INPUT, "piece %zu has %zu bytes, expected at most %d", i,
                           m->v[i].s.n, LONGEST);
    return 0;
}

static int find_unknown(struct spm *m, struct err *e)
{
    m->unk = -1;
    for (size_t i = 0; i < m->n; i++) {
        if (m->v[i].type != SPM_UNKNOWN)
            continue;
        if (m->unk >= 0)
            return err_set(e, ERR_INPUT, "pieces %d and %zu are both the unknown one",
                           m->unk, i);
        m->unk = (int)i;
    }
    return m->unk >= 0 ? 0 : err_set(e, ERR_INPUT, "it has no unknown piece");
}

int spm_read(struct arena *a, struct span file, struct spm *m, struct err *e)
{
    struct field field;
    size_t count;

    *m = (struct spm){ .model = SPM_UNIGRAM, .prefix = true, .trim = true,
                       .escape = true };
    if (count_pieces(file, &count, e) != 0)
        return -1;
    m->v = arena_alloc(a, count, sizeof *m->v);
    while (file.size > 0) {
        if (next_field(&file, &field, e) != 0)
            return -1;
        if (is(&field, 1, BYTES) && read_piece(a, field.bytes, &m->v[m->n++], e) != 0)
            return err_under(e, "piece %zu", m->n - 1);
        if (is(&field, 2, BYTES) && read_training(field.bytes, m, e) != 0)
            return err_under(e, "training");
        if (is(&field, 3, BYTES) && read_normaliser(field.bytes, m, e) != 0)
            return err_under(e, "normaliser");
    }
    return check_lengths(m, e) == 0 ? find_unknown(m, e) : -1;
}

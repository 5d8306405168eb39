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
static int next_field(struct span *s, struct field *field, struct err *e)
{
    uint64_t key, count;

    *field = (struct field){ 0 };
    if (read_varint(s, &key, e) != 0)
        return -1;
    field->wire = (int)(key & 7);
    if (key >> 3 == 0 || key >> 3 > 0x1fffffff)
        return err_set(e, ERR_INPUT, "a field has the number %llu",
                       (unsigned long long)(key >> 3));
    field->number = (uint32_t)(key >> 3);
    if (field->wire == VARINT)
        return read_varint(s, &field->value, e);
    if (field->wire == BYTES)
        return read_varint(s, &count, e) == 0 ? spm_take(s, count, &field->bytes, e) : -1;
    if (field->wire != FIXED32 && field->wire != FIXED64)
        return err_set(e, ERR_INPUT, "field %u has wire type %d", (unsigned)field->number,
                       field->wire);
    if (spm_take(s, field->wire == FIXED32 ? 4 : 8, &field->bytes, e) != 0)
        return -1;
    for (size_t i = field->bytes.size; i-- > 0; )
        field->value = field->value << 8 | field->bytes.data[i];
    return 0;
}

/* Is it this one?  Of another wire type it would be another format. */
static bool is(const struct field *field, uint32_t number, int wire)
{
    return field->number == number && field->wire == wire;
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

static int read_training(struct span s, struct spm *spm, struct err *e)
{
    struct field field;

    while (s.size > 0) {
        if (next_field(&s, &field, e) != 0)
            return -1;
        if (is(&field, 3, VARINT)) {
            if (field.value < SPM_UNIGRAM || field.value > SPM_CHAR)
                return err_set(e, ERR_INPUT, "model type %llu, expected 1 to 4 (unigram, "
                               "bpe, word, char)", (unsigned long long)field.value);
            spm->model = (enum spm_model)field.value;
        } else if (is(&field, 24, VARINT)) {
            spm->suffix = field.value != 0;
        } else if (is(&field, 35, VARINT)) {
            spm->byte_fallback = field.value != 0;
        }
    }
    return 0;
}

static int read_normaliser(struct span s, struct spm *spm, struct err *e)
{
    struct field field;

    while (s.size > 0) {
        if (next_field(&s, &field, e) != 0)
            return -1;
        if (is(&field, 2, BYTES))
            spm->map = field.bytes;
        else if (is(&field, 3, VARINT))
            spm->prefix = field.value != 0;
        else if (is(&field, 4, VARINT))
            spm->trim = field.value != 0;
        else if (is(&field, 5, VARINT))
            spm->escape = field.value != 0;
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
static int check_lengths(const struct spm *spm, struct err *e)
{
    for (size_t i = 0; spm->model == SPM_BPE && i < spm->n; i++)
        if (spm->v[i].s.n > LONGEST)
            return err_set(e, ERR_INPUT, "piece %zu has %zu bytes, expected at most %d", i,
                           spm->v[i].s.n, LONGEST);
    return 0;
}

static int find_unknown(struct spm *spm, struct err *e)
{
    spm->unk = -1;
    for (size_t i = 0; i < spm->n; i++) {
        if (spm->v[i].type != SPM_UNKNOWN)
            continue;
        if (spm->unk >= 0)
            return err_set(e, ERR_INPUT, "pieces %d and %zu are both the unknown one",
                           spm->unk, i);
        spm->unk = (int)i;
    }
    return spm->unk >= 0 ? 0 : err_set(e, ERR_INPUT, "it has no unknown piece");
}

int spm_read(struct arena *a, struct span file, struct spm *spm, struct err *e)
{
    struct field field;
    size_t count;

    *spm = (struct spm){ .model = SPM_UNIGRAM, .prefix = true, .trim = true,
                         .escape = true };
    if (count_pieces(file, &count, e) != 0)
        return -1;
    spm->v = arena_alloc(a, count, sizeof *spm->v);
    while (file.size > 0) {
        if (next_field(&file, &field, e) != 0)
            return -1;
        if (is(&field, 1, BYTES) && read_piece(a, field.bytes, &spm->v[spm->n++], e) != 0)
            return err_under(e, "piece %zu", spm->n - 1);
        if (is(&field, 2, BYTES) && read_training(field.bytes, spm, e) != 0)
            return err_under(e, "training");
        if (is(&field, 3, BYTES) && read_normaliser(field.bytes, spm, e) != 0)
            return err_under(e, "normaliser");
    }
    return check_lengths(spm, e) == 0 ? find_unknown(spm, e) : -1;
}

/* SPDX-License-Identifier: MIT
 * A part of the file is found, and other bytes take its place. */
#include "support/structure.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "support/json_change.h"

enum { LENGTH_BYTES = 8 };      /* of the length before the header of a safetensors file */

/* Bytes [begin, end) of a file. */
struct range {
    size_t begin, end;
};

static struct range range_any(struct bytes b, struct dice *d)
{
    size_t begin = dice_roll(d, b.size + 1), longest = b.size - begin;
    size_t most = dice_roll(d, 4) > 0 && longest > 64 ? 64 : longest;

    return (struct range){ begin, begin + dice_roll(d, most + 1) };
}

static void range_replace(struct bytes *b, struct range at, const uint8_t *with, size_t n)
{
    size_t rest = b->size - at.end;

    if (at.begin + n + rest > b->most)
        return;
    memmove(b->data + at.begin + n, b->data + at.end, rest);
    memcpy(b->data + at.begin, with, n);
    b->size = at.begin + n + rest;
}

/* ---- JSON ---- */

static uint64_t length_read(const uint8_t *at)
{
    uint64_t n = 0;

    for (int i = LENGTH_BYTES; i-- > 0;)
        n = n << 8 | at[i];
    return n;
}

static void length_write(uint8_t *at, uint64_t n)
{
    for (int i = 0; i < LENGTH_BYTES; i++)
        at[i] = (uint8_t)(n >> 8 * i);
}

/* The range is an object's text; the length before it, if it was right, stays right. */
static void json_replace(struct bytes *b, struct range at, json_t *object)
{
    static char text[1 << 20];
    size_t n = json_dumpb(object, text, sizeof text, JSON_COMPACT), begin = at.begin;
    bool counted;

    if (n == 0 || n > sizeof text || begin + n + (b->size - at.end) > b->most)
        return;
    counted = begin == LENGTH_BYTES && length_read(b->data) >= at.end - begin &&
              length_read(b->data) <= b->size - begin;
    if (counted)                /* blanks after the text are part of it */
        at.end = begin + (size_t)length_read(b->data);
    range_replace(b, at, (const uint8_t *)text, n);
    if (counted)
        length_write(b->data, n);
}

/* Of the first object that begins at or after a place. */
static bool structure_json(struct bytes *b, struct dice *d)
{
    size_t from = dice_roll(d, 2) == 0 ? 0 : dice_roll(d, b->size);
    const uint8_t *open = memchr(b->data + from, '{', b->size - from);
    json_error_t end;
    json_t *object;

    if (open == NULL)
        return false;
    object = json_loadb((const char *)open, b->size - (size_t)(open - b->data),
                        JSON_DISABLE_EOF_CHECK, &end);
    if (object != NULL) {
        size_t begin = (size_t)(open - b->data);

        json_change(object, d);
        json_replace(b, (struct range){ begin, begin + (size_t)end.position }, object);
    }
    json_decref(object);
    return object != NULL;
}

/* ---- lines, numbers ---- */

/* The line that a place is in, with its newline. */
static struct range line_at(struct bytes b, size_t at)
{
    struct range line = { at, at };

    while (line.begin > 0 && b.data[line.begin - 1] != '\n')
        line.begin--;
    while (line.end < b.size && b.data[line.end++] != '\n')
        ;
    return line;
}

/* Gone, or in its place or before it a line of the other file. */
static bool structure_line(struct bytes *b, struct bytes other, struct dice *d)
{
    static uint8_t copy[1 << 16];
    struct range at, from = { 0, 0 };

    if (memchr(b->data, '\n', b->size) == NULL)
        return false;
    at = line_at(*b, dice_roll(d, b->size));
    if (other.size > 0)
        from = line_at(other, dice_roll(d, other.size));
    if (from.end - from.begin > sizeof copy)
        return false;
    memcpy(copy, other.data + from.begin, from.end - from.begin);
    switch (dice_roll(d, 3)) {
    case 0: range_replace(b, at, copy, 0); break;
    case 1: at.end = at.begin;      /* fall through */
    default: range_replace(b, at, copy, from.end - from.begin);
    }
    return true;
}

static bool digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* Digits after a place are another number. */
static bool structure_digits(struct bytes *b, struct dice *d)
{
    struct range at = { dice_roll(d, b->size), 0 };
    char text[32];
    int64_t now = 0;

    while (at.begin < b->size && !digit(b->data[at.begin]))
        at.begin++;
    for (at.end = at.begin; at.end < b->size && digit(b->data[at.end]); at.end++)
        now = now < INT64_MAX / 20 ? now * 10 + (b->data[at.end] - '0') : now;
    if (at.end == at.begin)
        return false;
    snprintf(text, sizeof text, "%" PRId64, dice_number(d, now));
    range_replace(b, at, (const uint8_t *)text, strlen(text));
    return true;
}

/* One, two, four or eight bytes are another number, in either order. */
static bool structure_integer(struct bytes *b, struct dice *d)
{
    size_t width = (size_t)1 << dice_roll(d, 4), at;
    bool big = dice_roll(d, 4) == 0;
    uint64_t n = 0;

    if (b->size < width)
        return false;
    at = dice_roll(d, b->size - width + 1);
    if (dice_roll(d, 2) == 0)
        at -= at % width;
    for (size_t i = 0; i < width; i++)
        n = n << 8 | b->data[at + (big ? i : width - 1 - i)];
    n = (uint64_t)dice_number(d, n > INT64_MAX ? INT64_MAX : (int64_t)n);
    for (size_t i = 0; i < width; i++)
        b->data[at + (big ? width - 1 - i : i)] = (uint8_t)(n >> 8 * i);
    return true;
}

/* ---- blocks ---- */

/* Gone, or in its place or before it a block of the other file. */
static void structure_block(struct bytes *b, struct bytes other, struct dice *d)
{
    static uint8_t copy[1 << 16];
    struct range at = range_any(*b, d), from = range_any(other, d);
    size_t n = from.end - from.begin < sizeof copy ? from.end - from.begin : sizeof copy;

    memcpy(copy, other.data + from.begin, n);
    switch (dice_roll(d, 4)) {
    case 0: range_replace(b, at, copy, 0); break;
    case 1: at.end = at.begin;      /* fall through */
    default: range_replace(b, at, copy, n);
    }
}

void structure_change(struct bytes *b, struct bytes other, struct dice *d)
{
    size_t kind = b->size > 0 ? dice_roll(d, 8) : 7;
    bool done = false;

    if (kind < 3)
        done = structure_json(b, d) || structure_line(b, other, d);
    else if (kind == 3)
        done = structure_digits(b, d);
    else if (kind == 4)
        done = structure_integer(b, d);
    else if (kind == 5)
        done = structure_line(b, other, d);
    if (!done && kind < 7)
        structure_block(b, other, d);
    else if (!done)
        b->size = LLVMFuzzerMutate(b->data, b->size, b->most);
}

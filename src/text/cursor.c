/* SPDX-License-Identifier: MIT
 * Bytes of a text <-> its characters, from one place to the next: step by step where they
 * are near, by a table where they are far. */
#include "text/cursor.h"

#include "text/tok_priv.h"

enum { STRIDE = CURSOR_STRIDE, FAR = 2 * STRIDE };

static bool begins(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

static void fill_before(struct cursor *cursor)
{
    int count = 0;

    cursor->before = arena_alloc_raw(cursor->a, cursor->n / STRIDE + 1, sizeof *cursor->before);
    for (size_t i = 0; i < cursor->n; i++) {
        if (i % STRIDE == 0)
            cursor->before[i / STRIDE] = count;
        count += begins(cursor->s[i]);
    }
    if (cursor->n % STRIDE == 0)
        cursor->before[cursor->n / STRIDE] = count;
}

static bool is_far(struct cursor *cursor, int distance)
{
    if (distance <= FAR && distance >= -FAR)
        return false;
    if (cursor->before == NULL)
        fill_before(cursor);
    return true;
}

void cursor_to_byte(struct cursor *cursor, int byte)
{
    if (is_far(cursor, byte - cursor->byte)) {
        cursor->byte = byte - byte % STRIDE;
        cursor->chars = cursor->before[byte / STRIDE];
    }
    for (; cursor->byte < byte; cursor->byte++)
        cursor->chars += begins(cursor->s[cursor->byte]);
    for (; cursor->byte > byte; cursor->byte--)
        cursor->chars -= begins(cursor->s[cursor->byte - 1]);
}

/* To the last stride before which no more characters begin. */
static void jump_to_char(struct cursor *cursor, int chars)
{
    size_t low = 0, high = cursor->n / STRIDE + 1;

    while (high - low > 1) {
        size_t middle = (low + high) / 2;

        if (cursor->before[middle] <= chars)
            low = middle;
        else
            high = middle;
    }
    cursor->byte = (int)(low * STRIDE);
    cursor->chars = cursor->before[low];
    while ((size_t)cursor->byte < cursor->n && !begins(cursor->s[cursor->byte]))
        cursor->byte++;
}

void cursor_to_char(struct cursor *cursor, int chars)
{
    int code;

    if (is_far(cursor, chars - cursor->chars))
        jump_to_char(cursor, chars);
    while (cursor->chars > chars) {
        cursor->byte -= chars_before(cursor->s, (size_t)cursor->byte, &code);
        cursor->chars--;
    }
    while (cursor->chars < chars) {
        cursor->byte += chars_next(cursor->s + cursor->byte, cursor->n - (size_t)cursor->byte,
                                   &code);
        cursor->chars++;
    }
}

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

static void fill_before(struct cursor *c)
{
    int count = 0;

    c->before = arena_alloc_raw(c->a, c->n / STRIDE + 1, sizeof *c->before);
    for (size_t i = 0; i < c->n; i++) {
        if (i % STRIDE == 0)
            c->before[i / STRIDE] = count;
        count += begins(c->s[i]);
    }
    if (c->n % STRIDE == 0)
        c->before[c->n / STRIDE] = count;
}

static bool is_far(struct cursor *c, int distance)
{
    if (distance <= FAR && distance >= -FAR)
        return false;
    if (c->before == NULL)
        fill_before(c);
    return true;
}

void cursor_to_byte(struct cursor *c, int byte)
{
    if (is_far(c, byte - c->byte)) {
        c->byte = byte - byte % STRIDE;
        c->chars = c->before[byte / STRIDE];
    }
    for (; c->byte < byte; c->byte++)
        c->chars += begins(c->s[c->byte]);
    for (; c->byte > byte; c->byte--)
        c->chars -= begins(c->s[c->byte - 1]);
}

/* To the last stride before which no more characters begin. */
static void jump_to_char(struct cursor *c, int chars)
{
    size_t low = 0, high = c->n / STRIDE + 1;

    while (high - low > 1) {
        size_t middle = (low + high) / 2;

        if (c->before[middle] <= chars)
            low = middle;
        else
            high = middle;
    }
    c->byte = (int)(low * STRIDE);
    c->chars = c->before[low];
    while ((size_t)c->byte < c->n && !begins(c->s[c->byte]))
        c->byte++;
}

void cursor_to_char(struct cursor *c, int chars)
{
    int code;

    if (is_far(c, chars - c->chars))
        jump_to_char(c, chars);
    while (c->chars > chars) {
        c->byte -= chars_before(c->s, (size_t)c->byte, &code);
        c->chars--;
    }
    while (c->chars < chars) {
        c->byte += chars_next(c->s + c->byte, c->n - (size_t)c->byte, &code);
        c->chars++;
    }
}

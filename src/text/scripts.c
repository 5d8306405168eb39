/* SPDX-License-Identifier: MIT
 * UnicodeScripts: a part is cut where the script changes.  As in SentencePiece, kana
 * count as Han; a blank, or a character without a script, goes with any. */
#include "text/tok_priv.h"

enum { ANY };

static const uint32_t ranges[] = {
#include "text/scripts.def"
};

static int script_of(int cp)
{
    size_t low = 0, high = sizeof ranges / sizeof ranges[0];

    while (high - low > 1) {
        size_t middle = (low + high) / 2;

        if ((int)(ranges[middle] >> 8) <= cp)
            low = middle;
        else
            high = middle;
    }
    return (int)(ranges[low] & 0xff);
}

/* As the library: what stands before the first character that has a script goes. */
static int cut_one(const void *self, struct work *work, const struct fragment *part,
                   struct fragments *out, struct err *e)
{
    int before = ANY;
    size_t from = 0, length;

    (void)self;
    (void)e;
    for (size_t i = 0; i < part->n; i += length) {
        int code, script;

        length = (size_t)chars_next(part->s + i, part->n - i, &code);
        script = script_of(code);
        if (script == ANY || script == before)
            continue;
        if (before != ANY)
            fragment_add_slice(work, out, part, from, i);
        from = i;
        before = script;
    }
    if (before != ANY)
        fragment_add_slice(work, out, part, from, part->n);
    return 0;
}

int scripts_run(const void *self, struct work *work, struct err *e)
{
    return fragment_each(work, self, cut_one, e);
}

/* SPDX-License-Identifier: MIT
 * Any bytes as CoNLL-U: refused with a message, or every word has a head in its sentence that
 * leads to a root, and its bytes lie in the text, in order. */
#include "fuzz.h"

#include <string.h>

#include "base/utf8.h"
#include "session/conllu.h"

static void use(const struct conllu_sentence *s)
{
    int at = 0;

    assert(s->n > 0 && utf8_check(s->text, s->size) == s->size);
    for (int i = 0; i < s->n; i++) {
        const struct conllu_word *w = &s->word[i];
        int k = i, steps = 0;

        assert(w->start >= at && w->end >= w->start && (size_t)w->end <= s->size);
        assert(w->form[0] != '\0' && strchr(w->relation, ':') == NULL);
        at = w->end;
        while (k >= 0) {
            assert(k < s->n && steps++ < s->n);
            k = s->word[k].head;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct err e = { 0 };
    jmp_buf out;

    arena_init(&a, fuzz_full, &out);
    if (setjmp(out) == 0) {
        const struct conllu *all = conllu_read(&a, (struct span){ data, size }, "f", &e);

        if (all == NULL)
            assert(e.kind == ERR_INPUT && strncmp(e.msg, "f: ", 3) == 0);
        for (int i = 0; all != NULL && i < all->n; i++)
            use(&all->sentence[i]);
    }
    arena_finish(&a);
    return 0;
}

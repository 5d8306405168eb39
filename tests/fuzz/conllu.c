/* SPDX-License-Identifier: MIT
 * Any bytes as alignments of words: refused with a message, or no two links of a line are
 * alike.  And as CoNLL-U: refused with a message, or every word has a head in its sentence that
 * leads to a root, and its bytes lie in the text, in order.  And as counts of tokens: refused, or
 * no count is below 0, and one above.  And as numbers of heads in a table: refused, or no two
 * heads are alike. */
#include "fuzz.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "gold/conllu.h"
#include "gold/mentions.h"
#include "gold/pharaoh.h"
#include "session/unigrams.h"
#include "task/model/model.h"

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

/* Mentions lie in the text, as they begin, and their heads in them. */
static void use_mentions(struct arena *a, const struct conllu *all)
{
    struct mentions found;
    struct err e = { 0 };
    int n = 0;

    for (int i = 0; i < all->n; i++)
        n += all->sentence[i].n;
    if (mentions_read(a, all->sentence, all->n, "f", &found, &e) != 0) {
        assert(e.kind == ERR_INPUT && strncmp(e.msg, "f: ", 3) == 0);
        return;
    }
    for (int i = 0; i < found.n; i++) {
        const struct mention *m = &found.mention[i];

        assert(m->chain[0] != '\0' && m->start >= 0 && m->end < n);
        assert(m->head >= m->start && m->head <= m->end);
        assert(i == 0 || m->start >= m[-1].start);
    }
}

static void use_line(const struct pharaoh_line *line)
{
    for (int i = 0; i < line->n; i++) {
        assert(line->link[i].source >= 0 && line->link[i].target >= 0);
        assert(i == 0 || line->link[i].source > line->link[i - 1].source ||
               line->link[i].target > line->link[i - 1].target);
    }
}

static void align(struct arena *a, struct span bytes)
{
    struct err e = { 0 };
    const struct pharaoh *all = pharaoh_read(a, bytes, "f", &e);

    assert(all != NULL || (e.kind == ERR_INPUT && strncmp(e.msg, "f: ", 3) == 0));
    for (int64_t i = 0; all != NULL && i < all->n; i++)
        use_line(&all->line[i]);
}

static void counts(struct span bytes)
{
    enum { N_IDS = 300 };
    int64_t count[N_IDS], most = 0;
    struct err e = { 0 };

    if (unigrams_read(bytes, "f", N_IDS, count, &e) != 0) {
        assert(e.kind == ERR_INPUT && strncmp(e.msg, "f: ", 3) == 0);
        return;
    }
    for (int id = 0; id < N_IDS; id++) {
        assert(count[id] >= 0);
        most = count[id] > most ? count[id] : most;
    }
    assert(most > 0);
}

static void use_table(struct arena *a, struct span bytes, const char *metric, const char *sort)
{
    struct err e = { 0 };
    struct model_view_heads heads;
    bool named = metric != NULL;

    if (model_table_read(a, bytes, &metric, sort, &heads, &e) != 0) {
        assert((e.kind == ERR_INPUT && strstr(e.msg, named ? "line" : "") != NULL) ||
               (e.kind == ERR_USAGE && !named));
        return;
    }
    assert(metric != NULL);
    assert(heads.n > 0);
    for (int i = 0; i < heads.n; i++) {
        const struct model_view_head *head = &heads.head[i];

        assert(head->layer >= 0 && head->layer < MODEL_TABLE_SIDE);
        assert(head->head >= 0 && head->head < MODEL_TABLE_SIDE && !isinf(head->shown));
        assert(i == 0 || head->layer > head[-1].layer ||
               (head->layer == head[-1].layer && head->head > head[-1].head));
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
        if (all != NULL)
            use_mentions(&a, all);
        align(&a, (struct span){ data, size });
        counts((struct span){ data, size });
        use_table(&a, (struct span){ data, size }, "score", "size");
        use_table(&a, (struct span){ data, size }, NULL, NULL);
    }
    arena_finish(&a);
    return 0;
}

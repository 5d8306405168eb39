/* SPDX-License-Identifier: MIT
 * Tokens of long texts: their beginning, their pieces. */
#include "text_help.h"

/* [CLS] a tokens [SEP], and b tokens [SEP] where b is not 0: 0, 1000..., 2000... */
static void text_of(struct help *h, int n_a, int n_b, struct tokens *t)
{
    int ids[203], n = 0;

    ids[n++] = 0;
    for (int i = 0; i < n_a; i++)
        ids[n++] = 1000 + i;
    ids[n++] = 0;
    for (int i = 0; i < n_b; i++)
        ids[n++] = 2000 + i;
    if (n_b > 0)
        ids[n++] = 0;
    tok_describe(NULL, &h->arena, ids, NULL, n, t);
    for (int i = 0; i < n; i++) {
        t->special[i] = ids[i] == 0;
        t->chars[i] = (struct range){ i, i + 1 };
    }
}

/* [CLS] a.. [SEP] b.. [SEP], or without b: how many stay of each, as the package has it. */
static void test_cut(void **state)
{
    static const struct { int a, b, max, kept_a, kept_b; } cases[] = {
        { 100, 0, 64, 62, 0 }, { 100, 20, 64, 41, 20 }, { 20, 100, 64, 20, 41 },
        { 50, 60, 64, 30, 31 }, { 60, 50, 64, 31, 30 }, { 50, 50, 64, 30, 31 },
        { 10, 10, 64, 10, 10 }, { 10, 0, 2, 0, 0 }, { 50, 60, 10, 3, 4 },
        { 60, 50, 10, 4, 3 }, { 3, 90, 9, 3, 3 },
    };
    struct help *h = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int kept[2] = { 0, 0 };
        struct tokens t;

        text_of(h, cases[i].a, cases[i].b, &t);
        tok_cut(&t, cases[i].max);
        for (int k = 0; k < t.n; k++)
            if (t.id[k] != 0)       /* each text from its beginning, in order */
                assert_int_equal(t.id[k] % 1000, kept[t.id[k] / 1000 - 1]++);
        assert_int_equal(kept[0], cases[i].kept_a);
        assert_int_equal(kept[1], cases[i].kept_b);
        assert_int_equal(t.id[t.n - 1], 0);
        assert_true(t.special[0] && t.special[t.n - 1] && t.n <= cases[i].max);
    }
}

/* Where the template itself has no place, the first tokens stay; words go with theirs. */
static void test_cut_short(void **state)
{
    struct help *h = *state;
    struct tokens t;

    tok_describe(NULL, &h->arena, (int[]){ 0, 10, 11, 12, 0, 20, 0 }, NULL, 7, &t);
    t.special[0] = t.special[4] = t.special[6] = 1;
    t.word = arena_alloc(&h->arena, 7, sizeof *t.word);
    for (int i = 0; i < 7; i++)
        t.word[i] = i;
    tok_cut(&t, 5);
    assert_int_equal(t.n, 5);
    assert_memory_equal(t.word, ((int[]){ 0, 1, 4, 5, 6 }), 5 * sizeof(int));
    tok_cut(&t, 2);
    assert_int_equal(t.n, 2);
    assert_int_equal(t.id[1], 10);
}

/* The piece's own tokens of a text that begins with this id, in a frame of the others. */
static void check_piece(struct help *h, const struct tokens *t, const struct tok_split *s,
                        int piece, int from, int end)
{
    int first = t->id[s->cut.start], at = s->cut.start;
    struct tokens out;

    tok_split_piece(t, s, piece, &h->arena, &out);
    assert_int_equal(out.n, t->n - (s->cut.end - s->cut.start) + end - from);
    for (int i = 0; i < at; i++)
        assert_int_equal(out.id[i], t->id[i]);
    for (int i = from; i < end; i++, at++) {
        assert_int_equal(out.id[at], first + i);
        assert_int_equal(out.chars[at].start, t->chars[s->cut.start + i].start);
        assert_string_equal(out.piece[at], t->piece[s->cut.start + i]);
        assert_ptr_not_equal(out.label[at], t->label[s->cut.start + i]);
    }
    for (int i = s->cut.end; i < t->n; i++, at++) {
        assert_int_equal(out.id[at], t->id[i]);
        assert_int_equal(out.special[at], t->special[i]);
    }
}

/*
 * Begin and end of each piece, as tokenizers 0.23 makes them: enable_truncation(max, overlap),
 * of pairs with only_first or only_second.
 */
static void test_split(void **state)
{
    static const struct {
        int a, b, max, overlap, n, piece[7][2];
    } cases[] = {
        { 10, 0, 12, 0, 1, { { 0, 10 } } },
        { 11, 0, 12, 0, 2, { { 0, 10 }, { 10, 11 } } },
        { 20, 0, 12, 0, 2, { { 0, 10 }, { 10, 20 } } },
        { 21, 0, 12, 0, 3, { { 0, 10 }, { 10, 20 }, { 20, 21 } } },
        { 20, 0, 12, 3, 3, { { 0, 10 }, { 7, 17 }, { 14, 20 } } },
        { 24, 0, 12, 3, 3, { { 0, 10 }, { 7, 17 }, { 14, 24 } } },
        { 25, 0, 12, 3, 4, { { 0, 10 }, { 7, 17 }, { 14, 24 }, { 21, 25 } } },
        { 3, 0, 3, 0, 3, { { 0, 1 }, { 1, 2 }, { 2, 3 } } },
        { 12, 0, 12, 9, 3, { { 0, 10 }, { 1, 11 }, { 2, 12 } } },
        { 3, 20, 12, 0, 4, { { 0, 6 }, { 6, 12 }, { 12, 18 }, { 18, 20 } } },
        { 3, 20, 12, 2, 5, { { 0, 6 }, { 4, 10 }, { 8, 14 }, { 12, 18 }, { 16, 20 } } },
        { 20, 3, 12, 2, 5, { { 0, 6 }, { 4, 10 }, { 8, 14 }, { 12, 18 }, { 16, 20 } } },
        { 3, 6, 12, 0, 1, { { 0, 6 } } },
    };
    struct help *h = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tok_split split;
        struct tokens t;

        text_of(h, cases[i].a, cases[i].b, &t);
        assert_true(tok_split(&t, cases[i].b > 0, cases[i].max, cases[i].overlap, &split));
        assert_int_equal(split.n, cases[i].n);
        assert_int_equal(split.second, cases[i].b > cases[i].a);
        for (int k = 0; k < split.n; k++)
            check_piece(h, &t, &split, k, cases[i].piece[k][0], cases[i].piece[k][1]);
    }
}

/* The template and the overlap leave no place for anything new. */
static void test_split_no_room(void **state)
{
    static const struct { int a, b, max, overlap; } cases[] = {
        { 5, 0, 2, 0 }, { 5, 0, 1, 0 }, { 5, 0, 5, 3 }, { 5, 6, 8, 0 }, { 5, 6, 10, 2 },
    };
    struct help *h = *state;
    struct tok_split split;
    struct tokens t;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text_of(h, cases[i].a, cases[i].b, &t);
        assert_false(tok_split(&t, cases[i].b > 0, cases[i].max, cases[i].overlap, &split));
        assert_int_equal(split.n, 0);
    }
    /* Nothing but a template. */
    text_of(h, 0, 0, &t);
    assert_false(tok_split(&t, false, 1, 0, &split));
    assert_true(tok_split(&t, false, 2, 1, &split));
    assert_int_equal(split.n, 1);
    assert_int_equal(tok_split_range(&split, 0).start, tok_split_range(&split, 0).end);
}

/* Special tokens inside of ids that were given are cut as all others are; words stay. */
static void test_split_ids(void **state)
{
    struct help *h = *state;
    struct tok_split split;
    struct tokens t, out;

    tok_describe(NULL, &h->arena, (int[]){ 0, 10, 11, 0, 12, 13, 0 }, NULL, 7, &t);
    t.special[0] = t.special[3] = t.special[6] = 1;
    t.word = (int[]){ -1, 0, 1, -1, 2, 3, -1 };
    assert_true(tok_split(&t, false, 5, 0, &split));
    assert_int_equal(split.n, 2);
    tok_split_piece(&t, &split, 0, &h->arena, &out);
    assert_memory_equal(out.id, ((int[]){ 0, 10, 11, 0, 0 }), sizeof(int[5]));
    tok_split_piece(&t, &split, 1, &h->arena, &out);
    assert_int_equal(out.n, 4);
    assert_memory_equal(out.id, ((int[]){ 0, 12, 13, 0 }), sizeof(int[4]));
    assert_memory_equal(out.word, ((int[]){ -1, 2, 3, -1 }), sizeof(int[4]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_cut), TEST(test_cut_short), TEST(test_split), TEST(test_split_no_room),
        TEST(test_split_ids),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

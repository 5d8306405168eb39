/* SPDX-License-Identifier: MIT
 * Links between words, and how often they are arcs of trees: computed by hand. */
#include "analysis_rows.h"

#include "gold/arcs.h"
#include "gold/gold.h"

/*
 * Tokens: a special one, word 0 in two pieces, word 1, a token of no word, word 2.  Rows of the
 * words (columns of words 0, 1, 2; the two pieces' mean):
 *
 *     0    (.3 + .5 + 0 + .2) / 2 = .5    (.4 + .2) / 2 = .3     (.1 + .1) / 2 = .1
 *     1    .25 + .25 = .5                 .125                   .25
 *     2    0                              .25                    .5
 */
static const float weight[6 * STRIDE] = {
    1, 0, 0, 0, 0, 0, 0, 0,
    0.1f, 0.3f, 0.5f, 0, 0, 0.1f, 0, 0,
    0, 0, 0.2f, 0.7f, 0, 0.1f, 0, 0,
    0, 0.25f, 0.25f, 0.125f, 0.125f, 0.25f, 0, 0,
    1, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0.25f, 0.25f, 0.5f, 0, 0,
};
static const int of[] = { -1, 0, 0, 1, -1, 2 };

static void links(void **state)
{
    static const struct arcs_pair pair[] = { { 0, 1 }, { 2, 0 } };
    const struct arcs_words words = { .of = of, .n = 3, .pair = pair, .n_pairs = 2 };
    const int length = 6;
    struct wanted want = { 0 };
    struct arena arena;
    struct attended texts;
    struct arcs *arcs;
    const int *to, *from;

    (void)state;
    arena_init(&arena, NULL, NULL);
    texts = rows_texts(&arena, &length, 1, NULL);
    arcs = arcs_new(&arena, &rows_model, &texts, &want, &words);
    rows_give(arcs_sink(arcs), 0, 1, 0, 6, weight, false);
    to = arcs_looks_at(arcs, 0, 1, 0);
    from = arcs_is_looked_at_by(arcs, 0, 1, 0);
    /* .35 on word 1; .5 on word 0; .25 on word 1 */
    assert_int_equal(to[0], 1);
    assert_int_equal(to[1], 0);
    assert_int_equal(to[2], 1);
    /* columns without their own row: .5 of word 1, .35 of word 0, .25 of word 1 */
    assert_int_equal(from[0], 1);
    assert_int_equal(from[1], 0);
    assert_int_equal(from[2], 1);
    /* all rows of words: columns 1 and 2; 3; 5 */
    check_near("mass", 0, arcs_mass(arcs, 0, 1, 0)[0], 0.8 + 0.2 + 0.5, 1e-6);
    check_near("mass", 1, arcs_mass(arcs, 0, 1, 0)[1], 0.7 + 0.125 + 0.25, 1e-6);
    check_near("mass", 2, arcs_mass(arcs, 0, 1, 0)[2], 0.1 + 0.1 + 0.25 + 0.5, 1e-6);
    /* .35 of word 0 on 1, 0 of word 2 on 0; as far apart as the first: .25 of word 1 on 2 */
    check_near("pairs", 0, arcs_pairs(arcs, 0, 1, 0).pairs, 0.35, 1e-6);
    check_near("even", 0, arcs_pairs(arcs, 0, 1, 0).even, 0.25, 1e-6);
    check_near("pairs", 1, arcs_pairs(arcs, 0, 0, 0).pairs, 0, 0);
    /* a head without rows: the smallest word */
    assert_int_equal(arcs_looks_at(arcs, 0, 0, 0)[2], 0);
    arena_finish(&arena);
}

/* Three words: 1 -> 0 (det, scored), 2 -> 1 (obj), 0 -> root. */
static struct gold_tree tree_of(const int *relation, const bool *scored, bool odd)
{
    static const int head[] = { -1, 0, 1 };

    static const int tag[] = { 0, 1, 0 };

    return (struct gold_tree){ 3, head, relation, tag, scored, odd };
}

static void counts(void **state)
{
    static const bool all[] = { true, true, true }, few[] = { true, true, false };
    static const int right[] = { 2, 0, 1 }, wrong[] = { 1, 2, 0 }, by[] = { 1, 0, 1 };
    struct arena arena;
    struct gold *gold;
    int relation[3];
    struct gold_tree even, odd;
    struct gold_arcs arcs;
    struct gold_held held;

    (void)state;
    arena_init(&arena, NULL, NULL);
    gold = gold_new(&arena, 2, false);
    relation[0] = gold_relation(gold, "root");
    relation[1] = gold_relation(gold, "det");
    relation[2] = gold_relation(gold, "obj");
    assert_int_equal(gold_tag(gold, "NOUN"), 0);
    assert_int_equal(gold_tag(gold, "DET"), 1);
    assert_int_equal(gold_tag(gold, "NOUN"), 0);
    assert_int_equal(gold_relation(gold, "det"), 2);
    assert_int_equal(gold_relations(gold), 4);
    even = tree_of(relation, all, false);
    odd = tree_of(relation, few, true);
    gold_add_tree(gold, &even);
    gold_add_tree(gold, &odd);
    gold_add_head(gold, &even, 0, wrong, by);
    gold_add_head(gold, &even, 1, right, by);
    gold_add_head(gold, &odd, 0, wrong, by);
    gold_add_head(gold, &odd, 1, right, wrong);
    /* 3 of 5 scored words are nouns; head 0 gives 2 + 6 of 10 to them */
    gold_add_mass(gold, &even, 0, (const double[]){ 2, 1, 0 });
    gold_add_mass(gold, &odd, 0, (const double[]){ 6, 1, 0 });
    check_near("words", 0, gold_tag_words(gold, 0), 0.6, 1e-15);
    check_near("share", 0, gold_tag_share(gold, 0, 0), 0.8, 1e-15);
    assert_true(isnan(gold_tag_share(gold, 0, 1)));
    assert_int_equal(gold_tags(gold), 2);
    /* all: det and obj, twice; offset -1 finds them all */
    arcs = gold_arcs(gold, 0);
    assert_string_equal(arcs.relation, "all");
    assert_int_equal(arcs.n, 4);
    assert_int_equal(arcs.n_scored, 3);
    assert_int_equal(arcs.offset, -1);
    check_near("baseline", 0, arcs.baseline, 1, 0);
    /* the root is word 1 less 1: offset -1, and lower ones are cut to it */
    arcs = gold_arcs(gold, 1);
    assert_int_equal(arcs.offset, -3);
    assert_int_equal(arcs.n_scored, 0);
    check_near("root", 0, arcs.baseline, 1, 0);
    assert_true(isnan(gold_accuracy(gold, 1, 0, GOLD_TO_HEAD)));
    /* head 1 finds det and obj of the even sentence, and det of the odd one */
    check_near("to_head", 1, gold_accuracy(gold, 0, 1, GOLD_TO_HEAD), 1, 0);
    check_near("to_head", 0, gold_accuracy(gold, 0, 0, GOLD_TO_HEAD), 0, 0);
    check_near("from_head", 0, gold_accuracy(gold, 0, 0, GOLD_FROM_HEAD), 1, 0);
    check_near("from_head", 1, gold_accuracy(gold, 2, 1, GOLD_FROM_HEAD), 0.5, 0);
    check_near("later", 1, gold_accuracy(gold, 3, 1, GOLD_LATER), 1, 0);
    /* even sentences: both ways of head 1 are right, the first is chosen */
    held = gold_held(gold, 0, 1);
    assert_int_equal(held.way, GOLD_TO_HEAD);
    assert_int_equal(held.n, 1);
    check_near("chosen", 0, held.chosen, 1, 0);
    check_near("accuracy", 0, held.accuracy, 1, 0);
    /* Wilson of 1 of 1: middle (1 + z^2 / 2) / (1 + z^2), half z^2 / 2 of the same */
    check_near("low", 0, held.low, 1 / (1 + 3.8414588206941227), 1e-12);
    check_near("high", 0, held.high, 1, 1e-12);
    assert_int_equal(gold_held(gold, 0, 0).way, GOLD_FROM_HEAD);
    assert_int_equal(gold_choice(gold, 0), 0);      /* the first of the best */
    assert_int_equal(gold_choice(gold, 1), -1);
    held = gold_held(gold, 3, 1);                   /* obj has no odd arc that is scored */
    assert_int_equal(held.n, 0);
    assert_true(isnan(held.accuracy) && isnan(held.low) && isnan(held.baseline));
    assert_false(gold_holds(&held, 0, 0));
    arena_finish(&arena);
}

/* The word that stands later: of 1 -> 0 it is 1; of 0 -> 1 it is 1 too. */
static void later(void **state)
{
    static const int tag[] = { 0, 0 };
    static const int head[] = { 1, -1 }, looks_at[] = { 0, 0 }, looked_at[] = { 1, 0 };
    static const bool scored[] = { true, true };
    struct arena arena;
    struct gold *gold;
    int relation[2];

    (void)state;
    arena_init(&arena, NULL, NULL);
    gold = gold_new(&arena, 1, true);
    gold_tag(gold, "X");
    relation[0] = gold_relation(gold, "det");
    relation[1] = gold_relation(gold, "root");
    gold_add_tree(gold, &(struct gold_tree){ 2, head, relation, tag, scored, false });
    gold_add_head(gold, &(struct gold_tree){ 2, head, relation, tag, scored, false }, 0, looks_at,
                  looked_at);
    check_near("later", 0, gold_accuracy(gold, 1, 0, GOLD_LATER), 1, 0);
    check_near("to_head", 0, gold_accuracy(gold, 1, 0, GOLD_TO_HEAD), 0, 0);
    assert_int_equal(gold_held(gold, 1, 0).way, GOLD_LATER);
    arena_finish(&arena);
}

/* Ten points, an interval above the baseline, and enough arcs. */
static void rule(void **state)
{
    struct gold_held held = { .n = 100, .accuracy = 0.5, .low = 0.41, .baseline = 0.4 };

    (void)state;
    assert_true(gold_holds(&held, 0.1, 100));
    held.n = 99;
    assert_false(gold_holds(&held, 0.1, 100));
    held.n = 100;
    held.accuracy = 0.49;
    assert_false(gold_holds(&held, 0.1, 100));
    assert_true(gold_holds(&held, 0.05, 100));
    held.low = 0.4;
    assert_false(gold_holds(&held, 0.05, 100));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links), cmocka_unit_test(counts), cmocka_unit_test(later),
        cmocka_unit_test(rule),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 * Labels of scores made by hand, at their thresholds and beside them; probes on rows made by
 * hand. */
#include "analysis_rows.h"

#include "analysis/rests.h"
#include "analysis/types.h"
#include "gold/probe.h"
#include "gold/ranking.h"
#include "gold/retrieval.h"

static struct types_head head_of(int64_t n_rows, int64_t n_texts)
{
    struct types_head head = { .n_rows = n_rows, .n_texts = n_texts, .n_long = n_texts,
                               .same = NAN };

    for (int i = 0; i < N_TYPES_SCORE; i++)
        head.score[i] = NAN;
    return head;
}

/* The labels that hold are these, with commas between; the primary one is the one with '!'. */
static void expect(const struct types_rules *r, const struct types_head *h, const char *want)
{
    struct types_found found;
    char text[512] = "";

    types_find(r, h, &found);
    for (int i = 0; i < found.n; i++) {
        strcat(text, i > 0 ? "," : "");
        strcat(text, found.label[i].name);
        strcat(text, i == found.primary ? "!" : "");
    }
    assert_string_equal(text, want);
}

/* One score of a head of 200 rows of 10 texts, at the threshold and just beside it. */
static void expect_one(enum types_score score, double holds, const char *want, double fails,
                       const char *other)
{
    const struct types_rules rules = types_rules(TYPES_MHA_VIZ, false);
    struct types_head head = head_of(200, 10);

    head.score[score] = holds;
    expect(&rules, &head, want);
    head.score[score] = fails;
    expect(&rules, &head, other);
}

static void thresholds(void **state)
{
    (void)state;
    expect_one(TYPES_probe_induction, 0.4, "induction!", 0.39, "heterogeneous!");
    expect_one(TYPES_probe_duplicate, 0.4, "duplicate-token!", 0.39, "heterogeneous!");
    expect_one(TYPES_probe_retrieval_first, 0.3, "retrieval!", 0.29, "heterogeneous!");
    expect_one(TYPES_probe_retrieval, 1, "heterogeneous!", 0, "heterogeneous!");
    expect_one(TYPES_probe_negative_copy, 0.5, "negative-copy!", 0.49, "heterogeneous!");
    expect_one(TYPES_probe_copy_rank, 0.5, "copying,heterogeneous!", 0.49, "heterogeneous!");
    expect_one(TYPES_probe_previous, 0.5, "previous!", 0.49, "heterogeneous!");
    expect_one(TYPES_prev, 0.5, "previous!", 0.49, "heterogeneous!");
    expect_one(TYPES_next, 0.5, "next!", 0.49, "heterogeneous!");
    expect_one(TYPES_offset_m2, 0.5, "offset -2!", 0.49, "heterogeneous!");
    expect_one(TYPES_offset_8, 0.5, "offset +8!", 0.49, "heterogeneous!");
    expect_one(TYPES_bos, 0.61, "sink-first!", 0.6, "heterogeneous!");
    expect_one(TYPES_alpha_0, 0.31, "weak,heterogeneous!", 0.3, "heterogeneous!");
    expect_one(TYPES_sink_long, 0.31, "sink-elsewhere!", 0.3, "heterogeneous!");
    expect_one(TYPES_sink_other, 1, "heterogeneous!", 0, "heterogeneous!");
    expect_one(TYPES_null_mass, 0.61, "null-sink!", 0.6, "heterogeneous!");
    expect_one(TYPES_stream_dev, 0.09, "streaming,heterogeneous!", 0.1, "heterogeneous!");
    expect_one(TYPES_sep, 0.61, "separator!", 0.6, "heterogeneous!");
    expect_one(TYPES_punct, 0.61, "punctuation!", 0.6, "heterogeneous!");
    expect_one(TYPES_entropy_norm, 0.78, "broad!", 0.77, "heterogeneous!");
    expect_one(TYPES_pattern_block, 0.5, "block!", 0.49, "heterogeneous!");
}

/* A share above the threshold that chance does not give. */
static void successors(void **state)
{
    const struct types_rules rules = types_rules(TYPES_MHA_VIZ, false);
    struct types_head head = head_of(0, 0);

    (void)state;
    head.score[TYPES_probe_successor] = 0.41;
    expect(&rules, &head, "");
    head.score[TYPES_probe_successor_p] = 0.051;
    expect(&rules, &head, "");
    head.score[TYPES_probe_successor_p] = 0.05;
    expect(&rules, &head, "successor!");
    head.score[TYPES_probe_successor] = 0.4;
    expect(&rules, &head, "");
}

/* Strongest links are a label where they have twice the weight of uniform rows. */
static void links(void **state)
{
    const struct types_rules rules = types_rules(TYPES_MHA_VIZ, false);
    static const enum types_score argmax[] = { TYPES_argmax_prev, TYPES_argmax_next,
                                               TYPES_argmax_self };
    static const enum types_score weight[] = { TYPES_prev, TYPES_next, TYPES_self };
    static const char *const want[] = { "previous", "next", "self" };

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct types_head head = head_of(200, 10);
        struct types_found found;

        head.score[argmax[i]] = 0.9;
        head.score[weight[i]] = 0.2;
        expect(&rules, &head, "heterogeneous!");        /* nothing to compare it with */
        head.score[TYPES_key_even] = 0.1;
        types_find(&rules, &head, &found);
        assert_string_equal(found.label[0].name, want[i]);
        assert_true(found.label[0].links && found.label[0].score == 0.9);
        assert_memory_equal(found.label[0].by, "argmax_", 7);
        head.score[TYPES_key_even] = 0.101;
        expect(&rules, &head, "heterogeneous!");
        head.score[TYPES_key_even] = 0.1;
        head.score[argmax[i]] = 0.89;
        expect(&rules, &head, "heterogeneous!");
        head.score[weight[i]] = 0.5;
        types_find(&rules, &head, &found);
        assert_true(!found.label[0].links && found.label[0].score == 0.5);
        assert_string_equal(found.label[0].by, types_metrics[weight[i]].name);
    }
}

/* The largest of several; beside it neither local nor block says more. */
static void offsets(void **state)
{
    const struct types_rules rules = types_rules(TYPES_MHA_VIZ, false);
    struct types_head head = head_of(200, 10);
    struct types_found found;

    (void)state;
    head.score[TYPES_offset_3] = 0.6;
    head.score[TYPES_offset_m3] = 0.7;
    head.score[TYPES_local_4] = head.score[TYPES_pattern_block] = 1;
    head.score[TYPES_local_even] = 0.1;
    expect(&rules, &head, "offset -3!");
    types_find(&rules, &head, &found);
    assert_string_equal(found.label[0].by, "offset_-3");
    head.score[TYPES_offset_m3] = 0.5;
    expect(&rules, &head, "offset +3!");
    head.score[TYPES_offset_m3] = head.score[TYPES_offset_3] = 0.4;
    expect(&rules, &head, "local!");
    head.score[TYPES_local_4] = 0.6;
    expect(&rules, &head, "block!");
}

/* What kind of token it is says more than that it is one; the sink needs long texts, as many as
 * decide, or all. */
static void tokens(void **state)
{
    const struct types_rules rules = types_rules(TYPES_MHA_VIZ, false);
    struct types_head head = head_of(200, 20);

    (void)state;
    head.score[TYPES_sink_long] = 0.9;
    head.score[TYPES_sep] = 0.61;
    expect(&rules, &head, "separator!,sink-elsewhere");
    head.score[TYPES_sep] = 0.6;
    head.score[TYPES_punct] = 0.61;
    head.score[TYPES_write_rms] = 0.01;
    head.score[TYPES_sink_other] = 0.9;
    expect(&rules, &head, "punctuation!,dormant,sink-elsewhere");
    head.score[TYPES_punct] = head.score[TYPES_write_rms] = 0.6;
    head.score[TYPES_rare2] = 0.61;
    head.score[TYPES_key_even] = 0.1;
    expect(&rules, &head, "rare-token!,sink-elsewhere");
    head.score[TYPES_entropy_norm] = 0.78;      /* the largest weight is next to no larger */
    expect(&rules, &head, "sink-elsewhere!,broad");
    head.score[TYPES_entropy_norm] = 0.77;
    expect(&rules, &head, "rare-token!,sink-elsewhere");
    head.score[TYPES_key_even] = 0.15;          /* in short texts chance finds them */
    expect(&rules, &head, "sink-elsewhere!");
    head.score[TYPES_key_even] = 0;
    head.score[TYPES_rare2] = 0.49;
    expect(&rules, &head, "sink-elsewhere!");
    head.n_long = 10;
    expect(&rules, &head, "sink-elsewhere!");
    head.n_long = 9;
    expect(&rules, &head, "heterogeneous!");
    head.n_texts = 9;
    expect(&rules, &head, "undetermined!,sink-elsewhere");
    head.same = 0.5;
    expect(&rules, &head, "undetermined!,sink-elsewhere");
    head.same = 0.49;                           /* another word in each text */
    expect(&rules, &head, "undetermined!,heterogeneous");
}

/* The commonest token, or the commonest place from either end, whichever has more texts. */
static void resting(void **state)
{
    static const int id[] = { 5, 6, 7, 6, 5 + RESTS_TOKENS, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9 };
    static const int other[] = { 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35 };
    const struct token_list keys = { .n = 17, .id = id }, none = { .n = 17 };
    const struct token_list different = { .n = 16, .id = other },
                            shorter = { .n = 16, .id = other };
    struct rests rests = { 0 };

    (void)state;
    assert_true(isnan(rests_same(&rests)));
    rests_add(&rests, &keys, 1);
    check_near("once", 0, rests_same(&rests), 1, 0);
    rests_add(&rests, &keys, 3);
    check_near("the same id", 0, rests_same(&rests), 1, 0);
    rests_add(&rests, &keys, 0);
    rests_add(&rests, &keys, 4);
    check_near("ids that count as the same", 0, rests_same(&rests), 0.5, 0);
    rests = (struct rests){ 0 };
    rests_add(&rests, &none, 8);
    assert_true(isnan(rests_same(&rests)));     /* it is not known */
    for (int i = 8; i <= 9; i++)
        rests_add(&rests, &keys, i);            /* 8 from both ends; 7 from the last, the same id */
    check_near("the same id, again", 0, rests_same(&rests), 0.5 + 0.5 * (id[8] == id[9]), 0);
    rests = (struct rests){ 0 };
    rests_add(&rests, &keys, 0);
    rests_add(&rests, &keys, 1);
    rests_add(&rests, &keys, 2);
    rests_add(&rests, &different, 2);
    check_near("from the start", 0, rests_same(&rests), 0.5, 0);
    rests_add(&rests, &shorter, 14);
    rests_add(&rests, &keys, 15);
    check_near("from the end", 0, rests_same(&rests), 2 / 6.0, 0);
}

/* A segment is not all. */
static void segments(void **state)
{
    const struct types_rules rules = types_rules(TYPES_MHA_VIZ, false);
    struct types_head head = head_of(200, 10);

    (void)state;
    head.score[TYPES_entropy_norm] = 0.9;
    head.score[TYPES_pattern_block] = 0.5;
    expect(&rules, &head, "block!");
    head.score[TYPES_pattern_block] = 0.49;
    expect(&rules, &head, "broad!");
}

/* Undetermined stands after the labels of probes and before those of texts. */
static void order(void **state)
{
    const struct types_rules rules = types_rules(TYPES_MHA_VIZ, true);
    struct types_head head = head_of(199, 10);

    (void)state;
    head.score[TYPES_bos] = head.score[TYPES_alpha_0] = 0.9;
    expect(&rules, &head, "undetermined!,sink-first,weak");
    head.score[TYPES_probe_induction] = 0.9;
    expect(&rules, &head, "induction!,undetermined,sink-first,weak");
    head.n_rows = 200;
    expect(&rules, &head, "induction!,sink-first,weak");
    head.n_texts = 9;
    expect(&rules, &head, "induction!,undetermined,sink-first,weak");
    head = head_of(0, 0);
    expect(&rules, &head, "");
    head.score[TYPES_probe_previous] = 0.5;
    expect(&rules, &head, "previous!");
    head = head_of(300, 20);
    head.score[TYPES_probe_previous] = head.score[TYPES_prev] = 0.9;
    expect(&rules, &head, "previous!");
    head = head_of(300, 20);
    expect(&rules, &head, "heterogeneous!");
    head.partial = true;
    expect(&rules, &head, "");
}

/* A decoder's heads see neither the next token nor a separator, nor segments. */
static void of_decoders(void **state)
{
    const struct types_rules rules = types_rules(TYPES_MHA_VIZ, true);
    struct types_head head = head_of(200, 10);

    (void)state;
    head.score[TYPES_next] = head.score[TYPES_sep] = head.score[TYPES_pattern_block] = 0.9;
    expect(&rules, &head, "heterogeneous!");
}

/* The first token's own share is the larger one: no other token is the sink. */
static void sinks(void **state)
{
    const struct types_rules rules = types_rules(TYPES_MHA_VIZ, true);
    struct types_head head = head_of(200, 10);

    (void)state;
    head.score[TYPES_sink_long] = 0.4;
    head.score[TYPES_alpha_0] = 0.45;
    expect(&rules, &head, "weak,heterogeneous!");
    head.score[TYPES_alpha_0] = 0.35;
    expect(&rules, &head, "sink-elsewhere!,weak");
}

/* What rests on one token, the first or another, and writes a tenth of what its layer does. */
static void dormant(void **state)
{
    const struct types_rules rules = types_rules(TYPES_MHA_VIZ, true);
    struct types_head head = head_of(200, 10);

    (void)state;
    head.score[TYPES_write_rms] = 0.09;
    expect(&rules, &head, "heterogeneous!");
    head.score[TYPES_alpha_0] = head.score[TYPES_bos] = 0.61;
    expect(&rules, &head, "dormant!,sink-first,weak");
    head.score[TYPES_alpha_0] = head.score[TYPES_bos] = 0.2;
    head.score[TYPES_sink_other] = 0.61;
    expect(&rules, &head, "dormant!");
    head.score[TYPES_sink_other] = 0.6;
    expect(&rules, &head, "heterogeneous!");
    head.score[TYPES_sink_other] = 0.61;
    head.score[TYPES_write_rms] = 0.1;
    expect(&rules, &head, "heterogeneous!");
}

static void of_gold(void **state)
{
    const struct types_rules rules = types_rules(TYPES_MHA_VIZ, true);
    struct types_head head = head_of(200, 10);

    (void)state;
    head.relation = "det";
    head.resolves = true;
    head.score[TYPES_local_4] = 0.9;
    head.score[TYPES_local_even] = 0.1;
    expect(&rules, &head, "syntactic!,coreference,local");
}

/* Of 4 layers, 2 and 3 are the last third. */
static void late(void **state)
{
    const struct types_rules rules = types_rules(TYPES_MHA_VIZ, true);
    struct types_head head = head_of(0, 0);

    (void)state;
    head.score[TYPES_probe_negative_copy] = 0.9;
    head.n_layers = 4;
    head.layer = 1;
    expect(&rules, &head, "");
    head.layer = 2;
    expect(&rules, &head, "negative-copy!");
    head.score[TYPES_probe_copy_rank] = head.score[TYPES_probe_induction] = 0.9;
    expect(&rules, &head, "induction!,negative-copy,copying");
}

/* Half of what uniform rows leave: 0.5 + 0.5 / 2. */
static void local(void **state)
{
    const struct types_rules rules = types_rules(TYPES_MHA_VIZ, true);
    struct types_head head = head_of(200, 10);

    (void)state;
    head.score[TYPES_local_4] = 0.75;
    head.score[TYPES_local_even] = 0.5;
    expect(&rules, &head, "local!");
    head.score[TYPES_local_even] = 0.51;
    expect(&rules, &head, "heterogeneous!");
    head.score[TYPES_local_even] = 0.1;
    head.score[TYPES_local_4] = 0.69;
    expect(&rules, &head, "heterogeneous!");
    head.score[TYPES_local_4] = head.score[TYPES_local_even] = 1;
    expect(&rules, &head, "heterogeneous!");
    head.score[TYPES_local_even] = 0.2;
    head.score[TYPES_prev] = 0.5;
    expect(&rules, &head, "previous!");
}

static void clark(void **state)
{
    const struct types_rules both = types_rules(TYPES_CLARK, false),
                             back = types_rules(TYPES_CLARK, true);
    struct types_head head = head_of(200, 10);

    (void)state;
    expect(&both, &head, "other!");
    head.score[TYPES_prev_clark] = head.score[TYPES_next_clark] = 0.5;
    head.score[TYPES_entropy_clark] = 3.8;
    head.score[TYPES_first] = head.score[TYPES_sep] = head.score[TYPES_punct] = 0.6;
    expect(&both, &head, "other!");
    head.score[TYPES_prev_clark] = head.score[TYPES_next_clark] = 0.51;
    head.score[TYPES_entropy_clark] = 3.81;
    head.score[TYPES_first] = head.score[TYPES_sep] = head.score[TYPES_punct] = 0.61;
    head.score[TYPES_probe_induction] = 1;
    expect(&both, &head, "punctuation!,sep,cls,broad,prev,next");
    expect(&back, &head, "punctuation!,cls,broad,prev,next");
    head = head_of(5, 1);
    expect(&both, &head, "undetermined!,other");
}

static void kovaleva(void **state)
{
    const struct types_rules rules = types_rules(TYPES_KOVALEVA, false);
    static const struct { double v, d, b; const char *want; } cases[] = {
        { 0.6, 0.9, 0.9, "vertical!" }, { 0.59, 0.5, 0.9, "diagonal!" },
        { 0.3, 0.4, 0.9, "vertical+diagonal!" }, { 0.19, 0.49, 0.5, "block!" },
        { 0.19, 0.49, 0.49, "heterogeneous!" }, { 0.59, 0.19, NAN, "heterogeneous!" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct types_head head = head_of(200, 10);

        head.score[TYPES_pattern_vertical] = cases[i].v;
        head.score[TYPES_pattern_diagonal] = cases[i].d;
        head.score[TYPES_pattern_block] = cases[i].b;
        expect(&rules, &head, cases[i].want);
    }
}

static void kinds(void **state)
{
    const struct types_rules rules = types_rules(TYPES_CLARK, true);
    struct types_head head = head_of(200, 10);
    bool kind[N_TYPES_KIND];

    (void)state;
    types_kinds(&rules, &head, kind);
    for (int i = 0; i < N_TYPES_KIND; i++)
        assert_false(kind[i]);
    head.score[TYPES_near] = 0.3;
    head.score[TYPES_far] = 0.5;
    head.score[TYPES_offset_m2] = 0.95;
    head.score[TYPES_entropy_norm] = 0.8;
    types_kinds(&rules, &head, kind);
    assert_true(kind[TYPES_POSITIONAL] && kind[TYPES_GLOBAL] && kind[TYPES_FAR] &&
                !kind[TYPES_NEAR] && !kind[TYPES_MIDDLE]);
    head.score[TYPES_far] = 0.49;
    types_kinds(&rules, &head, kind);
    assert_true(kind[TYPES_MIDDLE] && !kind[TYPES_FAR]);
    head.score[TYPES_near] = 0.5;
    types_kinds(&rules, &head, kind);
    assert_true(kind[TYPES_NEAR] && !kind[TYPES_MIDDLE]);
}

/* ---- --threshold ---- */

static void refused(const char *list, const char *why)
{
    struct types_rules rules = types_rules(TYPES_MHA_VIZ, true);
    struct err e;

    assert_int_equal(types_rules_set(&rules, list, &e), -1);
    assert_int_equal(e.kind, ERR_USAGE);
    if (strstr(e.msg, why) == NULL)
        fail_msg("'%s': %s", list, e.msg);
}

static void lists(void **state)
{
    struct types_rules rules = types_rules(TYPES_MHA_VIZ, true);
    struct err e;

    (void)state;
    assert_int_equal(types_rules_set(&rules, "induction:0.25,texts:0", &e), 0);
    check_near("induction", 0, rules.threshold[TYPES_AT_induction], 0.25, 0);
    check_near("texts", 0, rules.threshold[TYPES_AT_texts], 0, 0);
    check_near("duplicate", 0, rules.threshold[TYPES_AT_duplicate], 0.4, 0);
    refused("", "'' is not a threshold and its value");
    refused("induction", "'induction' is not a threshold and its value");
    refused("inductoin:1", "'inductoin' is not a threshold; did you mean 'induction'?");
    refused("zzzzzzzzzz:1", "'zzzzzzzzzz' is not a threshold");
    refused("local:", "local: '' is not a number");
    refused("local:1x", "local: '1x' is not a number");
    refused("local:-1", "local: '-1' is not a number of at least 0");
    refused("local:nan", "local: 'nan' is not a number");
    refused("local:0x1", "local: '0x1' is not a number");
    refused("local:0.5,", "'' is not a threshold and its value");
    refused("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:1",
            "is not a threshold");
}

/* ---- a probe: a first token, then 2 drawn ones, then the same again ---- */

static void probe(void **state)
{
    /* i counts from the second token: rows 1 .. 3 have one before, rows 2 and 3 stand in the
       second half. */
    static const float weight[5 * STRIDE] = {
        1, 0, 0, 0, 0, 0, 0, 0,
        0.5f, 0.5f, 0, 0, 0, 0, 0, 0,
        0.25f, 0.5f, 0.25f, 0, 0, 0, 0, 0,
        0, 0.125f, 0.5f, 0.375f, 0, 0, 0, 0,
        0, 0, 0.25f, 0.625f, 0.125f, 0, 0, 0,
    };
    struct arena arena;
    const int length[] = { 5, 5 };
    struct wanted want = { 0 };
    struct attended texts;
    struct probe *probe;

    (void)state;
    arena_init(&arena, NULL, NULL);
    texts = rows_texts(&arena, length, 2, NULL);
    probe = probe_new(&arena, &rows_model, &texts, &want, (struct probe_shape){ 1, 2, false });
    rows_give(probe_sink(probe), 0, 1, 1, 5, weight, true);
    check_near("induction", 0, 2 * probe_score(probe, PROBE_INDUCTION, 1, 1),
               (0.5 + 0.625) / 2, 1e-15);
    check_near("duplicate", 0, 2 * probe_score(probe, PROBE_DUPLICATE, 1, 1),
               (0.125 + 0.25) / 2, 1e-15);
    check_near("previous", 0, 2 * probe_score(probe, PROBE_PREVIOUS, 1, 1),
               (0.5 + 0.5 + 0.625) / 3, 1e-15);
    check_near("self", 0, 2 * probe_score(probe, PROBE_SELF, 1, 1),
               (0.5 + 0.25 + 0.375 + 0.125) / 4, 1e-15);
    check_near("first", 0, 2 * probe_score(probe, PROBE_FIRST, 1, 1), (0.5 + 0.25) / 4, 1e-15);
    check_near("offset", 0, 2 * probe_score(probe, PROBE_OFFSET, 1, 1), (0.125 + 0.25) / 2,
               1e-15);
    check_near("offset_k", 0, probe_score(probe, PROBE_OFFSET_K, 1, 1), -2, 0);
    assert_true(isnan(probe_score(probe, PROBE_NEXT, 1, 1)));
    rows_give(probe_sink(probe), 1, 1, 1, 5, weight, true);
    check_near("induction", 1, probe_score(probe, PROBE_INDUCTION, 1, 1), (0.5 + 0.625) / 2,
               1e-15);
    check_near("another head", 0, probe_score(probe, PROBE_PREVIOUS, 0, 1), 0, 0);
    arena_finish(&arena);
}

/* The same of tokens that see those that follow: 2 drawn ones, twice, and no first token. */
static void probe_both(void **state)
{
    static const float weight[4 * STRIDE] = {
        0.1f, 0.2f, 0.7f, 0, 0, 0, 0, 0,
        0.3f, 0.1f, 0.1f, 0.5f, 0, 0, 0, 0,
        0.6f, 0.1f, 0.1f, 0.2f, 0, 0, 0, 0,
        0.1f, 0.8f, 0, 0.1f, 0, 0, 0, 0,
    };
    struct arena arena;
    const int length[] = { 4 };
    struct wanted want = { 0 };
    struct attended texts;
    struct probe *probe;

    (void)state;
    arena_init(&arena, NULL, NULL);
    texts = rows_texts(&arena, length, 1, NULL);
    probe = probe_new(&arena, &rows_model, &texts, &want, (struct probe_shape){ 0, 2, true });
    rows_give(probe_sink(probe), 0, 1, 1, 4, weight, false);
    check_near("duplicate", 0, probe_score(probe, PROBE_DUPLICATE, 1, 1),
               (0.7 + 0.5 + 0.6 + 0.8) / 4, 1e-7);
    check_near("next", 0, probe_score(probe, PROBE_NEXT, 1, 1), (0.2 + 0.1 + 0.2) / 3, 1e-7);
    check_near("first", 0, probe_score(probe, PROBE_FIRST, 1, 1), (0.3 + 0.6 + 0.1) / 3, 1e-7);
    check_near("offset", 0, probe_score(probe, PROBE_OFFSET, 1, 1), (0.6 + 0.8) / 2, 1e-7);
    check_near("offset_k", 0, probe_score(probe, PROBE_OFFSET_K, 1, 1), -2, 0);
    assert_true(isnan(probe_score(probe, PROBE_INDUCTION, 1, 1)));
    arena_finish(&arena);
}

/* Places in random tokens are labels where there is no text. */
static void places(void **state)
{
    const struct types_rules rules = types_rules(TYPES_MHA_VIZ, false);
    static const struct { enum types_score score; double value; const char *want; } cases[] = {
        { TYPES_probe_self, 0.5, "self!" }, { TYPES_probe_self, 0.49, "" },
        { TYPES_probe_next, 0.5, "next!" }, { TYPES_probe_next, 0.49, "" },
        { TYPES_probe_first, 0.61, "sink-first!" }, { TYPES_probe_first, 0.6, "" },
        { TYPES_probe_offset, 0.5, "offset +3!" }, { TYPES_probe_offset, 0.49, "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct types_head head = head_of(0, 0);

        head.score[cases[i].score] = cases[i].value;
        head.score[TYPES_probe_offset_k] = 3;
        expect(&rules, &head, cases[i].want);
        head.n_texts = head.n_long = 10;
        head.n_rows = 200;
        expect(&rules, &head, "heterogeneous!");
    }
}

/* ---- a needle: ids 9 5 6 7 8 3, then 5 6 6 8, while the head looks at 1 2 2 3 ---- */

static void retrieval(void **state)
{
    static const int id[] = { 9, 5, 6, 7, 8, 3, 5, 6, 6, 8 };
    static const int looks_at[] = { 1, 2, 2, 3 };
    static const struct retrieval_places places = { 1, 4, 6, 4 };
    struct attended_text text = { { .n = 10, .id = id }, { .n = 10, .id = id } };
    const struct attended texts = { 1, &text, false };
    struct wanted want = { 0 };
    struct arena arena;
    struct retrieval *r;
    struct retrieval_found found;

    (void)state;
    arena_init(&arena, NULL, NULL);
    r = retrieval_new(&arena, &rows_model, &texts, &want, &places);
    for (int i = 0; i < 10; i++) {
        /* Two keys alike: the first of them counts; a window begins at key 1. */
        float weight[9] = { 0 };
        struct rows rows = { .text = 0, .layer = 1, .head = 0, .row0 = i, .n_rows = 1,
                             .key0 = 1, .n_keys = 9, .stride = 9, .weight = weight };

        if (i >= 5 && i < 9)
            weight[looks_at[i - 5] - 1] = weight[8] = 0.5f;
        retrieval_sink(r).take(retrieval_sink(r).self, &rows, 1);
    }
    found = retrieval_of(r, 1, 0);
    check_near("set", 0, found.set, 0.5, 0);
    check_near("steps", 0, found.steps, 0.75, 0);
    assert_true(found.first && found.any);
    found = retrieval_of(r, 0, 0);
    check_near("set", 1, found.set, 0, 0);
    assert_false(found.first || found.any);
    arena_finish(&arena);
}

/* The row before each of two gold tokens: 2 is foreseen, 0 is not. */
static void known(void **state)
{
    static const int id[] = { 2, 0, 2, 0 };
    static const struct retrieval_places places = { 0, 2, 2, 2 };
    static const float logits[] = { 9, 0, 0, 0, 1, 2, 0, 3, 3, 9, 0, 0 };

    (void)state;
    assert_int_equal(retrieval_known(&places, id, logits, 3), 1);
}

/* Of keys 0 and 1, the document, row 2 with the question gives .5 and .3, rows 2 and 3 without
 * give .2 and .1, .4 and .3. */
static void ranking(void **state)
{
    static const double oracle[] = { .2, .1, 0 };
    static const double low[] = { .1, .1, .1, .1, .1, .1, -.9 };
    static const struct ranking_places places = { 0, 2, { 2, 2 }, { 1, 2 } };
    static const float asked[3 * STRIDE] = { [2 * STRIDE] = 0.5f, 0.3f, 0.2f };
    static const float open[4 * STRIDE] = { [2 * STRIDE] = 0.2f, 0.1f, 0.7f,
                                            [3 * STRIDE] = 0.4f, 0.3f, 0.2f, 0.1f };
    static const int length[] = { 3, 4 };
    const struct wanted want = { 0 };
    struct attended texts;
    struct ranking *r;
    struct arena arena;

    (void)state;
    check_near("oracle of metrics", 0, ranking_sum(oracle, 3), .3, 1e-15);
    check_near("one token", 0, ranking_sum(oracle, 1), 0, 0);
    check_near("far below the others", 0, ranking_sum(low, 7), .6, 1e-15);
    arena_init(&arena, NULL, NULL);
    texts = rows_texts(&arena, length, 2, NULL);
    r = ranking_new(&arena, &rows_model, &texts, &want, &places);
    rows_give(ranking_sink(r), 0, 1, 0, 3, asked, true);
    rows_give(ranking_sink(r), 1, 1, 0, 4, open, true);
    check_near("score", 0, ranking_score(r, 1, 0), .5 - .3 + .3 - .2, 2e-7);
    check_near("another head", 0, ranking_score(r, 0, 1), 0, 0);
    arena_finish(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thresholds), cmocka_unit_test(successors),
        cmocka_unit_test(links), cmocka_unit_test(offsets), cmocka_unit_test(tokens),
        cmocka_unit_test(resting), cmocka_unit_test(segments),
        cmocka_unit_test(order), cmocka_unit_test(of_decoders),
        cmocka_unit_test(sinks), cmocka_unit_test(dormant), cmocka_unit_test(late),
        cmocka_unit_test(of_gold), cmocka_unit_test(local), cmocka_unit_test(clark),
        cmocka_unit_test(kovaleva), cmocka_unit_test(kinds), cmocka_unit_test(lists),
        cmocka_unit_test(probe), cmocka_unit_test(probe_both), cmocka_unit_test(places),
        cmocka_unit_test(retrieval), cmocka_unit_test(known),
        cmocka_unit_test(ranking),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

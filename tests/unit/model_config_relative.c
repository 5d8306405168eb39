/* SPDX-License-Identifier: MIT
 * Keys of families whose scores look at distances: what they make of the numbers, and
 * every value that is wrong. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "model/model.h"

#define DEBERTA "{\"model_type\":\"deberta\""
#define DEBERTA2 "{\"model_type\":\"deberta-v2\""
#define XLNET "{\"model_type\":\"xlnet\""
#define ON ",\"relative_attention\":true"

static struct arena arena;

static int read_text(const char *json, struct config *c, struct err *e)
{
    const struct span bytes = { (const unsigned char *)json, strlen(json) };
    const struct family *f;

    return config_read(c, &f, &arena, bytes, "config.json", TOWER_NONE, e);
}

static struct config good(const char *json)
{
    struct config c;
    struct err e = { ERR_NONE, "" };

    if (read_text(json, &c, &e) != 0)
        fail_msg("%s: %s", json, e.msg);
    return c;
}

static void bad(const char *json, const char *why)
{
    struct config c;
    struct err e = { ERR_NONE, "" };

    if (read_text(json, &c, &e) != -1)
        fail_msg("%s: was taken", json);
    assert_int_equal(e.kind, ERR_INPUT);
    assert_ptr_equal(strstr(e.msg, "config.json: "), e.msg);
    if (strstr(e.msg, why) == NULL)
        fail_msg("%s: '%s', expected '%s'", json, e.msg, why);
}

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

/* The keys at their default: no look at distances, a table of positions. */
static void defaults(void **state)
{
    struct config c = good(DEBERTA "}");

    (void)state;
    assert_true(!c.relative.on && c.relative.input && !c.relative.c2p && !c.relative.p2c);
    assert_true(c.score.query_scalar == 64 && c.norm.eps == 1e-7);
    assert_int_equal(c.n_types, 0);
    c = good(DEBERTA2 "}");
    assert_true(!c.relative.on && c.relative.input && !c.relative.shared);
    assert_int_equal(c.front.conv_width, 0);
    assert_int_equal(c.front.conv_act, ACT_TANH);
    c = good(XLNET "}");
    assert_int_equal(c.d_head, 64);
    assert_int_equal(c.relative.clamp, -1);
    assert_false(c.is_decoder);
    assert_true(good(XLNET ",\"attn_type\":\"uni\",\"is_decoder\":false}").is_decoder);
    /* Their reference never masks these, whatever the key says. */
    assert_false(good(DEBERTA ",\"is_decoder\":true}").is_decoder);
}

/* Lists are taken as they are, strings in any case and with blanks. */
static void kinds_of_positions(void **state)
{
    struct config c = good(DEBERTA2 ON ",\"pos_att_type\":[\"p2c\",\"c2p\"]}");

    (void)state;
    assert_true(c.relative.on && c.relative.c2p && c.relative.p2c);
    assert_true(c.score.query_scalar == 3 * 64);
    c = good(DEBERTA2 ON ",\"pos_att_type\":\" P2C | c2p\"}");
    assert_true(c.relative.on && c.relative.c2p && c.relative.p2c);
    c = good(DEBERTA2 ON ",\"pos_att_type\":\"c2p\"}");
    assert_true(c.relative.on && c.relative.c2p && !c.relative.p2c);
    assert_true(c.score.query_scalar == 2 * 64);
    /* The first version counts names, the second what they ask for. */
    c = good(DEBERTA ON ",\"pos_att_type\":[\"none\"]}");
    assert_true(!c.relative.on && c.score.query_scalar == 2 * 64);
    c = good(DEBERTA2 ON ",\"pos_att_type\":\"none\"}");
    assert_true(!c.relative.on && c.score.query_scalar == 64);
    c = good(DEBERTA2 ON ",\"pos_att_type\":null}");
    assert_false(c.relative.on);
    c = good(DEBERTA2 ",\"pos_att_type\":[\"c2p\"]}");
    assert_true(!c.relative.on && c.score.query_scalar == 2 * 64);
    bad(DEBERTA ",\"pos_att_type\":\"c2p|p2p\"}", "pos_att_type: found \"c2p|p2p\", "
    "expected c2p");
    bad(DEBERTA ",\"pos_att_type\":[\"c2c\"]}", "pos_att_type: found [\"c2c\"], expected "
    "c2p, p2c");
    bad(DEBERTA ",\"pos_att_type\":[\"C2P\"]}", "pos_att_type: found [\"C2P\"]");
    bad(DEBERTA ",\"pos_att_type\":[3]}", "pos_att_type: found [3]");
    bad(DEBERTA ",\"pos_att_type\":\"c2p|\"}", "pos_att_type: found \"c2p|\"");
    bad(DEBERTA ",\"pos_att_type\":{}}", "pos_att_type: found {}");
}

static void spans(void **state)
{
    (void)state;
    assert_int_equal(good(DEBERTA "}").relative.span, 512);
    assert_int_equal(good(DEBERTA ",\"max_relative_positions\":40}").relative.span, 40);
    assert_int_equal(good(DEBERTA2 ",\"max_relative_positions\":0}").relative.span, 512);
    assert_int_equal(good(DEBERTA2 ",\"position_buckets\":256}").relative.span, 256);
    assert_int_equal(good(DEBERTA2 ",\"position_buckets\":0}").relative.span, 512);
    assert_int_equal(good(DEBERTA2 ",\"position_buckets\":7}").relative.span, 7);
    /* A key of the second version alone */
    assert_int_equal(good(DEBERTA ",\"position_buckets\":256}").relative.span, 512);
    bad(DEBERTA2 ",\"position_buckets\":1}", "position_buckets: found 1, expected 2 or more");
    bad(DEBERTA2 ",\"position_buckets\":256,\"max_relative_positions\":129}",
        "half of them below the longest distance, 128");
    bad(DEBERTA2 ",\"position_buckets\":-2}", "position_buckets: found -2");
    bad(DEBERTA2 ",\"position_buckets\":8.5}", "position_buckets: found 8.5");
    bad(DEBERTA2 ",\"max_relative_positions\":\"9\"}", "max_relative_positions: found \"9\"");
    bad(DEBERTA ",\"max_position_embeddings\":1073741824}", "distances up to 1073741824, expected");
}

static void other_keys(void **state)
{
    struct config c = good(DEBERTA2 ",\"share_att_key\":true,\"norm_rel_ebd\":\"LAYER_NORM\","
                           "\"conv_kernel_size\":3,\"conv_act\":\"gelu\",\"conv_groups\":4,"
                           "\"position_biased_input\":false}");

    (void)state;
    assert_true(c.relative.shared && c.relative.normed && !c.relative.input);
    assert_int_equal(c.front.conv_width, 3);
    assert_int_equal(c.front.conv_groups, 4);
    assert_int_equal(c.front.conv_act, ACT_GELU);
    c = good(DEBERTA ",\"share_att_key\":true,\"norm_rel_ebd\":\"layer_norm\","
             "\"conv_kernel_size\":3}");
    assert_true(!c.relative.shared && !c.relative.normed && c.front.conv_width == 0);
    bad(DEBERTA2 ",\"conv_kernel_size\":4}", "conv_kernel_size: found 4, expected an odd "
    "number");
    bad(DEBERTA2 ",\"conv_kernel_size\":257}", "conv_kernel_size: found 257");
    bad(DEBERTA2 ",\"conv_groups\":5}", "conv_groups: found 5, expected a divisor of the "
    "width");
    bad(DEBERTA2 ",\"conv_groups\":0}", "conv_groups: found 0");
    bad(DEBERTA2 ",\"conv_act\":\"mish\"}", "conv_act: found \"mish\"");
    bad(DEBERTA2 ",\"norm_rel_ebd\":true}", "norm_rel_ebd: found true");
    bad(DEBERTA ",\"talking_head\":true}", "talking_head: true is not supported");
    bad(DEBERTA ",\"relative_attention\":1}", "relative_attention: found 1");
    bad(XLNET ",\"attn_type\":\"both\"}", "attn_type: found \"both\", expected \"bi\" or "
    "\"uni\"");
    bad(XLNET ",\"attn_type\":1}", "attn_type: found 1");
    bad(XLNET ",\"bi_data\":true}", "bi_data: true is not supported");
    bad(XLNET ",\"attn_type\":\"uni\",\"same_length\":true}", "same_length: true is not");
    good(XLNET ",\"same_length\":true}");
    bad(XLNET ",\"d_model\":15,\"n_head\":3}", "d_model: found 15, expected an even number");
    bad(XLNET ",\"clamp_len\":-2}", "clamp_len: found -2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(defaults, setup, teardown),
        cmocka_unit_test_setup_teardown(kinds_of_positions, setup, teardown),
        cmocka_unit_test_setup_teardown(spans, setup, teardown),
        cmocka_unit_test_setup_teardown(other_keys, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

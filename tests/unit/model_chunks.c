/* SPDX-License-Identifier: MIT
 * What config.json says of layers that attend in chunks: defaults, forms, wrong values. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "model/model.h"

#define REFORMER "{\"model_type\":\"reformer\""

static struct arena arena;

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

static int read_keys(const char *keys, struct config *c, struct err *e)
{
    const char *json = arena_printf(&arena, REFORMER "%s}", keys);
    const struct span bytes = { (const unsigned char *)json, strlen(json) };
    const struct family *f;

    return config_read(c, &f, &arena, bytes, "config.json", TOWER_NONE, e);
}

static struct config good(const char *keys)
{
    struct config c;
    struct err e = { ERR_NONE, "" };

    if (read_keys(keys, &c, &e) != 0)
        fail_msg("%s: %s", keys, e.msg);
    return c;
}

static void bad(const char *keys, const char *why)
{
    struct config c;
    struct err e = { ERR_NONE, "" };

    if (read_keys(keys, &c, &e) != -1)
        fail_msg("%s: was taken", keys);
    assert_int_equal(e.kind, ERR_INPUT);
    if (strstr(e.msg, why) == NULL)
        fail_msg("%s: '%s', expected '%s'", keys, e.msg, why);
}

/* transformers' configuration_reformer.py */
static void defaults(void **state)
{
    struct config c = good("");

    (void)state;
    assert_int_equal(c.n_layers, 6);
    assert_int_equal(c.n_heads, 12);
    assert_int_equal(c.d_model, 256);
    assert_int_equal(c.d_head, 64);
    assert_int_equal(c.d_ff, 512);
    assert_int_equal(c.n_vocab, 320);
    assert_int_equal(c.n_positions, 4096);
    assert_true(c.norm.eps == 1e-12 && c.act == ACT_RELU && !c.is_decoder);
    for (int l = 0; l < 6; l++)
        assert_int_equal(c.layer_kind[l], l % 2 == 0 ? LAYER_CHUNKS : LAYER_HASHED);
    assert_int_equal(c.chunked.near.len, 64);
    assert_int_equal(c.chunked.near.before, 1);
    assert_int_equal(c.chunked.near.after, 0);
    assert_int_equal(c.chunked.hashed.len, 64);
    assert_int_equal(c.chunked.n_hashes, 1);
    assert_int_equal(c.chunked.n_factors, 0);
    assert_true(!c.chunked.has_seed && c.chunked.seed == 0);
    assert_true(c.axial.on && c.axial.shape[0] == 64 && c.axial.width[1] == 192);
    assert_int_equal(c.chunked.pad_to, 64);
    assert_int_equal(good("").n_layers, good(",\"num_hidden_layers\":4").n_layers);
}

/* A multiple of the chunks of the kinds that there are. */
static void padding(void **state)
{
#define LENGTHS ",\"local_attn_chunk_length\":6,\"lsh_attn_chunk_length\":4"
    struct config c = good(LENGTHS);

    (void)state;
    assert_int_equal(c.chunked.pad_to, 12);
    assert_int_equal(c.chunked.pad_above, 4);
    c = good(LENGTHS ",\"attn_layers\":[\"local\"]");
    assert_int_equal(c.n_layers, 1);
    assert_int_equal(c.chunked.pad_to, 6);
    assert_int_equal(c.chunked.pad_above, 6);
    c = good(LENGTHS ",\"attn_layers\":[\"lsh\",\"lsh\"]");
    assert_int_equal(c.chunked.pad_to, 4);
    bad(",\"local_attn_chunk_length\":1048575,\"lsh_attn_chunk_length\":1048576",
        "chunks of 1048575 and 1048576 tokens: expected a common multiple of");
    bad(",\"local_attn_chunk_length\":0", "local_attn_chunk_length: found 0, expected a whole");
    bad(",\"lsh_num_chunks_before\":-1", "lsh_num_chunks_before: found -1");
    bad(",\"attn_layers\":[]", "attn_layers: found []");
    bad(",\"attn_layers\":\"lsh\"", "attn_layers: found \"lsh\", expected a list");
    bad(",\"attn_layers\":[\"lsh\",\"full\"]", "attn_layers: found \"full\"");
    bad(",\"attn_layers\":[\"lsh\",7]", "attn_layers: found 7, expected \"local\" or \"lsh\"");
}

static void hashing(void **state)
{
    struct config c = good(",\"num_buckets\":64,\"hash_seed\":9,\"num_hashes\":4");

    (void)state;
    assert_int_equal(c.chunked.n_factors, 1);
    assert_int_equal(c.chunked.factor[0], 64);
    assert_int_equal(c.chunked.n_hashes, 4);
    assert_true(c.chunked.has_seed && c.chunked.seed == 9);
    c = good(",\"num_buckets\":[64,128],\"hash_seed\":0");
    assert_int_equal(c.chunked.n_factors, 2);
    assert_int_equal(c.chunked.factor[1], 128);
    assert_true(c.chunked.has_seed && c.chunked.seed == 0);
    c = good(",\"attn_layers\":[\"local\"],\"num_buckets\":7,\"hash_seed\":\"x\"");
    assert_int_equal(c.chunked.n_factors, 0);        /* nothing hashes */
    bad(",\"num_buckets\":7", "num_buckets: found 7, expected an even number");
    bad(",\"num_buckets\":0", "num_buckets: found 0");
    bad(",\"num_buckets\":[]", "num_buckets: found []");
    bad(",\"num_buckets\":[4,3]", "num_buckets: found [4,3]");
    bad(",\"num_buckets\":[4,null]", "num_buckets: found [4,null]");
    bad(",\"num_buckets\":[65536,65536]", "product of at most 1073741824");
    bad(",\"num_buckets\":65538", "found 65538, expected an even number up to 65536");
    bad(",\"num_buckets\":[2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2]", "num_buckets: found");
    bad(",\"num_buckets\":1e3", "num_buckets: found 1000.0");
    bad(",\"hash_seed\":1.5", "hash_seed: found 1.5, expected a whole number or null");
    bad(",\"num_hashes\":0", "num_hashes: found 0");
    bad(",\"num_hashes\":65", "num_hashes: found 65");
    bad(",\"num_hashes\":64,\"max_position_embeddings\":1073741824,"
        "\"axial_pos_embds\":false", "num_hashes: 64 rounds of 1073741824 positions");
}

static void grid(void **state)
{
    struct config c = good(",\"axial_pos_shape\":[3,5],\"axial_pos_embds_dim\":[56,200]");

    (void)state;
    assert_int_equal(c.axial.shape[0], 3);
    assert_int_equal(c.axial.shape[1], 5);
    assert_int_equal(c.axial.width[0], 56);
    assert_false(good(",\"axial_pos_embds\":false,\"axial_pos_shape\":7").axial.on);
    bad(",\"axial_pos_shape\":[3,5,2]", "axial_pos_shape: found [3,5,2], expected a list "
        "of two");
    bad(",\"axial_pos_shape\":[3,0]", "axial_pos_shape: found [3,0]");
    bad(",\"axial_pos_shape\":[3,65536]", "axial_pos_shape: found [3,65536]");
    bad(",\"axial_pos_shape\":3", "axial_pos_shape: found 3");
    bad(",\"axial_pos_embds_dim\":[64,64]", "found 64 and 64, expected the hidden_size 256");
    bad(",\"axial_pos_embds\":1", "axial_pos_embds: found 1, expected true or false");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults), cmocka_unit_test(padding), cmocka_unit_test(hashing),
        cmocka_unit_test(grid),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

/* SPDX-License-Identifier: MIT
 * Models of which one thing is otherwise: a head that is not known or lacks a part, another
 * shape, a config.json with another number. */
#include "unit/model_made.h"

#include "base/file.h"
#include "model/generation.h"

/* ---- models of a few tensors ---- */

#define GPT2 "{\"model_type\":\"gpt2\",\"n_layer\":1,\"n_head\":2,\"n_embd\":8,\"n_inner\":12," \
             "\"vocab_size\":5,\"n_positions\":6"
#define BERT "\"num_hidden_layers\":1,\"num_attention_heads\":2,\"hidden_size\":8," \
             "\"intermediate_size\":12,\"vocab_size\":5"

/* A tied head is there unless the model is of a class that has another one. */
static void tied_heads(void **state)
{
    struct file f = gpt2(), g = llama();

    (void)state;
    f.config = GPT2 ",\"architectures\":[\"GPT2LMHeadModel\"]}";
    assert_true(good(&f)->has_head);
    f.config = GPT2 ",\"architectures\":[\"GPT2ForNothing\"]}";
    assert_false(good(&f)->has_head);
    g.config = LLAMA ",\"tie_word_embeddings\":true}";
    assert_true(good(&g)->has_head);
    g.config = LLAMA ",\"tie_word_embeddings\":false}";
    assert_false(good(&g)->has_head);
}

/* A head that lacks its bias is named as the file would have it. */
static void what_a_head_lacks(void **state)
{
    struct file f = llama(), g = llama();
    struct model *m;

    (void)state;
    f.config = g.config = LLAMA ",\"architectures\":[\"LlamaForTokenClassification\"]}";
    prefix(&f, "model.");
    add(&f, "classifier.weight", 2, 8);
    m = good(&f);
    assert_false(m->has_head);
    assert_string_equal(m->head_lacks, "classifier.bias");
    prefix(&g, "language_model.model.");
    add(&g, "language_model.classifier.weight", 2, 8);
    m = good(&g);
    assert_false(m->has_head);
    assert_string_equal(m->head_lacks, "language_model.classifier.bias");
    add(&g, "language_model.classifier.bias", 2, 0);
    assert_true(good(&g)->has_head);
}

/* Only where the rows differ it is the labels that say so. */
static void labels(void **state)
{
    static const char wrong[] = "made.safetensors: classifier.weight: shape [%s], expected [2,8]%s";
    static const char why[] = ": config.json has 2 labels (id2label, num_labels)";
    struct file f = bert();
    struct made *m;

    (void)state;
    f.config = "{\"model_type\":\"bert\"," BERT ",\"max_position_embeddings\":6,"
               "\"architectures\":[\"BertForTokenClassification\"]}";
    add(&f, "classifier.weight", 2, 8);
    add(&f, "classifier.bias", 2, 0);
    assert_true(good(&f)->has_head);
    m = find(&f, "classifier.weight");
    m->d0 = 3;
    bad(&f, arena_printf(&arena, wrong, "3,8", why));
    m->d0 = 2;
    m->d1 = 7;
    bad(&f, arena_printf(&arena, wrong, "2,7", ""));
    m->d1 = 0;
    bad(&f, arena_printf(&arena, wrong, "2", ""));
}

/* Rows up to the pad's hold no token. */
static void padded_positions(void **state)
{
    struct file f = bert();

    (void)state;
    f.config = "{\"model_type\":\"roberta\"," BERT ",\"max_position_embeddings\":6,"
               "\"type_vocab_size\":2,\"pad_token_id\":1}";
    assert_int_equal(good(&f)->max_tokens, 4);
    f.config = "{\"model_type\":\"roberta\"," BERT ",\"max_position_embeddings\":6,"
               "\"type_vocab_size\":2,\"pad_token_id\":5}";
    bad(&f, "made: 6 positions, of which padding leaves none for tokens");
}

/* A window that the family has no use for hides nothing. */
static void windows(void **state)
{
    struct file f = llama();

    (void)state;
    f.config = LLAMA ",\"sliding_window\":2,\"use_sliding_window\":true}";
    assert_int_equal(good(&f)->layer[0].lo, INT_MAX);
    f.config = "{\"model_type\":\"mistral\",\"num_hidden_layers\":1,\"num_attention_heads\":2,"
               "\"num_key_value_heads\":1,\"hidden_size\":8,\"head_dim\":6,"
               "\"intermediate_size\":12,\"vocab_size\":5,\"sliding_window\":2}";
    assert_int_equal(good(&f)->layer[0].lo, 1);
}

/* ---- models of the references ---- */

static struct span bytes_of(const char *name, const char *file)
{
    struct err e = { ERR_NONE, "" };
    const char *path = arena_printf(&arena, "tests/ref/%s/%s", name, file);
    const struct span *bytes = file_hold(&arena, path, &e);

    if (bytes == NULL)
        fail_msg("%s", e.msg);
    return *bytes;
}

/* A copy of them with the first such piece replaced. */
static struct span replaced(struct span bytes, const char *from, const char *to)
{
    const unsigned char *at = memmem(bytes.data, bytes.size, from, strlen(from));
    size_t before, after, size = bytes.size - strlen(from) + strlen(to);
    unsigned char *copy = arena_alloc(&arena, size + 1, 1);

    if (at == NULL)
        fail_msg("no %s", from);
    before = (size_t)(at - bytes.data);
    after = bytes.size - before - strlen(from);
    memcpy(copy, bytes.data, before);
    memcpy(copy + before, to, strlen(to));
    memcpy(copy + size - after, at + strlen(from), after);
    return (struct span){ copy, size };
}

/* tests/ref/NAME with one piece of its config.json replaced. */
static struct model *variant(const char *name, const char *from, const char *to, struct err *e)
{
    const struct model_files files = {
        bytes_of(name, "model.safetensors"), replaced(bytes_of(name, "config.json"), from, to)
    };

    return model_open_memory(&arena, &files, "m", e);
}

static const struct model *taken(const char *name, const char *from, const char *to)
{
    struct err e = { ERR_NONE, "" };
    const struct model *m = variant(name, from, to, &e);

    if (m == NULL)
        fail_msg("%s, %s: %s", name, to, e.msg);
    return m;
}

static void refused(const char *name, const char *from, const char *to, const char *why)
{
    struct err e = { ERR_NONE, "" };

    if (variant(name, from, to, &e) != NULL)
        fail_msg("%s, %s: taken, expected \"%s\"", name, to, why);
    assert_string_equal(e.msg, why);
}

/* A decoder has what the config says of it, else what it says of both. */
static void decoders(void **state)
{
    const struct model *m;

    (void)state;
    assert_int_equal(taken("bart", "\"d_model\"", "\"d_model\"")->decoder->config.n_layers, 3);
    m = taken("seq2seq/t5", "\"num_decoder_layers\": 3,", "");
    assert_int_equal(m->decoder->config.n_layers, 2);
    refused("bart", "\"decoder_attention_heads\": 3", "\"decoder_attention_heads\": 5",
            "m: decoder_attention_heads: 5 does not divide the width 24");
    assert_int_equal(taken("seq2seq/marian_bare", "\"max", "\"max")->decoder->config.n_vocab, 37);
    refused("seq2seq/marian_bare", "\"decoder_vocab_size\": 37,", "",
            "m: decoder.embed_tokens.weight: shape [37,12], expected [31,12]");
}

/* XLNet's matrices have heads and their columns apart. */
static void heads_apart(void **state)
{
    static const char shape[] = "rel_attn.k\":{\"dtype\":\"F16\",\"shape\":[16,2,8]";
    const struct span weights = bytes_of("families/xlnet", "model.safetensors");
    struct model_files files = { weights, bytes_of("families/xlnet", "config.json") };
    struct err e = { ERR_NONE, "" };

    (void)state;
    assert_non_null(model_open_memory(&arena, &files, "m", &e));
    files.weights = replaced(weights, shape,
                             "rel_attn.k\":{\"dtype\":\"F16\",\"shape\":[8,2,16]");
    assert_null(model_open_memory(&arena, &files, "m", &e));
    assert_string_equal(e.msg, "m: transformer.layer.0.rel_attn.k: shape [8,2,16], "
                               "expected [16,16]");
    files.weights = replaced(weights, shape,
                             "rel_attn.k\":{\"dtype\":\"F16\",\"shape\":[256]   ");
    assert_null(model_open_memory(&arena, &files, "m", &e));
    assert_string_equal(e.msg, "m: transformer.layer.0.rel_attn.k: shape [256], "
                               "expected [16,16]");
}

/* A table of two axes has so many rows; a text longer than the shorter chunk is padded. */
static void grids(void **state)
{
    const char *positions = "\"max_position_embeddings\": 24";

    (void)state;
    assert_int_equal(taken("families/reformer", positions, positions)->max_tokens, 24);
    assert_int_equal(taken("families/reformer", positions,
                           "\"max_position_embeddings\": 90")->max_tokens, 24);
    assert_int_equal(taken("families/reformer", positions,
                           "\"max_position_embeddings\": 4")->max_tokens, 4);
    assert_int_equal(taken("families/reformer", positions,
                           "\"max_position_embeddings\": 7")->max_tokens, 4);
}

/* Chunks before that reach beyond all texts hide nothing. */
static void far_chunks(void **state)
{
    const char *local = "\"local_attn_chunk_length\": 4";

    (void)state;
    assert_int_equal(taken("families/reformer", local, "\"is_decoder\": true, "
                           "\"local_attn_chunk_length\": 4")->layer[0].lo, 7);
    assert_int_equal(taken("families/reformer", local,
                           "\"is_decoder\": true, \"local_num_chunks_before\": 65536, "
                           "\"local_attn_chunk_length\": 1048576")->layer[0].lo, INT_MAX);
}

/* Of three layers, counted from the first, those that see all. */
static void wide_layers(void **state)
{
    const char *every = ",\n \"global_attn_every_n_layers\": 2";
    const struct model *m = taken("families/modernbert", every, every);

    (void)state;
    assert_int_equal(m->layer[0].lo, INT_MAX);
    assert_true(m->layer[1].lo < INT_MAX);
    assert_int_equal(m->layer[2].lo, INT_MAX);
    m = taken("families/modernbert", every, "");        /* each third one */
    assert_int_equal(m->layer[0].lo, INT_MAX);
    assert_true(m->layer[1].lo < INT_MAX && m->layer[2].lo < INT_MAX);
}

/* ---- which models continue a text ---- */

static void what_comes_next(void **state)
{
    struct err e = { ERR_NONE, "" };
    const struct model *builtin = model_open(&arena, NULL, &e);
    struct generation g;

    (void)state;
    assert_true(model_predicts_next(taken("families/gpt2_unscaled", "{", "{")));
    assert_false(model_predicts_next(taken("bert", "{", "{")));
    assert_false(model_predicts_next(taken("families/xlnet", "{", "{")));
    assert_false(model_predicts_next(taken("families/longformer_class", "{", "{")));
    assert_non_null(builtin);
    assert_int_equal(generation_read(&g, &arena, builtin, &e), 0);
}

static void without_config(void **state)
{
    struct err e = { ERR_NONE, "" };
    const struct model_files files = { .weights = bytes_of("bert", "model.safetensors") };

    (void)state;
    assert_null(model_open_memory(&arena, &files, "m", &e));
    assert_string_equal(e.msg, "m: a safetensors model requires its config.json");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(tied_heads), TEST(what_a_head_lacks), TEST(labels), TEST(padded_positions),
        TEST(windows), TEST(decoders), TEST(heads_apart), TEST(grids), TEST(far_chunks),
        TEST(wide_layers), TEST(what_comes_next), TEST(without_config),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

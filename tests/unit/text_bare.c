/* SPDX-License-Identifier: MIT
 * Folders without tokenizer.json: what their files stand for, and bad ones. */
#include "text_help.h"

#include <stdlib.h>
#include <unistd.h>

static const char *const names[] = {
    "vocab.txt", "vocab.json", "merges.txt", "tokenizer_config.json",
    "special_tokens_map.json", "config.json", "tokenizer.json", "spiece.model",
    "sentencepiece.bpe.model", "source.spm", "target.spm", "target_vocab.json"
};

struct folder {
    char path[64];
};

static struct folder make_folder(void)
{
    struct folder f = { "/tmp/mha-viz-text-XXXXXX" };

    assert_non_null(mkdtemp(f.path));
    return f;
}

static void put(struct help *h, const struct folder *f, const char *name,
                const char *content)
{
    FILE *file = fopen(file_join(&h->arena, f->path, name), "w");

    assert_non_null(file);
    fputs(help_quotes(h, content), file);
    assert_int_equal(fclose(file), 0);
}

static void drop(struct help *h, const struct folder *f)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        (void)unlink(file_join(&h->arena, f->path, names[i]));
    assert_int_equal(rmdir(f->path), 0);
}

static struct tok *open_folder(struct help *h, const struct folder *f)
{
    struct tok *t = tok_open(&h->arena, f->path, &h->err);

    if (t == NULL)
        fail_msg("%s", h->err.msg);
    return t;
}

static void refused(struct help *h, const struct folder *f, const char *why)
{
    struct tok *t = tok_open(&h->arena, f->path, &h->err);

    assert_null(t);
    if (strstr(h->err.msg, why) == NULL)
        fail_msg("message \"%s\", expected \"%s\"", h->err.msg, why);
    assert_non_null(strstr(h->err.msg, f->path));
    assert_int_equal(h->err.kind, ERR_INPUT);
}

static const char vocab_txt[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b \r\nÉ\ne\n";

static void test_bert(void **state)
{
    struct help *h = *state;
    struct folder f = make_folder();
    struct tok *t;

    put(h, &f, "vocab.txt", vocab_txt);
    t = open_folder(h, &f);
    assert_string_equal(help_encode(h, t, "AB É [MASK]"),
        "*[CLS][0,0] a[0,1] ##b[1,2] e[3,4] [MASK][5,11] *[SEP][0,0]");
    tok_close(t);
    put(h, &f, "tokenizer_config.json", "{'do_lower_case':false,'cls_token':'[PAD]',"
        "'tokenizer_class':'BertTokenizerFast','strip_accents':null}");
    t = open_folder(h, &f);
    assert_string_equal(help_encode(h, t, "ab É"),
                        "*[PAD][0,0] a[0,1] ##b[1,2] É[3,4] *[SEP][0,0]");
    tok_close(t);
    drop(h, &f);
}

/* The map counts, but not where the config lists the tokens itself. */
static void test_special_map(void **state)
{
    struct help *h = *state;
    struct folder f = make_folder();
    struct tok *t;

    put(h, &f, "vocab.txt", vocab_txt);
    put(h, &f, "special_tokens_map.json", "{'mask_token':{'content':'e','lstrip':true},"
        "'additional_special_tokens':['<new>']}");
    t = open_folder(h, &f);
    assert_string_equal(help_encode(h, t, "a ea<new>"),
                        "*[CLS][0,0] a[0,1] e[1,3] a[3,4] <new>[4,9] *[SEP][0,0]");
    assert_int_equal(tok_id(t, "<new>", 5), 9);
    tok_close(t);
    put(h, &f, "tokenizer_config.json", "{'added_tokens_decoder':{'10':{'content':'<y>'"
        ",'special':false},'9':{'content':'<x>','special':true}}}");
    t = open_folder(h, &f);
    assert_int_equal(tok_id(t, "<x>", 3), 9);
    assert_int_equal(tok_id(t, "<y>", 3), 10);
    assert_int_equal(tok_id(t, "<new>", 5), -1);
    tok_close(t);
    drop(h, &f);
}

static const char vocab_json[] = "{'a':0,'b':1,'ab':2,'Ġ':3,'<|endoftext|>':4,'<s>':5,"
                                 "'</s>':6,'<unk>':7,'<pad>':8,'<mask>':9}";

static void test_merges(void **state)
{
    struct help *h = *state;
    struct folder f = make_folder();
    struct tok *t;

    put(h, &f, "vocab.json", vocab_json);
    put(h, &f, "merges.txt", "#version: 0.2\na b\r\n");
    t = open_folder(h, &f);
    assert_string_equal(help_encode(h, t, "ab a<|endoftext|>"),
                        "ab[0,2] Ġ[2,3] a[3,4] <|endoftext|>[4,17]");
    tok_close(t);
    put(h, &f, "config.json", "{'model_type':'roberta'}");
    t = open_folder(h, &f);
    assert_string_equal(help_encode(h, t, "ab a"),
                        "*<s>[0,0] ab[0,2] Ġ[3,3] a[3,4] *</s>[0,0]");
    tok_close(t);
    put(h, &f, "tokenizer_config.json", "{'tokenizer_class':'GPT2Tokenizer',"
        "'add_bos_token':true,'add_prefix_space':true}");
    t = open_folder(h, &f);
    assert_string_equal(help_encode(h, t, "ab"),
                        "*<|endoftext|>[0,0] Ġ[0,1] ab[0,2]");
    tok_close(t);
    drop(h, &f);
}

static void test_refused(void **state)
{
    struct help *h = *state;
    struct folder f = make_folder();

    refused(h, &f, "no tokeniser: expected tokenizer.json, vocab.txt, vocab.json with");
    put(h, &f, "vocab.json", vocab_json);
    refused(h, &f, "no tokeniser");
    put(h, &f, "merges.txt", "a\n");
    refused(h, &f, "merges[0]: expected two pieces");
    put(h, &f, "merges.txt", "a c\n");
    refused(h, &f, "merges[0]: it names \"c\"");
    put(h, &f, "merges.txt", "a \xff\n");
    refused(h, &f, "merges.txt: merge 1 is not UTF-8");
    put(h, &f, "merges.txt", "");
    put(h, &f, "tokenizer_config.json", "{'tokenizer_class':'Qwen2Tokenizer'}");
    refused(h, &f, "tokenizer_class \"Qwen2Tokenizer\" needs a tokenizer.json");
    put(h, &f, "tokenizer_config.json", "{}");
    put(h, &f, "config.json", "{'model_type':'qwen2'}");
    refused(h, &f, "model_type \"qwen2\" needs a tokenizer.json");
    put(h, &f, "config.json", "{");
    refused(h, &f, "config.json: not JSON");
    put(h, &f, "tokenizer_config.json", "[]");
    refused(h, &f, "tokenizer_config.json: it is not a JSON object");
    put(h, &f, "vocab.txt", "a\n\xff\n");
    put(h, &f, "tokenizer_config.json", "{'tokenizer_class':'BertTokenizer'}");
    refused(h, &f, "vocab.txt: line 2 is not UTF-8");
    put(h, &f, "vocab.txt", "a\n");
    refused(h, &f, "\"[CLS]\" is not among \"special_tokens\"");
    put(h, &f, "tokenizer.json", "{}");
    refused(h, &f, "tokenizer.json: \"model\" is missing");
    drop(h, &f);
    refused(h, &f, "no tokeniser");
}

/* The SentencePiece model of one of our fixtures. */
static void put_model(struct help *h, const struct folder *f, const char *fixture,
                      const char *name)
{
    struct err e;
    struct span s;
    FILE *file = fopen(file_join(&h->arena, f->path, name), "w");

    assert_non_null(file);
    assert_int_equal(file_map(file_join(&h->arena, "tests/ref/tokenizers", fixture), &s,
                              &e), 0);
    assert_int_equal(fwrite(s.data, 1, s.size, file), s.size);
    assert_int_equal(fclose(file), 0);
    file_unmap(s);
}

/* The last token of a text, or of a target text. */
static const char *last_piece(struct help *h, const struct folder *f, bool target)
{
    struct tok *t = (target ? tok_open_target : tok_open)(&h->arena, f->path, &h->err);
    struct tok_input in = { .text = "the river", .text_size = 9 };
    struct tokens out;
    const char *piece;

    if (t == NULL || tok_encode(t, &h->arena, &in, &out, &h->err) != 0)
        fail_msg("%s", h->err.msg);
    piece = arena_strdup(&h->arena, out.piece[out.n - 1]);
    tok_close(t);
    return piece;
}

/* mBART's texts end with their languages; what is not known is refused by name. */
static void test_languages(void **state)
{
    struct help *h = *state;
    struct folder f = make_folder();

    put_model(h, &f, "mbart_model/sentencepiece.bpe.model", "sentencepiece.bpe.model");
    put(h, &f, "config.json", "{'model_type':'mbart'}");
    assert_string_equal(last_piece(h, &f, false), "en_XX");
    assert_string_equal(last_piece(h, &f, true), "en_XX");
    put(h, &f, "tokenizer_config.json", "{'src_lang':'cs_CZ'}");
    assert_string_equal(last_piece(h, &f, false), "cs_CZ");
    assert_string_equal(last_piece(h, &f, true), "cs_CZ");
    put(h, &f, "tokenizer_config.json", "{'src_lang':'cs_CZ','tgt_lang':'ro_RO'}");
    assert_string_equal(last_piece(h, &f, false), "cs_CZ");
    assert_string_equal(last_piece(h, &f, true), "ro_RO");
    put(h, &f, "tokenizer_config.json", "{'src_lang':'tlh'}");
    refused(h, &f, "the language \"tlh\" is not in the vocabulary");
    put(h, &f, "config.json", "{'model_type':'mbart','tokenizer_class':'NllbTokenizer'}");
    refused(h, &f, "tokenizer_class \"NllbTokenizer\" needs a tokenizer.json");
    drop(h, &f);
    f = make_folder();
    put_model(h, &f, "pegasus_model/spiece.model", "spiece.model");
    put(h, &f, "config.json", "{'model_type':'pegasus'}");
    assert_string_equal(last_piece(h, &f, false), "</s>");
    put(h, &f, "tokenizer_config.json", "{'offset':0}");
    refused(h, &f, "offset: found 0, expected a whole number from 103 to 103");
    drop(h, &f);
}

/* Marian's target texts have a vocabulary of their own where the config says so. */
static void test_two_vocabularies(void **state)
{
    struct help *h = *state;
    struct folder f = make_folder();

    put_model(h, &f, "t5_model/spiece.model", "source.spm");
    put_model(h, &f, "t5_model/spiece.model", "target.spm");
    put(h, &f, "vocab.json", "{'</s>':0,'<unk>':1,'source':2}");
    put(h, &f, "target_vocab.json", "{'<unk>':0,'<pad>':1,'target':2,'</s>':3}");
    for (int separate = 0; separate < 2; separate++) {
        struct tok *t;

        put(h, &f, "tokenizer_config.json", separate ?
            "{'tokenizer_class':'MarianTokenizer','separate_vocabs':true}" :
            "{'tokenizer_class':'MarianTokenizer'}");
        t = open_folder(h, &f);
        assert_string_equal(tok_piece(t, 2), "source");
        tok_close(t);
        t = tok_open_target(&h->arena, f.path, &h->err);
        assert_non_null(t);
        assert_string_equal(tok_piece(t, 2), separate ? "target" : "source");
        tok_close(t);
        assert_string_equal(last_piece(h, &f, true), "</s>");
    }
    drop(h, &f);
}

/* Residues wherever they stand; letters that are none are one unknown piece. */
static void test_esm(void **state)
{
    struct help *h = *state;
    struct folder f = make_folder();
    struct tok *t;

    put(h, &f, "vocab.txt", "<cls>\n<pad>\n<eos>\n<unk>\nM\nK\nA\n\n.\n<mask>\n");
    put(h, &f, "tokenizer_config.json", "{'tokenizer_class':'EsmTokenizer'}");
    t = open_folder(h, &f);
    assert_string_equal(help_encode(h, t, "MKbb <mask>A."),
                        "*<cls>[0,0] M[0,1] K[1,2] <unk>[2,4] <mask>[5,11] A[11,12] .[12,13] "
                        "*<eos>[0,0]");
    tok_close(t);
    put(h, &f, "vocab.txt", "a\n\xff\n");
    refused(h, &f, "vocab.txt: line 2 is not UTF-8");
    drop(h, &f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_bert), TEST(test_esm), TEST(test_special_map), TEST(test_merges),
        TEST(test_refused),
        TEST(test_languages), TEST(test_two_vocabularies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

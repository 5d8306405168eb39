/* SPDX-License-Identifier: MIT
 * Folders without tokenizer.json: files that are folders, broken or say other things, and
 * what each class of tokeniser makes of a SentencePiece model that is made here. */
#include "text_help.h"

#include "unit/spm_bytes.h"
#include "unit/weights_files.h"

#include <sys/stat.h>

static char *dir;

static const char *path(struct help *h, const char *name)
{
    return file_join(&h->arena, dir, name);
}

static void put_text(struct help *h, const char *name, const char *json)
{
    const char *s = help_quotes(h, json);

    write_file(path(h, name), (struct span){ (const unsigned char *)s, strlen(s) });
}

/* A new folder, with a class. */
static void begin(struct help *h, const char *class)
{
    dir = new_dir(&h->arena);
    put_text(h, "tokenizer_config.json", arena_printf(&h->arena, "{'tokenizer_class':'%s'}",
                                                      class));
}

static void end(struct help *h)
{
    drop_dir(&h->arena, dir);
}

static void refused(struct help *h, const char *why)
{
    struct tok *t;

    memset(&h->err, 0, sizeof h->err);
    t = tok_open(&h->arena, dir, &h->err);
    if (t != NULL)
        fail_msg("opened, expected \"%s\"", why);
    if (strstr(h->err.msg, why) == NULL)
        fail_msg("message \"%s\", expected \"%s\"", h->err.msg, why);
}

static void gives(struct help *h, const char *text, const char *want)
{
    struct tok *t = tok_open(&h->arena, dir, &h->err);

    if (t == NULL)
        fail_msg("%s", h->err.msg);
    assert_string_equal(help_encode(h, t, text), want);
    tok_close(t);
}

/* ---- files ---- */

/* Where a file should be there is a folder. */
static void test_folders(void **state)
{
    static const struct { const char *class, *file, *beside; } rows[] = {
        { "BertTokenizer", "vocab.txt", NULL }, { "GPT2Tokenizer", "merges.txt", "vocab.json" },
        { "RobertaTokenizer", "vocab.json", "merges.txt" }, { "T5Tokenizer", "spiece.model", NULL },
        { "BertTokenizer", "tokenizer.json", NULL },
        { "BertTokenizer", "special_tokens_map.json", "vocab.txt" },
    };
    struct help *h = *state;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(h, rows[i].class);
        if (rows[i].beside != NULL)
            put_text(h, rows[i].beside, "");
        assert_int_equal(mkdir(path(h, rows[i].file), 0700), 0);
        refused(h, rows[i].file);
        assert_non_null(strstr(h->err.msg, "is a folder"));
        assert_int_equal(rmdir(path(h, rows[i].file)), 0);
        end(h);
    }
}

static void test_lines(void **state)
{
    struct help *h = *state;

    begin(h, "BertTokenizer");
    write_file(path(h, "vocab.txt"), (struct span){ (const unsigned char *)"a\nb\0c\n", 6 });
    refused(h, "vocab.txt: line 2 is not UTF-8, or has a NUL");
    /* A line of blanks alone is the empty piece, and counts. */
    put_text(h, "vocab.txt", "[UNK]\n \t \n[CLS]\r\n[SEP]\na");
    put_text(h, "tokenizer_config.json", "{'tokenizer_class':'BertTokenizerFast'}");
    gives(h, "a", "*[CLS][0,0] a[0,1] *[SEP][0,0]");
    put_text(h, "tokenizer_config.json", "{'tokenizer_class':'BertTokenizerSlow'}");
    refused(h, "tokenizer_class \"BertTokenizerSlow\" needs a tokenizer.json");
    put_text(h, "tokenizer_config.json", "{'tokenizer_class':'BertTokenize'}");
    refused(h, "tokenizer_class \"BertTokenize\" needs a tokenizer.json");
    end(h);
    begin(h, "GPT2Tokenizer");
    put_text(h, "vocab.json", "{'a':0,'b':1,'ab':2,'<|endoftext|>':3}");
    put_text(h, "merges.txt", "#version: 1\n\n\r\na b\n");
    gives(h, "ab", "ab[0,2]");
    put_text(h, "tokenizer_config.json",
             "{'tokenizer_class':'GPT2Tokenizer','add_bos_token':true,'add_eos_token':true}");
    gives(h, "ab", "*<|endoftext|>[0,0] ab[0,2] *<|endoftext|>[0,0]");
    put_text(h, "vocab.json", "{'a':");
    refused(h, "vocab.json: not JSON");
    put_text(h, "tokenizer_config.json", "{'tokenizer_class':'RobertaTokenizer'}");
    refused(h, "vocab.json: not JSON");
    end(h);
}

/* null takes a special token away, a number says nothing. */
static void test_specials(void **state)
{
    struct help *h = *state;

    begin(h, "RobertaTokenizer");
    put_text(h, "vocab.json", "{'a':0,'<s>':1,'</s>':2,'<pad>':3,'<unk>':4,'<mask>':5}");
    put_text(h, "merges.txt", "");
    put_text(h, "tokenizer_config.json", "{'tokenizer_class':'RobertaTokenizer',"
             "'cls_token':5,'mask_token':null}");
    gives(h, "a<mask>", "*<s>[0,0] a[0,1] a[2,3] *</s>[0,0]");
    put_text(h, "tokenizer_config.json", "{'tokenizer_class':'RobertaTokenizer',"
             "'cls_token':null}");
    refused(h, "\"cls\" is not [token, id]");
    put_text(h, "tokenizer_config.json", "{'tokenizer_class':'RobertaTokenizer',"
             "'sep_token':null}");
    refused(h, "\"sep\" is not [token, id]");
    end(h);
}

/* vocab.json beside a GGUF: the folder's tokeniser is not the GGUF's. */
static void test_beside_gguf(void **state)
{
    struct help *h = *state;

    begin(h, "GPT2Tokenizer");
    put_text(h, "model.gguf", "no GGUF");
    refused(h, "model.gguf");
    put_text(h, "other.gguf", "no GGUF");       /* neither of two is the folder's */
    refused(h, "no tokeniser: expected tokenizer.json");
    put_text(h, "vocab.json", "{'a':0,'<|endoftext|>':1}");
    put_text(h, "merges.txt", "");
    gives(h, "a", "a[0,1]");
    end(h);
}

/* ---- SentencePiece ---- */

struct piece_of {
    const char *s;
    enum spm_type type;
};

/* The pieces; setting: of the training, for instance 24: blanks end words. */
static void put_model(struct help *h, const char *name, const struct piece_of *pieces, int n,
                      unsigned model, unsigned setting)
{
    struct bytes b = { .n = 0 }, s = { .n = 0 };

    for (int i = 0; i < n; i++)
        put_piece(&b, pieces[i].s, -1, pieces[i].type);
    put_number(&s, 3, model);
    if (setting != 0)
        put_number(&s, setting, 1);
    put_bytes(&b, 2, s.v, s.n);
    write_file(path(h, name), (struct span){ b.v, b.n });
}

static const struct piece_of usual[] = {
    { "<unk>", SPM_UNKNOWN }, { "<s>", SPM_CONTROL }, { "</s>", SPM_CONTROL },
    { "▁", SPM_NORMAL }, { "a", SPM_NORMAL }, { "▁a", SPM_NORMAL },
    { "<extra_id_0>", SPM_USER }, { "", SPM_NORMAL },
};

static void test_t5(void **state)
{
    static const struct piece_of clash[] = {
        { "<unk>", SPM_UNKNOWN }, { "</s>", SPM_CONTROL }, { "<extra_id_5>", SPM_NORMAL },
        { "▁a", SPM_NORMAL },
    };
    struct help *h = *state;
    struct tok *t;

    begin(h, "T5Tokenizer");
    put_model(h, "spiece.model", usual, 7, SPM_UNIGRAM, 0);
    gives(h, "a<extra_id_0>", "▁a[0,1] <extra_id_0>[1,13] *</s>[0,0]");
    put_model(h, "spiece.model", usual, 6, SPM_UNIGRAM, 0);
    put_text(h, "tokenizer_config.json", "{'tokenizer_class':'T5Tokenizer','extra_ids':2}");
    gives(h, "a<extra_id_1>", "▁a[0,1] <extra_id_1>[1,13] *</s>[0,0]");
    t = tok_open(&h->arena, dir, &h->err);
    assert_int_equal(tok_vocab_size(t), 6 + 2 + 1);
    assert_int_equal(tok_id(t, "<extra_id_0>", 12), 7);
    tok_close(t);
    put_text(h, "tokenizer_config.json", "{'tokenizer_class':'T5Tokenizer','extra_ids':-1}");
    refused(h, "extra_ids: found -1, expected a whole number from 0 to 10000");
    put_text(h, "tokenizer_config.json", "{'tokenizer_class':'T5Tokenizer',"
             "'added_tokens_decoder':{'1':{'content':'[x]'},'2':{},'7':{'content':'<y>'}}}");
    gives(h, "a[x]<y>", "▁a[0,1] [x][1,4] <y>[4,7] *</s>[0,0]");
    put_text(h, "tokenizer_config.json", "{'tokenizer_class':'T5Tokenizer'}");
    put_model(h, "spiece.model", clash, 4, SPM_UNIGRAM, 0);
    refused(h, "token \"<extra_id_5>\" appears twice");
    put_text(h, "tokenizer_config.json", "{'tokenizer_class':'T5Tokenizer','extra_ids':0,"
             "'eos_token':null}");
    gives(h, "a", "▁a[0,1]");
    put_text(h, "tokenizer_config.json", "{'tokenizer_class':'T5Tokenizer','extra_ids':0,"
             "'eos_token':'<eos>'}");
    gives(h, "a", "▁a[0,1]");           /* the model has no such piece */
    end(h);
}

/* Models that the library's classes do not read. */
static void test_types(void **state)
{
    static const struct { unsigned model, setting; const char *what; } rows[] = {
        { SPM_UNIGRAM, 24, "type unigram with blanks after words, which T5Tokenizer" },
        { SPM_BPE, 24, "type bpe with blanks after words, which T5Tokenizer" },
        { SPM_WORD, 0, "type word, which T5Tokenizer" },
        { SPM_CHAR, 0, "type char, which T5Tokenizer" },
        { SPM_CHAR, 24, "type char with blanks after words, which T5Tokenizer" },
    };
    struct help *h = *state;

    begin(h, "T5Tokenizer");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        put_model(h, "spiece.model", usual, 6, rows[i].model, rows[i].setting);
        refused(h, rows[i].what);
    }
    end(h);
    dir = new_dir(&h->arena);           /* by itself it is read; an empty piece is none */
    put_model(h, "spiece.model", usual, 8, SPM_CHAR, 0);
    gives(h, "aa", "▁[0,1] a[0,1] a[1,2]");
    end(h);
}

static void test_llama(void **state)
{
    struct help *h = *state;

    begin(h, "LlamaTokenizer");
    put_text(h, "tokenizer.model", "no model");
    refused(h, "tokenizer.model: ");
    put_model(h, "tokenizer.model", usual, 6, SPM_BPE, 35);
    gives(h, "a", "*<s>[0,0] ▁a[0,1]");
    put_text(h, "tokenizer_config.json", "{'tokenizer_class':'LlamaTokenizer','legacy':true,"
             "'add_bos_token':false,'add_eos_token':true}");
    gives(h, "a a", "▁a[0,1] ▁a[1,3] *</s>[0,0]");
    end(h);
}

/* The class brings pieces of its own, which the model must not have. */
static void test_own_pieces(void **state)
{
    static const struct piece_of first[] = {
        { "<unk>", SPM_UNKNOWN }, { "<s>", SPM_CONTROL }, { "</s>", SPM_CONTROL },
        { "▁a", SPM_NORMAL }, { "<pad>", SPM_NORMAL },
    };
    static const struct piece_of last[] = {
        { "<unk>", SPM_UNKNOWN }, { "<s>", SPM_CONTROL }, { "</s>", SPM_CONTROL },
        { "▁a", SPM_NORMAL }, { "<mask>", SPM_NORMAL },
    };
    static const struct piece_of pegasus[] = {
        { "<pad>", SPM_CONTROL }, { "</s>", SPM_CONTROL }, { "<unk>", SPM_UNKNOWN },
        { "▁a", SPM_NORMAL },
    };
    struct help *h = *state;

    begin(h, "XLMRobertaTokenizer");
    put_model(h, "sentencepiece.bpe.model", first, 4, SPM_UNIGRAM, 0);
    gives(h, "a", "*<s>[0,0] ▁a[0,1] *</s>[0,0]");
    put_model(h, "sentencepiece.bpe.model", first, 5, SPM_UNIGRAM, 0);
    refused(h, "token \"<pad>\" appears twice");
    put_model(h, "sentencepiece.bpe.model", last, 5, SPM_UNIGRAM, 0);
    refused(h, "token \"<mask>\" appears twice");
    end(h);
    begin(h, "MBartTokenizer");
    put_model(h, "sentencepiece.bpe.model", first, 4, SPM_UNIGRAM, 0);
    put_text(h, "tokenizer_config.json", "{'tokenizer_class':'MBartTokenizer','src_lang':null}");
    refused(h, "the language \"null\" is not in the vocabulary");
    put_text(h, "tokenizer_config.json", "{'tokenizer_class':'MBartTokenizer',"
             "'mask_token':{'content':'<mask>','lstrip':false}}");
    gives(h, "a <mask>", "▁a[0,1] <mask>[2,8] *</s>[0,0] *en_XX[0,0]");
    put_text(h, "tokenizer_config.json", "{'tokenizer_class':'MBartTokenizer'}");
    gives(h, "a <mask>", "▁a[0,1] <mask>[1,8] *</s>[0,0] *en_XX[0,0]");
    end(h);
    begin(h, "PegasusTokenizer");
    put_model(h, "spiece.model", pegasus, 4, SPM_UNIGRAM, 0);
    put_text(h, "tokenizer_config.json", "{'tokenizer_class':'PegasusTokenizer','offset':103}");
    gives(h, "a", "▁a[0,1] *</s>[0,0]");
    end(h);
}

/* Marian's pieces stand in vocab.json; those of ">>fr<<" are languages. */
static void test_marian(void **state)
{
    struct help *h = *state;

    begin(h, "MarianTokenizer");
    put_model(h, "source.spm", usual, 6, SPM_UNIGRAM, 0);
    put_text(h, "vocab.json", "{'<unk>':0,'</s>':1,'▁a':2,'>>fr<<':3,'>>x':4,'x<<':5,'>>x>>':6}");
    gives(h, ">>fr<<a", ">>fr<<[0,6] ▁a[6,7] *</s>[0,0]");
    gives(h, ">>x>>", "<unk>[0,1] >>x>>[0,5] *</s>[0,0]");
    put_text(h, "vocab.json", "{'<unk>':0,'</s>':'x'}");
    refused(h, "vocab.json: ");
    put_text(h, "vocab.json", "{");
    refused(h, "vocab.json: not JSON");
    put_text(h, "vocab.json", "{'</s>':1}");
    refused(h, "the vocabulary lacks the unknown piece \"<unk>\"");
    end(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_folders), TEST(test_lines), TEST(test_specials), TEST(test_beside_gguf),
        TEST(test_t5), TEST(test_types), TEST(test_llama), TEST(test_own_pieces),
        TEST(test_marian),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

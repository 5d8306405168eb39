/* SPDX-License-Identifier: MIT
 * The settings of each tokeniser class of the transformers library around a SentencePiece
 * model: one row per class. */
#include <string.h>

#include "base/json.h"
#include "base/json_field.h"
#include "text/bare.h"

/* T5's sentinels, the highest first, where nothing else lists them. */
static int add_sentinels(struct bare *bare, struct err *e)
{
    int count = 100;

    if (json_object_get(bare->config, "added_tokens_decoder") != NULL ||
        vocab_find(&bare->t->vocab, "<extra_id_0>", 12) >= 0)
        return 0;
    if (json_object_get(bare->config, "extra_ids") != NULL &&
        json_field_int(bare->config, "extra_ids", 0, 10000, &count, e) != 0)
        return -1;
    while (count-- > 0) {
        const char *text = arena_printf(bare->a, "<extra_id_%d>", count);

        if (vocab_add(&bare->t->vocab, bare->a, (struct text){ text, strlen(text) },
                      (json_int_t)bare->t->vocab.n, e) != 0)
            return -1;
        bare_add_token(bare, NULL, text);
    }
    return 0;
}

static int build_t5(struct bare *bare, struct err *e)
{
    if (spm_build(bare, e) != 0 || add_sentinels(bare, e) != 0)
        return -1;
    bare->t->vocab.n_model = bare->t->vocab.n;
    return 0;
}

static int build_llama(struct bare *bare, struct err *e)
{
    if (spm_build(bare, e) != 0)
        return -1;
    if (bare_setting(bare, "legacy", false)) {
        spm_steps(bare, "normalizer", "normalizers", "prefix marks");
        json_object_del(bare->root, "pre_tokenizer");
        bare->t->blank = (struct text){ MARK, sizeof MARK - 1 };
    }
    return 0;
}

static int build_gemma(struct bare *bare, struct err *e)
{
    bare->t->blank = (struct text){ MARK, sizeof MARK - 1 };
    return spm_build(bare, e);
}

/* Its pieces for pretraining are always 103. */
static int build_pegasus(struct bare *bare, struct err *e)
{
    int offset;

    if (json_object_get(bare->config, "offset") != NULL &&
        json_field_int(bare->config, "offset", 103, 103, &offset, e) != 0)
        return err_under(e, "tokenizer_config.json");
    return spm_build(bare, e);
}

/* ---- the classes ---- */

#define FAIRSEQ .first = "<s> <pad> </s> <unk>", .skip = 3
#define BERT_LIKE "cls_token A sep_token", "cls_token A sep_token B:1 sep_token:1"
#define LLAMA_LIKE "bos_token+ A eos_token-", \
    "bos_token+ A eos_token- bos_token+:1 B:1 eos_token-:1"

static const struct flavour own = {
    "a SentencePiece model", { NULL }, { NULL }, { { NULL } }, spm_build,
    { .single = "A", .pair = "A B" }
};

static const struct flavour t5 = {
    "spiece.model",
    { "T5Tokenizer" }, { "t5", "mt5", "umt5", "longt5", "switch_transformers" },
    { { "eos_token", "</s>" }, { "unk_token", "<unk>" }, { "pad_token", "<pad>" } },
    build_t5,
    { "map", "words metaspace", "A eos_token", "A eos_token B eos_token" }
};

static const struct flavour llama = {
    "tokenizer.model",
    { "LlamaTokenizer", "CodeLlamaTokenizer" },
    { "llama", "mistral", "mixtral", "phi3" },
    { { "bos_token", "<s>" }, { "eos_token", "</s>" }, { "unk_token", "<unk>" } },
    build_llama,
    { "", "whole-first", LLAMA_LIKE }
};

static const struct flavour gemma = {
    "tokenizer.model",
    { "GemmaTokenizer" },
    { "gemma", "gemma2", "gemma3", "gemma3_text" },
    { { "bos_token", "<bos>" }, { "eos_token", "<eos>" }, { "unk_token", "<unk>" },
      { "pad_token", "<pad>" } },
    build_gemma,
    { "marks", "blanks", LLAMA_LIKE }
};

static const struct flavour xlm_roberta = {
    "sentencepiece.bpe.model",
    { "XLMRobertaTokenizer" },
    { "xlm-roberta", "xlm-roberta-xl" },
    { { "bos_token", "<s>" }, { "eos_token", "</s>" }, { "sep_token", "</s>" },
      { "cls_token", "<s>" }, { "unk_token", "<unk>" }, { "pad_token", "<pad>" },
      { "mask_token", "<mask>" } },
    spm_build,
    { "map", "words metaspace", "bos_token A eos_token",
      "bos_token A eos_token eos_token B eos_token", FAIRSEQ, .last = "<mask>" }
};

/* mBART's 25 languages; mBART-50 has them and 27 more. */
#define LANGUAGES "ar_AR cs_CZ de_DE en_XX es_XX et_EE fi_FI fr_XX gu_IN hi_IN it_IT ja_XX " \
                  "kk_KZ ko_KR lt_LT lv_LV my_MM ne_NP nl_XX ro_RO ru_RU si_LK tr_TR vi_VN zh_CN "
#define MORE_LANGUAGES "af_ZA az_AZ bn_IN fa_IR he_IL hr_HR id_ID ka_GE km_KH mk_MK ml_IN mn_MN " \
                       "mr_IN pl_PL ps_AF pt_XX sv_SE sw_KE ta_IN te_IN th_TH tl_XX uk_UA ur_PK " \
                       "xh_ZA gl_ES sl_SI "

static const struct flavour mbart = {
    "sentencepiece.bpe.model",
    { "MBartTokenizer" }, { "mbart" },
    { { "bos_token", "<s>" }, { "eos_token", "</s>" }, { "sep_token", "</s>" },
      { "cls_token", "<s>" }, { "unk_token", "<unk>" }, { "pad_token", "<pad>" },
      { "mask_token", "<mask>" } },
    spm_build,
    /* The library drops the model's character map here. */
    { "", "words metaspace", "A eos_token lang", "A B eos_token lang", FAIRSEQ,
      .last = LANGUAGES "<mask>", .own_special = true, .mask_takes_blanks = true }
};

static const struct flavour mbart50 = {
    "sentencepiece.bpe.model",
    { "MBart50Tokenizer" }, { NULL },
    { { "eos_token", "</s>" }, { "sep_token", "</s>" }, { "cls_token", "<s>" },
      { "unk_token", "<unk>" }, { "pad_token", "<pad>" }, { "mask_token", "<mask>" } },
    spm_build,
    { "map collapse", "metaspace", "lang A eos_token", "lang A B eos_token", FAIRSEQ,
      .last = LANGUAGES MORE_LANGUAGES "<mask>", .own_special = true,
      .mask_takes_blanks = true }
};

/* M2M100's languages, in the order of their ids. */
#define M2M_LANGUAGES \
    "__af__ __am__ __ar__ __ast__ __az__ __ba__ __be__ __bg__ __bn__ __br__ " \
    "__bs__ __ca__ __ceb__ __cs__ __cy__ __da__ __de__ __el__ __en__ __es__ " \
    "__et__ __fa__ __ff__ __fi__ __fr__ __fy__ __ga__ __gd__ __gl__ __gu__ " \
    "__ha__ __he__ __hi__ __hr__ __ht__ __hu__ __hy__ __id__ __ig__ __ilo__ " \
    "__is__ __it__ __ja__ __jv__ __ka__ __kk__ __km__ __kn__ __ko__ __lb__ " \
    "__lg__ __ln__ __lo__ __lt__ __lv__ __mg__ __mk__ __ml__ __mn__ __mr__ " \
    "__ms__ __my__ __ne__ __nl__ __no__ __ns__ __oc__ __or__ __pa__ __pl__ " \
    "__ps__ __pt__ __ro__ __ru__ __sd__ __si__ __sk__ __sl__ __so__ __sq__ " \
    "__sr__ __ss__ __su__ __sv__ __sw__ __ta__ __th__ __tl__ __tn__ __tr__ " \
    "__uk__ __ur__ __uz__ __vi__ __wo__ __xh__ __yi__ __yo__ __zh__ __zu__ "

/* The ids are those of vocab.json; languages follow them. */
static const struct flavour m2m100 = {
    "sentencepiece.bpe.model",
    { "M2M100Tokenizer" }, { "m2m_100" },
    { { "bos_token", "<s>" }, { "eos_token", "</s>" }, { "sep_token", "</s>" },
      { "unk_token", "<unk>" }, { "pad_token", "<pad>" } },
    spm_build,
    { .single = "lang A eos_token", .pair = "lang A B eos_token", .vocab_json = "vocab.json",
      .target_json = "vocab.json", .last = M2M_LANGUAGES, .language = "en", .around = "__" }
};

static const struct flavour camembert = {
    "sentencepiece.bpe.model",
    { "CamembertTokenizer" }, { "camembert" },
    { { "bos_token", "<s>" }, { "eos_token", "</s>" }, { "sep_token", "</s>" },
      { "cls_token", "<s>" }, { "unk_token", "<unk>" }, { "pad_token", "<pad>" },
      { "mask_token", "<mask>" } },
    spm_build,
    { "map", "words metaspace-prefix metaspace-bare", "bos_token A eos_token",
      "bos_token A eos_token eos_token B eos_token", .skip = 1, .last = "<mask>",
      .first = "<s>NOTUSED <pad> </s>NOTUSED <unk> <unk>NOTUSED", .mask_takes_blanks = true }
};

static const struct flavour pegasus = {
    "spiece.model",
    { "PegasusTokenizer" }, { "pegasus" },
    { { "pad_token", "<pad>" }, { "eos_token", "</s>" }, { "unk_token", "<unk>" },
      { "mask_token", "<mask_2>" } },
    build_pegasus,
    { "map collapse", "metaspace", "A eos_token", "A B eos_token", .skip = 2, .last = "",
      .first = "<pad> </s> <mask_1> <mask_2> <unk_*>", .own_special = true }
};

static const struct flavour albert = {
    "spiece.model",
    { "AlbertTokenizer" }, { "albert" },
    { { "bos_token", "[CLS]" }, { "eos_token", "[SEP]" }, { "unk_token", "<unk>" },
      { "sep_token", "[SEP]" }, { "pad_token", "<pad>" }, { "cls_token", "[CLS]" },
      { "mask_token", "[MASK]" } },
    spm_build,
    { "quotes accents lower map collapse", "words metaspace", BERT_LIKE }
};

static const struct flavour xlnet = {
    "spiece.model",
    { "XLNetTokenizer" }, { "xlnet" },
    { { "bos_token", "<s>" }, { "eos_token", "</s>" }, { "unk_token", "<unk>" },
      { "sep_token", "<sep>" }, { "pad_token", "<pad>" }, { "cls_token", "<cls>" },
      { "mask_token", "<mask>" } },
    spm_build,
    { "quotes map collapse", "words metaspace", "A sep_token cls_token:2",
      "A sep_token B:1 sep_token:1 cls_token:2" }
};

static const struct flavour big_bird = {
    "spiece.model",
    { "BigBirdTokenizer" }, { "big_bird" },
    { { "bos_token", "<s>" }, { "eos_token", "</s>" }, { "unk_token", "<unk>" },
      { "pad_token", "<pad>" }, { "sep_token", "[SEP]" }, { "mask_token", "[MASK]" },
      { "cls_token", "[CLS]" } },
    spm_build,
    { "map collapse", "metaspace", BERT_LIKE }
};

static const struct flavour deberta = {
    "spm.model",
    { "DebertaV2Tokenizer" }, { "deberta-v2" },
    { { "bos_token", "[CLS]" }, { "eos_token", "[SEP]" }, { "unk_token", "[UNK]" },
      { "sep_token", "[SEP]" }, { "pad_token", "[PAD]" }, { "cls_token", "[CLS]" },
      { "mask_token", "[MASK]" } },
    spm_build,
    { "maybe-lower strip map collapse", "metaspace", BERT_LIKE }
};

static const struct flavour reformer = {
    "spiece.model",
    { "ReformerTokenizer" }, { "reformer" },
    { { "eos_token", "</s>" }, { "unk_token", "<unk>" } },
    spm_build,
    { "map map-collapse", "metaspace", "A", "A B:1" }
};

static const struct flavour marian = {
    "source.spm",
    { "MarianTokenizer" }, { "marian" },
    { { "eos_token", "</s>" }, { "unk_token", "<unk>" }, { "pad_token", "<pad>" } },
    spm_build,
    { .single = "A eos_token", .pair = "A B eos_token", .vocab_json = "vocab.json",
      .target_json = "target_vocab.json" }
};

const struct flavour *const spm_flavours[] = {
    &own, &t5, &llama, &gemma, &xlm_roberta, &albert, &xlnet, &big_bird, &deberta,
    &reformer, &marian, &mbart, &mbart50, &m2m100, &camembert, &pegasus, NULL
};

json_t *spm_root(struct tok *tok, struct span file, struct err *e)
{
    struct bare bare = { .t = tok, .a = tok->a, .flavour = spm_flavours[0] };
    json_t *root;

    bare.config = json_hold(bare.a, json_object());
    bare.map = json_hold(bare.a, json_object());
    bare_begin(&bare);
    root = bare_end(&bare, spm_build_from(&bare, file, e));
    json_drop(bare.a, bare.config);
    json_drop(bare.a, bare.map);
    return root;
}

/* SPDX-License-Identifier: MIT
 *
 * tokenizer.ggml.pre -> how a text is cut into words before byte-pair merges.  A GGUF
 * holds only the name; what it stands for is what the tokenizer.json of the models
 * that were converted under that name says. */
#include "text/gguf_tok.h"

#include <string.h>

#include "base/json.h"

enum cut_kind {
    CUT_END, CUT_AT,                /* every match of the pattern is a word */
    CUT_DIGITS,                     /* runs of digits are */
    CUT_EACH_DIGIT, CUT_PUNCTUATION,
    CUT_GPT2                        /* GPT-2's pattern, of the byte-level step */
};

struct cut_step {
    enum cut_kind kind;
    const char *pattern;
};

enum { PRE_NAMES = 16, PRE_STEPS = 6 };     /* at most, of one row; fewer end at a NULL */

struct pre {
    const char *names[PRE_NAMES];
    bool nfc, ignore_merges;
    struct cut_step step[PRE_STEPS];
};

/* ---- patterns ---- */

#define CONTRACTIONS "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define TAIL         "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define BY_DIGITS(n) CONTRACTIONS "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}" n \
                     "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|" TAIL

/* A word's capitals, then its small letters: o200k's and Tekken's. */
#define UPPER "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]"
#define LOWER "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]"
#define BY_CASE(end, digits) \
    "[^\\r\\n\\p{L}\\p{N}]?" UPPER "*" LOWER "+" end \
    "|[^\\r\\n\\p{L}\\p{N}]?" UPPER "+" LOWER "*" end \
    "|\\p{N}" digits "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|" TAIL

#define BLOOM " ?[^(\\s|[.,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c])]+"

/* DeepSeek: Chinese, Japanese and Korean; and the letters with case that it lists. */
#define CJK_OLD "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"
#define CJK_V3  "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"
#define DEEPSEEK_V3 \
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+" \
    "|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*|" TAIL
#define DEEPSEEK_PUNCTUATION \
    "\\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002]+"
#define CASED_LETTERS \
    "A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf" \
    "\u01c4-\u0293\u0295-\u02af\u0370-\u0373\u0376\u0377\u037b-\u037d\u037f" \
    "\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03f5\u03f7-\u0481" \
    "\u048a-\u052f\u0531-\u0556\u10a0-\u10c5\u13a0-\u13f5\u13f8-\u13fd" \
    "\u1c90-\u1cba\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77\u1d79-\u1d9a" \
    "\u1e00-\u1f15\u1f18-\u1f1d\u1f20-\u1f45\u1f48-\u1f4d\u1f50-\u1f57" \
    "\u1f59\u1f5b\u1f5d\u1f5f-\u1f7d\u1f80-\u1fb4\u1fb6-\u1fbc\u1fbe" \
    "\u1fc2-\u1fc4\u1fc6-\u1fcc\u1fd0-\u1fd3\u1fd6-\u1fdb\u1fe0-\u1fec" \
    "\u1ff2-\u1ff4\u1ff6-\u1ffc\u2102\u2107\u210a-\u2113\u2115\u2119-\u211d" \
    "\u2124\u2126\u2128\u212a-\u212d\u212f-\u2134\u2139\u213c-\u213f" \
    "\u2145-\u2149\u214e\u2183\u2184\u2c00-\u2c7b\u2c7e-\u2ce4\u2ceb-\u2cee" \
    "\u2cf2\u2cf3\ua640-\ua66d\ua680-\ua69b\ua722-\ua76f\ua771-\ua787" \
    "\ua78b-\ua78e\uab70-\uabbf\ufb00-\ufb06\ufb13-\ufb17\uff21-\uff3a" \
    "\uff41-\uff5a\U00010400-\U0001044f\U000104b0-\U000104d3" \
    "\U000104d8-\U000104fb\U00010c80-\U00010cb2\U00010cc0-\U00010cf2" \
    "\U000118a0-\U000118df\U0001e900-\U0001e943"

static const struct pre pres[] = {
    { { "gpt-2", "phi-2", "jais" }, .step = { { CUT_GPT2, NULL } } },
    { { "mpt", "olmo" }, .nfc = true, .step = { { CUT_GPT2, NULL } } },
    { { "llama-bpe", "llama3", "llama-v3", "falcon3" }, .ignore_merges = true,
      .step = { { CUT_AT, BY_DIGITS("{1,3}") } } },
    { { "smaug-bpe", "dbrx", "glm4", "chatglm-bpe" },
      .step = { { CUT_AT, BY_DIGITS("{1,3}") } } },
    { { "qwen2", "deepseek-r1-qwen" }, .nfc = true,
      .step = { { CUT_AT, BY_DIGITS("") } } },
    { { "stablelm2" }, .step = { { CUT_AT, BY_DIGITS("") } } },
    { { "gpt-4o", "llama4" }, .ignore_merges = true,
      .step = { { CUT_AT, BY_CASE(CONTRACTIONS "?", "{1,3}") } } },
    { { "tekken" }, .ignore_merges = true, .step = { { CUT_AT, BY_CASE("", "") } } },
    { { "deepseek-llm" },
      .step = { { CUT_AT, "[\\r\\n]" }, { CUT_AT, "\\s?[" CASED_LETTERS "]+" },
                { CUT_AT, DEEPSEEK_PUNCTUATION }, { CUT_AT, "\\s+$" },
                { CUT_AT, CJK_OLD }, { CUT_EACH_DIGIT, NULL } } },
    { { "deepseek-coder" },
      .step = { { CUT_AT, "[\\r\\n]" }, { CUT_AT, "\\s?\\p{L}+" },
                { CUT_AT, "\\s?\\p{P}+" }, { CUT_AT, CJK_OLD },
                { CUT_EACH_DIGIT, NULL } } },
    { { "deepseek-v3" },
      .step = { { CUT_AT, "\\p{N}{1,3}" }, { CUT_AT, CJK_V3 },
                { CUT_AT, DEEPSEEK_V3 } } },
    { { "falcon" },
      .step = { { CUT_PUNCTUATION, NULL }, { CUT_GPT2, NULL }, { CUT_DIGITS, NULL },
                { CUT_AT, "[0-9][0-9][0-9]" } } },
    { { "starcoder", "refact", "smollm", "codeshell" },
      .step = { { CUT_EACH_DIGIT, NULL }, { CUT_GPT2, NULL } } },
    { { "command-r" }, .nfc = true,
      .step = { { CUT_EACH_DIGIT, NULL }, { CUT_GPT2, NULL } } },
    { { "bloom", "poro-chat", "gpt3-finnish" }, .step = { { CUT_AT, BLOOM } } },
};
enum { N_PRE = sizeof pres / sizeof *pres };

const char *gguf_pre_name(int i)
{
    for (int k = 0; k < N_PRE; k++)
        for (int n = 0; n < PRE_NAMES && pres[k].names[n] != NULL; n++)
            if (i-- == 0)
                return pres[k].names[n];
    return NULL;
}

static json_t *byte_level(bool cuts)
{
    return json_pack("{ss sb sb}", "type", "ByteLevel", "add_prefix_space", 0, "use_regex",
                     (int)cuts);
}

static json_t *step_of(const struct cut_step *step)
{
    switch (step->kind) {
    case CUT_AT:
        return json_pack("{ss s{ss} ss sb}", "type", "Split", "pattern", "Regex", step->pattern,
                         "behavior", "Isolated", "invert", 0);
    case CUT_DIGITS:
        return json_pack("{ss sb}", "type", "Digits", "individual_digits", 0);
    case CUT_EACH_DIGIT:
        return json_pack("{ss sb}", "type", "Digits", "individual_digits", 1);
    case CUT_PUNCTUATION:
        return json_pack("{ss ss}", "type", "Punctuation", "behavior", "Contiguous");
    case CUT_GPT2:
        return byte_level(true);
    case CUT_END:
        break;
    }
    return NULL;
}

/* GPT-2's step also writes bytes as pieces do; where it is not there, one does only that. */
static void put_steps(struct arena *a, json_t *root, const struct pre *pre)
{
    json_t *sequence = json_put(a, root, "pre_tokenizer",
                                json_pack("{ss}", "type", "Sequence"));
    json_t *list = json_put(a, sequence, "pretokenizers", json_array());
    bool written = false;

    for (int i = 0; i < PRE_STEPS && pre->step[i].kind != CUT_END; i++) {
        json_add(a, list, step_of(&pre->step[i]));
        written = written || pre->step[i].kind == CUT_GPT2;
    }
    if (!written)
        json_add(a, list, byte_level(false));
}

bool gguf_pre(struct arena *a, json_t *root, const char *name, bool *ignore_merges)
{
    for (int k = 0; k < N_PRE; k++)
        for (int n = 0; n < PRE_NAMES && pres[k].names[n] != NULL; n++) {
            if (strcmp(pres[k].names[n], name) != 0)
                continue;
            put_steps(a, root, &pres[k]);
            if (pres[k].nfc)
                json_put(a, root, "normalizer", json_pack("{ss}", "type", "NFC"));
            *ignore_merges = pres[k].ignore_merges;
            return true;
        }
    return false;
}

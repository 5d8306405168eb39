/* SPDX-License-Identifier: MIT
 * A folder without tokenizer.json -> the tokenizer.json that the transformers
 * library would build from vocab.txt (BERT, ESM), vocab.json and merges.txt (GPT-2,
 * RoBERTa, CLIP) or a SentencePiece model, with tokenizer_config.json and
 * special_tokens_map.json. */
#include "text/bare.h"

#include <string.h>

#include "base/json.h"
#include "base/utf8.h"

/* ---- files ---- */

static const struct span *hold_file(const struct bare *bare, const char *name, struct err *e)
{
    return file_hold(bare->a, file_join(bare->a, bare->dir, name), e);
}

/* The next line of *s, without "\n" or "\r\n"; false where none is left. */
static bool bare_next_line(struct span *s, struct text *line)
{
    const unsigned char *end = s->size > 0 ? memchr(s->data, '\n', s->size) : NULL;
    size_t count = end != NULL ? (size_t)(end - s->data) : s->size;

    if (s->size == 0)
        return false;
    line->s = (const char *)s->data;
    line->n = count > 0 && line->s[count - 1] == '\r' ? count - 1 : count;
    count += end != NULL;
    s->data += count;
    s->size -= count;
    return true;
}

static void trim_end(struct text *line)
{
    while (line->n > 0) {
        int code, count = chars_before(line->s, line->n, &code);

        if (!chars_is_space(code))
            break;
        line->n -= (size_t)count;
    }
}

/*
 * vocab.txt: line i, without white space at its end, is the piece with id i; of
 * two equal lines the later counts.
 */
static json_t *read_vocab_lines(const struct bare *bare, struct err *e)
{
    const struct span *span = hold_file(bare, "vocab.txt", e);
    json_t *vocab = span != NULL ? json_hold(bare->a, json_object()) : NULL;
    struct span rest = span != NULL ? *span : (struct span){ 0 };
    struct text line;
    json_int_t id = 0;

    for (; bare_next_line(&rest, &line); id++) {
        char *key;

        trim_end(&line);
        key = arena_strndup(bare->a, line.s, line.n);
        if (strlen(key) != line.n || utf8_check(key, line.n) != line.n) {
            err_set(e, ERR_INPUT, "vocab.txt: line %lld is not UTF-8, or has a NUL",
                    (long long)id + 1);
            json_drop(bare->a, vocab);
            vocab = NULL;
            break;
        }
        json_put(bare->a, vocab, key, json_integer(id));
    }
    file_drop(bare->a, span);
    return vocab;
}

/* merges.txt: "left right" a line, below a line that begins with #version. */
static json_t *read_merge_lines(const struct bare *bare, struct err *e)
{
    const struct span *span = hold_file(bare, "merges.txt", e);
    json_t *merges = span != NULL ? json_hold(bare->a, json_array()) : NULL;
    struct span rest = span != NULL ? *span : (struct span){ 0 };
    struct text line;

    while (bare_next_line(&rest, &line)) {
        if (line.n == 0 || (line.n >= 8 && memcmp(line.s, "#version", 8) == 0))
            continue;
        if (utf8_check(line.s, line.n) != line.n) {
            err_set(e, ERR_INPUT, "merges.txt: merge %zu is not UTF-8",
                    json_array_size(merges) + 1);
            json_drop(bare->a, merges);
            merges = NULL;
            break;
        }
        json_add(bare->a, merges, json_stringn(line.s, line.n));
    }
    file_drop(bare->a, span);
    return merges;
}

/* ---- the pieces of the tokenizer.json ---- */

static int build_bert(struct bare *bare, struct err *e)
{
    const json_t *strip = json_object_get(bare->config, "strip_accents");
    json_t *vocab = read_vocab_lines(bare, e);

    if (vocab == NULL)
        return -1;
    json_put(bare->a, bare->root, "model",
        json_pack("{ss sO ss?}", "type", "WordPiece", "vocab", vocab, "unk_token",
                  bare_special(bare, "unk_token", "[UNK]")));
    json_put(bare->a, bare->root, "normalizer",
        json_pack("{ss sb sb sO? sb}", "type", "BertNormalizer", "clean_text", 1,
                  "handle_chinese_chars",
                  (int)bare_setting(bare, "tokenize_chinese_chars", true), "strip_accents",
                  strip, "lowercase", (int)bare_setting(bare, "do_lower_case", true)));
    json_put(bare->a, bare->root, "pre_tokenizer",
                        json_pack("{ss}", "type", "BertPreTokenizer"));
    template_put(bare->t, bare->root, bare_special(bare, "cls_token", "[CLS]"),
                 bare_special(bare, "sep_token", "[SEP]"), false);
    json_drop(bare->a, vocab);
    return 0;
}

/* Every piece is found wherever it stands, the longest first; what is left is unknown. */
static int build_esm(struct bare *bare, struct err *e)
{
    json_t *vocab = read_vocab_lines(bare, e);
    json_t *flags = json_hold(bare->a, json_pack("{sb sb}", "special", 0, "normalized", 0));
    const char *piece;
    json_t *id;

    json_object_foreach(vocab, piece, id)
        if (piece[0] != '\0')
            bare_add_token(bare, flags, piece);
    json_drop(bare->a, flags);
    if (vocab == NULL)
        return -1;
    json_put(bare->a, bare->root, "model",
        json_pack("{ss sO ss?}", "type", "WordLevel", "vocab", vocab, "unk_token",
                  bare_special(bare, "unk_token", "<unk>")));
    json_put(bare->a, bare->root, "pre_tokenizer", json_pack("{ss}", "type", "WhitespaceSplit"));
    template_put(bare->t, bare->root, bare_special(bare, "cls_token", "<cls>"),
                 bare_special(bare, "eos_token", "<eos>"), false);
    json_drop(bare->a, vocab);
    return 0;
}

/* The vocabulary, which the caller borrows, or NULL. */
static json_t *build_byte_bpe(struct bare *bare, struct err *e)
{
    json_t *vocab, *merges = read_merge_lines(bare, e);

    vocab = merges != NULL ? bare_object(bare, "vocab.json", e) : NULL;
    if (vocab == NULL) {
        json_drop(bare->a, merges);
        return NULL;
    }
    json_put(bare->a, bare->root, "model",
        json_pack("{ss sO sO}", "type", "BPE", "vocab", vocab, "merges", merges));
    json_drop(bare->a, vocab);             /* the root has them */
    json_drop(bare->a, merges);
    json_put(bare->a, bare->root, "pre_tokenizer",
        json_pack("{ss sb}", "type", "ByteLevel", "add_prefix_space",
                  (int)bare_setting(bare, "add_prefix_space", false)));
    json_put(bare->a, bare->root, "decoder", json_pack("{ss}", "type", "ByteLevel"));
    return vocab;
}

static int build_gpt2(struct bare *bare, struct err *e)
{
    const json_t *vocab = build_byte_bpe(bare, e);
    bool bos = bare_setting(bare, "add_bos_token", false);
    bool eos = bare_setting(bare, "add_eos_token", false);

    if (vocab == NULL)
        return -1;
    template_put(bare->t, bare->root, bos ? bare_special(bare, "bos_token", "<|endoftext|>") : NULL,
                 eos ? bare_special(bare, "eos_token", "<|endoftext|>") : NULL, true);
    return 0;
}

static int build_roberta(struct bare *bare, struct err *e)
{
    const char *cls = bare_special(bare, "cls_token", "<s>");
    const char *sep = bare_special(bare, "sep_token", "</s>");
    const json_t *vocab = build_byte_bpe(bare, e);

    if (vocab == NULL)
        return -1;
    json_put(bare->a, bare->root, "post_processor",
        json_pack("{ss s[s?O?] s[s?O?] sb sb}", "type", "RobertaProcessing", "cls", cls,
                  cls != NULL ? json_object_get(vocab, cls) : NULL, "sep", sep,
                  sep != NULL ? json_object_get(vocab, sep) : NULL, "trim_offsets",
                  (int)bare_setting(bare, "trim_offsets", true), "add_prefix_space",
                  (int)bare_setting(bare, "add_prefix_space", false)));
    return 0;
}

/* Runs of letters, digits one by one, runs of other characters, in small letters; a piece that
 * ends a word has a mark. */
static int build_clip(struct bare *bare, struct err *e)
{
    const char *bos = bare_special(bare, "bos_token", "<|startoftext|>");
    const char *eos = bare_special(bare, "eos_token", "<|endoftext|>");
    const char *unk = bare_special(bare, "unk_token", "<|endoftext|>");
    const json_t *vocab = build_byte_bpe(bare, e);
    json_t *model = json_object_get(bare->root, "model");

    if (vocab == NULL)
        return -1;
    json_put(bare->a, model, "end_of_word_suffix", json_string("</w>"));
    json_put(bare->a, model, "unk_token", json_string(unk));
    json_put(bare->a, bare->root, "normalizer",
        json_pack("{ss s[{ss}{ss s{ss} ss}{ss}]}", "type", "Sequence", "normalizers", "type", "NFC",
                  "type", "Replace", "pattern", "Regex", "\\s+", "content", " ", "type",
                  "Lowercase"));
    json_put(bare->a, bare->root, "pre_tokenizer",
        json_pack("{ss s[{ss s{ss} ss sb}{ss sb}]}", "type", "Sequence", "pretokenizers", "type",
                  "Split", "pattern", "Regex",
                  "<\\|startoftext\\|>|<\\|endoftext\\|>|"
                  "'s|'t|'re|'ve|'m|'ll|'d|[\\p{L}]+|[\\p{N}]|"
                  "[^\\s\\p{L}\\p{N}]+", "behavior", "Removed", "invert", 1, "type", "ByteLevel",
                  "add_prefix_space", 0));
    json_put(bare->a, bare->root, "post_processor",
        json_pack("{ss s[s?O?] s[s?O?] sb sb}", "type", "RobertaProcessing", "cls", bos,
                  bos != NULL ? json_object_get(vocab, bos) : NULL, "sep", eos,
                  eos != NULL ? json_object_get(vocab, eos) : NULL, "trim_offsets", 0,
                  "add_prefix_space", 0));
    return 0;
}

static const struct flavour bert = {
    "vocab.txt",
    { "BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer", "LayoutLMTokenizer" },
    { "bert", "distilbert", "electra", "mobilebert", "convbert", "megatron-bert",
      "layoutlm" },
    { { "unk_token", "[UNK]" }, { "sep_token", "[SEP]" }, { "pad_token", "[PAD]" },
      { "cls_token", "[CLS]" }, { "mask_token", "[MASK]" } },
    build_bert
};

static const struct flavour esm = {
    "vocab.txt",
    { "EsmTokenizer" },
    { "esm" },
    { { "unk_token", "<unk>" }, { "cls_token", "<cls>" }, { "pad_token", "<pad>" },
      { "mask_token", "<mask>" }, { "eos_token", "<eos>" } },
    build_esm
};

static const struct flavour gpt2 = {
    "vocab.json with merges.txt",
    { "GPT2Tokenizer" },
    { "gpt2", "gpt_neo", "gptj", "opt", "gpt-sw3", "imagegpt" },
    { { "bos_token", "<|endoftext|>" }, { "eos_token", "<|endoftext|>" },
      { "unk_token", "<|endoftext|>" }, { "pad_token", NULL } },
    build_gpt2
};

static const struct flavour roberta = {
    "vocab.json with merges.txt",
    { "RobertaTokenizer", "BartTokenizer", "LongformerTokenizer" },
    { "roberta", "bart", "longformer", "roberta-prelayernorm" },
    { { "bos_token", "<s>" }, { "eos_token", "</s>" }, { "unk_token", "<unk>" },
      { "sep_token", "</s>" }, { "pad_token", "<pad>" }, { "cls_token", "<s>" },
      { "mask_token", "<mask>" } },
    build_roberta
};

static const struct flavour clip = {
    "vocab.json with merges.txt",
    { "CLIPTokenizer" },
    { "clip", "clip_text_model" },
    { { "bos_token", "<|startoftext|>" }, { "eos_token", "<|endoftext|>" },
      { "unk_token", "<|endoftext|>" }, { "pad_token", "<|endoftext|>" } },
    build_clip
};

/* ---- which of them ---- */

/* "BertTokenizerFast" is the same as "BertTokenizer". */
static bool is_class(const struct flavour *flavour, const char *class)
{
    for (int i = 0; i < FLAVOUR_CLASSES && flavour->classes[i] != NULL; i++) {
        size_t count = strlen(flavour->classes[i]);

        if (strncmp(class, flavour->classes[i], count) == 0 &&
            (class[count] == '\0' || strcmp(class + count, "Fast") == 0))
            return true;
    }
    return false;
}

static bool is_model(const struct flavour *flavour, const char *model)
{
    for (int i = 0; i < FLAVOUR_MODELS && flavour->models[i] != NULL; i++)
        if (strcmp(model, flavour->models[i]) == 0)
            return true;
    return false;
}

/*
 * By tokenizer_class of tokenizer_config.json, or of config.json; without one by the
 * model_type there; else the first.
 */
static const struct flavour *pick(const struct bare *bare,
                                  const struct flavour *const *f, struct err *e)
{
    const char *class = json_string_value(json_object_get(bare->config,
                                                          "tokenizer_class"));
    const char *name = class;
    json_t *config;

    if (class == NULL) {
        config = bare_object(bare, "config.json", e);
        if (config == NULL)
            return NULL;
        class = json_string_value(json_object_get(config, "tokenizer_class"));
        class = class != NULL ? arena_strdup(bare->a, class) : NULL;
        name = class != NULL ? class :
               json_string_value(json_object_get(config, "model_type"));
        name = name != NULL ? arena_strdup(bare->a, name) : NULL;
        json_drop(bare->a, config);
    }
    if (name == NULL)
        return f[0];
    for (int i = 0; f[i] != NULL; i++)
        if (class != NULL ? is_class(f[i], name) : is_model(f[i], name))
            return f[i];
    err_set(e, ERR_INPUT, "%s \"%.80s\" needs a tokenizer.json: what %s stands for "
            "there is not known", class != NULL ? "tokenizer_class" : "model_type",
            name, f[0]->name);
    return NULL;
}

static const struct flavour *bare_choose(const struct bare *bare, struct err *e)
{
    static const struct flavour *const by_lines[] = { &bert, &esm, NULL };
    static const struct flavour *const by_merges[] = { &gpt2, &roberta, &clip, NULL };

    if (file_exists(file_join(bare->a, bare->dir, "vocab.txt")))
        return pick(bare, by_lines, e);
    if (file_exists(file_join(bare->a, bare->dir, "vocab.json")) &&
        file_exists(file_join(bare->a, bare->dir, "merges.txt")))
        return pick(bare, by_merges, e);
    if (bare->model_file != NULL)
        return pick(bare, spm_flavours, e);
    err_set(e, ERR_INPUT, "no tokeniser: expected tokenizer.json, vocab.txt, vocab.json "
            "with merges.txt, or a SentencePiece model");
    err_is_absent(e);
    return NULL;
}

json_t *bare_read(struct tok *tok, const char *dir, bool target, struct err *e)
{
    struct bare bare = { .t = tok, .a = tok->a, .dir = dir, .target = target };
    json_t *root = NULL;

    bare.model_file = spm_file(&bare);
    bare.config = bare_object(&bare, "tokenizer_config.json", e);
    if (bare.config != NULL)
        bare.map = bare_object(&bare, "special_tokens_map.json", e);
    bare.flavour = bare.map != NULL ? bare_choose(&bare, e) : NULL;
    if (bare.flavour != NULL) {
        bare_begin(&bare);
        bare_add_specials(&bare, bare.flavour);
        root = bare_end(&bare, bare.flavour->build(&bare, e));
    }
    json_drop(bare.a, bare.config);
    json_drop(bare.a, bare.map);
    return root;
}

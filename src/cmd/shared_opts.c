/* SPDX-License-Identifier: MIT
 * The tables of options that many commands share. */
#include "cmd/shared.h"

#include <limits.h>

#include "session/layer.h"

#define F(f) offsetof(struct shared_args, asked.f)
const struct opt model_opts[] = {
    { 'm', "model", "PATH", OPT_STRING, F(model), NULL, 0, 0, NULL,
      "a Hugging Face folder or its name in the cache, a .safetensors, .npz or .gguf file; "
      "without it the built-in model" },
    { 0 }
};

const struct opt text_opts[] = {
    { 'f', "file", "FILE", OPT_STRING, F(file), NULL, 0, 0, NULL,
      "a text a line; - is standard input, .gz is unpacked" },
    { 0, "pairs", NULL, OPT_FLAG, F(pairs), NULL, 0, 0, NULL,
      "each line of the file is two texts with a tab between" },
    { 0, "jsonl", NULL, OPT_FLAG, F(jsonl), NULL, 0, 0, NULL,
      "each line of the file is {\"text\":…,\"pair\":…} or {\"ids\":[…],\"type_ids\":[…]}" },
    { 0, "ids", "LIST", OPT_STRING, F(ids), NULL, 0, 0, NULL,
      "token ids instead of a text: 101,7592,102" },
    { 0, "type-ids", "LIST", OPT_STRING, F(type_ids), NULL, 0, 0, NULL,
      "the types of --ids, as many" },
    { 0, "decoder-ids", "LIST", OPT_STRING, F(decoder_ids), NULL, 0, 0, NULL,
      "token ids of the decoder of an encoder-decoder, instead of TEXT_B" },
    { 0, "global", "LIST", OPT_STRING, F(global), NULL, 0, 0, NULL,
      "tokens that see all and that all see, from 0: 0,5-7 or all or none (longformer)" },
    { 0, "input", "FILE", OPT_STRING, F(input), NULL, 0, 0, NULL,
      "a .npy instead of a text, for a model that reads pixels, sound or rows" },
    { 0, "pretokenized", NULL, OPT_FLAG, F(pretokenized), NULL, 0, 0, NULL,
      "the text is pieces of the vocabulary, split at spaces" },
    { 0, "no-special", NULL, OPT_FLAG, F(no_special), NULL, 0, 0, NULL,
      "do not add the special tokens of the model's template" },
    { 0, "truncate", NULL, OPT_FLAG, F(truncate), NULL, 0, 0, NULL,
      "cut a text that is longer than the model takes, and say so" },
    { 0 }
};

const struct opt select_opts[] = {
    { 'l', "layer", "LIST", OPT_STRING, F(layer), NULL, 0, 0, NULL,
      "layers, from 0: 3 or 0,2-4 or all" },
    { 'H', "head", "LIST", OPT_STRING, F(head), NULL, 0, 0, NULL,
      "heads, from 0: 3 or 0,2-4 or all" },
    { 's', "stack", "NAME", OPT_STRING, F(stack), NULL, 0, 0, NULL,
      "encoder, decoder or cross; without it cross where the decoder has a text" },
    { 0, "rotations", "FILE", OPT_STRING, F(rotations), NULL, 0, 0, NULL,
      "random rotations of a reformer's hash, .npy; without it drawn by hash_seed" },
    { 0 }
};

const struct opt generate_opts[] = {
    { 0, "generate", "N", OPT_INT, F(generate), NULL, 1, 1 << 20, NULL,
      "continue the text by at most N tokens, greedily; of an encoder-decoder the "
      "decoder's text, also without this where it is needed (at most 32)" },
    { 0 }
};

const struct opt mask_opts[] = {
    { 0, "mask", "SPEC", OPT_STRING, F(mask), NULL, 0, 0, NULL,
      "hide keys: causal, padding:N (the last N), block:Q-Q,K-K, FILE.npy; A+B: both" },
    { 0, "memory-mask", "SPEC", OPT_STRING, F(memory_mask), NULL, 0, 0, NULL,
      "the same for cross-attention" },
    { 0, "mask-value", "X", OPT_REAL, F(mask_value), NULL, -1e38, 0, NULL,
      "score of a key that the mask hides, as -1e9; without it minus infinity" },
    { 0 }
};

const struct opt dtype_opts[] = {
    { 0, "dtype", "NAME", OPT_CHOICE, F(dtype), "f32", 0, 0, precision_names,
      "round what goes into each product to this; sums stay in f32" },
    { 0 }
};

const struct opt layer_opts[] = {
    { 0, "heads", "N", OPT_INT, F(heads), NULL, 1, 1 << 16, NULL,
      "heads of a bare layer, where its file cannot tell" },
    { 0, "norm-first", NULL, OPT_FLAG, F(norm_first), NULL, 0, 0, NULL,
      "a bare layer norms before attention and mlp, not after the sum" },
    { 0, "activation", "NAME", OPT_CHOICE, F(activation), "auto", 0, 0, layer_activations,
      "of a bare layer's mlp; auto: relu" },
    { 0, "relative", "FORM", OPT_CHOICE, F(relative), "index", 0, 0, layer_relatives,
      "how a bare layer reads rel_pos_encoding: by index, or as Shaw et al. do" },
    { 0 }
};

const struct opt rows_opts[] = {
    { 0, "memory", "FILE", OPT_STRING, F(memory), NULL, 0, 0, NULL,
      "a .npy that a bare layer's keys and values are of; random: drawn from --seed" },
    { 0, "key", "FILE", OPT_STRING, F(key), NULL, 0, 0, NULL,
      "the same for its keys alone; wants --value" },
    { 0, "value", "FILE", OPT_STRING, F(value), NULL, 0, 0, NULL,
      "the same for its values alone; wants --key" },
    { 0, "tokens", "NAMES", OPT_STRING, F(tokens), NULL, 0, 0, NULL,
      "names of a bare layer's rows, or of queries, split at spaces" },
    { 0, "key-tokens", "NAMES", OPT_STRING, F(key_tokens), NULL, 0, 0, NULL,
      "names of keys that are of another text, split at spaces" },
    { 0, "shape", "[B]xT", OPT_STRING, F(shape), NULL, 0, 0, NULL,
      "texts and rows of a bare layer's input where none is given: 10, 32x50" },
    { 0 }
};

const struct opt seed_opts[] = {
    { 0, "seed", "N", OPT_INT, F(seed), "1", 0, INT_MAX, NULL,
      "of the normal numbers that stand for an input that is not given" },
    { 0 }
};

const struct opt attention_opts[] = {
    { 0, "attention", "FILE", OPT_STRING, F(attention), NULL, 0, 0, NULL,
      "rows of attention that are ready-made, .npz or .npy, instead of a model and a text" },
    { 0 }
};

const struct opt qkv_opts[] = {
    { 0, "qkv", "Q,K,V", OPT_STRING, F(qkv), NULL, 0, 0, NULL,
      "three .npy of queries, keys and values, instead of a model and a text" },
    { 0, "score-scale", "X", OPT_REAL, F(score_scale), NULL, 1e-30, 1e30, NULL,
      "of the scores of --qkv; without it 1 / sqrt(width of a query)" },
    { 0 }
};
#undef F

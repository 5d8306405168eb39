#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes generate.json: what the reference library's greedy generate adds to texts.

    python3 tests/ref/make_generate.py

needs what make.py needs, and the models of make.py, make_families.py and make_seq2seq.py
as they lie here.  A case has a model, its input, the rules as generation_config.json has
them, the most tokens, and the ids with what was added (encoder-decoders: the decoder's), from
passes over the whole text each time.
At every step the largest score leads by more than LEAD, so that rounding decides nothing;
prompts are drawn until that is so, and until the rules that a case is about were needed.
"""
import json
import pathlib

import torch
import transformers as T

from make_families import MIXTURES

HERE = pathlib.Path(__file__).parent
LEAD = 1e-3
PAIRS = ("bart", "seq2seq/")


def load(name):
    kind = T.AutoModelForSeq2SeqLM if name.startswith(PAIRS) else T.AutoModelForCausalLM
    # Experts as they are computed for tensors of any stride.
    more = {"experts_implementation": "eager"} if any(w in name for w in MIXTURES) else {}
    return kind.from_pretrained(HERE / name, dtype=torch.float32,
                                attn_implementation="eager", **more).eval()


def generate(model, ids, rules, most, prefix=None):
    """The ids, and by how much the choice led at least."""
    config = T.GenerationConfig(**rules, max_new_tokens=most, do_sample=False, num_beams=1,
                                use_cache=False, output_scores=True, return_dict_in_generate=True)
    model.generation_config = T.GenerationConfig()
    more = {} if prefix is None else {"decoder_input_ids": torch.tensor([prefix])}
    with torch.no_grad():
        out = model.generate(torch.tensor([ids]), generation_config=config, **more)
    lead = min(float(s[0].topk(2).values.diff().abs()) for s in out.scores)
    return out.sequences[0].tolist(), lead


def case(name, rules, most, n_prompt=5, differs=True, prefix=None, end_at=None):
    """differs: the rules (but for the start) change what is generated without them."""
    model = load(name)
    vocab = model.config.get_text_config().vocab_size
    plain = {k: v for k, v in rules.items() if k in ("decoder_start_token_id", "bos_token_id")}
    given = len(prefix or [0]) if name.startswith(PAIRS) else n_prompt
    first = None if end_at is None else given + end_at
    for seed in range(1000):
        g = torch.Generator().manual_seed(seed)
        ids = torch.randint(3, vocab, (n_prompt,), generator=g).tolist()
        without, _ = generate(model, ids, plain, most, prefix)
        own = dict(rules)
        if first is not None:       # the end is a token that comes there first
            if without[first] in without[:first]:
                continue
            own["eos_token_id"] = [vocab - 1, without[first]]
        full, lead = generate(model, ids, own, most, prefix)
        if lead > LEAD and len(set(full)) > 3 and (not differs or full != without):
            break
    else:
        raise SystemExit(f"{name}: no prompt gives a safe lead with {rules}")
    out = {"model": name, "input_ids": ids, "rules": own, "most": most}
    if prefix is not None:
        out["decoder_ids"] = prefix
    print(name, "seed", seed, "lead", round(lead, 4), len(full), "tokens")
    return {**out, "ids": full}


def main():
    start = {"decoder_start_token_id": 0}
    cases = [
        case("gpt2", {}, 20, differs=False),
        case("gpt2", {"no_repeat_ngram_size": 2}, 24),
        case("llama", {}, 30, end_at=4),
        case("llama", {"min_new_tokens": 7}, 12, end_at=4),
        case("families/llama_llama3", {"repetition_penalty": 1.3}, 20),
        case("families/llama_yarn", {"no_repeat_ngram_size": 1}, 20),
        case("families/mistral", {"no_repeat_ngram_size": 3}, 30),
        case("families/mixtral", {"suppress_tokens": [5, 9, 11, 12, 13, 20, 21, 22]}, 20),
        case("families/bloom", {"no_repeat_ngram_size": 2}, 60),
        case("families/falcon_alibi", {"repetition_penalty": 1.2}, 20),
        case("families/gpt_neo", {"bad_words_ids": [[4], [7, 8], [9, 10]]}, 20,
             differs=False),
        case("families/gemma2", {"no_repeat_ngram_size": 2}, 25),
        case("families/gemma3", {"no_repeat_ngram_size": 2}, 25),
        case("families/qwen3_moe", {"begin_suppress_tokens": list(range(3, 30))}, 15),
        case("families/deepseek_v2", {"no_repeat_ngram_size": 2}, 25),
        case("families/phi", {"min_length": 14}, 20, end_at=3),
        case("seq2seq/t5", {**start, "no_repeat_ngram_size": 2}, 50),
        case("seq2seq/t5", {**start, "min_length": 6}, 20, end_at=2),
        case("bart", {"decoder_start_token_id": 2, "forced_bos_token_id": 0,
                      "forced_eos_token_id": 2, "eos_token_id": 2,
                      "no_repeat_ngram_size": 3}, 12),
        case("seq2seq/bart", {"decoder_start_token_id": 2, "begin_suppress_tokens":
                              list(range(5, 40)), "forced_bos_token_id": 0}, 15),
        case("seq2seq/mbart", {"bos_token_id": 0, "forced_bos_token_id": 7,
                               "eos_token_id": 2, "repetition_penalty": 1.5}, 15),
        case("seq2seq/mbart", {**start, "bad_words_ids": [[3], [6, 5]],
                               "no_repeat_ngram_size": 2}, 15, prefix=[0, 17, 30]),
        case("seq2seq/marian", {"decoder_start_token_id": 1, "bad_words_ids": [[1]],
                                "eos_token_id": 0, "forced_eos_token_id": 0,
                                "no_repeat_ngram_size": 2}, 15),
    ]
    text = "[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n"
    (HERE / "generate.json").write_text(text)


if __name__ == "__main__":
    T.logging.set_verbosity_error()
    main()

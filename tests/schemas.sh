#!/bin/bash
# SPDX-License-Identifier: MIT
# What commands print as JSON is valid by the schemas of assets/schema, each of which takes
# part, and holds nothing that they do not name.  Skipped without Python's jsonschema.
cd "$(dirname "$0")/.." || exit 1
viz=${MHA_VIZ:-./mha-viz}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
python3 -c 'import jsonschema; jsonschema.Draft202012Validator' 2>/dev/null || {
    echo "SKIPPED: python3 has no jsonschema with draft 2020-12 (Debian: python3-jsonschema)"
    exit 77
}
ref=tests/ref
: >"$work/empty"
printf 'the key\nis in the door\n' >"$work/lines"
printf '{"text":"the key","lang":"%s"}\n' a b b >"$work/lines.jsonl"
echo 0-0 >"$work/links"
printf '{"ids":[%s]}\n' 5,6 7 > "$work/ids.jsonl"
failed=0
while read -r -a argv; do
    [ ${#argv[@]} -eq 0 ] && continue
    "$viz" "${argv[@]}" --json >>"$work/all.jsonl" </dev/null || {
        echo "failed: ${argv[*]}"
        failed=1
    }
done <<LIST
stats
stats the_cat_saw
stats -m $ref/bert -f $work/lines
stats -m $ref/bert the key
stats -m $ref/gpt2 --ids 5
stats -m $ref/gpt2 --ids 5 --generate 2
stats -m $ref/seq2seq/t5 --ids 1,2 --decoder-ids 3,4
stats -m $ref/layers/encoder.safetensors --heads 4 --seed 1
stats -m $ref/families/big_bird --ids 1,2,3
stats --links the_cat
links the_cat
links -m $ref/families/gpt_oss --hide first --ids 5,6,7
links -f $work/lines --from 0
curve the_cat
curve --over position --bootstrap=20 -m $ref/bert -f $work/lines
curve --over model -m $ref/gpt2 -m $ref/gpt2 --ids 5,6
model --metric entropy the_cat
model --metric type the_cat
model --mds --hide special the_cat
stats --links -m $ref/bert the key
stats --mask causal --top 0 the_cat
stats -m $ref/families/gpt_oss --metric sinks --ids 5,6,7
stats --attention $ref/precomputed/decoder.npz
stats --attention $ref/precomputed/skipped.npy
stats -f $work/empty
stats --summary --bootstrap=20 --reliability -m $ref/bert -f $work/lines
stats --summary --metric entropy,prev --by lang -m $ref/bert --jsonl -f $work/lines.jsonl
tokens the_cat
tokens -m $ref/bert the key
stability --runs 2 the_cat
stability --runs 2 --heads-alone -l 0 the_cat
stability --runs 2 --relative-noise -m $ref/gpt2 --ids 5
types
types --hide first the_cat
types -m $ref/bert -f $work/lines
types -m builtin:translate I 我 --align $work/links
types --gold samples/english.conllu
types -m $ref/bert --gold samples/english.conllu
attribute the_cat
attribute --sources --span 0-1 the_cat
attribute --answer-id 5 -m $ref/gpt2 --ids 5,6
attribute --sources -m $ref/families/gemma2 --ids 5,6
attribute -m $ref/families/lfm2 --ids 5,6
info -m $ref/families/qwen3_next
attribute --span 1-2 --raw -m $ref/seq2seq/t5 --ids 1,2,7 --decoder-ids 3,4
neuron the_cat
neuron -m $ref/families/deberta_v2 --ids 5,6,7
neuron -m $ref/families/gpt_oss --ids 5,6,7
neuron -m $ref/families/gemma2 --ids 5,6 --mask padding:1 --mask-value -3
neuron -m $ref/seq2seq/t5 --ids 1,2,7 --decoder-ids 3,4
trace the_cat
trace -m $ref/seq2seq/t5 --ids 1,2,7 --decoder-ids 3,4
trace --attention $ref/precomputed/decoder.npz
ablate the_cat
ablate --with uniform -m $ref/bert the key
ablate --together --with mean -m $ref/families/distilbert --ids 5,6
ablate -m $ref/seq2seq/t5 --ids 1,2,7 --decoder-ids 3,4
ablate --patch the_dog --answer-id 5 the_cat
ablate --patch the_dog --answer-id 5 --by-position the_dog
ablate --greedy the_cat
ablate --greedy=exact --summary -m $ref/families/distilbert --jsonl -f $work/ids.jsonl
ablate --summary -m $ref/bert -f $work/lines
ablate --summary --together -H 0 -f $work/lines
diff the cat
diff --dtype f32 --dtype bf16 -m $ref/seq2seq/t5 --ids 1,2 --decoder-ids 3,4
diff --from the -m $ref/bert --mask none --mask causal the key
diff -m $ref/families/longformer --global 0 --global 1 --ids 5,6,7
diff --summary --dtype f32 --dtype bf16 -m $ref/bert -f $work/lines
circuits
circuits -m $ref/bert
circuits -m $ref/gpt2 --edges
bench --runs 1
bench --runs 1 -t 1 -m $ref/seq2seq/t5 --length 3
mechanisms --runs 0 the_cat
mechanisms --runs 1 --propagate -l all --only exact,lsh the_cat
mechanisms --outputs-only -m $ref/families/bloom --ids 2,3,4
info
info -m $ref/bert
info --builtin
info --families
info -m $ref/seq2seq/t5
info -m $ref/families/vit
info -m $ref/families/mixtral
info -m $ref/layers/encoder.safetensors --heads 4
info --attention $ref/precomputed/decoder.npz
info --attention $ref/precomputed/gaps.npz
LIST
python3 - "$work/all.jsonl" <<'PYTHON' || failed=1
import json, pathlib, sys
from jsonschema import Draft202012Validator

def closed(schema):
    """Further members are allowed to those who read; here there must be none."""
    if isinstance(schema, dict):
        schema = {k: closed(v) for k, v in schema.items()}
        if "properties" in schema and isinstance(schema["properties"], dict):
            schema.setdefault("additionalProperties", False)
    elif isinstance(schema, list):
        schema = [closed(v) for v in schema]
    return schema

validators, seen, bad = {}, {}, 0
for path in sorted(pathlib.Path("assets/schema").glob("*.json")):
    schema = json.loads(path.read_text())
    Draft202012Validator.check_schema(schema)
    validators[schema["title"]] = Draft202012Validator(closed(schema))
for line in open(sys.argv[1], encoding="utf-8"):
    record = json.loads(line)
    seen[record["schema"]] = seen.get(record["schema"], 0) + 1
    for error in validators[record["schema"]].iter_errors(record):
        print(record["schema"], error.json_path, error.message[:200])
        bad = 1
    broken = {k: v for k, v in record.items() if k != "schema"}
    if validators[record["schema"]].is_valid(broken):
        print(record["schema"], "takes an object without its schema")
        bad = 1
for name in validators:
    if name not in seen:
        print(name, "was printed by no command")
        bad = 1
print(seen)
sys.exit(bad)
PYTHON
exit $failed

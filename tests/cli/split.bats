#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --split: long texts in pieces, each a text of its own.

# shellcheck disable=SC2154
load helper

text="the key is in the door the cat saw the dog"

# A short text, a long one, one that cannot be used, a long one
lines() {
    printf 'the key\n%s\n\xff\n%s is in\n' "$text" "$text"
}

@test "pieces of N tokens, with the template around each; spans are those of the text" {
    works "$viz" tokens --json -m "$ref/bert" --split 6:1 "$text"
    python3 - "$text" <<PYTHON
import json
text = "$text"
whole = json.loads('''$("$viz" tokens --json -m "$ref/bert" "$text")''')
pieces = [json.loads(line) for line in '''$output'''.splitlines()]
assert [p["part"] for p in pieces] == list(range(len(pieces)))
assert all(p["index"] == 0 for p in pieces) and "part" not in whole
ids, spans = whole["ids"][1:-1], whole["offsets"][1:-1]
for i, p in enumerate(pieces):
    own = ids[3 * i:3 * i + 4]
    assert p["ids"] == [whole["ids"][0]] + own + [whole["ids"][-1]], p
    assert p["offsets"][1:-1] == spans[3 * i:3 * i + 4]
    assert p["text"] == text[p["offsets"][1][0]:p["offsets"][-2][1]]
assert 3 * (len(pieces) - 1) + 4 >= len(ids) > 3 * (len(pieces) - 2) + 4
PYTHON
    # Of pairs the longer text is cut, and the other stands in each piece.
    works "$viz" tokens --tsv -m "$ref/bert" --split 7 "the key" "$text"
    last=$(tail -n 1 <<<"$output" | cut -f 2)
    [ "$last" -ge 4 ]
    # Type 0 is the first text.
    [ "$(awk '$5 == "key" && $11 == 0' <<<"$output" | wc -l)" -eq $((last + 1)) ]
    # Ids are cut, too, and special tokens at their ends stand around each piece.
    works "$viz" tokens --json -m "$ref/bert" --split 4 --ids 2,130,110,107,106,98,3
    [[ ${lines[0]} == *'"ids":[2,130,110,3]'* ]]
    [[ ${lines[2]} == *'"ids":[2,98,3]'* ]]
}

@test "statistics of pieces are those of the pieces as texts" {
    "$viz" tokens --json -m "$ref/bert" --split 6 "$text" |
        python3 -c 'import json, sys
for line in sys.stdin:
    print(json.dumps({"ids": json.loads(line)["ids"]}))' >"$dir/pieces.jsonl"
    works "$viz" stats --tsv -m "$ref/bert" --split 6 "$text"
    cut -f 3- <<<"$output" >"$dir/got"
    "$viz" stats --tsv -m "$ref/bert" --jsonl -f "$dir/pieces.jsonl" | cut -f 2- |
        diff - "$dir/got"
    [ "$(head -n 2 <<<"$output" | cut -f 1,2)" = "$(printf 'index\tpart\n0\t0')" ]
    works "$viz" stats --summary --json -m "$ref/bert" --split 6 "$text"
    [[ $output == *"\"n_texts\":$(wc -l <"$dir/pieces.jsonl"),"* ]]
    # A text that is short enough is one piece, as it would be without.
    works "$viz" stats --tsv -m "$ref/bert" --split 6 "the key"
    cut -f 1,3- <<<"$output" | diff - <("$viz" stats --tsv -m "$ref/bert" "the key")
}

@test "texts of a file: parts in every form, bad lines named, shards and threads the same bytes" {
    lines >"$dir/lines"
    run --separate-stderr "$viz" stats -m "$ref/bert" --split 6 -f "$dir/lines"
    [ "$status" -eq 3 ]
    [[ $output == "text 1, part 1"* ]]
    [[ $output == *"text 4, part 3"* ]]
    [[ $stderr == *"line 3: "*"1 of its texts and their pieces could not be used" ]]
    stats() {
        run --separate-stderr "$viz" stats -q -m "$ref/bert" --split 6:2 --bootstrap=20 \
            -f "$dir/lines" "$@"
    }
    stats --summary --tsv -t 1
    [ "$status" -eq 3 ]
    one=$output
    stats --summary --tsv -t 3
    [ "$output" = "$one" ]
    for k in 0 1 2; do
        stats --shard $k/3 -o "$dir/$k.part"
        [ "$status" -eq $((k == 2 ? 3 : 0)) ]
    done
    works "$viz" merge --tsv "$dir/2.part" "$dir/0.part" "$dir/1.part"
    [ "$output" = "$one" ]
}

@test "a run that is killed inside of a text goes on with its next piece" {
    # A line of thousands of pieces, between others
    { echo "$text"; for ((i = 0; i < 3000; i++)); do printf '%s ' "$text"; done; echo
      lines; } >"$dir/lines"
    stats() {
        ${run_as:-} "$viz" stats -q -m "$ref/bert" --metric entropy --split 16:3 \
            --summary -f "$dir/lines" "$@"
    }
    run --separate-stderr stats --tsv
    [ "$status" -eq 3 ]
    want=$output
    for ((i = 0; i < 3 && status != 0; i++)); do
        run_as='exec' stats --tsv --resume "$dir/state" -o "$dir/out" 2>/dev/null &
        while [ ! -s "$dir/state" ] && kill -0 $!; do sleep 0.02; done 2>/dev/null
        kill -KILL $! && wait $! || true
        [ ! -s "$dir/state" ] || grep -q '"pieces":' "$dir/state"
        [ ! -e "$dir/out" ] || break
    done 2>/dev/null
    if [ ! -e "$dir/out" ]; then
        run --separate-stderr stats --tsv --resume "$dir/state" -o "$dir/out"
        [ "$status" -eq 3 ]
    fi
    [ "$(cat "$dir/out")" = "$want" ]
}

@test "pictures and arrays: a file for each piece" {
    mkdir "$dir/out"
    works "$viz" heatmap -m "$ref/bert" --split 8 -o "$dir/out/" "$text"
    works "$viz" export -m "$ref/bert" --split 8 -o "$dir/out/" "$text"
    works "$viz" stats --tsv -m "$ref/bert" --split 8 -o "$dir/out/" "$text"
    [ "$(ls "$dir/out" | head -n 4 | tr '\n' ' ')" = \
        "000001-0001.npz 000001-0001.png 000001-0001.tsv 000001-0002.npz " ]
    fails 2 "--split: several texts require a folder: -o DIR/" "$viz" heatmap -m "$ref/bert" \
        --split 8 -o "$dir/x.png" "$text"
    works "$viz" heatmap -m "$ref/bert" --split 8 -o "$dir/x.png" "the key"
}

@test "ablate and types count pieces as texts" {
    lines | grep -a the >"$dir/lines"
    works "$viz" ablate --json -m "$ref/gpt2" -l 0 --split 6 -f "$dir/lines"
    [[ ${lines[1]} == *'"index":1,"part":0,'* ]]
    [[ ${lines[2]} == *'"index":1,"part":1,'* ]]
    n=${#lines[@]}
    works "$viz" ablate --summary --with mean --json -m "$ref/gpt2" -l 0 --split 6 \
        -f "$dir/lines"
    [[ $output == *"\"n_texts\":$n,"* ]]
    works "$viz" types --no-probe --json -m "$ref/gpt2" --split 6 -f "$dir/lines"
    [[ $output == *"\"n_texts\":$n,"* ]]
    works "$viz" stats --summary --json -m "$ref/gpt2" --split 6 -f "$dir/lines"
    [[ $output == *"\"n_texts\":$n,"* ]]
}

# No template stands between the texts of a pair of gpt2; where they have no types either, both
# are cut as one.
@test "the longer text of a pair is cut where nothing stands between the two" {
    works "$viz" tokens --json -m "$ref/gpt2" --split 5 "the" "the cat saw the dog"
    [ "$(jq -c '[.text, .pair, .tokens]' <<< "$output" | head -n 2 | tr '\n' ' ')" = \
        '["the","the ",["t","he","t","he","Ġ"]] ["the","cat s",["t","he","c","at","Ġs"]] ' ]
    works "$viz" tokens --json -m "$ref/gpt2" --split 5 "the cat saw" "the key"
    [ "$(jq -r .pair <<< "$output" | sort -u)" = "the key" ]
    mkdir "$dir/bare"
    jq '.post_processor = {type: "TemplateProcessing", single: [{Sequence: {id: "A", type_id: 0}}],
        pair: [{Sequence: {id: "A", type_id: 0}}, {Sequence: {id: "B", type_id: 0}}],
        special_tokens: {}}' "$ref/gpt2/tokenizer.json" > "$dir/bare/tokenizer.json"
    works "$viz" tokens --json -m "$dir/bare" --split 5 "the" "the cat saw the dog"
    [ "$(jq -r '.tokens | join("")' <<< "$output" | tr -d '\n')" = "thetheĠcatĠsawĠtheĠdog" ]
    [ "$(jq -r .pair <<< "$output" | sort -u)" = "the cat saw the dog" ]
    [ "$(jq -r .text <<< "$output" | tail -n 1)" = "the" ]
}

@test "what cannot be split is refused by name" {
    for wrong in 0 -1 a 6: 6:6 6:7 6:a 6:1:2 99999999999 ' 6'; do
        fails 2 "--split: '$wrong': expected N or N:OVERLAP" "$viz" tokens --split "$wrong" "$text"
    done
    fails 2 "--split, --truncate" "$viz" stats --split 6 --truncate "$text"
    fails 2 "--split: pieces of 4096 tokens: " "$viz" stats --split 4096 "$text"
    fails 2 "--split: '2': the template has 2 of the tokens of each piece: expected pieces of 3" \
        "$viz" stats -m "$ref/bert" --split 2 "$text"
    fails 2 "'5:3': the template has 2 of the tokens of each piece: expected pieces of 6" \
        "$viz" tokens -m "$ref/bert" --split 5:3 "$text"
    fails 3 "the shorter text and the template have 5 tokens" \
        "$viz" tokens -m "$ref/bert" --split 5 "the key" "$text"
    fails 2 "--split requires texts or ids" "$viz" stats --split 6 \
        --attention "$ref/precomputed/causal.npz"
    fails 3 "another for the decoder" "$viz" stats -m builtin:translate --split 6 \
        "I like eating apples and pears" "我 喜欢 吃 苹果"
    printf '{"text":"%s","global":[0]}\n' "$text" >"$dir/x.jsonl"
    run --separate-stderr "$viz" tokens -m "$ref/bert" --split 6 --jsonl -f "$dir/x.jsonl"
    [ "$status" -eq 3 ]
    [[ $stderr == *"line 1: the text has "*" lists global ones"* ]]
    fails 2 "--gold, --split:" "$viz" types --split 6 --gold x.conllu
    fails 2 "--split requires a TEXT" "$viz" types --split 6
    fails 2 "--patch, --split" "$viz" ablate --split 6 --patch "$text" "$text"
    for command in diff stability mechanisms attribute info; do
        fails 2 "$command: --split: unknown option" "$viz" $command --split 6 "$text"
    done
}

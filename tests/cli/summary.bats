#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# stats -q --summary: means over texts, intervals, groups.

# shellcheck disable=SC2154
load helper

# 25 texts in three kinds of groups
corpus() {
    python3 - >"$dir/lines.jsonl" <<'PYTHON'
import json
words = "the key is in the door in the key is the door".split()
for i in range(25):
    text = " ".join(words[(i * 5 + k * (i % 3 + 1)) % len(words)] for k in range(4 + i % 7))
    print(json.dumps({"text": text, "lang": "b" if i % 3 else "a", "step": (i % 4) * 500,
                      "old": i % 2 == 0}))
PYTHON
}

numbers() {
    "$viz" stats -q --json --no-metadata --summary --metric entropy,prev -m "$ref/bert" --jsonl "$@"
}

@test "means, intervals, reliability and differences are those of their formulas" {
    corpus
    # 16 and 9 texts: Welch's p; 7, 6, 6 and 6: exact
    for key in lang step; do
        run python3 "$BATS_TEST_DIRNAME/../ref/summary.py" "$viz" "$dir/lines.jsonl" $key \
            -m "$ref/bert"
        [ "$status" -eq 0 ] || { echo "$output"; false; }
        [ "${output% numbers}" -gt 300 ]
    done
}

# bats test_tags=threads
@test "the same bytes for any number of threads and order of the lines" {
    corpus
    numbers -t 1 -f "$dir/lines.jsonl" > "$dir/one"
    numbers -t 4 -f "$dir/lines.jsonl" | cmp - "$dir/one"
    tac "$dir/lines.jsonl" > "$dir/back.jsonl"
    numbers -t 3 -f "$dir/back.jsonl" | cmp - "$dir/one"
    # Groups stand by number, whatever comes first.
    numbers --by step -f "$dir/lines.jsonl" | grep -o '"group":"[^"]*"' > "$dir/groups"
    numbers --by step -f "$dir/back.jsonl" | grep -o '"group":"[^"]*"' | cmp - "$dir/groups"
    [ "$(tr -d '\n' < "$dir/groups")" = \
        '"group":"0""group":"500""group":"1000""group":"1500"' ]
    [ "$(numbers --by old -f "$dir/back.jsonl" | grep -c '"group":"\(true\|false\)"')" -eq 2 ]
    # "nan" is a name, as it is neither more nor less than a number.
    for order in "2 nan 1" "1 2 nan" "nan 2 1"; do
        tr ' ' '\n' <<< "$order" | sed 's/.*/{"text":"the cat","k":"&"}/' > "$dir/nan.jsonl"
        [ "$(numbers --by k -f "$dir/nan.jsonl" | grep -o '"group":"[^"]*"' | tr -d '\n')" = \
            '"group":"1""group":"2""group":"nan"' ]
    done
}

@test "heads by the mean of their distances: places and clusters are those of NumPy" {
    python3 -c 'import numpy' 2> /dev/null || skip "python3 has no NumPy"
    printf 'the cat saw the dog\ntea with milk, tea with lemon\nthe dog ran\n' > "$dir/lines"
    mkdir "$dir/each"
    distances() {
        "$viz" stats -q --no-metadata --summary --json --metric js,mds,js_cluster \
            --clusters 5 "$@"
    }
    for m in "$BATS_TEST_DIRNAME/../../assets/default" "$ref/bert" "$ref/gpt2"; do
        rm -f "$dir/each"/*
        "$viz" export -q -m "$m" -f "$dir/lines" -o "$dir/each/"
        distances -t 3 -m "$m" -f "$dir/lines" > "$dir/summary"
        "$viz" model -q --mds --types none -m "$m" -f "$dir/lines" -o "$dir/plane.svg"
        python3 "$ref/apart.py" "$dir/each" "$dir/summary" "$dir/plane.svg"
    done
    tac "$dir/lines" > "$dir/back"
    distances -t 1 -m "$m" -f "$dir/back" | cmp - "$dir/summary"
    # a file of one text is that text
    head -n 1 "$dir/lines" > "$dir/line"
    distances -f "$dir/line" |
        jq -c '.heads[] | [(.js[] | . * 1e9 | round), .js_cluster]' > "$dir/one"
    "$viz" stats --json --metric js,js_cluster --clusters 5 "$(cat "$dir/line")" |
        jq -c '.heads[] | [(.js[] | . * 1e9 | round), .js_cluster]' | cmp - "$dir/one"
    # a group has distances of its own
    sed 's/.*/{"text":"&","k":1}/; 3s/:1}/:2}/' "$dir/lines" > "$dir/groups.jsonl"
    tail -n 1 "$dir/lines" > "$dir/line"
    distances -f "$dir/line" | jq '.heads' > "$dir/one"
    distances --jsonl --by k -f "$dir/groups.jsonl" | jq 'select(.group == "2") | .heads' |
        cmp - "$dir/one"
    run "$viz" stats -q --summary --tsv --metric js_cluster --sort js_cluster -f "$dir/lines"
    [ "$(awk 'NR > 1 { print $5 }' <<< "$output")" = \
        "$(awk 'NR > 1 { print $5 }' <<< "$output" | sort -rn)" ]
    works "$viz" model --metric js_cluster -f "$dir/lines" -o "$dir/m.svg"
}

@test "a table, TSV, an order" {
    corpus
    works "$viz" stats -q --summary -m "$ref/bert" --jsonl -f "$dir/lines.jsonl"
    [ "${lines[0]}" = "mean of 25 texts" ]
    [[ "${lines[1]}" == "head  entropy   norm "* ]]
    [[ "${lines[1]}" != *95* ]]
    works "$viz" stats -q --summary --metric entropy --bootstrap --reliability --by lang \
        --sort entropy -m "$ref/bert" --jsonl -f "$dir/lines.jsonl"
    [ "${lines[0]}" = "lang a: mean of 9 texts" ]
    [[ "${lines[1]}" == "head  entropy  95 %"*"bootstrap"*"- first"*"q" ]]
    [[ "$output" == *"lang b: mean of 16 texts"* && "$output" == *"metric  "*"all texts"* ]]
    # The order of the first group is that of all.
    mapfile -t order < <(grep -o '^L[0-9]*H[0-9]*' <<<"$output")
    half=$((${#order[@]} / 2))
    [ "${order[*]:0:half}" = "${order[*]:half}" ]
    mapfile -t means < <(sed -n "3,$((2 + half))p" <<<"$output" | awk '{ print $2 }')
    [ "${means[*]}" = "$(printf '%s\n' "${means[@]}" | sort -rn | xargs)" ]
    works "$viz" stats -q --summary --tsv --metric entropy -m "$ref/bert" --jsonl \
        -f "$dir/lines.jsonl"
    [ "${lines[0]}" = "$(printf '%s\t' n_texts stack layer head entropy_mean entropy_sd \
        entropy_low entropy_high entropy_n)types" ]
    [[ "${lines[1]}" == 25$'\t'encoder$'\t'0$'\t'0$'\t'* ]]
}

@test "types: of the means over texts, as types has them without probes" {
    corpus
    for i in 1 2; do jq -r .text "$dir/lines.jsonl"; done >"$dir/lines"
    # Of what no metric of stats says, labels do not hold.
    for n in 50 9; do
        head -n $n "$dir/lines" >"$dir/few"
        "$viz" types --json --no-probe -m "$ref/bert" -f "$dir/few" |
            jq -c '[.heads[].types - ["heterogeneous", "sink-elsewhere", "local"]]' >"$dir/want"
        "$viz" stats -q --summary --json --metric all -m "$ref/bert" -f "$dir/few" |
            jq -c '[.heads[].types]' >"$dir/got"
        [ $n -eq 9 ] || cmp "$dir/want" "$dir/got"
    done
    jq -e 'any(index("broad") != null)' "$dir/want"
    # Fewer than 10 texts, or 200 rows
    jq -e 'all(index("undetermined") != null)' "$dir/got"
    head -n 12 "$dir/lines" >"$dir/few"
    "$viz" stats -q --summary --tsv --metric entropy -m "$ref/bert" -f "$dir/few" >"$dir/got"
    [ "$(tail -n +2 "$dir/got" | cut -f 10 | sort -u)" = undetermined ]
    [ "$(awk '{ print NF }' "$dir/got" | sort -u)" -eq 10 ]
}

@test "lines that cannot be used, and a file without one that can" {
    corpus
    { cat "$dir/lines.jsonl"; echo '{"text":"the cat","lang":[]}'; echo '{"text":"a"}'; } \
        > "$dir/more.jsonl"
    numbers --by lang -f "$dir/lines.jsonl" > "$dir/one"
    run --separate-stderr "$viz" stats --json --no-metadata --summary --metric entropy,prev --by lang \
        -m "$ref/bert" --jsonl -f "$dir/more.jsonl"
    [ "$status" -eq 3 ]
    [[ $output == *'"n_unusable":2,'* ]]
    cmp "$dir/one" - <<<"${output//'"n_unusable":2,'/'"n_unusable":0,'}"
    [[ "${stderr_lines[0]}" == *"line 26: lang: found [], expected a string of 1 to 256 bytes"* ]]
    [[ "${stderr_lines[1]}" == *"line 27: lang: found nothing, expected"* ]]
    [ "${stderr_lines[2]}" = "mha-viz: $dir/more.jsonl: 2 of 27 lines could not be used" ]
    : > "$dir/none"
    for format in table tsv json; do
        works "$viz" stats -q --summary --format $format -f "$dir/none"
    done
    for i in {1..101}; do echo "{\"text\":\"the cat\",\"lang\":$i}"; done > "$dir/many.jsonl"
    fails 2 "--by: over 100 different values" \
        "$viz" stats -q --summary --by lang -m "$ref/bert" --jsonl -f "$dir/many.jsonl"
}

@test "options that do not fit" {
    corpus
    fails 2 "--summary requires several texts: -f FILE, or arrays of several" \
        "$viz" stats -q --summary 'the cat'
    fails 2 "--summary gives one report: expected a file, not the folder $dir/" \
        "$viz" stats -q --summary -o "$dir/" -f "$dir/lines.jsonl"
    for o in --bootstrap --reliability; do
        fails 2 "$o is of means: js, mds and js_cluster have none" \
            "$viz" stats -q --summary $o --metric js_cluster -f "$dir/lines.jsonl"
    done
    for m in js mds; do
        fails 2 "--metric: '$m' is a list: only --json prints it" \
            "$viz" stats -q --summary --tsv --metric $m -f "$dir/lines.jsonl"
    done
    fails 2 "--summary, --links: only one of them can be given" \
        "$viz" stats -q --summary --links -f "$dir/lines.jsonl"
    for o in --bootstrap --bootstrap=20 --reliability "--by lang"; do
        # shellcheck disable=SC2086
        fails 2 "${o%%[= ]*} requires --summary" "$viz" stats $o -f "$dir/lines.jsonl"
    done
    fails 2 "--by requires --jsonl" "$viz" stats -q --summary --by lang -f "$dir/lines.jsonl"
    fails 2 "--bootstrap: '1' is not in 2..10000" \
        "$viz" stats -q --summary --bootstrap=1 -f "$dir/lines.jsonl"
    fails 2 "--bootstrap requires --summary" "$viz" diff --bootstrap a b
}

@test "10,000 texts with the built-in model take less than 200 MB" {
    sanitised && skip "a sanitiser takes memory of its own"
    python3 - "$viz" "$dir/texts" <<'PYTHON'
import resource, subprocess, sys
words = "the cat saw the dog and the cat ran to the old house".split()
with open(sys.argv[2], "w") as f:
    for i in range(10000):
        f.write(" ".join(words[(i * 5 + k * (i % 3 + 1)) % 12] for k in range(3 + i % 5)) + "\n")
for command in ["stats", "--summary"], ["types"]:
    subprocess.run([sys.argv[1], *command, "-q", "--json", "-f", sys.argv[2]], check=True,
                   stdout=subprocess.DEVNULL)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print("peak: %d MB" % (peak // 1024))
sys.exit(peak >= 200 * 1024)
PYTHON
}

# One long text among many: a label of sink_long needs ten, or all, as types has it
@test "labels count the texts that a mean is of" {
    python3 -c 'import numpy' 2> /dev/null || skip "python3 has no NumPy"
    cp -r "$ref/llama" "$dir/strong"
    python3 - "$dir/strong/model.safetensors" <<'CODE'
import json, sys
import numpy
path = sys.argv[1]
data = bytearray(open(path, "rb").read())
n = int.from_bytes(data[:8], "little")
for name, t in json.loads(data[8:8 + n]).items():
    if "q_proj.weight" in name or "k_proj.weight" in name:
        first, end = (8 + n + at for at in t["data_offsets"])
        x = (numpy.frombuffer(data[first:end], "<u2").astype("<u4") << 16).view("<f4")     # BF16
        data[first:end] = ((x * numpy.float32(3)).view("<u4") >> 16).astype("<u2").tobytes()
open(path, "wb").write(data)
CODE
    long="$(printf 'the cat %.0s' 1 2 3 4 5 6 7 8 9 10 11 12)a dog"
    { yes 'the cat' | head -n 30; echo "$long"; } > "$dir/mixed"
    yes "$long" | head -n 10 > "$dir/long"
    labels() {
        "$viz" stats -q --summary --metric sink_long,alpha_0 --json -m "$dir/strong" -f "$1" |
            jq '[.heads[] | select(.types | index("sink-elsewhere"))] | length'
    }
    [ "$(labels "$dir/long")" -gt 0 ]
    [ "$(labels "$dir/mixed")" -eq 0 ]
    "$viz" types -q --no-probe --json -m "$dir/strong" -f "$dir/mixed" |
        jq -e 'any(.heads[].types[]; . == "sink-elsewhere") | not'
}

@test "what is asked for is shown, or refused" {
    fails 2 "--reliability is of the table and JSON" \
        "$viz" stats --summary --reliability --tsv -f samples/english.txt
    works "$viz" stats -q --summary --metric entropy,prev,next,bos --bootstrap=10 -f samples/english.txt
    [[ ${lines[1]} =~ ^head\ +entropy\ +bootstrap\ +prev\ +bootstrap ]]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154,SC2016,SC1111
# ablate: what replacing the outputs of heads costs, against PyTorch hooks on the reference
# library (tests/ref/make_ablate.py); means, partners, sets, maps, misuse.

load helper

ids="12,17,40,9,33,5,31"

# asks FILE: the command line and the input of the case in FILE, into args and $dir/in
asks() {
    local target
    read -ra args < <(jq -r '.with | sub("mean-by-position"; "mean --by-position")' "$1")
    args=(--with "${args[@]}" --mask-id 6 --masked 100 -m "$ref/$(jq -r .model "$1")")
    target=$(jq -r '.target // empty | join(",")' "$1")
    jq -c '.texts[] | {ids: .}' "$1" > "$dir/in"
    if [ -n "$target" ]; then
        args+=(--ids "$(jq -r '.texts[0] | join(",")' "$1")" --decoder-ids "$target")
    else
        args+=(--jsonl -f "$dir/in")
    fi
}

# near FILE: the numbers in the JSON lines on standard input are those of the case in FILE,
# within 1e-4 of the largest of a text
near() {
    jq -se --slurpfile case "$1" '
        def off(want): [., want] | transpose | map(select(.[1] != null) | (.[0] - .[1]) | fabs) | max;
        def most: map(select(. != null) | fabs) | max;
        . as $got | $case[0].found as $want
        | ($got | length) == ($want | length)
          and ([range($want | length) | . as $i | $want[$i] as $w
                | if $w == null then [$got[$i].heads[] | .dloss, .kl, .direct, .change] | all(. == null)
                  else $w | to_entries | all(. as $e
                    | [$got[$i].heads[][$e.key]] as $g
                    | ($g | length) == ($e.value | length) and ($g | off($e.value)) <= 1e-4 * ($e.value | most))
                  end] | all)' > /dev/null
}

@test "heads are worth what hooks on the reference library say, in six families" {
    n=0
    while read -r line; do
        echo "$line" > "$dir/case"
        asks "$dir/case"
        "$viz" ablate --json "${args[@]}" > "$dir/got"
        near "$dir/case" < "$dir/got" || { echo "${args[*]}"; return 1; }
        [ "$(jq -r '[.heads[] | "\(.stack) L\(.layer)H\(.head)"] | join(",")' "$dir/got" | sort -u)" = \
            "$(jq -r '.names | join(",")' "$dir/case")" ]
        n=$((n + 1))
    done < <(jq -c '.[]' "$ref/ablate/cases.json")
    [ "$n" -eq 23 ]
}

@test "the larger reference models, by hooks, here and now" {
    python=${PYTHON:-python3}
    goldens=$PWD/../shared/goldens
    [ -d "$goldens" ] || skip "no ../shared/goldens"
    "$python" -c 'import torch, transformers' 2> /dev/null ||
        skip "$python has no torch and transformers (PYTHON names another)"
    "$python" "$ref/make_ablate.py" "$viz" "$goldens"/{gpt2,llama,bert,distilbert} 2> /dev/null
}

@test "--patch: outputs of another text are worth what hooks say, in four families" {
    n=0
    while read -r line; do
        args=(-m "$ref/$(jq -r .model <<< "$line")" --ids "$(jq -r '.texts[0] | join(",")' <<< "$line")"
            --patch-ids "$(jq -r '.texts[1] | join(",")' <<< "$line")" --at "$(jq .at <<< "$line")"
            --answer-id 7 --against-id 9)
        target=$(jq -r '.target // empty | join(",")' <<< "$line")
        [ -z "$target" ] || args+=(--decoder-ids "$target")
        works "$viz" ablate --json --by-position "${args[@]}"
        jq -e --argjson want "$line" '
            def near(want): [., want] | transpose
                | (map((.[0] - .[1]) | fabs) | max) <= 1e-4 * (want | map(fabs) | max);
            . as $got | [$got.difference, $got.difference_other] | near($want.difference)
            and all("patch", "kl"; . as $k | [$got.heads[][$k]] | near($want[$k]))
            and all("patch_at", "kl_at"; . as $k
                | ([$got.heads[][$k] | length] == [$want[$k][] | length])
                  and ([$got.heads[][$k][]] | near([$want[$k][][]])))' <<< "$output" ||
            { echo "${args[*]}"; return 1; }
        n=$((n + 1))
    done < <(jq -c '.[]' "$ref/ablate/patch.json")
    [ "$n" -eq 4 ]
}

@test "--patch: 0 as the text, 1 as the other; tables, positions, threads, maps" {
    p=(--patch "the dog saw the cat" --answer " cat" --against " dog" "the cat saw the dog")
    works "$viz" ablate --json "${p[@]}"
    whole=$output
    jq -e '(.difference | isnormal) and .patch == "the dog saw the cat"
        and (.heads | length) == 24 and all(.heads[]; has("patch_at") | not)' <<< "$whole"
    works "$viz" ablate --json --by-position -t 1 "${p[@]}"
    one=$output
    [ "$(jq -c '[.heads[].patch]' <<< "$one")" = "$(jq -c '[.heads[].patch]' <<< "$whole")" ]
    # what stands before the first difference is the same in both texts
    jq -e 'all(.heads[]; .patch_at[0] == 0 and .patch_at[1] == 0 and .kl_at[1] == 0 and (.kl_at | length) == 6)' <<< "$one"
    works "$viz" ablate --json --by-position -t 4 "${p[@]}"
    [ "$output" = "$one" ]
    works "$viz" ablate --tsv --by-position -l 3 "${p[@]}"
    [ "$(head -n 1 <<< "$output")" = "$(printf 'index\tat\tanswer_id\tagainst_id\tdifference\tdifference_other\tstack\tlayer\thead\tposition\ttoken\ttoken_other\tpatch\tkl')" ]
    [ "$(wc -l <<< "$output")" -eq 25 ]
    [ "$(sed -n 4p <<< "$output" | cut -f 10-12)" = "$(printf '2\tcat\tdog')" ]
    works "$viz" ablate --sort patch "${p[@]}"
    [[ ${lines[0]} == "“ cat” (id "*") against “ dog” (id "*") at dog(5): "*"; in the other text "* ]]
    [[ ${lines[1]} =~ ^head\ +patch\ +kl$ ]]
    cells() { grep -o 'base64,[^"]*' "$1" | sort -u; }
    works "$viz" ablate -o "$dir/a.svg" "${p[@]}"
    works "$viz" ablate --metric kl -o "$dir/b.svg" "${p[@]}"
    works "$viz" ablate --by-position -o "$dir/c.svg" "${p[@]}"
    [ "$(cat "$dir"/[abc].svg | grep -o 'base64,[^"]*' | sort -u | wc -l)" -ge 6 ]
    # the same text twice has nowhere to go
    works "$viz" ablate --json --patch "the cat saw" --answer " cat" "the cat saw"
    jq -e 'all(.heads[]; .patch == null and .kl == 0)' <<< "$output"
}

@test "--patch: misuse" {
    fails 3 "--patch: has 5 tokens, expected the 4 of the text" \
        "$viz" ablate --patch "the cat saw it" --answer " a" "the cat saw"
    fails 3 "--patch-ids: has 2 tokens, expected the 3 of the text" \
        "$viz" ablate -m "$ref/gpt2" --patch-ids 1,2 --ids 1,2,3
    fails 3 "after both texts, it is token" "$viz" ablate --patch "the dog saw the cat" "the cat saw the dog"
    fails 2 "--answer requires --patch" "$viz" ablate --answer " a" "the cat"
    fails 2 "--by-position requires --patch" "$viz" ablate --by-position "the cat"
    fails 2 "--sort: 'patch' requires --patch" "$viz" ablate --sort patch "the cat"
    fails 2 "--sort: 'dloss': expected patch or kl" "$viz" ablate --patch "the dog" --sort dloss "the cat"
    for option in --together --summary "--with=uniform"; do
        fails 2 "--patch, ${option%=*}: only one of them can be given" "$viz" ablate --patch "the dog" $option "the cat"
    done
    fails 2 "--patch, --patch-ids: only one of them can be given" "$viz" ablate --patch a --patch-ids 1 "a"
    fails 2 "--patch-ids: 'x' is not" "$viz" ablate -m "$ref/gpt2" --patch-ids x --ids 1
    fails 3 "id 99999 is not in the vocabulary" "$viz" ablate -m "$ref/gpt2" --patch-ids 99999 --ids 1 --answer-id 2
    fails 3 "distilbert" "$viz" ablate -m "$ref/families/distilbert" --patch-ids 5 --ids 6
    fails 2 "--by-position: a picture shows one attention: expected -s encoder, decoder or cross" \
        "$viz" ablate -m "$ref/bart" --by-position --patch "a key" --answer-id 5 -o "$dir/x.png" "a door" "a key"
}

# bats test_tags=threads
@test "the same bytes for any number of threads, of heads at a time, and beside other texts" {
    printf 'the cat saw the dog\nthe dog ran to a cat\nthe dog saw the cat\n' > "$dir/lines"
    for with in zero mean resample uniform; do
        for t in 1 2 5; do
            "$viz" ablate --json --with $with -t $t -f "$dir/lines" > "$dir/$with.$t"
            "$viz" ablate --json --summary --with $with -t $t -f "$dir/lines" > "$dir/s.$with.$t"
        done
        cmp "$dir/$with.1" "$dir/$with.2"
        cmp "$dir/$with.1" "$dir/$with.5"
        cmp "$dir/s.$with.1" "$dir/s.$with.5"
    done
    "$viz" ablate --json -H L2H1,L4H3 "the dog ran to a cat" > "$dir/some"
    [ "$(jq -c '[.heads[] | [.layer, .head, .dloss, .kl, .direct]]' "$dir/some")" = \
        "$(sed -n 2p "$dir/zero.1" | jq -c '[.heads[] | select([.layer, .head] | . == [2, 1] or . == [4, 3]) | [.layer, .head, .dloss, .kl, .direct]]')" ]
}

@test "--summary: the mean over texts with its interval, and that over tokens" {
    printf 'the cat saw the dog\nran\nthe dog ran to a cat that was there\n' > "$dir/lines"
    "$viz" ablate --json -f "$dir/lines" > "$dir/each"
    works "$viz" ablate --json --summary -f "$dir/lines"
    jq -e --slurpfile t "$dir/each" '. as $s | ($t | map(select(.n_rows > 0))) as $t
        | .n_texts == 3 and .n_rows == ([$t[].n_rows] | add)
        and ((.loss - ([$t[] | .loss * .n_rows] | add) / .n_rows) | fabs) < 1e-12
        and ([range(24) | . as $i | [$t[].heads[$i].dloss] as $d | $s.heads[$i]
              | .dloss.n == ($d | length)
                and ((.dloss.mean - ($d | add) / ($d | length)) | fabs) < 1e-9
                and ((.dloss_token - ([$t[] | .heads[$i].dloss * .n_rows] | add) / $s.n_rows) | fabs) < 1e-12
                and .dloss.low < .dloss.mean and .kl.mean >= 0] | all)' <<< "$output"
    works "$viz" ablate --summary -f "$dir/lines"
    [[ ${lines[0]} == "outputs replaced by zeros; loss "*" nats over "*" tokens, mean of 3 texts" ]]
    [[ ${lines[1]} =~ ^head\ +dloss\ +95\ %\ +kl\ +95\ %\ +direct\ +95\ %$ ]]
    works "$viz" ablate --json --summary --sort kl --reverse -f "$dir/lines"
    jq -e '[.heads[].kl.mean] | . == sort' <<< "$output"
    fails 2 "--summary requires several texts" "$viz" ablate --summary "a cat"
}

@test "--with mean: of all texts, or of a file, which a model must fit" {
    printf 'the cat saw the dog\nthe dog ran\n' > "$dir/lines"
    works "$viz" ablate --no-metadata --json --with mean --means-out "$dir/m.npz" -f "$dir/lines"
    all=$output
    works "$viz" ablate --no-metadata --json --with mean --means "$dir/m.npz" -f "$dir/lines"
    [ "$output" = "$all" ]
    works "$viz" ablate --json --with mean --means "$dir/m.npz" "the dog ran"
    [ "$(jq -c .heads <<< "$output")" = "$(tail -n 1 <<< "$all" | jq -c .heads)" ]
    run --separate-stderr "$viz" ablate --no-metadata --json --with mean -f - < "$dir/lines"
    [ "$output" = "$all" ]
    fails 3 "m.npz: holds no array encoder, expected one [2,3,8]" \
        "$viz" ablate --with mean --means "$dir/m.npz" -m "$ref/bert" "the key"
    fails 3 "m.npz: decoder: shape [6,4," "$viz" ablate --with mean --means "$dir/m.npz" -m "$ref/gpt2" --ids "$ids"
    fails 2 "--means requires --with mean" "$viz" ablate --means "$dir/m.npz" "a cat"
    fails 2 "--means, --means-out: only one of them can be given" \
        "$viz" ablate --with mean --means "$dir/m.npz" --means-out "$dir/n.npz" "a cat"
    # a line that cannot be used is named once
    printf 'the cat\n\xff\nthe dog\n' > "$dir/bad"
    run --separate-stderr "$viz" ablate --json --with mean -f "$dir/bad"
    [ "$status" -eq 3 ]
    [ "$(grep -c 'line 2' <<< "$stderr")" -eq 1 ]
    [ "${#lines[@]}" -eq 2 ]
}

@test "--with mean --by-position: of the texts that reach each position; of a file; misuse" {
    printf '%s\n' '{"ids":[12,17,40]}' '{"ids":[9,33,5,8]}' '{"ids":[12,17,40]}' > "$dir/lines"
    by=(ablate --no-metadata --json --with mean --by-position -m "$ref/gpt2")
    works "$viz" "${by[@]}" --jsonl -f "$dir/lines" --means-out "$dir/m.npz"
    all=$output
    [ "$(jq -sc 'map([.heads[].dloss] | all(. == null))' <<< "$all")" = "[false,true,false]" ]
    works "$viz" "${by[@]}" --jsonl -f "$dir/lines" --means "$dir/m.npz"
    [ "$output" = "$all" ]
    # of one text twice, the means are its own outputs
    head -n 1 "$dir/lines" | sed p > "$dir/twice"
    works "$viz" "${by[@]}" --jsonl -f "$dir/twice"
    jq -se 'all(.[].heads[]; (.dloss | fabs) < 1e-6)' <<< "$output"
    works "$viz" "${by[@]}" --ids 12,17,40
    jq -e '[.heads[].dloss] | all(. == null)' <<< "$output"
    works "$viz" ablate --with mean --by-position -m "$ref/gpt2" --ids 12,17,40
    [ "${lines[0]}" = "no other text is as long as this one" ]
    works "$viz" ablate --with mean --by-position --summary -m "$ref/gpt2" --jsonl -f "$dir/lines"
    [[ ${lines[0]} == "outputs replaced by their mean at each position; "*", mean of 2 texts (1 more are longer than all others)" ]]
    for t in 1 3; do "$viz" "${by[@]}" -t "$t" --jsonl -f "$dir/lines" | md5sum; done | uniq > "$dir/sums"
    [ "$(wc -l < "$dir/sums")" -eq 1 ]
    works "$viz" "${by[@]/gpt2/bart}" --ids 12,17,40 --decoder-ids 2,9
    fails 3 "m.npz: decoder: shape [4,2,3,8], expected [2,3,8] of gpt2" \
        "$viz" ablate --with mean -m "$ref/gpt2" --means "$dir/m.npz" --ids 1,2
    "$viz" ablate --json --with mean -m "$ref/gpt2" --means-out "$dir/n.npz" --ids 1,2 > "$dir/out"
    fails 3 "n.npz: decoder: shape [2,3,8], expected [positions,2,3,8] of gpt2" \
        "$viz" "${by[@]}" --means "$dir/n.npz" --ids 1,2
    fails 2 "--by-position requires --patch, --patch-ids or --with mean" "$viz" ablate --by-position a
}

@test "--with resample: the nearest text before it of as many tokens; the first has none" {
    printf '%s\n' '{"ids":[12,17,40]}' '{"ids":[9,33]}' '{"ids":[7,8,9]}' '{"ids":[7,8,9]}' > "$dir/lines"
    works "$viz" ablate --json --with resample -m "$ref/gpt2" --jsonl -f "$dir/lines"
    [ "$(jq -sc 'map([.heads[].dloss] | all(. == null))' <<< "$output")" = "[true,true,false,false]" ]
    # its own outputs change nothing
    jq -se '.[3].heads | all(.dloss == 0 and .kl == 0)' <<< "$output"
    jq -se '.[2].heads | any(.kl > 0)' <<< "$output"
    works "$viz" ablate --json --summary --with resample -m "$ref/gpt2" --jsonl -f "$dir/lines"
    [ "$(jq -c '[.n_texts, .n_partnerless, .heads[0].dloss.n]' <<< "$output")" = "[4,2,2]" ]
    works "$viz" ablate --summary --with resample -m "$ref/gpt2" --jsonl -f "$dir/lines"
    [[ ${lines[0]} == *", mean of 2 texts (2 more have none of as many tokens before them)" ]]
    works "$viz" ablate --with resample "a cat"
    [ "${lines[0]}" = "no text of as many tokens stands before this one" ]
}

@test "--together: all at once, beside random sets of as many heads of each layer" {
    works "$viz" ablate --json --together -H L0H3 "the cat saw the dog"
    together=$output
    works "$viz" ablate --json -l 0 "the cat saw the dog"
    [ "$(jq -c '.sets[0] | [.dloss, .kl, .direct]' <<< "$together")" = \
        "$(jq -c '.heads[3] | [.dloss, .kl, .direct]' <<< "$output")" ]
    # the least and the largest of heads that were drawn are those of heads of that layer
    jq -e --argjson one "$output" '([$one.heads[].kl] | sort) as $kl
        | (.sets[2].kl | IN($kl[])) and (.sets[3].kl | IN($kl[]))
          and .sets[1].kl >= .sets[2].kl and .sets[1].kl <= .sets[3].kl' <<< "$together"
    # all heads of a layer leave nothing to draw
    works "$viz" ablate --json --together -l 1,2 "the cat saw the dog"
    jq -e '.sets[0].kl == .sets[2].kl and .sets[0].kl == .sets[3].kl' <<< "$output"
    works "$viz" ablate --tsv --together -l 1 "a cat"
    [ "$(head -n 1 <<< "$output")" = "$(printf 'index\twith\tmeasure\tloss\tn_rows\tset\tn_heads\tdloss\tkl\tdirect')" ]
    [ "$(cut -f 6 <<< "$output" | tr '\n' ' ')" = "set chosen random_mean random_low random_high " ]
    works "$viz" ablate -q --json --together --summary -H 0 -f samples/english.txt
    [ "$(jq -c '[.sets[] | .dloss.sd != null]' <<< "$output")" = "[true,false,false,false]" ]
    fails 2 "--together: a picture shows heads one by one" "$viz" ablate --together -o "$dir/x.png" "a cat"
}

@test "--greedy: the least worth first, by itself; points are what --together says" {
    g=(-m "$ref/gpt2" --ids "$ids")
    works "$viz" ablate --json --greedy "${g[@]}"
    greedy=$output
    works "$viz" ablate --json "${g[@]}"
    jq -e --argjson one "$output" '
        [.order[] | [.layer, .head, .step]] == ([$one.heads[] | [.layer, .head, .dloss]] | sort_by(.[2]))
        and .exact == false and [.points[].n_heads] == [1, 2, 4, 6]' <<< "$greedy"
    for n in 1 2 4 6; do
        heads=$(jq -r --argjson n $n '[.order[:$n][] | "L\(.layer)H\(.head)"] | join(",")' <<< "$greedy")
        works "$viz" ablate --json --together -H "$heads" "${g[@]}"
        jq -e --argjson t "$output" --argjson n $n '.points[] | select(.n_heads == $n)
            | .dloss == $t.sets[0].dloss and .kl == $t.sets[0].kl
              and .random_low <= .random_mean + 1e-12 and .random_mean <= .random_high + 1e-12' <<< "$greedy"
    done
    works "$viz" ablate --json --greedy -t 1 "${g[@]}"
    [ "$output" = "$greedy" ]
    works "$viz" ablate --greedy "${g[@]}"
    [ "${lines[0]}" = "heads replaced one after the other, the least worth by itself first; mean of 1 text" ]
    [[ ${lines[1]} =~ ^heads\ +last\ +dloss\ +kl\ +random\ +least\ +largest$ ]]
}

@test "--greedy=exact: each head is the least worth after those before it" {
    g=(-m "$ref/gpt2" --ids "$ids")
    works "$viz" ablate --json --greedy=exact "${g[@]}"
    exact=$output
    first=$(jq -r '.order[0] | "L\(.layer)H\(.head)"' <<< "$exact")
    for l in 0 1; do
        for h in 0 1 2; do
            [ "L${l}H$h" = "$first" ] ||
                "$viz" ablate --json --together -H "$first,L${l}H$h" "${g[@]}" |
                jq -c --argjson l $l --argjson h $h '[$l, $h, .sets[0].dloss]'
        done
    done > "$dir/pairs"
    [ "$(jq -c '[.order[1].layer, .order[1].head, .order[1].step]' <<< "$exact")" = \
        "$(jq -sc 'min_by(.[2])' "$dir/pairs")" ]
    jq -e '.exact and ([.order[] | [.layer, .head]] | unique | length) == 6
        and (.points[-1].dloss - .order[-1].step | fabs) < 1e-12' <<< "$exact"
}

@test "--greedy over many texts, also of a pipe; what it goes with; an hour is asked for" {
    printf '%s\n' '{"ids":[12,17,40]}' '{"ids":[9]}' '{"ids":[7,8,9,5]}' > "$dir/lines"
    g=(--no-metadata --json -m "$ref/gpt2" --jsonl)
    works "$viz" ablate "${g[@]}" --greedy --summary -f "$dir/lines"
    greedy=$output
    run --separate-stderr "$viz" ablate "${g[@]}" --greedy --summary -f - < "$dir/lines"
    [ "$output" = "$greedy" ]
    works "$viz" ablate "${g[@]}" --greedy=exact --summary -f "$dir/lines"
    jq -e --argjson g "$greedy" '.exact and .points[0] == $g.points[0] and .points[-1].dloss == $g.points[-1].dloss' <<< "$output"
    works "$viz" ablate "${g[@]}" --summary -f "$dir/lines"
    jq -e --argjson g "$greedy" '$g.n_texts == 2 and $g.n_rows == .n_rows and $g.loss == .loss
        and ([$g.order[] | .step] | . == sort)
        and ([.heads[] | .dloss.mean] | min) - $g.points[0].dloss < 1e-9' <<< "$output"
    fails 2 "--greedy: several texts require --summary" "$viz" ablate --greedy -f "$dir/lines"
    fails 2 "--greedy, --together: only one of them can be given" "$viz" ablate --greedy --together "a cat"
    fails 2 "--greedy, --patch: only one of them can be given" "$viz" ablate --greedy --patch "a dog" "a cat"
    fails 2 "--greedy, --reverse: only one of them can be given: --greedy orders the heads" "$viz" ablate --greedy --reverse "a cat"
    # 3,000,000 texts take hours or days; with --yes they are begun
    yes "the cat saw the dog and ran to it" | head -n 3000000 > "$dir/many"
    fails 2 ": expected --yes, fewer heads or fewer texts" "$viz" ablate --summary -f "$dir/many"
    "$viz" ablate --yes --summary -f "$dir/many" 2> "$dir/err" 3>&- &
    for _ in $(seq 1200); do
        ! grep -q . "$dir/err" || break
        sleep .1
    done
    kill $!
    grep -q '^mha-viz: note: this takes about ' "$dir/err"
}

@test "masked models: tokens of the text in turn, by a seed; no special ones" {
    works "$viz" ablate --json --masked 2 -m "$ref/bert" "the key is in the door"
    [ "$(jq -c '[.measure, .n_rows, (.masked | length)]' <<< "$output")" = '["masked",2,2]' ]
    first=$output
    works "$viz" ablate --json --masked 2 -m "$ref/bert" "the key is in the door"
    [ "$output" = "$first" ]
    works "$viz" ablate --json --masked 99 -m "$ref/bert" "the key is in the door"
    [ "$(jq -c .masked <<< "$output")" = "[1,2,3,4,5,6]" ]
    seeds=$(for s in 1 2 3 4 5 6; do
        "$viz" ablate --json --masked 2 --seed $s -m "$ref/bert" "the key is in the door" | jq -c .masked
    done | sort -u | wc -l)
    [ "$seeds" -gt 1 ]
    jq -e 'has("masked") and all(.heads[]; has("direct") | not)' <<< "$output"
    fails 2 "--sort: 'direct': the head of bert is not linear" "$viz" ablate --sort direct -m "$ref/bert" "the key"
    fails 2 "--mask-id: 99999 is out of range: bert has ids 0 to" \
        "$viz" ablate --mask-id 99999 -m "$ref/bert" "the key"
}

@test "no output head, a bare layer, an array: the change of the last hidden state" {
    works "$viz" ablate --json -m "$ref/families/distilbert" --ids "$ids"
    jq -e '.measure == "hidden" and .loss == null and all(.heads[]; .change > 0 and (has("dloss") | not))' <<< "$output"
    "$viz" init --d-model 8 --heads 2 -o "$dir/layer.safetensors"
    works "$viz" ablate -m "$dir/layer.safetensors"
    [[ ${lines[0]} == "outputs replaced by zeros; change of the last hidden state" ]]
    [[ ${lines[1]} =~ ^head\ +change$ ]]
    works "$viz" ablate --with mean --json -m "$dir/layer.safetensors" --shape 2x5
    fails 2 "--with resample: layer.safetensors reads arrays: expected zero, mean or uniform" \
        "$viz" ablate --with resample -m "$dir/layer.safetensors" --shape 2x5
    fails 2 "--patch: layer.safetensors reads no text" "$viz" ablate --patch "a cat" -m "$dir/layer.safetensors"
    fails 2 "--metric: 'kl': distilbert has no output head: expected change" \
        "$viz" ablate --metric kl -o "$dir/a.png" -m "$ref/families/distilbert" --ids "$ids"
    fails 2 "--sort: 'change': gpt2 has an output head: expected dloss, kl or direct" \
        "$viz" ablate --sort change -m "$ref/gpt2" --ids "$ids"
}

@test "an encoder-decoder: heads of all three attentions, or of one; the decoder's loss" {
    b=(-m "$ref/bart" "the key is in the door" "a key")
    works "$viz" ablate --json "${b[@]}"
    all=$output
    [ "$(jq -c '[.heads[].stack] | unique' <<< "$all")" = '["cross","decoder","encoder"]' ]
    for stack in encoder decoder cross; do
        works "$viz" ablate --json -s $stack "${b[@]}"
        [ "$(jq -c .heads <<< "$output")" = \
            "$(jq -c --arg s $stack '[.heads[] | select(.stack == $s)]' <<< "$all")" ]
    done
    works "$viz" ablate "${b[@]}"
    [[ ${lines[1]} =~ ^head\ +stack\ +dloss\ +kl\ +direct$ ]]
    fails 2 "the output of bart is its decoder's: expected TEXT_B, --decoder-ids or --generate N" \
        "$viz" ablate -m "$ref/bart" "the key"
}

@test "pictures: a map of layers and heads, for a text, a folder of texts or all of them" {
    cells() { grep -o 'base64,[^"]*' "$1" | sort -u; }
    works "$viz" ablate -o "$dir/a.svg" "the cat saw the dog"
    [ "$(cells "$dir/a.svg" | wc -l)" -ge 1 ]
    grep -q 'mha-viz:model' "$dir/a.svg"
    for other in "--metric kl" "--metric direct" "--with uniform" "-l 0"; do
        # shellcheck disable=SC2086
        works "$viz" ablate $other -o "$dir/b.svg" "the cat saw the dog"
        [ "$(cells "$dir/a.svg")" != "$(cells "$dir/b.svg")" ]
    done
    works "$viz" ablate --metric dloss -t 1 --no-metadata -o "$dir/b.svg" "the cat saw the dog"
    [ "$(cells "$dir/a.svg")" = "$(cells "$dir/b.svg")" ]
    refute grep -q 'mha-viz:' "$dir/b.svg"
    printf 'the cat saw the dog\nran\n' > "$dir/lines"
    works "$viz" ablate --summary -o "$dir/c.png" -f "$dir/lines"
    [ "$(magic "$dir/c.png" 4)" = 89504e47 ]
    # a text without a next token is in no mean
    works "$viz" ablate --summary -o "$dir/c.svg" -m "$ref/gpt2" --jsonl -f - \
        <<< '{"ids":[12,17,40]}'$'\n''{"ids":[5]}'
    works "$viz" ablate -o "$dir/d.svg" -m "$ref/gpt2" --ids 12,17,40
    [ "$(cells "$dir/c.svg")" = "$(cells "$dir/d.svg")" ]
    mkdir "$dir/all"
    works "$viz" ablate -o "$dir/all/" --format svg -f "$dir/lines"
    [ "$(list "$dir/all")" = "000001.svg 000002.svg " ]
    works "$viz" ablate -o "$dir/d.svg" -m "$ref/bart" "the key" "a key"
    fails 2 "several texts require a folder" "$viz" ablate -o "$dir/e.png" -f "$dir/lines"
}

@test "a text of one token, rows and models that cannot be ablated" {
    works "$viz" ablate --json -m "$ref/gpt2" --ids 5
    jq -e '.n_rows == 0 and .loss == null and all(.heads[]; .dloss == null and .kl == null and .direct == null)' <<< "$output"
    fails 2 "unknown option" "$viz" ablate --attention "$ref/precomputed/decoder.npz"
    fails 2 "--with: 'noise' is not one of zero, mean, resample, uniform" "$viz" ablate --with noise "a cat"
}

@test "--greedy lists the heads as they go; --points says how many" {
    works "$viz" ablate --greedy "the cat saw the dog"
    "$viz" ablate --greedy --json "the cat saw the dog" > "$dir/json"
    [ "$(sed -n '/^order:/,$p' <<< "$output" | tr -s ' \n' ' ' | sed 's/^order: //; s/ $//')" = \
        "$(jq -r '[.order[] | "L\(.layer)H\(.head)"] | join(" ")' "$dir/json")" ]
    # 30 % of 24 heads are 7; points of both lists have the same numbers
    "$viz" ablate --greedy --points 100%,30%,4,4,8 --json "the cat saw the dog" > "$dir/points"
    [ "$(jq -c '[.points[].n_heads]' "$dir/points")" = "[4,7,8,24]" ]
    for n in 4 8 24; do
        for file in json points; do jq -c ".points[] | select(.n_heads == $n) | [.dloss, .kl, .last]" "$dir/$file"; done |
            uniq > "$dir/both"
        [ "$(wc -l < "$dir/both")" -eq 1 ]
    done
    for list in 0 25 "4," "," 101% x "4,,5" 1.5 nan 0x10; do
        fails 2 "--points: '$list' is not a list such as 4,30%" "$viz" ablate --greedy --points "$list" "the cat"
    done
    fails 2 "--points requires --greedy" "$viz" ablate --points 3 "the cat"
}

@test "--greedy draws the curve" {
    works "$viz" ablate --greedy -o "$dir/a.svg" "the cat saw the dog"
    for name in "heads replaced" "change of the loss (nats)" "10 random sets of as many heads"; do
        grep -q "$name" "$dir/a.svg"
    done
    works "$viz" ablate --greedy=exact -l 5 -o "$dir/b.png" "the cat saw"
    [ "$(magic "$dir/b.png" 4)" = 89504e47 ]
    head -n 3 samples/english.txt > "$dir/three"
    for t in 1 3; do
        "$viz" ablate -t $t --greedy --summary --points 4,50% -f "$dir/three" --no-metadata -o "$dir/$t.svg"
    done
    cmp "$dir/1.svg" "$dir/3.svg"
    tr '\n' ' ' < "$dir/1.svg" | grep -q "mean of 3"
    fails 2 "--greedy, --metric: " "$viz" ablate --greedy --metric kl -o "$dir/c.svg" a
    fails 2 "--greedy: several texts require --summary" "$viz" ablate --greedy -f "$dir/three" -o "$dir/"
}

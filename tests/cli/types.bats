#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154,SC2016
# types: planted heads are found, scores and labels are those of NumPy, forms of output, misuse.

load helper

planted=tests/ref/planted

# corpus FILE: 12 texts of ids below 60, of 20 to 53 tokens, none of them special, some of which come again
corpus() {
    jq -nc 'range(12) | . as $t | {ids: [range(20 + 3 * $t) | (. * (7 + $t) + $t * $t) % 47 + 10]}' > "$1"
}

# said NAME: the primary label of this head in the JSON of $output
said() {
    jq -r --arg name "$1" '.heads[] | select("L\(.layer)H\(.head)" == $name) | .primary' <<< "$output"
}

@test "planted heads are found: by probes alone, and with texts" {
    works "$viz" types -m "$planted" --json
    [ "$(jq -c '[.heads[].types]' <<< "$output")" = \
        '[["previous"],["sink-first"],["duplicate-token","self"],[],["induction","copying"],[],[],[]]' ]
    jq -e '.heads[4].probe.induction > 0.95 and .heads[2].probe.duplicate > 0.9 and
        .heads[0].probe.previous > 0.95 and .texts == 0 and .probe_tokens == 50' <<< "$output"
    corpus "$dir/lines"
    works "$viz" types -m "$planted" --json --jsonl -f "$dir/lines"
    [ "$(said L0H0)" = previous ]
    [ "$(said L0H1)" = dormant ]
    [ "$(said L0H2)" = duplicate-token ]
    [ "$(said L0H3)" = broad ]
    [ "$(said L1H0)" = induction ]
    [ "$(said L1H1)" = self ]
    [ "$(said L1H2)" = "offset -2" ]
    [ "$(said L1H3)" = broad ]
    [ "$(jq -c '.heads[:4][].kinds' <<< "$output" | tr '\n' ' ')" = \
        '["positional","local"] ["long-range"] ["positional","local"] ["global","middle"] ' ]
    works "$viz" types -m "$planted" --jsonl -f "$dir/lines" -l 1 -H 0
    [ "${lines[0]}" = "planted, 10 probes of 50 random tokens twice over (seed 1), 12 texts; no rare-token: no text has a token beyond the 500 most common ones" ]
    [[ ${lines[2]} =~ ^"L1H0  induction (0."[0-9]+"): attends to the token that followed the previous occurrence of the present one" ]]
}

@test "make check-findings: all that is known of planted heads is found, and of others not" {
    python=${PYTHON:-python3}
    findings=("$python" tests/ref/findings.py "$viz")
    run "${findings[@]}" "$planted"
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    [[ ${lines[0]} == "holds  L0H0 looks at the token before, no other (by hand): L0H0 0.99, "* ]]
    [ "${lines[-1]}" = "7 of 7 hold" ]
    # the two layers in the other's place
    cp -r "$planted" "$dir/swapped"
    LC_ALL=C sed -i 's/"h\.0\./"h.X./g; s/"h\.1\./"h.0./g; s/"h\.X\./"h.1./g' "$dir/swapped/model.safetensors"
    run "${findings[@]}" "$dir/swapped"
    [ "$status" -eq 1 ]
    [[ ${lines[0]} == "FAILS  L0H0 looks at the token before, no other (by hand): L1H0 0.88, "* ]]
    [ "${lines[-1]}" = "0 of 7 hold" ]
    run "${findings[@]}" "$ref/gpt2"
    [ "$status" -eq 77 ]
    run "${findings[@]}" "$dir"
    [ "$status" -eq 2 ]
}

# bats test_tags=once
@test "scores and labels are those of NumPy, over exported attention" {
    python=${PYTHON:-python3}
    "$python" -c 'import numpy' 2> /dev/null || skip "$python has no numpy"
    corpus "$dir/lines"
    run "$python" tests/ref/check_types.py "$viz" "$planted" "$dir/lines"
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    [ "$output" = "8 broad dormant duplicate-token induction offset -2 previous self sink-first weak" ]
    "$python" tests/ref/check_types.py "$viz" "$ref/gpt2" "$dir/lines"
    "$python" tests/ref/check_types.py "$viz" "$ref/bert" "$dir/lines"
    head -n 3 "$dir/lines" > "$dir/few"
    "$python" tests/ref/check_types.py "$viz" "$planted" "$dir/few"
}

@test "retrieval: the heads that look for what is asked, as NumPy has them" {
    works "$viz" types --json --probe retrieval
    jq -e '.questions == 15 and .answered > 5 and .question_refused == null and .probe_texts == 0' <<< "$output"
    answered=$(jq .answered <<< "$output")
    # induction heads find the words by the one before, but not the first of them
    jq -e '[.heads[].probe | select(.retrieval > 0.6)] | length == 7 and all(.retrieval_first == 0)' <<< "$output"
    jq -e '[.heads[].types[]] == []' <<< "$output"
    works "$viz" types
    [[ ${lines[0]} == *" (seed 1), $answered of 15 questions answered" ]]
    works "$viz" types -m "$ref/gpt2" --json
    [ "$(jq -c '[.questions, .question_refused, .heads[0].probe.retrieval]' <<< "$output")" = \
        '[0,"it takes too few tokens",null]' ]
    works "$viz" types -m "$planted" --json
    [ "$(jq -r .question_refused <<< "$output")" = "it has no tokeniser" ]
    fails 2 "--probe: planted cannot be probed: it has no tokeniser" "$viz" types -m "$planted" --probe retrieval
    python=${PYTHON:-python3}
    "$python" -c 'import numpy' 2> /dev/null || skip "$python has no numpy"
    [ "$("$python" tests/ref/check_retrieval.py "$viz")" = "15 $answered" ]
}

@test "qr: what a question adds to the document that answers it, as NumPy has it" {
    works "$viz" types --json --probe qr
    jq -e '.rankings == 12 and .rankings_refused == null and .questions == 0 and .trials == 0' <<< "$output"
    jq -e '[.heads[] | select(.probe.qr > 0.05) | .layer] | length > 2 and min >= 2' <<< "$output"
    # By itself too, and with every other probe but function-vectors
    jq -c '[.heads[].probe.qr]' <<< "$output" > "$dir/alone"
    "$viz" types --json -t 1 | jq -c '[.heads[].probe.qr]' | cmp - "$dir/alone"
    "$viz" types --json | jq -e '[.heads[].probe.function_vectors] | all(. == null)'
    # a model that was made up foresees nothing, but may look; one without words cannot be shown any
    works "$viz" types -m "$ref/gpt2" --json
    [ "$(jq -c '[.rankings, .rankings_refused, .heads[0].probe.qr]' <<< "$output")" = \
        '[0,"it takes too few tokens",null]' ]
    fails 2 "--probe: planted cannot be probed: it has no tokeniser" "$viz" types -m "$planted" --probe qr
    fails 2 "--probe: bert cannot be probed: its tokens see those that follow" \
        "$viz" types -m "$ref/bert" --probe qr
    python=${PYTHON:-python3}
    "$python" -c 'import numpy' 2> /dev/null || skip "$python has no numpy"
    "$python" tests/ref/check_probes.py "$viz" qr
}

# bats test_tags=once
@test "function vectors: what the outputs of heads add, as PyTorch has it" {
    works "$viz" types --json --probe function-vectors
    jq -e '.trials == 75 and .trials_refused == null and .rankings == 0' <<< "$output"
    jq -c '[.heads[].probe.function_vectors]' <<< "$output" > "$dir/all"
    # of one head alone, by one thread
    "$viz" types --json -t 1 --probe function-vectors -l 4 -H 1 |
        jq -c '.heads[0].probe.function_vectors' | cmp - <(jq '.[17]' "$dir/all")
    # the parts of a corpus have it once
    for k in 0 1; do
        "$viz" types --probe function-vectors -l 4 -H 1 --shard $k/2 -f samples/english.txt -o "$dir/part.$k"
    done
    "$viz" merge --json "$dir"/part.? | jq -c '[.trials, .heads[0].probe.function_vectors]' > "$dir/merged"
    diff "$dir/merged" <(jq -c '[75, .[17]]' "$dir/all")
    fails 2 "--probe: planted cannot be probed: it has no tokeniser" \
        "$viz" types -m "$planted" --probe function-vectors
    python=${PYTHON:-python3}
    "$python" -c 'import torch, transformers' 2> /dev/null || skip "$python has no torch and transformers"
    "$python" tests/ref/check_probes.py "$viz" function-vectors
}

@test "copying and successors: as circuits has them, of weights alone" {
    works "$viz" types -m "$planted" --json --probe copy
    jq -e '.heads[4].probe.copy_rank > 0.95 and .heads[4].types == ["copying"] and
        ([.heads[].probe.successor] | all(. == null)) and .probe_texts == 0' <<< "$output"
    works "$viz" types --json --probe copy,successor
    jq -c '[.heads[] | [.probe | .copy, .copy_rank, .negative_copy, .successor, .successor_p]]' <<< "$output" > "$dir/types"
    "$viz" circuits --json --sample 200 | jq -c '[.heads[] | [.copy, .copy_rank, .negative_copy, .successor, .successor_p]]' > "$dir/circuits"
    cmp "$dir/types" "$dir/circuits"
    works "$viz" types -m "$ref/bert" --probe copy --json
    jq -e '[.heads[].probe | .copy != null and .copy_rank == null] | all' <<< "$output"
    fails 2 "--probe: t5 cannot be probed: heads of cross-attention read two streams" \
        "$viz" types -m "$ref/seq2seq/t5" --ids 1,2 --decoder-ids 3,4 --probe copy
    works "$viz" types --attention "$ref/precomputed/plain.npz" --json
    [ "$(jq -r .weights_refused <<< "$output")" = "it has no weights" ]
}

@test "successors: 3 of 7 days are chance, and random heads are none; all 7 are not" {
    python=${PYTHON:-python3}
    "$python" -c 'import numpy' 2> /dev/null || skip "$python has no numpy"
    run "$python" tests/ref/check_random.py "$viz" samples/english.txt 1
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    [[ $output == "128 "*" successor:1 "* ]]     # the one that is planted
}

@test "one text is too few: what holds all the same stands beside it" {
    works "$viz" types -m "$planted" --json --ids 1,2,3,4,5,6,7,8
    [ "$(jq -c '[.heads[0,1].types]' <<< "$output")" = \
        '[["previous","undetermined"],["undetermined","dormant","sink-first","weak"]]' ]
    [ "$(jq -c '[.heads[1] | .primary, .score, .caption]' <<< "$output")" = \
        '["undetermined",null,"undetermined (8 rows, 1 text): too few rows or texts to tell"]' ]
    works "$viz" types -m "$planted" --json --ids 1,2,3,4,5,6,7,8 --threshold rows:8,texts:1
    [ "$(said L0H1)" = dormant ]
}

@test "the other taxonomies; thresholds; which probes run" {
    corpus "$dir/lines"
    works "$viz" types -m "$planted" --json --jsonl -f "$dir/lines" --taxonomy clark
    [ "$(jq -c '[.heads[].primary]' <<< "$output")" = \
        '["prev","cls","other","other","other","other","other","other"]' ]
    works "$viz" types -m "$planted" --json --jsonl -f "$dir/lines" --taxonomy kovaleva
    [ "$(jq -c '[.heads[0,1].primary]' <<< "$output")" = '["diagonal","vertical"]' ]
    works "$viz" types -m "$planted" --json --threshold induction:0.999
    [ "$(said L1H0)" = null ]
    works "$viz" types -m "$planted" --json --probe duplicate
    jq -e '[.heads[].probe | .induction, .previous] | all(. == null)' <<< "$output"
    jq -e '[.heads[].probe.duplicate] | all(. != null)' <<< "$output"
    works "$viz" types -m "$planted" --json --no-probe --ids 1,2,3
    jq -e '.probe_texts == 0 and .probe_refused == null and ([.heads[].probe[]] | all(. == null))' <<< "$output"
    [ "$("$viz" types -m "$planted" --json --seed 2 | md5sum)" != "$("$viz" types -m "$planted" --json | md5sum)" ]
}

@test "models that cannot be probed say why, once, and go on where texts are given" {
    works "$viz" types -m "$ref/bert" "the key is in the door"
    [ "${lines[0]}" = "bert, 10 probes of 31 random tokens twice over (seed 1), 1 text" ]
    # places and duplicates are looked for in both directions, induction is not
    works "$viz" types -m builtin:encoder --json
    [ "$(jq -c '[.heads[0,1].types]' <<< "$output")" = '[["previous"],["next"]]' ]
    jq -e '[.heads[].probe | .induction == null and .duplicate != null and .self != null and .offset != null] | all' <<< "$output"
    fails 2 "--probe: bert cannot be probed" "$viz" types -m "$ref/bert" --probe induction "the key"
    fails 2 "cannot be probed: it has an encoder" "$viz" types -m "$ref/seq2seq/t5"
    works "$viz" types -m "$ref/seq2seq/t5" --ids 1,2 --decoder-ids 3,4
    [ "${#lines[@]}" -eq "$((2 + $("$viz" stats -m "$ref/seq2seq/t5" --ids 1,2 --decoder-ids 3,4 --tsv | tail -n +2 | wc -l)))" ]
    works "$viz" types --attention "$ref/precomputed/decoder.npz"
    works "$viz" types -m "$ref/layers/encoder.safetensors" --heads 4
    works "$viz" types --mask causal "the cat saw"
    [[ ${lines[0]} == *"no probes: --mask is of the texts that are given, 1 text" ]]
}

# bats test_tags=once
@test "--gold: baselines of a public treebank, to the digit" {
    shared=${MHA_VIZ_SHARED:-../shared}/ud
    [ -d "$shared" ] || skip "no treebank: $shared is not there"
    works "$viz" types --json --no-probe -l 0 -H 0 --gold "$shared/en_ewt-ud-dev.conllu"
    [ "$(jq -r '.relations[] | "\(.relation) \(.offset) \(.baseline * 1000 | round)"' <<< "$output" |
        grep -E '^(det|obj|amod|nsubj|aux|case|compound|cop|mark|xcomp|advmod|nmod|obl) ' | sort | tr '\n' ' ')" = \
        "advmod 1 458 amod 1 747 aux 1 543 case 1 377 compound 1 762 cop 1 352 det 1 589 mark 1 523 nmod -2 225 nsubj 1 339 obj -2 358 obl -2 192 xcomp -2 562 " ]
    jq -e '.texts == 2001 and .gold_words == 25147 and .gold_unusable == 0' <<< "$output"
}

# bats test_tags=once
@test "--gold: relations and heads are those of NumPy, over exported attention" {
    python=${PYTHON:-python3}
    "$python" -c 'import numpy' 2> /dev/null || skip "$python has no numpy"
    [ "$("$python" tests/ref/check_gold.py "$viz" builtin "samples/english.conllu")" -eq 13 ]
    [ "$("$python" tests/ref/check_gold.py "$viz" "$ref/bert" "samples/english.conllu")" -eq 13 ]
    [ "$("$python" tests/ref/check_gold.py "$viz" "$ref/gpt2" "samples/english.conllu")" -eq 13 ]
}

@test "--gold: labels, forms, threads" {
    # The same four sentences many times over: what is chosen on even ones holds on odd ones.
    for ((k = 0; k < 60; k++)); do cat "samples/english.conllu"; done > "$dir/many.conllu"
    works "$viz" types --json --no-probe --gold "$dir/many.conllu"
    jq -e '[.heads[] | select(.kinds | index("syntactic")) | .types[] | select(test("^syntactic[(][a-z]+[)]$"))] | length > 2' <<< "$output"
    jq -e '[.heads[].kinds_undetermined] | all(index("syntactic") == null)' <<< "$output"
    jq -e '[.relations[] | select(.syntactic)] | length > 2 and all(.accuracy >= .held_baseline + 0.1 and .low > .held_baseline and .held_arcs >= 100)' <<< "$output"
    works "$viz" types --json --no-probe --gold "$dir/many.conllu" --threshold arcs:1e6
    jq -e '[.heads[].types[] | select(startswith("syntactic"))] == []' <<< "$output"
    for t in 1 3; do "$viz" types -t "$t" --json --no-probe --gold "$dir/many.conllu" | md5sum; done | uniq > "$dir/sums"
    [ "$(wc -l < "$dir/sums")" -eq 1 ]
    works "$viz" types --no-probe -l 5 --gold "samples/english.conllu"
    [[ ${lines[6]} =~ ^relation\ +arcs\ +offset\ +baseline\ +head\ +way\ +found\ +"95 %"\ +"by offset"$ ]]
    [[ ${lines[7]} =~ ^all\ +27\  ]]
    [[ $output == *$'\n'"tag    words  head  of its weight"$'\n'"DET    0.194  L5H3 "* ]]
    gzip < "samples/english.conllu" > "$dir/house.gz"
    [ "$("$viz" types --no-probe --json --gold "$dir/house.gz" | jq -c .relations)" = \
        "$("$viz" types --no-probe --json --gold - < "samples/english.conllu" | jq -c .relations)" ]
    works "$viz" types -m "$ref/bert" --json --gold "samples/english.conllu"
    jq -e '.relations[0].way | . == "to_head" or . == "from_head"' <<< "$output"
}

@test "--gold: coreference of marked mentions, against two rules" {
    works "$viz" types --json --no-probe --gold samples/english.conllu
    jq -e '.mentions == 5 and .coreferent == 3 and .nearest_mention == 0 and (.head_match * 3 | round) == 1' <<< "$output"
    jq -e '[.heads[].kinds_undetermined] | all(index("coreference") == null)' <<< "$output"
    # 40 documents: 120 mentions
    for ((k = 0; k < 40; k++)); do cat samples/english.conllu; done > "$dir/many.conllu"
    works "$viz" types --json --no-probe --gold "$dir/many.conllu"
    jq -e '.coreferent == 120 and ([.heads[] | select(.types | index("coreference"))] |
        length > 0 and all(.coreference > 1 / 3 and (.kinds | index("coreference")) != null))' <<< "$output"
    sed 's/Entity=[^|\t]*/_/' samples/english.conllu > "$dir/none.conllu"
    works "$viz" types --json --no-probe --gold "$dir/none.conllu"
    jq -e '.mentions == 0 and .nearest_mention == null and (.heads | all(has("coreference") | not))' <<< "$output"
}

@test "--gold: what is wrong with a file is named with its line" {
    tree=samples/english.conllu
    fails 3 "$dir/none: No such file" "$viz" types --gold "$dir/none"
    sed 's/^3\tman/3\twoman/' "$tree" > "$dir/x"
    fails 3 "x: line 7: 'woman' is not what the text says there: 'man doesn't see the " "$viz" types --gold "$dir/x"
    sed '5s/\t3\tdet/\t30\tdet/' "$tree" > "$dir/x"
    fails 3 "x: line 5: word 1: head 30 is not in the sentence, which has 9 words" "$viz" types --gold "$dir/x"
    sed '7s/\t6\tnsubj/\t2\tnsubj/' "$tree" > "$dir/x"
    fails 3 "go round in a circle" "$viz" types --gold "$dir/x"
    : > "$dir/x"
    fails 3 "x: holds no sentence" "$viz" types --gold "$dir/x"
    fails 2 "--gold: its sentences are the texts" "$viz" types --gold "$tree" "the cat"
    fails 2 "--gold, --hide: only one of them can be given: special tokens are left out" "$viz" types --gold "$tree" --hide first
    fails 2 "--gold is of the encoder" "$viz" types -m "$ref/seq2seq/bart" -s decoder --gold "$tree"
    fails 3 "planted: " "$viz" types -m "$planted" --gold "$tree"
    sed 's/Entity=e1)/Entity=e3)/' "$tree" > "$dir/x"
    fails 3 "x: line 5: Entity: 'e3' is closed, but not open" "$viz" types --gold "$dir/x"
    # a sentence that is too long is named, the others are used
    { cat "$tree"; for ((k = 1; k <= 90; k++)); do printf '%d\tw%d\t_\tX\t_\t_\t%d\tdep\t_\t_\n' $k $k $((k - 1)); done; } > "$dir/x"
    run --separate-stderr "$viz" types -m "$ref/bert" --json --gold "$dir/x"
    [ "$status" -eq 3 ]
    [[ $stderr == *"x: line "*": the text has "*"bert takes at most"* && $stderr == *"1 of 5 sentences could not be used"* ]]
    [ "$(jq -c '[.texts, .gold_unusable]' <<< "$output")" = "[4,1]" ]
}

@test "--align: the built-in translator aligns words; error rates are those of NumPy" {
    printf 'I like eating apples\t我 喜欢 吃 苹果\nI like apples\t我 喜欢 苹果\nI eat bread\t我 吃 面包\n' > "$dir/pairs"
    printf '0-0 1-1 2?2 3-3 2p3\n0-0 1-1 2-2\n0-0 1-1 2-2 2-2 2p2\n' > "$dir/links"
    works "$viz" types -m builtin:translate --json --pairs -f "$dir/pairs" --align "$dir/links"
    jq -e '[.heads[] | [.aer, .aer_before] | min] | all(. < 0.2)' <<< "$output"
    works "$viz" types -m builtin:translate 'I like eating apples' '我 喜欢 吃 苹果' --align - <<< '0-0 1-1 2-2 3-3'
    [[ ${lines[1]} =~ aer\ +aer_before$ && ${lines[2]} =~ ^L0H0\ .*\ 0\.000\ +0\.750$ ]]
    works "$viz" types -m builtin:translate --tsv 'I like eating apples' '我 喜欢 吃 苹果'
    [[ ${lines[0]} != *aer* ]]
    fails 3 "links: line 1: link 3-3: the texts have 3 and 4 words" "$viz" types -m builtin:translate \
        'I like apples' '我 喜欢 吃 苹果' --align "$dir/links"
    fails 3 "links: has 3 lines for 1 text" "$viz" types -m builtin:translate \
        'I like eating apples' '我 喜欢 吃 苹果' --align "$dir/links"
    head -n 2 "$dir/links" > "$dir/few"
    run --separate-stderr "$viz" types -m builtin:translate --json --pairs -f "$dir/pairs" --align "$dir/few"
    [ "$status" -eq 3 ]
    [[ $stderr == *"line 3: $dir/few: has 2 lines, and none for this text"* && $(jq .texts <<< "$output") -eq 2 ]]
    echo '0-0 x' > "$dir/bad"
    fails 3 "bad: line 1: 'x' is not a link of two words" "$viz" types -m builtin:translate a b --align "$dir/bad"
    fails 2 "--align is of cross-attention" "$viz" types --align "$dir/links" 'the cat'
    fails 2 "--align, --hide: only one of them can be given: special tokens are left out" "$viz" types -m builtin:translate --hide first a b --align "$dir/links"
    python=${PYTHON:-python3}
    "$python" -c 'import numpy' 2> /dev/null || skip "$python has no numpy"
    [ "$("$python" tests/ref/check_align.py "$viz" builtin:translate "$dir/pairs" "$dir/links")" -eq 4 ]
}

@test "--gold-pairs: lift over pairs of related words, as NumPy has it" {
    printf 'the cat saw the cat and the dog\nthe dog ran to the door of the house\nno pairs here\n' > "$dir/texts"
    printf '0\t1\t4\n0\t4\t1\n0\t4\t1\n0\t7\t1\n1\t5\t8\n1\t8\t5\n' > "$dir/pairs"
    works "$viz" types --no-probe --json -f "$dir/texts" --gold-pairs "$dir/pairs"
    jq -e '[.heads[].kinds_undetermined] | all(index("semantic") != null)' <<< "$output"
    jq -e '[.heads[].semantic_lift] | all(. != null)' <<< "$output"
    works "$viz" types --no-probe --json -f "$dir/texts" --gold-pairs "$dir/pairs" --threshold pairs:5
    jq -e '.heads | all((.kinds | index("semantic") != null) == (.semantic_lift >= 2)) and
        any(.semantic_lift >= 2) and all(.kinds_undetermined | index("semantic") == null)' <<< "$output"
    fails 2 "--gold-pairs: its words are those of a TEXT or -f FILE" "$viz" types --gold-pairs "$dir/pairs"
    fails 2 "--gold-pairs, --hide: only one of them can be given: special tokens are left out" "$viz" types --gold-pairs "$dir/pairs" --hide first x
    for bad in '0 1 2' '0	1' '0	1	x' '0	1	2	3' '-1	0	1' '0	1	99999999999'; do
        echo "$bad" > "$dir/bad"
        fails 3 "bad: line 1: '" "$viz" types --gold-pairs "$dir/bad" 'a b'
    done
    printf '0\t1\t1\n' > "$dir/bad"
    fails 3 "bad: line 1: word 1 is paired with itself" "$viz" types --gold-pairs "$dir/bad" 'a b'
    printf '0\t1\t8\n' > "$dir/bad"
    fails 3 "bad: word 8 of text 0: it has 2 words" "$viz" types --gold-pairs "$dir/bad" 'a b'
    python=${PYTHON:-python3}
    "$python" -c 'import numpy' 2> /dev/null || skip "$python has no numpy"
    [ "$("$python" tests/ref/check_pairs.py "$viz" builtin "$dir/texts" "$dir/pairs")" -eq 24 ]
    [ "$("$python" tests/ref/check_pairs.py "$viz" "$ref/bert" "$dir/texts" "$dir/pairs")" -eq 6 ]
}

# bats test_tags=threads
@test "TSV has the same; any number of threads gives the same bytes" {
    corpus "$dir/lines"
    works "$viz" types -m "$planted" --tsv --jsonl -f "$dir/lines"
    [ "${#lines[@]}" -eq 9 ]
    [ "$(cut -f 3,4 <<< "$output" | sed -n 6p)" = "0	induction" ]
    [ "$(head -n 1 <<< "$output" | tr '\t' '\n' | grep -c '^probe_\|^scores_')" -eq 63 ]
    for t in 1 3; do "$viz" types -t "$t" -m "$planted" --json --jsonl -f "$dir/lines" | md5sum; done | uniq > "$dir/sums"
    [ "$(wc -l < "$dir/sums")" -eq 1 ]
    works "$viz" types -m "$planted" -o "$dir/types.json"
    [ "$(jq -r .schema "$dir/types.json")" = mha-viz/types/1 ]
}

@test "tokens that are left out, words in place of pieces" {
    works "$viz" types --json --no-probe --hide first 'the cat saw the cat'
    jq -e '.hide == "first" and (.heads | all(.n_rows == 5 and .scores.bos == null))' <<< "$output"
    works "$viz" types --json --no-probe --merge words 'the cat saw the cat'
    [ "$(jq -r .merge <<< "$output")" = words ]
}

@test "records of stats: what follows from their metrics, without probes" {
    works "$viz" stats --json -m "$planted" --ids 1,2,3,4,5,6,7,8,1,2,3,4,5
    [ "$(jq -c '[.heads[].types]' <<< "$output")" = \
        '[["undetermined","previous"],["undetermined"],["undetermined","self"],["undetermined","broad"],["undetermined"],["undetermined","self"],["undetermined"],["undetermined","broad"]]' ]
    works "$viz" stats --json --metric bos,alpha_0 -m "$planted" --ids 1,2,3,4,5,6,7,8
    [ "$(jq -c '[.heads[0,1].types]' <<< "$output")" = '[["undetermined"],["undetermined","sink-first","weak"]]' ]
    works "$viz" stats --json --hide first -m "$planted" --ids 1,2,3,4
    jq -e '.heads | all(.types[0] == "undetermined")' <<< "$output"
}

@test "--types: built-in models bring theirs, for the stack that it is of, and no other model does" {
    works "$viz" stats -m builtin:translate
    [[ ${lines[0]} == *" type "* && ${lines[1]} == "L0H0 "*" heterogeneous "* ]]
    works "$viz" stats -m builtin:translate -s encoder
    [[ ${lines[0]} != *" type "* ]]
    works "$viz" stats -m "$ref/bert" 'the river'
    [[ ${lines[0]} != *" type "* ]]
    "$viz" export -o "$dir/own.npz" 'the cat'
    works "$viz" stats --attention "$dir/own.npz"
    [[ ${lines[0]} != *" type "* ]]
    works "$viz" heatmap -l 4 --no-metadata -o "$dir/own.svg" 'the cat'
    works "$viz" heatmap -l 4 --no-metadata --types assets/default/types.json -o "$dir/file.svg" 'the cat'
    cmp "$dir/own.svg" "$dir/file.svg"
}

@test "--types: heatmap and stats show what a file says" {
    "$viz" types --json -f samples/english.txt -o "$dir/types.json"
    works "$viz" heatmap --types "$dir/types.json" -l 3 -o "$dir/a.svg" 'the cat saw the cat'
    works "$viz" heatmap --types none -l 3 -o "$dir/b.svg" 'the cat saw the cat'
    refute cmp -s "$dir/a.svg" "$dir/b.svg"
    works "$viz" stats --types "$dir/types.json" -l 3 'the cat saw the cat'
    [[ ${lines[0]} == *" type "*"strongest link" ]]
    [[ ${lines[1]} == "L3H0 "*" duplicate-token "* && ${lines[2]} == "L3H1 "*" previous "* && ${lines[4]} == "L3H3 "*" broad "* ]]
    # which is what the built-in model brings
    [ "$("$viz" stats -l 3 'the cat saw the cat')" = "$output" ]
    works "$viz" stats --types none -l 3 'the cat saw the cat'
    [[ ${lines[0]} != *" type "* ]]
    # heads that are not in the file have no type
    jq -c '.heads |= .[:1]' "$dir/types.json" > "$dir/one.json"
    works "$viz" stats --types "$dir/one.json" -l 0 'the cat'
    [[ ${lines[1]} == "L0H0 "*" previous "* && ${lines[2]} == "L0H1 "*" - "* ]]
    fails 3 ", of mha-viz default (6 layers x 4 heads), expected " "$viz" stats --types "$dir/types.json" -m "$ref/gpt2" --ids 1,2
    fails 3 "english.txt: expected JSON with the schema mha-viz/types/1: not JSON" "$viz" heatmap --types samples/english.txt -o "$dir/c.svg" x
    for edit in '.schema = "mha-viz/stats/2"' 'del(.model)' 'del(.weights_hash)' '.weights_hash = "0"' '.heads[0].layer = 6' '.heads[0].head = -1' \
        '.heads[0].stack = "encoder"' '.heads[0].primary = 3' '.heads[0] = 1' '.heads = 1' '[.]'; do
        jq -c "$edit" "$dir/types.json" > "$dir/wrong.json"
        fails 3 "wrong.json: " "$viz" stats --types "$dir/wrong.json" 'the cat'
    done
    fails 3 "wrong: No such file" "$viz" stats --types "$dir/wrong" 'the cat'
    fails 2 "--summary, --types: only one of them can be given" "$viz" stats --summary --types "$dir/types.json" -f samples/english.txt
}

@test "what is wrong is named" {
    fails 2 "--threshold: 'inducton' is not a threshold; did you mean 'induction'?" "$viz" types --threshold inducton:1
    fails 2 "--probe: 'inductoin' is not a probe; did you mean 'induction'?" "$viz" types --probe inductoin
    fails 2 "--probe: '' is not a probe" "$viz" types --probe ''
    fails 2 "--probe, --no-probe: only one of them can be given" "$viz" types --probe induction --no-probe x
    fails 2 "--no-probe requires a TEXT or -f FILE" "$viz" types --no-probe
    fails 2 "types gives one report: expected a file, not the folder" "$viz" types -o "$dir/"
    fails 2 "--taxonomy" "$viz" types --taxonomy voita
    printf '{"ids":[1,2,3]}\n{"ids":[1,99]}\n{"ids":[4,5]}\n' > "$dir/lines"
    run --separate-stderr "$viz" types -m "$planted" --json --jsonl -f "$dir/lines"
    [ "$status" -eq 3 ]
    [[ $stderr == *"line 2"* && $(jq .texts <<< "$output") -eq 2 ]]
    : > "$dir/none"
    works "$viz" types -m "$planted" --json -f "$dir/none" --jsonl
    jq -e '.texts == 0 and (.heads[4].types == ["induction","copying"])' <<< "$output"
    works "$viz" types -m "$planted" --json --ids 7
    jq -e '.heads | all(.n_rows == 1)' <<< "$output"
}

@test "files of heads are of weights: others of the same name are refused, a renamed folder is not" {
    mkdir "$dir/a" "$dir/b"
    cp -r "$ref/bert" "$dir/a/m"
    cp -r "$ref/bert" "$dir/b/m"
    size=$(stat -c %s "$dir/b/m/model.safetensors")
    printf '\x01\x02' | dd of="$dir/b/m/model.safetensors" bs=1 seek=$((size - 4)) conv=notrunc 2>/dev/null
    printf 'the key\nthe door\n' >"$dir/t"
    "$viz" types --json -m "$dir/a/m" -f "$dir/t" -o "$dir/types.json"
    for k in 0 1; do "$viz" types --shard $k/2 -m "$dir/a/m" -f "$dir/t" -o "$dir/$k.part"; done
    "$viz" merge --json "$dir/0.part" "$dir/1.part" >"$dir/merged.json"
    "$viz" ablate --json -m "$dir/a/m" "the key" -o "$dir/worth.json"
    "$viz" ablate --json --summary -m "$dir/a/m" -f "$dir/t" -o "$dir/summary.json"
    "$viz" ablate --with mean --means-out "$dir/means.npz" -m "$dir/a/m" -f "$dir/t" >/dev/null
    mv "$dir/a/m" "$dir/a/renamed"
    cp "$dir/types.json" "$dir/a/renamed"
    for line in "heatmap --types $dir/types.json -o $dir/p.svg" "stats --types $dir/merged.json" \
        "links --types $dir/types.json -o $dir/p.svg" "report --types $dir/types.json -o $dir/p.html" \
        "report --ablate $dir/worth.json -o $dir/p.html" \
        "report --ablate $dir/summary.json -o $dir/p.html" \
        "ablate --with mean --means $dir/means.npz"; do
        # shellcheck disable=SC2086
        works "$viz" $line -m "$dir/a/renamed" "the key"
        # shellcheck disable=SC2086
        fails 3 "weights_hash: found " "$viz" $line -m "$dir/b/m" "the key"
    done
    fails 3 "types.json: weights_hash: found $(jq -r .weights_hash "$dir/types.json"), of m, expected " \
        "$viz" stats --types "$dir/types.json" -m "$dir/b/m" "the key"
}

@test "options of a text are refused where there is none" {
    for o in --pairs --jsonl --keep-empty --pretokenized --truncate "--shape 5" "--tokens a" "--boxes x.npy"; do
        # shellcheck disable=SC2086
        fails 2 "${o%% *}: there is no text: expected a TEXT or -f FILE" "$viz" types $o
    done
}

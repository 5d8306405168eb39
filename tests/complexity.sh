#!/bin/bash
# SPDX-License-Identifier: MIT
# Instructions and memory of each step of a tokeniser, each reader and each command, at sizes
# that grow: the exponents, between sizes N and M
#     log((cost(M) - cost(S)) / (cost(N) - cost(S))) / log((M - S) / (N - S))
# stay below what each case may have; S is a size that is next to nothing.  Instructions are the
# processor's own count, or valgrind's where that is not lent; memory is the most bytes allocated
# at once.  Steps are counted without the report (tests/complexity/encode.c), which would
# outweigh them.
#     tests/complexity.sh [NAME ...]
# By default a few cases, at 3,000 and 30,000 (bytes of text, entries of a file); COMPLEXITY=slice:
# all of them so, each step with one kind of text; COMPLEXITY=all: with four kinds, at 10^4 and
# 10^5, and at 10^6 where that takes no more instructions than $most.  Needs perl and jq.
# file_tags=slices
# shellcheck disable=SC2016
cd "$(dirname "$0")/.." || exit 1
viz=$(realpath "${MHA_VIZ:-./mha-viz}")
build=$PWD/${MHA_VIZ_BUILD:-build}/tests/complexity
tier=${COMPLEXITY:-sample}
only=("$@")
ref=$PWD/tests/ref
case $viz in
*/asan/* | */tsan/*)
    echo "skip: sanitisers do most of the work that would be counted"
    exit 77
    ;;
esac
ldd "$viz" 2>/dev/null | grep -q libc.so.6 || { echo "skip: only glibc names its allocator"; exit 77; }
for tool in perl jq; do
    command -v $tool >/dev/null || { echo "skip: no $tool here"; exit 77; }
done
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# ---- what is counted ----

counter=perf
"$build/count" "$dir/instructions" /bin/true 2>/dev/null
if [ $? -eq 77 ]; then
    counter=valgrind
    command -v valgrind >/dev/null ||
        { echo "skip: no counter of instructions: neither the processor's nor valgrind"; exit 77; }
fi

# cost ARGUMENT...: sets work and bytes; fails where $program does not return $status
status=0 program=$viz
cost() {
    local rc
    rm -f "$dir/instructions" "$dir/peak"
    if [ $counter = perf ]; then
        "$build/count" "$dir/instructions" /usr/bin/env COMPLEXITY_PEAK="$dir/peak" \
            LD_PRELOAD="$build/peak.so" "$program" "$@" >"$dir/out" 2>"$dir/err" </dev/null
        rc=$?
    else
        COMPLEXITY_PEAK=$dir/peak LD_PRELOAD=$build/peak.so \
            valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null \
            --log-file="$dir/log" "$program" "$@" >"$dir/out" 2>"$dir/err" </dev/null
        rc=$?
        sed -n 's/.*I *refs: *//p' "$dir/log" | tr -d , >"$dir/instructions"
    fi
    work=$(cat "$dir/instructions") bytes=$(cat "$dir/peak")
    [ -n "$work" ] && [ -n "$bytes" ] && [ $rc -eq $status ]
}

# ---- the cases ----

n=0 bad=0
# grows NAME LIMIT SIZES COMMAND...: prepare N makes the input of size N; @ in the command's
# words stands for N
grows() {
    local name=$1 limit=$2 size words line='' skipped='' w=() b=() s=()
    read -ra size <<<"$3"
    shift 3
    wanted "$name" || return 0
    n=$((n + 1))
    for i in 0 "${!size[@]}"; do
        local at=${size[$i]}
        [ ${#s[@]} -gt 0 ] || at=${smallest:-10}
        if [ "$i" -gt 1 ] && [ $(((work - w[0]) * at / s[i])) -gt "$most" ]; then
            skipped=" (not at $at)"
            break
        fi
        prepare "$at"
        words=("${@//@/$at}")
        if ! cost "${words[@]}"; then
            bad=$((bad + 1))
            echo "not ok $n - $name: at $at: ${words[*]}"
            sed 's/^/# /' "$dir/err" | head -n 3
            return
        fi
        w+=("$work") b+=("$bytes") s+=("$at")
    done
    if line=$(exponents "$limit" "${s[*]}" "${w[*]}" "${b[*]}"); then
        echo "ok $n - $name: $line$skipped"
    else
        bad=$((bad + 1))
        echo "not ok $n - $name: $line$skipped"
    fi
}

# Work is counted beyond that of size S.  Memory is not: its peak may be that of opening what
# is read, which is over before the input's memory begins, and the difference of two peaks then
# grows faster than either.  What is the same at all sizes only makes the ratio of whole peaks
# smaller.  Buffers that double give ten times the size up to sixteen times the bytes: 0.2 more.
exponents() {
    awk -v limit="$1" -v s="$2" -v w="$3" -v b="$4" 'BEGIN {
        n = split(s, size); split(w, work); split(b, bytes)
        for (i = 3; i <= n; i++) {
            by = log((size[i] - size[1]) / (size[i - 1] - size[1]))
            less = work[i - 1] - work[1]; more = work[i] - work[1]
            if (less <= 0 || more <= 0) { print "no more work than for nothing"; exit 1 }
            x = log(more / less) / by
            y = log(bytes[i] / bytes[i - 1]) / log(size[i] / size[i - 1])
            printf "%s%d: work %.2f, memory %.2f", (i > 3 ? "; " : ""), size[i], x, y
            bad = bad || x > limit || y > limit + 0.21
        }
        printf " (%.0f instructions and %.0f bytes each; at most %.2f)",
            (work[n] - work[1]) / size[n], bytes[n] / size[n], limit
        exit bad
    }'
}

wanted() {
    [ ${#only[@]} -eq 0 ] && { [ "$tier" != sample ] || [[ " $sample " == *" $1 "* ]]; return; }
    for o in "${only[@]}"; do [[ $1 == *$o* ]] && return 0; done
    return 1
}

sample="BPE/words NFC/marks added/words gz_empty_lines safetensors"
case $tier in
sample | slice) sizes="3000 30000" tokens="64 128" layers="500 1000" ;;
*) sizes="10000 100000 1000000" tokens="64 128 256 512" layers="1000 2000 4000" ;;
esac
most=4000000000
near=1.1
kinds=(words letters blanks marks)

# ---- steps of tokenisers ----

program=$build/encode

# text N KIND: N bytes in one line
text() {
    case $2 in
    words) yes "the cat's 12 keys, étude 我喜 <x> of " | tr -d '\n' ;;
    letters) yes a | tr -d '\n' ;;
    blanks) yes ' ' | tr -d '\n' ;;
    marks) printf a; perl -e '$| = 1; print "\xcc\x81\xcc\xa3" while 1' 2>/dev/null ;;
    esac 2>/dev/null | head -c "$1" | perl -0pe 's/[\xc2-\xf4][\x80-\xbf]{0,2}\z//'
}

bpe='{"type":"BPE","vocab":{"a":0,"b":1," ":2,"U":3,"aa":4,"aaaa":5},"merges":["a a","aa aa"],"unk_token":"U"}'
# step NAME FIELDS [MODEL [words]]: the step over texts of each kind, in a slice of one of them
n_steps=0
step() {
    local kind of=("${kinds[@]}")
    [ "$tier" != slice ] || [ ${#only[@]} -gt 0 ] || of=("${kinds[n_steps++ % 4]}")
    printf '{%s"model":%s}' "${2:+$2,}" "${3:-$bpe}" >"$dir/tokenizer.json"
    for kind in "${of[@]}"; do
        eval "prepare() { text \$1 $kind >'$dir/text'; }"
        grows "$1/$kind" $near "$sizes" "$dir" "$dir/text" ${4:+"$4"}
    done
}

for type in NFC NFD NFKC NFKD Lowercase Nmt ByteLevel BertNormalizer StripAccents; do
    step $type "\"normalizer\":{\"type\":\"$type\"}"
done
step Strip '"normalizer":{"type":"Strip","strip_left":true,"strip_right":true}'
step Prepend '"normalizer":{"type":"Prepend","prepend":"b"}'
step Replace '"normalizer":{"type":"Replace","pattern":{"String":"a"},"content":"bb"}'
step Replace_regex '"normalizer":{"type":"Replace","pattern":{"Regex":" +"},"content":"_"}'
step Precompiled "$(jq -c '{normalizer: .normalizer} | tostring[1:-1]' -r "$ref/tokenizers/unigram/tokenizer.json")"
for type in BertPreTokenizer Punctuation UnicodeScripts Whitespace WhitespaceSplit Digits; do
    step $type "\"pre_tokenizer\":{\"type\":\"$type\"}"
done
step ByteLevel_split '"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":true}'
step CharDelimiterSplit '"pre_tokenizer":{"type":"CharDelimiterSplit","delimiter":"a"}'
step FixedLength '"pre_tokenizer":{"type":"FixedLength","length":3}'
step Metaspace '"pre_tokenizer":{"type":"Metaspace","replacement":"▁","prepend_scheme":"always"}'
step Split '"pre_tokenizer":{"type":"Split","pattern":{"String":"a"},"behavior":"MergedWithNext"}'
step Split_regex '"pre_tokenizer":{"type":"Split","pattern":{"Regex":"\\p{L}+|\\s+(?!\\S)|."},"behavior":"Isolated"}'
step BPE ''
step WordPiece '"pre_tokenizer":{"type":"WhitespaceSplit"}' '{"type":"WordPiece","unk_token":"U","max_input_chars_per_word":2000000,"vocab":{"U":0,"a":1,"##a":2,"the":3,"##t":4,"##aa":5}}'
step Unigram '' '{"type":"Unigram","unk_id":0,"vocab":[["U",0],["a",-1],["aa",-1.5],["the",-2],[" ",-1]]}'
step WordLevel '"pre_tokenizer":{"type":"WhitespaceSplit"}' '{"type":"WordLevel","unk_token":"U","vocab":{"U":0,"of":1}}'
step Template '"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"U","type_id":0}},{"Sequence":{"id":"A","type_id":0}}],"pair":[],"special_tokens":{"U":{"id":"U","ids":[3],"tokens":["U"]}}}'
step BertProcessing '"post_processor":{"type":"BertProcessing","sep":["U",3],"cls":["U",3]}'
step RobertaProcessing '"post_processor":{"type":"RobertaProcessing","sep":["U",3],"cls":["U",3],"trim_offsets":true,"add_prefix_space":true}'
step ByteLevel_offsets '"post_processor":{"type":"ByteLevel","trim_offsets":true}'
for type in ByteLevel Metaspace BPEDecoder WordPiece; do
    step decoder_$type "\"decoder\":{\"type\":\"$type\"}"
done
step added '"added_tokens":[{"id":6,"content":"<x>","lstrip":true,"rstrip":true,"normalized":false},{"id":2,"content":" ","rstrip":true,"single_word":true,"normalized":true}]'
step words '"pre_tokenizer":{"type":"WhitespaceSplit"}' '' words

# ---- readers ----

program=$viz
rm -f "$dir"/*.json
prepare() { seq "$1" | sed 's/^/[w/; s/$/]/' >"$dir/vocab.txt"; printf '%s\n' '[UNK]' '[CLS]' '[SEP]' >>"$dir/vocab.txt"; }
grows vocab.txt $near "$sizes" tokens -m "$dir" 'w'
rm -f "$dir/vocab.txt"
prepare() {
    seq "$1" | awk 'BEGIN { printf "{\"model\":{\"type\":\"BPE\",\"merges\":[],\"vocab\":{\"a\":0" }
        { printf ",\"w%d\":%d", $1, $1 } END { print "}}}" }' >"$dir/tokenizer.json"
}
grows tokenizer.json $near "$sizes" tokens -m "$dir" a
prepare() {
    seq "$1" | awk 'BEGIN { printf "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0" }
        { printf ",\"b%d\":%d,\"ab%d\":%d", $1, 2 * $1, $1, 2 * $1 + 1 }
        END { printf "},\"merges\":[\"a b1\""; for (i = 2; i <= NR; i++) printf ",\"a b%d\"", i; print "]}}" }' \
        >"$dir/tokenizer.json"
}
grows merges $near "$sizes" tokens -m "$dir" a
rm -f "$dir/tokenizer.json"
prepare() {
    perl -e 'sub part { my ($k, $s) = @_; return pack("C", $k) . pack("w/a*", "") x 0 . varint(length $s) . $s }
        sub varint { my $n = shift; my $s = ""; while ($n > 127) { $s .= chr($n & 127 | 128); $n >>= 7 } return $s . chr $n }
        for my $i (0 .. $ARGV[0] + 2) {
            my $p = $i == 0 ? "<unk>" : $i == 1 ? "<s>" : $i == 2 ? "</s>" : "w$i";
            my $type = $i == 0 ? 2 : $i < 3 ? 3 : 1;
            print part(10, part(10, $p) . pack("Cf<", 21, -$i) . pack("CC", 24, $type)) }
        print part(18, pack("CC", 24, 1))' "$1" >"$dir/tokenizer.model"
}
grows sentencepiece $near "$sizes" tokens -m "$dir" w
rm -f "$dir/tokenizer.model"
cp "$ref"/bert/* "$dir"
prepare() {
    perl -e '$h = "{" . join(",", map { "\"t$_\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}" } 1 .. $ARGV[0]) . "}";
        print pack("Q<", length $h), $h' "$1" >"$dir/model.safetensors"
}
status=3                        # none of them is the model's
grows safetensors $near "$sizes" info -m "$dir"
status=0
cp "$ref/bert/model.safetensors" "$dir"
prepare() {
    seq "$1" | awk 'BEGIN { printf "{" } { printf "\"k%d\":[%d,\"x\"],", $1, $1 } END { print "" }' >"$dir/config.json"
    tail -c +2 "$ref/bert/config.json" >>"$dir/config.json"
}
grows config.json $near "$sizes" info -m "$dir"
# layers NAME=SHAPE..: N layers of float32 zeros, %d in a name its number
layers() {
    perl -e '$n = shift; $at = 0;
        for $l (0 .. $n - 1) { for (@ARGV) {
            ($name, $shape) = split "="; $name =~ s/%d/$l/; $size = 4;
            $size *= $_ for split ",", $shape;
            push @h, "\"$name\":{\"dtype\":\"F32\",\"shape\":[$shape],\"data_offsets\":[$at," . ($at += $size) . "]}" } }
        $h = "{" . join(",", @h) . "}"; print pack("Q<", length $h), $h, "\0" x $at' "$@" >"$dir/bare/model.safetensors"
}
# Layers without a config: their attentions are sought by names.
smallest=2
mkdir "$dir/bare"
bare="info --heads 1 -m $dir/bare/model.safetensors"
a=layers.%d.self_attn l=layers.%d m=h.%d
# shellcheck disable=SC2086
{
    prepare() { layers "$1" $a.{q,k,v,o}_proj.weight=2,2; }
    grows layers_of_attention $near "$layers" $bare
    prepare() {
        layers "$1" $a.in_proj_weight=6,2 $a.out_proj.weight=2,2 $l.norm{1,2}.{weight,bias}=2 \
            $l.linear1.weight=4,2 $l.linear2.weight=2,4
    }
    grows layers_of_torch $near "$layers" $bare
    prepare() {
        layers "$1" $m.attn.c_attn.weight=6,2 $m.attn.c_proj.weight=2,2 $m.attn.bias=1,1,4,4 \
            $m.ln_{1,2}.weight=2 $m.mlp.c_fc.weight=8,2 $m.mlp.c_proj.weight=2,8
    }
    grows layers_with_masks $near "$layers" $bare
}
smallest=10
prepare() {
    perl -e 'print "GGUF", pack("L<Q<Q<", 3, $ARGV[0], 0);
        print pack("Q</a* L<Q< L<Q<", "t$_", 1, 1, 0, 32 * $_ - 32) for 1 .. $ARGV[0];
        print "\0" x (64 + 32 * $ARGV[0])' "$1" >"$dir/a.gguf"
}
status=3                        # it names no architecture
grows gguf $near "$sizes" info -m "$dir/a.gguf"
prepare() {
    perl -e 'for (1 .. $ARGV[0]) { $name = "a$_.npy"; $at = length $z;
            $h = "{\x27descr\x27: \x27|u1\x27, \x27fortran_order\x27: False, \x27shape\x27: (0,), }";
            $h .= " " x (118 - length $h - 1) . "\n"; $npy = "\x93NUMPY\x01\0" . pack("v", length $h) . $h;
            $crc //= do { my $c = ~0 & 0xffffffff; for (unpack "C*", $npy) { $c ^= $_; $c = $c & 1 ? 0xedb88320 ^ ($c >> 1) : $c >> 1 for 1 .. 8 } ~$c & 0xffffffff };
            $both = pack("vvvvvVVVvv", 20, 0, 0, 0, 33, $crc, length $npy, length $npy, length $name, 0);
            $z .= "PK\3\4" . $both . $name . $npy;
            $d .= "PK\1\2" . pack("v", 20) . $both . pack("vvvVV", 0, 0, 0, 0, $at) . $name }
        print $z, $d, "PK\5\6", pack("vvvvVVv", 0, 0, $ARGV[0], $ARGV[0], length $d, length $z, 0)' "$1" >"$dir/a.npz"
}
# None of them holds attention.  A directory without zip64 has at most 65535.
grows npz $near "3000 30000" info --attention "$dir/a.npz"
status=0
prepare() { yes '' | head -n "$1" | gzip >"$dir/lines"; }
grows gz_empty_lines $near "$sizes" tokens --json -t 1 -f "$dir/lines"
prepare() { yes 'the key' | head -n $(($1 / 10 + 1)) >"$dir/lines"; }
grows lines $near "$sizes" tokens --tsv -t 1 -f "$dir/lines"
prepare() { yes '{"text":"the key","pair":"a cat"}' | head -n $(($1 / 10 + 1)) >"$dir/lines"; }
grows jsonl $near "$sizes" tokens --tsv -t 1 --jsonl -f "$dir/lines"
prepare() { text "$1" letters >"$dir/lines"; }
grows stdin_text $near "$sizes" tokens --json -t 1 -m "$ref/gpt2" -f "$dir/lines"

# ---- commands ----

prepare() { yes 'the key is in the door' | head -n $(($1 / 100 + 1)) >"$dir/lines"; }
grows stats_lines $near "$sizes" stats --tsv -t 1 -m "$ref/bert" -f "$dir/lines"
grows diff_lines $near "${sizes% 1000000}" diff --tsv -t 1 -m "$ref/bert" --dtype f32 --dtype bf16 -f "$dir/lines"
# Attention is of all pairs of tokens.
for i in 1 2; do "$viz" init --d-model 16 --heads 2 --layers $i --encoder -o "$dir/$i.safetensors"; done
layer="-t 1 -m $dir/2.safetensors --shape @"
prepare() { :; }
smallest=8
# shellcheck disable=SC2086
{
    grows stats 2.1 "$tokens" stats --json $layer
    grows export 2.1 "$tokens" export $layer -o "$dir/a.npz"
    grows heatmap 2.1 "$tokens" heatmap --cell 2 $layer -o "$dir/a.png"
    grows diff 2.1 "$tokens" diff --tsv $layer --dtype f32 --dtype bf16
    grows stability 2.1 "$tokens" stability --runs 2 --tsv $layer
    grows neuron 2.1 "$tokens" neuron --json -l 0 $layer
    grows trace 2.1 "$tokens" trace --json $layer
    grows mechanisms 2.1 "$tokens" mechanisms --only exact --runs 0 --tsv $layer
    # But that of a layer whose outputs nothing reads: here it is the only one.
    layer="-t 1 -m $dir/1.safetensors --shape @"
    grows linear $near "$tokens" mechanisms --only elu --no-error --outputs-only --runs 0 --tsv $layer
}
prepare() { :; }
smallest=2
grows init $near "16 32" init --d-model 64 --heads 2 --encoder --layers @ -o "$dir/b.safetensors"

echo "1..$n"
echo "# tried: $n cases ($tier), instructions counted by $counter"
[ "$bad" -eq 0 ]

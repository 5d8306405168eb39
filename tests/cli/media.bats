#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --image, --audio: pictures and sounds that a model reads, and those that none does.
# shellcheck disable=SC2154
load helper

in_folder() {
    vit=$ref/media/vit
    whisper=$ref/media/whisper
    media=$ref/media
    cd "$dir" || return 1
}

# png_height FILE
png_height() {
    od -An -j20 -N4 -tu1 "$1" | awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4 }'
}

# has_jpeg: whether this program was built with libjpeg-turbo
has_jpeg() {
    "$viz" stats -m "$vit" --image "$media/rgb.jpg" >jpeg.out 2>jpeg.err || {
        grep -q "built without libjpeg-turbo" jpeg.err
        return 1
    }
}

@test "vit: a picture gives the reference's attention" {
    in_folder
    "$viz" export -m "$vit" --image "$media/rgb.png" -o got.npz
    unzip -p got.npz attn.1.npy | tail -c +129 | od -An -v -w4 -tf4 >got
    unzip -p "$media/expected.npz" attn.1.npy | tail -c +129 | od -An -v -w4 -tf4 >want
    [ "$(wc -l <want)" = 1250 ]
    paste got want | awk '{ d = $1 - $2; if (d > 2e-6 || d < -2e-6) bad = 1 } END { exit bad }'
}

@test "its patches are named, the file is in the record" {
    in_folder
    "$viz" stats -m "$vit" --image "$media/rgb.png" --json >rgb.json
    jq -e '.tokens[0:2] == ["[CLS]","0,0"] and .tokens[-1] == "3,5"' rgb.json
    jq -e '.text == "" and .ids == null and (.input | endswith("/rgb.png"))' rgb.json
    "$viz" stats -m "$vit" --image "$media/interlaced.png" --json | jq -c .heads >interlaced
    jq -c .heads rgb.json | diff - interlaced
    works "$viz" heatmap -m "$vit" --image "$media/rgb.png" -o a.svg
    works "$viz" report -m "$vit" --image "$media/rgb.png" -o a.html
    works "$viz" links -m "$vit" --image "$media/rgb.png" -o a.png
    "$viz" diff -m "$vit" --image "$media/rgb.png" --image "$media/grey.png" --json >diff.json
    jq -e '[.heads[].js] | max > 0' diff.json
}

# numbers SVG: those of its cells, as their titles say them
numbers() {
    grep -o '<title>[^<]*' "$1" | sed 's/.*: //'
}

@test "distances of patches are in the plane, without what is no patch; by name those of tokens" {
    in_folder
    "$viz" export -m "$vit" --image "$media/rgb.png" -l 0 -o a.npz
    unzip -p a.npz attn.0.npy >a.npy
    "$viz" stats -m "$vit" --image "$media/rgb.png" -l 0 --json \
        --metric basic,local_1,local_2,profile,local_even,token_distance_abs,token_prev >stats
    python3 -c '
import json, math, struct, sys
stats = json.load(open("stats"))
place = [tuple(map(int, t.split(","))) if "," in t else None for t in stats["labels"]]
T = len(place)
patches = [i for i in range(T) if place[i]]
body = open("a.npy", "rb").read()[128:]
a = struct.unpack("<%df" % (len(body) // 4), body)
def mean(x):
    x = list(x)
    return sum(x) / len(x)
def near(got, want, what):
    assert abs(got - want) < 1e-6, (what, got, want)
def apart(i, j):
    return math.dist(place[i], place[j])
for n, h in enumerate(stats["heads"]):
    w = lambda i, j: a[(n * T + i) * T + j]
    near(h["distance_abs"], mean(sum(w(i, j) * apart(i, j) for j in patches) /
                                 sum(w(i, j) for j in patches) for i in patches), "distance_abs")
    assert h["distance"] is None
    for k in 1, 2:
        near(h["local_%d" % k], mean(sum(w(i, j) for j in patches if apart(i, j) <= k)
                                     for i in patches), "local")
    near(h["local_even"], mean(sum(apart(i, j) <= 4 for j in patches) / T for i in patches),
         "local_even")
    right = [i for i in patches if i + 1 in patches and place[i][0] == place[i + 1][0]]
    near(h["prev"], mean(w(i + 1, i) for i in right), "prev")
    near(h["next"], mean(w(i, i + 1) for i in right), "next")
    near(h["profile"][2], mean(w(i, j) for i in patches for j in patches
                               if math.floor(apart(i, j) + 0.5) == 2), "profile")
    near(h["token_prev"], mean(w(i, i - 1) for i in range(1, T)), "token_prev")
    near(h["token_distance_abs"], mean(sum(w(i, j) * abs(i - j) for j in range(T))
                                       for i in range(T)), "token_distance_abs")
'
    # Of a text they are the same.
    "$viz" stats --json --metric all,token_distance,token_distance_abs,token_prev,token_next 'the cat saw' |
        jq -e '.heads | all(.distance == .token_distance and .distance_abs == .token_distance_abs and
                            .prev == .token_prev and .next == .token_next)' > /dev/null
}

@test "a picture of few patches has nothing far, and one of one column no neighbours at its sides" {
    python3 -c 'import numpy' 2>/dev/null || skip "python3 has no NumPy"
    in_folder
    python3 -c '
import numpy
draw = numpy.random.default_rng(1).standard_normal
for name, shape in ("square", (1, 28, 28)), ("column", (1, 160, 4)):
    numpy.save(name + ".npy", draw(shape).astype("f4"))'
    for_picture() {
        "$viz" stats --json -m "$ref/families/dinov2_sizes" --input "$1.npy" --metric "$2"
    }
    for_picture square near,far | jq -e '.heads | all(.near > 0 and (.far | fabs) < 1e-6)'
    for_picture column prev,next,token_prev |
        jq -e '.heads | all(.prev == null and .next == null and .token_prev > 0)'
}

@test "over the picture stand its patches, without the rows that are learnt" {
    in_folder
    cp -r "$ref/families/deit" .
    echo '{"image_processor_type":"ViTImageProcessor","size":{"height":8,"width":12}}' \
        > deit/preprocessor_config.json
    for model in "$vit" deit; do
        works "$viz" heatmap -m "$model" --image "$media/rgb.png" -l 1 -H 0 -o over.svg
        works "$viz" heatmap -m "$model" --image "$media/rgb.png" -l 1 -H 0 --grid -o grid.svg
        learnt=$("$viz" stats -m "$model" --image "$media/rgb.png" --json |
            jq '[.tokens[] | select(startswith("["))] | length')
        numbers over.svg > over
        n=$(wc -l < over)
        numbers grid.svg | head -n $((learnt + n)) | tail -n "$n" | diff - over
        echo "$learnt $n" >> counts
    done
    [ "$(tr '\n' ' ' < counts)" = "1 24 2 6 " ]
}

@test "dinov2: pictures of any size, but for those without a patch; vit and beit: of their own" {
    in_folder
    cp -r "$ref/families/dinov2_swiglu" model
    processor() {
        jq -n "{image_processor_type: \"BitImageProcessor\", do_center_crop: false, size: $1}" \
            >model/preprocessor_config.json
    }
    processor '{height: 16, width: 24}'
    "$viz" stats -m model --image "$media/rgb.png" --json >large.json
    jq -e '(.tokens | length) == 25 and .tokens[-1] == "3,5" and .tokens[6] == "0,5"' large.json
    works "$viz" heatmap -m model --image "$media/rgb.png" -H 0 -o over.svg
    [ "$(numbers over.svg | wc -l)" = 24 ]
    works "$viz" report -m model --image "$media/rgb.png" -o a.html
    processor '{height: 15, width: 12}'
    "$viz" stats -m model --image "$media/rgb.png" --json | jq -e '.tokens | length == 10'
    processor '{height: 3, width: 12}'
    fails 3 "makes it: 3 x 12 pixels, expected 4 x 4 to 65536 x 65536" \
        "$viz" stats -m model --image "$media/rgb.png"
    jq '.image_size = [4,36]' "$ref/families/dinov2_swiglu/config.json" >model/config.json
    processor '{height: 16, width: 24}'
    fails 3 "positions are those of 1 x 9 patches, and only a square of them can be interpolated" \
        "$viz" stats -m model --image "$media/rgb.png"
    cp -r "$ref/families/beit" .
    cp model/preprocessor_config.json beit
    fails 3 "makes it: shape [3,16,24], expected [3,12,12]" \
        "$viz" stats -m beit --image "$media/rgb.png"
}

@test "JPEG, or what a build without it lacks" {
    in_folder
    if has_jpeg; then
        "$viz" stats -m "$vit" --image "$media/cmyk.jpg" --json | jq -e '.tokens | length == 25'
        fails 3 "cut.jpg: is no JPEG that can be read: Premature end" \
            "$viz" stats -m "$vit" --image "$media/bad/cut.jpg"
    else
        fails 4 "rgb.jpg: is a JPEG, and this program was built without libjpeg-turbo" \
            "$viz" stats -m "$vit" --image "$media/rgb.jpg"
    fi
}

@test "pictures that lie, are cut short, or have a kind that is not read" {
    in_folder
    fails 3 "lies.png: claims 30000 x 3000 pixels, which 69 bytes cannot hold" \
        "$viz" stats -m "$vit" --image "$media/bad/lies.png"
    fails 3 "cut.png: is no PNG that can be read: it is cut short" \
        "$viz" stats -m "$vit" --image "$media/bad/cut.png"
    fails 3 "grey16.png: has 16 bits of grey" "$viz" stats -m "$vit" --image "$media/bad/grey16.png"
    fails 3 "no.jpg: is neither a PNG nor a JPEG" \
        "$viz" stats -m "$vit" --image "$media/bad/no.jpg"
    fails 3 "absent.png" "$viz" stats -m "$vit" --image absent.png
}

@test "the processor: in its own file or among all, absent, of another kind, for another model" {
    in_folder
    cp -r "$vit" model
    "$viz" stats -m model --image "$media/rgb.png" --tsv >want
    jq '{image_processor: .}' model/preprocessor_config.json >model/processor_config.json
    rm model/preprocessor_config.json
    "$viz" stats -m model --image "$media/rgb.png" --tsv | diff - want
    echo '{"image_processor":{"size":0}}' >model/processor_config.json
    fails 3 "model/processor_config.json: image_processor: size: found 0" \
        "$viz" stats -m model --image "$media/rgb.png"
    rm model/processor_config.json
    fails 3 "model/preprocessor_config.json: is not there" \
        "$viz" stats -m model --image "$media/rgb.png"
    echo '{"size":32}' >model/preprocessor_config.json
    fails 3 "preprocessor_config.json makes it: shape [3,32,32], expected [3,16,24]" \
        "$viz" stats -m model --image "$media/rgb.png"
    echo '{"image_processor_type":"FlavaImageProcessor"}' >model/preprocessor_config.json
    fails 3 'found "FlavaImageProcessor", expected "ViTImageProcessor"' \
        "$viz" stats -m model --image "$media/rgb.png"
    echo '{' >model/preprocessor_config.json
    fails 3 "model/preprocessor_config.json: " "$viz" stats -m model --image "$media/rgb.png"
}

@test "heatmap: weights over the patches, or the grid" {
    in_folder
    works "$viz" heatmap -m "$vit" --image "$media/rgb.png" -o a.png
    works "$viz" heatmap -m "$vit" --image "$media/rgb.png" --from 1,2 --no-metadata \
        --no-caption -o b.png
    works "$viz" heatmap -m "$vit" --image "$media/rgb.png" --from 9 --no-metadata --no-caption \
        -o c.png
    "$viz" heatmap -m "$vit" --image "$media/rgb.png" -H 0 --grid --term >grid
    refute cmp -s a.png b.png
    cmp b.png c.png
    grep -q "0,5" grid
    refute grep -q "attends to" grid
    works "$viz" heatmap -m "$vit" --image "$media/rgb.png" --rollout -o e.pdf
    "$viz" heatmap -m "$vit" --image "$media/rgb.png" -H 0 --term >term
    [ "$(grep -cE '^([.0-9] ){5}[.0-9] *$' term)" = 4 ]
    tr '\n' ' ' <term | grep -q "what \[CLS\] attends to, patch by patch"
    fails 3 "--from" "$viz" heatmap -m "$vit" --image "$media/rgb.png" --from 25
    "$viz" heatmap -m "$vit" --image "$media/rgb.png" -H 0 --from 1 --grid --term >row
    [ "$(grep -cE '^ *[0-9],[0-9] ' row)" -eq 1 ]
    grep -q "only queries 1" row
    "$viz" heatmap -m "$vit" --image "$media/rgb.png" -H 0 --from 1,2 -o g.svg
    refute grep -q "only queries" g.svg
    fails 2 "--to: keys are the patches that the map lies over: expected --grid" \
        "$viz" heatmap -m "$vit" --image "$media/rgb.png" --to 1
}

# near NAME N: its N numbers are the reference's
near() {
    unzip -p got.npz "$1" | tail -c +129 | od -An -v -w4 -tf4 >got
    unzip -p "$media/expected.npz" "$1" | tail -c +129 | od -An -v -w4 -tf4 >want
    [ "$(wc -l <want)" = "$2" ]
    paste got want | awk '{ d = $1 - $2; if (d > 2e-6 || d < -2e-6) bad = 1 } END { exit bad }'
}

@test "whisper: sound gives the reference's attention, and positions are times" {
    in_folder
    "$viz" export -m "$whisper" --audio "$media/stereo.wav" --decoder-ids 3,10,20,30 -o got.npz
    near cross.0.npy 400
    near cross.1.npy 400
    "$viz" stats -m "$whisper" --audio "$media/at44100.wav" -s encoder --json >heard.json
    jq -e '.tokens[0] == "0.00s" and .tokens[49] == "0.98s"' heard.json
    jq -e '.input | endswith("/at44100.wav")' heard.json
    works "$viz" heatmap -m "$whisper" --audio "$media/voice.wav" -s encoder -o a.svg
    "$viz" stats -m "$whisper" --audio "$media/long.wav" -s encoder --tsv >long.tsv 2>warned
    grep -q "has 1.5 seconds of sound, of which the model hears the first 1" warned
}

@test "heatmap: words over the spectrogram" {
    in_folder
    ids=3,10,20,30
    works "$viz" heatmap -m "$whisper" --audio "$media/at8000.wav" --decoder-ids $ids -o a.png
    works "$viz" heatmap -m "$whisper" --audio "$media/at8000.wav" --decoder-ids $ids --grid -o b.png
    works "$viz" heatmap -m "$whisper" --audio "$media/at8000.wav" --decoder-ids $ids --rollout \
        --grid -s encoder -o c.png
    works "$viz" heatmap -m "$whisper" --audio "$media/at8000.wav" --decoder-ids $ids -o a.svg \
        --width 174mm
    # Six rows of cells more than the map alone.
    [ "$(png_height a.png)" -gt "$(png_height b.png)" ]
    "$viz" heatmap -m "$whisper" --audio "$media/at8000.wav" --decoder-ids $ids --term >term
    refute grep -q spectrogram term
}

@test "sounds whose headers lie, and extractors of something else" {
    in_folder
    hear() { "$viz" stats -m "$whisper" -s encoder --audio "$@"; }
    fails 3 "cut.wav: is cut short: it holds 750 frames, and claims more" hear "$media/bad/cut.wav"
    fails 3 "form.wav: has format 85" hear "$media/bad/form.wav"
    fails 3 "nan.wav: sample 1 is NaN" hear "$media/bad/nan.wav"
    fails 3 "rgb.png: is no .wav" hear "$media/rgb.png"
    cp -r "$whisper" model
    whisper=model
    echo '{"chunk_length":30,"feature_size":20}' >model/preprocessor_config.json
    fails 3 "preprocessor_config.json: features that it makes: shape [20,3000], expected [20,100]" \
        hear "$media/u8.wav"
    echo '{"dither":1}' >model/preprocessor_config.json
    fails 3 "model/preprocessor_config.json: dither: found 1, expected 0" hear "$media/u8.wav"
    fails 2 "reads a text, not sound" "$viz" stats --audio "$media/u8.wav"
    fails 2 "vit reads no sound" "$viz" stats -m "$vit" --audio "$media/u8.wav"
}

@test "wav2vec2, hubert: a .wav, or the samples that its processor makes" {
    in_folder
    python=${PYTHON:-python3}
    cp -r "$ref/families/hubert_base" model
    echo '{"feature_extractor_type":"Wav2Vec2FeatureExtractor","do_normalize":false}' \
        >model/preprocessor_config.json
    # npy WAV FILE NORMALISES
    npy() { "$python" -c "import numpy, sys
x = numpy.frombuffer(open(sys.argv[1], 'rb').read().split(b'data')[1][4:], '<i2') / 32768
x = x.astype('f4')
if sys.argv[3] == '1':
    x = (x - x.mean()) / numpy.sqrt(x.var() + 1e-7)
numpy.save(sys.argv[2], x[None] if sys.argv[3] == '1' else x)" "$@"; }
    "$viz" stats -m model --audio "$media/voice.wav" --json >heard.json
    jq -e '(.tokens | length) > 200 and .tokens[0] == "0.0000s" and .tokens[1] == "0.0004s"' heard.json
    for how in -o\ a.svg "-o a.png" "--grid -o b.png"; do
        # shellcheck disable=SC2086
        works "$viz" heatmap -m model --audio "$media/at8000.wav" -H 0 $how
    done
    works "$viz" heatmap -m model --audio "$media/u8.wav" --term
    "$python" -c 'import numpy' 2>/dev/null || skip "no NumPy"
    npy "$media/voice.wav" raw.npy 0
    "$viz" stats -m model --input raw.npy --json | jq -c .heads >raw
    jq -c .heads heard.json | diff - raw
    echo '{}' >model/preprocessor_config.json
    npy "$media/voice.wav" normal.npy 1
    "$viz" export -m model --input normal.npy -o a.npz
    "$viz" export -m model --audio "$media/voice.wav" -o b.npz
    "$python" -c 'import numpy
a, b = numpy.load("a.npz"), numpy.load("b.npz")
assert numpy.abs(a["attn.1"] - b["attn.1"]).max() < 2e-6'
}

@test "samples that are too few or no numbers, another processor, heads of all layers" {
    in_folder
    cp -r "$ref/families/hubert" model
    hear() { "$viz" stats -m model --audio "$@"; }
    fails 3 "model/preprocessor_config.json: is not there" hear "$media/u8.wav"
    echo '{"sampling_rate":8000}' >model/preprocessor_config.json
    fails 3 "sampling_rate: found 8000, expected" hear "$media/u8.wav"
    echo '{"feature_extractor_type":"WhisperFeatureExtractor"}' >model/preprocessor_config.json
    fails 3 'found "WhisperFeatureExtractor", expected "Wav2Vec2FeatureExtractor"' hear "$media/u8.wav"
    echo '{}' >model/preprocessor_config.json
    printf 'RIFF\060\0\0\0WAVEfmt \020\0\0\0\1\0\1\0\200\076\0\0\0\175\0\0\2\0\020\0' >few.wav
    printf 'data\014\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >>few.wav
    fails 3 "few.wav: 6 samples, of which the convolutions make no row: expected at least 13" \
        hear few.wav
    fails 3 "nan.wav: sample 1 is NaN" hear "$media/bad/nan.wav"
    fails 2 "hubert reads no pictures" "$viz" stats -m "$ref/families/hubert" --image "$media/rgb.png"
    fails 2 "reads no text but an array of shape [T]: expected --audio FILE or --input FILE.npy" \
        "$viz" stats -m model
    jq '.use_weighted_layer_sum = true' "$ref/families/hubert/config.json" >model/config.json
    works "$viz" stats -m model --audio "$media/u8.wav"
    fails 3 "the head of HubertForSequenceClassification with use_weighted_layer_sum is not known" \
        "$viz" export -m model --audio "$media/u8.wav" --logits -o c.npz
}

@test "other families of sound are refused by name" {
    in_folder
    cp -r "$ref/families/wav2vec2" model
    for type in wavlm sew sew-d data2vec-audio unispeech unispeech-sat wav2vec2-conformer; do
        jq ".model_type = \"$type\"" "$ref/families/wav2vec2/config.json" >model/config.json
        fails 3 "model/config.json: model_type: found \"$type\", expected one of the" \
            "$viz" info -m model
    done
    jq '.add_adapter = true' "$ref/families/wav2vec2/config.json" >model/config.json
    fails 3 "add_adapter: found true, expected false or null" "$viz" info -m model
}

@test "what says where rows of samples are" {
    in_folder
    cp -r "$ref/families/wav2vec2" model
    zero_taps() {
        local file=model/model.safetensors n at
        n=$(od -An -tu8 -N8 "$file" | tr -d ' ')
        at=$(tail -c +9 "$file" | head -c "$n" |
            jq -r '.["wav2vec2.encoder.pos_conv_embed.conv.weight_v"].data_offsets[0]')
        dd if=/dev/zero of="$file" bs=1 count=1296 seek=$((8 + n + at)) conv=notrunc status=none
    }
    "$viz" info -m model >info
    grep -q "^input       \[T\] samples, 17 for a position, from each to the next 6" info
    "$viz" info -m model --json | jq -e '.input == [null] and .positions == null'
    zero_taps
    fails 3 "conv.weight_v: the weights of tap 0 are all 0, and cannot be scaled to a size" \
        "$viz" info -m model
    jq '.num_conv_pos_embeddings = 3' "$ref/families/wav2vec2/config.json" >model/config.json
    fails 3 "conv.weight_v: shape [18,9,4], expected [18,9,3]" "$viz" info -m model
    jq '.conv_dim[1] = 6' "$ref/families/wav2vec2/config.json" >model/config.json
    fails 3 "conv_layers.1.conv.weight: shape [7,5,3], expected [6,5,3]" "$viz" info -m model
    cp "$ref/families/wav2vec2/config.json" model
    LC_ALL=C sed -i 's/conv_layers.2.conv.weight/conv_layers.2.cnov.weight/' model/model.safetensors
    fails 3 "conv_layers.2.conv.weight, expected [8,7,2] (convolution of samples, the one numbered 2)" \
        "$viz" info -m model
}

@test "misuse" {
    in_folder
    fails 2 "reads a text, not a picture" "$viz" stats --image "$media/rgb.png"
    fails 2 "reads no pictures" "$viz" stats -m "$ref/seq2seq/whisper" --image "$media/rgb.png"
    fails 2 "an array has no tokens" "$viz" tokens --image "$media/rgb.png"
    fails 2 "is a bare layer and reads no pictures" \
        "$viz" stats -q -m "$ref/layers/vit_stack.safetensors" --heads 2 --image "$media/rgb.png"
    fails 2 "vit reads no TEXT with it" "$viz" stats -m "$vit" --image "$media/rgb.png" text
    fails 2 "expected --image FILE or --input FILE.npy" "$viz" stats -m "$vit"
    fails 2 "only one of them" "$viz" stats -m "$vit" --image a.png --input a.npy
}

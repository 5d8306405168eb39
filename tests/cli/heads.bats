#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# export --logits of classifiers: their labels, what they read, heads that are not known.
# Their numbers are compared in tests/ref/export.c.
# shellcheck disable=SC2154
load helper

# like MODEL CLASS: a copy of it whose config.json names that class; its path
like() {
    mkdir -p "$dir/$2"
    cp "$1/model.safetensors" "$dir/$2"
    jq --arg c "$2" '.architectures = [$c]' "$1/config.json" > "$dir/$2/config.json"
    echo "$dir/$2"
}

# strings FILE ARRAY: its strings, one per line (<U is four bytes a character)
strings_of() {
    unzip -p "$1" "$2.npy" | tail -c +129 | tr -d '\0'
}

shape() {
    unzip -p "$1" "$2.npy" | head -c 128 | grep -ao "([0-9, ]*)"
}

@test "a classifier's labels stand beside its logits" {
    "$viz" export -m "$ref/heads/BertForSequenceClassification" --logits --ids 2,7,3 -o "$dir/a.npz"
    [ "$(shape "$dir/a.npz" logits)" = "(1, 3)" ]
    [ "$(strings_of "$dir/a.npz" labels)" = "bad}Yso so" ]      # U+597D
    "$viz" export -m "$ref/heads/BertForTokenClassification" --logits --ids 2,7,3 -o "$dir/a.npz"
    [ "$(shape "$dir/a.npz" logits)" = "(3, 3)" ]
    "$viz" export -m "$ref/heads/BertForQuestionAnswering" --logits --ids 2,7,3 -o "$dir/a.npz"
    [ "$(strings_of "$dir/a.npz" labels)" = startend ]
    "$viz" export -m "$ref/heads/BertForMultipleChoice" --logits --ids 2,7,3 -o "$dir/a.npz"
    [ "$(shape "$dir/a.npz" logits)" = "(1, 1)" ]
    refute grep -aqF labels.npy "$dir/a.npz"
    # Labels without names have those of the reference library.
    model=$(like "$ref/heads/LlamaForSequenceClassification" LlamaForSequenceClassification)
    jq 'del(.id2label) | .num_labels = 3' "$model/config.json" > "$dir/c"
    mv "$dir/c" "$model/config.json"
    "$viz" export -m "$model" --logits --ids 2,7,3 -o "$dir/a.npz"
    [ "$(strings_of "$dir/a.npz" labels)" = LABEL_0LABEL_1LABEL_2 ]
}

@test "a head that is not known is named, and so are the tensors that are left" {
    bert=$ref/heads/BertForSequenceClassification
    fails 3 "--logits: BertForFoo: the head of BertForFoo is not known (tensors that are not used: bert.pooler.dense.bias, bert.pooler.dense.weight, classifier.bias, classifier.weight)" \
        "$viz" export -m "$(like "$bert" BertForFoo)" --logits --ids 2,3 -o "$dir/a.npz"
    works "$viz" stats -m "$dir/BertForFoo" --ids 2,3
    fails 3 "BertForQuestionAnswering: has no head of BertForQuestionAnswering, expected one of the tensors qa_outputs (tensors" \
        "$viz" export -m "$(like "$bert" BertForQuestionAnswering)" --logits --ids 2,3 -o "$dir/a.npz"
    # Means over patches are of pictures: here the first row is what is classified.
    works "$viz" export -m "$(like "$bert" Dinov2ForImageClassification)" --logits --ids 2,3 -o "$dir/a.npz"
    rm "$dir/a.npz"
    # Without a class, nothing says whether it is for the text or for its tokens.
    fails 3 "BertModel: the head classifier.weight is not known: expected its class under architectures" \
        "$viz" export -m "$(like "$bert" BertModel)" --logits --ids 2,3 -o "$dir/a.npz"
    # A tied head predicts tokens only where the class says so.
    fails 3 "the head of GPT2ForFoo is not known" "$viz" export --logits --ids 2,3 -o "$dir/a.npz" \
        -m "$(like "$ref/heads/GPT2ForSequenceClassification" GPT2ForFoo)"
    jq '.use_weighted_layer_sum = true' "$ref/heads/WhisperForAudioClassification/config.json" > "$dir/c"
    model=$(like "$ref/heads/WhisperForAudioClassification" WhisperForAudioClassification)
    mv "$dir/c" "$model/config.json"
    fails 3 "the head of WhisperForAudioClassification with use_weighted_layer_sum is not known" \
        "$viz" export -m "$model" --logits --input "$ref/heads/WhisperForAudioClassification.npy" -o "$dir/a.npz"
    [ ! -e "$dir/a.npz" ]
}

@test "the head's tensors must have the shapes that the labels ask for" {
    model=$(like "$ref/heads/BertForSequenceClassification" BertForSequenceClassification)
    jq '.id2label = {"0": "a", "1": "b"}' "$model/config.json" > "$dir/c"
    mv "$dir/c" "$model/config.json"
    fails 3 "classifier.weight: shape [3,8], expected [2,8]: config.json has 2 labels (id2label, num_labels)" "$viz" stats -m "$model" --ids 2,3
}

@test "an encoder-decoder's classifier reads the text once more" {
    bart=$ref/heads/BartForSequenceClassification
    "$viz" export --no-metadata -m "$bart" --logits --ids 2,7,9,3 -o "$dir/a.npz"
    "$viz" export --no-metadata -m "$bart" --logits --ids 2,7,9,3 --decoder-ids 3,2,7,9 -o "$dir/b.npz"
    cmp "$dir/a.npz" "$dir/b.npz"
    "$viz" export --no-metadata -m "$bart" --ids 2,7,9,3 -o "$dir/a.npz"
    unzip -Z1 "$dir/a.npz" | grep -qx cross.0.npy
    fails 3 "the text has no end token (id 3)" "$viz" export --no-metadata -m "$bart" --logits --ids 2,7 -o "$dir/a.npz"
    fails 3 "the decoder has 2 tokens, expected the 4 of the text" \
        "$viz" export --no-metadata -m "$bart" --logits --ids 2,7,9,3 --decoder-ids 3,2 -o "$dir/a.npz"
    # Without a start token the last token goes first.
    mbart=$ref/heads/MBartForSequenceClassification
    "$viz" export --no-metadata -m "$mbart" --ids 2,7,9,3 --logits -o "$dir/a.npz"
    "$viz" export --no-metadata -m "$mbart" --ids 2,7,9,3 --decoder-ids 3,2,7,9 --logits -o "$dir/b.npz"
    cmp "$dir/a.npz" "$dir/b.npz"
}

@test "a classifier does not continue a text" {
    for class in LlamaForSequenceClassification BartForSequenceClassification; do
        fails 2 "does not predict the next token" \
            "$viz" stats -m "$ref/heads/$class" --generate 2 --ids 2,3
    done
}

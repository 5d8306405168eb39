#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a release says of itself.
# bats file_tags=once

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || exit 1
    git rev-parse -q --verify HEAD >/dev/null 2>&1 || skip "not a git checkout"
    command -v python3 >/dev/null || skip "no python3"
    dir=$(mktemp -d)
}

teardown() {
    rm -rf "$dir"
}

@test "the SBOM names every file of the commit with its checksum, and the libraries" {
    TZ=Asia/Tokyo assets/packaging/sbom 0.1.0 > "$dir/one"
    TZ=America/Lima assets/packaging/sbom 0.1.0 > "$dir/two"
    cmp "$dir/one" "$dir/two"
    git ls-tree -rz --name-only HEAD | tr '\0' '\n' | sort > "$dir/files"
    jq -r '.files[].fileName[2:]' "$dir/one" | sort | cmp - "$dir/files"
    sum=$(git show HEAD:src/main.c | sha256sum)
    [ "$(jq -r '.files[] | select(.fileName == "./src/main.c").checksums[1].checksumValue' "$dir/one")" = "${sum%% *}" ]
    jq -e '[.packages[].name] | contains(["mha-viz", "cairo", "pangocairo", "libpng", "zlib"])' "$dir/one"
    jq -e '[.files[], .packages[]] | all(.licenseConcluded | test("^[A-Z]"))' "$dir/one"
    # Each end of a relationship exists
    jq -e '([.files[].SPDXID, .packages[].SPDXID, .SPDXID]) as $ids | [.relationships[] | .spdxElementId, .relatedSpdxElement] - $ids == []' "$dir/one"
    # The validator of the format's makers, where it is
    if command -v pyspdxtools >/dev/null; then
        cp "$dir/one" "$dir/one.spdx.json"
        pyspdxtools -i "$dir/one.spdx.json"
    fi
}

@test "packages: the symbols of the library are those of its header" {
    sed -nE 's/^.*[ *](mhaviz_[a-z_]+)\(.*$/\1/p' src/mhaviz.h | grep -v '^mhaviz_metric_' | sort -u > "$dir/header"
    sed -nE 's/^ (mhaviz_[a-z_]+)@Base .*/\1/p' assets/packaging/debian/libmhaviz0.symbols | sort > "$dir/symbols"
    diff "$dir/header" "$dir/symbols"
}

@test "packages: the version is that of the program" {
    number=$(sed -n 's/^VERSION := //p' Makefile)
    [[ "$(head -n 1 assets/packaging/debian/changelog)" == "mha-viz ($number-"* ]]
}

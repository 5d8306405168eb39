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

@test "the SBOM has what was built of the commit, for each architecture" {
    echo one > "$dir/libmhaviz0_0.1.0-1_amd64.deb"
    echo two > "$dir/libmhaviz0_0.1.0-1_arm64.deb"
    echo three > "$dir/mha_viz-0.1.0-py3-none-manylinux_2_35_aarch64.whl"
    assets/packaging/sbom 0.1.0 "$dir"/*.deb "$dir"/*.whl > "$dir/sbom"
    for file in "$dir"/*.deb "$dir"/*.whl; do
        sum=$(sha256sum < "$file")
        [ "$(jq -r --arg name "$(basename "$file")" '. as $all | .packages[] | select(.packageFileName == $name) |
             .SPDXID as $id | ($all.relationships[] | select(.spdxElementId == $id).relationshipType) +
             " " + .checksums[0].checksumValue' "$dir/sbom")" = "GENERATED_FROM ${sum%% *}" ]
    done
    jq -e '[.packages[].SPDXID] | unique == sort' "$dir/sbom"
    jq -e '[.packages[] | select(.packageFileName).name] == ["libmhaviz0", "libmhaviz0", "mha_viz"]' "$dir/sbom"
    if command -v pyspdxtools >/dev/null; then
        mv "$dir/sbom" "$dir/sbom.spdx.json"
        pyspdxtools -i "$dir/sbom.spdx.json"
    fi
}

@test "without dpkg a release has the sources, and says what is left out" {
    git clone -q . "$dir/tree"
    mkdir "$dir/bin"
    # No such program; and nothing is built
    printf '#!/bin/sh\nexit 127\n' > "$dir/bin/dpkg"
    printf '#!/bin/sh\necho "make live: nothing was built: no clang" >&2\nexit 2\n' > "$dir/bin/make"
    chmod +x "$dir"/bin/*
    cd "$dir/tree"
    PATH=$dir/bin:$PATH assets/packaging/release 0.1.0 "$dir/out" 2> "$dir/said"
    cat "$dir/said"
    grep -x "make release: no packages and no wheels: dpkg is missing" "$dir/said"
    grep -x "make release: without the live page: make live: nothing was built: no clang" "$dir/said"
    [ "$(wc -l < "$dir/said")" -eq 2 ]
    ls "$dir/out" | diff - <(printf '%s\n' SHA256SUMS mha-viz-0.1.0.spdx.json mha-viz-0.1.0.tar.gz)
    cd "$dir/out"
    sha256sum -c --status SHA256SUMS
}

@test "a user's RUN runs nothing of the build" {
    RUN=/nowhere/run make -n install | tee "$dir/said"
    [ "$(grep -c /nowhere "$dir/said")" -eq 0 ]
    make -n install RUN=/nowhere/run | grep -q '/nowhere/run ./mha-viz completion'
}

@test "packages: the folder of roots may be relative" {
    . assets/packaging/roots
    [ "$(MHA_VIZ_ROOTS=a/../b roots build/root)" = "$PWD/b" ]
    [ "$(MHA_VIZ_ROOTS=/a roots build/root)" = /a ]
    [ "$(unset MHA_VIZ_ROOTS; roots build/root)" = "$PWD/build/root" ]
}

@test "packages: the symbols of the library are those of its header" {
    sed -nE 's/^.*[ *](mhaviz_[a-z_]+)\(.*$/\1/p' src/mhaviz.h | sort -u > "$dir/header"
    sed -nE 's/^ (mhaviz_[a-z_]+)@Base .*/\1/p' assets/packaging/debian/libmhaviz0.symbols | sort > "$dir/symbols"
    diff "$dir/header" "$dir/symbols"
}

@test "packages: the version is that of the program" {
    number=$(sed -n 's/^VERSION := //p' Makefile)
    [[ "$(head -n 1 assets/packaging/debian/changelog)" == "mha-viz ($number-"* ]]
}

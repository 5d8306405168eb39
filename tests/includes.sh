#!/bin/sh
# SPDX-License-Identifier: MIT
# Includes go one way: each folder of src/ may include itself, base/ and the folders
# whose data it takes.  Prints a line for every other arrow and fails.
cd "$(dirname "$0")/.." || exit 1
grep -rnE '^[[:space:]]*#[[:space:]]*include' src --include='*.[chS]' --include='*.def' | awk '
BEGIN {
    may["weights"] = may["nn"] = may["draw"] = may["media"] = may["report"] = " base "
    may["text"] = " base weights "
    may["model"] = " base weights nn "
    may["run"] = " base weights model nn "
    may["analysis"] = " base run "
    may["session"] = " base weights media text model nn run analysis "
    may["cli"] = " base "
    may["gold"] = " base text run analysis session "
    may["task"] = " base weights media text model nn run analysis session gold draw report cli "
    may["lib"] = may["task"] " task mhaviz.h "
    may["cmd"] = may["task"] " task "
    may["module"] = may["cmd"] " cmd "
    may["main.c"] = " base cli cmd "
    may["watch.c"] = " base "
}
{
    split($0, at, ":")
    split(at[1], path, "/")
    from = path[2]
    if ($0 ~ /<(cairo|pango)/ && from != "draw") {
        print at[1] ":" at[2] ": only draw/ includes cairo and pango"
        bad = 1
    }
    if ($0 ~ /<png/ && from != "draw" && from != "media") {
        print at[1] ":" at[2] ": only draw/ and media/ include libpng"
        bad = 1
    }
    if ($0 ~ /<jpeg/ && from != "media") {
        print at[1] ":" at[2] ": only media/ includes libjpeg-turbo"
        bad = 1
    }
    if (!match($0, /"[^"]*"/))
        next
    to = substr($0, RSTART + 1, RLENGTH - 2)
    folder = to
    sub("/.*", "", folder)
    if (folder != from && index(may[from], " " folder " ") == 0) {
        print at[1] ":" at[2] ": " from " may not include " to
        bad = 1
    }
}
END { exit bad }'

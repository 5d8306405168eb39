#!/bin/bash
# SPDX-License-Identifier: MIT
# Where a build has sanitisers, they stop a program that is wrong: each of these is built with
# the flags of the build folder, and must not come to its end.
# file_tags=threads
cd "$(dirname "$0")/.." || exit 1
flags=$(<"${MHA_VIZ_BUILD:-build}/flags")
case $flags in
*-fsanitize=address,undefined*) kinds="table index overflow heap leak" ;;
*-fsanitize=thread*) kinds="threads" ;;
*) echo "skipped: this build has no sanitisers"; exit 77 ;;
esac
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cat > "$dir/wrong.c" <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct row {
    int field;
    const char *name[2];        /* at the end of a struct */
};

static const struct row rows[] = { { 1, { "a", "b" } }, { 0, { "c" } } };

/* One more than there are, where i is 1 */
static int outside(int i)
{
    const struct row *row = &rows[i - 1];
    int n = 0;

    while (n < 2 + i && row->name[n] != NULL)
        n++;
    return n;
}

static int behind(int i)
{
    static volatile int numbers[2];

    return numbers[i + 1];
}

static int on_heap(int i)
{
    volatile char *p = malloc((size_t)i);

    return p[i];
}

static int lost(int i)
{
    char *volatile p = malloc((size_t)i);

    p = NULL;
    return p == NULL;
}

static int shared;

static void *add(void *self)
{
    (void)self;
    for (int i = 0; i < 100000; i++)
        shared++;
    return NULL;
}

static int in_threads(void)
{
    pthread_t t;

    pthread_create(&t, NULL, add, NULL);
    add(NULL);
    pthread_join(t, NULL);
    return shared;
}

int main(int argc, char **argv)
{
    int result = 0;

    switch (argv[1][0]) {
    case 't': result = argv[1][1] == 'a' ? outside(argc - 1) : in_threads(); break;
    case 'i': result = behind(argc - 1); break;
    case 'o': result = 2147483646 + argc; break;
    case 'h': result = on_heap(argc - 1); break;
    case 'l': result = lost(argc - 1); break;
    default: break;
    }
    printf("%d\n", result);
    return 0;
}
EOF
eval "$flags -w -o $dir/wrong $dir/wrong.c -pthread" || exit 1

n=0 bad=0
"$dir/wrong" none >"$dir/out" 2>&1 || { cat "$dir/out"; exit 1; }
for kind in $kinds; do
    n=$((n + 1))
    if "$dir/wrong" "$kind" >"$dir/out" 2>&1; then
        echo "not ok $n - $kind: came to its end, as if nothing were wrong"
        bad=1
    else
        echo "ok $n - $kind: $(grep -Eo '(runtime error|ERROR|WARNING): .*' "$dir/out" | head -n 1)"
    fi
done
echo "1..$n"
[ "$bad" -eq 0 ]

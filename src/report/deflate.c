/* SPDX-License-Identifier: MIT
 * Bytes -> literals and runs -> a deflate stream. */
#include "report/deflate.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

/* A token is a byte, or RUN and how many more than MIN_RUN times the byte before comes again. */
enum { MIN_RUN = 3, MAX_RUN = 258, RUN = 256, N_TOKEN = RUN + MAX_RUN - MIN_RUN + 1 };

/* The symbols of RFC 1951: of tokens, and of the lengths of those symbols' codes. */
enum { END = 256, N_SYMBOL = 286, SYMBOL_BITS = 15 };
enum { AGAIN = 16, ZEROS, MANY_ZEROS, N_LENGTH, LENGTH_BITS = 7 };

enum { STORED, CODED = 2 };             /* a block's type */

struct word {
    uint32_t bits;                      /* the first one lowest */
    int n;
};

/* How the lengths of a block's codes are written. */
struct lengths {
    unsigned char symbol[N_SYMBOL + 1];
    unsigned char more[N_SYMBOL + 1];   /* what follows a symbol of a run */
    int n;
    int n_symbols;                      /* of tokens, without unused ones at the end */
    int n_ordered;                      /* likewise, of lengths in their order */
    struct word word[N_LENGTH];
};

struct bits {
    unsigned char *at;
    uint64_t bits;
    int n;                              /* under 32 */
};

struct deflater {
    struct bits out;
    uint16_t token[DEFLATE_BLOCK];
    int n_tokens;
    uint32_t count[N_TOKEN];
    struct word word[N_TOKEN], end;
    struct lengths lengths;
};

uint64_t deflate_bound(uint64_t n)
{
    return n + (n / DEFLATE_BLOCK + 2) * 6;
}

/* ---- bits ---- */

static inline void deflate_put(struct bits *bits, struct word w)
{
    bits->bits |= (uint64_t)w.bits << bits->n;
    bits->n += w.n;
    if (bits->n >= 32) {
        bytes_put(bits->at, bits->bits, 4);
        bits->at += 4;
        bits->bits >>= 32;
        bits->n -= 32;
    }
}

static void put_number(struct bits *bits, int v, int n)
{
    deflate_put(bits, (struct word){ (uint32_t)v, n });
}

static void put_stored(struct bits *bits, const unsigned char *p, int n, bool last)
{
    put_number(bits, last | STORED << 1, 3);
    for (; bits->n > 0; bits->n = bits->n > 8 ? bits->n - 8 : 0, bits->bits >>= 8)
        *bits->at++ = (unsigned char)bits->bits;
    bytes_put(bits->at, (uint64_t)n | (uint64_t)(n ^ 0xffff) << 16, 4);
    if (n > 0)
        memcpy(bits->at + 4, p, (size_t)n);
    bits->at += n + 4;
}

/* ---- tokens ---- */

static int run_of(const unsigned char *p, int n, unsigned char byte)
{
    int run = 0;

    n = n < MAX_RUN ? n : MAX_RUN;
    while (run < n && p[run] == byte)
        run++;
    return run;
}

static void deflate_split(struct deflater *deflater, const unsigned char *p, int n)
{
    uint16_t *token = deflater->token;
    int run;

    memset(deflater->count, 0, sizeof deflater->count);
    for (int i = 0; i < n; ) {
        unsigned char byte = p[i++];

        deflater->count[*token++ = byte]++;
        while ((run = run_of(p + i, n - i, byte)) >= MIN_RUN) {
            deflater->count[*token++ = (uint16_t)(RUN + run - MIN_RUN)]++;
            i += run;
        }
    }
    deflater->n_tokens = (int)(token - deflater->token);
}

/* Of a token that is a run: its symbol, and the bits that follow the symbol's code. */
static int symbol_of_run(int token, struct word *more)
{
    int v = token - RUN, n = 0;

    *more = (struct word){ 0, 0 };
    if (token == N_TOKEN - 1)
        return N_SYMBOL - 1;
    while (v >> n >= 8)
        n++;
    *more = (struct word){ (uint32_t)(v & ((1 << n) - 1)), n };
    return END + 1 + 4 * n + (v >> n);
}

/* ---- Huffman codes ---- */

struct tree {
    uint32_t weight[2 * N_SYMBOL];      /* leaves in order, then what joins two */
    int parent[2 * N_SYMBOL], depth[2 * N_SYMBOL];
    int n;                              /* leaves */
};

static int compare_keys(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* The lighter of the next leaf and the next of what was joined, from the order of both. */
static int take_lightest(const struct tree *tree, int *leaf, int *joined, int end)
{
    if (*leaf < tree->n && (*joined == end || tree->weight[*leaf] <= tree->weight[*joined]))
        return (*leaf)++;
    return (*joined)++;
}

/* Returns the depth of the deepest leaf. */
static int deflate_grow(struct tree *tree)
{
    int root = 2 * tree->n - 2, leaf = 0, joined = tree->n, most = 0;

    for (int i = tree->n; i <= root; i++) {
        int a = take_lightest(tree, &leaf, &joined, i), b = take_lightest(tree, &leaf, &joined, i);

        tree->weight[i] = tree->weight[a] + tree->weight[b];
        tree->parent[a] = tree->parent[b] = i;
    }
    tree->depth[root] = 0;
    for (int i = root - 1; i >= 0; i--) {
        tree->depth[i] = tree->depth[tree->parent[i]] + 1;
        most = i < tree->n && tree->depth[i] > most ? tree->depth[i] : most;
    }
    return most;
}

/*
 * How many bits the code of each of n symbols has, at most `most`, by how often it comes; 0 where
 * it never does.  At least two do.  Where codes would be longer, weights are made more alike.
 */
static void find_lengths(unsigned char *length, const uint32_t *count, int n, int most)
{
    uint32_t key[N_SYMBOL];
    struct tree t = { .n = 0 };

    for (int i = 0; i < n; i++)
        if (count[i] > 0)
            key[t.n++] = count[i] << 9 | (uint32_t)i;
    qsort(key, (size_t)t.n, sizeof *key, compare_keys);
    for (int i = 0; i < t.n; i++)
        t.weight[i] = key[i] >> 9;
    while (deflate_grow(&t) > most)
        for (int i = 0; i < t.n; i++)
            t.weight[i] = (t.weight[i] + 1) / 2;
    memset(length, 0, (size_t)n);
    for (int i = 0; i < t.n; i++)
        length[key[i] & 511] = (unsigned char)t.depth[i];
}

static uint32_t turned(uint32_t bits, int n)
{
    uint32_t v = 0;

    for (int i = 0; i < n; i++)
        v |= (bits >> i & 1) << (n - 1 - i);
    return v;
}

/* Codes of one length follow one another, after those of the shorter ones. */
static void find_words(struct word *word, const unsigned char *length, int n)
{
    uint32_t next[SYMBOL_BITS + 2] = { 0 };

    for (int i = 0; i < n; i++)
        next[length[i] + 1]++;
    next[1] = 0;
    for (int k = 2; k <= SYMBOL_BITS; k++)
        next[k] = (next[k] + next[k - 1]) << 1;
    for (int i = 0; i < n; i++)
        word[i] = (struct word){ length[i] > 0 ? turned(next[length[i]]++, length[i]) : 0,
                                 length[i] };
}

/* ---- a block ---- */

static void add_length(struct lengths *lengths, int symbol, int more)
{
    lengths->symbol[lengths->n] = (unsigned char)symbol;
    lengths->more[lengths->n++] = (unsigned char)more;
}

/* n times the same length. */
static void add_lengths(struct lengths *lengths, int length, int n)
{
    for (; length == 0 && n >= 11; n -= n < 138 ? n : 138)
        add_length(lengths, MANY_ZEROS, (n < 138 ? n : 138) - 11);
    if (length == 0 && n >= 3) {
        add_length(lengths, ZEROS, n - 3);
        n = 0;
    }
    if (n > 0) {
        add_length(lengths, length, 0);
        n--;
    }
    for (; length > 0 && n >= 3; n -= n < 6 ? n : 6)
        add_length(lengths, AGAIN, (n < 6 ? n : 6) - 3);
    for (; n > 0; n--)
        add_length(lengths, length, 0);
}

static const unsigned char length_order[N_LENGTH] = {
    AGAIN, ZEROS, MANY_ZEROS, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15
};

static int more_bits(int symbol)
{
    return symbol == AGAIN ? 2 : symbol == ZEROS ? 3 : symbol == MANY_ZEROS ? 7 : 0;
}

/* The lengths of the symbols' codes, and 1 for the one distance that there is; returns bits. */
static uint64_t shorten(struct lengths *lengths, unsigned char *length)
{
    unsigned char of_lengths[N_LENGTH];
    uint32_t count[N_LENGTH] = { 0 };
    uint64_t bits = 5 + 5 + 4;
    int n = N_SYMBOL, end;

    while (length[n - 1] == 0)
        n--;
    lengths->n_symbols = n;
    length[n++] = 1;
    lengths->n = 0;
    for (int i = 0; i < n; i = end) {
        for (end = i; end < n && length[end] == length[i]; end++)
            ;
        add_lengths(lengths, length[i], end - i);
    }
    for (int i = 0; i < lengths->n; i++)
        count[lengths->symbol[i]]++;
    find_lengths(of_lengths, count, N_LENGTH, LENGTH_BITS);
    find_words(lengths->word, of_lengths, N_LENGTH);
    for (lengths->n_ordered = N_LENGTH; of_lengths[length_order[lengths->n_ordered - 1]] == 0; )
        lengths->n_ordered--;
    for (int i = 0; i < N_LENGTH; i++)
        bits += count[i] * (uint64_t)(of_lengths[i] + more_bits(i));
    return bits + 3 * (uint64_t)lengths->n_ordered;
}

/* The words of all tokens; returns the bits of the block. */
static uint64_t plan(struct deflater *deflater)
{
    unsigned char length[N_SYMBOL + 1];
    struct word word[N_SYMBOL], more;
    uint32_t count[N_SYMBOL] = { [END] = 1 };
    uint64_t bits = 3;

    for (int i = 0; i < N_TOKEN; i++)
        count[i < RUN ? i : symbol_of_run(i, &more)] += deflater->count[i];
    find_lengths(length, count, N_SYMBOL, SYMBOL_BITS);
    find_words(word, length, N_SYMBOL);
    bits += shorten(&deflater->lengths, length);
    for (int i = 0; i < RUN; i++)
        deflater->word[i] = word[i];
    for (int i = RUN; i < N_TOKEN; i++) {
        struct word w = word[symbol_of_run(i, &more)];

        deflater->word[i] = (struct word){ w.bits | more.bits << w.n, w.n + more.n + 1 };
    }
    deflater->end = word[END];
    for (int i = 0; i < N_TOKEN; i++)
        bits += (uint64_t)deflater->count[i] * (uint64_t)deflater->word[i].n;
    return bits + (uint64_t)deflater->end.n;
}

static void put_lengths(struct bits *bits, const struct lengths *lengths)
{
    put_number(bits, lengths->n_symbols - END - 1, 5);
    put_number(bits, 0, 5);                /* one distance */
    put_number(bits, lengths->n_ordered - 4, 4);
    for (int i = 0; i < lengths->n_ordered; i++)
        put_number(bits, lengths->word[length_order[i]].n, 3);
    for (int i = 0; i < lengths->n; i++) {
        deflate_put(bits, lengths->word[lengths->symbol[i]]);
        put_number(bits, lengths->more[i], more_bits(lengths->symbol[i]));
    }
}

/* Stored where codes would make it longer. */
static void put_block(struct deflater *deflater, const unsigned char *p, int n)
{
    struct bits out = deflater->out;           /* in registers */

    deflate_split(deflater, p, n);
    if (plan(deflater) >= ((uint64_t)n + 5) * 8) {
        put_stored(&deflater->out, p, n, false);
        return;
    }
    put_number(&out, CODED << 1, 3);
    put_lengths(&out, &deflater->lengths);
    for (int i = 0; i < deflater->n_tokens; i++)
        deflate_put(&out, deflater->word[deflater->token[i]]);
    deflate_put(&out, deflater->end);
    deflater->out = out;
}

size_t deflate_runs(unsigned char *out, const void *data, size_t n, bool last,
                    struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    struct deflater *d = arena_alloc(scratch, 1, sizeof *d);
    const unsigned char *p = data;
    size_t size;

    d->out.at = out;
    for (size_t part; n > 0; p += part, n -= part) {
        part = n < DEFLATE_BLOCK ? n : DEFLATE_BLOCK;
        put_block(d, p, (int)part);
    }
    put_stored(&d->out, NULL, 0, last);
    size = (size_t)(d->out.at - out);
    arena_reset(scratch, mark);
    return size;
}

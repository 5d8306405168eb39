/* SPDX-License-Identifier: MIT
 * Script, style and packed blocks -> a page. */
#include "report/page.h"

#include <string.h>

#include "base/base64.h"
#include "base/sha256.h"
#include "report/page_files.h"

static void write_hash(FILE *f, const char *what, const char *from, const char *to)
{
    unsigned char digest[SHA256_SIZE];

    sha256_of(digest, from, (size_t)(to - from));
    fprintf(f, "; %s 'sha256-", what);
    base64_write(f, digest, sizeof digest);
    putc('\'', f);
}

/* The script and style of a page. */
struct look {
    const char *script, *script_end, *style, *style_end;
};

static const struct look looks[] = {
    { page_script, page_script_end, page_style, page_style_end },
    { live_script, live_script_end, live_style, live_style_end },
};

static void write_policy(FILE *f, const struct look *look, bool live)
{
    fputs("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'", f);
    write_hash(f, "script-src", look->script, look->script_end);
    if (live)
        fputs(" 'wasm-unsafe-eval'; worker-src blob:", f);
    write_hash(f, "style-src", look->style, look->style_end);
    fputs("; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n", f);
}

/* Text between tags; in_quotes: between quotes. */
static void page_write_text(FILE *f, const char *text, bool in_quotes)
{
    for (; *text != '\0'; text++)
        if (*text == '<')
            fputs("&lt;", f);
        else if (*text == '>')
            fputs("&gt;", f);
        else if (*text == '&')
            fputs("&amp;", f);
        else if (*text == '"' && in_quotes)
            fputs("&quot;", f);
        else
            putc(*text, f);
}

static void write_file(FILE *f, const char *tag, const char *from, const char *to)
{
    fprintf(f, "<%s>", tag);
    fwrite(from, 1, (size_t)(to - from), f);
    fprintf(f, "</%s>\n", tag);
}

/* As pictures name them, but that HTML has a name of its own for a program. */
static void write_run(FILE *f, const struct provenance *run, struct arena *a)
{
    struct provenance_pair pair[PROVENANCE_PAIRS];
    int n = provenance_pairs(run, a, pair);

    for (int i = 0; i < n; i++) {
        fprintf(f, "<meta name=\"%s\" content=\"",
                strcmp(pair[i].key, "Software") == 0 ? "generator" : pair[i].key);
        page_write_text(f, pair[i].value, true);
        fputs("\">\n", f);
    }
}

void page_begin(FILE *f, const char *title, bool live, const struct provenance *run,
                struct arena *a)
{
    const struct look *look = &looks[live];

    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", f);
    write_policy(f, look, live);
    fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n", f);
    if (run != NULL)
        write_run(f, run, a);
    fputs("<title>", f);
    page_write_text(f, title, false);
    fputs("</title>\n", f);
    write_file(f, "style", look->style, look->style_end);
    fputs("</head>\n<body>\n<noscript>This page is drawn by JavaScript, which is turned off in "
          "this browser.</noscript>\n", f);
    write_file(f, "script", look->script, look->script_end);
}

static void write_block(FILE *f, char kind, int text, int block, const struct packed *bytes)
{
    fprintf(f, "<script type=\"text/plain\" id=\"%c%d", kind, text);
    if (block >= 0)
        fprintf(f, "-%d", block);
    fputs("\">", f);
    pack_write(bytes, f);
    fputs("</script>\n", f);
}

void page_text(FILE *f, int text, const struct packed *json)
{
    write_block(f, 't', text, -1, json);
}

void page_weights(FILE *f, int text, int block, const struct packed *weights)
{
    write_block(f, 'w', text, block, weights);
}

void page_vectors(FILE *f, int text, int block, const struct packed *vectors)
{
    write_block(f, 'v', text, block, vectors);
}

void page_picture(FILE *f, int text, const struct packed *rgb)
{
    write_block(f, 'p', text, 0, rgb);
}

/* ---- of a live page ---- */

bool page_has_module(void)
{
    return page_module_bytes().size > 0;
}

struct span page_module_bytes(void)
{
    return (struct span){ (const unsigned char *)page_module_begin,
                          (size_t)(page_module_end - page_module_begin) };
}

static void begin_block(FILE *f, const char *id)
{
    fprintf(f, "<script type=\"text/plain\" id=\"%s\">", id);
}

static void end_block(FILE *f)
{
    fputs("</script>\n", f);
}

void page_module(FILE *f, const struct packed *module)
{
    begin_block(f, "worker");
    base64_write(f, live_worker, (size_t)(live_worker_end - live_worker));
    end_block(f);
    begin_block(f, "module");
    pack_write(module, f);
    end_block(f);
}

void page_live(FILE *f, const struct packed *json)
{
    begin_block(f, "live");
    pack_write(json, f);
    end_block(f);
}

void page_piece(FILE *f, int file, int piece, const struct packed *packed, const void *bytes,
                size_t n)
{
    fprintf(f, "<script type=\"text/plain\" id=\"f%d-%d\">", file, piece);
    if (packed != NULL)
        pack_write(packed, f);
    else
        base64_write(f, bytes, n);
    end_block(f);
}

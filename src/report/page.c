/* SPDX-License-Identifier: MIT
 * Script, style and packed blocks -> a page. */
#include "report/page.h"

#include <string.h>

#include "base/base64.h"
#include "base/sha256.h"
#include "report/page_files.h"

static void write_hash(FILE *file, const char *what, const char *from, const char *to)
{
    unsigned char digest[SHA256_SIZE];

    sha256_of(digest, from, (size_t)(to - from));
    fprintf(file, "; %s 'sha256-", what);
    base64_write(file, digest, sizeof digest);
    putc('\'', file);
}

/* The script and style of a page. */
struct look {
    const char *script, *script_end, *style, *style_end;
};

static const struct look looks[] = {
    { page_script, page_script_end, page_style, page_style_end },
    { live_script, live_script_end, live_style, live_style_end },
};

static void write_policy(FILE *file, const struct look *look, bool live)
{
    fputs("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'", file);
    write_hash(file, "script-src", look->script, look->script_end);
    if (live)
        fputs(" 'wasm-unsafe-eval'; worker-src blob:", file);
    write_hash(file, "style-src", look->style, look->style_end);
    fputs("; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n", file);
}

/* Text between tags; in_quotes: between quotes. */
static void page_write_text(FILE *file, const char *text, bool in_quotes)
{
    for (; *text != '\0'; text++)
        if (*text == '<')
            fputs("&lt;", file);
        else if (*text == '>')
            fputs("&gt;", file);
        else if (*text == '&')
            fputs("&amp;", file);
        else if (*text == '"' && in_quotes)
            fputs("&quot;", file);
        else
            putc(*text, file);
}

static void write_file(FILE *file, const char *tag, const char *from, const char *to)
{
    fprintf(file, "<%s>", tag);
    fwrite(from, 1, (size_t)(to - from), file);
    fprintf(file, "</%s>\n", tag);
}

/* As pictures name them, but that HTML has a name of its own for a program. */
static void write_run(FILE *file, const struct provenance *run, struct arena *a)
{
    struct provenance_pair pair[PROVENANCE_PAIRS];
    int n = provenance_pairs(run, a, pair);

    for (int i = 0; i < n; i++) {
        fprintf(file, "<meta name=\"%s\" content=\"",
                strcmp(pair[i].key, "Software") == 0 ? "generator" : pair[i].key);
        page_write_text(file, pair[i].value, true);
        fputs("\">\n", file);
    }
}

void page_begin(FILE *file, const char *title, bool live, const struct provenance *run,
                struct arena *a)
{
    const struct look *look = &looks[live];

    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", file);
    write_policy(file, look, live);
    fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n", file);
    if (run != NULL)
        write_run(file, run, a);
    fputs("<title>", file);
    page_write_text(file, title, false);
    fputs("</title>\n", file);
    write_file(file, "style", look->style, look->style_end);
    fputs("</head>\n<body>\n<noscript>This page is drawn by JavaScript, which is turned off in "
          "this browser.</noscript>\n", file);
    write_file(file, "script", look->script, look->script_end);
}

static void write_block(FILE *file, char kind, int text, int block, const struct packed *bytes)
{
    fprintf(file, "<script type=\"text/plain\" id=\"%c%d", kind, text);
    if (block >= 0)
        fprintf(file, "-%d", block);
    fputs("\">", file);
    pack_write(bytes, file);
    fputs("</script>\n", file);
}

void page_text(FILE *file, int text, const struct packed *json)
{
    write_block(file, 't', text, -1, json);
}

void page_weights(FILE *file, int text, int block, const struct packed *weights)
{
    write_block(file, 'w', text, block, weights);
}

void page_vectors(FILE *file, int text, int block, const struct packed *vectors)
{
    write_block(file, 'v', text, block, vectors);
}

void page_picture(FILE *file, int text, const struct packed *rgb)
{
    write_block(file, 'p', text, 0, rgb);
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

static void begin_block(FILE *file, const char *id)
{
    fprintf(file, "<script type=\"text/plain\" id=\"%s\">", id);
}

static void end_block(FILE *file)
{
    fputs("</script>\n", file);
}

void page_module(FILE *file, const struct packed *module)
{
    begin_block(file, "worker");
    base64_write(file, live_worker, (size_t)(live_worker_end - live_worker));
    end_block(file);
    begin_block(file, "module");
    pack_write(module, file);
    end_block(file);
}

void page_live(FILE *file, const struct packed *json)
{
    begin_block(file, "live");
    pack_write(json, file);
    end_block(file);
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

/* SPDX-License-Identifier: MIT
 *
 * The program of a wheel: looks for the package of its own version, and runs what the library in
 * it has.  It is there twice: where programs are found, and in the package, for python3 -m. */
#include "start.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { ROOM = 4 * PATH_MAX };

/* From the folder of programs: folders that hold one for each Python, and what that one has. */
static const struct place {
    const char *pythons, *packages;
} places[] = {
    { "../lib", "site-packages" },      /* venv, pip --user, --prefix */
    { "../lib64", "site-packages" },    /* the same, of Fedora */
    { "../lib", "dist-packages" },      /* Debian's own Python */
};

static bool join(char *path, const char *folder, const char *name)
{
    int n = snprintf(path, ROOM, "%s/%s", folder, name);

    return n > 0 && n < ROOM;
}

/* Whether these packages are those of the program; package is then what it belongs to. */
static bool has_package(const char *packages, char *package)
{
    return join(package, packages, "mha_viz-" MHA_VIZ_VERSION ".dist-info") &&
           access(package, F_OK) == 0 && join(package, packages, "mha_viz");
}

static bool look(const char *folder, const struct place *place, char *package)
{
    char pythons[ROOM], python[ROOM], packages[ROOM];
    struct dirent *entry;
    bool found = false;
    DIR *open;

    if (!join(pythons, folder, place->pythons) || (open = opendir(pythons)) == NULL)
        return false;
    while (!found && (entry = readdir(open)) != NULL)
        found = strncmp(entry->d_name, "python3", strlen("python3")) == 0 &&
                join(python, pythons, entry->d_name) && join(packages, python, place->packages) &&
                has_package(packages, package);
    closedir(open);
    return found;
}

static bool find(char *package)
{
    char above[ROOM], folder[PATH_MAX];

    /* What was executed, as the kernel has it: /proc may not be there. */
    if (realpath((const char *)getauxval(AT_EXECFN), folder) == NULL)
        return false;
    *strrchr(folder, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (look(folder, &places[i], package))
            return true;
    return (join(above, folder, "..") && has_package(above, package)) ||        /* pip --target */
           (join(above, folder, "../..") && has_package(above, package));       /* its own place */
}

/* The machine's fonts and the package's, where the user has chosen none. */
static void choose_fonts(const char *package)
{
    char path[ROOM];

    if (getenv("FONTCONFIG_FILE") == NULL && getenv("FONTCONFIG_PATH") == NULL &&
        join(path, package, "fonts/fonts.conf"))
        setenv("FONTCONFIG_FILE", path, 1);
}

/* ---- the library ---- */

static int (*program)(int argc, char **argv);
static bool (*unheard)(void);
static void (*stop)(const char *why);

bool start_unheard(void)
{
    return unheard != NULL && unheard();
}

void start_stop(const char *why)
{
    if (stop != NULL)
        stop(why);
}

/* A pointer to a function, of an object: as dlsym gives it. */
static bool find_function(void *library, const char *name, void *to)
{
    void *found = dlsym(library, name);

    memcpy(to, &found, sizeof found);
    return found != NULL;
}

static bool load(const char *package)
{
    char path[ROOM];
    void *library = join(path, package, "lib/libmhaviz.so.0") ? dlopen(path, RTLD_NOW) : NULL;

    return library != NULL && find_function(library, "mhaviz_program", &program) &&
           find_function(library, "mhaviz_program_stop", &stop) &&
           find_function(library, "mhaviz_program_unheard", &unheard);
}

int main(int argc, char **argv)
{
    char package[ROOM];

    if (!find(package)) {
        fprintf(stderr, "mha-viz: no package mha_viz " MHA_VIZ_VERSION " where Python keeps "
                "packages beside this program; python3 -m mha_viz runs it wherever it is\n");
        return 4;
    }
    if (!load(package)) {
        const char *why = dlerror();        /* NULL: it was not asked to open anything */

        fprintf(stderr, "mha-viz: %s%s\n", why != NULL ? why : package,
                why != NULL ? "" : "/lib/libmhaviz.so.0: the path is too long");
        return 4;
    }
    choose_fonts(package);
    return program(argc, argv);
}

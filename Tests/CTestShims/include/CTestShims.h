/* Calls that protect descriptors from child processes. The Glibc module does not have them, since they
 * need _GNU_SOURCE. */
#pragma once

#include <spawn.h>

/* The next connection, which no child inherits; negative with `errno`. */
int ctest_accept(int listener);

/* A pipe that no child inherits; negative with `errno`. */
int ctest_pipe(int ends[2]);

/* Closes the descriptors from a number on in the child. */
int ctest_close_from(posix_spawn_file_actions_t *actions, int first);

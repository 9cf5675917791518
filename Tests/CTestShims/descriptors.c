#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "CTestShims.h"

int ctest_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC); }

int ctest_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int ctest_close_from(posix_spawn_file_actions_t *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

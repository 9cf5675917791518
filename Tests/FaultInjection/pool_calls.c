/*
 * Records calls that may block on a thread of Swift's cooperative pool. As in inject.c, the program's
 * own symbols take precedence over those of its libraries, so calls of SQLite and libcurl count, too.
 */
#define _GNU_SOURCE
#include "FaultInjection.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <poll.h>
#include <unistd.h>

enum { LIMIT = 256, LENGTH = 200 };

static atomic_int watching;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char calls[LIMIT][LENGTH];
static int count;

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif

#ifdef SANITIZED
int32_t pool_calls_watch(int32_t on) { return 0; }
#else
int32_t pool_calls_watch(int32_t on) {
  watching = on;
  return 1;
}
#endif

const char *pool_call(int32_t index) {
  pthread_mutex_lock(&lock);
  const char *call = index < count ? calls[index] : NULL;
  pthread_mutex_unlock(&lock);
  return call;
}

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

static void record(const char *name, const char *detail) {
  static const char *(*label)(void *);
  if (!watching) return;
  if (!label) *(void **)&label = dlsym(RTLD_DEFAULT, "dispatch_queue_get_label");
  const char *queue = label ? label(NULL) : NULL;
  if (!queue || strcmp(queue, "Swift global concurrent queue")) return;
  pthread_mutex_lock(&lock);
  if (count < LIMIT) snprintf(calls[count++], LENGTH, "%s(%s)", name, detail ? detail : "");
  pthread_mutex_unlock(&lock);
}

#ifndef SANITIZED
/* Sockets and descriptors of events that do not block are no reason to wait. */
static void record_descriptor(const char *name, int descriptor) {
  struct stat status;
  if (!watching || fstat(descriptor, &status)) return;
  int flags = fcntl(descriptor, F_GETFL);
  if (S_ISREG(status.st_mode) || !(flags & O_NONBLOCK)) record(name, "");
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    static int (*real)(const char *, int, ...); \
    va_list list; \
    if (!real) *(void **)&real = next(#name); \
    va_start(list, flags); \
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0; \
    va_end(list); \
    record(#name, path); \
    return real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define OPEN_AT(name) \
  int name(int folder, const char *path, int flags, ...) { \
    static int (*real)(int, const char *, int, ...); \
    va_list list; \
    if (!real) *(void **)&real = next(#name); \
    va_start(list, flags); \
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0; \
    va_end(list); \
    record(#name, path); \
    return real(folder, path, flags, mode); \
  }
OPEN_AT(openat)
OPEN_AT(openat64)

/* A function whose call is recorded with a path or another name. */
#define NAMED(result, name, detail, parameters, ...) \
  result name parameters { \
    static result(*real) parameters; \
    if (!real) *(void **)&real = next(#name); \
    record(#name, detail); \
    return real(__VA_ARGS__); \
  }
NAMED(int, rename, from, (const char *from, const char *to), from, to)
NAMED(int, renameat, from, (int a, const char *from, int b, const char *to), a, from, b, to)
NAMED(int, unlink, path, (const char *path), path)
NAMED(int, unlinkat, path, (int folder, const char *path, int flags), folder, path, flags)
NAMED(int, mkdir, path, (const char *path, mode_t mode), path, mode)
NAMED(int, mkdirat, path, (int folder, const char *path, mode_t mode), folder, path, mode)
NAMED(int, nanosleep, "", (const struct timespec *time, struct timespec *rest), time, rest)
NAMED(int, usleep, "", (useconds_t time), time)
NAMED(pid_t, waitpid, "", (pid_t child, int *status, int options), child, status, options)
NAMED(int, curl_global_init, "", (long flags), flags)
NAMED(int, mosquitto_lib_init, "", (void))

/* A function of a descriptor. */
#define DESCRIBED(result, name, parameters, ...) \
  result name parameters { \
    static result(*real) parameters; \
    if (!real) *(void **)&real = next(#name); \
    record_descriptor(#name, descriptor); \
    return real(__VA_ARGS__); \
  }
DESCRIBED(ssize_t, read, (int descriptor, void *bytes, size_t size), descriptor, bytes, size)
DESCRIBED(ssize_t, write, (int descriptor, const void *bytes, size_t size), descriptor, bytes, size)
DESCRIBED(ssize_t, pread, (int descriptor, void *bytes, size_t size, off_t offset), descriptor,
          bytes, size, offset)
DESCRIBED(ssize_t, pread64, (int descriptor, void *bytes, size_t size, off64_t offset), descriptor,
          bytes, size, offset)
DESCRIBED(ssize_t, pwrite, (int descriptor, const void *bytes, size_t size, off_t offset),
          descriptor, bytes, size, offset)
DESCRIBED(ssize_t, pwrite64, (int descriptor, const void *bytes, size_t size, off64_t offset),
          descriptor, bytes, size, offset)
DESCRIBED(int, fsync, (int descriptor), descriptor)
DESCRIBED(int, fdatasync, (int descriptor), descriptor)
DESCRIBED(int, ftruncate, (int descriptor, off_t size), descriptor, size)
DESCRIBED(int, ftruncate64, (int descriptor, off64_t size), descriptor, size)

int poll(struct pollfd *descriptors, nfds_t number, int timeout) {
  static int (*real)(struct pollfd *, nfds_t, int);
  if (!real) *(void **)&real = next("poll");
  if (timeout) record("poll", "");
  return real(descriptors, number, timeout);
}
#endif

void pool_call_resolves(const char *name) { record("getaddrinfo", name); }

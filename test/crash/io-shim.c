/*
 * Stands between a process and its disk: LD_PRELOAD. What is written to files under the path IO_SHIM_PATH goes through
 * here, and fails as the control file IO_SHIM_CONTROL says, which is mapped into memory.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

enum kind { NOTHING, FULL, ERROR, SHORT, SLOW, SYNC, READ };

struct control {
  volatile long kind;
  /* Operations that go well before the first one that fails. */
  volatile long left;
  /* Operations that have failed. */
  volatile long fired;
};

static struct control *control;
static const char *watched;
static size_t watched_length;

static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pread)(int, void *, size_t, off_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_ftruncate)(int, off_t);

__attribute__((constructor)) static void begin(void) {
  real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
  real_write = dlsym(RTLD_NEXT, "write");
  real_pread = dlsym(RTLD_NEXT, "pread64");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
  watched = getenv("IO_SHIM_PATH");
  const char *path = getenv("IO_SHIM_CONTROL");
  if (watched == NULL || path == NULL) return;
  watched_length = strlen(watched);
  int fd = open(path, O_RDWR);
  if (fd < 0) return;
  void *memory = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (memory != MAP_FAILED) control = memory;
}

static int is_watched(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  return length >= (ssize_t)watched_length && strncmp(path, watched, watched_length) == 0;
}

/* The kind of fault that this operation meets; the first one has the number 1. */
static enum kind fault(int fd, int is_read, long *number) {
  if (control == NULL || control->kind == NOTHING || (control->kind == READ) != is_read || !is_watched(fd)) return NOTHING;
  long left = __sync_fetch_and_sub(&control->left, 1);
  if (left > 0) return NOTHING;
  *number = 1 - left;
  return control->kind;
}

static void fired(void) { __sync_fetch_and_add(&control->fired, 1); }

static int fails(int error) {
  fired();
  errno = error;
  return -1;
}

/* The number of bytes to write; -1 for all of them, -2 for none and an error. */
static ssize_t allowed(int fd, size_t length) {
  long number = 0;
  switch (fault(fd, 0, &number)) {
    case FULL:
      /* The first write fills the space that is left; the next ones have none. */
      if (number == 1 && length > 1) break;
      fails(ENOSPC);
      return -2;
    case ERROR:
      fails(EIO);
      return -2;
    case SHORT:
      if (length <= 1) return -1;
      break;
    default:
      return -1;
  }
  fired();
  return length / 2;
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t at) {
  ssize_t some = allowed(fd, length);
  if (some == -2) return -1;
  return real_pwrite(fd, bytes, some < 0 ? length : (size_t)some, at);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) { return pwrite64(fd, bytes, length, at); }

ssize_t write(int fd, const void *bytes, size_t length) {
  ssize_t some = allowed(fd, length);
  if (some == -2) return -1;
  return real_write(fd, bytes, some < 0 ? length : (size_t)some);
}

ssize_t pread64(int fd, void *bytes, size_t length, off_t at) {
  long number;
  if (fault(fd, 1, &number) == READ) return fails(EIO);
  return real_pread(fd, bytes, length, at);
}

ssize_t pread(int fd, void *bytes, size_t length, off_t at) { return pread64(fd, bytes, length, at); }

static int sync_fault(int fd) {
  long number;
  switch (fault(fd, 0, &number)) {
    case SLOW:
      fired();
      usleep(200000);
      return 0;
    case ERROR:
    case SYNC:
      return fails(EIO);
    default:
      return 0;
  }
}

int fsync(int fd) { return sync_fault(fd) < 0 ? -1 : real_fsync(fd); }

int fdatasync(int fd) { return sync_fault(fd) < 0 ? -1 : real_fdatasync(fd); }

int ftruncate64(int fd, off_t length) {
  long number;
  if (fault(fd, 0, &number) == ERROR) return fails(EIO);
  return real_ftruncate(fd, length);
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

/*
 * Remembers what was written to files under the path POWER_SHIM_PATH and not synced: LD_PRELOAD. Before each write the
 * bytes that it replaces are added to the journal POWER_SHIM_JOURNAL; behind each sync a record says up to where that
 * made them last. Who ends the process can then put the files back to what a loss of power would have left.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* Followed by so many bytes as the file had there. A sync has no bytes, and the last record that it covers. */
struct record {
  uint64_t kind;
  uint64_t file;
  uint64_t number;
  uint64_t at;
  uint64_t size_before;
  uint64_t length;
};

enum { WRITE = 1, SYNC = 2 };

static const char *watched;
static int journal = -1;
static uint64_t count = 0;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_ftruncate)(int, off_t);

__attribute__((constructor)) static void begin(void) {
  real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
  watched = getenv("POWER_SHIM_PATH");
  const char *path = getenv("POWER_SHIM_JOURNAL");
  if (watched != NULL && path != NULL) journal = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
}

static int is_watched(int fd) {
  char link[64], path[4096];
  if (journal < 0 || fd == journal) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  return length >= (ssize_t)strlen(watched) && strncmp(path, watched, strlen(watched)) == 0;
}

/* Appends to the journal; a process that cannot must not go on. */
static void add(const struct record *record, void *bytes) {
  struct iovec parts[] = {{(void *)record, sizeof *record}, {bytes, record->length}};
  if (writev(journal, parts, 2) != (ssize_t)(sizeof *record + record->length)) abort();
}

/* Records the bytes about to be overwritten. The caller holds the lock, so that no write comes between. */
static void remember(int fd, off_t at, size_t length) {
  struct stat status;
  if (fstat(fd, &status) != 0) abort();
  struct record record = {WRITE, status.st_ino, ++count, at, status.st_size, 0};
  uint64_t end = at + length < (uint64_t)status.st_size ? at + length : (uint64_t)status.st_size;
  char *bytes = NULL;
  if (end > (uint64_t)at) {
    bytes = malloc(end - at);
    ssize_t had = pread(fd, bytes, end - at, at);
    record.length = had > 0 ? had : 0;
  }
  add(&record, bytes);
  free(bytes);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t at) {
  if (!is_watched(fd)) return real_pwrite(fd, bytes, length, at);
  pthread_mutex_lock(&lock);
  remember(fd, at, length);
  ssize_t written = real_pwrite(fd, bytes, length, at);
  pthread_mutex_unlock(&lock);
  return written;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) { return pwrite64(fd, bytes, length, at); }

int ftruncate64(int fd, off_t length) {
  if (!is_watched(fd)) return real_ftruncate(fd, length);
  struct stat status;
  if (fstat(fd, &status) != 0) abort();
  pthread_mutex_lock(&lock);
  remember(fd, length, status.st_size > length ? status.st_size - length : 0);
  int result = real_ftruncate(fd, length);
  pthread_mutex_unlock(&lock);
  return result;
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

static int synced(int fd, int (*real)(int)) {
  if (!is_watched(fd)) return real(fd);
  struct stat status;
  if (fstat(fd, &status) != 0) abort();
  pthread_mutex_lock(&lock);
  uint64_t last = count;
  pthread_mutex_unlock(&lock);
  int result = real(fd);
  if (result != 0) return result;
  struct record record = {SYNC, status.st_ino, last, 0, 0, 0};
  pthread_mutex_lock(&lock);
  add(&record, NULL);
  pthread_mutex_unlock(&lock);
  return result;
}

int fsync(int fd) { return synced(fd, real_fsync); }

int fdatasync(int fd) { return synced(fd, real_fdatasync); }

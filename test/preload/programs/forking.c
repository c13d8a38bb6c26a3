// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
//     forking         forks while another thread holds the loader's lock, as unwinders do
//     forking cuda    the same where the process uses CUDA
//     forking list    prints which functions the children call
//
// Each child calls one of the functions that POSIX allows there and that graphprof stands in front
// of. Prints how many of them did not end.

#define _GNU_SOURCE

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char program[] = "/bin/true";
static char *words[] = {program, NULL};
static char *environment[] = {NULL};

static void atOnce(void) { _exit(0); }
static void atOnceOfC(void) { _Exit(0); }
static void quickly(void) { quick_exit(0); }
static void byWords(void) { execl(program, program, (char *)NULL); }
static void byWordsWithEnvironment(void) { execle(program, program, (char *)NULL, environment); }
static void byList(void) { execv(program, words); }
static void byListWithEnvironment(void) { execve(program, words, environment); }
static void byFile(void) { fexecve(open(program, O_RDONLY | O_CLOEXEC), words, environment); }

static const struct {
  const char *name;
  void (*call)(void);
} tried[] = {{"_exit", atOnce},
             {"_Exit", atOnceOfC},
             {"quick_exit", quickly},
             {"execl", byWords},
             {"execle", byWordsWithEnvironment},
             {"execv", byList},
             {"execve", byListWithEnvironment},
             {"fexecve", byFile}};
enum { count = sizeof tried / sizeof *tried };

static atomic_int isOver;

static int look(struct dl_phdr_info *library, size_t size, void *data) {
  (void)library, (void)size, (void)data;
  volatile int work = 0;
  for (int i = 0; i < 300; ++i)
    work += i;
  return 0;
}

static void *walk(void *unused) {
  (void)unused;
  while (!isOver)
    dl_iterate_phdr(look, NULL);
  return NULL;
}

static int beginsCuda(void) {
  void *const driver = dlopen("libcuda.so.1", RTLD_NOW);
  int (*const init)(unsigned) = driver ? (int (*)(unsigned))dlsym(driver, "cuInit") : NULL;
  return init && init(0) == 0;
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "list") == 0) {
    for (int i = 0; i < count; ++i)
      printf("%s\n", tried[i].name);
    return 0;
  }
  if (argc > 1 && !beginsCuda())
    return 98;
  pthread_t thread;
  pthread_create(&thread, NULL, walk, NULL);
  int stuck = 0;
  for (int i = 0; i < 30 * count && stuck < 3; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      tried[i % count].call();
      abort();
    }
    int ms = 0, status = 0;
    while (waitpid(child, &status, WNOHANG) != child && ++ms < 5000)
      usleep(1000);
    if (ms >= 5000) {
      ++stuck;
      printf("stuck: %s\n", tried[i % count].name);
      kill(child, SIGKILL);
      waitpid(child, NULL, 0);
    } else if (status != 0) {
      printf("failed: %s\n", tried[i % count].name);
    }
  }
  isOver = 1;
  pthread_join(thread, NULL);
  printf("stuck %d\n", stuck);
  return 0;
}

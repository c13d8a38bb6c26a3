// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Forks while another thread holds the loader's lock, as unwinders do. The children call _exit() or
// _Exit(). Prints how many of them did not end.

#define _GNU_SOURCE

#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

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

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, walk, NULL);
  int stuck = 0;
  for (int i = 0; i < 200 && stuck < 3; ++i) {
    const pid_t child = fork();
    if (child == 0)
      i % 2 ? _exit(0) : _Exit(0);
    int ms = 0;
    while (waitpid(child, NULL, WNOHANG) != child && ++ms < 5000)
      usleep(1000);
    if (ms >= 5000) {
      ++stuck;
      kill(child, SIGKILL);
      waitpid(child, NULL, 0);
    }
  }
  isOver = 1;
  pthread_join(thread, NULL);
  printf("stuck %d\n", stuck);
  return 0;
}

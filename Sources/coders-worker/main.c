// SPDX-License-Identifier: Apache-2.0

#include <stdio.h>

#include "CWorker.h"
#include "worker.h"

int main(int count, char **arguments) {
  if (count == ISOLATION_ARGUMENTS) cworker_run_plugin(arguments);
  fputs("coders-worker is started by programs that decode pictures in processes of their own.\n", stderr);
  return 64;
}

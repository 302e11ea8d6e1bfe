// SPDX-License-Identifier: Apache-2.0

#include "work.h"

static _Thread_local chostsystem_work current;

// Other threads read these fields while this one writes them: each is stored at once.
#define STORE(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELAXED)

const chostsystem_work *chostsystem_this_work(void) { return &current; }

void chostsystem_set_work(chostsystem_work work) {
  STORE(current.plugin, work.plugin);
  STORE(current.input, work.input);
  STORE(current.output, work.output);
  STORE(current.is_inherited, work.is_inherited);
}

void chostsystem_set_files(const char *input, const char *output) {
  STORE(current.input, input);
  STORE(current.output, output);
}

const chostsystem_plugin *chostsystem_enter(const chostsystem_plugin *plugin) {
  const chostsystem_plugin *outer = current.plugin;
  STORE(current.plugin, plugin);
  return outer;
}

void chostsystem_leave(const chostsystem_plugin *outer) { STORE(current.plugin, outer); }

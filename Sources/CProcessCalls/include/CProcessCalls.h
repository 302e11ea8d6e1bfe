// SPDX-License-Identifier: Apache-2.0
//
// Functions of the C library as the executable `coders` has them in its place: _exit, _Exit, quick_exit, abort, pthread_exit,
// thrd_exit and pthread_create. They tell CProcessGuard what a plugin does. What is linked with this has them; nothing is called
// by name.

#ifndef CPROCESSCALLS_H
#define CPROCESSCALLS_H

#endif

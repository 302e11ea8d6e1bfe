// SPDX-License-Identifier: Apache-2.0
//
// The command `coders` as it is installed: becomes the program that has the verb. Both are in libexec beside the folder of
// this one. To load the whole command takes several milliseconds, which is most of the time of some verbs.
//
// It asks the kernel by itself, because the start of the C library asks the processor what it can do, a quarter of a
// millisecond in a virtual machine. Nothing here may need an address that is made at load time, or a function of the library.

#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <stddef.h>

enum { STATUS_ENVIRONMENT = 5, STANDARD_ERROR = 2 };

// The stack as the kernel leaves it: the number of arguments, these, a null, the environment, a null.
void launch(char **stack) __attribute__((noreturn, used));

#if defined(__x86_64__)

__asm__(".globl _start\n_start: xor %ebp, %ebp\n mov %rsp, %rdi\n and $-16, %rsp\n call launch\n");

static long ask(long call, long a, long b, long c, long d) {
  register long fourth __asm__("r10") = d;
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "0"(call), "D"(a), "S"(b), "d"(c), "r"(fourth) : "rcx", "r11", "memory");
  return result;
}

#elif defined(__aarch64__)

__asm__(".globl _start\n_start: mov x29, #0\n mov x30, #0\n mov x0, sp\n bl launch\n");

static long ask(long call, long a, long b, long c, long d) {
  register long number __asm__("x8") = call;
  register long result __asm__("x0") = a;
  register long second __asm__("x1") = b, third __asm__("x2") = c, fourth __asm__("x3") = d;
  __asm__ volatile("svc 0" : "+r"(result) : "r"(number), "r"(second), "r"(third), "r"(fourth) : "memory");
  return result;
}

#else
#error "how this processor asks the kernel is not known"
#endif

// What coders-quick may do by itself; it leaves to the whole command what it does not understand.
static const char quick_verbs[][10] = {"--version", "list", "probe", "thumbnail", "convert"};

static int is_same(const char *one, const char *other) {
  while (*one && *one == *other) one++, other++;
  return *one == *other;
}

static int is_quick(const char *verb) {
  for (size_t i = 0; i < sizeof quick_verbs / sizeof *quick_verbs; i++)
    if (is_same(verb, quick_verbs[i])) return 1;
  return 0;
}

static char *append(char *end, const char *text) {
  while (*text) *end++ = *text++;
  *end = 0;
  return end;
}

static void say(const char *text) {
  size_t length = 0;
  while (text[length]) length++;
  ask(__NR_write, STANDARD_ERROR, (long)text, (long)length, 0);
}

static void say_number(long number) {
  char digits[24], *first = digits + sizeof digits - 1;
  *first = 0;
  do *--first = (char)('0' + number % 10);
  while (number /= 10);
  say(first);
}

void launch(char **stack) {
  const long count = (long)stack[0];
  char **arguments = stack + 1, **environment = arguments + count + 1;
  char path[PATH_MAX + sizeof "/libexec/coders-command"];
  const long length = ask(__NR_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)path, PATH_MAX);
  char *end = path + (length < 0 ? 0 : length);
  for (int level = 0; level < 2; level++) {
    while (end > path && *--end != '/') continue;
  }
  append(end, count > 1 && is_quick(arguments[1]) ? "/libexec/coders-quick" : "/libexec/coders-command");
  const long problem = -ask(__NR_execve, (long)path, (long)arguments, (long)environment, 0);
  say("coders: ");
  say(path);
  if (problem == ENOENT) {
    say(": No such file or directory\n");
  } else if (problem == EACCES) {
    say(": Permission denied\n");
  } else {
    say(": error ");
    say_number(problem);
    say("\n");
  }
  for (;;) ask(__NR_exit_group, STATUS_ENVIRONMENT, 0, 0, 0);
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

/// An installation that is killed before one of its last steps leaves the old plugin or the new one.
@Suite(.enabled(if: PluginHome.isReachable, "other users cannot run the command here"))
struct PluginKillTests {
  /// Ends `coders plugin` before a call that renames or removes, the one that KILL_AT counts.
  private static let killer = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    static int count, limit;
    __attribute__((constructor)) static void start(void) {
      static char words[65536];  /* Each argument ends with a zero, and so does the whole. */
      FILE *file = fopen("/proc/self/cmdline", "r");
      size_t size = file ? fread(words, 1, sizeof words - 1, file) : 0;
      if (file) fclose(file);
      const char *last = getenv("KILL_AT");
      for (const char *word = words; last && word < words + size; word += strlen(word) + 1)
        if (!strcmp(word, "plugin")) limit = atoi(last);
    }
    static void step(void) { if (limit > 0 && ++count == limit) raise(SIGKILL); }
    int rename(const char *from, const char *to) {
      step();
      return ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename"))(from, to);
    }
    int unlink(const char *path) { step(); return ((int (*)(const char *))dlsym(RTLD_NEXT, "unlink"))(path); }
    int rmdir(const char *path) { step(); return ((int (*)(const char *))dlsym(RTLD_NEXT, "rmdir"))(path); }
    """

  private func library() -> TemporaryFolder {
    let folder = TemporaryFolder()
    folder.write(Self.killer, to: "kill.c")
    let built = Command.run("cd '\(folder.path)' && chmod 755 . && cc -shared -fPIC -o kill.so kill.c -ldl")
    precondition(built.status == 0, built.output)
    return folder
  }

  /// The versions of plugins that can be used, as they are found.
  private func usable(_ home: PluginHome) -> [String] {
    home.run("list").output.split(separator: "\n").dropFirst().filter { $0.hasSuffix(" used") }
      .map { String($0.split(separator: " ")[1]) }
  }

  @Test(arguments: ["install", "upgrade", "remove"])
  func aKillLeavesOneOrTheOther(_ action: String) {
    let killer = library()
    let (first, second) = (PluginPackage(), PluginPackage(version: "2.0.0"))
    let (old, new) = (first.packed("tar"), second.packed("tar"))
    defer { withExtendedLifetime((first, second)) {} }
    let prepared = PluginHome()
    if action != "install" { #expect(prepared.run("install", old, "--yes").status == 0) }
    let arguments = ["install": ["install", old, "--yes"], "upgrade": ["install", new, "--yes"]][action]
    let allowed: [[String]] =
      ["install": [[], ["1.0.0"]], "upgrade": [["1.0.0"], ["2.0.0"]]][action] ?? [["1.0.0"], []]
    var seen: Set<[String]> = []
    var (step, last) = (1, prepared)
    while step < 60 {
      let home = PluginHome(copying: prepared)
      let run = home.run(
        arguments ?? ["remove", PluginCommandTests.id],
        environment: ["LD_PRELOAD": "\(killer.path)/kill.so", "KILL_AT": "\(step)"])
      guard run.status == 128 + SIGKILL else {
        #expect(run.status == 0, "\(run.errors)")
        break
      }
      let found = usable(home)
      seen.insert(found)
      #expect(allowed.contains(found), "before call \(step)")
      (step, last) = (step + 1, home)
    }
    #expect(step > 2 && step < 60)
    #expect(seen == Set(allowed))
    // The same once more removes what the killed process left.
    _ = last.run(arguments ?? ["remove", PluginCommandTests.id])
    let versions = ["install": "1.0.0", "upgrade": "2.0.0"]
    #expect(last.files == (versions[action].map { PluginCommandTests.files($0) } ?? []))
    #expect(Folder.names(in: last.place).filter { $0.hasPrefix(".") } == [])
  }
}

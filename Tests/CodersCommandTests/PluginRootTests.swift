// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

/// What root does and leaves to others. Only root can test that.
@Suite(.enabled(if: geteuid() == 0 && PluginHome.isReachable, "needs root, and a command that others can run"))
struct PluginRootTests {
  /// A plugin whose library notes who loads it.
  private static func package(noting file: String) -> PluginPackage {
    PluginPackage(
      version: "1.0.0",
      adding: """
        #include <stdio.h>
        #include <unistd.h>
        __attribute__((constructor)) static void load(void) {
          FILE *file = fopen("\(file)", "a");
          if (file) { fprintf(file, "%d %d\\n", (int)getuid(), (int)geteuid()); fclose(file); }
        }
        """)
  }

  private func users(_ folder: TemporaryFolder) -> Set<String> {
    Set(Command.run("cat '\(folder.path)/users'").output.split(separator: "\n").map(String.init))
  }

  private func noted() -> TemporaryFolder {
    let folder = TemporaryFolder()
    folder.write("", to: "users")
    chmod(folder.path, 0o755)
    chmod("\(folder.path)/users", 0o666)
    return folder
  }

  @Test(arguments: [(uid_t(0), "65534 65534"), (4321, "4321 4321")])
  func theArchiveIsExaminedByItsOwnerOrNobody(_ owner: uid_t, _ user: String) {
    let (notes, home, temporary) = (noted(), TemporaryFolder(), TemporaryFolder())
    chmod(temporary.path, 0o755)
    let package = Self.package(noting: "\(notes.path)/users")
    let archive = package.packed()
    chown(archive, owner, owner)
    // The archive is open before: only root may read it.
    chmod(archive, 0o600)
    let run = withExtendedLifetime(package) {
      Run.binary(
        ["plugin", "install", archive, "--yes"],
        environment: ["XDG_DATA_HOME": home.path, "TMPDIR": temporary.path])
    }
    #expect(run.errors == "")
    #expect(run.status == 0)
    #expect(users(notes) == [user])
    let owners = Command.run("find '\(home.path)/coders' -printf '%u %m\\n' | sort -u").output
    #expect(owners == "root 644\nroot 755\n")
    #expect(Folder.names(in: temporary.path) == [])
  }

  @Test func errorsOfTheOtherProcessAreErrorsOfTheCommand() {
    let home = TemporaryFolder()
    let package = PluginPackage()
    package.edit("touch more")
    let archive = package.packed()
    let run = withExtendedLifetime(package) {
      Run.binary(["plugin", "install", archive, "--yes"], environment: ["XDG_DATA_HOME": home.path])
    }
    #expect(run.status == 1)
    #expect(run.errors == "coders: \(archive): malformed: more is not in SHA256SUMS, which lists every file\n")
    #expect(Folder.names(in: "\(home.path)/coders/1") == [])
  }

  @Test func underSudoSystemIsNeeded() {
    for action in [["install", "x", "--yes"], ["remove", "org.example.x"]] {
      let run = Run.binary(["plugin"] + action, environment: ["SUDO_UID": "1000"])
      #expect(run.status == 64)
      #expect(
        run.errors
          == "coders: invalidArgument: under sudo, --system is needed; without sudo, the plugin is for one user\n")
    }
  }

  @Test func onlyRootInstallsForAll() {
    let run = PluginHome().run("install", "x", "--yes", "--system")
    #expect(run.status == 64)
    #expect(
      run.errors
        == "coders: invalidArgument: --system changes the plugins of all users: run it as root, with sudo\n")
  }

  private static let hasNamespaces = Command.run("unshare --mount true").status == 0

  /// In a mount namespace with an empty /usr/local.
  @Test(.enabled(if: hasNamespaces, "needs mount namespaces"))
  func systemInstallsForAllUsers() {
    let notes = noted()
    let package = Self.package(noting: "\(notes.path)/users")
    let archive = package.packed()
    defer { withExtendedLifetime(package) {} }
    let run = Run.shell(
      """
      unshare --mount sh -c 'mount -t tmpfs -o mode=755 none /usr/local && cd /usr/local && umask 077 &&
        "$0" plugin install "$1" --system --yes --quiet && find . -type f -printf "%U %m %P\\n" | grep -v " share/mime/[^p]" |
        sed "s|-[a-z0-9]*/|/|" | sort &&
        setpriv --reuid=4321 --regid=4321 --clear-groups "$0" list --quiet | grep -x org.example.sketch &&
        "$0" plugin remove org.example.sketch --system --quiet && find lib -type f' "$0" "$1"
      """, [Package.command, archive])
    #expect(run.errors == "")
    let build = "0 644 lib/coders/1/org.example.sketch/v1.0.0"
    let expected =
      ["0 644 lib/coders/1/org.example.sketch.imgcoder.json"]
      + [
        "LICENSE", "SHA256SUMS", "libsketch.so", "receipt.json", "samples/animation.sketch", "samples/still.sketch",
        "sketch.imgcoder.json",
      ].map { "\(build)/\($0)" }
      + [
        "0 644 share/mime/packages/coders-org.example.sketch.xml",
        "0 644 share/thumbnailers/coders-org.example.sketch.thumbnailer", "org.example.sketch",
      ]
    #expect(run.output.split(separator: "\n").map(String.init).sorted() == expected.sorted())
    #expect(!users(notes).contains("0 0"))
  }

  /// Where the place of all users is the program's own folder of plugins, a name of this project would be trusted.
  @Test(.enabled(if: hasNamespaces, "needs mount namespaces"))
  func aNameOfThisProjectIsRefusedInTheProgramsOwnFolder() {
    let stranger = PluginPackage(version: "1.0.0", edit: "s/org\\.example\\.sketch/org.imagecoders.sketch/")
    let run = Run.shell(
      """
      unshare --mount sh -c 'mount -t tmpfs -o mode=755 none /usr/local && mkdir /usr/local/bin && cp "$0" /usr/local/bin &&
        /usr/local/bin/coders plugin install "$1" --system --yes --quiet; echo $?; find /usr/local/lib/coders -type f' "$0" "$1"
      """, [Package.command, stranger.packed()])
    withExtendedLifetime(stranger) {}
    #expect(run.output == "5\n")
    #expect(
      run.errors.contains(
        "pluginRejected: org.imagecoders.sketch is a name of this project, and in /usr/local/lib/coders/1 of this"))
  }

  /// A process that the examination left could change what is copied: the digests are compared again, and links lead nowhere.
  @Test func whatIsChangedAfterTheExaminationIsRefused() {
    let home = TemporaryFolder()
    let package = PluginPackage(
      version: "1.0.0",
      adding: """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <string.h>
        #include <unistd.h>
        __attribute__((constructor)) static void load(void) {
          Dl_info info;
          if (!dladdr((void *)&load, &info) || !strstr(info.dli_fname, "/coders-stage-")) return;
          char path[4096];
          strncpy(path, info.dli_fname, sizeof path - 1);
          path[sizeof path - 1] = 0;
          char *end = strrchr(path, '/');
          if (!end) return;
          strcpy(end + 1, "LICENSE");
          unlink(path);
          if (symlink("/etc/passwd", path)) return;
        }
        """)
    let archive = package.packed()
    let run = withExtendedLifetime(package) {
      Run.binary(["plugin", "install", archive, "--yes"], environment: ["XDG_DATA_HOME": home.path])
    }
    #expect(run.status == 1)
    #expect(
      run.errors
        == "coders: \(archive): malformed: sketch/LICENSE is a symbolic link; only plain files and folders are allowed\n"
    )
    #expect(Folder.names(in: "\(home.path)/coders/1") == [])
  }
}

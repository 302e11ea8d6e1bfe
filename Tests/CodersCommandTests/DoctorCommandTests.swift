// SPDX-License-Identifier: Apache-2.0

import CodersCommand
import Glibc
import ImageCoders
import TestSupport
import Testing

@Suite struct DoctorCommandTests {
  @Test func anInstallationThatWorksIsWell() {
    let run = Run.inProcess("doctor")
    #expect(run.status == 0)
    #expect(
      run.output.hasPrefix(
        "Search path\n  ok       \(Package.plugins) (CODERS_PLUGIN_PATH): \(Package.coders.count) manifests\n"))
    for library in ["giflib 5", "libjpeg-turbo 2", "libpng 1.6", "libwebp 1."] {
      #expect(run.output.contains(library), "\(library)")
    }
    #expect(run.output.hasSuffix("no problems\n"))
    #expect(Run.inProcess("doctor", "--quiet").output == "")
  }

  @Test func aLibraryThatDoesNotLoadIsNamed() throws {
    let installation = TemporaryFolder()
    let executable = installation.write("", to: "bin/coders")
    let folder = "\(installation.path)/lib/coders/1"
    installation.write("no library", to: "lib/coders/1/libGIFCoder.so")
    installation.write(
      try Package.bytes("\(Package.plugins)/gif.imgcoder.json"), to: "lib/coders/1/gif.imgcoder.json")
    let run = Run.inProcess("doctor", plugins: folder, executable: executable)
    #expect(run.status == 5)
    #expect(
      run.output.contains(
        "  PROBLEM  org.imagecoders.gif (\(folder)/gif.imgcoder.json): load_failed: \(folder)/libGIFCoder.so: "))
    #expect(run.output.hasSuffix("1 problem\n"))
  }

  @Test func noPluginsAreAProblem() {
    let folder = Folder()
    let run = Run.inProcess("doctor", plugins: folder.path)
    #expect(run.status == 5)
    #expect(run.output.contains("PROBLEM  no manifest in any directory of the search path"))
  }

  @Test func settingsThatAreNotUnderstoodAreAProblem() {
    let run = Run.inProcess("doctor", environment: ["CODERS_PRIORITY": "org.imagecoders.png=5"])
    #expect(run.status == 5)
    #expect(run.output.contains("PROBLEM  CODERS_PRIORITY: \"org.imagecoders.png=5\" is neither id:number nor id:off"))
  }

  @Test func theSettingsFileIsChecked() throws {
    let home = Folder()
    mkdir("\(home.path)/coders", 0o755)
    home.write(
      "coders/settings.json",
      """
      {"priority": {},
       "allowed": ["org.imagecoders.png", "org.example.none"],
       "prefer": {"png": {"read": ["org.imagecoders.png"], "wirte": []}}}
      """)
    let run = Run.inProcess("doctor", environment: ["XDG_CONFIG_HOME": home.path])
    #expect(run.status == 5)
    let start = try #require(run.output.firstRange(of: "Settings\n"))
    #expect(
      run.output[start.lowerBound...].replacing(home.path, with: "DIR").hasPrefix(
        """
        Settings
          PROBLEM  DIR/coders/settings.json: line 1, column 2: priority is not a known key and is ignored
          PROBLEM  DIR/coders/settings.json: line 3, column 54: prefer.png.wirte is not a known key and is ignored
          -        allowed: only org.example.none (not installed), org.imagecoders.png
          -        preferred to read png: org.imagecoders.png

        """))
    #expect(
      run.output.contains(
        "  -        org.imagecoders.gif (\(Package.plugins)/gif.imgcoder.json): not_allowed_by_settings: "))
  }

  @Test func aMissingLibraryHasAPackage() {
    let packages = Manifest.Packages(build: ["libexample-dev"], run: ["libexample6"])
    let missing = SkipReason(.loadFailed, "in any words", missingLibrary: "libexample.so.6")
    #expect(PluginAdvice.sentence(missing, packages) == "install libexample.so.6: apt-get install libexample6")
    // A symbol that is missing is no missing library, whatever the message says.
    let symbol = SkipReason(.loadFailed, "/lib/libexample.so: undefined symbol: No such file")
    #expect(PluginAdvice.sentence(symbol, packages) == nil)
    #expect(PluginAdvice.sentence(missing, nil) == nil)
    let notBuilt = SkipReason(.libraryMissing, "libExampleCoder.so is not there")
    #expect(PluginAdvice.sentence(notBuilt, packages) == "build the plugin; it needs: apt-get install libexample-dev")
  }

  /// A plugin that loads only where a library of its own is installed, which it is not.
  @Test func aPluginWithoutItsLibraryNamesThePackage() throws {
    let folder = Folder()
    folder.write("empty.c", "")
    folder.write(
      "plain.imgcoder.json",
      """
      {"id": "org.example.plain", "name": "Plain", "version": "1", "abi": {"major": 1}, "library": "libplain.so",
       "formats": [{"uti": "org.example.plain", "match": [{"bytes": "61"}]}], "capabilities": ["read"],
       "packages": {"build": ["libneeded-dev"], "run": ["libneeded6"]}}
      """)
    let built = Command.run(
      """
      cd '\(folder.path)' && cc -shared -fPIC -Wl,-soname,libneeded.so.6 -o libneeded.so empty.c &&
        cc -shared -fPIC -Wl,--no-as-needed -o libplain.so empty.c -L. -lneeded && rm libneeded.so
      """)
    try #require(built.status == 0, "\(built.output)")
    let run = Run.inProcess("doctor", plugins: folder.path)
    #expect(run.status == 5)
    #expect(run.output.contains("load_failed: libneeded.so.6: "), "\(run.output)")
    #expect(run.output.contains("           install libneeded.so.6: apt-get install libneeded6\n"), "\(run.output)")
  }

  @Test func aPluginForANewerInterfaceNeedsANewerProgram() {
    let newer = SkipReason(.abiUnsupported, "needs version 1.7", needsNewerHost: true)
    #expect(PluginAdvice.sentence(newer, nil) == "install a newer version of this program")
    let older = SkipReason(.abiUnsupported, "needs version 0.1")
    #expect(
      PluginAdvice.sentence(older, nil) == "install a version of the plugin for this program's plugin interface")
  }

  @Test func whatMayBeMeantOtherwiseIsAWarning() throws {
    let installation = TemporaryFolder()
    let executable = installation.write("", to: "bin/coders")
    let folder = "\(installation.path)/lib/coders/1"
    installation.write(try Package.bytes("\(Package.plugins)/libQOICoder.so"), to: "lib/coders/1/libQOICoder.so")
    let manifest = String(decoding: try Package.bytes("\(Package.plugins)/qoi.imgcoder.json"), as: UTF8.self)
    installation.write(
      manifest.replacing("{\n", with: "{\n  \"vendro\": \"\",\n", maxReplacements: 1),
      to: "lib/coders/1/qoi.imgcoder.json")
    installation.write("{}", to: "lib/coders/1/jpeg.json")
    installation.write("", to: "lib/coders/1/libother.so")
    installation.write("", to: "lib/coders/1/README")
    let run = Run.inProcess("doctor", plugins: folder, executable: executable)
    #expect(run.status == 0)
    let found = run.output.replacing(folder, with: "DIR").split(separator: "\n").filter { $0.contains("warning") }
    #expect(
      found == [
        "  warning  DIR/jpeg.json is not read; the name of a manifest ends in .imgcoder.json",
        "  warning  DIR/libother.so is not used; no manifest names this library",
        "  warning  DIR/qoi.imgcoder.json: line 2, column 3: vendro is not a known key and is ignored",
        "no problems, 3 warnings",
      ])
    #expect(!Run.inProcess("list", plugins: folder, executable: executable).output.contains("vendro"))
  }

  /// A tree in which one plugin was left out, as `make` leaves it where a library cannot be had.
  @Test func aPluginThatWasNotBuiltNamesItsPackage() throws {
    let folder = Folder()
    folder.write("webp.imgcoder.json", try Package.bytes("\(Package.plugins)/webp.imgcoder.json"))
    let run = Run.inProcess("doctor", plugins: folder.path)
    #expect(run.status == 5)
    #expect(run.output.contains("library_missing"))
    #expect(run.output.contains("build the plugin; it needs: apt-get install libwebp-dev"))
  }
}

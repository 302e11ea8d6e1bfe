// SPDX-License-Identifier: Apache-2.0

import CodersCommand
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
    let folder = Folder()
    folder.write("libGIFCoder.so", "no library")
    folder.write("gif.imgcoder.json", try Package.bytes("\(Package.plugins)/gif.imgcoder.json"))
    let run = Run.inProcess("doctor", plugins: folder.path)
    #expect(run.status == 5)
    #expect(
      run.output.contains(
        "  PROBLEM  org.imagecoders.gif (\(folder.path)/gif.imgcoder.json): load_failed: \(folder.path)/libGIFCoder.so: "
      ))
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

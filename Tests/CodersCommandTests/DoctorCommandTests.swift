// SPDX-License-Identifier: Apache-2.0

import CodersCommand
import ImageCoders
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
    #expect(run.output.hasSuffix("all is well\n"))
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
    let missing = SkipReason(
      .loadFailed, "libexample.so.6: cannot open shared object file: No such file or directory")
    #expect(PluginAdvice.sentence(missing, packages) == "install it: apt-get install libexample6")
    #expect(PluginAdvice.sentence(missing, nil) == nil)
    let notBuilt = SkipReason(.libraryMissing, "libExampleCoder.so is not there")
    #expect(PluginAdvice.sentence(notBuilt, packages) == "build the plugin; it needs: apt-get install libexample-dev")
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

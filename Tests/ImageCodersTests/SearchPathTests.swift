// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Testing

/// Where plugins are looked for, and in which order.
@Suite struct SearchPathTests {
  private func paths(
    _ environment: [String: String], arguments: [String] = [], executable: String? = "/opt/app/bin/app"
  ) -> [String] {
    PluginSearchPath(arguments: arguments, environment: { environment[$0] }, executable: executable).directories.map(
      \.path)
  }

  private let tail = [
    "/usr/local/share/coders/1", "/usr/share/coders/1", "/opt/app/bin/coders", "/opt/app/lib/coders/1",
    "/usr/local/lib/coders/1", "/usr/lib/coders/1",
  ]

  @Test func goesFromTheUserToTheSystem() {
    #expect(paths(["HOME": "/home/u"]) == ["/home/u/.local/share/coders/1", "/etc/coders/coders.d"] + tail)
  }

  @Test func argumentsComeFirst() {
    let found = PluginSearchPath(arguments: ["/a", "/b"], environment: { _ in nil }, executable: nil).directories
    #expect(found.prefix(2).map(\.path) == ["/a", "/b"])
    #expect(found.prefix(2).allSatisfy { $0.isExplicit && $0.origin == "argument" })
    #expect(found.dropFirst(2).allSatisfy { !$0.isExplicit })
  }

  @Test func dataHomeTakesThePlaceOfHome() {
    #expect(paths(["HOME": "/home/u", "XDG_DATA_HOME": "/data"]).first == "/data/coders/1")
    #expect(paths(["HOME": "/home/u", "XDG_DATA_HOME": "data"]).first == "/home/u/.local/share/coders/1")
  }

  @Test func pluginPathTakesThePlaceOfTheStandardOne() {
    #expect(paths(["CODERS_PLUGIN_PATH": "/x:/y", "HOME": "/home/u"]) == ["/x", "/y"])
    #expect(
      paths(["CODERS_PLUGIN_PATH": "/x", "CODERS_ADD_PLUGIN_PATH": "/never"], arguments: ["/a"]) == ["/a", "/x"])
  }

  @Test func aStarInThePluginPathStandsForTheStandardOne() {
    #expect(paths(["CODERS_PLUGIN_PATH": "/x:*:/y"]) == ["/x", "/etc/coders/coders.d"] + tail + ["/y"])
  }

  @Test func addedPathsComeBeforeTheStandardOne() {
    #expect(paths(["CODERS_ADD_PLUGIN_PATH": "/x:/y"]) == ["/x", "/y", "/etc/coders/coders.d"] + tail)
  }

  @Test func dataDirectoriesKeepTheirOrderAndAreAbsolute() {
    let found = paths(["XDG_DATA_DIRS": "/two:relative:/one"], executable: nil)
    #expect(
      found == [
        "/etc/coders/coders.d", "/two/coders/1", "/one/coders/1", "/usr/local/lib/coders/1", "/usr/lib/coders/1",
      ])
  }

  @Test func aProgramInAFolderOfTheRootHasOnePlaceBesideIt() {
    let tail = ["/usr/local/lib/coders/1", "/usr/lib/coders/1"]
    #expect(paths([:], executable: "/bin/app").suffix(3) == ["/bin/coders"] + tail)
    #expect(paths([:], executable: "/bin/coders").suffix(3) == ["/usr/share/coders/1"] + tail)
    #expect(paths([:], executable: "/app").suffix(3) == ["/usr/share/coders/1"] + tail)
  }

  @Test func aPathThatComesTwiceCountsOnce() {
    #expect(paths(["CODERS_PLUGIN_PATH": "/x:/y:/x"], arguments: ["/y"]) == ["/y", "/x"])
  }

  @Test func theExecutableIsKnown() {
    #expect(PluginSearchPath.executablePath()?.hasPrefix("/") == true)
  }
}

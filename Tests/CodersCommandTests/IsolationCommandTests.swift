// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// `--isolate` and `CODERS_ISOLATION` of the staged command. A layer that is left out is one that the machine lacks.
@Suite struct IsolationCommandTests {
  private static func probe(_ mode: String, without layers: String = "", environment: [String: String] = [:]) throws
    -> Run
  {
    var environment = environment
    environment["CODERS_ISOLATION_WITHOUT"] = layers
    return Run.binary(
      ["probe", "--short", "--isolate", mode, try Fixture.path("window.png")], environment: environment)
  }

  @Test(arguments: ["off", "preferred", "required"]) func everyModeReads(_ mode: String) throws {
    let run = try Self.probe(mode)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("public.png  720×420  rgb8"))
  }

  @Test(arguments: [
    "no-new-privileges", "capabilities", "seccomp", "memory", "limits", "undumpable", "descriptors", "landlock,root",
  ]) func requiredRefusesWithoutALayer(_ layers: String) throws {
    let run = try Self.probe("required", without: layers)
    #expect(run.status == 5)
    #expect(run.output == "")
    #expect(run.errors.contains("pluginRejected: isolation_missing: isolation is required, and "))
    #expect(run.errors.contains(layers == "landlock,root" ? "landlock or root" : layers))
    #expect(try Self.probe("preferred", without: layers).status == 0)
  }

  /// Rights that were not dropped are not taken for dropped: root has them, and so has a process in a namespace of its own.
  @Test(arguments: ["required", "strict"]) func rightsThatStayAreMissed(_ mode: String) throws {
    let folder = Folder()
    let built = Command.run("cc -o '\(folder.path)/refuse' '\(StagedTree.root)/Tests/Filter/refuse.c'")
    try #require(built.status == 0, "\(built.output)")
    func probe(_ mode: String) throws -> Command.Result {
      Command.run(
        """
        '\(folder.path)/refuse' capset '\(StagedTree.root)/build/bin/coders' probe --short --isolate \(mode) \
        '\(try Fixture.path("window.png"))' 2>&1
        """)
    }
    let run = try probe(mode)
    #expect(run.status == 5, "\(run.output)")
    #expect(run.output.contains("isolation is \(mode), and this machine does not offer capabilities"), "\(run.output)")
    #expect(try probe("preferred").status == 0)
  }

  @Test(arguments: ["landlock", "root", "network", "ipc", "pid"]) func onlyStrictNeedsEveryLayer(_ layer: String) throws
  {
    let run = try Self.probe("strict", without: layer)
    #expect(run.status == 5)
    #expect(run.errors.contains("isolation is strict, and "))
    #expect(run.errors.contains(layer))
    // A machine may lack the other one of the two that stop files.
    if layer != "landlock", layer != "root" { #expect(try Self.probe("required", without: layer).status == 0) }
  }

  @Test func theVariableOnlyTightens() throws {
    let strict = ["CODERS_ISOLATION": "required"]
    #expect(try Self.probe("off", without: "seccomp", environment: strict).status == 5)
    #expect(try Self.probe("required", without: "seccomp", environment: ["CODERS_ISOLATION": "off"]).status == 5)
    // Who sets a word that is none wants isolation.
    #expect(try Self.probe("off", without: "seccomp", environment: ["CODERS_ISOLATION": "yes"]).status == 5)
  }

  @Test func aWorkerThatIsNotThereIsNamed() throws {
    let run = try Self.probe("required", environment: ["CODERS_WORKER": "/nowhere/coders-worker"])
    #expect(run.status == 5)
    #expect(run.errors.contains("isolation_missing: there is no worker: /nowhere/coders-worker does not exist"))
    #expect(try Self.probe("preferred", environment: ["CODERS_WORKER": "/nowhere/coders-worker"]).status == 0)
  }

  @Test func aProgramWithFewDescriptorsHasAWorker() throws {
    let run = Command.run(
      "ulimit -n 32 && '\(StagedTree.root)/build/bin/coders' probe --short --isolate required "
        + "'\(try Fixture.path("window.png"))' 2>&1")
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("public.png  720×420  rgb8"))
  }

  /// What is too few is named, whatever it is that does not come first.
  @Test(arguments: 8...12) func aProgramWithTooFewDescriptorsIsTold(_ descriptors: Int) throws {
    let run = Command.run(
      "exec 2>&1; ulimit -n \(descriptors); exec '\(StagedTree.root)/build/bin/coders' probe --short "
        + "--isolate required '\(try Fixture.path("window.png"))'")
    guard run.status != 0 else { return }
    let limit = "Too many open files: the program may have \(descriptors) (RLIMIT_NOFILE)"
    #expect(run.output.contains(limit), "\(run.output)")
  }

  @Test func writesInAWorker() throws {
    let folder = Folder()
    let input = try Fixture.path("window.png")
    for (mode, name) in [("off", "a.jpg"), ("required", "b.jpg")] {
      #expect(Run.binary(["convert", "--isolate", mode, input, "-o", "\(folder.path)/\(name)"]).status == 0)
    }
    let bytes = try ["a.jpg", "b.jpg"].map {
      try OpenSource(.file("\(folder.path)/\($0)"), limits: .standard).contents()
    }
    #expect(bytes[0] == bytes[1])
  }

  @Test func whatAModeLacksHasAName() {
    let all = IsolationLayers(IsolationLayers.all.map(\.layer))
    #expect(all.missing(for: .strict) == [])
    #expect(all.subtracting([.landlock]).missing(for: .required) == [])
    #expect(all.subtracting([.root]).missing(for: .required) == [])
    #expect(all.subtracting([.landlock, .root]).missing(for: .required) == ["landlock or root"])
    #expect(all.subtracting([.seccomp, .pid]).missing(for: .strict) == ["seccomp", "pid"])
    #expect(IsolationLayers([]).missing(for: .preferred) == [])
  }

  @Test func wordsOfTheVariable() {
    func mode(_ word: String?) -> Isolation.Mode { Isolation.Mode.ofEnvironment { _ in word } }
    #expect(mode(nil) == .inProcess)
    #expect(mode("") == .required)
    #expect(mode("off") == .inProcess)
    #expect(mode("preferred") == .preferred)
    #expect(mode("required") == .required)
    #expect(mode("strict") == .strict)
    #expect(mode("on") == .required)
  }

  /// An empty variable that forbids is not an unset one.
  @Test func emptyVariablesForbid() throws {
    let file = try Fixture.path("window.png")
    let policy = Run.binary(["probe", file], environment: ["CODERS_POLICY": ""])
    #expect(policy.status != 0)
    #expect(policy.errors.contains("invalidArgument: \"\" is no policy; standard, trusted, web"), "\(policy.errors)")
    let isolation = Run.binary(
      ["probe", file], environment: ["CODERS_ISOLATION": "", "CODERS_WORKER": "/nonexistent"])
    #expect(isolation.status != 0)
    #expect(isolation.errors.contains("isolation_missing: there is no worker"), "\(isolation.errors)")
    let allowed = Run.binary(["list", "--quiet"], environment: ["CODERS_ALLOW": ""])
    #expect(allowed.output == "")
  }
}

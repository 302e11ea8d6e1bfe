// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// What a program and a worker tell each other of an operation is whole, or nothing comes of it.
@Suite struct OperationParcelTests {
  /// The worker's own code in front of a page that cannot be read: `Tests/CHost/parcels.c`.
  @Test func aParcelCutAtAnyByteIsRefused() {
    let folder = TemporaryFolder()
    let sources = "\(StagedTree.root)/Sources"
    let includes = ["CImageCoder", "CIsolation", "CImageCoderStructs"].map { "-I'\(sources)/\($0)/include'" }
    let built = Command.run(
      "cc -std=gnu11 -O1 \(includes.joined(separator: " ")) -o '\(folder.path)/parcels' "
        + "'\(StagedTree.root)/Tests/CHost/parcels.c' '\(sources)/coders-worker/operations.c' "
        + "'\(sources)/coders-worker/parcels.c'")
    #expect(built.status == 0, "\(built.output)")
    let run = Command.run("'\(folder.path)/parcels'")
    #expect(run.status == 0)
    #expect(run.output == "172 of 172 cuts, 172 of 172 changes, whole 3\n")
  }

  @Test(arguments: [("facts-cut", "facts that are cut off"), ("facts-endless", "facts of more than 65536 bytes")])
  func factsOfAHostilePluginAreChecked(_ act: String, _ says: String) throws {
    let registry = IsolationTests.registry(Isolation(.required, usesFreshWorkers: true))
    do throws(CoderError) {
      _ = try registry.apply(.transcode, to: IsolationTests.file(act), as: .jpeg)
      Issue.record("it succeeds")
    } catch {
      #expect(error.code == .coderCrashed, "\(error)")
      #expect(error.message.contains(says), "\(error)")
      #expect(error.coder == "org.example.hostile")
    }
    let made = try registry.apply(.transcode, to: IsolationTests.file("nothing"), as: .jpeg)
    #expect(made.file?.bytes == Array("other".utf8))
    #expect(made.facts.isEmpty)
  }

  /// The extension of version 1.0, in the program.
  @Test func aTranscoderOfVersion1IsAnOperation() throws {
    let registry = CoderRegistry(searchPath: .only([IsolationTests.folder.path]), preferences: CoderPreferences())
    let operations = registry.operations()
    #expect(operations.map(\.coder) == ["org.example.hostile"])
    #expect(operations.map(\.operation.name) == ["transcode"])
    let made = try registry.apply(.transcode, to: IsolationTests.file("nothing"), as: .jpeg)
    #expect(made.file?.bytes == Array("other".utf8))
    #expect(made.file?.format == .jpeg)
  }
}

// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoders
import Synchronization

/// What a verb does with one input.
protocol FileWork: Sendable {
  /// Makes the output of an input.
  ///
  /// - Parameters:
  ///   - currentFile: Set to the file that an error concerns.
  ///   - problem: Called for a picture that was decoded only in part.
  func make(
    _ input: String, _ output: String, currentFile: inout String, problem: @escaping (CoderError) -> Void
  ) throws(CoderError) -> EncodingReport
}

/// Makes a file of each of several inputs, on several threads. An error in one file does not stop the others.
final class FileRun: Sendable {
  /// What became of one input.
  enum Result: Sendable {
    case written(EncodingReport)
    case upToDate
    case failed(CoderError)
  }

  private let work: any FileWork
  private let failures: Failures
  private let console: Console
  private let isQuiet: Bool
  private let updates: Bool

  /// - Parameter updates: Whether an output that is not older than its input is left as it is.
  init(_ work: any FileWork, updates: Bool, isQuiet: Bool, failures: Failures, _ console: Console) {
    self.work = work
    self.updates = updates
    self.isQuiet = isQuiet
    self.failures = failures
    self.console = console
  }

  /// Makes the files.
  ///
  /// - Returns: A result for each, in the order of the inputs.
  func make(_ files: [(input: String, output: String)], jobs: Int) -> [Result] {
    let progress = Progress(console, total: files.count, isQuiet: isQuiet)
    let results = Results(files.count)
    ThreadPool.shared.run(files.count, jobs: jobs) { index in
      results.set(index, self.make(files[index].input, files[index].output, order: index))
      progress.advance()
    }
    progress.finish()
    let all = results.all
    let failed = all.count { if case .failed = $0 { true } else { false } }
    if failed > 0, files.count > 1, !isQuiet, !console.cancellation.isCancelled {
      console.printError("coders: \(failed) of \(files.count) files failed")
    }
    return all
  }

  private func make(_ input: String, _ output: String, order: Int) -> Result {
    var currentFile = input
    CurrentFiles.set(input: input, output: output)
    do throws(CoderError) {
      if console.cancellation.isCancelled { throw .cancelled }
      if updates, input != "-", output != "-",
        Path.isUpToDate(console.location(of: output), with: console.location(of: input))
      {
        return .upToDate
      }
      let report = try work.make(input, output, currentFile: &currentFile) { [failures] in
        failures.add($0, file: input, order: order)
      }
      report.printSize(console, isQuiet: isQuiet)
      return .written(report)
    } catch {
      failures.add(error, file: currentFile, order: order)
      return .failed(error)
    }
  }

  /// The results so far.
  private final class Results: Sendable {
    private let results: Mutex<[Result]>

    init(_ count: Int) { results = Mutex(Array(repeating: .failed(.cancelled), count: count)) }

    func set(_ index: Int, _ result: Result) { results.withLock { $0[index] = result } }

    var all: [Result] { results.withLock { $0 } }
  }
}

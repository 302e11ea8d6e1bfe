// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// Options of verbs that read images.
struct ReadOptions: ParsableArguments {
  @OptionGroup var coders: CoderOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions

  @Option(name: .customLong("coder"), help: ArgumentHelp("Read with this coder only.", valueName: "id"))
  var coder: String?

  @Option(help: ArgumentHelp("Read this page, counted from 1. (default: the file's primary page)", valueName: "n"))
  var page: Int?

  func validate() throws {
    if let page, page < 1 { throw ValidationError("--page is \(page), pages count from 1") }
  }

  /// The decode options for one input file.
  func decodeOptions(_ console: Console, file: String) -> DecodeOptions {
    var options = DecodeOptions()
    options.limits = limits.limits
    options.page = page.map { $0 - 1 }
    options.cancellation = console.cancellation
    options.log = console.log(for: file, isQuiet: coders.quiet)
    return options
  }

  /// The input that an argument names; `-` is standard input, which is read to its end.
  ///
  /// - Throws: ``CoderError/Code/cancelled``, ``CoderError/Code/io``, ``CoderError/Code/limitExceeded``.
  func source(_ argument: String, _ console: Console) throws(CoderError) -> ByteSource {
    guard argument == "-" else { return .file(argument) }
    return .bytes(try StandardInput.read(most: limits.maxMemory, console.cancellation))
  }
}

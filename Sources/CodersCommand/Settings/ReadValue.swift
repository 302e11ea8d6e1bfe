// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import Synchronization

/// A value of an option to read with.
struct ReadValue: Sendable {
  /// An extension, a name or a type identifier, or nil for all files.
  let format: String?
  let name: String
  /// The value, `@` and the name of its file, or `@-`.
  private let written: String
  private let content = Content()

  /// What a file says, or standard input, which can be read once only.
  private final class Content: Sendable {
    let result = Mutex<Result<String, CoderError>?>(nil)
  }

  /// Bytes of a file with a value, beyond which it is none.
  private static let mostBytes = 64 << 10

  init(format: String?, name: String, written: String) {
    (self.format, self.name, self.written) = (format, name, written)
  }

  /// Whether standard input has the value.
  var takesStandardInput: Bool { written == "@-" }

  /// Puts the value into options.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a secret that stands in the argument itself, and for a format that no
  ///   coder has; ``CoderError/Code/io`` for a file that cannot be read.
  func apply(to options: inout DecodeOptions, _ registry: CoderRegistry, _ console: Console) throws(CoderError) {
    var text = written
    if written.hasPrefix("@") {
      text = try content.result.withLock { (result) throws(CoderError) in
        let read = result ?? Result { () throws(CoderError) in try contents(console) }
        result = read
        return try read.get()
      }
    } else if registry.isSecret(readOption: name) {
      throw .invalidArgument(
        "--read-option \(name): others see the arguments of a command; give it as \(name)=@FILE, or \(name)=@- for "
          + "standard input")
    }
    guard let format else {
      options.values[name] = .word(text)
      return
    }
    let formats = registry.catalog.formats(named: format)
    guard !formats.isEmpty else { throw .invalidArgument("--read-option \(format):\(name): no coder has this format") }
    for format in formats { options.formatValues[format, default: [:]][name] = .word(text) }
  }

  /// The text of the file, without the end of its line.
  private func contents(_ console: Console) throws(CoderError) -> String {
    let bytes: [UInt8]
    if takesStandardInput {
      bytes = try StandardInput.read(most: Self.mostBytes, console.cancellation)
    } else {
      let file = String(written.dropFirst())
      do throws(CoderError) {
        var limits = Limits.standard
        limits.maxMemory = Self.mostBytes
        bytes = try OpenSource(.file(console.location(of: file)), limits: limits).contents()
      } catch {
        throw .io("--read-option \(name): \(file.printable) cannot be read: \(error.message)")
      }
    }
    guard var text = String(validating: bytes, as: UTF8.self) else {
      throw .invalidArgument("--read-option \(name): its file is no text in UTF-8")
    }
    if text.last?.isNewline ?? false { text.removeLast() }
    return text
  }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
public import ImageCoders
import Synchronization

/// Where the command's output goes, and what it may know of its surroundings.
///
/// Results go to standard output, everything else to standard error, one line per error.
///
/// - Threads: Safe from every thread.
public final class Console: Sendable {
  /// Receives bytes of standard output or standard error, and says why it could not take them, or nil.
  public typealias Sink = @Sendable (UnsafeRawBufferPointer) -> CoderError?

  /// Looks a variable of the environment up.
  public let environment: @Sendable (String) -> String?
  /// The path of the running program, beside which plugins are looked for.
  public let executable: String?
  /// Whether results are read by a person at a terminal.
  public let isTerminal: Bool
  /// Whether errors are, so that progress can be shown.
  public let isErrorTerminal: Bool
  /// The width of a line of text.
  public let columns: Int
  /// Stops the work, when the user interrupts it.
  public let cancellation: Cancellation

  let interruption: Interruption?

  private let output: Sink
  private let errors: Sink
  private let pending = Mutex(Pending())

  private struct Pending {
    var bytes: [UInt8] = []
    var failure: CoderError?
  }

  /// Bytes of output that are kept before they are written.
  private static let pendingBytes = 64 << 10

  public init(
    output: @escaping Sink, errors: @escaping Sink, environment: @escaping @Sendable (String) -> String?,
    executable: String?, isTerminal: Bool = false, isErrorTerminal: Bool = false, columns: Int = 80,
    cancellation: Cancellation = Cancellation()
  ) {
    self.output = output
    self.errors = errors
    self.environment = environment
    self.executable = executable
    self.isTerminal = isTerminal
    self.isErrorTerminal = isErrorTerminal
    self.columns = columns
    self.cancellation = cancellation
    self.interruption = nil
  }

  private init(interruption: Interruption) {
    output = { Descriptor.write($0, to: STDOUT_FILENO) }
    errors = { Descriptor.write($0, to: STDERR_FILENO) }
    environment = SearchPath.secureEnvironment
    executable = SearchPath.executablePath()
    isTerminal = isatty(STDOUT_FILENO) == 1
    isErrorTerminal = isatty(STDERR_FILENO) == 1
    columns = isTerminal ? Descriptor.columns(of: STDOUT_FILENO) : 80
    cancellation = interruption.cancellation
    self.interruption = interruption
  }

  /// The console of this process. From now on, an interrupt stops the work instead of the process.
  public static func process() -> Console { Console(interruption: .install()) }

  /// Whether text may be coloured: on a terminal, and not with `NO_COLOR`.
  var usesColour: Bool { isTerminal && environment("NO_COLOR") == nil && environment("TERM") != "dumb" }

  /// Prints a line of the result.
  func print(_ text: String) {
    var text = text
    text.append("\n")
    text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
  }

  /// Writes bytes of the result.
  func write(_ bytes: UnsafeRawBufferPointer) {
    pending.withLock { pending in
      pending.bytes.append(contentsOf: bytes)
      if pending.bytes.count >= Self.pendingBytes || isTerminal { drain(&pending) }
    }
  }

  /// Prints a line that is not a result.
  func printError(_ text: String) {
    // What was said before has to stand before it, where both go to one place.
    flush()
    var text = text
    text.append("\n")
    // There is nowhere left to report that errors cannot be reported.
    text.withUTF8 { _ = errors(UnsafeRawBufferPointer($0)) }
  }

  /// Shows text on standard error without ending the line.
  func showProgress(_ text: String) {
    var text = text
    text.withUTF8 { _ = errors(UnsafeRawBufferPointer($0)) }
  }

  /// Writes what was kept.
  ///
  /// - Returns: Why results are missing, or nil when all could be written.
  @discardableResult
  public func flush() -> CoderError? {
    pending.withLock { pending in
      drain(&pending)
      return pending.failure
    }
  }

  private func drain(_ pending: inout Pending) {
    if !pending.bytes.isEmpty, pending.failure == nil {
      pending.failure = pending.bytes.withUnsafeBytes { output($0) }
    }
    pending.bytes.removeAll(keepingCapacity: true)
  }
}

extension Console {
  /// Prints an error that concerns a file, or none.
  func report(_ error: CoderError, file: String? = nil) {
    printError("coders: \(file.map { "\($0.printable): " } ?? "")\(error)")
  }

  /// Prints a warning that concerns a file.
  func warn(_ message: String, file: String) { printError("coders: \(file.printable): warning: \(message)") }

  /// Receives a coder's log: warnings are printed, unless the user wants quiet.
  func log(for file: String, isQuiet: Bool) -> (@Sendable (LogSeverity, String) -> Void)? {
    guard !isQuiet else { return nil }
    return { severity, message in
      if severity == .warning { self.warn(message, file: file) }
    }
  }
}

/// Calls on file descriptors.
enum Descriptor {
  /// Writes all bytes. A reader that went away ends the process by SIGPIPE, as for every command.
  ///
  /// - Returns: Why bytes are missing, or nil.
  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> CoderError? {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return .io(String(cString: strerror(errno)).lowercased()) }
      rest = rest.dropFirst(written)
    }
    return nil
  }

  static func columns(of descriptor: Int32) -> Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 20 else { return 80 }
    return Int(size.ws_col)
  }
}

extension String {
  /// The text with control characters replaced, so that a file's name cannot move the cursor or end a line.
  var printable: String {
    guard utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return self }
    return String(String.UnicodeScalarView(unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : $0 }))
  }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ImageCoderEngine
public import ImageCoders
import Synchronization

/// The command's output, and its environment.
///
/// Results go to standard output, everything else to standard error, one line per error.
///
/// - Threads: Safe from every thread.
public final class Console: Sendable {
  /// Receives bytes of standard output or standard error. Returns the error if they could not be written, or nil.
  public typealias Sink = @Sendable (UnsafeRawBufferPointer) -> CoderError?

  /// Returns an environment variable, or nil.
  public let environment: @Sendable (String) -> String?
  /// The path of the running program. Its directory decides where plugins are looked for.
  public let executable: String?
  /// Whether standard output is a terminal.
  public let isTerminal: Bool
  /// Whether standard error is a terminal; only then is progress shown.
  public let isErrorTerminal: Bool
  /// The width of the terminal in characters.
  public let columns: Int
  /// The height of the terminal in lines.
  public let rows: Int
  /// Cancelled when the user interrupts the command.
  public let cancellation: Cancellation
  /// Coders that are part of the program.
  public let builtIn: [BuiltInCoder]

  package let interruption: Interruption?
  private let told = ToldMessages()

  /// The descriptor to which results are written.
  private let outputDescriptor: Int32
  /// The descriptor to which results are written if this is the console of a process on a terminal, or nil.
  package var terminalDescriptor: Int32? { isTerminal && interruption != nil ? outputDescriptor : nil }
  /// The directory in which the command was started, or nil to leave relative names to the system.
  private let directory: String?

  private let output: Sink
  private let errors: Sink
  private let pending = Mutex(Pending())
  /// Whether the last line on standard error is a progress bar. The lock also orders what is written there.
  private let isProgressShown = Mutex(false)

  private struct Pending {
    var bytes: [UInt8] = []
    var failure: CoderError?
  }

  /// Bytes of output that are buffered before they are written.
  private static let pendingBytes = 64 << 10

  /// Makes a console whose output and environment the caller supplies, for tests and for programs that embed the
  /// command.
  ///
  /// - Parameters:
  ///   - output: Receives what would go to standard output.
  ///   - errors: Receives what would go to standard error.
  ///   - columns: The width of a line, in characters.
  ///   - rows: The height of the terminal, in lines.
  ///   - cancellation: Stops the command from another thread. Interrupts are not handled here, unlike in ``process()``.
  ///   - builtIn: Coders that are part of the program.
  public init(
    output: @escaping Sink, errors: @escaping Sink, environment: @escaping @Sendable (String) -> String?,
    executable: String?, isTerminal: Bool = false, isErrorTerminal: Bool = false, columns: Int = 80,
    rows: Int = 24, cancellation: Cancellation = Cancellation(), builtIn: [BuiltInCoder] = []
  ) {
    self.output = output
    self.errors = errors
    self.environment = environment
    self.executable = executable
    self.isTerminal = isTerminal
    self.isErrorTerminal = isErrorTerminal
    self.columns = columns
    self.rows = rows
    self.cancellation = cancellation
    self.builtIn = builtIn
    self.interruption = nil
    outputDescriptor = STDOUT_FILENO
    directory = nil
  }

  private init(output descriptor: Int32, interruption: Interruption, builtIn: [BuiltInCoder]) {
    output = { Descriptor.write($0, to: descriptor) }
    errors = { Descriptor.write($0, to: STDERR_FILENO) }
    environment = PluginSearchPath.secureEnvironment
    executable = PluginSearchPath.executablePath()
    isTerminal = isatty(descriptor) == 1
    isErrorTerminal = isatty(STDERR_FILENO) == 1
    columns = isTerminal ? Descriptor.columns(of: descriptor) : 80
    rows = isTerminal ? Descriptor.rows(of: descriptor) : 24
    cancellation = interruption.cancellation
    self.builtIn = builtIn
    self.interruption = interruption
    outputDescriptor = descriptor
    directory = Path.workingDirectory()
  }

  /// The console of this process. From now on, the first interrupt cancels the work instead of ending the process.
  ///
  /// - Parameters:
  ///   - output: The descriptor of standard output.
  ///   - escalation: Called in the signal handler with the number of each interrupt, the first one included. If nil, a
  ///     second interrupt ends the process.
  ///   - builtIn: Coders that are part of the program.
  public static func process(
    output: Int32 = 1, escalation: (@convention(c) (Int32) -> Void)? = nil, builtIn: [BuiltInCoder] = []
  ) -> Console {
    Console(output: output, interruption: .install(escalation), builtIn: builtIn)
  }

  /// Where a file is that an argument names: relative names begin at the directory in which the command was started,
  /// even if a plugin has changed the directory of the process; standard output is what it was at the start.
  package func location(of name: String) -> String {
    if outputDescriptor != STDOUT_FILENO, ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(name) {
      return "/proc/self/fd/\(outputDescriptor)"
    }
    guard let directory else { return name }
    return Path.absolute(name, in: directory)
  }

  /// Whether text may be colored: on a terminal, unless `NO_COLOR` is set.
  package var usesColor: Bool { isTerminal && environment("NO_COLOR") == nil && environment("TERM") != "dumb" }

  /// Prints a line of the result.
  package func print(_ text: String) {
    SystemName.bytes(text + "\n").withUnsafeBytes { write($0) }
  }

  /// Writes bytes of the result.
  package func write(_ bytes: UnsafeRawBufferPointer) {
    pending.withLock { pending in
      pending.bytes.append(contentsOf: bytes)
      if pending.bytes.count >= Self.pendingBytes || isTerminal { drain(&pending) }
    }
  }

  /// Prints a line that is not a result.
  public func printError(_ text: String) {
    // Earlier output must come first if both go to the same terminal.
    flush()
    isProgressShown.withLock { isShown in
      let line = (isShown ? Self.eraseLine : "") + text + "\n"
      isShown = false
      // An error that cannot be printed cannot be reported either.
      SystemName.bytes(line).withUnsafeBytes { _ = errors($0) }
    }
  }

  /// Shows a progress bar on standard error in place of the last one, or removes it.
  ///
  /// - Parameter bar: Text without a line end, or nil to remove the bar.
  package func showProgress(_ bar: String?) {
    isProgressShown.withLock { isShown in
      guard bar != nil || isShown else { return }
      var text = bar.map { "\r" + $0 } ?? Self.eraseLine
      isShown = bar != nil
      text.withUTF8 { _ = errors(UnsafeRawBufferPointer($0)) }
    }
  }

  /// Removes the last line of a terminal. ECMA-48 §8.3.41, Erase in Line.
  private static let eraseLine = "\r\u{1B}[K"

  /// Writes the buffered output.
  ///
  /// - Returns: The first error of writing, or nil if everything was written.
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
  /// Prints an error.
  ///
  /// - Parameter file: The file that it concerns, or nil to name the file that the error itself has.
  package func report(_ error: CoderError, file: String? = nil) {
    printError("coders: \((file ?? error.file).map { "\($0.printable): " } ?? "")\(error.descriptionWithoutFile)")
  }

  /// Prints a warning about a file.
  package func warn(_ message: String, file: String) { printError("coders: \(file.printable): warning: \(message)") }

  /// The receiver of a coder's log: prints each warning of a file once unless `--quiet` is given. A file may be opened more
  /// than once, also to decode it after it could not be changed without decoding.
  package func log(for file: String, isQuiet: Bool) -> (@Sendable (LogSeverity, String) -> Void)? {
    guard !isQuiet else { return nil }
    return { severity, message in
      if severity == .warning, self.told.isNew(message, of: file) { self.warn(message, file: file) }
    }
  }
}

/// The messages that a receiver has printed.
private final class ToldMessages: Sendable {
  private let messages = Mutex<Set<[String]>>([])

  func isNew(_ message: String, of file: String) -> Bool { messages.withLock { $0.insert([file, message]).inserted } }
}

/// Calls on file descriptors.
package enum Descriptor {
  /// Writes all bytes. If the reader of a pipe is gone, SIGPIPE ends the process, as with other commands.
  ///
  /// - Returns: The error, or nil if all bytes were written.
  package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> CoderError? {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return .io(String(cString: strerror(errno)).lowercased()) }
      rest = rest.dropFirst(written)
    }
    return nil
  }

  package static func columns(of descriptor: Int32) -> Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 20 else { return 80 }
    return Int(size.ws_col)
  }

  package static func rows(of descriptor: Int32) -> Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row >= 2 else { return 24 }
    return Int(size.ws_row)
  }
}

extension String {
  /// The text with control characters replaced, so that a file name cannot move the cursor or end a line.
  package var printable: String {
    guard utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return self }
    return String(String.UnicodeScalarView(unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : $0 }))
  }
}

// SPDX-License-Identifier: Apache-2.0

public import ImageCoders

/// The exit status of the command: the group of its first error, see `docs/errors.md`.
public struct ExitStatus: RawRepresentable, Sendable, Equatable {
  public let rawValue: Int32

  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// No file failed and, for `coders doctor`, no problem was found.
  public static let ok = ExitStatus(rawValue: 0)
  /// Pictures differ by more than `coders compare` was told to allow.
  public static let different = ExitStatus(rawValue: 4)
  /// The machine, a library or a plugin failed.
  public static let environment = ExitStatus(rawValue: 5)
  /// Wrong usage: EX_USAGE of `sysexits.h`, which ArgumentParser uses too.
  public static let usage = ExitStatus(rawValue: 64)
  /// Interrupted: the status that a shell reports for SIGINT.
  public static let cancelled = ExitStatus(rawValue: 130)

  /// The status that a shell reports for a program that a signal ended.
  package static func interrupted(by signal: Int32) -> ExitStatus { ExitStatus(rawValue: 128 + signal) }

  /// The status of an error.
  public init(_ error: CoderError) {
    switch error.code.group {
    case _ where error.code == .cancelled: self = .cancelled
    case .file: self.init(rawValue: 1)
    case .unsupported: self.init(rawValue: 2)
    case .limits: self.init(rawValue: 3)
    case .caller: self = .usage
    case .environment: self = .environment
    }
  }
}

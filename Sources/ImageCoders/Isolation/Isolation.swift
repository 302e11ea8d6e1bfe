// SPDX-License-Identifier: Apache-2.0

extension Isolation {
  /// Where the code of plugins sees files: in this process, or in a locked process of its own.
  ///
  /// What comes out is the same, bit for bit.
  public enum Mode: Int, Sendable, Comparable, CaseIterable {
    /// In this process.
    case inProcess
    /// In a worker with whatever layers of isolation this machine offers; in this process if there can be no worker.
    case preferred
    /// In a worker that can open no file, reach no network, start no process, and use limited memory and time. If a layer
    /// that this needs is not available, that is an error that names it. Nothing of a file is seen by a plugin in this
    /// process.
    case required
    /// As ``required``, and every layer that there is: also Landlock and all namespaces.
    case strict

    /// Whether the first keeps plugins less apart than the second.
    public static func < (left: Mode, right: Mode) -> Bool { left.rawValue < right.rawValue }

    /// The word for it: `off`, `preferred`, `required`, `strict`.
    public var word: String {
      switch self {
      case .inProcess: "off"
      case .preferred: "preferred"
      case .required: "required"
      case .strict: "strict"
      }
    }

    /// The mode that a word names, or nil.
    public init?(word: String) {
      guard let mode = Self.allCases.first(where: { $0.word == word }) else { return nil }
      self = mode
    }

    /// What the variable `CODERS_ISOLATION` asks for, ``inProcess`` if it is not set. A word that is none, and no word, count
    /// as ``required``: who sets it wants isolation.
    ///
    /// - Parameter environment: Looks a variable up.
    package static func ofEnvironment(
      _ environment: (String) -> String? = PluginSearchPath.secureEnvironment
    ) -> Mode {
      guard let word = environment("CODERS_ISOLATION") else { return .inProcess }
      return Mode(word: word) ?? .required
    }
  }
}

/// How the plugins of a registry are kept apart from the program.
public struct Isolation: Sendable, Hashable {
  /// Where the code of plugins sees files. The stricter of this and the variable `CODERS_ISOLATION` counts.
  public var mode: Mode
  /// Whether each file gets a worker that has seen no other one. Otherwise a worker is used for up to 1000 files.
  public var usesFreshWorkers: Bool
  /// Processor time of one call of a plugin, in seconds, at least 1; 60 unless set. A call that takes longer fails with
  /// ``CoderError/Code/limitExceeded``.
  public var processorSeconds: Int
  /// Time of one call of a plugin on the clock, in seconds, at least 1; 120 unless set. Waiting for bytes that are still to
  /// arrive does not count.
  public var clockSeconds: Int

  /// Makes settings with the standard limits of time.
  public init(
    _ mode: Mode, usesFreshWorkers: Bool = false, processorSeconds: Int = 60, clockSeconds: Int = 120
  ) {
    self.mode = mode
    self.usesFreshWorkers = usesFreshWorkers
    self.processorSeconds = max(1, processorSeconds)
    self.clockSeconds = max(1, clockSeconds)
  }

  /// The same with at least a mode.
  func atLeast(_ least: Mode) -> Isolation {
    var isolation = self
    isolation.mode = max(mode, least)
    return isolation
  }
}

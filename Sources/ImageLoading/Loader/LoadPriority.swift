// SPDX-License-Identifier: Apache-2.0
#if Loading
  /// How soon a picture is wanted, compared with others.
  ///
  /// What several want has the highest priority among those who wait.
  public enum LoadPriority: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// For pictures that may be wanted later: ``ImageLoader/prefetch(_:concurrency:priority:depth:)``.
    case lowest
    /// For pictures that are not visible yet.
    case low
    /// The default priority of a request.
    case normal
    /// For pictures that are visible.
    case high
    /// For pictures that somebody waits for.
    case highest

    /// Whether one is later than the other.
    public static func < (one: LoadPriority, other: LoadPriority) -> Bool { one.rawValue < other.rawValue }

    /// The priority of the tasks that do the work.
    var ofTasks: TaskPriority {
      switch self {
      case .lowest: .background
      case .low: .low
      case .normal: .medium
      case .high, .highest: .high
      }
    }
  }
#endif

// SPDX-License-Identifier: Apache-2.0

import CHostSystem
import Glibc
import ImageCoderModel

/// A mark on the calling thread while it is in a plugin's code. A program that catches crashes can so tell which plugin
/// is to blame, and for which file.
///
/// The library itself only keeps the mark. Each call costs two stores to memory of the thread.
struct PluginCall: @unchecked Sendable {
  // Unchecked: constant memory that is never freed.
  private let mark: UnsafePointer<chostsystem_plugin>

  typealias Mark = UnsafePointer<chostsystem_plugin>

  /// - Parameters:
  ///   - coder: The coder's identifier.
  ///   - library: The library that is loaded by the call, or nil for one that is loaded.
  ///   - writes: Whether the call writes a file; otherwise it reads one.
  init(_ coder: String, loading library: String? = nil, writes: Bool = false) {
    let key = Key(coder: coder, library: library, writes: writes)
    mark = Self.marks.withLock { marks in
      if let mark = marks.first(where: { $0.key == key })?.mark { return mark.pointer }
      let memory = UnsafeMutablePointer<chostsystem_plugin>.allocate(capacity: 1)
      memory.initialize(
        to: chostsystem_plugin(
          coder: strdup(coder), library: library.flatMap { UnsafePointer(strdup($0)) }, writes: writes ? 1 : 0))
      let mark = Kept(pointer: UnsafePointer(memory))
      marks.append((key, mark))
      return mark.pointer
    }
  }

  /// Marks the calling thread.
  ///
  /// - Returns: What ``leave(_:)`` takes.
  func enter() -> Mark? { chostsystem_enter(mark) }

  /// Restores the mark from before ``enter()``.
  func leave(_ outer: Mark?) { chostsystem_leave(outer) }

  private struct Key: Equatable {
    let coder: String
    let library: String?
    let writes: Bool
  }

  private struct Kept: @unchecked Sendable {
    let pointer: UnsafePointer<chostsystem_plugin>
  }

  /// One mark for each kind of call; kept for the life of the process, since a signal handler may read them at any time.
  private static let marks = Lock<[(key: Key, mark: Kept)]>([])
}

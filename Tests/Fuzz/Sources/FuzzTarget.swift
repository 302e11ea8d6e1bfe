// SPDX-License-Identifier: Apache-2.0

import FuzzStructures
import ImageCoders

/// A piece of the library that is fed with bytes which may be anything.
///
/// A run that ends, whatever it says of the bytes, has passed. What fails is a trap, a report of a sanitizer, a hang,
/// memory beyond ``mostMemory``, and a broken promise, which ends the process by ``broken(_:)``.
struct FuzzTarget: Sendable {
  /// `png-decode`: lower case, the subject first.
  let name: String
  /// A line for the list.
  let about: String
  let seeds: Seeds
  /// How bytes of this kind are put together, or nil for bytes without structure.
  let structure: (any FileStructure.Type)?
  let run: @Sendable ([UInt8]) -> Void

  /// The memory that readers may take, as ``ImageCoderModel/Limits/maxMemory``.
  static let mostMemory = 64 << 20

  /// Ends the process because a promise of the library does not hold.
  static func broken(_ promise: String) -> Never { fatalError("a promise is broken: \(promise)") }
}

/// What the first inputs of a target are.
enum Seeds {
  /// The files of folders, by their paths from the top of the repository.
  case files([String])
  /// The blocks of a kind in the fixtures of all formats.
  case metadata(MetadataKind)
  case bytes([[UInt8]])
}

// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import Glibc
import ImageCoderEngine
import ImageCoderModel

/// A shared library that holds a coder. Once loaded it stays: unloading a library with a Swift runtime crashes.
enum PluginLibrary {
  /// Loads a library and asks it for its coder.
  ///
  /// - Parameters:
  ///   - path: Absolute.
  ///   - id: The identifier that the manifest promises.
  /// - Throws: ``SkipReason`` with the name of what to change.
  static func load(_ path: String, id: String) throws(SkipReason) -> UnsafePointer<imgcoder_coder> {
    guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
      let message = String(cString: dlerror())
      throw SkipReason(.loadFailed, message, missingLibrary: missingLibrary(message))
    }
    guard let symbol = dlsym(library, IMGCODER_ENTRY_SYMBOL) else {
      throw SkipReason(.entryMissing, "\(path) exports no \(IMGCODER_ENTRY_SYMBOL)")
    }
    let raw = UnsafePointer(symbol.assumingMemoryBound(to: imgcoder_entry.self))
    let entry = imgcoder_entry_read(raw)
    guard isMagic(entry.magic) else {
      throw SkipReason(.entryInvalid, "\(IMGCODER_ENTRY_SYMBOL) of \(path) does not begin as an entry does")
    }
    guard entry.abi_major == UInt32(IMGCODER_ABI_MAJOR) else {
      throw SkipReason(
        .abiUnsupported,
        "\(path) is built for version \(entry.abi_major) of the interface, this host has \(IMGCODER_ABI_MAJOR)")
    }
    guard let describe = entry.describe else {
      throw SkipReason(.entryInvalid, "\(IMGCODER_ENTRY_SYMBOL) of \(path) has no describe")
    }
    let session = HostSession(source: nil, limits: .standard)
    guard let coder = describe(session.host.raw) else {
      throw SkipReason(.refused, session.error(for: CoderError.Code.pluginRejected.rawValue).message)
    }
    let found = String(imgcoder_coder_read(coder).id)
    guard found == id else {
      throw SkipReason(.idMismatch, "\(path) holds the coder \(found), the manifest promises \(id)")
    }
    return coder
  }

  /// The library that the loader did not find, or nil when loading failed for another reason.
  ///
  /// The loader begins its message with the name of the file that it could not load. That is a path when it found the
  /// file, and the bare name of a needed library when it did not.
  private static func missingLibrary(_ message: String) -> String? {
    guard let name = message.split(separator: ":", maxSplits: 1).first, !name.contains("/"), !name.contains(" ") else {
      return nil
    }
    return String(name)
  }

  private static func isMagic(_ bytes: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8)) -> Bool {
    withUnsafeBytes(of: bytes) { $0.elementsEqual("IMGCODER".utf8) }
  }
}

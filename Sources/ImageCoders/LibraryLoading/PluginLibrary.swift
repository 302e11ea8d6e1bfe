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
    let library = try open(path)
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
    return try coder(describe, id: id, from: path)
  }

  /// Loads a library, and of the Swift runtime what it needs and this program does not: the library names the files alone,
  /// the program where they are.
  private static func open(_ path: String) throws(SkipReason) -> UnsafeMutableRawPointer {
    var found: Set<String> = []
    while true {
      if let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) { return library }
      let message = String(cString: dlerror())
      let missing = missingLibrary(message)
      if let missing, found.insert(missing).inserted, let folder = HostPlatform.runtimeFolder,
        dlopen("\(folder)/\(missing)", RTLD_LAZY | RTLD_LOCAL) != nil
      {
        continue
      }
      if missing?.hasPrefix("libswift") == true, !HostPlatform.sharesRuntime {
        throw SkipReason(.loadFailed, "\(message); the plugin \(HostPlatform.staticRuntimeAdvice)")
      }
      throw SkipReason(.loadFailed, message, missingLibrary: missing)
    }
  }

  /// Asks for a coder, once per process, and checks what is described.
  ///
  /// - Parameters:
  ///   - id: The identifier that the manifest promises.
  ///   - place: Where the coder is, for messages.
  static func coder(
    _ describe: BuiltInCoder.Describe, id: String, from place: String
  ) throws(SkipReason) -> UnsafePointer<imgcoder_coder> {
    let coder = try description(by: describe).get().coder
    let problem = CoderValidation.problem(
      of: imgcoder_coder_read(coder), size: coder.pointee.struct_size, id: id)
    if let problem { throw SkipReason(problem.code, "\(place): \(problem.message)") }
    return coder
  }

  /// A coder in constant memory of a library that is never unloaded.
  private struct Address: @unchecked Sendable {
    let coder: UnsafePointer<imgcoder_coder>
  }

  /// What a library described, now or earlier.
  private static func description(by describe: BuiltInCoder.Describe) -> Result<Address, SkipReason> {
    let key = unsafeBitCast(describe, to: UInt.self)
    return described.withLock { known in
      if let result = known[key] { return result }
      let session = HostSession(source: nil, limits: .standard)
      let result: Result<Address, SkipReason> =
        if let coder = describe(session.host.raw) {
          .success(Address(coder: coder))
        } else {
          .failure(SkipReason(.refused, session.error(for: CoderError.Code.pluginRejected.rawValue).message))
        }
      known[key] = result
      return result
    }
  }

  /// What each library described: the interface has it asked once per process, and there may be several registries. The
  /// lock is held while a library describes itself, so that no two threads ask it.
  private static let described = Lock<[UInt: Result<Address, SkipReason>]>([:])

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

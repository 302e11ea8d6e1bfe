// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import Glibc
package import ImageCoderModel

/// The files beside the source of a session that its coder asks for.
///
/// - Threads: One at a time, as the session.
final class Siblings {
  /// Bytes that are looked at of a name: more than one can have.
  static let mostBytesAsked = 1024

  /// What was asked for and allowed, as it was then.
  private(set) var stamps: [SiblingStamp] = []

  private let patterns: [SiblingPattern]
  private let access: SiblingAccess
  private let setBy: String
  /// The folder with a slash at its end or nothing for that of the process, and the name in it; nil for bytes of no path.
  private let place: (folder: String, name: [UInt8])?
  private var folder: FileDescriptor?
  /// Bytes of all that were opened.
  private var total = 0
  /// Those that the coder reads in this process.
  private var held: [SiblingSource] = []

  /// - Parameters:
  ///   - path: Of the source, or nil for bytes from elsewhere.
  ///   - patterns: Those of the coder's manifest.
  ///   - rules: What may be read, and the words that say who set that.
  init(of path: String?, _ patterns: [SiblingPattern], _ rules: (access: SiblingAccess, setBy: String)) {
    self.patterns = patterns
    (access, setBy) = rules
    place = path.map { path in
      let bytes = SystemName.bytes(path)
      let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
      return (SystemName.string(bytes[..<start]), Array(bytes[start...]))
    }
  }

  /// Why a file is not there for the coder.
  struct Absence: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
  }

  /// Opens a file for the coder.
  ///
  /// - Parameter limits: `maxMemory` bounds the bytes of all together.
  /// - Returns: Its bytes, or why it counts as not there.
  /// - Throws: ``CoderError/Code/limitExceeded``, ``CoderError/Code/io``, ``CoderError/Code/outOfMemory``.
  func open(_ asked: [UInt8], _ limits: Limits) throws(CoderError) -> Result<MemoryBytes, Absence> {
    guard let place else { return .failure(Absence("the bytes that are read have no folder")) }
    let name = SiblingPattern.expanded(asked, for: place.name)
    guard SiblingPattern.isName(name) else { return .failure(Absence("this is no name of a file of the folder")) }
    let matching = patterns.filter { $0.allows(name, beside: place.name) }
    guard !matching.isEmpty else { return .failure(Absence("the coder's manifest does not name it")) }
    guard access == .folder || access == .named && matching.contains(where: \.isNamed) else {
      return .failure(Absence("\(setBy) \"\(access.word)\""))
    }
    let path = place.folder + SystemName.string(name)
    let file: FileDescriptor?
    do throws(CoderError) {
      file = try FileDescriptor(regularFile: name, in: try openFolder(place.folder))
    } catch {
      return .failure(Absence(error.message))
    }
    guard let file, let status = try file.status() else {
      stamps.append(SiblingStamp(path: path, version: nil))
      return .failure(Absence("there is no such file, or it is no regular file"))
    }
    stamps.append(SiblingStamp(path: path, version: SiblingStamp.version(status)))
    let size = Int(status.st_size)
    let (sum, overflow) = total.addingReportingOverflow(size)
    guard !overflow, sum <= limits.maxMemory else {
      throw .limitExceeded(
        .maxMemory, found: overflow ? .max : sum, allowed: limits.maxMemory, what: "files beside the file, in bytes, of"
      )
    }
    total = sum
    try ArrayMemory.check(bytes: size, for: "a file beside the file")
    let bytes = try MemoryBytes(count: size) { (memory) throws(CoderError) in
      guard let start = memory.baseAddress else { return }
      let filled = try file.read(into: start, at: 0, count: size)
      guard filled == size else {
        throw .io("\(path) became shorter while it was read: \(filled) of \(size) bytes are left")
      }
    }
    return .success(bytes)
  }

  private func openFolder(_ path: String) throws(CoderError) -> FileDescriptor {
    if let folder { return folder }
    let opened = try FileDescriptor(folder: path.isEmpty ? "." : path)
    folder = opened
    return opened
  }

  /// Keeps bytes for the plugin until the session ends.
  func hold(_ bytes: MemoryBytes, _ session: HostSession) -> UnsafePointer<imgcoder_source> {
    let source = SiblingSource(bytes, session)
    held.append(source)
    return UnsafePointer(source.raw)
  }
}

/// A file in memory as a plugin sees it.
private final class SiblingSource {
  let raw: UnsafeMutablePointer<imgcoder_source>
  private let bytes: MemoryBytes
  private unowned let session: HostSession

  init(_ bytes: MemoryBytes, _ session: HostSession) {
    self.bytes = bytes
    self.session = session
    raw = .allocate(capacity: 1)
    raw.initialize(to: imgcoder_source_sized())
    raw.pointee.context = Unmanaged.passUnretained(self).toOpaque()
    raw.pointee.size = UInt64(bytes.bytes.count)
    raw.pointee.view = { source, offset, wanted, bytes, length in
      SiblingSource.view(source, at: offset, count: wanted, bytes, length: length)
    }
    raw.pointee.view_available = { source, offset, _, wanted, bytes, length in
      SiblingSource.view(source, at: offset, count: wanted, bytes, length: length)
    }
  }

  deinit { raw.deallocate() }

  private static func view(
    _ source: UnsafePointer<imgcoder_source>?, at offset: UInt64, count wanted: UInt64,
    _ bytes: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, length: UnsafeMutablePointer<UInt64>?
  ) -> imgcoder_status {
    guard let context = source?.pointee.context, let bytes, let length else { return InterfaceStatus.invalidArgument }
    let this = Unmanaged<SiblingSource>.fromOpaque(context).takeUnretainedValue()
    (bytes.pointee, length.pointee) = (nil, 0)
    do throws(CoderError) { try this.session.budget.countRead(isFetch: false) } catch {
      this.session.record(error)
      this.session.sourceFailure = error
      return error.code.rawValue
    }
    let shown = this.bytes.bytes.dropFirst(Int(clamping: offset)).prefix(Int(clamping: wanted))
    guard !shown.isEmpty else { return InterfaceStatus.ok }
    bytes.pointee = UnsafeRawBufferPointer(rebasing: shown).bindMemory(to: UInt8.self).baseAddress
    length.pointee = UInt64(shown.count)
    return InterfaceStatus.ok
  }
}

extension HostSession {
  /// The bytes of a file beside the source, if the coder may have them. The log says why it may not.
  ///
  /// - Parameter asked: A name of the interface, in which `{stem}` and `{name}` stand for the source's.
  /// - Throws: ``CoderError/Code/limitExceeded``, ``CoderError/Code/io``, ``CoderError/Code/outOfMemory``.
  package func sibling(named asked: [UInt8]) throws(CoderError) -> MemoryBytes? {
    try budget.countRead(isFetch: true)
    let reason: String
    if let siblings {
      switch try siblings.open(asked, limits) {
      case .success(let bytes): return bytes
      case .failure(let absence): reason = absence.reason
      }
    } else {
      reason = "the coder's manifest names none, or this call reads none"
    }
    let shown = SystemName.unicode(SystemName.string(asked.prefix(100).map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }))
    log?(.info, "\(shown), beside the file, is not opened: \(reason)")
    return nil
  }

  /// The bytes of a file beside the source for a plugin in this process, which keep until the session ends.
  func openSibling(_ asked: [UInt8]) throws(CoderError) -> UnsafePointer<imgcoder_source>? {
    guard let bytes = try sibling(named: asked) else { return nil }
    return siblings?.hold(bytes, self)
  }
}

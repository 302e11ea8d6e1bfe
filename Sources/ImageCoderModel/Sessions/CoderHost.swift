// SPDX-License-Identifier: Apache-2.0

public import CImageCoder
import CImageCoderStructs
import Glibc

/// The services of the host for one session of a reader or writer.
///
/// - Lifetime: As long as the session; do not keep it longer.
/// - Threads: One at a time, as the session, except ``isCancelled`` and ``log(_:severity:)``.
public struct CoderHost: @unchecked Sendable {
  /// The C struct, for code that passes it on to C.
  public let raw: UnsafePointer<imgcoder_host>

  /// - Parameter raw: Valid as long as the session.
  public init(_ raw: UnsafePointer<imgcoder_host>) { self.raw = raw }

  /// The minor version of the plugin interface that the host has: 1 for version 1.1. Of 1.0, it does not know
  /// ``PixelFormat/rgb16`` and any ``RowFormat``, and is given rows with alpha where a reader offers those.
  public var minorVersion: Int { Int(raw.pointee.abi_minor) }

  /// The resources that the session may use.
  public var limits: Limits { Limits(raw.pointee.limits) }

  /// Whether the work should stop. Cheap enough to check once per row.
  public var isCancelled: Bool { raw.pointee.is_cancelled(raw) != 0 }

  /// Reports how much of the current call is done, 0 to 1, for work without rows.
  public func progress(_ fraction: Double) { raw.pointee.progress(raw, fraction) }

  /// Writes a line to the log: hosts show warnings to the people who opened the file, other lines are for developers.
  public func log(_ message: String, severity: LogSeverity = .info) {
    message.withCoderString { raw.pointee.log(raw, severity.rawValue, $0) }
  }

  /// Allocates memory within the session's budget. It is not cleared.
  ///
  /// - Parameters:
  ///   - bytes: At least 0.
  ///   - alignment: A power of two, at most 4096.
  /// - Returns: Memory that has to be freed with ``free(_:)``.
  /// - Throws: ``CoderError/Code/outOfMemory`` if the budget or the machine's memory is exhausted.
  public func allocate(bytes: Int, alignment: Int = 16, for purpose: String) throws(CoderError)
    -> UnsafeMutableRawPointer
  {
    guard bytes >= 0, let memory = raw.pointee.allocate(raw, UInt64(bytes), UInt64(alignment)) else {
      throw .outOfMemory(bytes: bytes, for: purpose)
    }
    return memory
  }

  /// Frees memory.
  public func free(_ memory: UnsafeMutableRawPointer?) { raw.pointee.free(raw, memory) }

  /// Counts bytes that come out of Deflate, LZW, Zstandard, LZMA or Brotli, before the work where their number is known.
  ///
  /// - Parameter bytes: At least 0.
  /// - Throws: ``CoderError/Code/limitExceeded`` if this call may not inflate more. A host that does not count them never
  ///   refuses.
  public func countInflated(_ bytes: Int) throws(CoderError) {
    guard bytes > 0, imgcoder_spend(raw, UInt32(IMGCODER_WORK_INFLATED), UInt64(bytes)) != InterfaceStatus.ok
    else { return }
    // The host knows how much is allowed, and has said so.
    throw CoderError(code: .limitExceeded, message: "the host allows fewer bytes to be inflated", limit: .maxInflated)
  }

  /// The bytes of a file beside the one that is read, in the same folder.
  ///
  /// The coder's manifest names it under `siblings`, and whether it is opened is the user's choice. Its bytes count as those of
  /// the source do.
  ///
  /// - Parameter name: `{stem}.xmp` and `{name}.xmp` are `photo.xmp` and `photo.nef.xmp` for `photo.nef`. No folder, and no
  ///   first letter `.`.
  /// - Returns: Bytes that keep until the session is closed; nil if there is no such file, if it may not be opened, and if the
  ///   bytes that are read have no folder. Also nil from a host that opens none.
  /// - Throws: ``CoderError/Code/limitExceeded``, ``CoderError/Code/io``, ``CoderError/Code/outOfMemory``.
  public func sibling(named name: String) throws(CoderError) -> SourceView? {
    guard let table = IMGCODER_EXTENSION_SIBLINGS.withCoderString({ raw.pointee.get_extension(raw, $0) }),
      let open = imgcoder_siblings_table_read(table.assumingMemoryBound(to: imgcoder_siblings_table.self)).open
    else { return nil }
    var source: UnsafePointer<imgcoder_source>?
    let status = name.withCoderString { open(raw, $0, &source) }
    if status == InterfaceStatus.notPresent { return nil }
    guard status == InterfaceStatus.ok, let source else {
      // The host knows why.
      throw CoderError(code: CoderError.Code(rawValue: status), message: "the host does not open \(name)")
    }
    return SourceView(source)
  }

  /// Draws what there is of a picture when somebody looks at it while its bytes still arrive.
  ///
  /// - Parameters:
  ///   - draw: Called on this thread while `body` waits for bytes of the source. It may give a pass to the sink, and has to return
  ///     soon where a new one is not worth its cost.
  ///   - body: Decodes. Its argument says whether the host calls `draw`; a host that does not know when somebody looks is given
  ///     passes when the reader thinks it right.
  public func drawing<Result>(
    whenLookedAt draw: () -> Void, _ body: (_ isAsked: Bool) throws(CoderError) -> Result
  ) throws(CoderError) -> Result {
    guard let table = IMGCODER_EXTENSION_LOOK.withCoderString({ raw.pointee.get_extension(raw, $0) }) else {
      return try body(false)
    }
    let look = imgcoder_look_table_read(table.assumingMemoryBound(to: imgcoder_look_table.self))
    guard let setDraw = look.set_draw else { return try body(false) }
    let result: Swift.Result<Result, CoderError> = withoutActuallyEscaping(draw) { escapable in
      var closure: () -> Void = escapable
      return withUnsafeMutablePointer(to: &closure) { pointer in
        let status = setDraw(raw, { $0?.assumingMemoryBound(to: (() -> Void).self).pointee() }, pointer)
        defer { if status == InterfaceStatus.ok { _ = setDraw(raw, nil, nil) } }
        let isAsked = status == InterfaceStatus.ok
        do throws(CoderError) { return .success(try body(isAsked)) } catch { return .failure(error) }
      }
    }
    return try result.get()
  }

  /// Records an error for the current call and returns its code for C.
  public func fail(_ error: CoderError) -> imgcoder_status {
    error.message.withCoderString { message in
      let offset = Int64(error.offset ?? -1)
      guard error.code == .limitExceeded, let limit = error.limit, let failWith = imgcoder_host_read(raw).fail_with
      else { return raw.pointee.fail(raw, error.code.rawValue, offset, message) }
      var failure = imgcoder_failure_sized()
      failure.status = error.code.rawValue
      failure.offset = offset
      failure.message = message
      failure.limit = limit.number
      failure.found = UInt64(clamping: error.found ?? 0)
      failure.allowed = UInt64(clamping: error.allowed ?? 0)
      return failWith(raw, &failure)
    }
  }

  /// Runs `body` for every index in `0 ..< count`, on as many threads as the host chooses.
  public func parallelFor(_ count: Int, _ body: (Int) -> Void) {
    withoutActuallyEscaping(body) { escapable in
      var closure: (Int) -> Void = escapable
      withUnsafeMutablePointer(to: &closure) { pointer in
        raw.pointee.parallel_for(
          raw, UInt32(clamping: count),
          { argument, index in
            argument?.assumingMemoryBound(to: ((Int) -> Void).self).pointee(Int(index))
          }, pointer)
      }
    }
  }
}

extension Limits {
  /// Reads the limits of a session from the plugin interface. A field that the host does not know counts as 0.
  package init(_ raw: UnsafePointer<imgcoder_limits>?) {
    let limits = raw.map { imgcoder_limits_read($0) } ?? imgcoder_limits()
    self.init(
      maxPixels: Int(clamping: limits.max_pixels), maxSide: Int(clamping: limits.max_side),
      maxMemory: Int(clamping: limits.max_memory), maxFrames: Int(clamping: limits.max_frames),
      maxMetadata: Int(clamping: limits.max_metadata), maxPages: Int(clamping: limits.max_pages),
      maxScans: Int(clamping: limits.max_scans))
  }

  /// The same limits for the plugin interface; negative values count as 0.
  package var raw: imgcoder_limits {
    var raw = imgcoder_limits_sized()
    raw.max_side = UInt32(clamping: maxSide)
    raw.max_pixels = UInt64(clamping: maxPixels)
    raw.max_memory = UInt64(clamping: maxMemory)
    raw.max_metadata = UInt64(clamping: maxMetadata)
    raw.max_frames = UInt32(clamping: maxFrames)
    raw.max_pages = UInt32(clamping: maxPages)
    raw.max_scans = UInt32(clamping: maxScans)
    return raw
  }
}

extension String {
  /// Calls `body` with the text as the plugin interface has it, valid during the call.
  package func withCoderString<Result>(_ body: (imgcoder_string) -> Result) -> Result {
    var copy = self
    return copy.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        body(imgcoder_string(bytes: $0.baseAddress, length: UInt64($0.count)))
      }
    }
  }

  /// Whether it has the bytes of a text of the plugin interface.
  package func isEqual(to raw: imgcoder_string) -> Bool {
    guard raw.length == UInt64(utf8.count), let bytes = raw.bytes else { return false }
    return withCoderString { own in own.bytes.map { memcmp($0, bytes, utf8.count) == 0 } ?? true }
  }

  /// Text of the plugin interface; bytes that are not UTF-8 are replaced, and a text that is longer than the interface
  /// allows is not looked at.
  package init(_ raw: imgcoder_string) {
    guard let bytes = raw.bytes, raw.length > 0, raw.length <= UInt64(IMGCODER_MAX_TEXT) else {
      self = ""
      return
    }
    self = String(decoding: UnsafeRawBufferPointer(start: bytes, count: Int(raw.length)), as: UTF8.self)
  }
}

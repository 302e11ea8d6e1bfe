// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import ImageCoderModel

/// The host's functions of the plugin interface.
enum HostCalls {
  private static func session(_ host: UnsafePointer<imgcoder_host>?) -> HostSession? {
    guard let context = host?.pointee.context else { return nil }
    return Unmanaged<HostSession>.fromOpaque(context).takeUnretainedValue()
  }

  /// Without the context and the limits, which are a session's own. Constant data.
  nonisolated(unsafe) static let table: imgcoder_host = {
    var table = imgcoder_host_sized()
    table.abi_minor = UInt32(IMGCODER_ABI_MINOR)
    table.fail = { host, status, offset, message in
      HostCalls.session(host)?.record(HostSession.Failure(status, HostCalls.sentence(message), offset: offset))
      return status
    }
    table.fail_with = { host, failure in
      guard let failure else { return InterfaceStatus.invalidArgument }
      let known = imgcoder_failure_read(failure)
      HostCalls.session(host)?.record(
        HostSession.Failure(
          known.status, HostCalls.sentence(known.message), offset: known.offset, limit: known.limit,
          found: known.found, allowed: known.allowed))
      return known.status
    }
    table.allocate = { host, size, alignment in
      guard let size = Int(exactly: size), let alignment = Int(exactly: alignment == 0 ? 16 : alignment) else {
        return nil
      }
      return HostCalls.session(host)?.allocate(size, alignment: alignment)
    }
    table.free = { host, memory in
      if let memory { HostCalls.session(host)?.release(memory) }
    }
    table.log = { host, severity, message in
      HostCalls.session(host)?.log?(LogSeverity(rawValue: severity) ?? .warning, HostCalls.sentence(message))
    }
    table.is_cancelled = { HostCalls.session($0)?.isCancelled == true ? 1 : 0 }
    table.progress = { host, fraction in
      // A plugin's number may be anything.
      if fraction >= 0, fraction <= 1 { HostCalls.session(host)?.progress?(fraction) }
    }
    table.parallel_for = { _, count, body, argument in
      guard let body else { return }
      // The plugin answers for what its body does with the argument on several threads.
      nonisolated(unsafe) let argument = argument
      ThreadPool.shared.run(Int(count)) { body(argument, UInt32($0)) }
    }
    table.spend = { host, kind, amount in
      guard kind == UInt32(IMGCODER_WORK_INFLATED) else { return InterfaceStatus.ok }
      guard let session = HostCalls.session(host) else { return InterfaceStatus.invalidArgument }
      do throws(CoderError) {
        try session.countInflated(Int(clamping: amount))
        return InterfaceStatus.ok
      } catch {
        return error.code.rawValue
      }
    }
    table.get_extension = { _, id in
      switch String(id) {
      case IMGCODER_EXTENSION_LOOK: UnsafeRawPointer(HostCalls.look)
      case IMGCODER_EXTENSION_SIBLINGS: UnsafeRawPointer(HostCalls.siblings)
      default: nil
      }
    }
    return table
  }()

  /// Constant data of the process, handed out by address.
  nonisolated(unsafe) private static let look: UnsafePointer<imgcoder_look_table>? = {
    var table = imgcoder_look_table_sized()
    table.set_draw = { host, draw, context in
      // Called back on the thread that calls this.
      nonisolated(unsafe) let context = context
      let isSet = HostCalls.session(host)?.source?.whenLookedAt(draw.map { draw in { draw(context) } })
      return isSet == true ? InterfaceStatus.ok : CoderError.Code.unsupported.rawValue
    }
    return UnsafePointer(imgcoder_look_table_keep(table))
  }()

  /// Constant data of the process, handed out by address.
  nonisolated(unsafe) private static let siblings: UnsafePointer<imgcoder_siblings_table>? = {
    var table = imgcoder_siblings_table_sized()
    table.open = { host, name, source in
      guard let session = HostCalls.session(host), let source else { return InterfaceStatus.invalidArgument }
      source.pointee = nil
      let asked = UnsafeRawBufferPointer(start: name.bytes, count: name.bytes == nil ? 0 : Int(clamping: name.length))
      do throws(CoderError) {
        // What is longer than any name of a file is none.
        source.pointee = try session.openSibling(Array(asked.prefix(Siblings.mostBytesAsked)))
        return source.pointee == nil ? InterfaceStatus.notPresent : InterfaceStatus.ok
      } catch {
        session.record(error)
        return error.code.rawValue
      }
    }
    return UnsafePointer(imgcoder_siblings_table_keep(table))
  }()

  static let viewAvailable:
    @convention(c) (
      UnsafePointer<imgcoder_source>?, UInt64, UInt64, UInt64, UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
      UnsafeMutablePointer<UInt64>?
    ) -> imgcoder_status = { source, offset, least, wanted, bytes, length in
      guard let context = source?.pointee.context, let bytes, let length else { return InterfaceStatus.invalidArgument }
      // The session lives as long as the plugin's reader, which calls.
      return Unmanaged<HostSession>.fromOpaque(context)._withUnsafeGuaranteedRef { session in
        do throws(CoderError) {
          let shown = try session.show(
            at: Int(clamping: offset), least: Int(clamping: least), most: Int(clamping: wanted))
          bytes.pointee = shown.bindMemory(to: UInt8.self).baseAddress
          length.pointee = UInt64(shown.count)
          return InterfaceStatus.ok
        } catch {
          session.record(error)
          session.sourceFailure = error
          return error.code.rawValue
        }
      }
    }

  static let view:
    @convention(c) (
      UnsafePointer<imgcoder_source>?, UInt64, UInt64, UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
      UnsafeMutablePointer<UInt64>?
    ) -> imgcoder_status = { source, offset, wanted, bytes, length in
      viewAvailable(source, offset, wanted, wanted, bytes, length)
    }

  /// A plugin's text as one line: what a foreign library says may hold newlines, and is bounded here.
  private static func sentence(_ raw: imgcoder_string) -> String {
    let longest: UInt64 = 500
    let text = String(imgcoder_string(bytes: raw.bytes, length: min(raw.length, longest)))
    guard text.utf8.contains(where: { $0 < 0x20 }) else { return text }
    return String(text.unicodeScalars.map { $0.value < 0x20 ? " " : Character($0) })
  }
}

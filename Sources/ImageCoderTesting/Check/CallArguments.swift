// SPDX-License-Identifier: Apache-2.0

import CChecking
import CImageCoder
import CImageCoderStructs
import Glibc

/// What the structs of one call point at. It lives only during the call; structs end where their memory does.
final class CallArguments {
  private let session: HostSessionProbe
  private var memory: [UnsafeMutableRawPointer] = []
  private var structs: [(place: UnsafeMutableRawPointer, size: UInt32, name: String)] = []

  init(_ session: HostSessionProbe) { self.session = session }

  deinit {
    for (place, size, name) in structs { _ = checking_struct_end(session.session, place, nil, size, name) }
    for place in memory { free(place) }
  }

  func bytes(_ bytes: [UInt8]) -> UnsafeRawPointer {
    let place = malloc(max(bytes.count, 1))!
    place.copyMemory(from: bytes, byteCount: bytes.count)
    memory.append(place)
    return UnsafeRawPointer(place)
  }

  func text(_ value: String) -> imgcoder_string {
    let utf8 = Array(value.utf8)
    return imgcoder_string(
      bytes: bytes(utf8).assumingMemoryBound(to: CChar.self), length: UInt64(utf8.count))
  }

  func pointer<Struct: BitwiseCopyable>(_ content: Struct, _ name: String) -> UnsafePointer<Struct> {
    let size = UInt32(MemoryLayout<Struct>.size)
    var content = content
    let place = checking_struct_new(session.session, &content, size, name)!
    structs.append((place, size, name))
    return UnsafePointer(place.assumingMemoryBound(to: Struct.self))
  }

  func values(_ values: [TestValue]) -> [UnsafePointer<imgcoder_option_value>?] {
    values.map { value in
      var raw = imgcoder_option_value_sized()
      (raw.type, raw.name) = (value.type, text(value.name))
      (raw.number, raw.text) = (value.number, text(value.text))
      return pointer(raw, "imgcoder_option_value")
    }
  }
}

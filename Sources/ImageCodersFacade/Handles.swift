// SPDX-License-Identifier: Apache-2.0
//
// Functions have the names that the header gives them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CImageCodersFacade
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

// What the header's opaque pointers point at.

/// Bytes that the caller reads.
final class LentBytes {
  let bytes: UnsafeMutableRawBufferPointer

  init(_ bytes: some Collection<UInt8>) {
    self.bytes = .allocate(byteCount: bytes.count, alignment: 16)
    self.bytes.copyBytes(from: bytes)
  }

  deinit { bytes.deallocate() }
}

/// The object of a pointer, which the caller's reference keeps.
func object<Object: AnyObject>(_ pointer: OpaquePointer, as type: Object.Type) -> Object {
  Unmanaged<Object>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
}

/// A pointer that is the caller's reference to an object.
func pointer(to object: some AnyObject) -> OpaquePointer { OpaquePointer(Unmanaged.passRetained(object).toOpaque()) }

/// Gives the caller's reference back.
func drop<Object: AnyObject>(_ pointer: OpaquePointer?, as type: Object.Type) {
  guard let pointer else { return }
  Unmanaged<Object>.fromOpaque(UnsafeRawPointer(pointer)).release()
}

@c @implementation
public func ic_version() -> UInt32 { UInt32(IC_VERSION_MAJOR) << 16 | UInt32(IC_VERSION_MINOR) }

@c @implementation
public func ic_release(_ owner: UnsafeMutableRawPointer?) {
  guard let owner else { return }
  Unmanaged<AnyObject>.fromOpaque(owner).release()
}

@c @implementation
public func ic_cancel_new() -> OpaquePointer { pointer(to: Cancellation()) }

@c @implementation
public func ic_cancel_set(_ cancel: OpaquePointer) { object(cancel, as: Cancellation.self).cancel() }

@c @implementation
public func ic_cancel_free(_ cancel: OpaquePointer?) { drop(cancel, as: Cancellation.self) }

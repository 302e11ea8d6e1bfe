// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  public import Foundation

  // What casts do on a Mac of themselves, and here only with these two. A toolchain that brings one of them makes this file
  // fail to compile, which is how one learns that it can go.

  /// `3.5 as CGFloat as CFNumber`, and `properties[key] as? CGFloat`.
  extension CGFloat: @retroactive _ObjectiveCBridgeable {
    public typealias _ObjectiveCType = NSNumber

    public func _bridgeToObjectiveC() -> NSNumber { NSNumber(value: Double(self)) }

    public static func _forceBridgeFromObjectiveC(_ number: NSNumber, result: inout CGFloat?) {
      result = CGFloat(number.doubleValue)
    }

    public static func _conditionallyBridgeFromObjectiveC(_ number: NSNumber, result: inout CGFloat?) -> Bool {
      result = CGFloat(number.doubleValue)
      return true
    }

    public static func _unconditionallyBridgeFromObjectiveC(_ number: NSNumber?) -> CGFloat {
      CGFloat(number?.doubleValue ?? 0)
    }
  }

  /// A lookup by a `CFString` in `[AnyHashable: Any]` finds what is there by a `String`.
  extension NSString: @retroactive _HasCustomAnyHashableRepresentation {
    public func _toCustomAnyHashable() -> AnyHashable? { AnyHashable(self as String) }
  }
#endif

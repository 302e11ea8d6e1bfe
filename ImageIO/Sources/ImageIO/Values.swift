// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  import CoreGraphics
  import Foundation
  import ImageCodersBuiltIn

  /// The number in any value that a caller may put into a dictionary: `NSNumber`, `Bool`, `Int`, `CGFloat`, or an optional of
  /// one, as `kCFBooleanTrue` is. A cast sees only some of them. Nil for what is not finite, as for what is no number.
  func number(_ value: Any?) -> Double? {
    guard let value else { return nil }
    let found: Double
    switch value {
    case let number as NSNumber: found = number.doubleValue
    case let flag as Bool: found = flag ? 1 : 0
    case let number as any BinaryInteger: found = Double(number)
    case let number as any BinaryFloatingPoint: found = Double(number)
    default:
      guard case let optional as any OptionalValue = value, let wrapped = optional.wrappedValue else { return nil }
      return number(wrapped)
    }
    return found.isFinite ? found : nil
  }

  /// The same without its fraction; nil for one that is larger than any integer.
  func integer(_ value: Any?) -> Int? { number(value).flatMap { Int(exactly: $0.rounded(.towardZero)) } }

  private protocol OptionalValue { var wrappedValue: Any? { get } }

  extension Optional: OptionalValue {
    fileprivate var wrappedValue: Any? { map { $0 as Any } }
  }

  /// Whether a value is `kCFNull`, which takes away what it is the value of.
  func isNull(_ value: Any?) -> Bool {
    guard let value else { return false }
    if value is NSNull { return true }
    guard case let optional as any OptionalValue = value else { return false }
    return isNull(optional.wrappedValue)
  }

  extension NSDictionary {
    func number(_ key: CFString) -> Double? { ImageIO.number(object(forKey: key)) }
    func integer(_ key: CFString) -> Int? { ImageIO.integer(object(forKey: key)) }
    func flag(_ key: CFString) -> Bool? { number(key).map { $0 != 0 } }
    func inner(_ key: CFString) -> NSDictionary? { object(forKey: key) as? NSDictionary }

    /// Pairs by the text of their keys, which may be `String` or `CFString`.
    var pairs: [(key: String, value: Any)] { map { ("\($0.key)", $0.value) }.sorted { $0.key < $1.key } }
  }

  /// A value as an object of Foundation, and objects inside of it: what a pointer to it leads to stays.
  func object(_ value: PropertyValue) -> NSObject {
    switch value {
    case .integer(let number): NSNumber(value: number)
    case .number(let number): NSNumber(value: number)
    case .text(let text): NSString(string: text)
    case .boolean(let flag): NSNumber(value: flag)
    case .data(let bytes): propertyList(bytes) ?? NSData(data: Data(bytes))
    case .list(let items): array(items.map(object))
    case .dictionary(let inner): dictionary(inner)
    }
  }

  func dictionary(_ properties: Properties) -> NSMutableDictionary {
    let result = NSMutableDictionary()
    for (name, value) in properties.sorted { result.setObject(object(value), forKey: NSString(string: name)) }
    return result
  }

  /// What a binary property list says, as which Apple's notes have times and the like; nil for other bytes.
  private func propertyList(_ bytes: [UInt8]) -> NSObject? {
    guard bytes.starts(with: Array("bplist00".utf8)),
      let list = try? PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
    else { return nil }
    return foundationObject(list)
  }

  /// A value of a property list as objects, and objects inside of it.
  private func foundationObject(_ value: Any) -> NSObject? {
    switch value {
    case let inner as [String: Any]:
      let result = NSMutableDictionary()
      for (key, value) in inner {
        if let object = foundationObject(value) { result.setObject(object, forKey: NSString(string: key)) }
      }
      return result
    case let items as [Any]: return array(items.compactMap(foundationObject))
    case let text as String: return NSString(string: text)
    case let bytes as Data: return NSData(data: bytes)
    case let number as NSNumber: return number
    case let date as Date: return date as NSDate
    default: return ImageIO.number(value).map { NSNumber(value: $0) }
    }
  }

  func array(_ objects: [NSObject]) -> NSArray {
    let result = NSMutableArray()
    for object in objects { result.add(object) }
    return result
  }

  /// A value of a caller's dictionary as a property, or nil for one that none has.
  func property(_ value: Any) -> PropertyValue? {
    if let text = value as? String { return .text(text) }
    if let date = value as? Date { return .text(exifDate(date)) }
    if let bytes = value as? Data { return .data([UInt8](bytes)) }
    if let list = value as? NSArray { return .list(list.compactMap { property($0) }) }
    if let inner = value as? NSDictionary { return .dictionary(properties(inner)) }
    return number(value).map { $0 == $0.rounded() && abs($0) < 1e15 ? .integer(Int64($0)) : .number($0) }
  }

  func properties(_ dictionary: NSDictionary) -> Properties {
    var properties = Properties()
    for (key, value) in dictionary.pairs { properties[key] = property(value) }
    return properties
  }

  /// `2024:05:01 10:07:05`, in the zone of the machine, as cameras write it.
  func exifDate(_ date: Date) -> String {
    let parts = Calendar(identifier: .gregorian).dateComponents(
      [.year, .month, .day, .hour, .minute, .second], from: date)
    func two(_ value: Int?) -> String { value.map { $0 < 10 ? "0\($0)" : "\($0)" } ?? "00" }
    return "\(parts.year ?? 0):\(two(parts.month)):\(two(parts.day)) "
      + "\(two(parts.hour)):\(two(parts.minute)):\(two(parts.second))"
  }
#endif

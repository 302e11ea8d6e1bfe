// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  @_exported public import Foundation

  // On a Mac, the types of Core Foundation and the classes of Foundation are the same objects by two names. Here they are
  // the same types, so that `as` does between Swift's values and them what it does there.

  /// Core Foundation's name of `NSString`.
  public typealias CFString = NSString
  /// Core Foundation's name of `NSMutableString`.
  public typealias CFMutableString = NSMutableString
  /// Core Foundation's name of `NSDictionary`.
  public typealias CFDictionary = NSDictionary
  /// Core Foundation's name of `NSMutableDictionary`.
  public typealias CFMutableDictionary = NSMutableDictionary
  /// Core Foundation's name of `NSArray`.
  public typealias CFArray = NSArray
  /// Core Foundation's name of `NSMutableArray`.
  public typealias CFMutableArray = NSMutableArray
  /// Core Foundation's name of `NSData`.
  public typealias CFData = NSData
  /// Core Foundation's name of `NSMutableData`.
  public typealias CFMutableData = NSMutableData
  /// Core Foundation's name of `NSURL`.
  public typealias CFURL = NSURL
  /// Core Foundation's name of `NSNumber`.
  public typealias CFNumber = NSNumber
  /// Core Foundation's name of an `NSNumber` that is true or false.
  public typealias CFBoolean = NSNumber
  /// Core Foundation's name of `NSNull`.
  public typealias CFNull = NSNull
  /// Core Foundation's name of `NSDate`.
  public typealias CFDate = NSDate
  /// Core Foundation's name of `NSError`.
  public typealias CFError = NSError
  /// Any object.
  public typealias CFTypeRef = AnyObject
  /// A count or a place in a collection.
  public typealias CFIndex = Int
  /// The number of a class.
  public typealias CFTypeID = UInt
  /// A hash of an object.
  public typealias CFHashCode = UInt
  /// Seconds.
  public typealias CFTimeInterval = Double
  /// A status of an old interface: 0 is success.
  public typealias OSStatus = Int32

  /// Where memory comes from. There is one, which nobody has to name.
  public final class CFAllocator: Sendable { init() {} }

  /// The allocator that is used where none is named.
  public let kCFAllocatorDefault: CFAllocator! = nil
  /// True, as an object.
  public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)
  /// False, as an object.
  public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)
  /// The object that says "nothing". As the value of a property that is written, it takes the property out.
  public let kCFNull: CFNull! = NSNull()

  /// Makes empty data that can grow. `capacity` is not looked at.
  public func CFDataCreateMutable(_ allocator: CFAllocator?, _ capacity: CFIndex) -> CFMutableData! { NSMutableData() }

  /// Makes data of a copy of `length` bytes.
  public func CFDataCreate(_ allocator: CFAllocator?, _ bytes: UnsafePointer<UInt8>?, _ length: CFIndex) -> CFData! {
    NSData(bytes: bytes, length: length)
  }

  /// The number of bytes.
  public func CFDataGetLength(_ data: CFData!) -> CFIndex { data.length }

  /// The bytes, as long as the data is kept and not changed.
  public func CFDataGetBytePtr(_ data: CFData!) -> UnsafePointer<UInt8>! {
    data.bytes.assumingMemoryBound(to: UInt8.self)
  }

  /// The number of items.
  public func CFArrayGetCount(_ array: CFArray!) -> CFIndex { array.count }

  /// The object that an array holds at an index: alive as long as the array. Nil beyond the end.
  public func CFArrayGetValueAtIndex(_ array: CFArray!, _ index: CFIndex) -> UnsafeRawPointer! {
    guard let array, index >= 0, index < array.count else { return nil }
    let children = Mirror(reflecting: array).children
    let child = children[children.index(children.startIndex, offsetBy: index)].value
    return UnsafeRawPointer(Unmanaged.passUnretained(child as AnyObject).toOpaque())
  }

  /// The number of keys.
  public func CFDictionaryGetCount(_ dictionary: CFDictionary!) -> CFIndex { dictionary.count }

  /// The object that a dictionary holds for a key, or nil: alive as long as the dictionary.
  ///
  /// - Complexity: Linear, as Foundation has no way to the object itself but the mirror.
  public func CFDictionaryGetValue(_ dictionary: CFDictionary!, _ key: UnsafeRawPointer!) -> UnsafeRawPointer! {
    storedObject(at: key, of: dictionary).map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
  }

  /// As ``CFDictionaryGetValue(_:_:)``; false if there is no such key, and then `value` stays as it is.
  public func CFDictionaryGetValueIfPresent(
    _ dictionary: CFDictionary!, _ key: UnsafeRawPointer!, _ value: UnsafeMutablePointer<UnsafeRawPointer?>!
  ) -> Bool {
    guard let found = CFDictionaryGetValue(dictionary, key) else { return false }
    value?.pointee = found
    return true
  }

  /// Whether a dictionary has a key.
  public func CFDictionaryContainsKey(_ dictionary: CFDictionary!, _ key: UnsafeRawPointer!) -> Bool {
    CFDictionaryGetValue(dictionary, key) != nil
  }

  /// The object itself. `object(forKey:)` gives a new one for a dictionary, an array, a text or data, because it makes Swift's
  /// values of them on the way; a pointer to that would soon lead nowhere.
  private func storedObject(at key: UnsafeRawPointer?, of dictionary: CFDictionary?) -> AnyObject? {
    guard let key, let dictionary else { return nil }
    let wanted = Unmanaged<AnyObject>.fromOpaque(key).takeUnretainedValue()
    guard let wanted = wanted as? NSObject else { return nil }
    for child in Mirror(reflecting: dictionary).children {
      guard let pair = child.value as? (key: NSObject, value: AnyObject), pair.key.isEqual(wanted) else { continue }
      return pair.value
    }
    return nil
  }

  /// Whether two objects are equal.
  public func CFEqual(_ one: CFTypeRef!, _ other: CFTypeRef!) -> Bool {
    if one === other { return true }
    guard let one = one as? NSObject, let other = other as? NSObject else { return false }
    return one.isEqual(other)
  }

  /// A hash of an object: equal objects have equal ones.
  public func CFHash(_ object: CFTypeRef!) -> CFHashCode {
    CFHashCode(bitPattern: (object as? NSObject)?.hash ?? ObjectIdentifier(object).hashValue)
  }

  /// A number for the class of an object, the same for all objects of the class while the program runs.
  public func CFGetTypeID(_ object: CFTypeRef!) -> CFTypeID {
    switch object {
    case is NSString: CFStringGetTypeID()
    case is NSDictionary: CFDictionaryGetTypeID()
    case is NSArray: CFArrayGetTypeID()
    case is NSData: CFDataGetTypeID()
    case is NSNumber: CFNumberGetTypeID()
    case is NSNull: CFNullGetTypeID()
    case is NSURL: CFURLGetTypeID()
    default: typeID(of: type(of: object!))
    }
  }

  package func typeID(of type: AnyObject.Type) -> CFTypeID { CFTypeID(bitPattern: ObjectIdentifier(type).hashValue) }

  /// The number of the class of texts.
  public func CFStringGetTypeID() -> CFTypeID { 7 }
  /// The number of the class of dictionaries.
  public func CFDictionaryGetTypeID() -> CFTypeID { 18 }
  /// The number of the class of arrays.
  public func CFArrayGetTypeID() -> CFTypeID { 19 }
  /// The number of the class of data.
  public func CFDataGetTypeID() -> CFTypeID { 20 }
  /// The number of the class of numbers, to which true and false belong here.
  public func CFNumberGetTypeID() -> CFTypeID { 22 }
  /// The number of the class of `kCFNull`.
  public func CFNullGetTypeID() -> CFTypeID { 16 }
  /// The number of the class of URLs.
  public func CFURLGetTypeID() -> CFTypeID { 29 }

  /// What a comparison looks at.
  public struct CFStringCompareFlags: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Large and small letters are the same.
    public static let compareCaseInsensitive = CFStringCompareFlags(rawValue: 1)
  }

  /// Which of two comes first.
  public enum CFComparisonResult: Int, Sendable {
    /// The first.
    case compareLessThan = -1
    /// They are equal.
    case compareEqualTo
    /// The second.
    case compareGreaterThan
  }

  /// Compares two texts by their characters.
  public func CFStringCompare(
    _ one: CFString!, _ other: CFString!, _ options: CFStringCompareFlags
  ) -> CFComparisonResult {
    let flags: NSString.CompareOptions = options.contains(.compareCaseInsensitive) ? .caseInsensitive : []
    return switch one.compare(other as String, options: flags) {
    case .orderedAscending: .compareLessThan
    case .orderedDescending: .compareGreaterThan
    default: .compareEqualTo
    }
  }

  /// Runs a body. Memory is not pooled here: nothing has to be drained.
  public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
#endif

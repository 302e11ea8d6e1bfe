// SPDX-License-Identifier: Apache-2.0

// What modules of the command name of FoundationEssentials, which would be five megabytes of libimagecoders: scripts/build-facade
// compiles this in its place. Nothing of it is reached: fixtures are for tests, and no error of the command is a LocalizedError. Of
// swift-argument-parser, only `--experimental-dump-help` encodes anything, and prints nothing here.

public protocol LocalizedError: Error { var errorDescription: String? { get } }

/// What everything here answers.
public struct NotHere: Error { public init() {} }

public struct Data { public init(_ bytes: [UInt8]) {} }

public final class JSONEncoder {
  public struct OutputFormatting: OptionSet {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let prettyPrinted = OutputFormatting(rawValue: 1)
    public static let sortedKeys = OutputFormatting(rawValue: 2)
  }

  public var outputFormatting: OutputFormatting = []
  public init() {}
  public func encode<Value: Encodable>(_ value: Value) throws -> Data { throw NotHere() }
}

public final class JSONDecoder {
  public init() {}
  public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value { throw NotHere() }
}

public final class FileManager: Sendable {
  public static let `default` = FileManager()
  public func fileExists(atPath path: String) -> Bool { false }
  public func fileExists(atPath path: String, isDirectory: inout Bool) -> Bool { false }
  public func contentsOfDirectory(atPath path: String) throws -> [String] { throw NotHere() }
}

extension String {
  public enum Encoding { case utf8 }
  public init?(data: Data, encoding: Encoding) { return nil }
}

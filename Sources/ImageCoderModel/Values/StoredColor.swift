// SPDX-License-Identifier: Apache-2.0

/// What a file says of its colors beside code points, one gamma and a profile. The host decides which statement counts.
public struct StoredColor: Sendable, Hashable {
  /// The primaries of the samples, or nil if the file states none.
  public var primaries: Primaries?
  /// The exponents of red, green and blue, which turn a sample into light. Nil if the file states none.
  public var gamma: SIMD3<Double>?
  /// The curves of red, green and blue: light, 0 to 65535, of samples at equal distances; 2 to 65,536 each and all as many. Empty
  /// if the file states none.
  public var curves: [[UInt16]] = []
  /// How bright light is.
  public var light = LightLevels()

  /// States nothing but how bright light is.
  public init(light: LightLevels = LightLevels()) { self.light = light }

  /// x and y of CIE 1931.
  public struct Primaries: Sendable, Hashable {
    /// x and y of red.
    public var red: SIMD2<Double>
    /// x and y of green.
    public var green: SIMD2<Double>
    /// x and y of blue.
    public var blue: SIMD2<Double>
    /// x and y of white.
    public var white: SIMD2<Double>

    /// Makes primaries and their white.
    public init(red: SIMD2<Double>, green: SIMD2<Double>, blue: SIMD2<Double>, white: SIMD2<Double>) {
      self.red = red
      self.green = green
      self.blue = blue
      self.white = white
    }
  }
}

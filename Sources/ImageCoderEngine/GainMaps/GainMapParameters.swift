// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderModel

/// What the samples of a gain map mean.
///
/// Light of the other rendition is `(base + baseOffset) · 2^(weight · (minimum + (maximum − minimum) · sample^(1/gamma)))
/// − alternateOffset`, with 1 for the white of an SDR picture.
///
/// - Format: ISO 21496-1:2025 §5 and annex C.
public struct GainMapParameters: Sendable, Hashable {
  /// What one channel's samples mean.
  public struct Channel: Sendable, Hashable {
    /// The gain of sample 0, as a power of two: −64 to 64.
    public var minimum: Double
    /// The gain of sample 1, as a power of two: at least ``minimum``, at most 64.
    public var maximum: Double
    /// The exponent that samples were stored with: above 0.
    public var gamma: Double
    /// Added to light of the base.
    public var baseOffset: Double
    /// Subtracted from light of the other rendition.
    public var alternateOffset: Double

    /// Makes a channel; without arguments beyond the gains, with the defaults of Ultra HDR.
    public init(
      minimum: Double, maximum: Double, gamma: Double = 1, baseOffset: Double = 1.0 / 64,
      alternateOffset: Double = 1.0 / 64
    ) {
      self.minimum = minimum
      self.maximum = maximum
      self.gamma = gamma
      self.baseOffset = baseOffset
      self.alternateOffset = alternateOffset
    }
  }

  /// The parameters of red.
  public var red: Channel
  /// As ``red``.
  public var green: Channel
  /// As ``red``.
  public var blue: Channel
  /// The headroom of a display, as a power of two, up to which the base is shown as it is: at least 0.
  public var baseHeadroom: Double
  /// The headroom from which on the map is applied in full. Below ``baseHeadroom``, the base is the HDR picture.
  public var alternateHeadroom: Double
  /// Whether gains are of light in the primaries of the base; else in those of the other rendition.
  public var usesBaseColors: Bool

  /// Makes parameters that are equal for all channels.
  public init(_ channel: Channel, baseHeadroom: Double = 0, alternateHeadroom: Double, usesBaseColors: Bool = true) {
    self.init(
      [channel, channel, channel], baseHeadroom: baseHeadroom, alternateHeadroom: alternateHeadroom,
      usesBaseColors: usesBaseColors)
  }

  /// - Parameter channels: Three.
  init(_ channels: [Channel], baseHeadroom: Double, alternateHeadroom: Double, usesBaseColors: Bool) {
    (red, green, blue) = (channels[0], channels[1], channels[2])
    self.baseHeadroom = baseHeadroom
    self.alternateHeadroom = alternateHeadroom
    self.usesBaseColors = usesBaseColors
  }

  /// Red, green and blue.
  var channels: [Channel] { [red, green, blue] }

  /// Whether all channels mean the same.
  public var isGray: Bool { red == green && green == blue }

  /// How much of the map is applied on a display: −1 to 1; 0 shows the base as it is.
  ///
  /// - Parameter headroom: The brightest light of the display, 1 for the white of an SDR picture; at least 1.
  public func weight(headroom: Double) -> Double {
    let distance = alternateHeadroom - baseHeadroom
    guard distance != 0 else { return 0 }
    let part = min(max((log2(max(headroom, 1)) - baseHeadroom) / distance, 0), 1)
    return distance < 0 ? -part : part
  }

  /// Light of the other rendition; never below 0.
  ///
  /// - Parameters:
  ///   - base: Light of the base, 1 for the white of an SDR picture.
  ///   - sample: Of the map, 0 to 1.
  ///   - weight: As ``weight(headroom:)`` gives it.
  ///   - channel: 0 for red, 1 for green, 2 for blue.
  public func light(_ base: Double, sample: Double, weight: Double, channel: Int) -> Double {
    let channel = channels[min(max(channel, 0), 2)]
    return max((base + channel.baseOffset) * Self.gain(sample, weight: weight, channel) - channel.alternateOffset, 0)
  }

  /// What light is multiplied by.
  static func gain(_ sample: Double, weight: Double, _ channel: Channel) -> Double {
    exp2(weight * (channel.minimum + (channel.maximum - channel.minimum) * pow(sample, 1 / channel.gamma)))
  }

  /// Checks that every number is one that light can be computed with.
  ///
  /// - Throws: ``CoderError/Code/malformed``.
  func checked() throws(CoderError) -> GainMapParameters {
    for channel in channels {
      guard (-Self.mostStops...Self.mostStops).contains(channel.minimum),
        (-Self.mostStops...Self.mostStops).contains(channel.maximum)
      else {
        throw .malformed(
          "a gain map of \(channel.minimum) to \(channel.maximum) stops; -\(Self.mostStops) to \(Self.mostStops) are "
            + "allowed")
      }
      guard channel.minimum <= channel.maximum else {
        throw .malformed("a gain map whose least gain is \(channel.minimum) stops, and its largest \(channel.maximum)")
      }
      guard (1e-3...1e3).contains(channel.gamma) else {
        throw .malformed("a gain map of gamma \(channel.gamma); 0.001 to 1000 is allowed")
      }
      guard channel.baseOffset.magnitude <= 1e3, channel.alternateOffset.magnitude <= 1e3 else {
        throw .malformed(
          "a gain map of offsets \(channel.baseOffset) and \(channel.alternateOffset); -1000 to 1000 is allowed")
      }
    }
    guard (0...Self.mostStops).contains(baseHeadroom), (0...Self.mostStops).contains(alternateHeadroom) else {
      throw .malformed(
        "a gain map for headrooms of \(baseHeadroom) and \(alternateHeadroom) stops; 0 to \(Self.mostStops) is allowed")
    }
    return self
  }

  /// Beyond this, light overflows.
  private static let mostStops = 64.0
}

// SPDX-License-Identifier: Apache-2.0

/// The checksum of a value that comes in parts: XXH3 with 64 bits, which has vectors; up to 240 bytes, for which XXH3 has
/// other forms, ``Checksum``.
///
/// It finds damage, not forgery: everyone who can write into the folder can also write a matching checksum.
///
/// - Format: xxHash fast digest algorithm, section "XXH3 algorithm overview", the form for large inputs.
package struct ValueChecksum {
  private typealias Lanes = SIMD8<UInt64>

  private static let factor: UInt64 = 0x9E37_79B1
  private static let stripe = MemoryLayout<Lanes>.size
  /// After so many stripes, the lanes are mixed.
  private static let block = 16
  private static let maxShort = 240

  /// The bytes that are mixed with the input, as words whose least byte comes first.
  private static let secret: [UInt64] = [
    0xBE4B_A423_396C_FEB8, 0x1CAD_21F7_2C81_017C, 0xDB97_9083_E96D_D4DE, 0x1F67_B3B7_A4A4_4072,
    0x78E5_C0CC_4EE6_79CB, 0x2172_FFCC_7DD0_5A82, 0x8E24_43F7_7446_08B8, 0x4C26_3A81_E690_35E0,
    0xCB00_C391_BB52_283C, 0xA32E_531B_8B65_D088, 0x4EF9_0DA2_9748_6471, 0xD8AC_DEA9_46EF_1938,
    0x3F34_9CE3_3F76_FAA8, 0x1D4F_0BC7_C7BB_DCF9, 0x3159_B4CD_4BE0_518A, 0x6473_78D9_C97E_9FC8,
    0xC3EB_D334_83AC_C5EA, 0xEB63_13FA_FFA0_81C5, 0x49DA_F0B7_51DD_0D17, 0x9E68_D429_2655_16D3,
    0xFCA1_477D_58BE_162B, 0xCE31_D07A_D1B8_F88F, 0x2804_1695_8F3A_CB45, 0x7E40_4BBB_CAFB_D7AF,
  ]

  private let bytes: UnsafeRawBufferPointer
  private var lanes = Lanes(
    0xC2B2_AE3D, Checksum.prime1, Checksum.prime2, Checksum.prime3, Checksum.prime4, 0x85EB_CA77, Checksum.prime5,
    factor)
  /// Stripes that are in the lanes.
  private var done = 0

  /// - Parameter bytes: Where all bytes will be. They have to stay as long as this.
  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The checksum of bytes that are all there.
  package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var checksum = ValueChecksum(bytes)
    return checksum.finish()
  }

  /// Takes what is there, before it leaves the processor's caches.
  ///
  /// - Parameter filled: How many bytes are there, counted from the first.
  package mutating func read(upTo filled: Int) {
    precondition(filled <= bytes.count, "\(filled) bytes of \(bytes.count)")
    guard bytes.count > Self.maxShort, let start = bytes.baseAddress else { return }
    // The last stripe ends with the last byte, and comes in another way.
    let end = min(filled, bytes.count - 1) / Self.stripe
    Self.secret.withUnsafeBytes { secret in
      var lanes = lanes
      var stripe = done
      while stripe < end {
        let place = stripe % Self.block
        Self.add(start + stripe &* Self.stripe, secret, place &* 8, to: &lanes)
        if place == Self.block - 1 {
          let key = secret.loadUnaligned(fromByteOffset: secret.count - Self.stripe, as: Lanes.self)
          lanes = (lanes ^ lanes &>> 47 ^ key) &* Self.factor
        }
        stripe &+= 1
      }
      self.lanes = lanes
      done = stripe
    }
  }

  /// Takes what is missing. All bytes have to be there.
  package mutating func finish() -> UInt64 {
    guard bytes.count > Self.maxShort, let start = bytes.baseAddress else { return Checksum.of(bytes) }
    read(upTo: bytes.count)
    return Self.secret.withUnsafeBytes { secret in
      Self.add(start + bytes.count - Self.stripe, secret, secret.count - Self.stripe - 7, to: &lanes)
      let keys = secret.loadUnaligned(fromByteOffset: 11, as: Lanes.self)
      let mixed = lanes ^ keys
      var hash = UInt64(bytes.count) &* Checksum.prime1
      for lane in stride(from: 0, to: 8, by: 2) {
        let product = mixed[lane].multipliedFullWidth(by: mixed[lane + 1])
        hash = hash &+ (product.high ^ product.low)
      }
      hash = (hash ^ hash >> 37) &* 0x1656_6791_9E37_79F9
      return hash ^ hash >> 32
    }
  }

  @inline(__always)
  private static func add(
    _ stripe: UnsafeRawPointer, _ secret: UnsafeRawBufferPointer, _ place: Int, to lanes: inout Lanes
  ) {
    let words = stripe.loadUnaligned(as: Lanes.self)
    let keys = words ^ secret.loadUnaligned(fromByteOffset: place, as: Lanes.self)
    lanes &+= Lanes(words[1], words[0], words[3], words[2], words[5], words[4], words[7], words[6])
    lanes &+= (keys & 0xFFFF_FFFF) &* (keys &>> 32)
  }
}

// SPDX-License-Identifier: Apache-2.0

/// A matrix of three rows and columns, for colors as column vectors.
package struct Matrix3: Hashable, Sendable {
  /// What becomes of 1, 0, 0 and so on.
  package var first: SIMD3<Double>
  package var second: SIMD3<Double>
  package var third: SIMD3<Double>

  /// Makes a matrix of its columns.
  package init(columns first: SIMD3<Double>, _ second: SIMD3<Double>, _ third: SIMD3<Double>) {
    self.first = first
    self.second = second
    self.third = third
  }

  /// Makes a matrix of its rows.
  package init(rows a: SIMD3<Double>, _ b: SIMD3<Double>, _ c: SIMD3<Double>) {
    self.init(columns: SIMD3(a.x, b.x, c.x), SIMD3(a.y, b.y, c.y), SIMD3(a.z, b.z, c.z))
  }

  /// Makes a matrix that only scales.
  init(diagonal: SIMD3<Double>) {
    self.init(columns: SIMD3(diagonal.x, 0, 0), SIMD3(0, diagonal.y, 0), SIMD3(0, 0, diagonal.z))
  }

  static let identity = Matrix3(diagonal: SIMD3(1, 1, 1))

  /// Whether it changes no color by more than rounding does.
  var isIdentity: Bool {
    let one = Self.identity
    return zip([first, second, third], [one.first, one.second, one.third]).allSatisfy { column, wanted in
      (0..<3).allSatisfy { abs(column[$0] - wanted[$0]) < 1e-9 }
    }
  }

  package static func * (matrix: Matrix3, vector: SIMD3<Double>) -> SIMD3<Double> {
    matrix.first * vector.x + matrix.second * vector.y + matrix.third * vector.z
  }

  package static func * (left: Matrix3, right: Matrix3) -> Matrix3 {
    Matrix3(columns: left * right.first, left * right.second, left * right.third)
  }

  var determinant: Double { (first * Self.cross(second, third)).sum() }

  /// The inverse; the matrix must have one.
  package var inverse: Matrix3 {
    let scale = 1 / determinant
    return Matrix3(
      rows: Self.cross(second, third) * scale, Self.cross(third, first) * scale, Self.cross(first, second) * scale)
  }

  private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
  }
}

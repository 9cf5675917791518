import Foundation
import MockBackend

@testable import AsyncLocation

/// Places and paths on the sphere of normals, for tests.
enum Globe {
  static let radius = 6_371_008.8

  static func key(_ seed: UInt64) -> ReducedAccuracyKey {
    var random = SplitMix64(seed: seed)
    return ReducedAccuracyKey(using: &random)
  }

  /// Returns places, most of them uniformly distributed, the others at or near a pole or near the
  /// antimeridian.
  static func homes(_ count: Int, using random: inout SplitMix64) -> [SurfaceNormal] {
    (0..<count).map { index in
      switch index % 20 {
      case 0:
        normal(
          latitude: (index % 40 == 0 ? 1 : -1) * (90 - .random(in: 0...0.2, using: &random)),
          longitude: .random(in: -180...180, using: &random))
      case 1:
        normal(
          latitude: .random(in: -90...90, using: &random),
          longitude: 180 - .random(in: -0.05...0.05, using: &random))
      case 2 where index < 40: SurfaceNormal(x: 0, y: 0, z: index < 20 ? 1 : -1)
      default: anywhere(using: &random)
      }
    }
  }

  /// Returns a place from a uniform distribution.
  static func anywhere(using random: inout SplitMix64) -> SurfaceNormal {
    let z = Double.random(in: -1...1, using: &random)
    let turn = Double.random(in: 0...2 * .pi, using: &random)
    let radius = (1 - z * z).squareRoot()
    return SurfaceNormal(x: radius * cos(turn), y: radius * sin(turn), z: z)
  }

  /// The degrees need not be normalized.
  static func normal(latitude: Double, longitude: Double) -> SurfaceNormal {
    let (latitude, longitude) = (Angle(degrees: latitude), Angle(degrees: longitude))
    return SurfaceNormal(
      x: latitude.cosine * longitude.cosine, y: latitude.cosine * longitude.sine,
      z: latitude.sine)
  }

  static func coordinate(_ normal: SurfaceNormal) throws -> Coordinate {
    let (latitude, longitude) = normal.degrees
    return try Coordinate(latitude: latitude, longitude: longitude)
  }

  /// Two directions along the ground, at right angles.
  static func ground(_ normal: SurfaceNormal) -> (SurfaceNormal, SurfaceNormal) {
    let helper =
      abs(normal.z) < 0.9 ? SurfaceNormal(x: 0, y: 0, z: 1) : SurfaceNormal(x: 1, y: 0, z: 0)
    let first = unit(cross(helper, normal))
    return (first, cross(normal, first))
  }

  /// The place at a distance in metres along a ground direction.
  static func moved(
    _ normal: SurfaceNormal, _ metres: Double, along direction: SurfaceNormal
  ) -> SurfaceNormal {
    let angle = metres / radius
    return .sum(normal, cos(angle), direction, sin(angle), normal, 0)
  }

  static func cross(_ a: SurfaceNormal, _ b: SurfaceNormal) -> SurfaceNormal {
    SurfaceNormal(x: a.y * b.z - a.z * b.y, y: a.z * b.x - a.x * b.z, z: a.x * b.y - a.y * b.x)
  }

  static func unit(_ vector: SurfaceNormal) -> SurfaceNormal {
    let length = vector.dot(vector).squareRoot()
    return SurfaceNormal(x: vector.x / length, y: vector.y / length, z: vector.z / length)
  }

  /// The distance in metres to where a path leaves the cell of a place, from inside and from
  /// outside. The path leaves it within 20 km.
  static func border(
    from place: SurfaceNormal, along direction: SurfaceNormal, in grid: ReducedGrid
  ) -> (inside: Double, outside: Double) {
    let cell = grid.cell(of: place)
    var (inside, outside) = (0.0, 20_000.0)
    while outside - inside > 0.01 {
      let middle = (inside + outside) / 2
      if grid.cell(of: moved(place, middle, along: direction)) == cell {
        inside = middle
      } else {
        outside = middle
      }
    }
    return (inside, outside)
  }

  /// The chord length in metres, exact for small distances.
  static func distance(_ a: SurfaceNormal, _ b: SurfaceNormal) -> Double {
    let difference = SurfaceNormal(x: a.x - b.x, y: a.y - b.y, z: a.z - b.z)
    return difference.dot(difference).squareRoot() * radius
  }

  /// Normal deviates by Box and Muller (1958).
  static func deviates(_ count: Int, using random: inout SplitMix64) -> [Double] {
    (0..<count).map { _ in
      let radius = (-2 * log(1 - Double.random(in: 0..<1, using: &random))).squareRoot()
      return radius * cos(2 * .pi * .random(in: 0..<1, using: &random))
    }
  }
}

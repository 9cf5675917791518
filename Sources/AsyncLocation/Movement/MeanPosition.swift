/// The mean of positions, weighted by their accuracies, anywhere on the ellipsoid.
package struct MeanPosition: Sendable, Hashable {
  /// Metres. No position counts as more accurate, so that a few do not outweigh all others.
  private static let bestAccuracy = 5.0

  private var sum: SurfaceNormal
  private var weight: Double
  /// The sums of the weights and of the weighted accuracies, over the positions whose accuracy is
  /// known.
  private var (accuracyWeight, accuracySum) = (0.0, 0.0)
  private let first: Coordinate
  private var count = 1

  package init(_ location: borrowing Location) {
    self.init(location.coordinate, accuracy: location.horizontalAccuracy)
  }

  package mutating func add(_ location: borrowing Location) {
    add(location.coordinate, accuracy: location.horizontalAccuracy)
  }

  init(_ coordinate: Coordinate, accuracy: Double?) {
    first = coordinate
    weight = Self.weight(accuracy)
    let normal = SurfaceNormal(coordinate)
    sum = .sum(normal, weight, normal, 0, normal, 0)
    countAccuracy(accuracy)
  }

  mutating func add(_ coordinate: Coordinate, accuracy: Double?) {
    let (normal, weight) = (SurfaceNormal(coordinate), Self.weight(accuracy))
    sum = .sum(sum, 1, normal, weight, normal, 0)
    self.weight += weight
    count += 1
    countAccuracy(accuracy)
  }

  private mutating func countAccuracy(_ accuracy: Double?) {
    guard let accuracy else { return }
    accuracyWeight += Self.weight(accuracy)
    accuracySum += Self.weight(accuracy) * accuracy
  }

  private static func weight(_ accuracy: Double?) -> Double {
    let accuracy = max(bestAccuracy, accuracy ?? 0)
    return 1 / (accuracy * accuracy)
  }

  /// The mean position. The mean of one position is exactly that position.
  package var coordinate: Coordinate {
    guard count > 1 else { return first }
    let (latitude, longitude) = sum.degrees
    return Coordinate(
      checkedLatitude: min(max(latitude, -90), 90), longitude: min(max(longitude, -180), 180))
  }

  /// The weighted mean of the accuracies; nil if none is known.
  var accuracy: Double? { accuracyWeight > 0 ? accuracySum / accuracyWeight : nil }
}

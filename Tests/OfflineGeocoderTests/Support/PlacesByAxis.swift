import AsyncLocation

@testable import OfflineGeocoder

/// All places in the order of their coordinate along the Earth's axis, to search without a tree.
struct PlacesByAxis: Sendable {
  private let places: [SpacePoint]

  init(_ gazetteer: Gazetteer) {
    let tree = PlaceTree(nodes: gazetteer.places)
    places = (0..<gazetteer.places.count).map(tree.point).sorted { $0.z < $1.z }
  }

  /// The distance of the nearest place along the ellipsoid.
  ///
  /// A chord is no shorter than its part along the axis, so places that are farther away along it
  /// than the bound are left out. The others are compared by chords, and those within 1 % of the
  /// shortest, and a metre, by geodesics: geodesics of one chord differ by less up to 4,000 km.
  func leastDistance(from coordinate: Coordinate) -> Double? {
    let target = SpacePoint(coordinate)
    var low = 0
    var high = places.count
    while low < high {
      let middle = (low + high) / 2
      if places[middle].z < target.z { low = middle + 1 } else { high = middle }
    }
    var least = Double.infinity
    var candidates: [(place: SpacePoint, chord: Double)] = []
    func bound() -> Double { least * 1.02 + 1e5 }
    func visit(_ indices: some Sequence<Int>) {
      var limit = bound()
      for index in indices {
        let place = places[index]
        let offset = place.z - target.z
        guard offset * offset <= limit else { break }
        let (x, y) = (place.x - target.x, place.y - target.y)
        let chord = x * x + y * y + offset * offset
        guard chord <= limit else { continue }
        candidates.append((place, chord))
        least = min(least, chord)
        limit = bound()
      }
    }
    // A few on both sides, so that the first pass need not go far.
    visit(max(0, low - 500)..<min(places.count, low + 500))
    candidates = []
    visit(low..<places.count)
    visit((0..<low).reversed())
    return candidates.filter { $0.chord <= bound() }
      .compactMap { $0.place.coordinate.map(coordinate.distance(to:)) }.min()
  }
}

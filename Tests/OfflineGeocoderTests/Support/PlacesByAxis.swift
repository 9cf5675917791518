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
  /// than the bound are left out. The others are compared by chords. Those at most 1 % and two
  /// metres longer than the shortest chord are compared by geodesics: up to 4,000 km, the geodesics
  /// of equal chords differ by less.
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
    /// Collects candidates until a place is too far away along the axis. The loop uses no sequence,
    /// since most of the test's time is spent here.
    func visit(from start: Int, to end: Int, by step: Int) {
      var index = start
      while index != end {
        let place = places[index]
        index += step
        let z = place.z - target.z
        guard z * z <= least * 1.02 + 1e5 else { return }
        let x = place.x - target.x
        let y = place.y - target.y
        let chord = x * x + y * y + z * z
        if chord <= least * 1.02 + 1e5 {
          candidates.append((place, chord))
          least = min(least, chord)
        }
      }
    }
    // First visits a few places on both sides, which bounds how far the passes go.
    visit(from: max(0, low - 500), to: min(places.count, low + 500), by: 1)
    candidates = []
    visit(from: low, to: places.count, by: 1)
    visit(from: low - 1, to: -1, by: -1)
    let bound = least * 1.02 + 1e5
    return candidates.filter { $0.chord <= bound }
      .compactMap { $0.place.coordinate.map(coordinate.distance(to:)) }.min()
  }
}

/// Indexes queries by name, locale and place, for a search within a distance.
struct GeocodingIndex: Sendable {
  typealias ID = UInt64

  private struct Key: Hashable, Sendable {
    let name: String?
    let locale: GeocodingLocale?
    let cell: SurfaceCell?
  }

  private let radius: Double
  /// The edge of a cell in metres; at least 1, so that the coordinates of cells fit into 32 bits.
  private var size: Double { max(radius, 1) }
  private var cells: [Key: [(id: ID, query: GeocodingQuery)]] = [:]

  /// - Parameter radius: Metres, not negative.
  init(radius: Double) { self.radius = radius }

  mutating func insert(_ id: ID, _ query: GeocodingQuery) {
    cells[key(of: query), default: []].append((id, query))
  }

  mutating func remove(_ id: ID, _ query: GeocodingQuery) {
    let key = key(of: query)
    cells[key]?.removeAll { $0.id == id }
    if cells[key]?.isEmpty == true { cells[key] = nil }
  }

  /// The ID of the nearest query with the same name and locale within the radius; nil if there is
  /// none. A query without a point matches only queries without one.
  func nearest(to query: GeocodingQuery) -> ID? {
    guard let point = query.point else {
      return cells[key(of: query)]?.first?.id
    }
    var nearest: (id: ID, distance: Double)?
    for cell in SurfaceCell(point, size: size).neighborhood {
      for (id, other) in cells[Key(name: query.name, locale: query.locale, cell: cell)] ?? [] {
        guard let distance = other.point?.distance(to: point), distance <= radius,
          distance < nearest?.distance ?? .infinity
        else { continue }
        nearest = (id, distance)
      }
    }
    return nearest?.id
  }

  private func key(of query: GeocodingQuery) -> Key {
    Key(
      name: query.name, locale: query.locale,
      cell: query.point.map { SurfaceCell($0, size: size) })
  }
}

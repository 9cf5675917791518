package import AsyncLocation

/// Collects the locations of a device in an area into a visit. They may be added in any order.
package struct FleetVisitCount: Sendable {
  private var first: Location?
  private var last: Location?
  private var count = 0

  package init() {}

  package mutating func add(_ location: Location) {
    if first.map({ location.timestampSeconds < $0.timestampSeconds }) ?? true { first = location }
    if last.map({ location.timestampSeconds > $0.timestampSeconds }) ?? true { last = location }
    count += 1
  }

  /// The visit; nil without locations.
  package func visit(of device: FleetDevice.ID) -> FleetVisit? {
    guard let first, let last else { return nil }
    return FleetVisit(device: device, first: first, last: last, count: count)
  }
}

extension AreaTest {
  /// Creates the test of the area in a query of a history.
  ///
  /// - Throws: `LocationError` with `unsupported` for a beacon.
  package init(ofHistory area: Condition) throws(LocationError) {
    guard let test = AreaTest(area) else {
      throw LocationError(
        .unsupported,
        "A history has locations only; it cannot be asked for a beacon's surroundings.")
    }
    self = test
  }
}

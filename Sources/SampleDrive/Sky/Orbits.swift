import Glibc

/// Computes the directions of navigation satellites from a fictional almanac.
///
/// The orbits are circular, with the nominal inclinations, radii and planes of GPS, GLONASS and
/// Galileo. The phases are evenly spaced, so positions differ from those of the real satellites.
struct Orbits: Sendable {
  /// A satellite system.
  enum System: Int, Sendable, Hashable, CaseIterable {
    // The raw values are NMEA 0183's system identifiers.
    case gps = 1
    case glonass = 2
    case galileo = 3
  }

  /// A satellite above the horizon.
  struct Sighting: Sendable, Hashable {
    let system: System
    /// Its number within its system, from 1.
    let vehicle: Int
    /// Degrees.
    let elevation: Double
    /// Degrees clockwise from true north.
    let azimuth: Double
  }

  private struct Plan {
    let system: System
    let planes: Int
    let perPlane: Int
    /// Degrees.
    let inclination: Double
    /// Metres.
    let radius: Double
    /// The rotation of the whole system, in degrees.
    let offset: Double
    /// The phase difference between satellites of adjacent planes, in degrees.
    let stagger: Double
  }

  private static let plans = [
    Plan(
      system: .gps, planes: 6, perPlane: 5, inclination: 55, radius: 26_559_700, offset: 11,
      stagger: 31),
    Plan(
      system: .glonass, planes: 3, perPlane: 8, inclination: 64.8, radius: 25_508_000, offset: 40,
      stagger: 15),
    Plan(
      system: .galileo, planes: 3, perPlane: 8, inclination: 56, radius: 29_599_800, offset: 77,
      stagger: 15),
  ]

  private let latitude: Double
  private let longitude: Double

  /// - Parameters:
  ///   - latitude: The latitude of the observer, in degrees north.
  ///   - longitude: The longitude of the observer, in degrees east.
  init(latitude: Double, longitude: Double) {
    self.latitude = latitude.radians
    self.longitude = longitude.radians
  }

  /// The satellites above the horizon, ordered by system and number.
  ///
  /// - Parameter seconds: Seconds since an epoch at which the prime meridian points to the vernal
  ///   equinox.
  func sightings(at seconds: Double) -> [Sighting] {
    Self.plans.flatMap { plan in
      (0..<plan.planes * plan.perPlane).compactMap { sighting(of: $0, in: plan, at: seconds) }
    }
  }

  private func sighting(of index: Int, in plan: Plan, at seconds: Double) -> Sighting? {
    let gravitationalParameter = 3.986_004_418e14
    let earthRadius = 6_371_000.0
    let earthRotation = 7.292_115e-5
    let (plane, slot) = index.quotientAndRemainder(dividingBy: plan.perPlane)
    let motion =
      (gravitationalParameter / (plan.radius * plan.radius * plan.radius)).squareRoot()
    let phase =
      (360 * Double(slot) / Double(plan.perPlane) + plan.stagger * Double(plane)).radians
      + motion * seconds
    let node =
      (plan.offset + 360 * Double(plane) / Double(plan.planes)).radians - earthRotation * seconds
    let inclination = plan.inclination.radians
    let x = plan.radius * (cos(node) * cos(phase) - sin(node) * sin(phase) * cos(inclination))
    let y = plan.radius * (sin(node) * cos(phase) + cos(node) * sin(phase) * cos(inclination))
    let z = plan.radius * sin(phase) * sin(inclination)
    // The components to the observer's east, north and up. A sphere is accurate enough for
    // satellite directions.
    let outward = cos(longitude) * x + sin(longitude) * y
    let east = cos(longitude) * y - sin(longitude) * x
    let north = cos(latitude) * z - sin(latitude) * outward
    let up = cos(latitude) * outward + sin(latitude) * z - earthRadius
    guard up > 0 else { return nil }
    return Sighting(
      system: plan.system, vehicle: index + 1,
      elevation: atan2(up, (east * east + north * north).squareRoot()).degrees,
      azimuth: atan2(east, north).degrees.normalizedDegrees)
  }
}

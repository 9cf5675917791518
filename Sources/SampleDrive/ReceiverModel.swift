import Glibc
import MockBackend

/// A model of a GNSS receiver: it tracks, loses and reacquires satellites, and has position errors.
///
/// Position errors vary slowly, as those of real receivers do, in proportion to the dilution of
/// precision. After an outage they are large and then settle.
struct ReceiverModel {
  /// The output of one second.
  struct Observation {
    let satellites: [TrackedSatellite]
    let fix: Epoch.Fix?
  }

  /// The settled range error in metres.
  private static let settledRangeError = 1.5
  /// The height of mean sea level above the ellipsoid around the route, in metres.
  static let geoidSeparation = 11.6
  /// The minimum elevation of the satellites used, in degrees.
  private static let lowestUsed = 8.0
  /// The minimum signal strengths of satellites that are tracked and used, in dB-Hz.
  private static let weakestTracked = 25.0
  private static let weakestUsed = 31.0

  private let frame: LocalFrame
  private let orbits: Orbits
  private var random: SplitMix64
  /// The correlated errors with unit variance: east, north, up.
  private var correlatedErrors = (0.0, 0.0, 0.0)
  /// The fading of each satellite's signal, in dB.
  private var fading: [Int: Double] = [:]
  /// Seconds since the last outage; nil before the first.
  private var sinceOutage: Double?
  /// The number of consecutive seconds that the car has been in the tunnel.
  private var secondsHidden = 0

  init(frame: LocalFrame, seed: UInt64) {
    self.frame = frame
    orbits = Orbits(latitude: frame.latitude, longitude: frame.longitude)
    random = SplitMix64(seed: seed)
    correlatedErrors = (random.gaussian(), random.gaussian(), random.gaussian())
  }

  /// Advances the receiver by one second.
  ///
  /// - Parameter seconds: The time for the satellites' orbits.
  mutating func observe(_ truth: Epoch.Motion, at seconds: Double) -> Observation {
    if truth.isInTunnel {
      sinceOutage = 0
      secondsHidden += 1
    } else if let since = sinceOutage {
      sinceOutage = since + 1
      secondsHidden = 0
    }
    var satellites = track(orbits.sightings(at: seconds), hidden: truth.isInTunnel)
    let dilution = choose(among: &satellites)
    // Drawn every second, so that an outage does not change the later noise.
    let noise = (0..<8).map { _ in random.gaussian() }
    // The errors have a correlation time of 40 s. The weight of the noise keeps their variance 1.
    let correlation = exp(-1 / 40.0)
    let noiseWeight = (1 - correlation * correlation).squareRoot()
    correlatedErrors = (
      correlation * correlatedErrors.0 + noiseWeight * noise[0],
      correlation * correlatedErrors.1 + noiseWeight * noise[1],
      correlation * correlatedErrors.2 + noiseWeight * noise[2]
    )
    let used = satellites.count(where: \.isUsed)
    return Observation(
      satellites: satellites,
      fix: dilution.map { solve(truth, satellitesUsed: used, dilution: $0, noise: noise) })
  }

  private mutating func track(
    _ sightings: [Orbits.Sighting], hidden: Bool
  ) -> [TrackedSatellite] {
    let elevations = sightings.map(\.elevation).sorted(by: >)
    var tracked: [TrackedSatellite] = []
    for sighting in sightings {
      let key = sighting.system.rawValue * 100 + sighting.vehicle
      let fade = 0.9 * fading[key, default: 0] + 1.2 * random.gaussian()
      fading[key] = fade
      // The highest satellites are reacquired first.
      let rank = Double(elevations.firstIndex { $0 <= sighting.elevation } ?? 0)
      let isBack = sinceOutage.map { $0 > 2 + 0.8 * rank } ?? true
      let strength = 27 + 19 * sin(sighting.elevation.radians) + fade
      let isTracked = !hidden && isBack && strength >= Self.weakestTracked
      // A receiver soon stops listing satellites that it no longer receives.
      guard isTracked || (hidden ? secondsHidden <= 6 : sighting.elevation >= 7) else { continue }
      tracked.append(
        TrackedSatellite(
          system: sighting.system, vehicle: sighting.vehicle,
          elevation: Int(sighting.elevation.rounded()),
          azimuth: Int(sighting.azimuth.rounded()) % 360,
          signalStrength: isTracked ? Int(strength.rounded()) : nil,
          isUsed: isTracked && strength >= Self.weakestUsed
            && sighting.elevation >= Self.lowestUsed))
    }
    return tracked
  }

  /// Chooses the satellites used: all that are strong enough. If their geometry is poor, the
  /// highest three with an assumed altitude; if that geometry is poor too, none.
  private func choose(among satellites: inout [TrackedSatellite]) -> Dilution? {
    func dilution(threeDimensional: Bool) -> Dilution? {
      Dilution(
        satellites.filter(\.isUsed).map { (Double($0.elevation), Double($0.azimuth)) },
        threeDimensional: threeDimensional)
    }
    if let spatial = dilution(threeDimensional: true), spatial.position < 12 { return spatial }
    let elevations = satellites.filter(\.isUsed).map(\.elevation).sorted(by: >)
    var remaining = 3
    for index in satellites.indices where satellites[index].isUsed {
      let isHigh = elevations.count <= 3 || satellites[index].elevation >= elevations[2]
      satellites[index].isUsed = isHigh && remaining > 0
      if satellites[index].isUsed { remaining -= 1 }
    }
    if let flat = dilution(threeDimensional: false), flat.horizontal < 20 { return flat }
    for index in satellites.indices { satellites[index].isUsed = false }
    return nil
  }

  private func solve(
    _ truth: Epoch.Motion, satellitesUsed: Int, dilution: Dilution, noise: [Double]
  ) -> Epoch.Fix {
    let unsettled = sinceOutage.map { exp(-$0 / 9) } ?? 0
    let rangeError = Self.settledRangeError * (1 + 5 * unsettled)
    let (errorEast, errorNorth) = (rangeError * dilution.east, rangeError * dilution.north)
    let errorUp = dilution.vertical.map { rangeError * $0 }
    let errorSpeed = 0.04 * dilution.horizontal * (1 + 5 * unsettled)

    let origin = frame.point(latitude: truth.latitude, longitude: truth.longitude)
    let measured = frame.degrees(
      at: Point(
        east: origin.east + correlatedErrors.0 * errorEast + 0.05 * noise[3],
        north: origin.north + correlatedErrors.1 * errorNorth + 0.05 * noise[4]))
    let speed = max(0, truth.speed + noise[5] * (truth.speed > 0 ? errorSpeed : errorSpeed / 4))
    let courseError = atan(errorSpeed / max(speed, 0.1)).degrees
    return Epoch.Fix(
      latitude: measured.latitude, longitude: measured.longitude,
      altitude: errorUp.map { truth.altitude + correlatedErrors.2 * $0 },
      speed: speed,
      course: speed >= 1 ? (truth.course + noise[6] * courseError).normalizedDegrees : nil,
      climb: errorUp == nil ? nil : truth.climb + noise[7] * errorSpeed,
      dilution: dilution, errorEast: errorEast, errorNorth: errorNorth, errorUp: errorUp,
      errorSpeed: errorSpeed, satellitesUsed: satellitesUsed)
  }
}

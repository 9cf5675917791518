public import AsyncLocation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Random position errors that resemble those of a receiver and are reproducible from a seed.
///
/// ```swift
/// let noise = try PositionNoise(seed: 7, standardDeviation: 3)
/// let backend = try MockBackend.replay(noise.applied(to: track), clock: clock)
/// ```
///
/// Each position moves north and east by two independent, normally distributed distances, so about
/// a third of all positions move by more than 1.5 standard deviations. Unlike the errors of a
/// receiver, the errors of consecutive positions are independent. Other values, including the
/// stated accuracy, do not change.
public struct PositionNoise: Sendable, Hashable {
  /// The seed of the generator.
  public let seed: UInt64
  /// The standard deviation of the error along each axis, in metres.
  public let standardDeviation: Double

  /// Creates noise.
  ///
  /// - Throws: `LocationError` with code `invalidValue` when the standard deviation is not within
  ///   0...100,000 metres.
  public init(seed: UInt64, standardDeviation: Double) throws(LocationError) {
    guard (0...100_000).contains(standardDeviation) else {
      throw LocationError(
        .invalidValue,
        "standardDeviation must be between 0 and 100,000 metres; got \(standardDeviation).")
    }
    self.seed = seed
    self.standardDeviation = standardDeviation
  }

  /// Returns a location with the next error from a generator.
  public func perturbed(
    _ location: Location, using generator: inout some RandomNumberGenerator
  ) -> Location {
    let (north, east) = Self.normalPair(using: &generator)
    let coordinate = Self.displaced(
      location.coordinate, north: north * standardDeviation, east: east * standardDeviation)
    return location.moved(to: coordinate)
  }

  /// Returns a track with errors from ``seed`` added to its locations, in order.
  public func applied(to events: [TimedEvent]) -> [TimedEvent] {
    var generator = SplitMix64(seed: seed)
    return events.map {
      TimedEvent(offset: $0.offset, event: perturbed($0.event, using: &generator))
    }
  }

  /// Returns a script with errors from ``seed`` added to its locations, in order.
  public func applied(to script: MockScript) -> MockScript {
    var generator = SplitMix64(seed: seed)
    let steps = script.steps.map { step -> MockStep in
      guard case .emit(let events) = step.kind else { return step }
      return .emit(events.map { perturbed($0, using: &generator) })
    }
    return MockScript(steps, restartsWithEachRun: script.restartsWithEachRun)
  }

  private func perturbed(
    _ event: BackendEvent, using generator: inout some RandomNumberGenerator
  ) -> BackendEvent {
    guard case .location(let location) = event else { return event }
    return .location(perturbed(location, using: &generator))
  }

  /// Returns two independent numbers from the standard normal distribution, by the transform of
  /// G. E. P. Box and M. E. Muller, "A Note on the Generation of Random Normal Deviates", 1958.
  package static func normalPair(
    using generator: inout some RandomNumberGenerator
  ) -> (Double, Double) {
    let radius = (-2 * log(1 - Double.random(in: 0..<1, using: &generator))).squareRoot()
    let angle = 2 * Double.pi * Double.random(in: 0..<1, using: &generator)
    return (radius * cos(angle), radius * sin(angle))
  }

  /// Returns a point moved by metres along the meridian and the parallel, with the ellipsoid's
  /// radii of curvature at that point. Accurate for the distances of receiver errors, not for long
  /// distances.
  ///
  /// - Returns: Nil if the result is not a valid coordinate.
  static func displaced(_ coordinate: Coordinate, north: Double, east: Double) -> Coordinate? {
    let radians = coordinate.latitude * .pi / 180
    let (meridian, primeVertical) = WGS84.radii(atLatitude: radians)
    let parallel = primeVertical * cos(radians)
    var latitude = coordinate.latitude + north / meridian * 180 / .pi
    var longitude = coordinate.longitude
    if parallel > 1 { longitude += (east / parallel * 180 / .pi).remainder(dividingBy: 360) }
    if abs(latitude) > 90 {  // Over the pole, and down on the other side.
      latitude = (latitude > 0 ? 180 : -180) - latitude
      longitude += 180
    }
    return try? Coordinate(
      latitude: latitude, longitude: longitude.remainder(dividingBy: 360))
  }
}

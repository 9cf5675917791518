package import FoundationEssentials

/// One second of the drive: the true motion and the receiver's output.
package struct Epoch: Sendable, Hashable {
  /// The time since the start of the drive, in whole seconds.
  package let offset: Duration
  /// UTC.
  package let timestamp: Date
  package let truth: Motion
  /// The receiver's fix; nil while it tracks too few satellites.
  package let fix: Fix?
  /// The satellites that the receiver lists, ordered by system and number.
  package let satellites: [TrackedSatellite]

  /// The true motion of the car.
  package struct Motion: Sendable, Hashable {
    /// Degrees north, WGS 84.
    package let latitude: Double
    /// Degrees east, WGS 84.
    package let longitude: Double
    /// Metres above mean sea level.
    package let altitude: Double
    /// Metres along the route since the start.
    package let distance: Double
    /// Metres per second.
    package let speed: Double
    /// The direction of the car in degrees clockwise from true north, 0..<360.
    package let course: Double
    /// Metres per second upwards.
    package let climb: Double
    /// Whether the car is in the tunnel, where no satellite is received.
    package let isInTunnel: Bool
  }

  /// The fix that the receiver computes. Errors are standard deviations.
  package struct Fix: Sendable, Hashable {
    /// Degrees north, WGS 84.
    package let latitude: Double
    /// Degrees east, WGS 84.
    package let longitude: Double
    /// Metres above mean sea level; nil for a 2D fix.
    package let altitude: Double?
    /// Metres per second over ground.
    package let speed: Double
    /// Degrees clockwise from true north, 0..<360; nil at low speed.
    package let course: Double?
    /// Metres per second upwards; nil for a 2D fix.
    package let climb: Double?
    package let dilution: Dilution
    /// Metres.
    package let errorEast: Double
    /// Metres.
    package let errorNorth: Double
    /// Metres; nil for a 2D fix.
    package let errorUp: Double?
    /// Metres per second.
    package let errorSpeed: Double
    package let satellitesUsed: Int

    package var isThreeDimensional: Bool { errorUp != nil }
    /// The RMS error of the pseudoranges, in metres.
    package var rangeError: Double { errorEast / dilution.east }
  }
}

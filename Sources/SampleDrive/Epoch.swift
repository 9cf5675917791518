package import FoundationEssentials

/// One second of the drive: what is true, and what the receiver makes of it.
package struct Epoch: Sendable, Hashable {
  /// Since the start of the drive, whole seconds.
  package let offset: Duration
  /// UTC.
  package let timestamp: Date
  package let truth: Motion
  /// Nil while too few satellites are heard.
  package let fix: Fix?
  /// The satellites that the receiver lists, by family and number.
  package let satellites: [TrackedSatellite]

  /// What the car really does.
  package struct Motion: Sendable, Hashable {
    /// Degrees north, WGS 84.
    package let latitude: Double
    /// Degrees east, WGS 84.
    package let longitude: Double
    /// Metres above mean sea level.
    package let altitude: Double
    /// Metres along the route since the start.
    package let distance: Double
    /// Metres a second.
    package let speed: Double
    /// Degrees clockwise from true north in which the car points, 0..<360.
    package let course: Double
    /// Metres a second upwards.
    package let climb: Double
    /// True where no satellite can be heard.
    package let isInTunnel: Bool
  }

  /// What the receiver computes. Errors are standard deviations.
  package struct Fix: Sendable, Hashable {
    /// Degrees north, WGS 84.
    package let latitude: Double
    /// Degrees east, WGS 84.
    package let longitude: Double
    /// Metres above mean sea level; nil in two dimensions.
    package let altitude: Double?
    /// Metres a second over ground.
    package let speed: Double
    /// Degrees clockwise from true north, 0..<360; nil when too slow to tell.
    package let course: Double?
    /// Metres a second upwards; nil in two dimensions.
    package let climb: Double?
    package let dilution: Dilution
    /// Metres.
    package let errorEast: Double
    /// Metres.
    package let errorNorth: Double
    /// Metres; nil in two dimensions.
    package let errorUp: Double?
    /// Metres a second.
    package let errorSpeed: Double
    package let satellitesUsed: Int

    package var isThreeDimensional: Bool { errorUp != nil }
    /// The root mean square of the errors of the satellites' ranges, metres.
    package var rangeError: Double { errorEast / dilution.east }
  }
}

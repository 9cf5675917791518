/// A satellite as the receiver of the drive lists it.
package struct TrackedSatellite: Sendable, Hashable {
  let system: Orbits.System
  /// Its number within its family, from 1.
  package let vehicle: Int
  /// Whole degrees, as receivers report them.
  package let elevation: Int
  /// Whole degrees clockwise from true north, 0..<360.
  package let azimuth: Int
  /// Whole dB-Hz; nil while it is known to be there but not heard.
  package let signalStrength: Int?
  /// True when it takes part in the position.
  package internal(set) var isUsed: Bool

  /// The number by which gpsd calls it.
  package var prn: Int {
    switch system {
    case .gps: vehicle
    case .glonass: vehicle + 64
    case .galileo: vehicle + 300
    }
  }
}

/// A satellite in the list of the simulated receiver.
package struct TrackedSatellite: Sendable, Hashable {
  let system: Orbits.System
  /// Its number within its system, from 1.
  package let vehicle: Int
  /// Whole degrees, as receivers report them.
  package let elevation: Int
  /// Whole degrees clockwise from true north, 0..<360.
  package let azimuth: Int
  /// Whole dB-Hz; nil while the satellite is listed but not received.
  package let signalStrength: Int?
  /// Whether the satellite is used in the fix.
  package internal(set) var isUsed: Bool

  /// The satellite number in gpsd (PRN).
  package var prn: Int {
    switch system {
    case .gps: vehicle
    case .glonass: vehicle + 64
    case .galileo: vehicle + 300
    }
  }
}

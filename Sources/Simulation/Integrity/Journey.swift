package import AsyncLocation
import FoundationEssentials
import Glibc
import MockBackend

/// The output of a simulated receiver on a journey of a vehicle or a walker, with the disturbances
/// of real ones: rests, tunnels, reflected signals, a cold start, stalls of the connection.
///
/// Equal seeds give equal journeys.
package struct Journey: Sendable {
  /// One second of the journey.
  package struct Epoch: Sendable {
    /// Seconds by the receiver's clock, from the start.
    package var time: Double
    /// Seconds by the monotonic clock, from the start.
    package var arrival: Double
    package var position: Place
    package var accuracy: Double
    package var speed: Double
    /// Degrees; nil at low speed.
    package var course: Double?
    package var satellitesUsed: Int
    package var isEstimated: Bool
    package var jamming: Int
    /// The elevations in degrees and the strengths in dB-Hz of the satellites used; empty between
    /// views.
    package var sky: [(prn: Int, elevation: Double, strength: Double)]
  }

  package let epochs: [Epoch]

  /// - Parameter seconds: The length of the journey.
  package init(seed: UInt64, seconds: Int) {
    var vehicle = SimulatedVehicle(seed: seed)
    var receiver = SimulatedGNSSReceiver(seed: seed)
    var epochs: [Epoch] = []
    for second in 0..<seconds {
      vehicle.advance()
      if let epoch = receiver.observe(vehicle, at: second) { epochs.append(epoch) }
    }
    self.init(epochs: epochs)
  }

  init(epochs: [Epoch]) { self.epochs = epochs }
}

extension Journey.Epoch {
  /// Whether enough satellites are received.
  var hasSignals: Bool { !isEstimated && satellitesUsed >= 5 }

  /// Seconds from 2001-01-01 at the start of every journey.
  private static let start = 800_000_000.0

  /// The location that a backend reports.
  package var location: Location {
    try! Location(
      coordinate: position.coordinate,
      timestamp: Date(timeIntervalSinceReferenceDate: Self.start + time),
      horizontalAccuracy: accuracy, speed: speed, course: course,
      sourceInformation: SourceInformation(device: "simulated"),
      gnss: GNSSFix(
        mode: satellitesUsed < 4 ? .twoDimensional : .threeDimensional,
        status: isEstimated ? .deadReckoning : .autonomous, satellitesUsed: satellitesUsed,
        jamming: jamming, antennaStatus: 1))
  }

  /// The view that a backend reports; nil between views.
  package var view: SatelliteView? {
    guard !sky.isEmpty else { return nil }
    return try! SatelliteView(
      satellites: sky.map {
        try! Satellite(
          prn: $0.prn, elevation: $0.elevation, signalStrength: max(0, $0.strength.rounded()),
          isUsed: true)
      }, sourceInformation: SourceInformation(device: "simulated"))
  }
}

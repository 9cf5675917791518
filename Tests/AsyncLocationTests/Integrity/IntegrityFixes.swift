import AsyncLocation
import FoundationEssentials

/// A receiver that drives north at a constant speed and reports each second; its members change
/// what it reports.
struct DrivingReceiver {
  static let start = Date(timeIntervalSince1970: 1_800_000_000)

  var device: String? = nil
  /// Metres per second.
  var speed = 15.3
  var reportsSpeed = true
  var reportsCourse = true
  /// The reported speed; nil for the true one.
  var reportedSpeed: Double?
  /// Metres above the ellipsoid.
  var height = 0.0
  /// Metres east of the true position.
  var displacement = 0.0
  /// Seconds by which the receiver's clock is ahead.
  var clockError = 0.0
  var timeSource = SourceInformation.TimeSource.receiver
  var status = GNSSFix.Status.autonomous
  var jamming: Int?
  var antennaStatus: Int?
  var hasGNSS = true
  var isSimulated = false

  /// The location at a number of seconds after the start.
  func location(_ second: Double) -> Location {
    try! Location(
      latitude: 47 + speed * second / (111_200 + height / 57.2958),
      longitude: 8 + displacement / 76_050,
      timestamp: Self.start + second + clockError, ellipsoidalAltitude: height,
      horizontalAccuracy: 4,
      speed: reportsSpeed ? reportedSpeed ?? speed : nil,
      course: reportsSpeed && reportsCourse ? 0 : nil,
      sourceInformation: SourceInformation(
        isSimulated: isSimulated, device: device, timeSource: timeSource),
      gnss: hasGNSS
        ? GNSSFix(
          mode: .threeDimensional, status: status, satellitesUsed: 12, jamming: jamming,
          antennaStatus: antennaStatus) : nil)
  }

  /// A sky of eight used satellites.
  ///
  /// - Parameter strength: The strength in dB-Hz of the satellite with a number.
  func view(_ strength: (Int) -> Double) -> SatelliteView {
    try! SatelliteView(
      satellites: (0..<8).map { index in
        try! Satellite(
          prn: index + 1, elevation: Double(10 + 10 * index), signalStrength: strength(index),
          isUsed: true)
      }, sourceInformation: SourceInformation(device: device))
  }

  /// The strengths of a real sky.
  static func realStrength(_ index: Int) -> Double { 32 + 2 * Double(index) }
}

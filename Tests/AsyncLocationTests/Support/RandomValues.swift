import FoundationEssentials
import MockBackend

@testable import AsyncLocation

extension SplitMix64 {
  mutating func number(_ range: ClosedRange<Double>) -> Double {
    .random(in: range, using: &self)
  }

  mutating func text() -> String {
    let alphabet = ["a", "/", "\"", "\\", "é", "😀", "\u{1B}", "\n", "\0", " "]
    return (0..<Int.random(in: 0..<12, using: &self))
      .map { _ in alphabet.randomElement(using: &self) ?? "" }.joined()
  }

  mutating func time() -> Date { .random(using: &self) }

  mutating func source() -> SourceInformation {
    SourceInformation(
      isSimulated: .random(using: &self), device: maybe { $0.text() },
      timeSource: [.receiver, .host, .provisional].randomElement(using: &self) ?? .receiver,
      isPreferred: .random(using: &self))
  }

  mutating func dilution() throws -> DilutionOfPrecision {
    try DilutionOfPrecision(
      horizontal: maybe { $0.number(0...99) }, vertical: maybe { $0.number(0...99) },
      position: maybe { $0.number(0...99) }, time: maybe { $0.number(0...99) },
      geometric: maybe { $0.number(0...99) }, east: maybe { $0.number(0...99) },
      north: maybe { $0.number(0...99) })
  }

  mutating func fix() throws -> GNSSFix {
    try GNSSFix(
      mode: GNSSFix.Mode.allCases.randomElement(using: &self) ?? .twoDimensional,
      status: maybe { GNSSFix.Status.allCases.randomElement(using: &$0) } ?? nil,
      dilutionOfPrecision: dilution(),
      satellitesUsed: maybe { .random(in: 0...1000, using: &$0) },
      satellitesVisible: maybe { .random(in: 0...1000, using: &$0) },
      magneticVariation: maybe { $0.number(-180...180) },
      geoidSeparation: maybe { $0.number(-110...90) },
      differentialAge: maybe { $0.number(0...1e4) },
      differentialStation: maybe { .random(in: 0...4095, using: &$0) },
      timeUncertainty: maybe { $0.number(0...1) },
      jamming: maybe { .random(in: 0...255, using: &$0) },
      antennaStatus: maybe { .random(in: 0...255, using: &$0) })
  }

  mutating func location() throws -> Location {
    try Location(
      latitude: number(-90...90), longitude: number(-180...180), timestamp: time(),
      altitude: maybe { $0.number(-20_000...1e8) },
      ellipsoidalAltitude: maybe { $0.number(-20_000...1e8) },
      horizontalAccuracy: maybe { $0.number(0...1e6) },
      verticalAccuracy: maybe { $0.number(0...1e-6) }, speed: maybe { $0.number(0...1e300) },
      speedAccuracy: maybe { $0.number(0...99) }, course: maybe { $0.number(0...360) },
      courseAccuracy: maybe { $0.number(0...180) }, climb: maybe { $0.number(-99...99) },
      floor: maybe { .random(in: .min ... .max, using: &$0) },
      sourceInformation: maybe { $0.source() },
      gnss: Bool.random(using: &self) ? fix() : nil)
  }

  mutating func heading() throws -> Heading {
    try Heading(
      trueHeading: number(0...360), magneticHeading: maybe { $0.number(0...360) },
      headingAccuracy: maybe { $0.number(0...180) },
      magneticField: Heading.MagneticField(
        x: number(-1e9...1e9), y: number(-1e-9...1e-9), z: number(-1...1)),
      timestamp: time(), source: Bool.random(using: &self) ? .compass : .courseOverGround,
      sourceInformation: maybe { $0.source() })
  }

  mutating func satellite() throws -> Satellite {
    try Satellite(
      prn: .random(in: .min ... .max, using: &self),
      constellation: maybe { Satellite.Constellation.allCases.randomElement(using: &$0) } ?? nil,
      vehicle: maybe { .random(in: 0...255, using: &$0) },
      signal: maybe { .random(in: 0...8, using: &$0) },
      frequency: maybe { .random(in: 0...13, using: &$0) },
      elevation: maybe { $0.number(-90...90) }, azimuth: maybe { $0.number(0...360) },
      signalStrength: maybe { $0.number(0...254) },
      pseudorangeResidual: maybe { $0.number(-1e3...1e3) },
      isHealthy: maybe { .random(using: &$0) }, isUsed: .random(using: &self))
  }

  mutating func view() throws -> SatelliteView {
    let satellites = try (0..<Int.random(in: 0..<4, using: &self)).map { _ in try satellite() }
    return try SatelliteView(
      timestamp: maybe { $0.time() }, satellites: satellites, dilutionOfPrecision: dilution(),
      sourceInformation: maybe { $0.source() })
  }

  mutating func receiver() -> Receiver {
    Receiver(
      name: text(), driver: maybe { $0.text() }, model: maybe { $0.text() },
      activated: maybe { $0.time() }, baudRate: maybe { .random(in: 0...921_600, using: &$0) },
      cycle: maybe { .nanoseconds(Int.random(in: -1...10_000_000_000_000, using: &$0)) })
  }
}

extension Date {
  /// A date of the years 1 to 9999 with three, six, nine or any digits of a second.
  static func random(using random: inout SplitMix64) -> Date {
    let seconds: Double
    switch Int.random(in: 0..<4, using: &random) {
    case 0: seconds = .random(in: -63_113_904_000..<252_423_993_598, using: &random)
    case 1: seconds = .random(in: -1e9...1e9, using: &random)
    case 2: seconds = .random(in: -1e7...1e7, using: &random)  // Precise to nanoseconds.
    default: seconds = .random(in: -10...10, using: &random)
    }
    let fraction: Double
    switch Int.random(in: 0..<4, using: &random) {
    case 0: fraction = Double(Int.random(in: 0..<1_000, using: &random)) / 1e3
    case 1: fraction = Double(Int.random(in: 0..<1_000_000, using: &random)) / 1e6
    case 2: fraction = Double(Int.random(in: 0..<1_000_000_000, using: &random)) / 1e9
    default: return Date(timeIntervalSinceReferenceDate: seconds)
    }
    return Date(timeIntervalSinceReferenceDate: seconds.rounded(.down) + fraction)
  }
}

import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// The output of `print`, a failed expectation and a debugger.
@Suite(.inTurn) struct DescriptionTests {
  static let time = Date(timeIntervalSinceReferenceDate: 799_556_521.25)

  struct Sample: CustomTestStringConvertible, Sendable {
    let value: any Sendable
    let text: String

    init(_ value: any Sendable, _ text: String) { (self.value, self.text) = (value, text) }

    var testDescription: String { text }
  }

  static func samples() throws -> [Sample] {
    let location = try Location(
      latitude: 48.5, longitude: -11.25, timestamp: time, altitude: 519.5,
      horizontalAccuracy: 2.5, speed: 13.9, course: 87.25,
      sourceInformation: SourceInformation(device: "/dev/ttyS0"),
      gnss: GNSSFix(
        mode: .threeDimensional, status: .rtkFixed,
        dilutionOfPrecision: DilutionOfPrecision(horizontal: 0.75), satellitesUsed: 9,
        magneticVariation: -3))
    return [
      Sample(
        try Location(latitude: 1.5, longitude: 2, timestamp: time, speed: 3),
        "Location(latitude: 1.5°, longitude: 2.0°, timestamp: 2026-05-04T03:02:01.250Z, "
          + "speed: 3.0 m/s)"),
      Sample(
        location,
        "Location(latitude: 48.5°, longitude: -11.25°, timestamp: 2026-05-04T03:02:01.250Z, "
          + "altitude: 519.5 m, horizontalAccuracy: 2.5 m, speed: 13.9 m/s, course: 87.25°, "
          + "sourceInformation: SourceInformation(device: \"/dev/ttyS0\", isSimulated: false, "
          + "timeSource: receiver, isPreferred: true), gnss: GNSSFix(mode: threeDimensional, "
          + "status: rtkFixed, dilutionOfPrecision: DilutionOfPrecision(horizontal: 0.75), "
          + "satellitesUsed: 9, magneticVariation: -3.0°))"),
      Sample(
        try Heading(trueHeading: 12.5, timestamp: time, source: .courseOverGround),
        "Heading(trueHeading: 12.5°, timestamp: 2026-05-04T03:02:01.250Z, "
          + "source: courseOverGround)"),
      Sample(
        try SatelliteView(
          satellites: [
            Satellite(
              prn: 5, constellation: .galileo, elevation: 40, signalStrength: 33.5, isUsed: true)
          ]),
        "SatelliteView(satellites: [Satellite(prn: 5, constellation: galileo, "
          + "elevation: 40.0°, signalStrength: 33.5 dB-Hz, isUsed: true)])"),
      Sample(
        Receiver(name: "/dev/a", activated: time, baudRate: 9600, cycle: .milliseconds(200)),
        "Receiver(name: \"/dev/a\", activated: 2026-05-04T03:02:01.250Z, "
          + "baudRate: 9600 bit/s, cycle: 0.2 seconds)"),
      Sample(
        LocationUpdate(diagnostics: [.authorizationDenied, .accuracyLimited]),
        "LocationUpdate(diagnostics: [authorizationDenied, accuracyLimited])"),
      Sample(LocationUpdate.Diagnostics(), "[]"),
      Sample(
        LocationUpdate.Diagnostics(rawValue: 1 << 31 | 1), "[authorizationDenied, 0x80000000]"),
      Sample(BackendCapabilities.all, "[locations, headings, satellites, beacons]"),
      Sample(
        ConnectionState(.waiting, attempts: 2, problem: LocationError(.timedOut, "Late.")),
        "ConnectionState(phase: waiting, attempts: 2, problem: timedOut: Late., receivers: [])"),
      Sample(LocationError.Code.denied, "denied"),
      Sample(LocationError(.denied, "No\u{1B}[31m"), "denied: No\\u{1b}[31m"),
      Sample(DesiredAccuracy.best, "best"), Sample(DesiredAccuracy.kilometer, "1000.0 m"),
      Sample(
        UpdateOptions(device: "a"),
        "UpdateOptions(distanceFilter: 0.0 m, minimumInterval: 0.0 seconds, "
          + "desiredAccuracy: best, maximumAge: 0.0 seconds, device: \"a\", "
          + "activityType: other, pausesAutomatically: false, omitsSuspectLocations: false, "
          + "buffering: BufferingPolicy(limit: 64))"),
      Sample(
        BackendDemand(kinds: .headings, devices: ["b", "a"]),
        "BackendDemand(kinds: [headings], desiredAccuracy: best, "
          + "minimumInterval: 0.0 seconds, devices: [\"a\", \"b\"])"),
      Sample(
        try Condition.polygon(box(0, 0, 1, 1)).dwelling(.seconds(5)),
        "Condition(polygon: Polygon(exterior: 4 vertices), dwell: 5.0 seconds)"),
      Sample(
        Monitor.Event(
          identifier: "a\u{1B}", number: 3, state: .satisfied, previousState: .unknown, date: time,
          refinement: try .circle(center: at(1, 2), radius: 5), isRepeated: true),
        "Event(identifier: \"a\\u{1b}\", number: 3, state: satisfied, previousState: unknown, "
          + "date: 2026-05-04T03:02:01.250Z, refinement: Condition(circle: Circle("
          + "center: Coordinate(latitude: 1.0°, longitude: 2.0°), radius: 5.0 m)), "
          + "isRepeated: true)"),
      Sample(
        AuthorizationDecision.denied.withReason("Sunday"),
        "AuthorizationDecision(permission: denied, accuracy: full, reason: \"Sunday\")"),
      Sample(
        BackendEvent.location(try Location(latitude: 1, longitude: 2, timestamp: time)),
        "location(Location(latitude: 1.0°, longitude: 2.0°, "
          + "timestamp: 2026-05-04T03:02:01.250Z))"),
      Sample(
        try ReducedAccuracyKey(bytes: Array(repeating: 77, count: 32)),
        "ReducedAccuracyKey(secret)"),
    ]
  }

  @Test func everyValuePrintsItsMembers() throws {
    for sample in try Self.samples() {
      #expect("\(sample.value)" == sample.text)
      // The output of a failed expectation.
      #expect(String(describingForTest: sample.value).hasSuffix(sample.text))
    }
  }

  /// Random values of printed types. Many contain random text with control characters.
  static func all(_ random: inout SplitMix64) throws -> [any Sendable] {
    try [
      random.location(), random.heading(), random.view(), random.receiver(), random.update(),
      random.connection(), random.error(), random.accuracy(), random.statistics(),
      random.configuration(), random.authorization(), random.decision(),
      random.placemark(), random.placemarkUpdate(), random.placemarkOptions(),
      random.demand(), random.updateOptions(), random.headingOptions(),
      random.location().with { _ in }, AuthorizationStateMachine(),
    ]
  }

  private func isHarmless(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy {
      $0.value >= 0x20 && ![.control, .format].contains($0.properties.generalCategory)
    }
  }

  @Test("F41 printed values are escaped and do not show their storage", .longWork)
  func printedValuesAreEscaped() throws {
    var random = SplitMix64(seed: 41)
    for _ in 0..<50 {
      for value in try Self.all(&random) {
        var dumped = ""
        dump(value, to: &dumped)
        let texts = ["\(value)", String(reflecting: value), dumped.split(separator: "\n").joined()]
        for text in texts {
          #expect(isHarmless(text), "\(text.debugDescription)")
          // The storage of many values has the types PackedOptional and PackedCount, and `bits`.
          #expect(!text.contains("acked"), "\(text)")
          #expect(!text.contains("bits"), "\(text)")
        }
      }
    }
  }

  @Test func aDebuggerShowsThePresentMembers() throws {
    let location = try Location(
      latitude: 1, longitude: 2, timestamp: Self.time, speed: 3,
      gnss: GNSSFix(mode: .twoDimensional))
    let mirror = Mirror(reflecting: location)
    #expect(
      mirror.children.map(\.label) == ["latitude", "longitude", "timestamp", "speed", "gnss"])
    #expect(
      mirror.children.dropLast().map { "\($0.value)" }
        == ["1.0°", "2.0°", "2026-05-04T03:02:01.250Z", "3.0 m/s"])
    #expect(mirror.descendant("gnss") as? GNSSFix == location.gnss)
    let error = Mirror(reflecting: LocationError(.denied, "No.", cause: CancellationError()))
    #expect(error.children.map(\.label) == ["code", "message", "cause"])
  }

  @Test func quotesInTextAreEscaped() {
    #expect("\(Receiver(name: #"a", x: "\"#))" == #"Receiver(name: "a\", x: \"\\")"#)
  }

  @Test func aLocalizedDescriptionIsTheMessage() {
    let error: any Error = LocationError(.timedOut, "No fix came.")
    #expect(error.localizedDescription == "No fix came.")
  }
}

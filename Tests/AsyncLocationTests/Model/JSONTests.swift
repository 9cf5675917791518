import FoundationEssentials
import TestSupport
import Testing

@testable import AsyncLocation

/// The JSON form is stable, because it is stored and sent to other programs.
@Suite(.inTurn) struct JSONTests {
  static func encode(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try #require(String(bytes: encoder.encode(value), encoding: .utf8))
  }

  static func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(text.utf8))
  }

  static func expect<Value: Codable & Equatable>(
    _ value: Value, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try encode(value) == text, sourceLocation: sourceLocation)
    #expect(try decode(Value.self, text) == value, sourceLocation: sourceLocation)
  }

  static let time = Date(timeIntervalSinceReferenceDate: 799_556_521.25)

  @Test func coordinatesHaveTheirFormat() throws {
    try Self.expect(
      Coordinate(latitude: -33.5, longitude: 151), #"{"latitude":-33.5,"longitude":151}"#)
    try Self.expect(
      Coordinate(latitude: -0.0, longitude: -0.0), #"{"latitude":0,"longitude":0}"#)
  }

  @Test func aMinimalLocationHasItsFormat() throws {
    try Self.expect(
      Location(latitude: 1.5, longitude: 2, timestamp: Self.time),
      #"{"latitude":1.5,"longitude":2,"timestamp":"2026-05-04T03:02:01.250Z"}"#)
  }

  @Test func aCompleteLocationHasItsFormat() throws {
    let location = try Location(
      latitude: 1.5, longitude: 2.5, timestamp: Self.time, altitude: 3.5,
      ellipsoidalAltitude: 4.5, horizontalAccuracy: 5.5, verticalAccuracy: 6.5, speed: 7.5,
      speedAccuracy: 8.5, course: 360, courseAccuracy: 10.5, climb: -11.5, floor: 12,
      sourceInformation: SourceInformation(
        isSimulated: true, device: "/dev/ttyS0", timeSource: .host),
      gnss: GNSSFix(
        mode: .threeDimensional, status: .rtkFixed,
        dilutionOfPrecision: DilutionOfPrecision(
          horizontal: 1, vertical: 2, position: 3, time: 4, geometric: 5, east: 6, north: 7),
        satellitesUsed: 8, satellitesVisible: 9, magneticVariation: -10, geoidSeparation: -11,
        differentialAge: 12, differentialStation: 13, timeUncertainty: 0.005))
    let text = """
      {"altitude":3.5,"climb":-11.5,"course":0,"courseAccuracy":10.5,"ellipsoidalAltitude":4.5,\
      "floor":12,"gnss":{"differentialAge":12,"differentialStation":13,"dilutionOfPrecision":\
      {"east":6,"geometric":5,"horizontal":1,"north":7,"position":3,"time":4,"vertical":2},\
      "geoidSeparation":-11,"magneticVariation":-10,"mode":"3D","satellitesUsed":8,\
      "satellitesVisible":9,"status":"rtkFixed","timeUncertainty":0.005},\
      "horizontalAccuracy":5.5,"latitude":1.5,"longitude":2.5,"sourceInformation":\
      {"device":"/dev/ttyS0","isSimulated":true,"timeSource":"host"},"speed":7.5,\
      "speedAccuracy":8.5,"timestamp":"2026-05-04T03:02:01.250Z","verticalAccuracy":6.5}
      """
    try Self.expect(location, text)
  }

  @Test func gnssFixesHaveTheirFormat() throws {
    try Self.expect(GNSSFix(mode: .twoDimensional), #"{"mode":"2D"}"#)
    try Self.expect(DilutionOfPrecision(), "{}")
    try Self.expect(
      SourceInformation(), #"{"isSimulated":false,"timeSource":"receiver"}"#)
  }

  @Test func headingsHaveTheirFormat() throws {
    try Self.expect(
      Heading(trueHeading: 12.5, timestamp: Self.time, source: .courseOverGround),
      #"{"source":"courseOverGround","timestamp":"2026-05-04T03:02:01.250Z","trueHeading":12.5}"#)
    try Self.expect(
      Heading(
        trueHeading: 1, magneticHeading: 360, headingAccuracy: 3,
        magneticField: Heading.MagneticField(x: 4, y: -5, z: -0.0), timestamp: Self.time,
        source: .compass, sourceInformation: SourceInformation()),
      """
      {"headingAccuracy":3,"magneticField":{"x":4,"y":-5,"z":0},"magneticHeading":0,\
      "source":"compass","sourceInformation":{"isSimulated":false,"timeSource":"receiver"},\
      "timestamp":"2026-05-04T03:02:01.250Z","trueHeading":1}
      """)
  }

  @Test func satelliteViewsHaveTheirFormat() throws {
    try Self.expect(SatelliteView(satellites: []), #"{"satellites":[]}"#)
    try Self.expect(
      SatelliteView(
        timestamp: Self.time,
        satellites: [
          Satellite(prn: 5, isUsed: false),
          Satellite(
            prn: 6, constellation: .galileo, vehicle: 7, signal: 8, frequency: 9, elevation: -10,
            azimuth: 360, signalStrength: 12.5, pseudorangeResidual: -13, isHealthy: true,
            isUsed: true),
        ],
        dilutionOfPrecision: DilutionOfPrecision(horizontal: 0.75),
        sourceInformation: SourceInformation(device: "tcp://feed")),
      """
      {"dilutionOfPrecision":{"horizontal":0.75},"satellites":[{"isUsed":false,"prn":5},\
      {"azimuth":0,"constellation":"galileo","elevation":-10,"frequency":9,"isHealthy":true,\
      "isUsed":true,"prn":6,"pseudorangeResidual":-13,"signal":8,"signalStrength":12.5,\
      "vehicle":7}],"sourceInformation":{"device":"tcp://feed","isSimulated":false,\
      "timeSource":"receiver"},"timestamp":"2026-05-04T03:02:01.250Z"}
      """)
  }

  @Test func receiversHaveTheirFormat() throws {
    try Self.expect(Receiver(name: "/dev/ttyACM0"), #"{"name":"/dev/ttyACM0"}"#)
    try Self.expect(
      Receiver(
        name: "/dev/ttyACM0", driver: "u-blox", model: "ZED-F9P", activated: Self.time,
        baudRate: 9600, cycle: .milliseconds(200)),
      """
      {"activated":"2026-05-04T03:02:01.250Z","baudRate":9600,"cycle":0.2,"driver":"u-blox",\
      "model":"ZED-F9P","name":"/dev/ttyACM0"}
      """)
  }

  @Test func authorizationsHaveTheirFormat() throws {
    try Self.expect(
      Authorization(status: .authorizedWhenInUse),
      #"{"accuracy":"full","locationServicesEnabled":true,"status":"authorizedWhenInUse"}"#)
    try Self.expect(
      Authorization(
        status: .denied, accuracy: .reduced, locationServicesEnabled: false, reason: "Sunday"),
      """
      {"accuracy":"reduced","locationServicesEnabled":false,"reason":"Sunday","status":"denied"}
      """)
  }

  @Test func locationUpdatesHaveTheirFormat() throws {
    try Self.expect(
      LocationUpdate(diagnostics: [.stationary, .accuracyLimited]),
      #"{"diagnostics":["accuracyLimited","stationary"]}"#)
    try Self.expect(
      LocationUpdate(location: Location(latitude: 1.5, longitude: 2, timestamp: Self.time)),
      """
      {"diagnostics":[],"location":{"latitude":1.5,"longitude":2,\
      "timestamp":"2026-05-04T03:02:01.250Z"}}
      """)
  }

  @Test func connectionStatesHaveTheirFormat() throws {
    try Self.expect(
      ConnectionState(.idle), #"{"attempts":0,"phase":"idle","receivers":[]}"#)
    try Self.expect(
      ConnectionState(
        .waiting, endpoint: "localhost:2947", attempts: 3, retryDelay: .milliseconds(1500),
        problem: LocationError(.backendUnavailable, "No gpsd."),
        receivers: [Receiver(name: "/dev/a")], preferredReceiver: "/dev/a"),
      """
      {"attempts":3,"devices":["/dev/a"],"endpoint":"localhost:2947","phase":"waiting",\
      "preferredReceiver":"/dev/a","problem":{"code":"backendUnavailable","message":"No gpsd."},\
      "receivers":[{"name":"/dev/a"}],"retryDelay":1.5}
      """)
  }

  private struct Foreign: Error, CustomStringConvertible {
    var description: String { "socket 7" }
  }

  @Test func errorsKeepTheirCauses() throws {
    let error = LocationError(
      .timedOut, "Late.", cause: LocationError(.connectionLost, "Gone.", cause: Foreign()))
    let text = """
      {"cause":{"cause":"socket 7","code":"connectionLost","message":"Gone."},\
      "code":"timedOut","message":"Late."}
      """
    try Self.expect(error, text)
    let back = try Self.decode(LocationError.self, text)
    let cause = try #require(back.cause as? LocationError)
    #expect(cause.code == .connectionLost)
    #expect(cause.cause.map { "\($0)" } == "socket 7")
    #expect(try Self.encode(back) == text)
  }

  @Test func optionsHaveTheirFormat() throws {
    try Self.expect(DesiredAccuracy.best, "{}")
    try Self.expect(DesiredAccuracy.hundredMeters, #"{"meters":100}"#)
    try Self.expect(
      UpdateOptions(minimumInterval: .milliseconds(500), buffering: .newest(3)),
      """
      {"activityType":"other","buffering":{"limit":3},"desiredAccuracy":{},"distanceFilter":0,\
      "maximumAge":0,"minimumInterval":0.5,"omitsSuspectLocations":false,\
      "pausesAutomatically":false}
      """)
    #expect(try Self.decode(UpdateOptions.self, "{}") == UpdateOptions())
    #expect(try Self.decode(HeadingOptions.self, "{}") == HeadingOptions())
    #expect(
      try Self.decode(LocationManager.Configuration.self, "{}") == LocationManager.Configuration())
    try Self.expect(
      BackendDemand(kinds: [.locations, .satellites], devices: ["b", "a"]),
      """
      {"desiredAccuracy":{},"devices":["a","b"],"kinds":["locations","satellites"],\
      "minimumInterval":0}
      """)
  }

  @Test func decisionsHaveTheirFormat() throws {
    try Self.expect(
      AuthorizationDecision.authorizedOnce.limited(to: .reduced).withReason("Once."),
      #"{"accuracy":"reduced","permission":"whenInUseOnce","reason":"Once."}"#)
  }

  @Test func statisticsHaveTheirFormat() throws {
    try Self.expect(
      LocationManager.Statistics(eventsReceived: 1, subscribers: 2),
      """
      {"backendRuns":0,"elementsDelivered":0,"elementsDropped":0,"eventsDiscarded":0,\
      "eventsReceived":1,"locationsStale":0,"locationsSuspect":0,"locationsUnstored":0,\
      "reportsWithheld":0,"subscribers":2}
      """)
    #expect(
      try Self.decode(LocationManager.Statistics.self, "{}") == LocationManager.Statistics())
    // A new counter must be added to `members`, from which the counters are encoded.
    let counterCount = LocationManager.Statistics().members.count
    #expect(MemoryLayout<LocationManager.Statistics>.size == counterCount * 8)
    let cacheCounterCount = CachingGeocoder.Statistics().members.count
    #expect(MemoryLayout<CachingGeocoder.Statistics>.size == cacheCounterCount * 8)
  }

  @Test func unknownCasesDecode() throws {
    let location = try Self.decode(
      Location.self,
      """
      {"latitude":1,"longitude":2,"timestamp":"2026-05-04T03:02:01Z",\
      "gnss":{"mode":"3D","status":"quantum"},\
      "sourceInformation":{"isSimulated":false,"timeSource":"pulsar"}}
      """)
    #expect(location.gnss != nil)
    #expect(location.gnss?.status == nil)
    #expect(location.sourceInformation?.timeSource == .provisional)
    let satellite = try Self.decode(
      Satellite.self, #"{"prn":1,"isUsed":true,"constellation":"lunanet"}"#)
    #expect(satellite.constellation == nil)
    let state = try Self.decode(ConnectionState.self, #"{"phase":"warmingUp"}"#)
    #expect(state == ConnectionState(.connecting))
    let diagnostics = try Self.decode(
      LocationUpdate.Diagnostics.self, #"["sunspots","stationary"]"#)
    #expect(diagnostics == .stationary)
    let text = #"{"code":"eclipse","message":"Dark."}"#
    let error = try Self.decode(LocationError.self, text)
    #expect(error.code.description == "eclipse")
    #expect(!error.isTransient)
    #expect(try Self.encode(error) == text)
  }

  @Test func decisionsWithUnknownCasesAreRefused() {
    // Permission fails closed: unknown text is not decoded.
    #expect(throws: DecodingError.self) {
      try Self.decode(AuthorizationDecision.self, #"{"permission":"often","accuracy":"full"}"#)
    }
    #expect(throws: DecodingError.self) {
      try Self.decode(AuthorizationDecision.self, #"{"permission":"always","accuracy":"so-so"}"#)
    }
  }

  @Test func nullMembersAreAbsent() throws {
    let location = try Self.decode(
      Location.self,
      #"{"latitude":1,"longitude":2,"timestamp":"2026-05-04T03:02:01Z","speed":null,"gnss":null}"#)
    #expect(location.speed == nil)
    #expect(location.gnss == nil)
    #expect(
      try Self.decode(SatelliteView.self, #"{"satellites":[],"timestamp":null}"#).timestamp == nil)
    #expect(
      try Self.decode(Receiver.self, #"{"name":"","activated":null,"cycle":null}"#)
        == Receiver(name: ""))
  }

  @Test func unknownMembersAreIgnored() throws {
    #expect(
      try Self.decode(Coordinate.self, #"{"latitude":1,"longitude":2,"datum":["WGS 84",{}]}"#)
        == Coordinate(latitude: 1, longitude: 2))
  }

  struct Malformed: CustomTestStringConvertible, Sendable {
    let text: String
    /// A part of the expected description of the error.
    let error: String
    let decode: @Sendable (String) throws -> Void

    init<Value: Decodable & Sendable>(_ type: Value.Type, _ text: String, error: String) {
      self.text = text
      self.error = error
      decode = { _ = try JSONTests.decode(Value.self, $0) }
    }

    var testDescription: String { text }
  }

  static let malformed = [
    Malformed(Coordinate.self, #"{"latitude":91,"longitude":0}"#, error: "latitude must be finite"),
    Malformed(Coordinate.self, #"{"latitude":0,"longitude":-181}"#, error: "longitude must be"),
    Malformed(
      Location.self,
      #"{"latitude":91,"longitude":0,"timestamp":"2026-05-04T03:02:01Z"}"#,
      error:
        "latitude must be finite, at least -90.0 and at most 90.0; are latitude and longitude exchanged?"
    ),
    Malformed(
      Coordinate.self, #"{"latitude":91,"longitude":91}"#,
      error: "latitude must be finite, at least -90.0 and at most 90.0."),
    Malformed(
      Coordinate.self, #"{"latitude":1,"longitude":181}"#,
      error:
        "longitude must be finite, at least -180.0 and at most 180.0; west is negative: subtract 360."
    ),
    Malformed(
      Coordinate.self, #"{"latitude":1,"longitude":-181}"#,
      error: "longitude must be finite, at least -180.0 and at most 180.0."),
    Malformed(
      Location.self,
      #"{"latitude":1,"longitude":0,"timestamp":"2026-05-04T03:02:01Z","speed":-1}"#,
      error: "speed must be finite, at least 0.0; got -1.0."),
    Malformed(
      Location.self, #"{"latitude":1,"longitude":0,"timestamp":"yesterday"}"#,
      error: #""yesterday" is not a timestamp"#),
    Malformed(
      Location.self, #"{"latitude":1,"longitude":0,"timestamp":"\u001b[2J"}"#,
      error: #""\u{1b}[2J" is not a timestamp"#),
    Malformed(
      DilutionOfPrecision.self, #"{"horizontal":-1}"#, error: "horizontal must be finite"),
    Malformed(
      GNSSFix.self, #"{"mode":"3D","satellitesUsed":-1}"#, error: "satellitesUsed must be"),
    Malformed(
      GNSSFix.self, #"{"mode":"3D","dilutionOfPrecision":{"east":-1}}"#, error: "east must be"),
    Malformed(
      Heading.self, #"{"source":"compass","timestamp":"2026-05-04T03:02:01Z"}"#,
      error: "A heading needs"),
    Malformed(
      Heading.self,
      #"{"source":"compass","timestamp":"2026-05-04T03:02:01Z","trueHeading":361}"#,
      error: "trueHeading must be"),
    Malformed(Satellite.self, #"{"prn":1,"isUsed":true,"elevation":91}"#, error: "elevation must"),
    Malformed(
      SatelliteView.self, #"{"satellites":[{"prn":1,"isUsed":true,"azimuth":-1}]}"#,
      error: "azimuth must be"),
    Malformed(
      SatelliteView.self, #"{"satellites":[],"timestamp":"0000-01-01T00:00:00Z"}"#,
      error: "is not a timestamp"),
    Malformed(
      Receiver.self, #"{"name":"a","activated":"2026-13-01T00:00:00Z"}"#,
      error: "is not a timestamp"
    ),
    Malformed(
      Receiver.self, #"{"name":"a","cycle":1e300}"#, error: "do not fit in a duration"),
  ]

  @Test(arguments: malformed)
  func decodingErrorsDescribeTheRefusal(_ sample: Malformed) throws {
    let error = #expect(throws: DecodingError.self) { try sample.decode(sample.text) }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.debugDescription.contains(sample.error), "\(context.debugDescription)")
  }

  @Test func refusalsHaveAPathAndTheLocationError() throws {
    let text = #"[{"latitude":0,"longitude":0},{"latitude":91,"longitude":0}]"#
    let error = #expect(throws: DecodingError.self) { try Self.decode([Coordinate].self, text) }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.codingPath.map(\.intValue) == [1])
    #expect((context.underlyingError as? LocationError)?.code == .invalidValue)
  }

  static let incomplete: [@Sendable () throws -> Void] = [
    { _ = try decode(Coordinate.self, "{}") },
    { _ = try decode(Coordinate.self, #"{"latitude":"1","longitude":2}"#) },
    { _ = try decode(Coordinate.self, #"{"latitude":1e999,"longitude":2}"#) },
    { _ = try decode(Coordinate.self, #"{"latitude":1,"longitude":null}"#) },
    { _ = try decode(Location.self, #"{"latitude":1,"longitude":2}"#) },
    { _ = try decode(Location.self, #"{"latitude":1,"longitude":2,"timestamp":0}"#) },
    { _ = try decode(GNSSFix.self, #"{"mode":"4D"}"#) },
    { _ = try decode(Satellite.self, #"{"prn":1.5,"isUsed":true}"#) },
    { _ = try decode(Receiver.self, "{}") },
    { _ = try decode(Authorization.self, #"{"status":"perhaps"}"#) },
    { _ = try decode(DesiredAccuracy.self, #"{"meters":0}"#) },
    { _ = try decode(ConnectionState.self, #"{"phase":1}"#) },
    { _ = try decode(LocationUpdate.Diagnostics.self, #"[1]"#) },
    { _ = try decode(LocationError.self, #"{"code":"denied"}"#) },
    { _ = try decode(GNSSFix.self, #"{"mode":"3D","status":3}"#) },
  ]

  @Test func incompleteDataIsADecodingError() {
    for attempt in Self.incomplete {
      #expect(throws: DecodingError.self) { try attempt() }
    }
  }
}

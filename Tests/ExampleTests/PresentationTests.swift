import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import async_location_example

@Suite(.inTurn) struct PresentationTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var format = Arguments.Format.text
    var color = Arguments.Color.auto
    var environment = ["TERM": "xterm"]
    var isTerminal = true
    let shape: Presentation.Shape
    let colored: Bool
  }

  static let cases = [
    Case(testDescription: "a terminal", shape: .table, colored: true),
    Case(testDescription: "a pipe", isTerminal: false, shape: .lines, colored: false),
    Case(testDescription: "JSON in a terminal", format: .json, shape: .json, colored: true),
    Case(
      testDescription: "a dumb terminal", environment: ["TERM": "dumb"], shape: .lines,
      colored: false),
    Case(testDescription: "no TERM", environment: [:], shape: .lines, colored: false),
    Case(
      testDescription: "NO_COLOR", environment: ["TERM": "xterm", "NO_COLOR": "1"], shape: .table,
      colored: false),
    Case(
      testDescription: "an empty NO_COLOR", environment: ["TERM": "xterm", "NO_COLOR": ""],
      shape: .table, colored: true),
    Case(
      testDescription: "always, despite NO_COLOR", color: .always,
      environment: ["TERM": "xterm", "NO_COLOR": "1"], shape: .table, colored: true),
    Case(testDescription: "never", color: .never, shape: .table, colored: false),
  ]

  @Test(arguments: cases)
  func shapeAndColorFollowTheOptions(_ test: Case) {
    var arguments = Arguments(command: .watch)
    (arguments.format, arguments.color) = (test.format, test.color)
    let presentation = Presentation(
      arguments, environment: test.environment, isTerminal: test.isTerminal)
    #expect(presentation.shape == test.shape)
    #expect(presentation.color == test.colored)
  }

  @Test(arguments: [
    (["LANG": "C.UTF-8"], true), (["LANG": "de_DE.utf8"], true), (["LANG": "C"], false),
    ([:], false), (["LC_ALL": "C", "LANG": "C.UTF-8"], false),
    (["LC_ALL": "", "LC_CTYPE": "en_US.UTF-8", "LANG": "C"], true),
  ])
  func glyphsFollowTheLocale(environment: [String: String], isUnicode: Bool) {
    let presentation = Presentation(
      Arguments(command: .watch), environment: environment, isTerminal: true)
    #expect(presentation.glyphs == (isUnicode ? .unicode : .ascii))
  }
}

@Suite(.inTurn) struct LocationLineTests {
  @Test func showsColumns() throws {
    #expect(
      LocationLine.line(try Samples.location())
        == "2026-05-04T03:02:01.250Z  48.1371540   11.5761240    519.4    2.4  13.90  87.3 3D  9 "
        + "-         /dev/ttyACM0")
    #expect(
      LocationLine.line(try Samples.location(device: nil, full: false))
        == "2026-05-04T03:02:01.250Z  48.1371540   11.5761240        -      -      -     - -   - "
        + "-         -")
  }

  @Test func aLineHasTheColumnsThatHelpLists() throws {
    for full in [true, false] {
      let line = LocationLine.line(try Samples.location(full: full))
      #expect(line.split(separator: " ").count == LocationLine.columns.count)
    }
  }

  @Test("F41 escapes the device") func escapesTheDevice() throws {
    let line = LocationLine.line(try Samples.location(device: "a\u{1B}]0;x\u{7}\n"))
    #expect(line.hasSuffix("a\\u001b]0;x\\u0007\\u000a"))
  }
}

@Suite(.inTurn) struct JSONLineTests {
  @Test func aJSONLineRoundTrips() throws {
    for full in [true, false] {
      let location = try Samples.location(full: full)
      let line = try JSONLine.line(location)
      #expect(!line.contains("\n"))
      #expect(!line.contains("\\/"))
      #expect(try JSONDecoder().decode(Location.self, from: Data(line.utf8)) == location)
    }
  }
}

@Suite(.inTurn) struct ReceiverTableTests {
  @Test func alignsColumns() {
    let receivers = [
      Receiver(
        name: "/dev/ttyACM0", driver: "u-blox", model: "ZED-F9P", activated: Samples.time,
        baudRate: 115_200, cycle: .milliseconds(200)),
      Receiver(name: "tcp://pi\u{1B}[2J", cycle: .seconds(3)),
    ]
    #expect(
      ReceiverTable.lines(receivers) == [
        "PATH               DRIVER  MODEL    ACTIVE  RATE",
        "/dev/ttyACM0       u-blox  ZED-F9P  yes     5 Hz, 115200 baud",
        "tcp://pi\\u001b[2J  -       -        no      0.33 Hz",
      ])
    #expect(ReceiverTable.lines([]).isEmpty)
  }
}

@Suite(.inTurn) struct ConnectionMessagesTests {
  @Test func reportsEachChangeOnce() {
    var messages = ConnectionMessages()
    let waiting = ConnectionState(.waiting, attempts: 1, problem: Samples.refused)
    let steps: [(ConnectionState, String?)] = [
      (ConnectionState(.connecting), nil),
      (
        waiting,
        "not connected, trying again: gpsd at localhost:2947 cannot be reached. "
          + "Cause: Connection refused."
      ),
      (ConnectionState(.connecting), nil),
      (waiting, nil),
      (Samples.connected, "connected to localhost:2947"),
      (Samples.connected, nil),
      (
        ConnectionState(.failed, problem: LocationError(.notGPSD, "It is a web server.")),
        nil  // The command ends with this error.
      ),
    ]
    for (state, text) in steps { #expect(messages.nextMessage(for: state) == text) }
  }

  @Test func anErrorOfGPSDIsReportedOnce() {
    var messages = ConnectionMessages()
    let complaint = ConnectionState(
      .connected, endpoint: "localhost:2947",
      problem: LocationError(.backendUnavailable, "gpsd complains."))
    #expect(messages.nextMessage(for: Samples.connected) == "connected to localhost:2947")
    #expect(messages.nextMessage(for: complaint) == "gpsd complains.")
    for state in [Samples.connected, complaint, Samples.connected] {
      #expect(messages.nextMessage(for: state) == nil)
    }
  }

  @Test func reportsLossAndReturnOfTheFix() throws {
    var messages = ConnectionMessages()
    let lost = LocationUpdate(diagnostics: .locationUnavailable)
    let found = LocationUpdate(location: try Samples.location())
    // Without a connection, its problem is reported instead.
    #expect(messages.nextMessage(for: lost) == nil)
    _ = messages.nextMessage(for: Samples.connected)
    #expect(messages.nextMessage(for: found) == nil)
    #expect(messages.nextMessage(for: lost) == "the receiver has no fix at the moment")
    #expect(messages.nextMessage(for: lost) == nil)
    #expect(messages.nextMessage(for: LocationUpdate(diagnostics: .deviceUnknown)) == nil)
    #expect(messages.nextMessage(for: found) == "the receiver has a fix again")
  }

  @Test func reportsReducedAndFullAccuracy() throws {
    var messages = ConnectionMessages()
    _ = messages.nextMessage(for: Samples.connected)
    let location = try Samples.location()
    let reduced = LocationUpdate(location: location, diagnostics: .accuracyLimited)
    #expect(
      messages.nextMessage(for: reduced)
        == "accuracy is reduced by the authorization policy: locations are centers of a coarse grid"
    )
    for update in [reduced, LocationUpdate(diagnostics: .authorizationDenied), reduced] {
      #expect(messages.nextMessage(for: update) == nil)
    }
    #expect(
      messages.nextMessage(for: LocationUpdate(location: location)) == "accuracy is full again")
    #expect(messages.nextMessage(for: LocationUpdate(location: location)) == nil)
  }

  @Test func anAccuracyChangeReportsALostFix() throws {
    var messages = ConnectionMessages()
    _ = messages.nextMessage(for: Samples.connected)
    #expect(
      messages.nextMessage(
        for: LocationUpdate(diagnostics: [.accuracyLimited, .locationUnavailable]))
        == ConnectionMessages.reducedAccuracy + "; the receiver has no fix at the moment")
    // An update without a location and without the diagnostic is no news about the fix.
    #expect(messages.nextMessage(for: LocationUpdate(diagnostics: .accuracyLimited)) == nil)
    #expect(
      messages.nextMessage(for: LocationUpdate(location: try Samples.location()))
        == "accuracy is full again; the receiver has a fix again")
  }

  @Test func reportsWithdrawalAndReturnOfPermission() {
    var messages = ConnectionMessages()
    let reduced = Authorization(status: .authorizedAlways, accuracy: .reduced)
    let steps: [(Authorization, String?)] = [
      (Authorization(status: .notDetermined), nil), (Authorization(status: .denied), nil),
      (Authorization(status: .authorizedWhenInUse), nil),
      (
        Authorization(status: .denied, reason: "In\u{1B} town."),
        "permission was withdrawn: In\\u{1b} town."
      ),
      (Authorization(status: .restricted), nil), (Authorization(status: .notDetermined), nil),
      (reduced, "permission is granted again; " + ConnectionMessages.reducedAccuracy),
      (Authorization(status: .authorizedAlways), "accuracy is full again"),
      (
        Authorization(status: .denied, locationServicesEnabled: false),
        "location services are switched off"
      ),
      (Authorization(status: .authorizedAlways), "permission is granted again"),
    ]
    for (authorization, text) in steps { #expect(messages.nextMessage(for: authorization) == text) }
  }

  @Test func aMissingReceiverIsNotALostFix() {
    var messages = ConnectionMessages()
    _ = messages.nextMessage(for: Samples.connected)
    let missing = LocationUpdate(diagnostics: [.locationUnavailable, .deviceUnknown])
    #expect(messages.nextMessage(for: missing) == nil)
  }
}

@Suite(.inTurn) struct ExitCodeTests {
  @Test(
    arguments: [
      (.denied, 3), (.restricted, 3), (.locationServicesDisabled, 3), (.timedOut, 4),
      (.backendUnavailable, 1), (.notGPSD, 1), (.shutDown, 1),
    ] as [(LocationError.Code, Int32)])
  func errorsHaveTheirExitStatus(code: LocationError.Code, status: Int32) {
    #expect(ExitCode(LocationError(code, "")).status == status)
  }

  @Test func describesSignals() {
    #expect(ExitCode.interrupted(signal: 2).status == 130)
    #expect(ExitCode.interrupted(signal: 15).status == 143)
  }

  @Test func messagesContainEachCauseOnce() {
    let error = LocationError(.timedOut, "No location arrived for 5.0 s.", cause: Samples.refused)
    #expect(
      Reason.text(error) == "No location arrived for 5.0 s. "
        + "Cause: gpsd at localhost:2947 cannot be reached. Cause: Connection refused.")
  }
}

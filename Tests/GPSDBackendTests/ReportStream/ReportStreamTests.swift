import AsyncLocation
import TestSupport
import Testing

@testable import GPSDBackend

@Suite(.inTurn) struct ReportStreamTests {
  static let lines: [String] = [
    #"{"class":"TPV","device":"/dev/a","mode":3,"lat":60.25,"lon":24.5,"future":"kept"}"#,
    #"{"class":"TPV","device":"/dev/b","mode":1}"#,
    #"{"class":"SKY","device":"/dev/a","hdop":1.5}"#,
    #"{"class":"GST","device":"/dev/a","rms":2.5}"#,
    #"{"class": "AIS", "device":"/dev/c","mmsi":1}"#,
  ]

  /// Returns a server that sends gpsd's greeting, waits for the command, and sends all lines.
  static func server(_ lines: [String] = ReportStreamTests.lines, then end: FakeGPSD.Step = .hold)
    -> FakeGPSD
  {
    FakeGPSD([
      .send(FakeGPSD.banner), .awaitLine,
      .send(FakeGPSD.watching + lines.map { $0 + "\r\n" }.joined()), end,
    ])
  }

  func backend(_ server: FakeGPSD, _ policy: any AuthorizationPolicy = .automatic) -> GPSDBackend {
    var configuration = GPSDConfiguration.local(server.port)
    configuration.authorizationPolicy = policy
    return GPSDBackend(configuration)
  }

  func read(_ count: Int, _ reports: GPSDReportSequence) async throws -> [ReceivedReport] {
    var received: [ReceivedReport] = []
    for try await report in reports {
      received.append(report)
      if received.count == count { break }
    }
    return received
  }

  @Test func reportsAreDeliveredInOrderWithTheirLines() async throws {
    let server = Self.server()
    let received = try await read(8, backend(server).reports())
    #expect(
      received.map { $0.report?.className }
        == ["VERSION", "DEVICES", "WATCH", "TPV", "TPV", "SKY", "GST", "AIS"])
    #expect(received.map(\.number) == Array(0..<8))
    #expect(received.suffix(5).map { String(decoding: $0.line, as: UTF8.self) } == Self.lines)
    #expect(
      received.suffix(5).map { $0.report?.device } == ["/dev/a", "/dev/b"] + [
        "/dev/a", "/dev/a", "/dev/c",
      ])
    guard case .tpv(let fix)? = received[3].report,
      case .gst(let noise)? = received[6].report, case .ais(let ship)? = received[7].report
    else {
      Issue.record("reports came as other values")
      return
    }
    #expect(fix.latitude == 60.25)
    #expect(noise.rangeDeviation == 2.5)
    #expect(ship.line == received[7].line)
  }

  @Test func onlyRequestedClassesAreDelivered() async throws {
    let server = Self.server()
    let reports = backend(server).reports(ReportOptions(classes: ["GST", "TPV"]))
    let received = try await read(3, reports)
    #expect(received.map { $0.report?.className } == ["TPV", "TPV", "GST"])
    #expect(received.map(\.number) == [0, 1, 2])
  }

  @Test(
    arguments: [
      [], [""], ["tpv"], ["TPV", "sky"], ["1TPV"], ["_TPV"], ["TPV "], ["TPV\u{0}"], ["É"],
    ]
      as [Set<String>])
  func invalidClassesAreRefusedAtOnce(_ classes: Set<String>) async throws {
    let server = Self.server()
    let reports = backend(server, .denied).reports(ReportOptions(classes: classes))
    let error = await #expect(throws: LocationError.self) { _ = try await read(1, reports) }
    #expect(error?.code == .invalidValue)
    #expect(server.accepted == 0)
    for await _ in reports.connectionStates {}
  }

  @Test(arguments: ["", "/dev/\0"])
  func anInvalidDeviceNameIsRefusedAtOnce(_ device: String) async throws {
    let reports = backend(Self.server(), .denied).reports(ReportOptions(device: device))
    let error = await #expect(throws: LocationError.self) { _ = try await read(1, reports) }
    #expect(error?.code == .invalidValue)
  }

  @Test func unknownClassesMayBeRequested() async throws {
    let server = Self.server([#"{"class":"NEW_1","device":"/dev/a"}"#])
    let received = try await read(
      1, backend(server).reports(ReportOptions(classes: ["NEW_1", "NEVER"])))
    #expect(received.first?.report?.className == "NEW_1")
  }

  static let commands: [(ReportOptions, String)] = [
    (ReportOptions(), #"?WATCH={"enable":true,"json":true};"#),
    (
      ReportOptions(classes: ["PPS"], scaled: true, split24: true, timing: true),
      #"?WATCH={"enable":true,"json":true,"scaled":true,"split24":true,"pps":true,"timing":true};"#
    ),
    (
      ReportOptions(pps: true, nmea: true, raw: true),
      #"?WATCH={"enable":true,"json":true,"nmea":true,"raw":1,"pps":true};"#
    ),
  ]

  @Test("the options determine the WATCH command", arguments: commands)
  func sendsTheWatchCommand(_ options: ReportOptions, _ expected: String) async throws {
    let server = Self.server()
    var options = options
    options.classes = (options.classes ?? []).union(["TPV"])  // Sent after the command.
    _ = try await read(1, backend(server).reports(options))
    #expect(server.received.hasPrefix(expected + "\n"))
  }

  @Test func sentencesAreDeliveredOnRequest() async throws {
    let lines = ["$GPGGA,1", #"{"class":"TPV"}"#, "!AIVDM,1", "{broken", "b5620107", "# x"]
    let server = Self.server(lines)
    var options = ReportOptions(classes: ["TPV"], nmea: true)
    #expect(
      try await read(5, backend(server).reports(options)).map {
        String(decoding: $0.line, as: UTF8.self)
      } == lines.filter { $0 != "{broken" })
    options.nmea = false
    let secondServer = Self.server(lines + [#"{"class":"TPV","mode":2}"#])
    #expect(
      try await read(2, backend(secondServer).reports(options)).map { $0.report?.className }
        == ["TPV", "TPV"])
  }

  @Test("F21 a subscriber that does not read keeps the newest reports and counts the others")
  func bound() async throws {
    let many = (0..<500).map { #"{"class":"TPV","epx":\#($0)}"# }
    let server = Self.server(many + [#"{"class":"NEW"}"#])
    let reports = backend(server).reports(ReportOptions(buffering: .newest(10)))
    // Nothing is read before all reports have arrived.
    while reports.dropped < 494 { await Task.yield() }
    let received = try await read(10, reports)
    #expect(received.last?.report?.className == "NEW")
    #expect(received.map(\.number) == Array(494..<504))
    #expect(reports.dropped == 494)
  }

  @Test("F2 a broken connection is restored, and report numbers continue")
  func heals() async throws {
    let server = Self.server([#"{"class":"TPV","mode":2}"#], then: .reset)
    // No report is dropped, however long nothing is read.
    let options = ReportOptions(classes: ["TPV"], buffering: .newest(.max))
    let received = try await read(3, backend(server).reports(options))
    #expect(received.map(\.number) == [0, 1, 2])
    #expect(server.accepted >= 3)
  }

  @Test("connection states are reported until the end, and reports are counted")
  func reportsStates() async throws {
    let server = Self.server(["{broken", #"{"class":"TPV"}"#], then: .reset)
    var reports: GPSDReportSequence? = backend(server).reports(ReportOptions(classes: ["TPV"]))
    let states = try #require(reports).connectionStates
    var phases: [ConnectionState.Phase] = []
    for await state in states {
      phases.append(state.phase)
      if state.phase == .waiting, reports != nil {
        let statistics = try #require(reports).statistics
        #expect(statistics.malformedLines >= 1)
        #expect(statistics.connections >= 1)
        #expect(statistics.lastError?.code == .connectionLost)
        reports = nil  // Also ends the states.
      }
    }
    #expect(phases.first == .connecting)
    #expect(phases.contains(.connected))
    #expect(phases.contains(.waiting))
  }

  @Test func cancellationEndsTheStreamAndDisconnects() async throws {
    let server = WatchServer()
    let backend = GPSDBackend(.local(server.port))
    let reports = backend.reports(ReportOptions(classes: ["TPV"]))
    let loop = Task {
      for try await _ in reports {}
    }
    while server.watchers < 1 { await Task.yield() }
    loop.cancel()
    try await loop.value
    while server.watchers > 0 { await Task.yield() }
  }

  @Test("F24 dropping the sequence hangs up")
  func dropping() async throws {
    let server = WatchServer()
    let backend = GPSDBackend(.local(server.port))
    var reports: GPSDReportSequence? = backend.reports()
    while server.watchers < 1 { await Task.yield() }
    _ = reports
    reports = nil
    while server.watchers > 0 { await Task.yield() }
  }

  @Test func permanentFailuresEndTheStream() async throws {
    let server = FakeGPSD([.send("HTTP/1.1 400 Bad Request\r\n"), .hold])
    #expect(await error(of: backend(server).reports())?.code == .notGPSD)
    #expect(await error(of: GPSDBackend(host: "").reports())?.code == .invalidValue)
    let serverWithoutDevices = FakeGPSD([
      .send(FakeGPSD.banner), .awaitLine, .send(#"{"class":"DEVICES","devices":[]}"# + "\r\n"),
      .hold,
    ])
    let reports = backend(serverWithoutDevices).reports(ReportOptions(device: "/dev/none"))
    #expect(await error(of: reports)?.code == .deviceUnknown)
  }

  func error(of reports: GPSDReportSequence) async -> LocationError? {
    do throws(LocationError) {
      for try await _ in reports {}
      return nil
    } catch {
      return error
    }
  }

  // MARK: Permission

  static let refusals: [AuthorizationDecision] = [
    .denied, .restricted, .authorizedAlways.limited(to: .reduced),
  ]

  @Test("nothing is read without permission", arguments: refusals)
  func refused(_ decision: AuthorizationDecision) async throws {
    let server = Self.server()
    let error = await error(of: backend(server, SwitchPolicy(decision)).reports())
    #expect(error?.code == (decision == .restricted ? .restricted : .denied))
    #expect(server.accepted == 0)
  }

  @Test("an undecided policy makes the stream wait")
  func waits() async throws {
    let server = Self.server()
    let policy = SwitchPolicy(.notDetermined)
    let reports = backend(server, policy).reports(ReportOptions(classes: ["TPV"]))
    while policy.requestCount < 1 { await Task.yield() }
    let first = Task { try await read(1, reports) }
    policy.change(to: .authorizedWhenInUse)
    #expect(try await first.value.first?.report?.device == "/dev/a")
  }

  @Test(
    "F28 a revocation ends the stream and drops buffered reports",
    arguments: [AuthorizationDecision.denied, .authorizedAlways.limited(to: .reduced)])
  func revoked(_ decision: AuthorizationDecision) async throws {
    let server = WatchServer()
    let policy = SwitchPolicy(.authorizedAlways)
    var configuration = GPSDConfiguration.local(server.port)
    configuration.authorizationPolicy = policy
    let reports = GPSDBackend(configuration).reports(
      ReportOptions(classes: ["TPV"], buffering: .newest(2)))
    var iterator = reports.makeAsyncIterator()
    while server.watchers < 1 { await Task.yield() }
    server.sendFix()
    #expect(try await iterator.next()?.report?.className == "TPV")
    for _ in 0..<5 { server.sendFix() }
    while reports.dropped < 3 { await Task.yield() }  // Two are buffered.
    policy.change(to: decision)
    #expect(reports.dropped == 3)
    #expect(reports.withheld == 2)
    do {
      let late = try await iterator.next()
      Issue.record("delivered after the revocation: \(String(describing: late?.number))")
    } catch {
      #expect(error.code == .denied)
    }
    #expect(try await iterator.next() == nil)
    while server.watchers > 0 { await Task.yield() }
  }
}

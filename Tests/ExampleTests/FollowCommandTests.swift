import AsyncLocation
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import async_location_example

@Suite(.inTurn) struct FollowCommandTests {
  private func heading(_ degrees: Double, device: String = "c") throws -> Heading {
    try Heading(
      trueHeading: degrees, timestamp: Samples.time, source: .compass,
      sourceInformation: SourceInformation(device: device))
  }

  @Test func headingsAreLines() async throws {
    let bench = Bench(
      try MockBackend(script: [
        .emit(.heading(try heading(10)), .heading(try heading(20.04))), .end,
      ]))
    #expect(try await bench.run("headings") == .done)
    #expect(
      await bench.output.lines == [
        "2026-05-04T03:02:01.250Z  10.0     -     - compass c",
        "2026-05-04T03:02:01.250Z  20.0     -     - compass c",
      ])
  }

  @Test func headingsOfTheDeviceEndAfterTheCount() async throws {
    let bench = Bench(
      try MockBackend(script: [
        .emit(
          .heading(try heading(10)), .heading(try heading(20, device: "d")),
          .heading(try heading(30, device: "d")))
      ]), shape: .json)
    #expect(try await bench.run("headings --device d --count 1 --format json") == .done)
    #expect(await bench.output.text == (try JSONLine.line(heading(20, device: "d"))) + "\n")
  }

  @Test func satelliteViewsAreLines() async throws {
    let view = try SatelliteView(
      timestamp: Samples.time,
      satellites: [
        Satellite(prn: 1, signalStrength: 40, isUsed: true),
        Satellite(prn: 2, signalStrength: 30, isUsed: true),
        Satellite(prn: 3, signalStrength: 45, isUsed: false),
      ], dilutionOfPrecision: DilutionOfPrecision(horizontal: 1.25))
    let bench = Bench(
      try MockBackend(script: [
        .emit(.satellites(view), .satellites(try SatelliteView(satellites: []))), .end,
      ]))
    #expect(try await bench.run("sky") == .done)
    #expect(
      await bench.output.lines == [
        "2026-05-04T03:02:01.250Z  2  3  45  35.0   1.3 -",
        "-                         0  0   -     -     - -",
      ])
  }

  @Test func satelliteViewsAreATableInATerminal() async throws {
    let bench = Bench(
      try MockBackend(script: [.emit(.satellites(try Samples.sky(4)))]), shape: .table)
    #expect(try await bench.run("sky --count 1") == .done)
    #expect(await bench.output.text.contains("2 used, 4 in view"))
  }

  @Test(arguments: ["sky", "headings"])
  func theEndBeforeTheCountIsAFailure(command: String) async throws {
    let bench = Bench(try MockBackend(script: [.end]))
    #expect(try await bench.run("\(command) --count 2") == .failed)
    #expect(await bench.errors.text.contains("ended after 0 of 2"))
  }

  @Test(arguments: ["sky", "headings"])
  func silenceTimesOutWithTheReason(command: String) async throws {
    let bench = Bench(
      try MockBackend(script: [.connection(ConnectionState(.waiting, problem: Samples.refused))]))
    let run = Task { try await bench.run("\(command) --timeout 5") }
    await bench.errors.wait(for: "not connected")
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(5))
    #expect(try await run.value == .timedOut)
    #expect(await bench.errors.lines.last?.contains("Connection refused.") == true)
  }

  @Test(arguments: ["sky", "headings"])
  func reducedAccuracyIsAMissingPermission(command: String) async throws {
    let decision = AuthorizationDecision.authorizedWhenInUse.limited(to: .reduced)
    let bench = Bench(MockBackend(authorization: .answering(decision.withReason("In town."))))
    #expect(try await bench.run(command) == .permission)
    let errorText = await bench.errors.text
    #expect(errorText.contains("full accuracy"))
    #expect(errorText.contains("In town."))
  }

  @Test(arguments: ["sky", "headings"])
  func anInterruptEndsTheCommand(command: String) async throws {
    let bench = Bench(MockBackend())
    let run = Task { try await bench.run(command) }
    _ = await bench.backend.waitForCall { if case .runStarted = $0 { true } else { false } }
    run.cancel()
    #expect(try await run.value == .done)
  }
}

import AsyncLocation
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import async_location_example

@Suite(.inTurn) struct CommandTests {
  @Test func watchEndsAfterACount() async throws {
    let bench = Bench(
      try MockBackend(script: [
        .emit(.connection(Samples.connected), .location(try Samples.location())),
        .emit(.location(try later(1)), .location(try later(2))),
      ]))
    #expect(try await bench.run("watch --count 2") == .done)
    // Only the location of a GNSS receiver is assessed.
    #expect(
      await bench.output.lines
        == [try Samples.line(Samples.location(), .plausible), LocationLine.line(try later(1))])
  }

  @Test func watchWritesOnlyJSON() async throws {
    let bench = Bench(
      try MockBackend(script: [
        .connection(Samples.connected), .locations(try Samples.location()), .end,
      ]), shape: .json)
    #expect(try await bench.run("watch --format json") == .done)
    let lines = await bench.output.lines
    // The assessment of its integrity is no part of a location's value.
    #expect(
      try lines.map { try JSONDecoder().decode(Location.self, from: Data($0.utf8)) }
        == [Samples.location()])
  }

  @Test func watchFailsWhenTheSourceEndsEarly() async throws {
    let bench = Bench(try MockBackend(script: [.locations(try Samples.location()), .end]))
    #expect(try await bench.run("watch --count 2") == .failed)
    #expect(await bench.errors.text.contains("ended after 1 of 2 locations"))
  }

  @Test func watchFiltersByDistance() async throws {
    let bench = Bench(
      try MockBackend(script: [.locations(try later(0), try later(1), try later(2)), .end]))
    #expect(try await bench.run("watch --distance 1000") == .done)
    #expect(await bench.output.lines.count == 1)
  }

  @Test func watchTimesOutWithTheReason() async throws {
    let bench = Bench(
      try MockBackend(script: [.connection(ConnectionState(.waiting, problem: Samples.refused))]))
    let run = Task { try await bench.run("watch --timeout 5") }
    await bench.errors.wait(for: "not connected")
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(5))
    #expect(try await run.value == .timedOut)
    #expect(await bench.errors.lines.last?.contains("Connection refused.") == true)
  }

  @Test func aLocationRestartsTheTimeout() async throws {
    let bench = Bench(MockBackend())
    let run = Task { try await bench.run("watch --timeout 5 --count 2") }
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(4))
    try bench.backend.emit(.location(try Samples.location()))
    await bench.output.wait(for: "ttyACM0")
    try await bench.backend.settle()
    bench.clock.advance(by: .seconds(4))
    try bench.backend.emit(.location(try later(1)))
    #expect(try await run.value == .done)
  }

  @Test(
    "F42 coordinates go only to standard output",
    arguments: ["watch --count 2", "watch --format json --count 2", "once", "once --accuracy 1"])
  func coordinatesGoOnlyToStandardOutput(line: String) async throws {
    let bench = Bench(
      try MockBackend(script: [
        .connection(Samples.connected), .locations(try Samples.location()),
        .unavailable(LocationError(.locationUnknown, "No fix.")), .locations(try later(1)),
        .fail(LocationError(.notGPSD, "It is a web server.")),
      ]))
    _ = try await bench.run(line)
    let errors = await bench.errors.text
    #expect(!errors.contains("48.13"), "\(errors)")
    #expect(!errors.contains("11.57"), "\(errors)")
  }

  @Test func watchReportsRefusalOfPermission() async throws {
    let bench = Bench(MockBackend(authorization: .denying))
    #expect(try await bench.run("watch") == .permission)
    #expect(await bench.output.text.isEmpty)
  }

  @Test func watchEndsQuietlyOnABrokenPipe() async throws {
    let bench = Bench(
      try MockBackend(script: [.locations(try Samples.location(), try later(1))]),
      output: TestOutput(limit: 1))
    #expect(try await bench.run("watch") == .done)
    #expect(await bench.errors.text.isEmpty)
  }

  @Test func aTableEndsOnABrokenPipe() async throws {
    let bench = Bench(MockBackend(), shape: .table, output: TestOutput(limit: 1))
    let run = Task { try await bench.run("watch") }
    // The table is drawn again each second.
    let ticker = Task {
      while !Task.isCancelled {
        await bench.clock.waitForSleepers()
        bench.clock.advance(by: .seconds(1))
        await Task.yield()
      }
    }
    #expect(try await run.value == .done)
    ticker.cancel()
    await ticker.value
  }

  @Test(arguments: [("watch", ExitCode.done), ("watch --count 5", nil), ("once", nil)])
  func anInterruptEndsTheRun(line: String, code: ExitCode?) async throws {
    let bench = Bench(MockBackend())
    let run = Task { try await bench.run(line) }
    _ = await bench.backend.waitForCall { if case .runStarted = $0 { true } else { false } }
    run.cancel()
    #expect(try await run.value == code)
    #expect(bench.backend.calls.last == .runEnded)
  }

  /// Emits events once all readers have subscribed.
  private func show(_ events: BackendEvent..., on bench: Bench) async throws {
    for endpoint in [LocationManager.Endpoint.updates, .satellites] {
      await bench.backend.waitForReaders(of: endpoint)
    }
    for event in events { try bench.backend.emit(event) }
  }

  /// Advances the clock until a frame of the table contains a text.
  private func draw(_ awaited: String, on bench: Bench) async {
    while await !bench.output.text.contains(awaited), !Task.isCancelled {
      await bench.clock.waitForSleepers()
      bench.clock.advance(by: .milliseconds(100))
      await Task.yield()
    }
  }

  /// A stationary receiver may produce no other location for a while, so the reduction itself must
  /// remove the values.
  @Test("F58 a reduction removes exact values from the table")
  func aReductionRemovesExactValuesFromTheTable() async throws {
    let bench = Bench(MockBackend(), shape: .table)
    let run = Task { try await bench.run("watch") }
    try await show(
      .connection(Samples.connected), .location(try Samples.location()),
      .satellites(try Samples.sky(4)), on: bench)
    for awaited in ["Position", "4 in view"] { await draw(awaited, on: bench) }
    bench.backend.setAuthorization(AuthorizationDecision(.whenInUse, accuracy: .reduced))
    try await bench.backend.settle()
    // An earlier frame may still be written; frames are written one at a time.
    var drawnCount = await bench.output.text.count
    let earlierCount = drawnCount
    while drawnCount == earlierCount {
      await bench.clock.waitForSleepers()
      bench.clock.advance(by: .milliseconds(100))
      await Task.yield()
      drawnCount = await bench.output.text.count
    }
    // Draws the frame of the next second, and the last frame.
    for _ in 0..<20 {
      await bench.clock.waitForSleepers()
      bench.clock.advance(by: .milliseconds(100))
      await Task.yield()
    }
    run.cancel()
    #expect(try await run.value == .done)
    let later = await bench.output.text.dropFirst(drawnCount)
    #expect(!later.contains("48.137"))
    #expect(!later.contains("in view"))
  }

  @Test func theTableHidesAndRestoresTheCursor() async throws {
    let bench = Bench(MockBackend(), shape: .table)
    let run = Task { try await bench.run("watch") }
    try await show(
      .connection(Samples.connected), .satellites(try Samples.sky(4)),
      .location(try Samples.location()), on: bench)
    // A frame may precede each of the changes; the next frame follows as time advances.
    for awaited in ["Position", "4 in view"] { await draw(awaited, on: bench) }
    run.cancel()
    #expect(try await run.value == .done)
    let text = await bench.output.text
    #expect(text.hasPrefix("\u{1B}[?25l"))
    #expect(text.hasSuffix("\r\n\u{1B}[?25h"))
    #expect(await bench.errors.text.isEmpty)
  }

  @Test func onceWaitsForTheAccuracy() async throws {
    let bench = Bench(
      try MockBackend(script: [.locations(try later(1, accuracy: 50), try later(2, accuracy: 5))]),
      shape: .json)
    #expect(try await bench.run("once --accuracy 10 --format json") == .done)
    #expect(await bench.output.text.contains("\"horizontalAccuracy\":5,"))
  }

  @Test func onceWritesText() async throws {
    let bench = Bench(try MockBackend(script: [.locations(try Samples.location())]))
    #expect(try await bench.run("once") == .done)
    #expect(await bench.output.lines.first?.hasPrefix("Position    48.1371540° N") == true)
  }

  @Test func onceReportsReducedAccuracy() async throws {
    let reduced = AuthorizationDecision.authorizedWhenInUse.limited(to: .reduced)
    let bench = Bench(
      try MockBackend(
        authorization: .answering(reduced), script: [.locations(try Samples.location())]))
    #expect(try await bench.run("once") == .done)
    #expect(await bench.output.lines.first?.hasPrefix("Position") == true)
    #expect(
      await bench.errors.lines == ["async-location-example: " + ConnectionMessages.reducedAccuracy])
  }

  @Test func onceTimesOutWithTheReason() async throws {
    let bench = Bench(
      try MockBackend(script: [
        .connection(ConnectionState(.waiting, problem: Samples.refused)), .checkpoint("reported"),
      ]))
    let run = Task { try await bench.run("once --timeout 5") }
    try await bench.backend.waitForCheckpoint("reported")
    // The problem is reported at once, not only after the timeout.
    await bench.errors.wait(for: "not connected, trying again: ")
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(5))
    #expect(try await run.value == .timedOut)
    #expect(await bench.errors.lines.last?.contains("Connection refused.") == true)
  }

  @Test(arguments: ["watch", "once"])
  func reportsAPermanentFailure(line: String) async throws {
    let error = LocationError(.notGPSD, "It is\u{1B}[2J a web server.")
    let bench = Bench(try MockBackend(script: [.fail(error)]))
    #expect(try await bench.run(line) == .failed)
    #expect(
      await bench.errors.lines.last == "async-location-example: It is\\u001b[2J a web server.")
  }

  @Test func devicesListsReceivers() async throws {
    let receivers = [Receiver(name: "/dev/ttyACM0", driver: "u-blox")]
    let text = Bench(MockBackend(), receivers: .success(receivers))
    #expect(try await text.run("devices") == .done)
    #expect(await text.output.lines == ReceiverTable.lines(receivers))
    let json = Bench(MockBackend(), shape: .json, receivers: .success(receivers))
    #expect(try await json.run("devices --format json") == .done)
    #expect(
      await json.output.text == "{\"driver\":\"u-blox\",\"name\":\"/dev/ttyACM0\"}\n")
  }

  @Test func devicesReportsNoReceiver() async throws {
    let bench = Bench(MockBackend())
    #expect(try await bench.run("devices") == .done)
    #expect(await bench.output.text.isEmpty)
    #expect(await bench.errors.text.contains("no receiver"))
  }

  @Test func devicesReportsFailures() async throws {
    let bench = Bench(MockBackend(), receivers: .failure(Samples.refused))
    #expect(try await bench.run("devices") == .failed)
    #expect(await bench.errors.text.contains("Connection refused."))
  }

  private func later(_ seconds: Double, accuracy: Double = 5) throws -> Location {
    try Location(
      latitude: 48, longitude: 11, timestamp: Samples.time + seconds,
      horizontalAccuracy: accuracy, sourceInformation: SourceInformation(device: "later"))
  }
}

import AsyncLocation
import HTTPTransfer
import LocationStorage
import MQTTBackend
import MockBackend
import OwnTracks
import TestSupport
import Testing

/// A server that is absent, slow or hostile, and withdrawals of permission.
@Suite(.inTurn) struct ServerFaultTests {
  private static let head = "HTTP/1.1 200 OK\r\n"
  private static let padding = [UInt8](repeating: UInt8(ascii: " "), count: 65_536)

  /// Each server except the last stops before it answers request 101.
  @Test func restartsLoseNothing() async throws {
    let total = 1_000
    let restarts = 4
    var server = Self.server(port: freePort(), answers: 100)
    let bench = try ServerBench(server)
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<total)
    try bench.backend.end()
    var seconds: [Int] = []
    for round in 1...restarts {
      await server.waitForRequests(101)
      server.stop()
      await server.waitForClose()
      seconds += server.seconds
      server = Self.server(port: server.port, answers: round < restarts ? 100 : total)
    }
    try await run.value
    seconds += server.seconds
    #expect(Set(seconds) == Set(0..<total))
    #expect(seconds == seconds.sorted())
    #expect(seconds.count == total + restarts, "each lost answer repeats one message")
    #expect(bench.publisher.statistics.published == total)
  }

  /// A server that answers a number of requests, and leaves the next ones without an answer.
  private static func server(port: Int, answers limit: Int) -> LocalServer {
    let count = Locked(0)
    return LocalServer(port: port) { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      return number <= limit ? LocalServer.acceptance : [.hold]
    }
  }

  @Test func anAbsentServerIsTriedAgain() async throws {
    let server = LocalServer(port: freePort()) { _ in LocalServer.acceptance }
    server.stop()
    let bench = try ServerBench(server)
    let states = bench.publisher.connectionStates
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<3)
    try bench.backend.end()
    for await state in states where state.phase == .waiting && state.attempts >= 2 {
      #expect(state.problem?.code == .backendUnavailable)
      break
    }
    let next = LocalServer(port: server.port) { _ in LocalServer.acceptance }
    try await run.value
    #expect(next.seconds == [0, 1, 2])
  }

  @Test func cancellationEndsARequest() async throws {
    let server = LocalServer { _ in [.hold] }
    let bench = try ServerBench(server)
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<2)
    await server.waitForRequests(1)
    run.cancel()
    await #expect(throws: CancellationError.self) { try await run.value }
    await server.waitForClose()
    #expect(server.requests.count == 1)
    #expect(bench.publisher.statistics.backlog.count == 2)
  }

  @Test func aSlowServerIsAskedAgain() async throws {
    let isFirst = Locked(true)
    let server = LocalServer { _ in
      Self.isFirstCall(isFirst) ? [.hold] : LocalServer.acceptance
    }
    let bench = try ServerBench(server) { $0.timeout = .milliseconds(300) }
    let states = bench.publisher.connectionStates
    try await bench.publishAll(0..<2)
    #expect(Array(Set(server.seconds)).sorted() == [0, 1])
    #expect(server.seconds.count > 2)
    let problems = await states.reduce(into: []) { $0.append($1.problem?.code) }
    #expect(problems.contains(.timedOut))
  }

  /// Permission is withdrawn while an answer is awaited, and while a delay passes.
  @Test(arguments: [AuthorizationDecision.denied, .restricted], [true, false])
  func revocationEndsTheRequest(_ decision: AuthorizationDecision, _ holds: Bool) async throws {
    let server = LocalServer { _ in
      holds ? [.hold] : [.send(LocalServer.answer("", status: "500 No")), .keepOpen]
    }
    let clock = ManualClock()
    let bench = try ServerBench(server, clock: clock)
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<100)
    while bench.publisher.statistics.stored < 100 { await Task.yield() }
    await server.waitForRequests(1)
    if !holds { await clock.waitForSleepers() }
    bench.backend.setAuthorization(decision)
    let error = await #expect(throws: LocationError.self) { try await run.value }
    #expect(error?.code == (decision == .restricted ? .restricted : .denied))
    #expect(server.requests.count == 1)
    #expect(bench.publisher.statistics.deleted == 100)
  }

  /// Accuracy is reduced while locations wait: only reduced locations are sent.
  @Test func reductionDeletesWaitingPublications() async throws {
    let isOpen = Locked(false)
    let server = LocalServer { _ in
      isOpen.withLock { $0 }
        ? LocalServer.acceptance : [.send(LocalServer.answer("", status: "500 No"))]
    }
    let bench = try ServerBench(server)
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<100)
    while bench.publisher.statistics.stored < 100 { await Task.yield() }
    bench.backend.setAuthorization(AuthorizationDecision(.whenInUse, accuracy: .reduced))
    while bench.publisher.statistics.deleted < 100 { await Task.yield() }
    let before = server.requests.count
    isOpen.withLock { $0 = true }
    try bench.backend.emit(.location(try PublisherBench.location(1_000)))
    var (count, areReduced) = (before, [Bool]())
    while areReduced.last != true {
      await server.waitForRequests(count + 1)
      count = server.requests.count
      areReduced = try server.requests[before..<count].compactMap { request in
        guard case .location(let location) = try OwnTracksMessage(json: request.body) else {
          return nil
        }
        return try #require(location.location.horizontalAccuracy) > 1_000
      }
    }
    // One exact location may have been sent before the reduction, and arrive now.
    #expect(areReduced.drop { !$0 }.allSatisfy { $0 })
    #expect(areReduced.count { !$0 } <= 1)
    run.cancel()
    _ = await run.result
  }

  @Test("F65 what waits is deleted at a withdrawal when the storage works again")
  func aFailedDeletionIsTriedAgain() async throws {
    let deletions = Locked(0)
    let storage = HookedStorage(beforeRemoval: { () throws(LocationError) in
      let isFirst = deletions.withLock { count in
        count += 1
        return count == 1
      }
      if isFirst { throw LocationError(.storageUnavailable, "The disk does not answer.") }
    })
    let server = LocalServer { _ in [.hold] }
    let clock = ManualClock()
    let bench = try ServerBench(server, storage: storage, clock: clock)
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<100)
    while bench.publisher.statistics.stored < 100 { await Task.yield() }
    bench.backend.setAuthorization(AuthorizationDecision.denied)
    // Either the end of the locations or the withdrawal ends the run. The first deletion fails.
    while deletions.withLock(\.self) < 1 { await Task.yield() }
    while deletions.withLock(\.self) < 2 {
      clock.advance(by: .seconds(1))
      await Task.yield()
    }
    let error = await #expect(throws: LocationError.self) { try await run.value }
    #expect(error?.code == .denied)
    #expect(bench.publisher.statistics.deleted == 100)
    #expect(try await storage.base.open(PublicationLimits()).1.backlog.count == 0)
  }

  @Test func aReducedLocationIsPublishedOnce() async throws {
    let server = LocalServer { _ in LocalServer.acceptance }
    let bench = try ServerBench(server)
    bench.backend.setAuthorization(AuthorizationDecision(.whenInUse, accuracy: .reduced))
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<50)
    try await bench.emit(50..<100)
    // The location is in another time step and in another cell of the grid.
    try bench.backend.emit(
      .location(
        try Location(
          latitude: 61, longitude: 24.5,
          timestamp: PublisherBench.location(500).timestamp, horizontalAccuracy: 5)))
    try bench.backend.end()
    try await run.value
    let statistics = bench.publisher.statistics
    #expect(statistics.stored == 2)
    #expect(statistics.published == 2)
  }

  /// Permission may be withdrawn after a request has begun and before it has a connection.
  @Test func aRequestIsWithheldBeforeItLeaves() async throws {
    let server = LocalServer { _ in LocalServer.acceptance }
    do {
      let client = HTTPClient(connectionLimit: 1, idleLimit: 1)
      var request = HTTPRequest(
        url: server.address, headers: [], body: [1, 2, 3], answer: .ignored(limit: 10))
      request.mayLeave = { false }
      await #expect(throws: HTTPFailure.withheld) { try await client.send(request) }
    }
    await server.waitForClose()
    #expect(server.requests.isEmpty)
  }

  /// Returns true for the first call with a lock, and false for later calls.
  private static func isFirstCall(_ isFirst: Locked<Bool>) -> Bool {
    isFirst.withLock { isFirst in
      defer { isFirst = false }
      return isFirst
    }
  }

  struct Fault: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let steps: [LocalServer.Step]
    let timeout: Duration

    /// - Parameter timeout: Long by default; shorter if only the timeout ends the answer.
    init(_ name: String, _ steps: LocalServer.Step..., timeout: Duration = .seconds(60)) {
      (testDescription, self.steps, self.timeout) = (name, steps, timeout)
    }
  }

  /// Answers with status 200 whose body does not matter.
  static let acceptances = [
    Fault("no body", .send(head + "\r\n")),
    Fault("HTML", .send(LocalServer.answer("<html>"))),
    Fault(
      "invalid UTF-8", .sendBytes(Array((head + "Content-Length: 2\r\n\r\n").utf8) + [0xFF, 0])),
    Fault("truncated body", .send(head + "Content-Length: 5000\r\n\r\n[")),
    Fault("endless body", .send(head + "\r\n"), .repeated(padding)),
    Fault(
      "1 GiB with its length", .send(head + "Content-Length: 1073741824\r\n\r\n"),
      .repeated(padding)),
    Fault(
      "endless chunks", .send(head + "Transfer-Encoding: chunked\r\n\r\n"),
      .repeated(Array("10000\r\n".utf8) + padding + Array("\r\n".utf8))),
    Fault(
      "chunks that are none", .send(head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n")),
    Fault(
      "an encoding that is none",
      .send(head + "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}")),
    Fault(
      "stalls within the body", .send(head + "Content-Length: 500\r\n\r\n["), .hold,
      timeout: .seconds(15)),
    Fault(
      "drips its body", .send(head + "Content-Length: 1000000\r\n\r\n"), .drip,
      timeout: .seconds(15)),
    Fault(
      "informational first", .send("HTTP/1.1 103 Early Hints\r\n\r\n" + LocalServer.answer("[]"))),
    Fault(
      "endless trailers",
      .send(head + "Transfer-Encoding: chunked\r\n\r\n0\r\n"), .repeated(Array("X: y\r\n".utf8))),
  ]

  @Test(arguments: acceptances)
  func theBodyOfAnAnswerDoesNotMatter(_ fault: Fault) async throws {
    let isFirst = Locked(true)
    let server = LocalServer { _ in
      Self.isFirstCall(isFirst) ? fault.steps : LocalServer.acceptance
    }
    do {
      let bench = try ServerBench(server) { $0.timeout = fault.timeout }
      try await bench.publishAll(0..<3)
      #expect(Set(server.seconds) == [0, 1, 2])
      #expect(server.seconds.first { $0 > 0 } == 1)
      #expect(server.seconds.count { $0 == 0 } == 1, "the answer counts")
    }
    await server.waitForClose()
  }

  /// Bytes that are not a complete answer.
  static let garbage = [
    Fault("closes at once"), Fault("is not HTTP", .send("SSH-2.0-OpenSSH_9.2\r\n")),
    Fault("random bytes", .sendBytes((0...255).map { UInt8($0) })),
    Fault("closes after its status", .send(head)),
    Fault("informational only", .send("HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n")),
    Fault("endless headers", .send(head), .repeated(Array("X: y\r\n".utf8))),
    Fault("endless header", .send(head + "X: "), .repeated(padding)),
    Fault(
      "endless informational answers",
      .repeated(Array("HTTP/1.1 103 Early Hints\r\n\r\n".utf8))),
  ]

  @Test(arguments: garbage)
  func garbageRepeatsTheMessage(_ fault: Fault) async throws {
    let isFirst = Locked(true)
    let server = LocalServer { _ in
      Self.isFirstCall(isFirst) ? fault.steps : LocalServer.acceptance
    }
    let bench = try ServerBench(server)
    try await bench.publishAll(0..<2)
    #expect(server.seconds == [0, 0, 1])
    #expect(bench.publisher.statistics.published == 2)
  }
}

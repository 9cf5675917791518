import AsyncLocation
import HTTPTransfer
import LocationStorage
import MQTTBackend
import MockBackend
import OwnTracks
import TestSupport
import Testing

/// Publishing to a local HTTP server.
@Suite(.inTurn) struct ServerPublishingTests {
  @Test func postsInOrderOverOneConnection() async throws {
    let server = LocalServer { _ in LocalServer.acceptance }
    let bench = try ServerBench(server, options: PublisherOptions(trackerID: "jb")) {
      $0.credentials = .password(user: "jane", password: "pässword")
    }
    try await bench.publishAll(0..<200)
    #expect(server.seconds == Array(0..<200))
    #expect(server.accepted == 1)
    let request = try #require(server.requests.first)
    #expect(request.line == "POST /pub HTTP/1.1")
    #expect(
      String(decoding: request.body, as: UTF8.self)
        == #"{"_type":"location","lat":60.0,"lon":24.5,"tst":1777863600,"acc":5,"tid":"jb","#
        + #""topic":"owntracks/jane/boat"}"#)
    #expect(request.headers["x-limit-u"] == "jane")
    #expect(request.headers["x-limit-d"] == "boat")
    #expect(request.headers["content-type"] == "application/json")
    #expect(request.headers["authorization"] == "Basic amFuZTpww6Rzc3dvcmQ=")
    #expect(request.headers["expect"] == nil)
    #expect(bench.publisher.statistics.published == 200)
    #expect(bench.publisher.statistics.backlog == PublicationBacklog())
  }

  /// The server has the message, and its answer is lost.
  @Test func lostAnswersRepeatAMessage() async throws {
    let total = 40
    let counter = Locked(0)
    let server = LocalServer { _ in
      let count = counter.withLock { count in
        count += 1
        return count
      }
      // The connection ends before or within the headers of an answer.
      return switch count % 4 {
      case 1: []
      case 2: [.send("HTTP/1.1 200 OK\r\nContent-Le")]
      default: LocalServer.acceptance
      }
    }
    let bench = try ServerBench(server)
    try await bench.publishAll(0..<total)
    var known: Set<Int> = []
    let first = server.seconds.filter { known.insert($0).inserted }
    #expect(first == Array(0..<total))
    #expect(server.seconds == server.seconds.sorted(), "a repeated message comes before the next")
    #expect(server.seconds.count > total)
    #expect(bench.publisher.statistics.published == total)
  }

  @Test(arguments: [400, 413, 422])
  func refusedMessagesAreDroppedAndCounted(_ status: Int) async throws {
    let server = LocalServer { request in
      request.second == 1
        ? [.send(LocalServer.answer("no", status: "\(status) No")), .keepOpen]
        : LocalServer.acceptance
    }
    let bench = try ServerBench(server)
    try await bench.publishAll(0..<3)
    #expect(server.seconds == [0, 1, 2])
    #expect(bench.publisher.statistics.refused == 1)
    #expect(bench.publisher.statistics.published == 2)
  }

  @Test(arguments: [
    "301 Moved Permanently", "307 Temporary Redirect", "404 Not Found", "429 Too Many Requests",
    "500 Internal Server Error", "503 Service Unavailable", "999 ?",
  ])
  func otherStatusesRepeatTheMessage(_ status: String) async throws {
    let isFirst = Locked(true)
    let server = LocalServer { request in
      let answers = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return !isFirst
      }
      return answers
        ? LocalServer.acceptance
        : [
          .send(
            LocalServer.answer("", status: status, headers: "Location: /elsewhere\r\n")),
          .keepOpen,
        ]
    }
    let bench = try ServerBench(server)
    try await bench.publishAll(0..<2)
    #expect(server.seconds == [0, 0, 1])
    #expect(server.requests.allSatisfy { $0.path == "/pub" }, "no redirect is followed")
  }

  @Test("renewed credentials are used while the publisher runs", arguments: [401, 403])
  func renewedCredentialsAreUsed(_ status: Int) async throws {
    let isRefusing = Locked(true)
    let server = LocalServer { _ in
      let refusal = LocalServer.answer(
        "", status: "\(status) No", headers: "WWW-Authenticate: Basic realm=\"x\"\r\n")
      return isRefusing.withLock(\.self) ? [.send(refusal), .keepOpen] : LocalServer.acceptance
    }
    let clock = ManualClock()
    let bench = try ServerBench(server, clock: clock) {
      $0.credentials = .password(user: "jane", password: "secret")
      $0.reconnection = .exponential(initial: .seconds(1), maximum: .seconds(60), jitter: 0)
    }
    let states = bench.publisher.connectionStates
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<3)
    var refusals = 0
    for await state in states where state.phase == .waiting {
      #expect(state.problem?.code == (status == 401 ? .credentialsRefused : .denied))
      #expect(state.problem?.message.contains("secret") == false)
      #expect(state.retryDelay == .seconds(60), "the longest, from the first on")
      refusals += 1
      if refusals == 3 { break }
      await clock.waitForSleepers()
      clock.advance(by: .seconds(60))
    }
    isRefusing.withLock { $0 = false }
    while bench.publisher.statistics.published < 3 {
      clock.advance(by: .seconds(60))
      await Task.yield()
    }
    run.cancel()
    _ = await run.result
  }

  @Test func theServersTimeIsWaitedFor() async throws {
    let clock = ManualClock()
    let isFirst = Locked(true)
    let server = LocalServer { _ in
      let refuses = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      return refuses
        ? [
          .send(
            LocalServer.answer(
              "", status: "503 Later", headers: "Retry-After: 60\r\n")), .keepOpen,
        ] : LocalServer.acceptance
    }
    let bench = try ServerBench(server, clock: clock)
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<1)
    try bench.backend.end()
    await clock.waitForSleepers()
    let deadline = try #require(clock.nextDeadline)
    #expect((.seconds(60)...(.seconds(61))).contains(deadline.offset))
    #expect(server.requests.count == 1)
    clock.advance(by: deadline.offset)
    try await run.value
    #expect(server.seconds == [0, 0])
  }

  @Test func otherMessagesHaveTheirTopic() async throws {
    let server = LocalServer { _ in LocalServer.acceptance }
    let bench = try ServerBench(server)
    let run = Task { try await bench.publisher.run() }
    await bench.backend.waitUntilRunning()
    while true {
      do throws(LocationError) {
        try await bench.publisher.publish(.card(CardMessage(name: "Jane")))
        break
      } catch {
        // The publisher has not opened its storage yet.
        await Task.yield()
      }
    }
    await server.waitForRequests(1)
    let body = String(decoding: try #require(server.requests.first).body, as: UTF8.self)
    #expect(
      body == #"{"_type":"card","name":"Jane","topic":"owntracks/jane/boat/info"}"#)
    run.cancel()
    _ = await run.result
  }

  @Test func statesAreReported() async throws {
    let server = LocalServer { _ in LocalServer.acceptance }
    let bench = try ServerBench(server)
    let states = bench.publisher.connectionStates
    try await bench.publishAll(0..<10)
    var phases: [ConnectionState.Phase] = []
    for await state in states {
      phases.append(state.phase)
      #expect(state.endpoint == server.address)
    }
    #expect(phases == [.idle, .connecting, .connected])
  }

  @Test func unreadableCredentialsEndTheRun() async throws {
    let server = LocalServer { _ in LocalServer.acceptance }
    for credentials in [
      MQTTConfiguration.Credentials.file("/nowhere/at/all"),
      .password(user: "ja:ne", password: "x"),
    ] {
      let bench = try ServerBench(server) { $0.credentials = credentials }
      let error = await #expect(throws: LocationError.self) { try await bench.publisher.run() }
      #expect(error?.code == .invalidValue)
    }
    #expect(server.accepted == 0)
  }
}

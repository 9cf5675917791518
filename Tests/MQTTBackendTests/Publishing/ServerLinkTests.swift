import AsyncLocation
import HTTPTransfer
import MockBackend
import TestSupport
import Testing

@testable import MQTTBackend

@Suite(.inTurn) struct ServerLinkTests {
  private static let endpoint = "https://recorder.example.org"
  private static let reconnection = Reconnection.exponential(
    initial: .seconds(1), maximum: .seconds(4), jitter: 0)

  private static func end(
    _ link: inout ServerLink, _ outcome: ServerLink.Outcome
  ) -> [ServerLink.Action] {
    // The system's generator has size zero, so ThreadSanitizer treats two of them as one object.
    var generator = SplitMix64(seed: 1)
    return link.ended(outcome, using: &generator)
  }

  private static func answer(
    _ link: inout ServerLink, _ status: Int, retryAfter: Duration? = nil
  ) -> [ServerLink.Action] {
    end(&link, .answered(status: status, retryAfter: retryAfter))
  }

  /// The reported phase and the other actions, without texts.
  private static func summary(_ actions: [ServerLink.Action]) -> String {
    actions.map { action in
      switch action {
      case .report(let state): "\(state.phase)"
      case .acknowledge: "acknowledge"
      case .refuse(let error): "refuse \(error.code)"
      case .reopen: "reopen"
      case .wait(let delay): "wait \(delay)"
      case .fail(let error): "fail \(error.code)"
      }
    }.joined(separator: ", ")
  }

  static let statuses: [(Int, String)] = [
    (200, "acknowledge, connected"), (201, "acknowledge, connected"),
    (204, "acknowledge, connected"), (299, "acknowledge, connected"),
    (400, "refuse invalidValue, connected"), (413, "refuse invalidValue, connected"),
    (422, "refuse invalidValue, connected"), (401, "waiting, wait 4.0 seconds"),
    (403, "waiting, wait 4.0 seconds"), (301, "waiting, wait 1.0 seconds"),
    (307, "waiting, wait 1.0 seconds"), (404, "waiting, wait 1.0 seconds"),
    (407, "waiting, wait 1.0 seconds"), (408, "waiting, wait 1.0 seconds"),
    (429, "waiting, wait 1.0 seconds"), (500, "waiting, wait 1.0 seconds"),
    (503, "waiting, wait 1.0 seconds"), (999, "waiting, wait 1.0 seconds"),
  ]

  @Test(arguments: statuses)
  func eachStatusHasItsConsequence(_ status: Int, _ expected: String) {
    var link = ServerLink(Self.endpoint, Self.reconnection)
    #expect(Self.summary(link.opened()) == "connecting")
    #expect(Self.summary(Self.answer(&link, status)) == expected)
  }

  static let failures: [(HTTPFailure, String)] = [
    (.unreachable("x"), "waiting, wait 1.0 seconds"), (.broken, "waiting, wait 1.0 seconds"),
    (.tooLong, "waiting, wait 1.0 seconds"), (.timedOut, "waiting, wait 1.0 seconds"),
    (.withheld, "reopen"), (.insecure(.files), "failed, fail invalidValue"),
    (.insecure(.untrusted), "failed, fail serverUntrusted"),
    (.insecure(.expired), "waiting, wait 1.0 seconds"),
    (.insecure(.handshake), "waiting, wait 1.0 seconds"),
  ]

  @Test(arguments: failures)
  func eachFailureHasItsConsequence(_ failure: HTTPFailure, _ expected: String) {
    var link = ServerLink(Self.endpoint, Self.reconnection)
    _ = link.opened()
    #expect(Self.summary(Self.end(&link, .failed(failure))) == expected)
  }

  @Test func delaysDoubleUntilTheServerWorks() {
    var link = ServerLink(Self.endpoint, Self.reconnection)
    var delays: [ServerLink.Action] = []
    for status in [500, 500, 500, 500, 200, 500] {
      _ = link.opened()
      delays.append(Self.answer(&link, status).last!)
    }
    #expect(
      delays[..<4] == [
        .wait(.seconds(1)), .wait(.seconds(2)), .wait(.seconds(4)), .wait(.seconds(4)),
      ])
    #expect(delays[5] == .wait(.seconds(1)))
  }

  @Test func retryAfterIsAddedToTheDelay() {
    var link = ServerLink(Self.endpoint, Self.reconnection)
    _ = link.opened()
    let actions = Self.answer(&link, 503, retryAfter: .seconds(60))
    #expect(actions.last == .wait(.seconds(61)))
    guard case .report(let state) = actions.first else {
      Issue.record("\(actions)")
      return
    }
    #expect(state.retryDelay == .seconds(61))
    #expect(state.problem?.message.contains("for 60 s") == true)
  }

  @Test func attemptsRunOut() {
    var link = ServerLink(
      Self.endpoint,
      .exponential(initial: .seconds(1), maximum: .seconds(4), jitter: 0, attempts: 2))
    _ = link.opened()
    #expect(Self.summary(Self.end(&link, .failed(.broken))) == "waiting, wait 1.0 seconds")
    _ = link.opened()
    #expect(Self.summary(Self.end(&link, .failed(.broken))) == "failed, fail connectionLost")
    var never = ServerLink(Self.endpoint, .never)
    #expect(Self.summary(Self.answer(&never, 500)) == "failed, fail backendUnavailable")
  }

  @Test func aStateIsReportedOnce() {
    var link = ServerLink(Self.endpoint, Self.reconnection)
    #expect(Self.summary(link.opened()) == "connecting")
    #expect(Self.summary(Self.answer(&link, 200)) == "acknowledge, connected")
    #expect(Self.summary(Self.answer(&link, 200)) == "acknowledge")
    #expect(Self.summary(Self.answer(&link, 400)) == "refuse invalidValue, connected")
    #expect(Self.summary(Self.answer(&link, 200)) == "acknowledge, connected")
  }

  /// A server may refuse every message, for example because it rejects an expired certificate.
  @Test func serverRefusingEverythingIsRetried() {
    var link = ServerLink(Self.endpoint, Self.reconnection)
    #expect(Self.summary(Self.answer(&link, 400)) == "refuse invalidValue, connected")
    #expect(Self.summary(Self.answer(&link, 400)) == "waiting, wait 4.0 seconds")
    _ = link.opened()
    #expect(Self.summary(Self.answer(&link, 400)) == "refuse invalidValue, connected")
    #expect(Self.summary(Self.answer(&link, 400)) == "waiting, wait 4.0 seconds")
    _ = link.opened()
    #expect(Self.summary(Self.answer(&link, 200)) == "acknowledge, connected")
    #expect(Self.summary(Self.answer(&link, 422)) == "refuse invalidValue, connected")
    #expect(Self.summary(Self.answer(&link, 413)) == "waiting, wait 4.0 seconds")
    _ = link.opened()
    #expect(Self.summary(Self.answer(&link, 422)) == "refuse invalidValue, connected")
    #expect(Self.summary(Self.answer(&link, 503)) == "waiting, wait 2.0 seconds")
    _ = link.opened()
    #expect(Self.summary(Self.answer(&link, 400)) == "waiting, wait 4.0 seconds")
  }

  @Test(arguments: [
    (401, LocationError.Code.credentialsRefused, BrokerRefusal.credentials),
    (403, .denied, .notAuthorized(topic: nil)),
  ])
  func refusalsHaveACodeAndACause(
    _ status: Int, _ code: LocationError.Code, _ cause: BrokerRefusal
  ) {
    let error = LocationError.answered(by: Self.endpoint, status: status, retryAfter: nil)
    #expect(error.code == code)
    #expect(error.cause as? BrokerRefusal == cause)
    #expect(error.message.contains(Self.endpoint))
  }
}

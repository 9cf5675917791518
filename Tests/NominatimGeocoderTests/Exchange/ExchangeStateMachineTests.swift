import Foundation
import HTTPTransfer
import MockBackend
import TestSupport
import Testing

@testable import NominatimGeocoder

@Suite(.inTurn) struct ExchangeStateMachineTests {
  private static let url = URL(string: "http://a.example:8080/v1/reverse?lat=1")!
  private static let date = Date(timeIntervalSince1970: 0)

  private static func machine(retries: Int = 2) -> ExchangeStateMachine {
    ExchangeStateMachine(url, of: HTTPOrigin(url)!, retries: retries)
  }

  private static func answer(
    _ machine: inout ExchangeStateMachine, _ response: HTTPResponse,
    remaining: Duration = .seconds(10), seed: UInt64 = 1
  ) -> ExchangeStateMachine.Action {
    var generator = SplitMix64(seed: seed)
    return machine.answered(response, remaining: remaining, at: date, using: &generator)
  }

  @Test func aSuccessDeliversTheBody() {
    var machine = Self.machine()
    #expect(machine.begin() == .send(Self.url, after: .zero))
    let body = Data([1, 2])
    #expect(Self.answer(&machine, HTTPResponse(status: 200, body: body)) == .deliver(body))
  }

  @Test(
    arguments: [
      ("/x", "http://a.example:8080/x"), ("y?z", "http://a.example:8080/v1/y?z"),
      ("HTTP://A.EXAMPLE:8080/x", "http://a.example:8080/x"),
      ("//a.example:8080/x", "http://a.example:8080/x"),
      ("http://b.example:8080/x", nil), ("http://a.example/x", nil),
      ("https://a.example:8080/x", nil),
      ("//b.example:8080", nil), ("http://u@a.example:8080/x", nil), ("file:///x", nil),
      ("http://a.example.:8080/x", nil), ("http://a.example:8080@b.example/x", nil), (nil, nil),
    ] as [(String?, String?)])
  func redirectsAreFollowedOnTheSameServerOnly(_ location: String?, _ target: String?) {
    var machine = Self.machine()
    let action = Self.answer(&machine, HTTPResponse(status: 302, location: location))
    switch action {
    case .send(let url, let delay):
      #expect(delay == .zero)
      #expect(url.absoluteString.lowercased() == target)
    default:
      #expect(target == nil)
      #expect(action == .fail(.redirectedElsewhere))
    }
  }

  @Test func redirectsAreLimited() {
    var machine = Self.machine()
    let response = HTTPResponse(status: 307, location: "/again")
    for _ in 0..<ExchangeStateMachine.redirectLimit {
      guard case .send = Self.answer(&machine, response) else {
        Issue.record("not followed")
        return
      }
    }
    #expect(Self.answer(&machine, response) == .fail(.tooManyRedirects))
  }

  @Test(arguments: [429, 500, 503, 599], [1, 7, 99])
  func delaysDoubleUpToALimit(_ status: Int, _ seed: UInt64) {
    var machine = Self.machine(retries: 40)
    var bound = 1.0
    for _ in 0..<40 {
      let action = Self.answer(
        &machine, HTTPResponse(status: status), remaining: .seconds(1000), seed: seed)
      guard case .send(_, let delay) = action else {
        Issue.record("\(action)")
        return
      }
      #expect((bound / 2...bound).contains(delay / .seconds(1)))
      bound = min(bound * 2, 30)
    }
    let failure: ExchangeFailure = status == 429 ? .refused(for: nil) : .serverFailed(status)
    #expect(Self.answer(&machine, HTTPResponse(status: status)) == .fail(failure))
  }

  @Test func noAttemptFollowsTheDeadline() {
    var machine = Self.machine()
    #expect(
      Self.answer(&machine, HTTPResponse(status: 500), remaining: .milliseconds(400))
        == .fail(.serverFailed(500)))
  }

  @Test(arguments: [-1, 0, .min]) func invalidNumbersOfRetriesCountAsNone(_ retries: Int) {
    var machine = Self.machine(retries: retries)
    #expect(Self.answer(&machine, HTTPResponse(status: 500)) == .fail(.serverFailed(500)))
  }

  @Test(arguments: [100, 204, 206, 300, 304, 400, 403, 404, 418, 600, 999, -1])
  func otherStatusesFailAtOnce(_ status: Int) {
    var machine = Self.machine()
    #expect(Self.answer(&machine, HTTPResponse(status: status)) == .fail(.rejected(status)))
  }

  @Test func aRetryAfterTimeEndsTheRequest() {
    var machine = Self.machine()
    #expect(
      Self.answer(&machine, HTTPResponse(status: 503, retryAfter: "7"))
        == .fail(.refused(for: .seconds(7))))
  }
}

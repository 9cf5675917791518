import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct FreshnessGateTests {
  enum Step: Sendable {
    case session
    case fix(Double, Bool, String?)

    static func fresh(_ seconds: Double, _ device: String? = nil) -> Self {
      .fix(seconds, true, device)
    }
    static func stale(_ seconds: Double, _ device: String? = nil) -> Self {
      .fix(seconds, false, device)
    }
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let steps: [Step]
  }

  static let scenarios = [
    Scenario(
      testDescription: "the first fix is fresh, whatever its time", steps: [.fresh(-1e9)]),
    Scenario(
      testDescription: "within a session an equal time is fresh, an older one is stale",
      steps: [.session, .fresh(1), .fresh(1), .fresh(2), .fresh(2), .stale(1.999), .fresh(3)]),
    Scenario(
      testDescription: "in a new session only times after the last fix are fresh",
      steps: [.fresh(5), .session, .stale(4), .stale(5), .stale(5), .fresh(5.001), .fresh(5.001)]),
    Scenario(
      testDescription: "sessions without a fix change nothing",
      steps: [.session, .fresh(5), .session, .session, .stale(5), .fresh(6), .stale(5)]),
    Scenario(
      testDescription: "a clock set back is accepted after three increasing times",
      steps: [.fresh(100), .stale(10), .stale(11), .fresh(12), .fresh(12), .fresh(13), .stale(11)]),
    Scenario(
      testDescription: "several reports per epoch do not prevent accepting a clock set back",
      steps: [
        .fresh(100), .stale(10), .stale(10), .stale(11), .stale(11), .fresh(12), .fresh(12),
      ]),
    Scenario(
      testDescription: "one repeated time is never accepted",
      steps: [.fresh(100), .stale(10), .stale(10), .stale(10), .stale(10)]),
    Scenario(
      testDescription: "alternating times are never accepted",
      steps: [
        .fresh(100), .stale(10), .stale(11), .stale(9), .stale(10), .stale(8), .stale(9),
        .fresh(10),
      ]),
    Scenario(
      testDescription: "a fix with the old clock restarts the count",
      steps: [.fresh(100), .stale(10), .stale(11), .fresh(101), .stale(12), .stale(13), .fresh(14)]),
    Scenario(
      testDescription: "a clock set back between sessions is accepted after as many fixes",
      steps: [.fresh(100), .session, .stale(10), .stale(11), .fresh(12)]),
    Scenario(
      testDescription: "receivers are separate",
      steps: [
        .fresh(100, "a"), .fresh(10, "b"), .stale(99, "a"), .fresh(11, "b"), .fresh(5), .stale(4),
        .session, .stale(100, "a"), .stale(11, "b"), .stale(5), .fresh(12, "b"), .fresh(101, "a"),
      ]),
  ]

  @Test(arguments: scenarios)
  func followsTheScenario(_ scenario: Scenario) {
    var gate = FreshnessGate()
    for (index, step) in scenario.steps.enumerated() {
      switch step {
      case .session:
        gate.beginSession()
      case .fix(let seconds, let isFresh, let device):
        #expect(
          gate.admits(
            Sample.location(seconds, latitude: 50, device: device), at: .seconds(index)) == isFresh,
          "step \(index)")
      }
    }
  }

  /// The host's time of arrival is independent of the receiver's time.
  @Test func hostTimestampsPassAndMakeNoReceiverStale() throws {
    var gate = FreshnessGate()
    func stamped(_ seconds: Double) throws -> Location {
      try Location(
        latitude: 50, longitude: 13, timestamp: Sample.date(seconds),
        sourceInformation: SourceInformation(device: "a", timeSource: .host))
    }
    let (late, early) = (try stamped(200), try stamped(5))
    #expect(gate.admits(late, at: .zero) == true)
    #expect(gate.admits(Sample.location(10, device: "a"), at: .zero) == true)
    #expect(gate.admits(late, at: .zero) == true)
    #expect(gate.admits(Sample.location(11, device: "a"), at: .zero) == true)
    #expect(gate.admits(early, at: .zero) == true)
    #expect(gate.admits(Sample.location(10, device: "a"), at: .zero) == false)
  }

  @Test func receiversAreRememberedUpToALimit() {
    var gate = FreshnessGate()
    let limit = FreshnessGate.rememberedDevices
    for device in 1...limit {
      #expect(
        gate.admits(Sample.location(10, latitude: 50, device: "\(device)"), at: .zero) == true)
    }
    #expect(gate.admits(Sample.location(9, latitude: 50, device: "1"), at: .zero) == false)
    #expect(gate.admits(Sample.location(9, latitude: 50, device: "\(limit)"), at: .zero) == false)
    // One more receiver, and the earlier ones are forgotten.
    #expect(gate.admits(Sample.location(10, latitude: 50, device: "one more"), at: .zero) == true)
    #expect(gate.admits(Sample.location(9, latitude: 50, device: "1"), at: .zero) == true)
    #expect(gate.admits(Sample.location(9, latitude: 50, device: "one more"), at: .zero) == false)
  }

  /// The times of a backlog increase like those of a clock set back, but arrive at once.
  @Test func aBacklogInABurstIsStale() {
    var gate = FreshnessGate()
    func admits(_ seconds: Double, at instant: Int) -> Bool {
      gate.admits(Sample.location(seconds, latitude: 50), at: .seconds(instant))
    }
    #expect(admits(100, at: 0))
    gate.beginSession()
    for seconds in 10...30 { #expect(!admits(Double(seconds), at: 5)) }
    #expect(admits(101, at: 6))
    // Accepted once the times advance at the rate of the clock.
    #expect(!admits(40, at: 7))
    #expect(!admits(41, at: 8))
    #expect(admits(42, at: 9))
  }

  @Test func headingsFromThePastAreStale() throws {
    var gate = FreshnessGate()
    func admits(_ seconds: Double) throws -> Bool {
      let heading = try Heading(
        trueHeading: 10, timestamp: Sample.date(seconds), source: .compass)
      return gate.admits(heading, at: .zero)
    }
    #expect(try admits(5))
    #expect(try admits(5))
    #expect(try !admits(4))
    gate.beginSession()
    #expect(try !admits(5))
    #expect(try admits(6))
  }
}

import Testing

@testable import AsyncLocation

@Suite struct FreshnessGateTests {
  enum Step: Sendable {
    case session
    case fix(Double, Bool, String?)

    static func news(_ seconds: Double, _ device: String? = nil) -> Self {
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
      testDescription: "the first fix is news, whatever its time", steps: [.news(-1e9)]),
    Scenario(
      testDescription: "within a session the same time is news, an older one is not",
      steps: [.session, .news(1), .news(1), .news(2), .news(2), .stale(1.999), .news(3)]),
    Scenario(
      testDescription: "a new session begins after the last fix of the former",
      steps: [.news(5), .session, .stale(4), .stale(5), .stale(5), .news(5.001), .news(5.001)]),
    Scenario(
      testDescription: "sessions without a fix change nothing",
      steps: [.session, .news(5), .session, .session, .stale(5), .news(6), .stale(5)]),
    Scenario(
      testDescription: "a clock set back is believed once it has moved forward thrice",
      steps: [.news(100), .stale(10), .stale(11), .news(12), .news(12), .news(13), .stale(11)]),
    Scenario(
      testDescription: "several reports an epoch do not keep a clock set back from being believed",
      steps: [
        .news(100), .stale(10), .stale(10), .stale(11), .stale(11), .news(12), .news(12),
      ]),
    Scenario(
      testDescription: "one repeated time is never believed",
      steps: [.news(100), .stale(10), .stale(10), .stale(10), .stale(10)]),
    Scenario(
      testDescription: "times that jump back and forth are never believed",
      steps: [
        .news(100), .stale(10), .stale(11), .stale(9), .stale(10), .stale(8), .stale(9), .news(10),
      ]),
    Scenario(
      testDescription: "a fix on the old time starts the count anew",
      steps: [.news(100), .stale(10), .stale(11), .news(101), .stale(12), .stale(13), .news(14)]),
    Scenario(
      testDescription: "a clock set back between sessions is believed after as many",
      steps: [.news(100), .session, .stale(10), .stale(11), .news(12)]),
    Scenario(
      testDescription: "receivers are apart",
      steps: [
        .news(100, "a"), .news(10, "b"), .stale(99, "a"), .news(11, "b"), .news(5), .stale(4),
        .session, .stale(100, "a"), .stale(11, "b"), .stale(5), .news(12, "b"), .news(101, "a"),
      ]),
  ]

  @Test(arguments: scenarios)
  func follows(_ scenario: Scenario) {
    var gate = FreshnessGate()
    for (index, step) in scenario.steps.enumerated() {
      switch step {
      case .session:
        gate.beginSession()
      case .fix(let seconds, let isNews, let device):
        #expect(
          gate.admits(
            Sample.location(seconds, latitude: 50, device: device), at: .seconds(index)) == isNews,
          "step \(index)")
      }
    }
  }

  /// The host's time at arrival says nothing of the receiver's.
  @Test func fixThatTheHostStampedPassesAndMeasuresNobody() throws {
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

  @Test func receiversAreRememberedUpToABound() {
    var gate = FreshnessGate()
    let limit = FreshnessGate.rememberedDevices
    for device in 1...limit {
      #expect(
        gate.admits(Sample.location(10, latitude: 50, device: "\(device)"), at: .zero) == true)
    }
    #expect(gate.admits(Sample.location(9, latitude: 50, device: "1"), at: .zero) == false)
    #expect(gate.admits(Sample.location(9, latitude: 50, device: "\(limit)"), at: .zero) == false)
    // One more, and the former are forgotten.
    #expect(gate.admits(Sample.location(10, latitude: 50, device: "one more"), at: .zero) == true)
    #expect(gate.admits(Sample.location(9, latitude: 50, device: "1"), at: .zero) == true)
    #expect(gate.admits(Sample.location(9, latitude: 50, device: "one more"), at: .zero) == false)
  }

  /// A backlog moves forward as a clock that was set back does, but comes all at once.
  @Test func backlogThatComesInABurstIsNotBelieved() {
    var gate = FreshnessGate()
    func admits(_ seconds: Double, at instant: Int) -> Bool {
      gate.admits(Sample.location(seconds, latitude: 50), at: .seconds(instant))
    }
    #expect(admits(100, at: 0))
    gate.beginSession()
    for seconds in 10...30 { #expect(!admits(Double(seconds), at: 5)) }
    #expect(admits(101, at: 6))
    // Believed once it keeps pace with time.
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

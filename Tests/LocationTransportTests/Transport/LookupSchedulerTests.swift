import MockBackend
import TestSupport
import Testing

@testable import LocationTransport

/// The order and the limits of look-ups.
@Suite(.inTurn) struct LookupSchedulerTests {
  /// An event, with the expected result. Requests are numbered.
  enum Step: Sendable {
    case request(Int, String, LookupScheduler.Admission)
    case cancel(Int)
    /// An idle thread requests work and gets this host.
    case next(String?)
    /// The look-up of a host ends and answers these requests.
    case finish(String, [Int])
    /// A thread cannot be started; these requests fail.
    case threadFailed([Int])
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var threads = 2
    let steps: [Step]
    /// The numbers of remaining threads, waiting hosts and unanswered requests.
    let load: [Int]
  }

  static let scenarios = [
    Scenario(
      testDescription: "requests for one host share a look-up, waiting or under way",
      steps: [
        .request(1, "a", .startThread), .request(2, "a", .wait), .next("a"),
        .request(3, "a", .wait), .next(nil), .finish("a", [1, 2, 3]), .finish("a", []),
      ], load: [0, 0, 0]),
    Scenario(
      testDescription: "each host has a thread while available, in order of arrival",
      steps: [
        .request(1, "a", .startThread), .request(2, "b", .startThread), .next("a"), .next("b"),
        .request(3, "c", .wait), .request(4, "d", .wait), .finish("b", [2]), .next("c"),
        .finish("a", [1]), .next("d"), .finish("d", [4]), .next(nil),
        .request(5, "e", .startThread),
      ], load: [2, 1, 2]),
    Scenario(
      testDescription: "a cancelled request leaves the queue",
      steps: [
        .request(1, "a", .startThread), .request(2, "b", .startThread), .next("a"), .next("b"),
        .request(3, "c", .wait), .request(4, "d", .wait), .request(5, "d", .wait), .cancel(3),
        .cancel(4), .cancel(4), .cancel(9), .finish("a", [1]), .next("d"), .finish("d", [5]),
        .next(nil),
      ], load: [1, 0, 1]),
    Scenario(
      testDescription: "a running look-up continues without cancelled callers, for later ones",
      steps: [
        .request(1, "a", .startThread), .next("a"), .cancel(1), .request(2, "a", .wait),
        .cancel(2), .request(3, "a", .wait), .finish("a", [3]), .request(4, "a", .startThread),
      ], load: [2, 1, 1]),
    Scenario(
      testDescription: "a host whose look-up hangs uses one thread, however often it is tried",
      steps: [
        .request(1, "a", .startThread), .next("a"), .cancel(1), .request(2, "a", .wait), .cancel(2),
        .request(3, "a", .wait), .cancel(3), .request(4, "b", .startThread), .next("b"),
      ], load: [2, 0, 1]),
    Scenario(
      testDescription: "too many hosts are refused, and accepted when there is room",
      steps: [
        .request(1, "a", .startThread), .request(2, "b", .startThread), .next("a"), .next("b"),
        .request(3, "c", .wait), .request(4, "d", .wait), .request(5, "e", .wait),
        .request(6, "f", .refuse), .request(7, "e", .wait), .cancel(6), .cancel(3),
        .request(8, "f", .wait),
      ], load: [2, 3, 6]),
    Scenario(
      testDescription: "a thread that cannot start leaves its host to the others",
      steps: [
        .request(1, "a", .startThread), .request(2, "b", .startThread), .threadFailed([]),
        .next("a"), .finish("a", [1]), .next("b"), .finish("b", [2]), .next(nil),
        .request(3, "c", .startThread), .request(4, "c", .wait), .threadFailed([3, 4]),
        .request(5, "c", .startThread),
      ], load: [1, 1, 1]),
  ]

  private static func id(_ number: Int) -> LookupScheduler.RequestID {
    LookupScheduler.RequestID(rawValue: UInt64(number))
  }

  @Test(arguments: scenarios)
  func followsTheScenario(_ scenario: Scenario) {
    var scheduler = LookupScheduler(.init(maximumThreads: scenario.threads, maximumWaiting: 3))
    for (index, step) in scenario.steps.enumerated() {
      switch step {
      case .request(let number, let host, let admission):
        let found = scheduler.request(Self.id(number), host: host)
        #expect(found == admission, "step \(index)")
      case .cancel(let number): scheduler.cancel(Self.id(number))
      case .next(let host):
        let found = scheduler.next()
        #expect(found == host, "step \(index)")
      case .finish(let host, let numbers):
        let found = scheduler.finish(host)
        #expect(found == numbers.map(Self.id), "step \(index)")
      case .threadFailed(let numbers):
        let found = scheduler.threadFailed()
        #expect(found == numbers.map(Self.id), "step \(index)")
      }
    }
    let (waiting, requests) = scheduler.load
    #expect([scheduler.threads, waiting, requests] == scenario.load)
  }

  /// For any events in any order the limits hold, and every request that is not cancelled is
  /// answered once.
  @Test(arguments: 0..<100 as Range<UInt64>)
  func everySequenceKeepsTheInvariants(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var scheduler = LookupScheduler(.init(maximumThreads: 3, maximumWaiting: 4))
    var (idleThreads, running, open, lastRequest) = (0, [String](), Set<Int>(), 0)
    func removeAnswered(_ requests: [LookupScheduler.RequestID]) {
      for id in requests {
        let wasOpen = open.remove(Int(id.rawValue)) != nil
        #expect(wasOpen, "a request is answered twice, or after it was cancelled")
      }
    }
    func step(_ choice: Int) {
      switch choice {
      case 0...3:
        lastRequest += 1
        let host = "\(Int.random(in: 0..<12, using: &generator))"
        switch scheduler.request(Self.id(lastRequest), host: host) {
        case .wait: open.insert(lastRequest)
        case .startThread:
          open.insert(lastRequest)
          idleThreads += 1
        case .refuse: break
        }
      case 4:
        guard let request = open.randomElement(using: &generator) else { return }
        scheduler.cancel(Self.id(request))
        open.remove(request)
      case 5, 6:
        guard idleThreads > 0 else { return }
        idleThreads -= 1
        if let host = scheduler.next() { running.append(host) }
      case 7, 8:
        guard let index = running.indices.randomElement(using: &generator) else { return }
        removeAnswered(scheduler.finish(running.remove(at: index)))
        idleThreads += 1
      default:
        guard idleThreads > 0 else { return }
        idleThreads -= 1
        removeAnswered(scheduler.threadFailed())
      }
    }
    for _ in 0..<2000 {
      step(Int.random(in: 0...9, using: &generator))
      #expect(scheduler.threads == idleThreads + running.count)
      #expect(scheduler.threads <= 3)
      #expect(scheduler.load.waiting <= 4)
      #expect(scheduler.load.requests == open.count)
      #expect(Set(running).count == running.count, "a host is looked up twice at a time")
    }
    // The remaining threads finish all work.
    while idleThreads > 0 || !running.isEmpty {
      while idleThreads > 0 { step(5) }
      while !running.isEmpty { step(7) }
    }
    #expect(open.isEmpty)
    #expect(scheduler.load.requests == 0)
    #expect(scheduler.threads == 0)
  }
}

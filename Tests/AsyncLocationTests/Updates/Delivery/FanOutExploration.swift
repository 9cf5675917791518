import FoundationEssentials
import TestSupport
import Testing

@testable import AsyncLocation

/// Every sequence of joining, leaving, reports and ends up to a length, compared with a model.
@Suite(.inTurn) struct FanOutExploration {
  static let length = 5
  private static let limit = 2

  private enum Event: CaseIterable {
    case joinFirst, joinSecond, leaveFirst, leaveSecond, report, burst, end
  }

  /// The channel of a subscriber, and the model of its contents.
  private struct Member {
    let channel = BoundedChannel<SatelliteView>(.newest(FanOutExploration.limit))
    /// The numbers of the views that the channel must hold.
    var holds: [Int] = []
  }

  private struct World {
    var fanOut = FanOut()
    var members: [UInt64: Member] = [:]
    var (next, delivered, dropped) = (1, 0, 0)
    var history: [Event] = []
  }

  @Test func agreesWithAModelInEverySequence() async throws {
    // Copies share a channel, so each sequence is replayed from its beginning.
    var (sequences, problems, numbers) = (0, [String](), [Int](repeating: 0, count: Self.length))
    let events = Event.allCases
    repeat {
      sequences += 1
      var world = World()
      for number in numbers { Self.handle(events[number], &world) }
      problems += Self.problems(world)
      for (id, member) in world.members.sorted(by: { $0.key < $1.key }) {
        let held = try await Self.contents(member.channel)
        if held != member.holds { problems.append("\(id) holds \(held): \(world.history)") }
      }
    } while Self.advance(&numbers, events.count) && problems.count < 5
    #expect(problems.isEmpty, "\(problems)")
    #expect(sequences == (0..<Self.length).reduce(1) { count, _ in count * events.count })
    print("Fan-out: \(sequences) sequences of \(Self.length) events, none wrong")
  }

  private static func handle(_ event: Event, _ world: inout World) {
    world.history.append(event)
    var wakes = Wakes()
    switch event {
    case .joinFirst, .joinSecond:
      let id: UInt64 = event == .joinFirst ? 1 : 2
      guard world.members[id] == nil else { break }
      let member = Member()
      world.members[id] = member
      world.fanOut.satellites.join(id, member.channel, PreferredFilter())
    case .leaveFirst, .leaveSecond:
      let id: UInt64 = event == .leaveFirst ? 1 : 2
      world.fanOut.leave(id, .satellites, waking: &wakes)
      world.members[id] = nil
    case .report, .burst:
      let count = event == .report ? 1 : limit + 1
      for number in world.next..<world.next + count {
        world.fanOut.satellites.stage(Sample.sky(Double(number)))
        for id in world.members.keys {
          world.members[id]?.holds.append(number)
          world.delivered += 1
          guard let holds = world.members[id]?.holds, holds.count > limit else { continue }
          world.members[id]?.holds.removeFirst()
          world.dropped += 1
        }
      }
      world.next += count
      var effects = Effects()
      world.fanOut.seal(at: .zero, to: &effects.deliveries, waking: &effects.wakes)
      effects.deliver(world.fanOut.gate)
      effects.perform()
    case .end:
      let ids = world.fanOut.endReports(nil, waking: &wakes)
      if Set(ids) != Set(world.members.keys) { world.delivered = -1 }  // Checked below.
      world.members = [:]
    }
    wakes.perform()
  }

  private static func problems(_ world: World) -> [String] {
    let tally = Tally(delivered: UInt64(max(0, world.delivered)), dropped: UInt64(world.dropped))
    return
      (world.fanOut.gate.tally == tally
      ? [] : ["counts \(world.fanOut.gate.tally): \(world.history)"])
      + (world.fanOut.subscribers == world.members.count ? [] : ["members: \(world.history)"])
      + (world.fanOut.longestQueue <= limit ? [] : ["too long a queue: \(world.history)"])
  }

  private static func contents(_ channel: BoundedChannel<SatelliteView>) async throws -> [Int] {
    channel.end()
    var numbers: [Int] = []
    while let view = try await channel.next() {
      numbers.append(Int(view.timestamp?.timeIntervalSince(Sample.epoch) ?? 0))
    }
    return numbers
  }

  /// Advances to the next number with these digits. Returns false after the last.
  private static func advance(_ digits: inout [Int], _ base: Int) -> Bool {
    for index in digits.indices.reversed() {
      digits[index] += 1
      if digits[index] < base { return true }
      digits[index] = 0
    }
    return false
  }
}

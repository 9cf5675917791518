import AsyncLocation
import FoundationEssentials
import MockBackend

/// Changes that a monitor might commit. A seed produces the same changes in every process.
struct RandomChanges {
  /// The condition whose dwell counts the commits, in seconds.
  static let progress = "progress"

  private(set) var random: SplitMix64
  private(set) var commits = 0
  private var lastNumber: UInt64 = 0
  /// The events that no consumer finished.
  private var unfinished: [UInt64] = []

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// The number of commits that a content has; nil if it has content without a count.
  static func commits(in stored: StoredMonitor) -> Int? {
    guard let count = stored.conditions.first(where: { $0.identifier == progress }) else {
      return stored.conditions.isEmpty && stored.events.isEmpty ? 0 : nil
    }
    return Int(count.condition.dwell.components.seconds)
  }

  /// The changes of the next commit.
  mutating func next() throws -> [MonitorChange] {
    commits += 1
    let count = Int.random(in: 1...6, using: &random)
    var changes: [MonitorChange] = []
    for _ in 0..<count { changes.append(try change()) }
    let progress = try Condition.circle(
      center: Coordinate(latitude: 0, longitude: 0), radius: 1)
    changes.append(
      .add(
        StoredCondition(
          identifier: Self.progress, condition: try progress.dwelling(.seconds(commits)))))
    return changes
  }

  private mutating func change() throws -> MonitorChange {
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<7: .add(try storedCondition())
    case 7: .remove(identifier: identifier())
    case 8..<11: .event(try event(numbered: true))
    case 11..<14: .candidate(identifier: identifier(), candidate())
    case 14..<16: .offer(number: number(removing: false))
    case 16..<19: .finish(number: number(removing: true))
    default: .discard(through: discarded())
    }
  }

  mutating func storedCondition() throws -> StoredCondition {
    let identifier = identifier()
    return StoredCondition(
      identifier: identifier, condition: try condition(), state: state(),
      candidate: candidate(),
      lastEvent: chance() ? try event(of: identifier, numbered: false).withoutLocation : nil)
  }

  private mutating func chance() -> Bool { Bool.random(using: &random) }

  private mutating func identifier() -> String {
    let names = ["harbour", "Hafen München", "港", "a", "quote\"'; --", "line\nbreak", "\u{1F4CD}"]
    return names[Int.random(in: 0..<names.count, using: &random)]
      + String(Int.random(in: 0..<3, using: &random))
  }

  private mutating func state() -> Monitor.State {
    Monitor.State.allCases[Int.random(in: 0..<Monitor.State.allCases.count, using: &random)]
  }

  private mutating func date() -> Date {
    Date(timeIntervalSinceReferenceDate: Double.random(in: -1e9...1e9, using: &random))
  }

  private mutating func candidate() -> StoredCondition.Candidate? {
    guard chance() else { return nil }
    return StoredCondition.Candidate(isInside: chance(), isCertain: chance(), since: date())
  }

  private mutating func coordinate(near center: Coordinate) throws -> Coordinate {
    try Coordinate(
      latitude: center.latitude + Double.random(in: -1...1, using: &random),
      longitude: center.longitude + Double.random(in: -1...1, using: &random))
  }

  private mutating func vertices(_ counts: ClosedRange<Int>) throws -> [Coordinate] {
    let center = try Coordinate(
      latitude: Double.random(in: -80...80, using: &random),
      longitude: Double.random(in: -170...170, using: &random))
    var vertices: [Coordinate] = []
    for _ in 0..<Int.random(in: counts, using: &random) {
      vertices.append(try coordinate(near: center))
    }
    return vertices
  }

  mutating func condition() throws -> Condition {
    let condition: Condition
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      // Integers and -0 have their own representation in SQLite.
      let isWhole = chance()
      condition = try .circle(
        center: isWhole
          ? Coordinate(
            latitude: -0.0, longitude: Double(Int.random(in: -180...180, using: &random)))
          : vertices(1...1)[0],
        radius: isWhole ? 100 : Double.random(in: 1...1e6, using: &random))
    case 1:
      let exterior = try vertices(3...12)
      condition = try .polygon(exterior, holes: chance() ? [Array(exterior.prefix(3))] : [])
    case 2:
      condition = try .corridor(
        along: vertices(2...9), width: Double.random(in: 1...1000, using: &random))
    default:
      let uuid = UUID(
        uuid: (
          byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(),
          byte(), byte(), byte(), byte(), byte()
        ))
      let (major, minor) = (UInt16(byte()) << 8, UInt16(byte()))
      condition = .beacon(
        BeaconIdentityConstraint(
          uuid: uuid, major: chance() ? major : nil, minor: chance() ? minor : nil))
    }
    let dwell = Duration(
      secondsComponent: Int64.random(in: 0...1000, using: &random),
      attosecondsComponent: Int64.random(in: 0..<1_000_000_000_000_000_000, using: &random))
    return try condition.dwelling(chance() ? dwell : .zero).expiring(at: chance() ? date() : nil)
  }

  private mutating func byte() -> UInt8 { UInt8.random(in: .min ... .max, using: &random) }

  private mutating func event(of name: String? = nil, numbered: Bool) throws -> Monitor.Event {
    if numbered {
      lastNumber += 1
      unfinished.append(lastNumber)
    }
    let location = chance() ? try location() : nil
    return Monitor.Event(
      identifier: name ?? identifier(), number: lastNumber, state: state(),
      previousState: state(), date: date(), location: location,
      refinement: chance() ? try condition() : nil,
      diagnostics: Monitor.Diagnostics(rawValue: UInt32(byte()) << 3), isRepeated: chance())
  }

  private mutating func location() throws -> Location {
    let coordinate = try vertices(1...1)[0]
    return try Location(
      coordinate: coordinate, timestamp: date(),
      altitude: Double.random(in: 0...4000, using: &random),
      horizontalAccuracy: chance() ? Double.random(in: 1...50, using: &random) : nil,
      speed: Double.random(in: 0...40, using: &random),
      course: chance() ? Double.random(in: 0..<360, using: &random) : nil)
  }

  /// The number of an unfinished event, or sometimes a number without an event.
  private mutating func number(removing: Bool) -> UInt64 {
    guard !unfinished.isEmpty, Int.random(in: 0..<10, using: &random) > 0 else {
      return lastNumber + 7
    }
    let index = Int.random(in: 0..<min(2, unfinished.count), using: &random)
    return removing ? unfinished.remove(at: index) : unfinished[index]
  }

  /// The number through which events are discarded: that of the oldest unfinished event, or the
  /// last number if there is none.
  private mutating func discarded() -> UInt64 {
    let number = unfinished.isEmpty ? lastNumber : unfinished[0]
    unfinished.removeAll { $0 <= number }
    return number
  }
}

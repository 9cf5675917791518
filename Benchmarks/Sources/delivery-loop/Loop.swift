import AsyncLocation
import FoundationEssentials
import MockBackend
import Synchronization
import Tally

/// Measures the delivery of fixes to many subscribers that do not read, with filters of every kind,
/// while another thread subscribes to the same manager and unsubscribes, which acquires the same
/// lock. Then all subscribers read their buffered elements.
@main
struct Loop {
  static let warmUp = 100
  static let fixes = 400

  static func main() async throws {
    guard let count = CommandLine.arguments.dropFirst().first.flatMap({ Int($0) }), count > 0 else {
      print("usage: delivery-loop SUBSCRIBERS [pausing]")
      return
    }
    if CommandLine.arguments.last == "pausing" { return try await pause(count) }
    let source = Source()
    let manager = LocationManager(backend: source)
    let first = manager.updates(UpdateOptions())
    while !source.isRunning { await Task.yield() }
    let before = tally_allocated()
    let streams = (0..<count).map { manager.updates(options($0)) }
    let idle = tally_allocated()

    let isOver = Flag()
    let other = Task.detached { delays(manager, isOver) }
    var times: [Double] = []
    let clock = ContinuousClock()
    for number in 0..<warmUp + fixes {
      let events = [try fix(number)]
      let begin = clock.now
      source.send(events)
      if number >= warmUp { times.append((clock.now - begin) / .nanoseconds(1)) }
    }
    isOver.isSet.store(true, ordering: .relaxed)
    let waits = await other.value
    let lagging = tally_allocated()

    await manager.shutdown()
    for stream in streams { for try await _ in stream {} }
    for try await _ in first {}
    let drained = tally_allocated()
    times.sort()
    func each(_ bytes: Int64) -> Int64 { (bytes - before) / Int64(count) }
    print(
      "subscribers \(count) median \(times[times.count / 2] / Double(count))",
      "p99 \(times[times.count * 99 / 100] / Double(count))",
      "waits \(waits.count) waited \(waits[waits.count * 999 / 1000])",
      "longest \(waits[waits.count - 1]) over \(waits.count { $0 > 1_000_000 })",
      "idle \(each(idle)) lagging \(each(lagging)) drained \(each(drained))")
  }

  /// Measures the delivery of a stationary receiver's fixes. Each subscriber joins after the
  /// previous one has paused.
  private static func pause(_ count: Int) async throws {
    let source = Source()
    let time = ManualClock()
    let manager = LocationManager(backend: source, clock: time)
    let first = manager.updates(UpdateOptions())
    while !source.isRunning { await Task.yield() }
    var number = 0
    func stay(_ seconds: Int) throws {
      time.advance(by: .seconds(seconds))
      number += 1
      source.send([try standing(number)])
    }
    let streams = try (0..<count).map { _ in
      let stream = manager.updates(UpdateOptions(activityType: .fitness, pausesAutomatically: true))
      for _ in 0..<3 { try stay(61) }
      return stream
    }
    var times: [Double] = []
    let clock = ContinuousClock()
    for _ in 0..<fixes {
      let begin = clock.now
      try stay(1)
      times.append((clock.now - begin) / .nanoseconds(1))
    }
    await manager.shutdown()
    for stream in streams { for try await _ in stream {} }
    for try await _ in first {}
    times.sort()
    print("subscribers \(count) pausing \(times[times.count / 2])")
  }

  private static func standing(_ number: Int) throws -> BackendEvent {
    .location(
      try Location(
        latitude: 50, longitude: 8,
        timestamp: Date(timeIntervalSince1970: 1_800_000_000 + Double(number)),
        horizontalAccuracy: 4))
  }

  /// The options of four kinds of subscribers in turn.
  private static func options(_ number: Int) -> UpdateOptions {
    switch number % 4 {
    case 0: UpdateOptions()
    case 1: UpdateOptions(distanceFilter: 50)
    case 2: UpdateOptions(minimumInterval: .seconds(1))
    default: UpdateOptions(desiredAccuracy: .nearestTenMeters)
    }
  }

  /// The n-th fix of a drive north; fixes are 100 m apart.
  private static func fix(_ number: Int) throws -> BackendEvent {
    .location(
      try Location(
        latitude: Double(number) / 1_113, longitude: 8,
        timestamp: Date(timeIntervalSince1970: 1_800_000_000 + Double(number)), altitude: 12,
        horizontalAccuracy: 4, speed: 30, course: 1))
  }

  /// The times to subscribe and unsubscribe in nanoseconds, shortest first.
  private static func delays(_ manager: LocationManager, _ isOver: Flag) -> [Double] {
    var waits: [Double] = []
    let clock = ContinuousClock()
    while !isOver.isSet.load(ordering: .relaxed) {
      let begin = clock.now
      _ = manager.connectionStates
      waits.append((clock.now - begin) / .nanoseconds(1))
    }
    return waits.sorted()
  }
}

final class Flag: Sendable {
  let isSet = Atomic(false)
}

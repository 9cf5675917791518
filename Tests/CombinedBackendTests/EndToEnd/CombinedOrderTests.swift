import AsyncLocation
import CombinedBackend
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

/// O2 and O8 across switches, by seeded schedules of three sources.
@Suite("O2 and O8 with several sources", .inTurn)
struct CombinedOrderTests {
  /// Clocks that agree within seconds, and clocks that do not.
  @Test(.longWork, arguments: [[0, 3, -3], [0, 300, -300], [0, 0, -40]])
  func noLocationIsOlder(_ offsets: [Double]) async throws {
    for seed in 0..<20 as Range<UInt64> { try await run(seed, offsets) }
  }

  private func run(_ seed: UInt64, _ offsets: [Double]) async throws {
    var choices = SplitMix64(seed: seed)
    let bench = try CombinedBench(3)
    let streams = (0..<2).map { _ in
      bench.manager.updates(UpdateOptions(buffering: .newest(16_384)))
    }
    await bench.waitUntilRunning(0, 1, 2)
    var arrival = 0
    var earlier: [[Location]] = [[], [], []]
    /// The true time of each arrival.
    var trueTimes: [Int: Double] = [:]
    var outages = [0, 0, 0]
    for second in 0..<300 {
      bench.tick()
      for source in 0..<3 {
        if outages[source] > 0 {
          outages[source] -= 1
          continue
        }
        switch Int.random(in: 0..<40, using: &choices) {
        case 0: outages[source] = .random(in: 1..<60, using: &choices)
        case 1: try bench.mocks[source].emit(.connection(ConnectionState(.waiting)))
        case 2:
          try bench.mocks[source].emit(
            .unavailable(LocationError(.locationUnknown, "Tunnel.")))
        case 3, 4:
          // What was emitted before is repeated after a reconnection.
          try bench.mocks[source].emit(.connection(ConnectionState(.waiting)))
          try bench.mocks[source].emit(.connection(ConnectionState(.connected)))
          for old in earlier[source].suffix(Int.random(in: 1..<8, using: &choices)) {
            try bench.emit(old, from: source)
          }
        default:
          arrival += 1
          trueTimes[arrival] = Double(second)
          let number = arrival
          let location = try bench.fix(0, offset: offsets[source]).with { $0.floor = number }
          earlier[source].append(location)
          try bench.emit(location, from: source)
        }
      }
    }
    await bench.manager.shutdown()
    var delivered: [[Location]] = []
    for stream in streams {
      var locations: [Location] = []
      for try await location in stream { locations.append(location) }
      delivered.append(locations)
    }
    #expect(delivered[0] == delivered[1], "seed \(seed)")
    #expect(Set(delivered[0].map(\.device)).count > 1, "seed \(seed)")
    let agree = offsets.allSatisfy { abs($0) < 5 }
    for (first, second) in zip(delivered[0], delivered[0].dropFirst()) {
      let numbers = (first.floor ?? 0, second.floor ?? 0)
      #expect(numbers.0 < numbers.1, "seed \(seed)")
      let times = (trueTimes[numbers.0] ?? 0, trueTimes[numbers.1] ?? 0)
      #expect(times.0 <= times.1, "seed \(seed)")
      if agree || first.device == second.device {
        #expect(first.timestamp <= second.timestamp, "seed \(seed)")
      }
    }
  }

  /// A source whose clock is five minutes ahead delays the next one by three fixes.
  @Test func clockAheadDoesNotBlock() async throws {
    let bench = try CombinedBench()
    let updates = bench.manager.updates
    await bench.waitUntilRunning(0, 1)
    for second in 0..<60 {
      bench.tick()
      if second < 20 { try bench.emit(bench.fix(0, offset: 300), from: 0) }
      if second >= 20 { try bench.emit(bench.fix(0), from: 1) }
    }
    // The first source is in force for ten seconds after its last fix.
    let expected = Array(repeating: "a", count: 20) + Array(repeating: "b", count: 31)
    await bench.manager.shutdown()
    var devices: [String?] = []
    for try await location in updates { devices.append(location.device) }
    #expect(devices == expected)
  }

  /// A reconnection of one source neither stalls the other nor lets its own last fix pass again.
  @Test func reconnectionConcernsItsSourceAlone() async throws {
    let bench = try CombinedBench()
    let updates = bench.manager.updates
    let named = bench.manager.updates(UpdateOptions(device: "b"))
    await bench.waitUntilRunning(0, 1)
    bench.tick()
    let (first, second) = (bench.fix(1), bench.fix(2))
    try bench.mocks[0].emit(.connection(ConnectionState(.connected)), .location(first))
    try bench.mocks[1].emit(.connection(ConnectionState(.connected)), .location(second))
    try bench.mocks[1].emit(.connection(ConnectionState(.waiting)))
    try bench.mocks[1].emit(.connection(ConnectionState(.connected)), .location(second))
    // Several reports of one epoch.
    try bench.emit(first, from: 0)
    bench.tick()
    try bench.emit(bench.fix(3), from: 1)
    #expect(try await updates.first(2).map(\.coordinate) == [first, first].map(\.coordinate))
    let later = CombinedBench.place(3)
    #expect(try await named.first(2).map(\.coordinate) == [second.coordinate, later])
  }
}

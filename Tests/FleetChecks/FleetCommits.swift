import AsyncLocation
import FoundationEssentials
package import LocationFleet
import MockBackend

/// Commits of a fleet, each of which is determined by its number, so that a process can continue
/// the work of the previous one.
///
/// Each commit adds an event, whose number is the commit's.
package enum FleetCommits {
  /// Continues with the commit after the last one of a storage.
  ///
  /// - Parameters:
  ///   - count: The number of the last commit.
  ///   - report: Prints the stored number, the number of each commit that returned, and the end.
  package static func write(
    to storage: some FleetStorage, count: UInt64, report: (String) -> Void
  ) async throws {
    let (session, stored) = try await storage.open()
    report("open \(stored.lastNumber)")
    for number in stored.lastNumber..<max(count, stored.lastNumber) {
      try await session.commit(changes(number + 1))
      report("\(number + 1)")
    }
    await session.close()
    report("closed")
  }

  package static let devices = (0..<5).map { FleetDevice.ID("user/device\($0)")! }

  /// The changes of a commit.
  package static func changes(_ number: UInt64) -> [FleetStorageChange] {
    var random = SplitMix64(seed: number)
    var changes: [FleetStorageChange] = []
    for _ in 0..<Int.random(in: 1...40, using: &random) {
      let device = devices[Int.random(in: 0..<devices.count, using: &random)]
      changes.append(.location(device, location(number, using: &random), isLast: true))
    }
    let device = devices[Int(number) % devices.count]
    // Late locations, perhaps with a time that is already stored.
    for _ in 0..<3 {
      let earlier = UInt64.random(in: 1...number, using: &random)
      changes.append(.location(device, location(earlier, using: &random), isLast: false))
    }
    let last = location(number, using: &random)
    changes.append(.location(device, last, isLast: true))
    changes.append(.states(device, Array("states \(number)".utf8)))
    changes.append(
      .event(
        FleetEvent(
          device: device, identifier: "condition \(number % 7)", previousState: .unknown,
          state: .satisfied, location: last, revision: UInt32(number % 7), number: number)))
    if number > 3 { changes.append(.offer(number: number - 2)) }
    if number > 6 { changes.append(.finish(number: number - 6)) }
    switch number % 11 {
    case 2: changes.append(.add(condition(number)))
    case 7: changes.append(.remove(identifier: "condition \(number % 7)"))
    default: break
    }
    switch number % 40 {
    case 9: changes.append(.forget(devices[1]))
    case 29: changes.append(.erase(devices[Int(number / 40) % devices.count]))
    default: break
    }
    return changes
  }

  /// A location at one of the four quarters of the commit's second.
  private static func location(_ number: UInt64, using random: inout SplitMix64) -> Location {
    let quarter = Int.random(in: 0..<4, using: &random)
    let places: [(Double, Double)] = [(47, 8), (0, 179.99), (89.9, 10), (-33, 151)]
    let (latitude, longitude) = places[Int.random(in: 0..<places.count, using: &random)]
    return try! Location(
      latitude: latitude + Double(Int.random(in: -900...900, using: &random)) / 1e4,
      longitude: longitude + Double(Int.random(in: 0...99, using: &random)) / 1e4,
      timestamp: Date(timeIntervalSinceReferenceDate: Double(number) + Double(quarter) / 4),
      horizontalAccuracy: Bool.random(using: &random) ? 5 : nil)
  }

  private static func condition(_ number: UInt64) -> StoredFleet.Condition {
    let circle = try! Condition.circle(
      center: Coordinate(latitude: 47, longitude: 8), radius: Double(number % 100) + 1)
    let audience: FleetCondition.Audience =
      switch number % 3 {
      case 0: .all
      case 1: .users(["jane", "jürgen"])
      default: .devices([devices[0], devices[2]])
      }
    return StoredFleet.Condition(
      FleetCondition(
        identifier: "condition \(number % 7)", condition: circle, audience: audience),
      revision: UInt32(number))
  }
}

import AsyncLocation
import Foundation
import Glibc
import LocationStorage
import MockBackend

/// Adds conditions to a `ConditionTracker`, moves devices through them at 30 m/s, removes them
/// again, and prints the cost of each step.
@main
enum Loop {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    let circlesOnly = CommandLine.arguments.last == "circles"
    guard arguments.count == 2, arguments.allSatisfy({ $0 > 0 }) else {
      FileHandle.standardError.write(
        Data("usage: condition-loop CONDITIONS FIXES [circles | stored | around | ring]\n".utf8))
      exit(2)
    }
    let (count, fixes) = (arguments[0], arguments[1])
    switch CommandLine.arguments.last {
    case "around": return try moveAmidCircles(count, fixes)
    case "ring": return try standInRing(count, fixes)
    default: break
    }
    var random = Random(state: 20_261_122)
    let conditions = try (0..<count).map {
      ("condition-\($0)", try condition($0, circlesOnly, &random))
    }
    if CommandLine.arguments.last == "stored" { return try await store(conditions) }
    let drive = try (0..<fixes).map { try location($0) }

    var tracker = ConditionTracker<Int>()
    let empty = try resident()
    let adding = try seconds {
      tracker.reserveCapacity(count)
      for (name, condition) in conditions { try tracker.add(condition, identifier: name) }
    }
    let bytes = try resident() - empty
    var changes = 0
    _ = tracker.observe(drive[0], of: 0, at: .zero)  // Determines every state.
    let moving = seconds {
      for (index, fix) in drive.enumerated() {
        changes += tracker.observe(fix, of: 0, at: .seconds(index + 1)).count
      }
    }
    let fleet = seconds {
      for (index, fix) in drive.prefix(fixes / 2).enumerated() {
        changes += tracker.observe(fix, of: index % 10_000 + 1, at: .seconds(index / 10_000)).count
      }
    }
    let removing = seconds { for (name, _) in conditions { tracker.remove(name) } }
    print(
      """
      conditions=\(count) fix=\(moving / Double(fixes) * 1e6) \
      fleet=\(fleet / Double(fixes / 2) * 1e6) add=\(adding / Double(count) * 1e6) \
      remove=\(removing / Double(count) * 1e6) bytes=\(Double(bytes) / Double(count)) \
      changes=\(changes)
      """)
  }

  /// Moves a device at 30 m/s within circles around it that it does not leave.
  private static func moveAmidCircles(_ count: Int, _ fixes: Int) throws {
    var random = Random(state: 20_261_125)
    var tracker = ConditionTracker<Int>()
    let center = try Coordinate(latitude: 50, longitude: 9)
    for number in 0..<count {
      try tracker.add(
        .circle(center: center, radius: 8_000 + 2_000 * random.unit()),
        identifier: "circle-\(number)")
    }
    let drive = try (0..<fixes).map { second in
      let metres = Double(second * 30 % 4_000)
      return try fix(center.coordinate(atDistance: abs(2_000 - metres), bearing: 37), 5)
    }
    let first = seconds { _ = tracker.observe(drive[0], of: 0, at: .zero) }
    var changes = 0
    let moving = seconds {
      for (index, fix) in drive.enumerated() {
        changes += tracker.observe(fix, of: 0, at: .seconds(index + 1)).count
      }
    }
    print(
      "conditions=\(count) first=\(first * 1e6) fix=\(moving / Double(fixes) * 1e6)",
      "changes=\(changes)")
  }

  /// Compares the first fixes of devices with a polygon of many vertices on a circle of 1 km around
  /// them. All edges are equally far away, and the accuracy is nearly that distance.
  private static func standInRing(_ vertices: Int, _ fixes: Int) throws {
    let center = try Coordinate(latitude: 50, longitude: 9)
    let ring = try (0..<vertices).map {
      try center.coordinate(atDistance: 1_000, bearing: 360 * Double($0) / Double(vertices))
    }
    var tracker = ConditionTracker<Int>()
    try tracker.add(.polygon(ring), identifier: "ring")
    let first = try fix(center, 999)
    var changes = 0
    let standing = seconds {
      for device in 0..<fixes { changes += tracker.observe(first, of: device, at: .zero).count }
    }
    print("vertices=\(vertices) fix=\(standing / Double(fixes) * 1e6) changes=\(changes)")
  }

  private static func fix(_ place: Coordinate, _ accuracy: Double) throws -> Location {
    try Location(
      latitude: place.latitude, longitude: place.longitude,
      timestamp: Date(timeIntervalSince1970: 0), horizontalAccuracy: accuracy)
  }

  /// Adds the conditions to a stored monitor in one call, reopens the monitor, and prints the
  /// elapsed times.
  private static func store(_ conditions: [(String, Condition)]) async throws {
    let folder = NSTemporaryDirectory() + "condition-loop-\(getpid())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let storage = SQLiteMonitorStorage(directory: folder)
    let manager = LocationManager(backend: MockBackend())
    let clock = ContinuousClock()
    var monitor = try await Monitor("loop", manager: manager, storage: storage)
    let added = Dictionary(uniqueKeysWithValues: conditions)
    let adding = try await clock.measure {
      try await monitor.add(contentsOf: added, assuming: .unsatisfied)
    }
    await monitor.close()
    let start = clock.now
    monitor = try await Monitor("loop", manager: manager, storage: storage)
    let opening = start.duration(to: clock.now)
    guard await monitor.identifiers.count == conditions.count else { exit(1) }
    await monitor.close()
    print(
      "conditions=\(conditions.count) adding=\(adding / .seconds(1)) opening=\(opening / .seconds(1))"
    )
  }

  /// Half of the conditions are within 200 km of the drive, the others anywhere: 7 of 10 are
  /// circles of 50 to 500 m, 2 polygons of 8 vertices, 1 a corridor of 2 km.
  private static func condition(
    _ number: Int, _ circlesOnly: Bool, _ random: inout Random
  ) throws -> Condition {
    let center: Coordinate
    if number % 2 == 0 {
      center = try Coordinate(latitude: 50, longitude: 9).coordinate(
        atDistance: 200_000 * random.unit().squareRoot(), bearing: 360 * random.unit())
    } else {
      let latitude = asin(2 * random.unit() - 1) * 180 / .pi
      center = try Coordinate(latitude: latitude, longitude: 360 * random.unit() - 180)
    }
    let radius = 50 + 450 * random.unit()
    switch circlesOnly ? 0 : number / 2 % 10 {
    case 0..<7: return try .circle(center: center, radius: radius)
    case 7, 8:
      return try .polygon(
        (0..<8).map { try center.coordinate(atDistance: radius, bearing: 45 * Double($0)) })
    default:
      return try .corridor(
        along: [center, center.coordinate(atDistance: 2_000, bearing: 360 * random.unit())],
        width: 100)
    }
  }

  /// A fix of a drive at 30 m/s, back and forth through the dense region.
  private static func location(_ second: Int) throws -> Location {
    let metres = Double(second * 30 % 700_000)
    let place = try Coordinate(latitude: 50, longitude: 9).coordinate(
      atDistance: abs(350_000 - metres) - 175_000, bearing: 37)
    return try Location(
      latitude: place.latitude, longitude: place.longitude,
      timestamp: Date(timeIntervalSince1970: Double(second)), horizontalAccuracy: 5)
  }

  /// Returns the CPU time of a closure in seconds.
  private static func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = clock()
    try body()
    return Double(clock() - start) / Double(CLOCKS_PER_SEC)
  }

  /// Resident memory in bytes.
  private static func resident() throws -> Int {
    let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(
      separator: " ")
    return (Int(pages[1]) ?? 0) * Int(getpagesize())
  }

  /// SplitMix64.
  private struct Random {
    var state: UInt64

    mutating func unit() -> Double {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return Double((mixed ^ (mixed >> 31)) >> 11) / 9_007_199_254_740_992
    }
  }
}

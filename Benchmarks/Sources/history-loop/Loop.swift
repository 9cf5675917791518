import AsyncLocation
import Foundation
import LocationStorage
import PostgreSQLStorage

/// Stores a history of many devices, queries it, and prints the cost of both.
@main
struct Loop {
  static let start = 800_000_000.0
  /// The seconds between the locations of a device.
  static let interval = 10.0

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let devices = Int(arguments[2]), let count = Int(arguments[3])
    else {
      print("usage: history-loop FILE|URI DEVICES LOCATIONS")
      return
    }
    let isFile = !arguments[1].hasPrefix("postgresql:")
    let storage: any FleetStorage =
      isFile
      ? SQLiteFleetStorage(file: arguments[1]) : PostgreSQLFleetStorage(arguments[1])
    let (session, _) = try await storage.open()
    var fleet = Fleet(devices: devices)
    let clock = ContinuousClock()
    let seconds = try await clock.measure {
      // A fleet's commit has more locations the longer the previous commit took.
      for start in stride(from: 0, to: count, by: 20) {
        let steps = try (start..<min(count, start + 20)).flatMap { try fleet.step($0) }
        try await session.commit(steps)
      }
    }
    let points = devices * count
    print("stored a second\t\(Int(Double(points) / (seconds / .seconds(1))))")
    try await ask(session, &fleet, count)
    await session.close()
    // The driver script queries the size of a database itself.
    guard isFile else { return }
    let attributes = try FileManager.default.attributesOfItem(atPath: arguments[1])
    let bytes = (attributes[.size] as? NSNumber)?.doubleValue ?? 0
    print("bytes a location\t\((bytes / Double(points) * 10).rounded() / 10)")
  }

  private static func ask(
    _ session: any FleetSession, _ fleet: inout Fleet, _ count: Int
  ) async throws {
    let history = FleetHistory(session)
    let span = Double(count) * interval
    try await report("where a device was at a time", 2_000) {
      let instant = Date(timeIntervalSinceReferenceDate: start + .random(in: 0..<span))
      _ = try await history.location(of: fleet.names.randomElement()!, at: instant)
    }
    let area = try Condition.circle(
      center: Coordinate(latitude: 48.1, longitude: 11.6), radius: 500)
    var found = 0
    try await report("who was within 500 m in an hour", 200) {
      let time = start + .random(in: 0..<max(1, span - 3_600))
      let visits = history.devices(
        in: area, from: Date(timeIntervalSinceReferenceDate: time),
        to: Date(timeIntervalSinceReferenceDate: time + 3_600))
      for try await _ in visits { found += 1 }
    }
    print("devices found\t\(found)")
    try await report("a day of a device", 200) {
      let time = start + .random(in: 0..<max(1, span - 86_400))
      let track = history.track(
        of: fleet.names.randomElement()!, from: Date(timeIntervalSinceReferenceDate: time),
        to: Date(timeIntervalSinceReferenceDate: time + 86_400))
      for try await _ in track {}
    }
  }

  /// Prints the median and the 99th percentile of a query's times.
  private static func report(
    _ name: String, _ count: Int, _ question: () async throws -> Void
  ) async throws {
    let clock = ContinuousClock()
    var times: [Double] = []
    for _ in 0..<count {
      times.append(try await clock.measure(question) / .milliseconds(1))
    }
    times.sort()
    func text(_ share: Double) -> String {
      "\((times[min(times.count - 1, Int(Double(times.count) * share))] * 1_000).rounded() / 1_000)"
    }
    print("\(name), ms\t\(text(0.5)), \(text(0.99))")
  }

  /// Devices that drive at random around a city.
  struct Fleet {
    let names: [FleetDevice.ID]
    private var positions: [(latitude: Double, longitude: Double)]
    private var generator = SystemRandomNumberGenerator()

    init(devices: Int) {
      names = (0..<devices).map { FleetDevice.ID("user/\($0)")! }
      positions = names.map { _ in
        (.random(in: 48.0...48.2), .random(in: 11.4...11.8))
      }
    }

    /// The next location of each device, with the precision of OwnTracks.
    mutating func step(_ index: Int) throws -> [FleetStorageChange] {
      try names.indices.map { device in
        func moved(_ value: Double, _ range: ClosedRange<Double>) -> Double {
          let next = value + .random(in: -1e-3...1e-3, using: &generator)
          return (min(max(next, range.lowerBound), range.upperBound) * 1e6).rounded() / 1e6
        }
        positions[device] = (
          moved(positions[device].latitude, 48.0...48.2),
          moved(positions[device].longitude, 11.4...11.8)
        )
        let location = try Location(
          latitude: positions[device].latitude, longitude: positions[device].longitude,
          timestamp: Date(timeIntervalSinceReferenceDate: start + Double(index) * interval),
          altitude: Double(Int.random(in: 500...520, using: &generator)),
          horizontalAccuracy: Double(Int.random(in: 3...12, using: &generator)),
          speed: Double(Int.random(in: 0...60, using: &generator)) / 3.6,
          course: Double(Int.random(in: 0..<360, using: &generator)))
        return .location(names[device], location, isLast: true)
      }
    }
  }
}

import AsyncLocation
import FoundationEssentials
import LocationFleet
import LocationStorage
import MQTTBackend
import PostgreSQLStorage

extension Command {
  static let history = Command(
    name: "history",
    summary: "Prints where a device was, or who was in an area, from fleet --storage.",
    words: " [USER/DEVICE] --storage FILE|URI",
    options: [
      .presentation,
      [
        .storage, .from, .until, .at, .trips, .conditions, .count, .places, .locale, .nominatim,
      ],
    ],
    meanings: [
      .storage: ("FILE|URI", "The file or the database that fleet --storage has written"),
      .count: ("NUMBER", "At most this many locations, devices or trips"),
    ],
    notes: """
      Times are ISO 8601 with a zone. A line for each location of the device, in the order of their times,
      with these columns, '-' where the value is unknown:
      \(Help.rows(LocationLine.columns.map { ($0.name, $0.meaning) }))
      With --conditions, a file as for fences, and without a device: a line for each device that has a
      location in an area:
      \(Help.rows(HistoryLine.visitColumns.map { ($0.name, $0.meaning) }))
      With --trips, instead of the locations of the device, a line for each of its trips:
      \(Help.rows((TripLine.columns + [TripLine.places]).map { ($0.name, $0.meaning) }))
      With --format json: one location, visit or trip per line. A file is not shared: end the fleet that
      writes it first; a database is. Status 1 when nothing was found.
      """,
    read: { arguments, words throws(UsageError) in
      try arguments.refuseWords(words, after: 1)
      arguments.historyDevice = words.first
    },
    check: { arguments, given throws(UsageError) in
      guard given.contains(.storage) else {
        throw UsageError("--storage is missing: --storage FILE|URI", command: arguments.command)
      }
      guard (arguments.historyDevice == nil) == given.contains(.conditions) else {
        throw UsageError(
          "history needs either USER/DEVICE or --conditions FILE", command: arguments.command)
      }
      if let word = arguments.historyDevice, FleetDevice.ID(word) == nil {
        throw UsageError(
          "a device is USER/DEVICE, such as jane/boat; got '\(Escaping.escape(word, limit: 60))'",
          command: arguments.command)
      }
      if let from = arguments.from, let until = arguments.until, from >= until {
        throw UsageError("--from must be before --until", command: arguments.command)
      }
      if given.isSuperset(of: [.trips, .conditions]) {
        throw UsageError("--trips and --conditions exclude each other", command: arguments.command)
      }
      try TripPrinter.check(arguments, given)
      guard given.contains(.at) else { return }
      if let other = [Option.from, .until, .conditions, .count, .trips].first(where: given.contains)
      {
        throw UsageError("--at and \(other.flag) exclude each other", command: arguments.command)
      }
    },
    run: { tool, arguments in
      try await HistoryCommand(
        arguments: arguments, context: tool.context,
        geocoder: arguments.places ? tool.geocoder(arguments) : nil
      ).run()
    })
}

/// The `history` command: reads the history that a fleet has stored.
struct HistoryCommand: Sendable {
  let arguments: Arguments
  let context: CommandContext
  /// Finds the places of trips; nil to print none.
  var geocoder: (any Geocoder)?

  /// Returns `failed` if nothing was found.
  func run() async throws -> ExitCode {
    let count: Int
    switch FleetStore(arguments.broker.storage) {
    case nil: return .failed  // Not possible: `check` requires the option.
    case .file(let path): count = try await read(path)
    case .database(let connection):
      do {
        count = try await show(PostgreSQLFleetStorage(connection).history())
      } catch let error as LocationError where error.code == .invalidValue {
        throw UsageError(error.message, command: .history)
      }
    }
    guard count == 0 else { return .done }
    await context.printMessage("nothing was found")
    return .failed
  }

  /// Prints from a file. Returns the number of printed lines.
  private func read(_ path: String) async throws -> Int {
    let isMissing = await runBlocking { !FileManager.default.fileExists(atPath: path) }
    guard !isMissing else {
      throw UsageError("--storage: \(Escaping.escape(path, limit: 200)): there is no such file")
    }
    var storage = SQLiteFleetStorage(file: path)
    storage.setsDamagedFilesAside = false
    let (session, stored) = try await storage.open()
    if let problem = stored.problem {
      await context.printMessage("the storage: " + Reason.text(problem))
    }
    let result: Result<Int, any Error>
    do {
      result = .success(try await show(FleetHistory(session)))
    } catch {
      result = .failure(error)
    }
    await session.close()
    return try result.get()
  }

  private var start: Date { arguments.from ?? .distantPast }
  private var end: Date { arguments.until ?? .distantFuture }

  /// Prints the locations of the device, or the visits to the areas. Returns the number of printed
  /// lines.
  private func show(_ history: FleetHistory) async throws -> Int {
    guard let device = arguments.historyDevice.flatMap(FleetDevice.ID.init) else {
      return try await showVisits(history)
    }
    if let instant = arguments.at {
      guard let location = try await history.location(of: device, at: instant) else { return 0 }
      try await write(location, of: device)
      return 1
    }
    guard !arguments.trips else { return try await showTrips(of: device, history) }
    var count = 0
    for try await location in history.track(of: device, from: start, to: end) {
      try await write(location, of: device)
      count += 1
      if count == arguments.count { break }
    }
    return count
  }

  private func showTrips(of device: FleetDevice.ID, _ history: FleetHistory) async throws -> Int {
    let trips = try await history.trips(of: device, from: start, to: end)
      .prefix(arguments.count ?? .max)
    try await TripPrinter(arguments: arguments, context: context, geocoder: geocoder).show(trips)
    return trips.count
  }

  private func showVisits(_ history: FleetHistory) async throws -> Int {
    // Expired areas are included, because devices may have been there earlier.
    let conditions = try await FenceFile.conditions(arguments, context) { .distantPast }
    var count = 0
    for (identifier, condition) in conditions.sorted(by: { $0.key < $1.key }) {
      for try await visit in history.devices(in: condition, from: start, to: end) {
        try await context.write(HistoryVisit(visit, identifier)) {
          HistoryLine.line(visit, identifier)
        }
        count += 1
        if count == arguments.count { return count }
      }
    }
    return count
  }

  private func write(_ location: Location, of device: FleetDevice.ID) async throws {
    try await context.write(HistoryLocation(device: device, location: location)) {
      LocationLine.line(location)
    }
  }
}

/// Lines of `history` for pipes.
enum HistoryLine {
  static let visitColumns: [(name: String, meaning: String)] = [
    ("first", "UTC, the first location in the area"),
    ("last", "UTC, the last location in the area; it may have been elsewhere between"),
    ("count", "the number of its locations in the area"),
    ("device", "USER/DEVICE"),
    ("identifier", "the area; last, because it may contain spaces"),
  ]

  static func line(_ visit: FleetVisit, _ identifier: String) -> String {
    [
      NumberText.time(visit.first.timestamp),
      NumberText.time(visit.last.timestamp),
      Columns.text("\(visit.count)", 6),
      FleetLine.device(visit.device),
      Escaping.escape(identifier, limit: 200),
    ].joined(separator: " ")
  }
}

/// A location as one line of JSON: the members of the location, and `device`.
private struct HistoryLocation: Encodable {
  let device: FleetDevice.ID
  let location: Location

  private enum CodingKeys: String, CodingKey { case device }

  func encode(to encoder: any Encoder) throws {
    try location.encode(to: encoder)
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(device, forKey: .device)
  }
}

/// A visit as one line of JSON.
private struct HistoryVisit: Encodable {
  let identifier: String
  let device: FleetDevice.ID
  let first, last: Location
  let count: Int

  init(_ visit: FleetVisit, _ identifier: String) {
    (self.identifier, device) = (identifier, visit.device)
    (first, last, count) = (visit.first, visit.last, visit.count)
  }
}

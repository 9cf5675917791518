import AsyncLocation
import FoundationEssentials

/// The content of a file of publications. One thread uses it at a time.
final class PublicationDatabase: StoredDatabase {
  let connection: Connection
  private(set) var backlog = PublicationBacklog()
  private(set) var lastNumber: UInt64 = 0
  private var accuracy: AccuracyAuthorization?
  /// When an append was last written to the disk.
  private var lastSynchronization: Date?

  private var add: Statement
  private var oldest: Statement
  private var read: Statement
  private var remove: Statement
  private var removeOldest: Statement
  private var setLastNumber: Statement
  private var setAccuracy: Statement
  private var freePages: Statement

  /// The numbers go on after a deletion. What the broker keeps of the deleted is not known until
  /// something follows.
  static func schema(after remainder: String) -> DatabaseSchema? {
    // A larger number is damage: later ones must fit into the column.
    let number = UInt64(remainder).flatMap { $0 < 1 << 62 ? $0 : nil }
    return .publications(after: number ?? 0, accuracy: .full)
  }

  /// An append that a full disk refused leaves the content before it, which can be changed further.
  static var isUsableAfterFullDisk: Bool { true }

  init(_ connection: Connection) throws(SQLiteFailure) {
    self.connection = connection
    // SQLite overwrites with zeros what it removes.
    try connection.execute("PRAGMA secure_delete = ON")
    let bytes = "length(CAST(topic AS BLOB)) + length(payload)"
    add = try connection.prepare("INSERT INTO publication VALUES (?, ?, ?, ?, ?, ?)")
    oldest = try connection.prepare(
      "SELECT number, date, \(bytes) FROM publication ORDER BY number")
    read = try connection.prepare(
      "SELECT * FROM publication WHERE number > ? ORDER BY number LIMIT ?")
    remove = try connection.prepare("DELETE FROM publication WHERE number = ? RETURNING \(bytes)")
    removeOldest = try connection.prepare("DELETE FROM publication WHERE number <= ?")
    setLastNumber = try connection.prepare("REPLACE INTO queue VALUES (1, ?, ?)")
    setAccuracy = try connection.prepare("REPLACE INTO told VALUES (1, ?, ?)")
    freePages = try connection.prepare("PRAGMA freelist_count")
  }

  // MARK: Reading

  /// Reads everything once, to check it, and keeps the sums only.
  func load() throws(SQLiteFailure) -> StoredPublications {
    var queue = try connection.prepare("SELECT last_number, checksum FROM queue WHERE id = 1")
    guard try queue.step() else { throw .corrupt("the last number is missing") }
    lastNumber = try queue.lastNumber()
    queue.reset()
    var told = try connection.prepare("SELECT accuracy, checksum FROM told WHERE id = 1")
    accuracy = try told.step() ? told.accuracy() : .full
    told.reset()
    backlog = PublicationBacklog()
    var last: UInt64 = 0
    var rows = try connection.prepare("SELECT * FROM publication ORDER BY number")
    while try rows.step() {
      let stored = try rows.storedPublication()
      guard stored.number > last else { throw .corrupt("the publications are not in order") }
      last = stored.number
      backlog.add(stored.publication.byteCount)
    }
    guard last <= lastNumber else { throw .corrupt("a publication has a number after the last") }
    return StoredPublications(backlog: backlog, lastNumber: lastNumber, accuracy: accuracy)
  }

  /// The oldest publications after a number, within limits.
  func publications(
    after number: UInt64, count: Int, bytes: Int
  ) throws(SQLiteFailure) -> [StoredPublication] {
    var (found, rest) = ([StoredPublication](), bytes)
    guard count > 0 else { return found }
    defer { read.reset() }
    try read.bind(Int64(clamping: number))
    try read.bind(Int64(count))
    while try read.step() {
      let stored = try read.storedPublication()
      rest -= stored.publication.byteCount
      guard rest >= 0 || found.isEmpty else { break }
      found.append(stored)
    }
    return found
  }

  // MARK: Changing

  /// Appends publications and drops the oldest ones, all or none.
  ///
  /// - Parameters:
  ///   - accuracy: The accuracy that was permitted; nil for what replaces all that was deleted.
  ///   - number: The first publication gets a later number than this, and than all before it.
  ///   - now: The date, which is never set back.
  func append(
    _ publications: [PendingPublication], accuracy: AccuracyAuthorization?, after number: UInt64,
    _ limits: PublicationLimits, now: Date
  ) throws(SQLiteFailure) -> PublicationChange {
    let accuracy = accuracy?.raised(to: self.accuracy)
    var pruning = PublicationPruning(
      backlog, limits: limits, newest: publications.map(\.date).max(), now: now)
    var last = max(lastNumber, number)
    let begin = last + 1
    try transaction(at: now) { () throws(SQLiteFailure) in
      for publication in publications {
        last += 1
        guard pruning.append(publication) else { continue }
        try add.bind(publication, number: last)
        try add.run()
      }
      try prune(&pruning)
      if accuracy != self.accuracy {
        try setAccuracy.bind(accuracy: accuracy)
        try setAccuracy.run()
      }
      guard last > lastNumber else { return }
      try setLastNumber.bind(lastNumber: last)
      try setLastNumber.run()
    }
    (backlog, lastNumber, self.accuracy) = (pruning.backlog, last, accuracy)
    return PublicationChange(
      numbers: begin..<last + 1, dropped: pruning.dropped, backlog: backlog)
  }

  private func prune(_ pruning: inout PublicationPruning) throws(SQLiteFailure) {
    var end: Int64?
    while try oldest.step() {
      let number = try oldest.integer()
      let date = Date(timeIntervalSinceReferenceDate: try oldest.double())
      guard pruning.drop(date: date, bytes: Int(try oldest.integer())) else { break }
      end = number
    }
    oldest.reset()
    guard let end else { return }
    try removeOldest.bind(end)
    try removeOldest.run()
  }

  /// Removes publications, all or none.
  func remove(_ numbers: [UInt64]) throws(SQLiteFailure) {
    var rest = backlog
    try connection.transaction(throughToDisk: false) { () throws(SQLiteFailure) in
      for number in numbers {
        try remove.bind(Int64(clamping: number))
        while try remove.step() { rest.remove(Int(try remove.integer())) }
      }
    }
    backlog = rest
    // Without the space that it needs, the file stays as it is.
    if backlog.count == 0, !numbers.isEmpty { try? shrink() }
  }

  /// Runs an append. It is written to the disk, with those before it, at most once a second: a
  /// loss of power loses little, and a fast receiver does not wear the disk.
  private func transaction(
    at now: Date, _ body: () throws(SQLiteFailure) -> Void
  ) throws(SQLiteFailure) {
    let isDue = lastSynchronization.map { now.timeIntervalSince($0) >= 1 } ?? true
    try connection.transaction(throughToDisk: isDue, body)
    if isDue { lastSynchronization = now }
  }

  /// Returns the space of a long time without a broker to the disk. Costs little, as nothing waits.
  private func shrink() throws(SQLiteFailure) {
    guard try freePages.step() else { return }
    let count = try freePages.integer()
    freePages.reset()
    if count > Self.keptPages { try connection.execute("VACUUM") }
  }

  /// The largest number of free pages in the file of a queue where nothing waits: 4 MiB.
  private static var keptPages: Int64 { 1_024 }
}

import AsyncLocation
import FoundationEssentials
import LocationPublishing

/// The content of a publication file. One thread uses it at a time.
final class PublicationDatabase: StoredDatabase {
  let connection: Connection
  private(set) var backlog = PublicationBacklog()
  /// The part of the backlog that removes retained messages from the broker.
  private var removals = PublicationBacklog()
  private(set) var lastNumber: UInt64 = 0
  private var accuracy: AccuracyAuthorization?
  /// The topics of retained messages that the file records.
  private var retainedTopics: Set<ExactText> = []
  private let pageSize: Int64
  /// When an append was last synchronized to the disk.
  private var lastSynchronization: Date?

  private var add: Statement
  private var oldest: Statement
  private var read: Statement
  private var remove: Statement
  private var removeOldest: Statement
  private var setLastNumber: Statement
  private var setAccuracy: Statement
  private var addTopic: Statement
  private var removeTopics: Statement
  private var pages: Statement
  private var freePages: Statement

  /// In the new file, the numbers continue, and the first publications are the removals that are
  /// part of the deletion. Until the publications after the deletion are appended, full accuracy is
  /// assumed for content that the broker may still retain.
  static func schema(after remainder: String) -> DatabaseSchema? {
    let remainder = PublicationRemainder(remainder)
    return .publications(
      after: remainder.lastNumber, accuracy: .full, retainedTopics: remainder.retainedTopics,
      removals: remainder.removals)
  }

  /// True: an append that fails on a full disk is rolled back, and later changes are possible.
  static var isUsableAfterFullDisk: Bool { true }

  init(_ connection: Connection) throws(SQLiteFailure) {
    self.connection = connection
    // Makes SQLite overwrite removed data with zeros.
    try connection.execute("PRAGMA secure_delete = ON")
    try connection.setGrowth(8_192)
    try Self.prepareReturningPages(of: connection)
    let bytes = "length(CAST(topic AS BLOB)) + length(payload)"
    add = try connection.prepare("INSERT INTO publication VALUES (?, ?, ?, ?, ?, ?)")
    // Removals, which are retained and have an empty payload, are never dropped.
    let isRemoval = "(retained = 1 AND length(payload) = 0)"
    oldest = try connection.prepare(
      "SELECT number, date, \(bytes) FROM publication WHERE NOT \(isRemoval) ORDER BY number")
    read = try connection.prepare(
      "SELECT * FROM publication WHERE number > ? ORDER BY number LIMIT ?")
    remove = try connection.prepare(
      "DELETE FROM publication WHERE number = ? RETURNING \(bytes), \(isRemoval)")
    removeOldest = try connection.prepare(
      "DELETE FROM publication WHERE number <= ? AND NOT \(isRemoval)")
    setLastNumber = try connection.prepare("REPLACE INTO queue VALUES (1, ?, ?)")
    setAccuracy = try connection.prepare("REPLACE INTO told VALUES (1, ?, ?)")
    addTopic = try connection.prepare("INSERT INTO retained VALUES (?, ?)")
    removeTopics = try connection.prepare("DELETE FROM retained")
    var size = try connection.prepare("PRAGMA page_size")
    pageSize = try Self.value(of: &size)
    pages = try connection.prepare("PRAGMA page_count")
    freePages = try connection.prepare("PRAGMA freelist_count")
  }

  /// Rewrites a file of an earlier version, which could not return pages otherwise.
  private static func prepareReturningPages(of connection: Connection) throws(SQLiteFailure) {
    var mode = try connection.prepare("PRAGMA auto_vacuum")
    guard try value(of: &mode) == 0 else { return }
    // On a full disk, the file stays as it is until the next open.
    try? connection.execute("PRAGMA auto_vacuum = INCREMENTAL; VACUUM")
  }

  // MARK: Reading

  /// Reads everything once to check it, and retains only totals and topics.
  func load() throws(SQLiteFailure) -> StoredPublications {
    var queue = try connection.prepare("SELECT last_number, checksum FROM queue WHERE id = 1")
    guard try queue.step() else { throw .corrupt("the last number is missing") }
    let storedNumber = try queue.lastNumber()
    queue.reset()
    var accuracyRow = try connection.prepare("SELECT accuracy, checksum FROM told WHERE id = 1")
    accuracy = try accuracyRow.step() ? accuracyRow.accuracy() : .full
    accuracyRow.reset()
    var retained = try connection.prepare("SELECT topic, checksum FROM retained")
    while try retained.step() { retainedTopics.insert(try retained.retainedTopic()) }
    (backlog, removals) = (PublicationBacklog(), PublicationBacklog())
    var topics = retainedTopics
    var last: UInt64 = 0
    var rows = try connection.prepare("SELECT * FROM publication ORDER BY number")
    while try rows.step() {
      let row = try rows.storedPublication()
      guard row.number > last else { throw .corrupt("the publications are not in order") }
      last = row.number
      backlog.add(row.publication.byteCount)
      guard row.publication.isRemoval else { continue }
      removals.add(row.publication.byteCount)
      topics.insert(ExactText(row.publication.topic))
    }
    // The stored number may lag behind the last row.
    lastNumber = max(storedNumber, last)
    return StoredPublications(
      backlog: backlog, lastNumber: lastNumber, accuracy: accuracy,
      retainedTopics: topics.sorted().map(\.text))
  }

  /// The oldest publications after a number, within limits. The first one is returned even if it
  /// has more than `bytes`.
  func publications(
    after number: UInt64, count: Int, bytes: Int
  ) throws(SQLiteFailure) -> [StoredPublication] {
    var (found, remainingBytes) = ([StoredPublication](), bytes)
    guard count > 0 else { return found }
    defer { read.reset() }
    try read.bind(Int64(clamping: number))
    try read.bind(Int64(count))
    while try read.step() {
      let stored = try read.storedPublication()
      remainingBytes -= stored.publication.byteCount
      guard remainingBytes >= 0 || found.isEmpty else { break }
      found.append(stored)
    }
    return found
  }

  // MARK: Changing

  /// Appends publications and drops the oldest ones beyond the limits, all or none.
  ///
  /// - Parameters:
  ///   - accuracy: The accuracy that was permitted; nil for the publications that follow a
  ///     deletion.
  ///   - number: The first publication gets a number above this one and above all earlier ones.
  ///   - now: The current date, which must not be before that of an earlier call.
  func append(
    _ publications: [PendingPublication], accuracy: AccuracyAuthorization?, after number: UInt64,
    _ limits: PublicationLimits, now: Date
  ) throws(SQLiteFailure) -> PublicationChange {
    let accuracy = accuracy?.raised(to: self.accuracy)
    var pruning = PublicationPruning(
      backlog, removals: removals, limits: limits, newest: publications.map(\.date).max(), now: now)
    var last = max(lastNumber, number)
    let begin = last + 1
    // The topics after a deletion replace the recorded ones.
    let remainingTopics = accuracy == nil ? [] : retainedTopics
    let newTopics = Set(publications.lazy.compactMap(\.retainedTopic)).subtracting(remainingTopics)
    let size = try size(with: publications)
    try connection.reserving(size) { () throws(SQLiteFailure) in
      try transaction(at: now) { () throws(SQLiteFailure) in
        // The last number that the file contains, in the table `queue` or in a row.
        var storedNumber = lastNumber
        for publication in publications {
          last += 1
          guard pruning.append(publication) else { continue }
          try add.bind(publication, number: last)
          try add.run()
          storedNumber = last
        }
        // If the newest publication was dropped again, no row contains the last number.
        if try prune(&pruning) >= last { storedNumber = 0 }
        if remainingTopics != retainedTopics { try removeTopics.run() }
        for topic in newTopics {
          try addTopic.bind(retainedTopic: topic)
          try addTopic.run()
        }
        if accuracy != self.accuracy {
          try setAccuracy.bind(accuracy: accuracy)
          try setAccuracy.run()
        }
        if storedNumber != last { try store(lastNumber: last) }
      }
    }
    (backlog, removals) = (pruning.backlog, pruning.removals)
    (lastNumber, self.accuracy) = (last, accuracy)
    retainedTopics = remainingTopics.union(newTopics)
    if pruning.dropped.total > 0 { try? returnPages() }
    return PublicationChange(
      numbers: begin..<last + 1, dropped: pruning.dropped, backlog: backlog)
  }

  /// Drops the oldest publications beyond the limits, but no removals of retained messages. Returns
  /// the number of the last dropped publication; 0 if none was dropped.
  private func prune(_ pruning: inout PublicationPruning) throws(SQLiteFailure) -> UInt64 {
    var end: Int64 = 0
    while try oldest.step() {
      let number = try oldest.integer()
      let date = Date(timeIntervalSinceReferenceDate: try oldest.double())
      guard pruning.drop(date: date, bytes: Int(try oldest.integer())) else { break }
      end = number
    }
    oldest.reset()
    guard end > 0 else { return 0 }
    try removeOldest.bind(end)
    try removeOldest.run()
    return UInt64(end)
  }

  /// Stores the last number, which no row contains.
  private func store(lastNumber: UInt64) throws(SQLiteFailure) {
    try setLastNumber.bind(lastNumber: lastNumber)
    try setLastNumber.run()
  }

  /// An upper bound of the size of the file after an append. The space is reserved before the log
  /// is written, so that waiting publications can be removed however full the disk is.
  private func size(with publications: [PendingPublication]) throws(SQLiteFailure) -> Int64 {
    let needed = publications.isEmpty ? 0 : Self.pages(for: publications, of: Int(pageSize))
    let newPages = max(0, Int64(needed) - (try Self.value(of: &freePages)))
    return (try Self.value(of: &pages) + newPages) * pageSize
  }

  /// An upper bound of the number of pages that publications need; see SQLite's file format,
  /// sections 1.6 to 1.8.
  private static func pages(for publications: [PendingPublication], of pageSize: Int) -> Int {
    // The space of a page after its header, and the bytes of a row besides its topic and payload.
    let (space, overhead) = (pageSize - 12, 48)
    var (leaves, overflows, free) = (0, 0, 0)
    for publication in publications {
      var cell = publication.byteCount + overhead
      if cell > pageSize - 35 {
        // A long row continues on overflow pages of its own.
        overflows += cell / (pageSize - 4) + 1
        cell = space
      }
      if cell > free { (leaves, free) = (leaves + 1, space) }
      free -= cell
    }
    // Adds interior pages, the pages of other tables, and pages for splits.
    return leaves + overflows + leaves / 24 + (leaves + overflows) / 64 + 8
  }

  /// Removes publications, all or none. On a full disk, some may have been removed when it throws.
  func remove(_ numbers: [UInt64]) throws(SQLiteFailure) {
    do throws(SQLiteFailure) {
      try removeAtOnce(numbers)
    } catch {
      guard error.isFullDisk else { throw error }
      try removeInTheLog(numbers[...])
    }
    // A failure is ignored: without the space that this needs, the file retains its free pages.
    try? returnPages()
  }

  /// Removes publications within the existing space of the log, in several transactions if
  /// necessary. If one of them fails, the others are still attempted.
  private func removeInTheLog(_ numbers: ArraySlice<UInt64>) throws(SQLiteFailure) {
    try connection.mergeLog()
    do throws(SQLiteFailure) {
      try removeAtOnce(Array(numbers))
    } catch {
      guard error.isFullDisk, numbers.count > 1 else { throw error }
      let middle = numbers.startIndex + numbers.count / 2
      let first = Result { () throws(SQLiteFailure) in try removeInTheLog(numbers[..<middle]) }
      try removeInTheLog(numbers[middle...])
      try first.get()
    }
  }

  private func removeAtOnce(_ numbers: [UInt64]) throws(SQLiteFailure) {
    var (backlog, removals) = (backlog, removals)
    try connection.transaction(throughToDisk: false) { () throws(SQLiteFailure) in
      for number in numbers {
        try remove.bind(Int64(clamping: number))
        while try remove.step() {
          let bytes = Int(try remove.integer())
          backlog.remove(bytes)
          if try remove.integer() != 0 { removals.remove(bytes) }
        }
      }
      if numbers.contains(lastNumber) { try store(lastNumber: lastNumber) }
    }
    (self.backlog, self.removals) = (backlog, removals)
  }

  /// Runs an append in a transaction. At most once a second, the transaction is synchronized to the
  /// disk, with the appends before it: a loss of power loses little, and a fast receiver does not
  /// wear out the disk.
  private func transaction(
    at now: Date, _ body: () throws(SQLiteFailure) -> Void
  ) throws(SQLiteFailure) {
    let isDue = lastSynchronization.map { now.timeIntervalSince($0) >= 1 } ?? true
    try connection.transaction(throughToDisk: isDue, body)
    if isDue { lastSynchronization = now }
  }

  /// Returns free pages to the file system after the queue has become shorter. Each page moves at
  /// most one other page.
  private func returnPages() throws(SQLiteFailure) {
    let count = try Self.value(of: &freePages)
    guard count > Self.keptPages.upperBound else { return }
    try connection.execute("PRAGMA incremental_vacuum(\(count - Self.keptPages.lowerBound))")
  }

  private static func value(of pragma: inout Statement) throws(SQLiteFailure) -> Int64 {
    defer { pragma.reset() }
    return try pragma.step() ? pragma.integer() : 0
  }

  /// The number of free pages that a file retains for the next appends, at most 16 KiB. Above the
  /// upper bound, free pages are returned until the lower bound remains.
  private static var keptPages: ClosedRange<Int64> { 16...32 }
}

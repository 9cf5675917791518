package import AsyncLocation
package import FoundationEssentials

/// The pending publications of a storage, in memory. The reference for the semantics of each call
/// of a session.
package struct PublicationQueue: Sendable {
  /// The entries, in the order of their numbers. The publication of a removed entry is nil. At most
  /// about half of the entries are removed ones.
  private var entries: [Entry] = []
  /// All entries before this index were removed.
  private var firstPending = 0
  /// All entries before this index were removed, or are never dropped.
  private var firstDroppable = 0
  package private(set) var backlog = PublicationBacklog()
  /// The removals of retained messages in the backlog.
  private var removals = PublicationBacklog()
  package private(set) var lastNumber: UInt64 = 0
  /// The highest permitted accuracy since everything was last removed.
  package private(set) var accuracy: AccuracyAuthorization?
  /// The topics of the retained messages that were appended since everything was last removed.
  private var keptTopics: Set<ExactText> = []

  private struct Entry: Sendable {
    let number: UInt64
    var publication: PendingPublication?
  }

  package init() {}

  /// The topics on which the broker may retain a message.
  package var retainedTopics: [String] {
    let pendingRemovals = entries.lazy.compactMap(\.publication).filter(\.isRemoval)
    return keptTopics.union(pendingRemovals.map { ExactText($0.topic) }).sorted().map(\.text)
  }

  /// Appends publications and drops the oldest ones.
  ///
  /// - Parameters:
  ///   - accuracy: The accuracy that was permitted; nil after ``removeAll()``, for publications
  ///     that need no permission.
  ///   - now: The system's date.
  package mutating func append(
    _ publications: [PendingPublication], accuracy: AccuracyAuthorization?,
    _ limits: PublicationLimits, now: Date
  ) -> PublicationChange {
    self.accuracy = accuracy?.raised(to: self.accuracy)
    keptTopics.formUnion(publications.lazy.compactMap(\.retainedTopic))
    var pruning = PublicationPruning(
      backlog, removals: removals, limits: limits, newest: publications.map(\.date).max(), now: now)
    let firstNumber = lastNumber + 1
    for publication in publications {
      lastNumber += 1
      guard pruning.append(publication) else { continue }
      entries.append(Entry(number: lastNumber, publication: publication))
    }
    while firstDroppable < entries.count {
      if let publication = entries[firstDroppable].publication, !publication.isRemoval {
        guard pruning.drop(date: publication.date, bytes: publication.byteCount) else { break }
        entries[firstDroppable].publication = nil
      }
      firstDroppable += 1
    }
    (backlog, removals) = (pruning.backlog, pruning.removals)
    compact()
    return PublicationChange(
      numbers: firstNumber..<lastNumber + 1, dropped: pruning.dropped, backlog: backlog)
  }

  /// Returns the oldest publications after a number: at most `count`, and in total at most `bytes`
  /// bytes. The first one is returned even if it is larger.
  package func publications(after number: UInt64, count: Int, bytes: Int) -> [StoredPublication] {
    var (found, remainingBytes) = ([StoredPublication](), bytes)
    for entry in entries[max(firstPending, index(after: number))...] {
      guard let publication = entry.publication else { continue }
      remainingBytes -= publication.byteCount
      guard found.count < count, remainingBytes >= 0 || found.isEmpty else { break }
      found.append(StoredPublication(number: entry.number, publication))
    }
    return found
  }

  package mutating func remove(_ numbers: [UInt64]) {
    for number in numbers where number > 0 {
      let index = index(after: number - 1)
      guard index < entries.count, entries[index].number == number,
        let removed = entries[index].publication
      else { continue }
      backlog.remove(removed.byteCount)
      if removed.isRemoval { removals.remove(removed.byteCount) }
      entries[index].publication = nil
    }
    compact()
  }

  /// Removes everything. Later publications get later numbers.
  package mutating func removeAll() {
    (entries, firstPending, firstDroppable) = ([], 0, 0)
    (backlog, removals) = (PublicationBacklog(), PublicationBacklog())
    (accuracy, keptTopics) = (nil, [])
  }

  /// Returns the index of the first entry after a number, by bisection.
  private func index(after number: UInt64) -> Int {
    var range = 0..<entries.count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range =
        entries[middle].number > number
        ? range.lowerBound..<middle : middle + 1..<range.upperBound
    }
    return range.lowerBound
  }

  /// Deletes the removed entries once they are the majority, so that the deletion takes constant
  /// time per entry on average.
  private mutating func compact() {
    while firstPending < entries.count, entries[firstPending].publication == nil {
      firstPending += 1
    }
    guard entries.count > 2 * backlog.count + 16 else { return }
    entries.removeAll { $0.publication == nil }
    (firstPending, firstDroppable) = (0, 0)
  }
}

extension AccuracyAuthorization {
  /// Returns the higher of this accuracy and that of earlier content, if any.
  package func raised(to earlier: Self?) -> Self { earlier == .full ? .full : self }
}

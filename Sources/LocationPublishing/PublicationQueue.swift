package import AsyncLocation
package import FoundationEssentials

/// The pending publications of a storage, in memory. Defines the semantics of each call of a
/// session.
package struct PublicationQueue: Sendable {
  /// The entries, in the order of their numbers. The publication of a removed entry is nil. At most
  /// about half of the entries are removed ones.
  private var entries: [Entry] = []
  /// All entries before this index were removed.
  private var first = 0
  /// All entries before this index were removed, or are never dropped.
  private var oldest = 0
  package private(set) var backlog = PublicationBacklog()
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
    let removals = entries.lazy.compactMap(\.publication).filter(\.isRemoval)
    return keptTopics.union(removals.map { ExactText($0.topic) }).sorted().map(\.text)
  }

  /// Appends publications and drops the oldest ones.
  ///
  /// - Parameters:
  ///   - accuracy: The accuracy that was permitted; nil for the publications that replace
  ///     everything removed.
  ///   - now: The system's date.
  package mutating func append(
    _ publications: [PendingPublication], accuracy: AccuracyAuthorization?,
    _ limits: PublicationLimits, now: Date
  ) -> PublicationChange {
    self.accuracy = accuracy?.raised(to: self.accuracy)
    keptTopics.formUnion(publications.lazy.compactMap(\.retainedTopic))
    var pruning = PublicationPruning(
      backlog, removals: removals, limits: limits, newest: publications.map(\.date).max(), now: now)
    let begin = lastNumber + 1
    for publication in publications {
      lastNumber += 1
      guard pruning.append(publication) else { continue }
      entries.append(Entry(number: lastNumber, publication: publication))
    }
    while oldest < entries.count {
      if let publication = entries[oldest].publication, !publication.isRemoval {
        guard pruning.drop(date: publication.date, bytes: publication.byteCount) else { break }
        entries[oldest].publication = nil
      }
      oldest += 1
    }
    (backlog, removals) = (pruning.backlog, pruning.removals)
    compact()
    return PublicationChange(
      numbers: begin..<lastNumber + 1, dropped: pruning.dropped, backlog: backlog)
  }

  /// The oldest publications after a number, within limits.
  package func publications(after number: UInt64, count: Int, bytes: Int) -> [StoredPublication] {
    var (found, rest) = ([StoredPublication](), bytes)
    for entry in entries[max(first, index(after: number))...] {
      guard let publication = entry.publication else { continue }
      rest -= publication.byteCount
      guard found.count < count, rest >= 0 || found.isEmpty else { break }
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
    (entries, first, oldest) = ([], 0, 0)
    (backlog, removals) = (PublicationBacklog(), PublicationBacklog())
    (accuracy, keptTopics) = (nil, [])
  }

  /// The index of the first entry after a number.
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

  /// Deletes removed entries once they are the majority, so that each costs amortized constant
  /// time.
  private mutating func compact() {
    while first < entries.count, entries[first].publication == nil { first += 1 }
    guard entries.count > 2 * backlog.count + 16 else { return }
    entries.removeAll { $0.publication == nil }
    (first, oldest) = (0, 0)
  }
}

extension AccuracyAuthorization {
  /// The higher of this accuracy and that of earlier content, if any.
  package func raised(to earlier: Self?) -> Self { earlier == .full ? .full : self }
}

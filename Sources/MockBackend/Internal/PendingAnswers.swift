/// Requests that a test answers later, oldest first.
struct PendingAnswers<Subject: Sendable, Answer: Sendable>: Sendable {
  struct Entry: Sendable {
    fileprivate let id: Int
    fileprivate let subject: Subject?
    let promise = Promise<Answer>()
  }

  private var entries: [Entry] = []
  private var lastID = 0

  var subjects: [Subject] { entries.compactMap(\.subject) }

  /// Adds a request that waits for its answer.
  mutating func open(_ subject: Subject) -> Entry {
    lastID += 1
    let entry = Entry(id: lastID, subject: subject)
    entries.append(entry)
    return entry
  }

  /// Returns a request that is already answered.
  func answered(_ answer: Answer) -> Entry {
    let entry = Entry(id: 0, subject: nil)
    entry.promise.fulfill(answer)
    return entry
  }

  /// Removes a request that was cancelled.
  mutating func drop(_ entry: Entry) { entries.removeAll { $0.id == entry.id } }

  /// Removes the oldest request that satisfies a condition and returns its promise; nil if there is
  /// none.
  mutating func take(where isWanted: (Subject) -> Bool) -> Promise<Answer>? {
    entries.firstIndex { $0.subject.map(isWanted) ?? false }
      .map { entries.remove(at: $0).promise }
  }
}

package import FoundationEssentials

/// An open storage of a cache's answers. It is used by one caller at a time.
package protocol GeocodingSession: Sendable {
  /// Stores changes, all or none. After a failure, the cache closes the session.
  func commit(_ changes: [GeocodingChange]) async throws(LocationError)

  /// Ends the session and releases its files.
  func close() async
}

/// The content of a storage when it is opened.
package struct StoredAnswers: Sendable, Equatable {
  package var answers: [StoredAnswer]
  /// The problem of a storage that is usable nevertheless; nil if there is none.
  package var problem: LocationError?

  package init(answers: [StoredAnswer] = [], problem: LocationError? = nil) {
    (self.answers, self.problem) = (answers, problem)
  }
}

/// An answer that outlives the process.
package struct StoredAnswer: Sendable, Equatable {
  /// Unique in the storage.
  package let id: UInt64
  package let query: GeocodingQuery
  package let answer: Result<[Placemark], LocationError>
  /// The time of the answer, by the system's clock.
  package let date: Date

  package init(
    id: UInt64, query: GeocodingQuery, answer: Result<[Placemark], LocationError>, date: Date
  ) {
    (self.id, self.query, self.answer, self.date) = (id, query, answer, date)
  }
}

/// A change of a storage of answers.
package enum GeocodingChange: Sendable, Equatable {
  case store(StoredAnswer)
  /// The answer with this ID is no longer needed. The storage may not have it.
  case remove(UInt64)
}

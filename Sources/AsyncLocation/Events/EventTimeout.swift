/// A timeout of the event feed.
struct EventTimeout: Hashable, Sendable {
  enum Subject: Hashable, Sendable, CaseIterable {
    /// Deferred locations are delivered.
    case deferral
    /// A requested location has not arrived.
    case request
  }

  let subject: Subject
  /// The number of the deferral or the request.
  let number: UInt64
  let duration: Duration
}

/// A timeout of the event feed.
struct EventTimeout: Hashable, Sendable {
  enum Subject: Hashable, Sendable, CaseIterable {
    /// The end of a deferral: held locations are delivered.
    case deferral
    /// The deadline of a requested location.
    case request
  }

  let subject: Subject
  /// The number of the deferral or the request.
  let number: UInt64
  let duration: Duration
}

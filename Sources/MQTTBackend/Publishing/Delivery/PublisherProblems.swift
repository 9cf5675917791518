import AsyncLocation

/// The last problem of each operation, so that the success of one does not hide the failure of
/// another: for example, a broker acknowledges publications that were stored before the disk was
/// full.
struct PublisherProblems: Sendable {
  /// The operations that can fail, the most important first.
  enum Operation: CaseIterable, Sendable {
    case storing, removing, reading, publishing
    /// The retention of pending publications. Its failure remains until the next run, since the
    /// publications are lost.
    case keeping
  }

  private var errors: [Operation: LocationError] = [:]

  /// The current problem of an operation; nil if it has none.
  subscript(operation: Operation) -> LocationError? {
    get { errors[operation] }
    set { if newValue != nil || !errors.isEmpty { errors[operation] = newValue } }
  }

  /// The most important problem; nil if there is none.
  var current: LocationError? {
    errors.isEmpty ? nil : Operation.allCases.lazy.compactMap { errors[$0] }.first
  }
}

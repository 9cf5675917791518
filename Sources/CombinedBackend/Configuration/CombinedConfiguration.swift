import AsyncLocation

/// The times and limits by which a source is selected.
public struct CombinedConfiguration: Sendable, Hashable {
  /// When sources run.
  @nonexhaustive
  public enum Activation: String, Sendable, Hashable, CaseIterable {
    /// The most preferred source runs; the next one is started when those before it have had no
    /// acceptable fix for ``CombinedConfiguration/fixTimeout``, and is stopped when a more preferred one has
    /// taken over again. Saves energy; a source needs its time to the first fix when it is started.
    case whenNeeded
    /// All sources run. The next one takes over without a delay of its own.
    case always
  }

  /// When sources run.
  public var activation: Activation
  /// How long the source in force may be without an acceptable fix before a less preferred one
  /// takes over; three times its own interval between fixes if that is longer. From 100 ms to an
  /// hour.
  public var fixTimeout: Duration
  /// How long a more preferred source must have had acceptable fixes without interruption before
  /// it takes over again. Up to a day.
  public var returnDelay: Duration
  /// Metres. A less accurate fix is not acceptable: it counts only while no source has an
  /// acceptable one. A fix of unknown accuracy is acceptable.
  public var acceptableAccuracy: Double

  /// Creates a configuration. It is validated when a backend is created.
  public init(
    activation: Activation = .whenNeeded, fixTimeout: Duration = .seconds(10),
    returnDelay: Duration = .seconds(30), acceptableAccuracy: Double = 100
  ) {
    self.activation = activation
    self.fixTimeout = fixTimeout
    self.returnDelay = returnDelay
    self.acceptableAccuracy = acceptableAccuracy
  }

  func validate() throws(LocationError) {
    guard (.milliseconds(100) ... .seconds(3_600)).contains(fixTimeout) else {
      throw LocationError(
        .invalidValue, "fixTimeout must be from 100 ms to an hour, got \(fixTimeout).")
    }
    guard (.zero ... .seconds(86_400)).contains(returnDelay) else {
      throw LocationError(
        .invalidValue, "returnDelay must be from 0 s to a day, got \(returnDelay).")
    }
    guard acceptableAccuracy > 0 else {
      throw LocationError(
        .invalidValue, "acceptableAccuracy must be above 0 m, got \(acceptableAccuracy).")
    }
  }
}

/// A suspicion with hysteresis: it is raised after enough evidence, and lowered after enough
/// evidence of the contrary. Times are seconds on a monotonic clock.
struct Suspicion: Sendable {
  /// The amount of evidence.
  struct Limits: Sendable {
    /// The number of consecutive observations, and the seconds between the first and the last, after
    /// which the suspicion is raised.
    let count: Int
    let seconds: Double
    /// The seconds without evidence after which it is lowered.
    let recovery: Double
  }

  private let limits: Limits
  private(set) var isRaised = false
  private var evidenceStart: Double?
  private var count = 0
  private var lastEvidence = 0.0

  init(_ limits: Limits) { self.limits = limits }

  /// Handles an observation.
  mutating func observe(_ isEvidence: Bool, at time: Double) {
    guard isEvidence else {
      (evidenceStart, count) = (nil, 0)
      if isRaised, time - lastEvidence >= limits.recovery { isRaised = false }
      return
    }
    let start = evidenceStart ?? time
    (evidenceStart, lastEvidence) = (start, time)
    count += 1
    if count >= limits.count, time - start >= limits.seconds { isRaised = true }
  }

  /// Discards all evidence.
  mutating func reset() { self = Self(limits) }
}

/// What a manager's users ask of its backend, all of them together.
///
/// A demand is a hint: a backend may deliver more and the manager sorts it out.
public struct BackendDemand: Sendable, Hashable {
  /// The kinds of report that somebody reads.
  public var kinds: BackendCapabilities
  /// The strictest accuracy that somebody wants.
  public var desiredAccuracy: DesiredAccuracy
  /// The shortest time between locations that somebody wants; zero for every one.
  public var minimumInterval: Duration
  /// The receivers that are wanted; nil for all, since besides those who name one somebody takes
  /// what ``SourceInformation/isPreferred`` marks.
  public var devices: Set<String>?

  /// Creates a demand.
  public init(
    kinds: BackendCapabilities, desiredAccuracy: DesiredAccuracy = .best,
    minimumInterval: Duration = .zero, devices: Set<String>? = nil
  ) {
    self.kinds = kinds
    self.desiredAccuracy = desiredAccuracy
    self.minimumInterval = minimumInterval
    self.devices = devices
  }

  /// The demand that serves both.
  func merged(with other: Self) -> Self {
    Self(
      kinds: kinds.union(other.kinds),
      desiredAccuracy: desiredAccuracy.stricter(other.desiredAccuracy),
      minimumInterval: min(minimumInterval, other.minimumInterval),
      devices: devices.flatMap { mine in other.devices.map(mine.union) })
  }
}

/// The secret that determines the grid of reduced accuracy.
///
/// Different keys give different grids, and locations of one receiver on two grids reveal more than
/// locations on one grid. Use one key per computer, permanently. Its bytes are never printed.
///
/// All managers of a process whose policies have the same key share one reduced track of each
/// receiver, so a new manager does not report another reduced location. A key of
/// `ReducedAccuracyKey.stored(at:)`, in the library `AuthorizationPolicyFile`, also continues the
/// tracks of earlier processes.
public struct ReducedAccuracyKey: Sendable, Hashable {
  /// The size of a key in bytes.
  package static let count = 32

  /// The secret bytes, which are never printed.
  package let bytes: [UInt8]
  /// A notice for the operator about loading the key, such as that a damaged file was set aside and
  /// a new key was created; otherwise nil. It is not part of the key and is ignored by `==`.
  public private(set) var notice: String?
  /// Tracks that no other key shares; nil to use the tracks that equal keys of the process share.
  private var ownTracks: ReducedTracks?

  /// Creates a key from 32 unpredictable bytes.
  ///
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` for another number of
  ///   bytes.
  public init(bytes: [UInt8]) throws(LocationError) {
    guard bytes.count == Self.count else {
      throw LocationError(
        .invalidValue,
        "A key of reduced accuracy has \(Self.count) random bytes; got \(bytes.count).")
    }
    self.bytes = bytes
  }

  /// Creates a random key.
  package init(using generator: inout some RandomNumberGenerator) {
    bytes = (0..<Self.count).map { _ in .random(in: .min ... .max, using: &generator) }
  }

  package func with(notice: String?) -> Self {
    var key = self
    key.notice = notice
    return key
  }

  // MARK: Tracks

  var tracks: ReducedTracks { ownTracks ?? .shared(for: self) }

  /// A key whose reduced tracks are its own. For tests, so that one does not influence another.
  package func withOwnTracks() -> Self {
    var key = self
    key.ownTracks = ReducedTracks(key: self)
    return key
  }

  /// The key with its tracks, which are stored from now on.
  package func storingTracks(in storage: any ReducedTrackStorage) -> Self {
    var key = self
    key.ownTracks = tracks
    key.ownTracks?.store(in: storage)
    return key
  }

  public static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }
  public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

  /// The hash keyed with one half of the key. The two halves give independent values.
  func hash(half: Int) -> SipHash {
    func word(_ index: Int) -> UInt64 {
      bytes[index * 8..<index * 8 + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    return SipHash(low: word(half * 2), high: word(half * 2 + 1))
  }
}

extension ReducedAccuracyKey: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  public var description: String { "ReducedAccuracyKey(secret)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

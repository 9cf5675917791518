/// The secret that lays the grid of reduced accuracy.
///
/// Two keys give two grids, and who sees a traveller on both learns more than either tells: one
/// computer keeps one key, for good. Nothing prints its bytes.
public struct ReducedAccuracyKey: Sendable, Hashable {
  /// How many bytes a key has.
  static let count = 32

  /// Secret.
  let bytes: [UInt8]
  /// What an operator should know of how the key was read, such as that a damaged file was set aside
  /// and a new key made; nil in the ordinary case. It is no part of the key.
  public private(set) var notice: String?

  /// Takes a key from 32 bytes that nobody can guess.
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

  /// Draws a key.
  init(using generator: inout some RandomNumberGenerator) {
    bytes = (0..<Self.count).map { _ in .random(in: .min ... .max, using: &generator) }
  }

  func with(notice: String?) -> Self {
    var key = self
    key.notice = notice
    return key
  }

  public static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }
  public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

  /// The hash of one half of the key: what the halves decide is independent.
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

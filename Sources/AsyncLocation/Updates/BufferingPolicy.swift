/// The number of elements buffered for a subscriber that is slower than the receiver.
///
/// The newest are kept: when the buffer is full, the oldest is evicted and counted in
/// ``LocationManager/Statistics/elementsDropped``.
public struct BufferingPolicy: Sendable, Hashable {
  /// The maximum number of buffered elements.
  public let limit: Int

  /// Buffers the newest elements, at least one.
  public static func newest(_ limit: Int) -> Self { Self(limit: max(1, limit)) }
}

/// How many elements wait for a subscriber that is slower than the receiver.
///
/// The newest are kept: when the buffer is full, the oldest makes room and is counted in
/// ``LocationManager/Statistics/elementsDropped``.
public struct BufferingPolicy: Sendable, Hashable {
  /// The most elements that wait.
  public let limit: Int

  /// Keeps the newest elements, at least one.
  public static func newest(_ limit: Int) -> Self { Self(limit: max(1, limit)) }
}

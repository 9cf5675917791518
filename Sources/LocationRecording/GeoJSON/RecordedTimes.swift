import AsyncLocation

/// The times of a line's positions, or a list of times for each of several lines. Pure.
package struct RecordedTimes: Hashable, Sendable {
  /// The time of each element; nil for an element that is not understood, such as a list.
  private(set) var elements: [RecordedTime?] = []
  /// The times of each element, up to the last list; empty for an element that is not a list.
  private(set) var lists: [[RecordedTime?]] = []
  /// The approximate number of bytes held.
  private(set) var heldCount = 0

  /// - Parameter level: The number of open arrays and objects, without the outermost one.
  mutating func handle(_ token: JSONToken, at level: Int) {
    guard token.nesting >= 0 else { return }
    switch level {
    case 0:
      if token.kind == .beginArray {
        while lists.count <= elements.count { lists.append([]) }
      }
      elements.append(Self.time(token))
      heldCount += MemoryLayout<RecordedTime?>.stride + MemoryLayout<[RecordedTime?]>.stride
    case 1 where lists.count == elements.count:
      lists[lists.count - 1].append(Self.time(token))
      heldCount += MemoryLayout<RecordedTime?>.stride
    default: break
    }
  }

  private static func time(_ token: JSONToken) -> RecordedTime? {
    if token.kind == .null { return .unknown }
    return GeoJSON.Value(token).text.flatMap { RecordedTimeText(timestamp: $0).value }
  }
}

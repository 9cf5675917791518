import JSONScanning

/// The message with which a server confirms that it has stored locations of a device.
///
/// It extends OwnTracks' format and is published to the topic of the kind
/// ``OwnTracksTopic/Kind/stored``; other programs ignore it.
package struct StoredTimes: Hashable, Sendable {
  /// The maximum number of times in a message.
  package static let limit = 1_024
  /// The maximum length of a message in bytes, which is more than two lists of ``limit`` times
  /// need.
  private static let maximumLength = 65_536

  /// The maximum length of ``server`` in bytes.
  private static let longestName = 64

  /// The time from which on `times` has all stored locations, as far as the server remembers them.
  package var start: LocationTime
  /// The times of stored locations.
  package var times: [LocationTime]
  /// The times of locations that the server will not store, such as those in the future.
  package var refused: [LocationTime]
  /// Identifies the run of the server; nil if it is unknown. After a restart, the server may have
  /// lost locations that the previous run had received but not stored.
  package var server: String?

  package init(
    from start: LocationTime, _ times: [LocationTime], refused: [LocationTime] = [],
    by server: String? = nil
  ) {
    (self.start, self.times) = (start, times)
    (self.refused, self.server) = (refused, server)
  }

  package var json: [UInt8] {
    var writer = JSONWriter(type: "stored")
    writer.add("server", server)
    writer.add("from", json: start.json)
    writer.add("times", json: Self.json(times))
    writer.add("refused", json: refused.isEmpty ? nil : Self.json(refused))
    return writer.json
  }

  private static func json(_ times: [LocationTime]) -> String {
    "[" + times.map(\.json).joined(separator: ",") + "]"
  }

  /// Decodes a message; nil for any other payload, which is untrusted.
  package init?(_ payload: Span<UInt8>) {
    guard payload.count <= Self.maximumLength,
      let root = (try? JSONDocument(Array(copying: payload)))?.root,
      root["_type"]?.text == "stored",
      let start = root["from"]?.number.flatMap(LocationTime.init(seconds:)),
      let elements = root["times"]?.elements
    else { return nil }
    self.start = start
    server = root["server"]?.text.flatMap { $0.utf8.count <= Self.longestName ? $0 : nil }
    times = Self.times(elements)
    refused = root["refused"]?.elements.map(Self.times) ?? []
  }

  private static func times(_ elements: JSONDocument.Elements) -> [LocationTime] {
    elements.prefix(limit).compactMap { $0.number.flatMap(LocationTime.init(seconds:)) }
  }
}

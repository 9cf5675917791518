import LocationPublishing
import OwnTracks

/// The headers and the body of an OwnTracks HTTP request for a publication.
struct ServerMessage: Hashable, Sendable {
  let headers: [String]
  let body: [UInt8]

  /// Nil for a topic that is not one of OwnTracks.
  init?(_ publication: PendingPublication) {
    guard let topic = OwnTracksTopic(publication.topic) else { return nil }
    // A topic contains no control characters, so its names cannot end a header.
    headers = [
      "Content-Type: application/json", "User-Agent: AsyncLocation", "X-Limit-U: \(topic.user)",
      "X-Limit-D: \(topic.device)",
    ]
    body = Self.adding(topic, to: publication.payload)
  }

  /// Adds the member `topic` to a JSON object. If a location already has the member, the location
  /// is decoded and the member replaced. Any other message with the member remains unchanged.
  private static func adding(_ topic: OwnTracksTopic, to payload: [UInt8]) -> [UInt8] {
    guard payload.first == UInt8(ascii: "{"), payload.last == UInt8(ascii: "}") else {
      return payload
    }
    guard !hasTopic(payload) else {
      guard case .location(var message) = try? OwnTracksMessage(json: payload) else {
        return payload
      }
      message.topic = topic.description
      return OwnTracksMessage.location(message).json
    }
    var body = payload.dropLast()
    let separator = body.count > 1 ? "," : ""
    body.append(contentsOf: "\(separator)\"topic\":\"".utf8)
    for byte in topic.description.utf8 {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        body.append(UInt8(ascii: "\\"))
      }
      body.append(byte)
    }
    body.append(contentsOf: "\"}".utf8)
    return Array(body)
  }

  /// Whether a member has the name `topic`. A colon follows a name, but not a string value; inside
  /// a string, the quotation marks would be escaped.
  private static func hasTopic(_ payload: [UInt8]) -> Bool {
    payload.ranges(of: Array("\"topic\"".utf8)).contains { name in
      let next = payload[name.upperBound...].first { !Array(" \t\r\n".utf8).contains($0) }
      return next == UInt8(ascii: ":")
    }
  }
}

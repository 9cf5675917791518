public import FoundationEssentials

/// A device lost its connection: `_type` `lwt`, which the broker publishes for it.
public struct LastWillMessage: Sendable, Hashable {
  /// When the device connected, to the second; not when the connection was lost.
  public var connectedAt: Date?

  /// Creates the message that a device leaves with the broker.
  public init(connectedAt: Date?) { self.connectedAt = connectedAt }

  init(_ members: MessageMembers) { self.init(connectedAt: members.time("tst")) }

  /// The message as JSON of one line.
  var json: [UInt8] {
    var writer = JSONWriter(type: "lwt")
    writer.add("tst", connectedAt)
    return writer.json
  }
}

/// The name and picture of a user: `_type` `card`.
public struct CardMessage: Sendable, Hashable {
  /// The maximum length of a picture in bytes; a longer one is absent after decoding.
  public static var maximumFaceLength: Int { 196_608 }

  /// The name of the user.
  public var name: String?
  /// A picture, usually a PNG. Untrusted: its format was not checked.
  public var face: Data?
  /// The short name of the device that the card belongs to.
  public var trackerID: String?

  /// Creates a card.
  public init(name: String?, face: Data? = nil, trackerID: String? = nil) {
    (self.name, self.face, self.trackerID) = (name, face, trackerID)
  }

  init(_ members: MessageMembers) {
    let face = members.text("face").flatMap {
      Data(base64Encoded: $0, options: .ignoreUnknownCharacters)
    }
    self.init(
      name: members.text("name"),
      face: face.flatMap { (1...Self.maximumFaceLength).contains($0.count) ? $0 : nil },
      trackerID: members.text("tid"))
  }

  /// The message as JSON of one line.
  var json: [UInt8] {
    var writer = JSONWriter(type: "card")
    writer.add("name", name)
    writer.add("face", face?.base64EncodedString())
    writer.add("tid", trackerID)
    return writer.json
  }
}

package import AsyncLocation
public import FoundationEssentials

/// A message that waits for delivery to a broker.
public struct PendingPublication: Sendable, Hashable {
  /// The topic; 1...65,535 bytes without NUL.
  public var topic: String
  /// The content; at most 268,435,455 bytes.
  public var payload: [UInt8]
  /// Whether the broker retains the message for clients that subscribe later.
  public var isRetained: Bool
  /// When the publication was created, for the age limit; in the years 1 to 9999.
  public var date: Date

  /// Creates a publication. A storage validates it when it is appended.
  public init(topic: String, payload: [UInt8], isRetained: Bool = false, date: Date) {
    self.topic = topic
    self.payload = payload
    self.isRetained = isRetained
    self.date = date
  }

  /// The number of bytes of the topic and the payload, which counts toward the byte limit.
  public var byteCount: Int { topic.utf8.count + payload.count }

  /// The topic on which the broker retains the message; nil for a message that is not retained, and
  /// for a removal of a retained message.
  package var retainedTopic: ExactText? { isRetained && !isRemoval ? ExactText(topic) : nil }

  /// Whether the publication removes the message that the broker retains on the topic.
  package var isRemoval: Bool { isRetained && payload.isEmpty }

  /// Checks the topics and payloads, which MQTT must be able to transmit, and the dates.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` for the first invalid value.
  package static func check(_ publications: [PendingPublication]) throws(LocationError) {
    for publication in publications {
      let topic = publication.topic.utf8
      guard (1...65_535).contains(topic.count), !topic.contains(0) else {
        throw LocationError(
          .invalidValue,
          "A topic has 1 to 65,535 bytes and no NUL character; got \(topic.count) bytes.")
      }
      guard publication.payload.count <= 268_435_455 else {
        throw LocationError(
          .invalidValue,
          "A payload has at most 268,435,455 bytes; got \(publication.payload.count).")
      }
      _ = try Timestamp.exact(publication.date, "date")
    }
  }
}

/// A pending publication in a storage.
public struct StoredPublication: Sendable, Hashable {
  /// The position in the queue, from 1. Later publications have greater numbers. A number is never
  /// reused, unless a damaged file was set aside.
  public let number: UInt64
  /// The message.
  public let publication: PendingPublication

  /// Creates a publication with its number.
  public init(number: UInt64, _ publication: PendingPublication) {
    self.number = number
    self.publication = publication
  }
}

extension PendingPublication: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("topic", topic), DescribedMember("payload", payload),
      DescribedMember("isRetained", isRetained ? true : nil), DescribedMember("date", date),
    ]
  }
}

extension StoredPublication: Described {
  package var members: [DescribedMember] {
    [DescribedMember("number", number), DescribedMember("publication", publication)]
  }
}

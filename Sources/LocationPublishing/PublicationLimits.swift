package import AsyncLocation

/// How much may wait for a broker. The oldest publications beyond a limit are dropped and counted.
///
/// A limit of zero or less keeps nothing. A publication that has the broker forget a message is never
/// dropped, and does not count.
public struct PublicationLimits: Sendable, Hashable {
  /// The largest number of publications, by default 100,000.
  public var count: Int
  /// How long a publication may wait, by default 7 days.
  ///
  /// A publication is too old when it is so both by the system's clock and by the date of the newest
  /// publication that is appended, so that one wrong clock deletes nothing. The system's clock is
  /// read when the storage is opened, and later changes of it have no effect. A date that is still
  /// to come counts as new. A publication is dropped for its age only after those before it.
  public var age: Duration
  /// The largest sum of their ``PendingPublication/byteCount``, by default 64 MiB. A file is a little
  /// larger. A single publication that is larger is dropped at once, and the others stay.
  public var bytes: Int

  /// Creates limits.
  public init(
    count: Int = 100_000, age: Duration = .seconds(7 * 86_400), bytes: Int = 64 << 20
  ) {
    self.count = count
    self.age = age
    self.bytes = bytes
  }
}

/// How much waits for a broker.
public struct PublicationBacklog: Sendable, Hashable {
  /// The number of publications.
  public var count: Int
  /// The sum of their ``PendingPublication/byteCount``.
  public var bytes: Int

  /// Creates an amount, by default none.
  public init(count: Int = 0, bytes: Int = 0) { (self.count, self.bytes) = (count, bytes) }

  package mutating func add(_ bytes: Int) {
    count += 1
    self.bytes += bytes
  }

  package mutating func remove(_ bytes: Int) {
    count -= 1
    self.bytes -= bytes
  }
}

// The printed members; see ``Described``.

extension PublicationLimits: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("count", count), DescribedMember("age", age),
      DescribedMember("bytes", bytes, "B"),
    ]
  }
}

extension PublicationBacklog: Described {
  package var members: [DescribedMember] {
    [DescribedMember("count", count), DescribedMember("bytes", bytes, "B")]
  }
}

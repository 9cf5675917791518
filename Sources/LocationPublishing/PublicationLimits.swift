package import AsyncLocation

/// The limits of a backlog. The oldest publications beyond a limit are dropped and counted.
///
/// With a limit of zero or less, nothing is stored. A removal of a retained message is never
/// dropped and does not count toward the limits.
public struct PublicationLimits: Sendable, Hashable {
  /// The maximum number of publications, by default 100,000.
  public var count: Int
  /// The maximum age of a publication, by default 7 days.
  ///
  /// An append drops a publication that is too old both by the system's clock and by the date of
  /// the newest publication in that append, so that a single wrong clock deletes nothing. The
  /// system's clock is read when the storage is opened; later changes of the clock have no effect.
  /// A date in the future counts as new. A publication is dropped for its age only after all
  /// publications before it.
  public var age: Duration
  /// The maximum sum of the publications' ``PendingPublication/byteCount``, by default 64 MiB. A
  /// file is slightly larger. A single publication beyond the limit is dropped immediately, and the
  /// others remain.
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

/// The number and the size of pending publications.
public struct PublicationBacklog: Sendable, Hashable {
  /// The number of publications.
  public var count: Int
  /// The sum of the publications' ``PendingPublication/byteCount``.
  public var bytes: Int

  /// Creates a backlog, by default an empty one.
  public init(count: Int = 0, bytes: Int = 0) { (self.count, self.bytes) = (count, bytes) }

  /// Counts an added publication of this many bytes.
  package mutating func add(_ bytes: Int) {
    count += 1
    self.bytes += bytes
  }

  /// Counts a removed publication of this many bytes.
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

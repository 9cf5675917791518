public import AsyncLocation

/// The state of a storage when it is opened.
public struct StoredPublications: Sendable, Hashable {
  /// How much waits.
  public var backlog: PublicationBacklog
  /// The number of the last publication that was ever appended; 0 for none.
  public var lastNumber: UInt64
  /// The highest accuracy that was permitted for what was appended since everything was deleted, also
  /// for what was removed since; `full` if that is not known. Nil if nothing was appended.
  public var accuracy: AccuracyAuthorization?
  /// The topics at which the broker may keep a message, each once, sorted by their bytes: those of the
  /// retained messages that were appended since everything was deleted, also of those that were
  /// removed since, and of the empty ones that wait.
  public var retainedTopics: [String]
  /// Why an earlier content could not be used, if it was set aside.
  public var problem: LocationError?

  /// Creates a content, by default that of a new storage.
  public init(
    backlog: PublicationBacklog = PublicationBacklog(), lastNumber: UInt64 = 0,
    accuracy: AccuracyAuthorization? = nil, retainedTopics: [String] = [],
    problem: LocationError? = nil
  ) {
    self.backlog = backlog
    self.lastNumber = lastNumber
    self.accuracy = accuracy
    self.retainedTopics = retainedTopics
    self.problem = problem
  }
}

/// The result of an append.
public struct PublicationChange: Sendable, Hashable {
  /// How many publications were dropped, by the limit that they exceeded.
  public struct Dropped: Sendable, Hashable {
    /// There were too many.
    public var count: Int
    /// They were too old.
    public var age: Int
    /// They were too large together, or one was too large.
    public var bytes: Int

    /// Creates counts, by default of none.
    public init(count: Int = 0, age: Int = 0, bytes: Int = 0) {
      (self.count, self.age, self.bytes) = (count, age, bytes)
    }

    /// The number of all.
    public var total: Int { count + age + bytes }
  }

  /// The numbers of the publications that were appended, in their order. Those that were dropped at
  /// once have numbers, too.
  public var numbers: Range<UInt64>
  /// How many publications were dropped, whether they were new or had waited.
  public var dropped: Dropped
  /// How much waits now.
  public var backlog: PublicationBacklog
  /// Why everything that waited was lost, if a damaged file was set aside since the last call.
  public var problem: LocationError?

  /// Creates a result.
  public init(
    numbers: Range<UInt64>, dropped: Dropped = Dropped(), backlog: PublicationBacklog,
    problem: LocationError? = nil
  ) {
    self.numbers = numbers
    self.dropped = dropped
    self.backlog = backlog
    self.problem = problem
  }
}

// The printed members; see ``Described``.

extension StoredPublications: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("backlog", backlog), DescribedMember("lastNumber", lastNumber),
      DescribedMember("accuracy", accuracy),
      DescribedMember("retainedTopics", retainedTopics.isEmpty ? nil : retainedTopics),
      DescribedMember("problem", problem),
    ]
  }
}

extension PublicationChange.Dropped: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("count", count), DescribedMember("age", age),
      DescribedMember("bytes", bytes),
    ]
  }
}

extension PublicationChange: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("numbers", numbers), DescribedMember("dropped", dropped),
      DescribedMember("backlog", backlog), DescribedMember("problem", problem),
    ]
  }
}

public import AsyncLocation

/// The state of a storage when it is opened.
public struct StoredPublications: Sendable, Hashable {
  /// The size of the backlog.
  public var backlog: PublicationBacklog
  /// The number of the last publication that was ever appended; 0 for none.
  public var lastNumber: UInt64
  /// The highest accuracy that was permitted for the publications appended since everything was
  /// last deleted, including publications that are no longer pending; `full` if that accuracy is
  /// unknown. Nil if nothing was appended since, except by
  /// ``PublicationSession/removeAll(then:)``.
  public var accuracy: AccuracyAuthorization?
  /// The topics on which the broker may retain a message, each once, sorted by their bytes.
  ///
  /// They are the topics of the retained messages that were appended since everything was last
  /// deleted, including messages that are no longer pending, and of the pending removals of
  /// retained messages.
  public var retainedTopics: [String]
  /// Why earlier content was unusable and set aside; nil if it was not.
  public var problem: LocationError?

  /// Creates a state, by default that of a new storage.
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
  /// The counts of dropped publications, by the limit that they exceeded.
  public struct Dropped: Sendable, Hashable {
    /// The number of publications dropped because there were too many.
    public var count: Int
    /// The number of publications dropped because they were too old.
    public var age: Int
    /// The number of publications dropped because the backlog, or the publication itself, was too
    /// large.
    public var bytes: Int

    /// Creates counts, by default zero.
    public init(count: Int = 0, age: Int = 0, bytes: Int = 0) {
      (self.count, self.age, self.bytes) = (count, age, bytes)
    }

    /// The total number of dropped publications.
    public var total: Int { count + age + bytes }
  }

  /// The numbers of the appended publications, in their order. Publications that were dropped
  /// immediately have numbers, too.
  public var numbers: Range<UInt64>
  /// The counts of dropped publications, both new and pending ones.
  public var dropped: Dropped
  /// The size of the backlog after the append.
  public var backlog: PublicationBacklog
  /// Why all pending publications were lost, if a damaged file was set aside since the last append;
  /// otherwise nil.
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

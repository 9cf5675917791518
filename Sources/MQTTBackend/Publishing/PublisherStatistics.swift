public import AsyncLocation
public import LocationPublishing

/// Counts of a publisher since it was created, and its current problem.
public struct PublisherStatistics: Sendable, Hashable {
  /// How much waits for the broker or its acknowledgement.
  public internal(set) var backlog = PublicationBacklog()
  /// How many publications were stored.
  public internal(set) var stored = 0
  /// How many publications the broker acknowledged.
  public internal(set) var published = 0
  /// How many waiting publications were dropped because of a limit. One that was on its way to the
  /// broker then counts as published, too, when the broker acknowledges it.
  public internal(set) var dropped = PublicationChange.Dropped()
  /// How many publications the broker refused for good, such as ones that are too large for it.
  public internal(set) var refused = 0
  /// How many publications, and locations that were not stored yet, were deleted because permission or
  /// full accuracy was withdrawn.
  public internal(set) var deleted = 0
  /// How many locations and other publications were lost because the storage was too slow or failed,
  /// also at the end of the run, or had to begin anew because its file was damaged. A publication
  /// that was under way then is lost unless the broker acknowledges it.
  public internal(set) var lost = 0
  /// Why publications wait, if it is not the connection: the storage fails, or the broker refuses
  /// them for now. Otherwise, why one was refused for good, until the next is accepted; or, until the
  /// next run, why what waited in the storage is lost.
  public internal(set) var problem: LocationError?

  /// Creates statistics without counts.
  public init() {}
}

extension PublisherStatistics: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("backlog", backlog), DescribedMember("stored", stored),
      DescribedMember("published", published), DescribedMember("dropped", dropped.total),
      DescribedMember("refused", refused), DescribedMember("deleted", deleted),
      DescribedMember("lost", lost), DescribedMember("problem", problem),
    ]
  }
}

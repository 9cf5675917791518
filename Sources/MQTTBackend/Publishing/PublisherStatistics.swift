public import AsyncLocation
public import LocationPublishing

/// Counts of a publisher since it was created, and its current problem.
public struct PublisherStatistics: Sendable, Hashable {
  /// The publications that wait for the broker, its acknowledgement or a server's confirmation.
  public internal(set) var backlog = PublicationBacklog()
  /// How many publications were stored.
  public internal(set) var stored = 0
  /// How many publications the broker acknowledged. With ``PublisherOptions/Confirmation/stored``,
  /// a location counts once a server has confirmed it.
  public internal(set) var published = 0
  /// The locations that the broker has acknowledged and no server has confirmed yet. They also wait
  /// in ``backlog``.
  public internal(set) var unconfirmed = 0
  /// How many times a location was sent again on the same connection: because its confirmation was
  /// overdue, or because the server was started again.
  public internal(set) var repeated = 0
  /// How many pending publications were dropped because of a limit. A publication that was in
  /// flight at that time also counts as published when the broker acknowledges it.
  public internal(set) var dropped = PublicationChange.Dropped()
  /// How many publications the broker refused permanently, for example because they were too large,
  /// and how many locations a server refused because their time is in the future.
  public internal(set) var refused = 0
  /// How many publications, and locations that were not stored yet, were deleted because permission
  /// or full accuracy was withdrawn.
  public internal(set) var deleted = 0
  /// How many locations and other messages were lost because the storage was too slow or failed,
  /// also at the end of the run, or because the storage's damaged file was replaced. A publication
  /// that was in flight at that time is lost unless the broker acknowledges it.
  public internal(set) var lost = 0
  /// The current problem, except those of the connection.
  ///
  /// It is an error of the storage, or a temporary refusal of publications by the broker.
  /// Otherwise, it is the reason for a permanent refusal, until the next publication is accepted;
  /// or the reason for the loss of the stored backlog, until the next run.
  public internal(set) var problem: LocationError?

  /// Creates statistics with all counts zero.
  public init() {}
}

extension PublisherStatistics: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("backlog", backlog), DescribedMember("stored", stored),
      DescribedMember("published", published),
      DescribedMember("unconfirmed", unconfirmed == 0 ? nil : unconfirmed),
      DescribedMember("repeated", repeated == 0 ? nil : repeated),
      DescribedMember("dropped", dropped.total),
      DescribedMember("refused", refused), DescribedMember("deleted", deleted),
      DescribedMember("lost", lost), DescribedMember("problem", problem),
    ]
  }
}

public import AsyncLocation

extension TrackRecorder {
  /// The selection of the recorded locations, and their storage.
  public struct Configuration: Sendable, Hashable {
    /// The name of the track, in GPX and in GeoJSON as a collection; nil for none.
    public var name: String?
    /// The action if the file exists. Not used with ``rotation``: then every file is a new one.
    public var existing: ExistingRecording
    /// The longest time that a location may be in the file but not on the disk, 10 seconds by
    /// default. Zero synchronizes after each write, which wears flash memory.
    ///
    /// A loss of power loses at most the locations of this time. A killed process loses only
    /// locations that wait to be written; each is written as soon as possible.
    public var syncInterval: Duration
    /// The least distance in metres from the last recorded location; 0, the default, for all. The
    /// first location of a segment is always recorded. Skipped locations cause no gap.
    public var minimumDistance: Double
    /// The least time between two recorded locations, by their timestamps; zero, the default, for
    /// all. Seven eighths of it suffice, so that jitter drops no location of a receiver with this
    /// interval.
    public var minimumInterval: Duration
    /// The limits that interrupt the track.
    public var track: TrackOptions
    /// The limit at which another file begins; nil, the default, for one file.
    public var rotation: Rotation?
    /// The greatest number of locations that wait while the disk is full or slow, at least 4: by
    /// default 6,000, which are two minutes at 50 Hz and take 2 MB. Beyond this number, the oldest
    /// are dropped and counted.
    public var maximumWaiting: Int {
      didSet { maximumWaiting = max(4, maximumWaiting) }
    }

    /// Creates a configuration.
    public init(
      name: String? = nil, existing: ExistingRecording = .refuse,
      syncInterval: Duration = .seconds(10), minimumDistance: Double = 0,
      minimumInterval: Duration = .zero, track: TrackOptions = TrackOptions(),
      rotation: Rotation? = nil, maximumWaiting: Int = 6_000
    ) {
      (self.name, self.existing) = (name, existing)
      (self.syncInterval, self.minimumDistance) = (max(syncInterval, .zero), minimumDistance)
      (self.minimumInterval, self.track, self.rotation) = (minimumInterval, track, rotation)
      self.maximumWaiting = max(4, maximumWaiting)
    }
  }

  /// The limit at which a recorder begins another file.
  ///
  /// A file ends before the location with which it would exceed the limit, and has at least one
  /// location. The next file begins with the last location of the previous one, unless there is a
  /// gap, so that times and lengths add up.
  public struct Rotation: Sendable, Hashable {
    enum Limit: Sendable, Hashable {
      case bytes(Int)
      case duration(Duration)
      case distance(Double)
    }
    let limit: Limit

    /// Limits the length of a file in bytes, including its ending.
    public static func bytes(_ limit: Int) -> Self { Self(limit: .bytes(limit)) }
    /// Limits the time from the first location of a file, by the timestamps, gaps included.
    public static func duration(_ limit: Duration) -> Self { Self(limit: .duration(limit)) }
    /// Limits the distance in metres travelled in a file, without the gaps.
    public static func distance(_ limit: Double) -> Self { Self(limit: .distance(limit)) }
  }

  /// The statistics of a recorder.
  public struct Statistics: Sendable, Hashable {
    /// The name of the current file; nil before the first one of a rotation.
    public internal(set) var fileName: String?
    /// The number of files that were begun or continued.
    public internal(set) var fileCount = 0
    /// The length of the current file in bytes, including its previous content.
    public internal(set) var fileLength = 0
    /// The number of written locations. Locations since the last synchronization may not be on the
    /// disk: if the next one fails, they wait again, and this number decreases.
    public internal(set) var recorded = 0
    /// The number of locations that wait to be written.
    public internal(set) var waiting = 0
    /// The number of locations that were too near to the last recorded one, or too soon after it.
    public internal(set) var skipped = 0
    /// The number of locations that were lost because too many waited.
    public internal(set) var lost = 0
    /// The number of files that another program removed or truncated during the recording. Their
    /// synchronized locations may be gone; the others are in the next file.
    public internal(set) var lostFiles = 0
    /// The time since the last synchronization; nil before the first file.
    public internal(set) var sinceLastSync: Duration?
    /// The error of the last write or synchronization; nil if it succeeded. The operation is
    /// retried until the recording ends.
    public internal(set) var problem: LocationError?
  }
}

extension TrackRecorder.Configuration {
  /// Refuses a minimum distance that is negative or not finite, and a limit of a rotation that is
  /// not above zero.
  func check() throws(LocationError) {
    guard minimumDistance >= 0, minimumDistance.isFinite else {
      throw LocationError(
        .invalidValue, "minimumDistance must be zero or more metres; got \(minimumDistance).")
    }
    let isPositive =
      switch rotation?.limit {
      case nil: true
      case .bytes(let limit): limit > 0
      case .duration(let limit): limit > .zero
      case .distance(let limit): limit > 0
      }
    guard isPositive else {
      throw LocationError(.invalidValue, "The limit of a rotation must be above zero.")
    }
  }
}

import FoundationEssentials

/// The stored reduced tracks as JSON, the most recently changed first.
struct StoredTracks: Sendable, Codable {
  private static let currentVersion = 1

  private var version = currentVersion
  private var tracks: [ReducedTrack.Stored] = []
  /// Nil in older files.
  private var cells: [ReportedCells.Stored]?

  init() {}

  /// Whether contents have a later version of the format, and must not be changed.
  static func isOfLaterVersion(_ contents: [UInt8]) -> Bool {
    struct Version: Decodable { let version: Int }
    let stored = try? JSONDecoder().decode(Version.self, from: Data(contents))
    return stored.map { $0.version > currentVersion } ?? false
  }

  /// Nil without contents, and for contents that are damaged or of another version.
  init?(_ contents: [UInt8]?) {
    guard let contents, let stored = try? JSONDecoder().decode(Self.self, from: Data(contents)),
      stored.version == Self.currentVersion
    else { return nil }
    self = stored
  }

  /// The track of a receiver; the device is nil for a receiver without a name.
  subscript(device: String?) -> ReducedTrack.Stored? {
    tracks.first { $0.device.map(ExactText.init) == device.map(ExactText.init) }
  }

  /// Replaces the track of a receiver. At the limit, the least recently changed one is discarded.
  mutating func put(_ track: ReducedTrack.Stored) {
    tracks.removeAll { $0.device.map(ExactText.init) == track.device.map(ExactText.init) }
    tracks.insert(track, at: 0)
    tracks = Array(tracks.prefix(LocationReducer.rememberedReceivers))
  }

  /// The cells that were reported.
  func reportedCells(in grid: ReducedGrid) -> ReportedCells {
    if let cells { return ReportedCells(cells, in: grid) }
    // An older file: the last reported location of each receiver, the oldest first.
    return ReportedCells(
      tracks.reversed().enumerated().map { use, track in
        ReportedCells.Stored(
          latitude: track.location.coordinate.latitude,
          longitude: track.location.coordinate.longitude, lastUse: UInt64(use))
      }, in: grid)
  }

  /// Replaces the reported cells.
  mutating func replaceCells(with reported: ReportedCells) { cells = reported.contents }

  /// Nil if a track cannot be encoded.
  var contents: [UInt8]? { (try? JSONEncoder().encode(self)).map(Array.init) }
}

public import AsyncLocation

/// A recording of a receiver or of a track, read as a whole.
///
/// ```swift
/// let recording = try Recording(contentsOf: "drive.gpx")
/// print(recording.format, recording.locations.count, recording.skipped.count)
/// ```
///
/// Locations and headings are marked as simulated: a recorded position is not a live measurement.
/// The device of a report is retained if the format records it. ``RecordingReader`` reads the same
/// events in pieces.
public struct Recording: Sendable, Hashable {
  /// The format, recognized by the content.
  public let format: RecordingFormat
  /// The name of the track, as in ``RecordingReader/name``.
  public let name: String?
  /// The events in the order of the content. Their offsets begin with zero and never decrease.
  public let events: [TimedEvent]
  /// The readings of other sensors at the events, by the events' indices: only at locations, and
  /// only where there is a reading.
  public let sensors: [Int: SensorReadings]
  /// The kind of the locations; nil without any.
  public let pointKind: RecordedPointKind?
  /// Named places besides the track. Without a track or a route, the locations are the same
  /// places.
  public let waypoints: [Waypoint]
  /// The content that was not understood.
  public let skipped: SkippedContent
  /// The content that was understood, but left out because it is not part of the track.
  public let omitted: OmittedContent
  /// The error that ended the reading; nil if the recording is complete. Always nil without
  /// ``RecordingOptions/keepsReadablePart``.
  public let failure: RecordingError?

  /// The locations among the events.
  public var locations: [Location] {
    events.compactMap { if case .location(let location) = $0.event { location } else { nil } }
  }

  /// Reads a recording from memory.
  ///
  /// - Throws: ``RecordingError`` with the line if the content is not recognized, or violates the
  ///   rules of its format as a whole, or has more events than the options permit. A single
  ///   invalid point is skipped and counted. With ``RecordingOptions/keepsReadablePart``, a
  ///   damaged or truncated recording throws only if nothing of it can be read.
  public init(
    _ bytes: [UInt8], options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) {
    var remaining = bytes[...]
    try self.init(options: options) { () throws(RecordingError) in
      guard !remaining.isEmpty else { return nil }
      defer { remaining = remaining.dropFirst(RecordingFile.chunkLength) }
      return Array(remaining.prefix(RecordingFile.chunkLength))
    }
  }

  /// Reads a recording from a file. Blocks while reading: call it outside of the cooperative
  /// thread pool if the file is long or on a slow disk.
  ///
  /// - Throws: ``RecordingError`` as for content in memory, and with code
  ///   ``RecordingError/Code/unreadable`` if the file cannot be read.
  public init(
    contentsOf path: String, options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) {
    let file = try RecordingFile(path: path)
    try self.init(options: options) { () throws(RecordingError) in try file.read() }
  }

  private init(
    options: RecordingOptions, _ next: () throws(RecordingError) -> [UInt8]?
  ) throws(RecordingError) {
    var reader = RecordingReader(options: options)
    var events: [TimedEvent] = []
    var waypoints: [Waypoint] = []
    var sensors: [Int: SensorReadings] = [:]
    func append(
      _ more: [TimedEvent], _ places: [Waypoint], _ readings: [Int: SensorReadings]
    ) throws(RecordingError) {
      for (index, reading) in readings { sensors[events.count + index] = reading }
      events += more
      waypoints += places
      guard max(events.count, waypoints.count) <= options.maximumEventCount else {
        throw RecordingError(
          .tooLarge,
          "the recording has more than \(options.maximumEventCount) events; read it with a "
            + "RecordingReader, or raise the limit")
      }
    }
    var fileFailure: RecordingError?
    func nextBytes() throws(RecordingError) -> [UInt8]? {
      do throws(RecordingError) {
        return try next()
      } catch {
        guard options.keepsReadablePart else { throw error }
        fileFailure = error
        return nil
      }
    }
    while reader.failure == nil, let bytes = try nextBytes() {
      reader.supply(bytes)
      while let more = try reader.nextEvents() {
        try append(more, reader.waypoints, reader.sensors)
      }
      try append([], reader.waypoints, [:])
    }
    let rest: [TimedEvent]
    do throws(RecordingError) { rest = try reader.finish() } catch { throw fileFailure ?? error }
    try append(rest, reader.waypoints, reader.sensors)
    failure =
      fileFailure.map { RecordingError($0.code, line: reader.failure?.line, $0.message) }
      ?? reader.failure
    if let failure, events.isEmpty, waypoints.isEmpty { throw failure }
    // Events are returned only after the format is known.
    guard let format = reader.format else { throw FormatDetection.failure([]) }
    (self.format, name, pointKind) = (format, reader.name, reader.pointKind)
    (self.events, self.waypoints, self.sensors) = (events, waypoints, sensors)
    (skipped, omitted) = (reader.skipped, reader.omitted)
  }
}

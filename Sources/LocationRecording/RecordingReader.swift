public import AsyncLocation

/// Reads a recording piece by piece, so that a long one needs little memory.
///
/// ```swift
/// var reader = RecordingReader()
/// while let bytes = nextBytes() {
///   for event in try reader.read(bytes) { show(event) }
/// }
/// for event in try reader.finish() { show(event) }
/// ```
///
/// Events come in the order of the content, as soon as it is certain what they are. Their offsets
/// never decrease. The memory in use does not grow with the content: it is that of a point, a line
/// of at most 1 MiB, or, for GeoJSON, a feature of at most 256 MiB. A collection whose `features`
/// precede its `type` is kept as a whole.
///
/// The locations are the points of tracks, else those of routes, else the waypoints. Routes and
/// waypoints wait for a track that may follow, at most 65,536 points. If there are more before any
/// better point, they are the locations, and a track after them is an error.
public struct RecordingReader: ~Copyable {
  private enum State {
    /// The first bytes, while the format is not known.
    case detecting([UInt8])
    case reading(any FormatReader)
    case ended
  }

  /// The format; nil until enough has been read to recognize it.
  public private(set) var format: RecordingFormat?
  private var state = State.detecting([])
  private var transcoder = TextTranscoder()
  private var output: RecordingOutput
  private let options: RecordingOptions

  /// The name of the track; nil if the recording has none, or if its name comes after locations.
  ///
  /// GPX has it in the track or in the metadata, a GeoJSON collection in the member `name`. It
  /// comes from outside: escape it before printing.
  public var name: String? { output.name }

  /// The waypoints that the last call of ``read(_:)`` or ``finish()`` completed: take them before
  /// the next call. If a recording has nothing better, its locations are the same places.
  public private(set) var waypoints: [Waypoint] = []

  /// What other sensors measured at the events that the last call returned, by their indices: only at
  /// locations, and only where there is a reading.
  public private(set) var sensors: [Int: SensorReadings] = [:]

  /// What the locations are; nil before the first point. It may change until ``finish()`` returns.
  public var pointKind: RecordedPointKind? { output.kind }

  /// What was not understood so far.
  public var skipped: SkippedContent { output.skipped }

  /// What was understood and left out so far, beside the track.
  public var omitted: OmittedContent { output.omitted }

  /// Creates a reader.
  public init(options: RecordingOptions = RecordingOptions()) {
    self.options = options
    output = RecordingOutput(start: options.start)
  }

  /// Reads the next bytes, any number of them, and returns the events that they complete.
  ///
  /// - Throws: ``RecordingError`` if the recording cannot be read further. The events that were
  ///   returned before are right; each later call throws again.
  public mutating func read(_ bytes: [UInt8]) throws(RecordingError) -> [TimedEvent] {
    (waypoints, sensors) = ([], [:])
    try advance(transcoder.convert(bytes), isFinal: false)
    (waypoints, sensors) = (output.takeWaypoints(), output.takeSensors())
    return output.takeEvents()
  }

  /// Handles the end of the recording, and returns the remaining events.
  ///
  /// - Throws: ``RecordingError`` if the recording is not complete, or not recognized.
  public mutating func finish() throws(RecordingError) -> [TimedEvent] {
    (waypoints, sensors) = ([], [:])
    try advance(transcoder.finish(), isFinal: true)
    (waypoints, sensors) = (output.takeWaypoints(), output.takeSensors())
    return output.takeEvents()
  }

  private mutating func advance(_ bytes: [UInt8], isFinal: Bool) throws(RecordingError) {
    switch state {
    case .ended:
      throw RecordingError(
        .malformed, "The recording has ended or failed; create another RecordingReader.")
    case .detecting(let first):
      let content = first + bytes
      state = .ended
      guard let format = FormatDetection.format(of: content, isComplete: isFinal) else {
        guard !isFinal, content.count < FormatDetection.limit else {
          throw FormatDetection.failure(content)
        }
        state = .detecting(content)
        return
      }
      self.format = format
      try read(content, with: reader(of: format), isFinal: isFinal)
    case .reading(let reader):
      state = .ended
      try read(bytes, with: reader, isFinal: isFinal)
    }
  }

  private mutating func read(
    _ bytes: [UInt8], with reader: any FormatReader, isFinal: Bool
  ) throws(RecordingError) {
    var reader = reader
    try reader.read(bytes, into: &output)
    if isFinal {
      try reader.finish(into: &output)
      output.finish()
    }
    if let failure = output.failure { throw failure }
    if !isFinal { state = .reading(reader) }
  }

  private func reader(of format: RecordingFormat) -> any FormatReader {
    switch format {
    case .gpx: GPXReader(isUTF8: transcoder.hasConverted)
    case .nmea: NMEAReader(start: options.start)
    case .geoJSON: GeoJSONReader()
    case .csv: CSVReader()
    case .locationJSON: LocationJSONReader()
    default: GPSDReader()
    }
  }
}

public import AsyncLocation

/// Reads a recording in pieces, with bounded memory.
///
/// ```swift
/// var reader = RecordingReader()
/// while let bytes = nextBytes() {
///   for event in try reader.read(bytes) { show(event) }
/// }
/// for event in try reader.finish() { show(event) }
/// ```
///
/// Events are returned in the order of the content, as soon as they are final. Their offsets
/// never decrease. The memory in use is bounded: it holds a point, a line of at most 1 MiB, or, for
/// GeoJSON, a feature: 24 bytes for each of its positions, 24 for each time, and at most 256 MiB.
/// In a KML `gx:Track`, all times may precede the positions: 16 bytes for each time, and at most
/// ten million. KML points with a time are buffered until a line follows, at most 65,536. Of
/// Google's location history, the path of an element is buffered, at most 65,536 positions, and so
/// are activities until a path follows, at most 65,536.
///
/// The locations are the points of tracks, else those of routes, else the waypoints. Points of
/// routes and waypoints are buffered, since a track may follow: at most 65,536. If more of them
/// precede the first point of a better kind, they are the locations, and a later track is an error.
public struct RecordingReader: ~Copyable {
  private enum State {
    /// The first bytes, while the format is not known.
    case detecting([UInt8])
    case reading
    /// After a file of an archive; files that it links to may follow.
    case betweenFiles
    case ended
  }

  /// The format; nil until enough has been read to recognize it.
  public private(set) var format: RecordingFormat?
  private var state = State.detecting([])
  /// Nil until the format is known. Mutated in place: a copy would duplicate its buffers.
  private var reader: (any FormatReader)?
  private var decompressor = Decompressor()
  private var transcoder = Self.makeTranscoder()
  /// The number of bytes examined to recognize the format.
  private var examinedCount = 0
  /// The supplied bytes that are not read yet.
  private var input: [UInt8] = []
  private var output: RecordingOutput
  private let options: RecordingOptions
  private var isFinished = false
  /// Whether an event or a waypoint was read.
  private var hasContent = false

  /// The error that ended the reading, if the options keep the readable part; else nil.
  ///
  /// Nothing after it is read. Its line is where the damage was found, or the last line that was
  /// read.
  public private(set) var failure: RecordingError?

  /// The name of the track; nil if the recording has none, or if its name comes after locations.
  ///
  /// GPX stores it in the track or in the metadata, a GeoJSON collection in the member `name`, KML
  /// in the placemark or in the document. It is untrusted: escape it before printing.
  public var name: String? { output.name }

  /// The waypoints that the last call of ``read(_:)``, ``nextEvents()`` or ``finish()`` completed.
  /// The next call replaces them. Without tracks and routes, the locations of a recording are the
  /// same places.
  public private(set) var waypoints: [Waypoint] = []

  /// The readings of other sensors at the events that the last call returned, by the events'
  /// indices: only at locations, and only where there is a reading.
  public private(set) var sensors: [Int: SensorReadings] = [:]

  /// The kind of the locations; nil before the first point. It may change until ``finish()``
  /// returns.
  public var pointKind: RecordedPointKind? { output.kind }

  /// The content that was not understood so far.
  public var skipped: SkippedContent { output.skipped }

  /// The content that was understood so far, but left out because it is not part of the track.
  public var omitted: OmittedContent { output.omitted }

  /// The cost of the reading so far.
  var cost: ReadingCost {
    var cost = reader?.cost ?? ReadingCost()
    cost.processed += examinedCount
    return cost
  }

  /// Creates a reader.
  public init(options: RecordingOptions = RecordingOptions()) {
    self.options = options
    output = RecordingOutput(start: options.start)
  }

  /// Creates a reader that uses a format's reader from the first byte on.
  init(_ reader: any FormatReader) {
    self.init()
    (self.reader, state) = (reader, .reading)
  }

  /// Reads the next bytes, any number of them, and returns the events that they complete.
  ///
  /// - Throws: ``RecordingError`` if the recording cannot be read further. Events that were
  ///   returned before are valid; each later call throws again. With
  ///   ``RecordingOptions/keepsReadablePart``, nothing is thrown, and ``failure`` has the error.
  public mutating func read(_ bytes: [UInt8]) throws(RecordingError) -> [TimedEvent] {
    supply(bytes)
    return try allEvents()
  }

  /// Handles the end of the recording, and returns the remaining events.
  ///
  /// - Throws: ``RecordingError`` if the recording is not complete, or not recognized. With
  ///   ``RecordingOptions/keepsReadablePart``, only if nothing of it can be read.
  public mutating func finish() throws(RecordingError) -> [TimedEvent] {
    var found = Found()
    try readAll(into: &found)
    if failure == nil {
      do throws(RecordingError) {
        try finishReader(into: &found)
      } catch {
        try recordFailure(error)
        try readAll(into: &found)
      }
    }
    (state, isFinished) = (.ended, true)
    output.finish()
    if let failure = output.failure { throw failure }
    collect(into: &found)
    if let failure, !hasContent { throw failure }
    return deliver(found)
  }

  private mutating func finishReader(into found: inout Found) throws(RecordingError) {
    let rest = try decompressor.finish()
    if decompressor.hasTrailingBytes {
      output.skip(line: 1, "what follows the content that gzip has compressed is left out")
    }
    if decompressor.hasOtherRecordings {
      output.skip(line: 1, "the ZIP archive has other recordings, which are left out; unpack it")
    }
    try advance(transcoder.convert(rest) + transcoder.finish(), isFinal: true)
    while try readSupplied(into: &found) {}
    state = .ended
    try reader?.finish(into: &output)
  }

  /// Stores an error, and retains the content before it.
  ///
  /// - Throws: The error, if the options do not keep the readable part.
  private mutating func recordFailure(_ error: RecordingError) throws(RecordingError) {
    // After `output.failure`, the returned locations are not those of the track: retain nothing.
    guard options.keepsReadablePart, !isFinished, output.failure == nil else { throw error }
    if case .detecting = state {
      // The format may be detectable from the bytes read so far.
      do throws(RecordingError) { try advance(transcoder.finish(), isFinal: true) } catch {}
    }
    state = .ended
    reader?.outputReadable(into: &output)
    failure =
      error.line == nil
      ? RecordingError(error.code, line: reader?.line, error.message) : error
  }

  /// Supplies the next bytes. ``nextEvents()`` returns their events.
  public mutating func supply(_ bytes: [UInt8]) { input += bytes }

  /// Returns the next events of the supplied bytes; nil if these complete no further event.
  /// Even then, ``waypoints`` may have new elements.
  ///
  /// All locations of a GeoJSON line become known at its end: this method returns a few thousand at
  /// a time, ``read(_:)`` returns all at once. For other formats, this method returns all events
  /// that are complete.
  ///
  /// - Throws: As ``read(_:)`` does.
  public mutating func nextEvents() throws(RecordingError) -> [TimedEvent]? {
    var found = Found()
    var hasMore = true
    while hasMore, found.events.isEmpty { hasMore = try readNext(into: &found) }
    let events = deliver(found)
    return events.isEmpty ? nil : events
  }

  /// The results of one call.
  private struct Found {
    var events: [TimedEvent] = []
    var waypoints: [Waypoint] = []
    var sensors: [Int: SensorReadings] = [:]
  }

  private mutating func allEvents() throws(RecordingError) -> [TimedEvent] {
    var found = Found()
    try readAll(into: &found)
    return deliver(found)
  }

  private mutating func readAll(into found: inout Found) throws(RecordingError) {
    while try readNext(into: &found) {}
  }

  /// Continues with the supplied bytes; false if there is nothing more to do.
  private mutating func readNext(into found: inout Found) throws(RecordingError) -> Bool {
    guard failure == nil || isFinished else { return try readAfterFailure(into: &found) }
    do throws(RecordingError) {
      return try readSupplied(into: &found)
    } catch {
      try recordFailure(error)
      return true
    }
  }

  /// Continues with the content that the format's reader had buffered when the damage was found.
  private mutating func readAfterFailure(
    into found: inout Found
  ) throws(RecordingError) -> Bool {
    input = []
    let hasMore = try reader?.readBuffered(into: &output) ?? false
    collect(into: &found)
    return hasMore
  }

  /// Continues with buffered content or the next piece of the supplied bytes; false if there is
  /// nothing more to do.
  private mutating func readSupplied(into found: inout Found) throws(RecordingError) -> Bool {
    // Earlier input comes first.
    var hasMore = try readBuffered()
    if !hasMore {
      if !input.isEmpty {
        decompressor.supply(input)
        input = []
      }
      if let bytes = try decompressor.next() {
        hasMore = true
        if !bytes.isEmpty { try advance(transcoder.convert(bytes), isFinal: false) }
        if let file = decompressor.takeEndedFile() {
          // The encoding of short content may still be undecided.
          try advance(transcoder.finish(), isFinal: false)
          if format == .kml { try endFile(file) }
        }
      }
    }
    if let failure = output.failure { throw failure }
    let count = found.events.count
    collect(into: &found)
    return hasMore || found.events.count > count
  }

  /// Handles the end of a KML file in an archive. The files that it links to are read next: GDAL
  /// writes a first file that contains only links, and a file for each layer. If a file has neither
  /// links nor points, the next file is read.
  private mutating func endFile(_ file: String) throws(RecordingError) {
    try advance([], isFinal: true)
    state = .ended
    try reader?.finish(into: &output)
    let links = output.takeLinks()
    decompressor.request(links, of: file, readsNext: links.isEmpty && output.kind == nil)
    (state, reader, transcoder) = (.betweenFiles, nil, Self.makeTranscoder())
  }

  private mutating func collect(into found: inout Found) {
    for (index, readings) in output.takeSensors() {
      found.sensors[found.events.count + index] = readings
    }
    let (events, waypoints) = (output.takeEvents(), output.takeWaypoints())
    hasContent = hasContent || !events.isEmpty || !waypoints.isEmpty
    found.events += events
    found.waypoints += waypoints
  }

  private mutating func deliver(_ found: Found) -> [TimedEvent] {
    (waypoints, sensors) = (found.waypoints, found.sensors)
    return found.events
  }

  private static func makeTranscoder() -> TextTranscoder {
    TextTranscoder(decidingCount: max(3, RecordingFormat.binaryCount)) {
      FormatDetection.binaryFormat(of: $0) != nil
    }
  }

  /// Passes bytes to the format's reader, or examines them while the format is not known.
  ///
  /// While this method runs, the state is `ended`: after an error, no call continues the reading.
  private mutating func advance(_ bytes: [UInt8], isFinal: Bool) throws(RecordingError) {
    var bytes = bytes
    if case .betweenFiles = state {
      guard !bytes.isEmpty else { return }
      state = .detecting([])
    }
    if case .detecting(let first) = state {
      bytes = first + bytes
      state = .ended
      examinedCount += bytes.count
      let recognized =
        transcoder.isBinary
        ? FormatDetection.binaryFormat(of: bytes)
        : FormatDetection.format(of: bytes, isComplete: isFinal)
      guard let format = recognized else {
        guard !isFinal, bytes.count < FormatDetection.limit else {
          throw FormatDetection.failure(bytes)
        }
        state = .detecting(bytes)
        return
      }
      self.format = self.format ?? format
      let place = format.isXML ? bytes.removeLeadingSpace() : TextPlace()
      reader = format.makeReader(
        RecordingFormat.ReaderContext(
          isUTF8: transcoder.hasConverted, place: place, start: options.start))
      state = .reading
    }
    try requireReading()
    state = .ended
    try reader?.read(bytes, into: &output)
    state = .reading
  }

  /// Continues with bytes that were read before; false if there is nothing to do.
  private mutating func readBuffered() throws(RecordingError) -> Bool {
    switch state {
    case .detecting, .betweenFiles: return false
    case .reading, .ended: try requireReading()
    }
    state = .ended
    let hasMore = try reader?.readBuffered(into: &output) ?? false
    state = .reading
    return hasMore
  }

  private func requireReading() throws(RecordingError) {
    guard case .ended = state else { return }
    throw RecordingError(
      .malformed, "The recording has ended or failed; create another RecordingReader.")
  }
}

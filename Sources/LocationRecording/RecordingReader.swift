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
/// of at most 1 MiB, or, for GeoJSON, a feature: 24 bytes for each of its positions, 24 for each time,
/// and at most 256 MiB. A `gx:Track` of KML has all its times first: 24 bytes for each, and at most ten
/// million. Points of KML that have a time wait for a line, at most 65,536.
///
/// The locations are the points of tracks, else those of routes, else the waypoints. Routes and
/// waypoints wait for a track that may follow, at most 65,536 points. If there are more before any
/// better point, they are the locations, and a track after them is an error.
public struct RecordingReader: ~Copyable {
  private enum State {
    /// The first bytes, while the format is not known.
    case detecting([UInt8])
    case reading
    /// Behind a file of an archive; others that it links to may follow.
    case betweenFiles
    case ended
  }

  /// The format; nil until enough has been read to recognize it.
  public private(set) var format: RecordingFormat?
  private var state = State.detecting([])
  /// Nil until the format is known. Changed in place: a copy would cost what it holds.
  private var reader: (any FormatReader)?
  private var decompressor = Decompressor()
  private var transcoder = Self.transcoder()
  /// The bytes that were looked at to recognize the format.
  private var detected = 0
  /// The bytes that were supplied and are not read yet.
  private var input: [UInt8] = []
  private var output: RecordingOutput
  private let options: RecordingOptions
  private var isFinished = false
  /// Whether an event or a waypoint was read.
  private var hasContent = false

  /// Why the recording was read only up to here: it is damaged or cut, and the options keep what can be
  /// read. Nothing behind it is read.
  ///
  /// Its line is where the damage was found, or that of the last line that was read.
  public private(set) var failure: RecordingError?

  /// The name of the track; nil if the recording has none, or if its name comes after locations.
  ///
  /// GPX has it in the track or in the metadata, a GeoJSON collection in the member `name`, KML in the
  /// placemark or in the document. It comes from outside: escape it before printing.
  public var name: String? { output.name }

  /// The waypoints that the last call of ``read(_:)`` or ``finish()`` completed: take them before
  /// the next call. If a recording has nothing better, its locations are the same places.
  public private(set) var waypoints: [Waypoint] = []

  /// The readings of other sensors at the events that the last call returned, by the events'
  /// indices: only at locations, and only where there is a reading.
  public private(set) var sensors: [Int: SensorReadings] = [:]

  /// The kind of the locations; nil before the first point. It may change until ``finish()`` returns.
  public var pointKind: RecordedPointKind? { output.kind }

  /// The content that was not understood so far.
  public var skipped: SkippedContent { output.skipped }

  /// The content that was understood and left out so far, beside the track.
  public var omitted: OmittedContent { output.omitted }

  /// The cost of the reading so far.
  var cost: ReadingCost {
    var cost = reader?.cost ?? ReadingCost()
    cost.lookedAt += detected
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
  /// - Throws: ``RecordingError`` if the recording cannot be read further. The events that were
  ///   returned before are right; each later call throws again. With
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
    try takeAll(into: &found)
    if failure == nil {
      do throws(RecordingError) {
        try finishReader(into: &found)
      } catch {
        try keep(error)
        try takeAll(into: &found)
      }
    }
    (state, isFinished) = (.ended, true)
    output.finish()
    if let failure = output.failure { throw failure }
    take(into: &found)
    if let failure, !hasContent { throw failure }
    return give(found)
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
    while try goOnReading(into: &found) {}
    state = .ended
    try reader?.finish(into: &output)
  }

  /// Keeps an error, and what precedes it.
  ///
  /// - Throws: The error, if the options do not keep what can be read.
  private mutating func keep(_ error: RecordingError) throws(RecordingError) {
    // Locations that are not those of the track are not what can be read.
    guard options.keepsReadablePart, !isFinished, output.failure == nil else { throw error }
    if case .detecting = state {
      // The bytes read so far suffice, if anything does.
      do throws(RecordingError) { try advance(transcoder.finish(), isFinal: true) } catch {}
    }
    state = .ended
    reader?.keepReadable(into: &output)
    failure =
      error.line == nil
      ? RecordingError(error.code, line: reader?.line, error.message) : error
  }

  /// Takes the next bytes, whose events ``nextEvents()`` returns.
  public mutating func supply(_ bytes: [UInt8]) { input += bytes }

  /// Returns the next events of the bytes that were supplied; nil if they complete no more.
  /// ``waypoints`` may have more also then.
  ///
  /// A line of GeoJSON has all of its locations at its end: they come some thousand at a time, while
  /// ``read(_:)`` returns them at once. Other formats give what the bytes complete.
  ///
  /// - Throws: As ``read(_:)`` does.
  public mutating func nextEvents() throws(RecordingError) -> [TimedEvent]? {
    var found = Found()
    var isBehind = true
    while isBehind, found.events.isEmpty { isBehind = try goOn(into: &found) }
    let events = give(found)
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
    try takeAll(into: &found)
    return give(found)
  }

  private mutating func takeAll(into found: inout Found) throws(RecordingError) {
    while try goOn(into: &found) {}
  }

  /// Goes on with what was supplied; false if there is nothing more to do.
  private mutating func goOn(into found: inout Found) throws(RecordingError) -> Bool {
    guard failure == nil || isFinished else { return try goOnBehindFailure(into: &found) }
    do throws(RecordingError) {
      return try goOnReading(into: &found)
    } catch {
      try keep(error)
      return true
    }
  }

  /// Goes on with what the reader held when the recording turned out to be damaged.
  private mutating func goOnBehindFailure(
    into found: inout Found
  ) throws(RecordingError) -> Bool {
    input = []
    let isBehind = try reader?.goOn(into: &output) ?? false
    take(into: &found)
    return isBehind
  }

  private mutating func goOnReading(into found: inout Found) throws(RecordingError) -> Bool {
    // Earlier input comes first.
    var isBehind = try goOn()
    if !isBehind {
      if !input.isEmpty {
        decompressor.supply(input)
        input = []
      }
      if let bytes = try decompressor.next() {
        isBehind = true
        if !bytes.isEmpty { try advance(transcoder.convert(bytes), isFinal: false) }
        if let file = decompressor.takeEndedFile() {
          // A short content may be undecided.
          try advance(transcoder.finish(), isFinal: false)
          if format == .kml { try end(file) }
        }
      }
    }
    if let failure = output.failure { throw failure }
    let count = found.events.count
    take(into: &found)
    return isBehind || found.events.count > count
  }

  /// Handles the end of a KML in an archive. Those that it links to are read: GDAL has one for each
  /// layer, and a first one with links alone. Without links and points, the next one is.
  private mutating func end(_ file: String) throws(RecordingError) {
    try advance([], isFinal: true)
    state = .ended
    try reader?.finish(into: &output)
    let links = output.takeLinks()
    decompressor.read(links, of: file, readsNext: links.isEmpty && output.kind == nil)
    (state, reader, transcoder) = (.betweenFiles, nil, Self.transcoder())
  }

  private mutating func take(into found: inout Found) {
    for (index, readings) in output.takeSensors() {
      found.sensors[found.events.count + index] = readings
    }
    let (events, waypoints) = (output.takeEvents(), output.takeWaypoints())
    hasContent = hasContent || !events.isEmpty || !waypoints.isEmpty
    found.events += events
    found.waypoints += waypoints
  }

  private mutating func give(_ found: Found) -> [TimedEvent] {
    (waypoints, sensors) = (found.waypoints, found.sensors)
    return found.events
  }

  private static func transcoder() -> TextTranscoder {
    TextTranscoder(decidingCount: max(3, RecordingFormat.binaryCount)) {
      FormatDetection.binaryFormat(of: $0) != nil
    }
  }

  private mutating func advance(_ bytes: [UInt8], isFinal: Bool) throws(RecordingError) {
    var bytes = bytes
    if case .betweenFiles = state {
      guard !bytes.isEmpty else { return }
      state = .detecting([])
    }
    if case .detecting(let first) = state {
      bytes = first + bytes
      state = .ended
      detected += bytes.count
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

  /// Goes on with bytes that were read before; false if there is nothing to do.
  private mutating func goOn() throws(RecordingError) -> Bool {
    switch state {
    case .detecting, .betweenFiles: return false
    case .reading, .ended: try requireReading()
    }
    state = .ended
    let isBehind = try reader?.goOn(into: &output) ?? false
    state = .reading
    return isBehind
  }

  private func requireReading() throws(RecordingError) {
    guard case .ended = state else { return }
    throw RecordingError(
      .malformed, "The recording has ended or failed; create another RecordingReader.")
  }
}

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
/// and at most 256 MiB.
public struct RecordingReader: ~Copyable {
  private enum State {
    /// The first bytes, while the format is not known.
    case detecting([UInt8])
    case reading
    case ended
  }

  /// The format; nil until enough has been read to recognize it.
  public private(set) var format: RecordingFormat?
  private var state = State.detecting([])
  /// Nil until the format is known. Changed in place: a copy would cost what it holds.
  private var reader: (any FormatReader)?
  private var transcoder = TextTranscoder()
  /// The bytes that were looked at to recognize the format.
  private var detected = 0
  /// What was supplied and is not read yet.
  private var input: [UInt8] = []
  private var output: RecordingOutput
  private let options: RecordingOptions

  /// The name of the track; nil if the recording has none, or if its name comes after locations.
  ///
  /// GPX has it in the track or in the metadata, a GeoJSON collection in the member `name`. It
  /// comes from outside: escape it before printing.
  public var name: String? { output.name }

  /// What was not understood so far.
  public var skipped: SkippedContent { output.skipped }

  /// What the reading has cost.
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
  ///   returned before are right; each later call throws again.
  public mutating func read(_ bytes: [UInt8]) throws(RecordingError) -> [TimedEvent] {
    supply(bytes)
    return try allEvents()
  }

  /// Handles the end of the recording, and returns the remaining events.
  ///
  /// - Throws: ``RecordingError`` if the recording is not complete, or not recognized.
  public mutating func finish() throws(RecordingError) -> [TimedEvent] {
    var events = try allEvents()
    try advance(transcoder.finish(), isFinal: true)
    events += try allEvents()
    state = .ended
    try reader?.finish(into: &output)
    return events + output.takeEvents()
  }

  /// Takes the next bytes, whose events ``nextEvents()`` returns.
  public mutating func supply(_ bytes: [UInt8]) { input += bytes }

  /// Returns the next events of the bytes that were supplied, some thousand at a time; nil if they
  /// complete no more.
  ///
  /// A line of GeoJSON has all of its locations at its end. ``read(_:)`` returns them at once.
  ///
  /// - Throws: As ``read(_:)`` does.
  public mutating func nextEvents() throws(RecordingError) -> [TimedEvent]? {
    while true {
      var isBehind = !input.isEmpty
      if isBehind {
        let bytes = input
        input = []
        try advance(transcoder.convert(bytes), isFinal: false)
      } else {
        isBehind = try goOn()
      }
      let events = output.takeEvents()
      if !events.isEmpty { return events }
      if !isBehind { return nil }
    }
  }

  private mutating func allEvents() throws(RecordingError) -> [TimedEvent] {
    var events: [TimedEvent] = []
    while let more = try nextEvents() { events += more }
    return events
  }

  private mutating func advance(_ bytes: [UInt8], isFinal: Bool) throws(RecordingError) {
    var bytes = bytes
    if case .detecting(let first) = state {
      bytes = first + bytes
      state = .ended
      detected += bytes.count
      guard let format = FormatDetection.format(of: bytes, isComplete: isFinal) else {
        guard !isFinal, bytes.count < FormatDetection.limit else {
          throw FormatDetection.failure(bytes)
        }
        state = .detecting(bytes)
        return
      }
      self.format = format
      reader = reader(of: format)
      state = .reading
    }
    try requireReading()
    state = .ended
    try reader?.read(bytes, into: &output)
    state = .reading
  }

  /// Goes on with bytes that were read before; false if there is nothing to do.
  private mutating func goOn() throws(RecordingError) -> Bool {
    if case .detecting = state { return false }
    try requireReading()
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

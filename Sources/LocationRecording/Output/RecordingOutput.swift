import AsyncLocation
import FoundationEssentials

/// Collects what a format's reader has read.
struct RecordingOutput {
  /// The number of events after which a reader that has many more lets them be taken.
  static let batchCount = 4096

  private(set) var events: [TimedEvent] = []
  private(set) var skipped = SkippedContent()
  /// The name of the track.
  private(set) var name: String?
  private var pacer: RecordingPacer
  /// Whether a location has come since the last segment began.
  private var isSegmentOpen = false
  private var segment: Int?
  private var hasLocations = false

  /// - Parameter start: The time of the first event, if the recording has no date.
  init(start: Date) { pacer = RecordingPacer(start: start) }

  /// Whether the events are to be taken before others are appended.
  var isFull: Bool { events.count >= Self.batchCount }

  /// Returns the events since the last call.
  mutating func takeEvents() -> [TimedEvent] {
    defer { events = [] }
    return events
  }

  /// Takes the name of the track, or of what it belongs to. The innermost comes last; one after
  /// the first location is that of another track.
  mutating func setName(_ text: String) {
    if !hasLocations, !text.isEmpty { name = text }
  }

  /// Counts a part that was not understood.
  mutating func skip(line: Int, _ reason: @autoclosure () -> String) {
    skipped.append(line: line, reason())
  }

  /// Appends an event, unless a value is invalid.
  ///
  /// - Parameters:
  ///   - time: What the recording says about its time.
  ///   - isLocation: Whether it is a location; only these have a pace of their own.
  ///   - make: Creates the event for the place that the times give it.
  mutating func append(
    at time: RecordedTime, isLocation: Bool = true,
    _ make: (RecordingPacer.Placement) throws(LocationError) -> BackendEvent
  ) throws(LocationError) {
    var next = pacer
    let placement = next.place(time, isLocation: isLocation)
    let event = try make(placement)
    pacer = next
    events.append(TimedEvent(offset: placement.offset, event: event))
  }

  /// Begins a segment of a track. Between segments the receiver had no fix or was off (GPX 1.1), so
  /// that is what the events say.
  mutating func beginSegment() {
    guard isSegmentOpen else { return }
    isSegmentOpen = false
    // Placements are in range, and nothing else can be invalid.
    try? append(at: .unknown, isLocation: false) { _ in
      .unavailable(
        LocationError(
          .locationUnknown,
          "A segment of the recorded track ends. Wait for the next one to begin."))
    }
  }

  /// Begins a segment if its number differs from that of the location before.
  mutating func enterSegment(_ number: Int) {
    if let segment, segment != number { beginSegment() }
    segment = number
  }

  /// Appends a location, or counts it as skipped if a value is invalid.
  mutating func append(_ fix: RecordedFix, line: @autoclosure () -> Int) {
    do throws(LocationError) {
      try append(at: fix.time) { (placement) throws(LocationError) in
        .location(try fix.location(placement))
      }
      (isSegmentOpen, hasLocations) = (true, true)
    } catch {
      skip(line: line(), error.message)
    }
  }
}

/// Reads the bytes of one format. Pure; memory is bounded as documented for each format.
protocol FormatReader {
  var cost: ReadingCost { get }
  /// Reads the next bytes.
  mutating func read(
    _ bytes: [UInt8], into output: inout RecordingOutput
  ) throws(RecordingError)
  /// Goes on with bytes that were read before.
  ///
  /// - Returns: False if all of them are handled.
  mutating func goOn(into output: inout RecordingOutput) throws(RecordingError) -> Bool
  /// Handles the end of the content.
  mutating func finish(into output: inout RecordingOutput) throws(RecordingError)
}

extension FormatReader {
  /// Formats whose bytes give few events have handled them already.
  mutating func goOn(into output: inout RecordingOutput) throws(RecordingError) -> Bool { false }
}

import AsyncLocation
import FoundationEssentials

/// A point of a recording, before it is known whether it is a location of the track.
struct RecordedPoint: Sendable {
  var fix: RecordedFix
  let kind: RecordedPointKind
  /// Whether the point begins a segment of its kind.
  let beginsSegment: Bool
  let line: Int
}

/// Collects the results of a format's reader.
struct RecordingOutput {
  /// The number of events after which a reader pauses, so that the caller can take them.
  static let batchCount = 4096
  /// The maximum number of links.
  private static let maximumLinks = 1_000

  private(set) var events: [TimedEvent] = []
  private(set) var skipped = SkippedContent()
  private(set) var omitted = OmittedContent()
  /// The error if locations were returned that do not belong to the track; else nil.
  private(set) var failure: RecordingError?
  private var waypoints: [Waypoint] = []
  private var links: [String] = []
  /// The readings of other sensors, by the indices of ``events``.
  private var sensors: [Int: SensorReadings] = [:]
  private var names = RecordedNames()
  private var pacer: RecordingPacer
  private var selection: PointSelection
  /// The points of the best kind so far, while a better kind may follow.
  private var waiting: [RecordedPoint] = []
  /// Whether the current segment has a location.
  private var isSegmentOpen = false
  /// The number or the name of the current segment.
  private var segment: String?
  /// The names of values that were out of range.
  private var outOfRange: Set<String> = []

  /// - Parameters:
  ///   - start: The time of the first event, if the recording has no date.
  ///   - capacity: The number of points that may wait for a better kind.
  init(start: Date, capacity: Int = PointSelection.capacity) {
    (pacer, selection) = (RecordingPacer(start: start), PointSelection(capacity: capacity))
  }

  /// The kind of the locations; nil before the first point. It may still change.
  var kind: RecordedPointKind? { selection.kind }

  /// The name of the track.
  var name: String? { names.name(of: kind) }

  /// Whether the events must be taken before more are appended.
  var isFull: Bool { events.count >= Self.batchCount }

  /// Returns the events since the last call.
  mutating func takeEvents() -> [TimedEvent] {
    defer { events = [] }
    return events
  }

  /// Returns the readings at the events since the last call, by their indices.
  mutating func takeSensors() -> [Int: SensorReadings] {
    defer { sensors = [:] }
    return sensors
  }

  /// Counts a position of a line without times that repeats a track with times.
  mutating func omitLinePoint() { omitted.linePointCount += 1 }

  /// Counts a record without a position.
  mutating func omitUnlocated() { omitted.unlocatedCount += 1 }

  /// Counts a message that is not a location.
  mutating func omitMessage(_ kind: String) { omitted.addMessage(kind) }

  /// Counts an unknown value of a point.
  mutating func omitExtension(_ name: String) { omitted.addExtension(name) }

  /// Counts an unknown column of a table.
  mutating func omitColumn(_ name: String) { omitted.addColumn(name) }

  /// Counts positions that describe the track in another way.
  mutating func omitAlternatives(_ count: Int) { omitted.alternativePointCount += count }

  /// Returns the waypoints since the last call.
  mutating func takeWaypoints() -> [Waypoint] {
    defer { waypoints = [] }
    return waypoints
  }

  /// Adds the path of another file that the content links to.
  mutating func link(to path: String) {
    if links.count < Self.maximumLinks { links.append(path) }
  }

  /// Returns the links since the last call.
  mutating func takeLinks() -> [String] {
    defer { links = [] }
    return links
  }

  /// Sets the name of a track, a route or the recording.
  ///
  /// - Parameter kind: Nil for the name of the recording.
  mutating func setName(_ text: String, of kind: RecordedPointKind? = nil) {
    if let other = names.set(text, of: kind, after: selection.kind) { omitted.addName(other) }
  }

  /// Counts a part that was not understood.
  mutating func skip(line: Int, _ reason: @autoclosure () -> String) {
    skipped.append(line: line, reason())
  }

  /// Appends an event, unless a value is invalid.
  ///
  /// - Parameters:
  ///   - time: The time in the recording.
  ///   - isLocation: Whether it is a location. Another event without a time does not advance the
  ///     offset once the recording has a location.
  ///   - make: Creates the event at its placement on the timeline.
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

  /// Appends an event of a receiver, unless a value is invalid. A location is a point of a track.
  mutating func appendReport(
    at time: RecordedTime, isLocation: Bool = true,
    _ make: (RecordingPacer.Placement) throws(LocationError) -> BackendEvent
  ) throws(LocationError) {
    try append(at: time, isLocation: isLocation, make)
    if isLocation { apply(selection.handle(.track).waiting) }
  }

  /// Begins a segment of a track. Between segments the receiver had no fix or was off (GPX 1.1), so
  /// an event reports the gap.
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

  /// Begins a segment if its number or name differs from that of the previous location.
  mutating func enterSegment(_ name: String) {
    if let segment, segment != name { beginSegment() }
    segment = name
  }

  /// Appends a point of a track, or counts it as skipped if a value is invalid.
  mutating func append(_ fix: RecordedFix, line: @autoclosure () -> Int) {
    let action = selection.handle(.track)
    apply(action.waiting)
    guard action.point == .append else { return refuse(.track, line: line()) }
    appendLocation(fix, line: line())
  }

  /// Appends a waypoint.
  ///
  /// - Parameter mayBeTrack: Whether it is also a point of the track if there are no better points.
  mutating func append(
    _ text: WaypointText, _ fix: RecordedFix, line: Int, mayBeTrack: Bool = true
  ) {
    do throws(LocationError) {
      waypoints.append(try Waypoint(fix, text))
      guard mayBeTrack else { return }
      append(RecordedPoint(fix: fix, kind: .waypoint, beginsSegment: false, line: line))
    } catch {
      skip(line: line, error.message)
    }
  }

  /// Appends a point as a location, once it is certain that it belongs to the track.
  mutating func append(_ point: RecordedPoint) {
    let action = selection.handle(point.kind)
    apply(action.waiting)
    switch action.point {
    case .wait: waiting.append(point)
    case .append: appendLocation(point)
    case .leaveOut: omit(point)
    case .refuse: refuse(point.kind, line: point.line)
    }
  }

  /// Handles the end of the content.
  mutating func finish() {
    apply(selection.finish())
    for name in names.unused(beside: kind) { omitted.addName(name) }
  }

  private mutating func apply(_ action: PointSelection.Waiting) {
    switch action {
    case .wait: return
    case .leaveOut: for point in waiting { omit(point) }
    case .append: for point in waiting { appendLocation(point) }
    }
    waiting = []
  }

  /// Counts a route point that is left out. Waypoints are returned separately.
  private mutating func omit(_ point: RecordedPoint) {
    if point.kind == .route { omitted.routePointCount += 1 }
  }

  /// Refuses a better kind of points after locations were returned.
  private mutating func refuse(_ kind: RecordedPointKind, line: Int) {
    failure =
      failure
      ?? RecordingError(
        .tooLarge, line: line,
        "a \(kind) begins after more than \(PointSelection.capacity) other points; put it first")
  }

  private mutating func appendLocation(_ point: RecordedPoint) {
    if point.beginsSegment { beginSegment() }
    appendLocation(point.fix, line: point.line)
  }

  private mutating func appendLocation(_ fix: RecordedFix, line: @autoclosure () -> Int) {
    var fix = fix
    fix.removeValuesOutOfRange { name in
      guard outOfRange.insert(name).inserted else { return }
      skip(line: line(), "the \(name) is out of range, here or in later points")
    }
    do throws(LocationError) {
      try append(at: fix.time) { (placement) throws(LocationError) in
        .location(try fix.location(placement))
      }
      if let readings = fix.sensors.unlessEmpty { sensors[events.count - 1] = readings }
      isSegmentOpen = true
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
  /// Continues with bytes that were read before.
  ///
  /// - Returns: False if all of them are handled.
  mutating func readBuffered(into output: inout RecordingOutput) throws(RecordingError) -> Bool
  /// Handles the end of the content.
  mutating func finish(into output: inout RecordingOutput) throws(RecordingError)
  /// The current line, counted from 1; for FIT, the number of messages.
  var line: Int { get }
  /// Outputs the buffered content before damage or truncation. Only ``readBuffered(into:)`` is
  /// called afterwards.
  mutating func outputReadable(into output: inout RecordingOutput)
}

extension FormatReader {
  /// Outputs nothing, for formats that buffer only an incomplete part, whose last number may be
  /// truncated.
  mutating func outputReadable(into output: inout RecordingOutput) {}

  /// Does nothing, for formats whose readers handle all bytes at once.
  mutating func readBuffered(into output: inout RecordingOutput) throws(RecordingError) -> Bool {
    false
  }
}

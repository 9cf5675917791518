import AsyncLocation
import FileAccess
import FoundationEssentials

/// Decides which locations are recorded, when they are written and synchronized, and into which
/// file. Pure.
///
/// Instants are durations on the recorder's timeline. After each ``next(at:)`` that returns
/// ``Action/write(_:)``, ``didWrite(into:at:)`` or ``didFail(_:at:)`` must follow before the next
/// call; after ``Action/synchronize``, ``didSynchronize(at:)`` or ``didFail(_:at:)``.
struct RecorderStateMachine {
  /// The next action of the recorder.
  enum Action: Hashable, Sendable {
    /// Waits until the instant; if nil, until something changes.
    case wait(until: Duration?)
    case write(Write)
    /// Flushes the file to the disk.
    case synchronize
    /// Closes the file, and replaces its ending if one is given.
    case close(ending: [UInt8]?)
    /// Ends the recording, with the error if locations could not be written or synchronized.
    case finish(LocationError?)
  }

  /// The first action of a recording.
  enum Beginning: Hashable, Sendable {
    /// Opens the file with a name.
    case open(String)
    /// Opens no file yet: the first location begins a file of a rotation.
    case rotation
  }

  /// Text for the current file, or for a new one.
  struct Write: Hashable, Sendable {
    /// Nil for the current file.
    var newFile: RotatedName?
    /// The offset of the text. The text and the ending replace the rest of the file.
    var offset: Int
    var text: [UInt8]
    /// The bytes that complete the file after the text.
    var ending: [UInt8]
    /// The number of received points in the text.
    var pointCount: Int
  }

  /// The reason that a recording ends.
  enum End: Hashable, Sendable {
    /// The source ended or failed, or the task was cancelled: the waiting points are written.
    case stopped
    /// Permission was withdrawn: earlier points are written, and a note about it ends the file.
    case revoked
  }

  /// The known state of the current file.
  private struct File {
    var text: RecordingText
    var bodyLength: Int
    var start: Location?
    var last: Location?
    /// The metres travelled in the file, without gaps.
    var distance = 0.0
    /// Whether another program removed or truncated the file.
    var isLost = false
  }

  private enum Phase: Hashable {
    /// Before the first recording, or between two.
    case idle
    case recording
    case ending(End)
    /// The file is closed, or about to be.
    case closed
  }

  /// A call without a result yet.
  private enum InFlight {
    case write(points: ArraySlice<TrackPoint>, file: File)
    case synchronization
  }

  /// The delay before the first retry of a failed call; doubled for each further retry, up to
  /// ``longestPause``.
  static let firstPause = Duration.seconds(1)
  static let longestPause = Duration.seconds(30)

  private let format: RecordingWriter.Format
  private let configuration: TrackRecorder.Configuration
  let fileName: String
  private var phase = Phase.idle
  private var segmentation: TrackSegmentation
  /// The last location that was not skipped.
  private var lastRecorded: Location?
  /// The points that wait to be written.
  private var waiting: ArraySlice<TrackPoint> = []
  private var file: File?
  /// The points of the file that may not be on the disk. If the disk fails, they are written again:
  /// the system may have dropped them.
  private var unsynchronized: ArraySlice<TrackPoint> = []
  /// The state of the file without the unsynchronized points.
  private var synchronizedFile: File?
  private var inFlight: InFlight?
  /// Whether no wait has followed the last synchronization. While the recorder waits, another
  /// program may remove the file, which a synchronization detects.
  private var isSeen = true
  /// The time when the file is due to be synchronized; nil while all of it is on the disk.
  private var deadline: Duration?
  /// The time when a failed write or synchronization is retried; nil without a failure.
  private var retry: Duration?
  /// The delay before the next retry.
  private var pause = Self.firstPause
  /// The maximum number of locations in a write, after a write did not fit on the disk; else nil.
  private var writeLimit: Int?
  /// Whether a call failed for good after the end.
  private var hasGivenUp = false
  /// Whether a synchronization failed after the end, before the last points were written.
  private var hasRepeatedLast = false
  /// Whether a file was lost after the end.
  private var hasLostLast = false
  private var lastSync: Duration?
  private var counts = TrackRecorder.Statistics()

  init(
    _ format: RecordingWriter.Format, _ configuration: TrackRecorder.Configuration, fileName: String
  ) {
    (self.format, self.configuration, self.fileName) = (format, configuration, fileName)
    segmentation = TrackSegmentation(configuration.track)
  }

  /// Begins a recording. Returns nil while another recording is in progress. Only the statistics of
  /// the previous recording are retained: its last location may have been received under another
  /// permission.
  mutating func begin() -> Beginning? {
    guard phase == .idle else { return nil }
    var next = Self(format, configuration, fileName: fileName)
    (next.phase, next.counts, next.lastSync) = (.recording, counts, lastSync)
    next.counts.fileLength = fileLength
    next.counts.problem = nil
    self = next
    // The previous recording may have continued in another file after the first file was lost.
    return configuration.rotation == nil ? .open(counts.fileName ?? fileName) : .rotation
  }

  /// Handles a failure to open the file, which ends the recording.
  mutating func didNotOpen() { phase = .idle }

  /// Handles the success of opening a file, and continues it after its content.
  mutating func didOpen(_ content: RecordedContent, at now: Duration) {
    file = File(
      text: RecordingText(format, afterSegment: content.lastSegment),
      bodyLength: content.bodyLength)
    synchronizedFile = file
    counts.fileName = counts.fileName ?? fileName
    counts.fileCount += 1
    lastSync = now
  }

  // MARK: Events

  /// Handles the next location.
  mutating func receive(_ location: Location, at now: Duration) {
    // A change between full and reduced accuracy begins a segment: the location is not compared
    // with the previous one, and the next file does not begin with the previous one.
    if let lastRecorded, lastRecorded.isReduced != location.isReduced { interrupt() }
    let point = segmentation.point(for: location)
    guard point.beginning != nil || isFarEnough(location) else {
      counts.skipped += 1
      return
    }
    lastRecorded = location
    waiting.append(point)
    dropExcess()
  }

  /// Begins a segment with the next location.
  mutating func interrupt() {
    _ = segmentation.point(for: .unavailable(LocationError(.locationUnknown, "No fix.")))
  }

  /// Begins to end the recording. Later calls have no effect.
  mutating func stop(_ end: End) {
    if phase == .recording { phase = .ending(end) }
  }

  // MARK: Actions

  private var isEnding: Bool {
    switch phase {
    case .idle, .recording: false
    case .ending, .closed: true
    }
  }

  /// Whether ``next(at:)`` returns something other than a wait.
  func isDue(at now: Duration) -> Bool {
    if inFlight != nil { return false }
    if isEnding || isSynchronizationDue(at: now) { return true }
    return !waiting.isEmpty && retry ?? now <= now
  }

  /// The time at which ``isDue(at:)`` becomes true without an event.
  var due: Duration? {
    guard inFlight == nil else { return nil }
    return [waiting.isEmpty ? nil : retry, deadline].compactMap(\.self).min()
  }

  /// Returns the next action. The machine is ready for another recording after
  /// ``Action/finish(_:)``.
  mutating func next(at now: Duration) -> Action {
    guard isDue(at: now) else {
      // After a failure the file remains seen: otherwise the next file would wait for a
      // synchronization of the failing one.
      if retry == nil { isSeen = false }
      return .wait(until: due)
    }
    if !hasGivenUp, let action = diskAction(at: now) { return action }
    counts.lost += waiting.count
    waiting = []
    switch phase {
    case .ending(let end):
      phase = .closed
      return .close(ending: end == .revoked ? file?.text.end(note: Self.revocationNote) : nil)
    case .idle, .recording, .closed:
      phase = .idle
      return .finish(hasGivenUp ? counts.problem : nil)
    }
  }

  /// The write or the synchronization that is due. At the end, all points are written before the
  /// synchronization.
  private mutating func diskAction(at now: Duration) -> Action? {
    let isLastSyncDue = waiting.isEmpty && (!unsynchronized.isEmpty || mayBeRemoved)
    guard isEnding ? isLastSyncDue : isSynchronizationDue(at: now) else {
      guard let first = waiting.first else { return nil }
      // A file is synchronized before the next file begins.
      guard unsynchronized.isEmpty && !mayBeRemoved || !needsNewFile(before: first) else {
        return synchronize()
      }
      return .write(makeWrite())
    }
    return synchronize()
  }

  /// Whether there is a file that another program may have removed during a wait.
  private var mayBeRemoved: Bool {
    guard let file else { return false }
    return !isSeen && !file.isLost
  }

  private mutating func synchronize() -> Action {
    inFlight = .synchronization
    isSeen = true
    return .synchronize
  }

  private func isSynchronizationDue(at now: Duration) -> Bool {
    guard let deadline else { return false }
    return deadline <= now || unsynchronized.count >= earlyCount
  }

  private static let revocationNote = "The recording ended because permission was withdrawn."

  /// Handles the success of the last write. A new file is already synchronized.
  ///
  /// - Parameter name: The name of the new file, if there is one.
  mutating func didWrite(into name: String? = nil, at now: Duration) {
    guard case .write(let points, let written) = inFlight else { return }
    inFlight = nil
    counts.recorded += points.count
    file = written
    writeLimit = writeLimit.flatMap { $0 * 2 < configuration.maximumWaiting ? $0 * 2 : nil }
    didSucceed()
    if let name {
      counts.fileName = name
      counts.fileCount += 1
      markSynchronized(at: now)
    } else {
      unsynchronized += points
      deadline = deadline ?? now + configuration.syncInterval
    }
  }

  /// Handles the success of a synchronization.
  mutating func didSynchronize(at now: Duration) {
    guard case .synchronization = inFlight else { return }
    inFlight = nil
    if waiting.isEmpty { didSucceed() }
    markSynchronized(at: now)
  }

  /// Records that all of the file is on the disk.
  private mutating func markSynchronized(at now: Duration) {
    (unsynchronized, synchronizedFile, deadline, lastSync) = ([], file, nil, now)
  }

  private mutating func didSucceed() {
    (retry, pause, counts.problem) = (nil, Self.firstPause, nil)
  }

  /// Handles the failure of the last call. A failed write leaves the file unchanged, unless the
  /// file is lost: then a new file continues with the points that were not on the disk.
  mutating func didFail(_ problem: LocationError, at now: Duration) {
    guard let inFlight else { return }
    self.inFlight = nil
    counts.problem = problem
    // A smaller write may fit on a full disk.
    let isFull = (problem.cause as? SystemFailure) == .full
    // A new file continues the recording; after the end, only once.
    let isLost = (problem.cause as? SystemFailure) == .lost && (!isEnding || !hasLostLast)
    switch inFlight {
    case .write(let points, _):
      waiting = points + waiting
      writeLimit = isFull ? max(1, points.count / 2) : nil
      // After the end, a failure is final, unless a smaller write or a new file may succeed.
      hasGivenUp = isEnding && !isLost && (!isFull || points.count == 1)
      if isLost { returnUnsynchronized() }
    // The points are written and synchronized again. After the end, this is done at most once while
    // points wait, and at most once for a lost file, which a new file continues.
    case .synchronization where !isEnding || !waiting.isEmpty && !hasRepeatedLast || isLost:
      hasRepeatedLast = isEnding
      returnUnsynchronized()
    case .synchronization:
      // The text is in the file, and may still reach the disk.
      (unsynchronized, deadline, hasGivenUp) = ([], nil, true)
    }
    if isLost {
      file?.isLost = true
      hasLostLast = isEnding
      counts.lostFiles += 1
    }
    dropExcess()
    retry = now + pause
    pause = min(pause * 2, Self.longestPause)
  }

  /// Moves the points that may not be on the disk back to the waiting points.
  private mutating func returnUnsynchronized() {
    counts.recorded -= unsynchronized.count
    waiting = unsynchronized + waiting
    (unsynchronized, file, deadline) = ([], synchronizedFile, nil)
  }

  // MARK: Points

  /// Whether a location has the least distance and the least interval from the last recorded one.
  private func isFarEnough(_ location: Location) -> Bool {
    guard let lastRecorded else { return true }
    let interval = configuration.minimumInterval
    // An eighth less is tolerated, for the jitter of a receiver that reports once an interval.
    guard interval <= .zero || lastRecorded.duration(to: location) >= interval - interval / 8 else {
      return false
    }
    return configuration.minimumDistance <= 0
      || lastRecorded.distance(to: location) >= configuration.minimumDistance
  }

  /// The number of unsynchronized locations that triggers an early synchronization.
  private var earlyCount: Int { max(1, configuration.maximumWaiting / 4) }

  /// Drops the oldest waiting points beyond the maximum, except the last one. The next point begins
  /// a segment, and has their number.
  private mutating func dropExcess() {
    while waiting.count + inFlightCount > configuration.maximumWaiting,
      let oldest = waiting.popFirst()
    {
      guard !waiting.isEmpty else {
        waiting = [oldest]
        return
      }
      counts.lost += 1
      let index = waiting.startIndex
      waiting[index].beginning = oldest.beginning == .start ? .start : .loss
      waiting[index].lostCount += oldest.lostCount + 1
    }
  }

  private var inFlightCount: Int {
    if case .write(let points, _) = inFlight { points.count } else { 0 }
  }

  private func needsNewFile(before point: TrackPoint) -> Bool {
    file.map { $0.isLost || isFull($0, before: point) } ?? true
  }

  /// Moves waiting points into the next write, as many as fit into one file.
  private mutating func makeWrite() -> Write {
    var next: File
    var newFile: RotatedName?
    var text: [UInt8] = []
    if let file, !needsNewFile(before: waiting[waiting.startIndex]) {
      next = file
    } else {
      let point = waiting[waiting.startIndex]
      newFile = RotatedName(fileName, at: point.location.timestamp)
      next = File(text: RecordingText(format, name: configuration.name), bodyLength: 0)
      text = next.text.begin()
      // Without a gap, the file begins with the last location of the previous file, so that their
      // distances add up.
      if point.beginning == nil, let last = file?.last {
        text += append(TrackPoint(last, beginning: .division), to: &next)
      }
    }
    var count = 0
    for point in waiting {
      guard count == 0 || !isFull(next, before: point, adding: text.count),
        count < writeLimit ?? .max
      else { break }
      text += append(point, to: &next)
      count += 1
    }
    let offset = next.bodyLength
    next.bodyLength += text.count
    inFlight = .write(points: waiting.prefix(count), file: next)
    waiting.removeFirst(count)
    return Write(
      newFile: newFile, offset: offset, text: text, ending: next.text.end(), pointCount: count)
  }

  /// Adds a point to the state of a file, and returns its text.
  private func append(_ point: TrackPoint, to file: inout File) -> [UInt8] {
    if point.beginning == nil, let last = file.last {
      file.distance += last.distance(to: point.location)
    }
    file.last = point.location
    file.start = file.start ?? point.location
    return file.text.write(point)
  }

  /// Whether a file ends before a point, because the point would exceed the limit of the rotation.
  /// A file without points never does.
  ///
  /// - Parameter count: The bytes of the text that the file does not include yet.
  private func isFull(_ file: File, before point: TrackPoint, adding count: Int = 0) -> Bool {
    guard let rotation = configuration.rotation, let start = file.start, let last = file.last
    else { return false }
    switch rotation.limit {
    case .bytes(let limit):
      var text = file.text
      let length = text.write(point).count + text.end().count
      return file.bodyLength + count + length > limit
    case .duration(let limit): return start.duration(to: point.location) > limit
    case .distance(let limit):
      guard point.beginning == nil else { return file.distance >= limit }
      return file.distance + last.distance(to: point.location) > limit
    }
  }

  // MARK: Statistics

  /// The length of the current file in bytes, its ending included; of the last one if there is
  /// none.
  private var fileLength: Int {
    file.map { $0.bodyLength + $0.text.end().count } ?? counts.fileLength
  }

  /// The statistics at an instant.
  func statistics(at now: Duration) -> TrackRecorder.Statistics {
    var statistics = counts
    statistics.waiting = waiting.count + inFlightCount
    statistics.fileLength = fileLength
    statistics.sinceLastSync = lastSync.map { now - $0 }
    return statistics
  }
}

import AsyncLocation
import FoundationEssentials
import LocationRecording

/// Reads a recording of any length and passes its points on part by part.
struct RecordingScan {
  /// The path of the recording; `-` for standard input.
  let path: String
  let options: TrackOptions
  /// Whether the part of a recording before damage or a cut is used.
  let keepsReadablePart: Bool
  let context: CommandContext
  /// Whether to show the progress in a terminal.
  let showsProgress: Bool

  /// The maximum number of stored device names.
  private static let maximumDevices = 10

  /// The next part of a recording.
  struct Part: Hashable, Sendable {
    var points: [TrackPoint]
    var waypoints: [Waypoint] = []
    /// The name of the track; nil if it has none so far.
    var name: String?
  }

  /// The facts to report about a recording that was read.
  struct Summary: Hashable, Sendable {
    var format: RecordingFormat?
    var name: String?
    /// The kind of the points; nil without any.
    var pointKind: RecordedPointKind?
    var skipped: SkippedContent
    var omitted: OmittedContent
    /// Why only a part was read.
    var failure: RecordingError?
    /// Whether a second scan yields the same content.
    var canBeReadAgain = false
    var pointCount = 0
    var waypointCount = 0
    /// The number of points without a time in the recording.
    var undatedCount = 0
    /// The receivers of the points, in order, at most ``maximumDevices``.
    var devices: [String] = []
    /// The number of positions of receivers other than the best.
    var otherCount = 0
    /// The number of dated points that are earlier than the previous one.
    var backwardTimeCount = 0

    /// Whether everything was read and understood.
    var isComplete: Bool { skipped.isEmpty && failure == nil }
  }

  /// Calls `handle` with the next points and waypoints, until the end.
  ///
  /// - Throws: ``FileFault`` if the recording cannot be read, or if all of it was understood and it
  ///   has no locations; `CancellationError`; and the errors of `handle`.
  func run(
    _ handle: (Part) async throws -> Void
  ) async throws -> Summary {
    let input = try RecordingInput(path: path)
    // Always set, because the message about damage states whether a part is readable.
    var reader = RecordingReader(options: RecordingOptions(keepsReadablePart: true))
    var segmentation = PacedSegmentation(options)
    var (pointCount, waypointCount, undatedCount, byteCount) = (0, 0, 0, 0)
    var backwardTimes = BackwardTimeCounter()
    var otherCount = 0
    var devices: [String] = []
    var progress = ScanProgress(length: input.length)
    let stopwatch = Stopwatch(context.clock)
    var isAtEnd = false
    var isReadable = false
    var unreadable: RecordingError?
    do {
      while !isAtEnd {
        var bytes: [UInt8]?
        do {
          if reader.failure == nil { bytes = try await input.read() }
        } catch let error as SystemFault where keepsReadablePart {
          unreadable = RecordingError(
            .unreadable, "cannot be read: \(SystemError.text(error.number))")
        }
        try Task.checkCancellation()
        if let bytes { reader.supply(bytes) }
        isAtEnd = bytes == nil
        byteCount += bytes?.count ?? 0
        var hasMore = true
        while hasMore {
          let events = try isAtEnd ? reader.finish() : reader.nextEvents()
          hasMore = events != nil && !isAtEnd
          let waypoints = reader.waypoints
          isReadable = isReadable || !waypoints.isEmpty || Self.hasLocation(events)
          if let failure = reader.failure, !keepsReadablePart || isAtEnd && !isReadable {
            throw FileFault(path, ScanMessages.damage(failure, isReadable: isReadable))
          }
          if options.device == nil {
            otherCount += (events ?? []).count {
              if case .location(let location) = $0.event {
                location.sourceInformation?.isPreferred == false
              } else {
                false
              }
            }
          }
          var points = (events ?? []).enumerated().flatMap { index, event in
            segmentation.points(for: event.event, reader.sensors[index])
          }
          if isAtEnd { points += segmentation.finish() }
          undatedCount += points.count { $0.location.isUndated }
          for point in points {
            backwardTimes.add(point.location)
            if let device = point.location.sourceInformation?.device, device != devices.last,
              devices.count < Self.maximumDevices, !devices.contains(device)
            {
              devices.append(device)
            }
          }
          pointCount += points.count
          waypointCount += waypoints.count
          if !points.isEmpty || !waypoints.isEmpty {
            try await handle(Part(points: points, waypoints: waypoints, name: reader.name))
          }
        }
        if showsProgress, let text = progress.text(byteCount, pointCount, at: stopwatch.now) {
          try? await context.errors.write(text)
        }
      }
    } catch {
      await clear(progress)
      switch error {
      case let error as RecordingError: throw FileFault(path, (unreadable ?? error).description)
      case let error as SystemFault: throw FileFault(path, "cannot be read", error.number)
      default: throw error
      }
    }
    await clear(progress)
    let summary = Summary(
      format: reader.format, name: reader.name, pointKind: reader.pointKind,
      skipped: reader.skipped, omitted: reader.omitted,
      failure: unreadable.map {
        RecordingError($0.code, line: reader.failure?.line, $0.message)
      } ?? reader.failure,
      canBeReadAgain: path != "-" && input.length != nil, pointCount: pointCount,
      waypointCount: waypointCount, undatedCount: undatedCount, devices: devices,
      otherCount: otherCount,
      backwardTimeCount: backwardTimes.count)
    if pointCount == 0, summary.isComplete {
      let reasons = ScanMessages.leftOut(summary.pointKind, summary.omitted)
      throw FileFault(path, (["it contains no locations"] + reasons).joined(separator: "; "))
    }
    return summary
  }

  private static func hasLocation(_ events: [TimedEvent]?) -> Bool {
    events?.contains { if case .location = $0.event { true } else { false } } ?? false
  }

  private func clear(_ progress: ScanProgress) async {
    if progress.isShown { try? await context.errors.write(ScanProgress.clearing) }
  }
}

/// Counts the times that are earlier than the previous one. Pure.
private struct BackwardTimeCounter {
  private(set) var count = 0
  private var last: Date?

  mutating func add(_ location: Location) {
    guard !location.isUndated else { return }
    if let last, location.timestamp < last { count += 1 }
    last = location.timestamp
  }
}

extension Location {
  /// Whether the recording has no date for the location, so that its time is made up.
  var isUndated: Bool { sourceInformation?.timeSource == .host }
}

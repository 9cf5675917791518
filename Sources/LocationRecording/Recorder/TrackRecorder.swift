public import AsyncLocation
import FileAccess

/// Records the locations of a manager in a file that other programs can read at any time.
///
/// ```swift
/// let recorder = try TrackRecorder(to: "drive.gpx", format: .gpx)
/// try await recorder.record(manager.updates)
/// ```
///
/// A recording lasts as long as the call of ``record(_:)``. Each location is written as soon as the
/// previous write ends, and the file is complete between two writes: after `kill -9`, only
/// locations that waited to be written are missing. Written locations are synchronized within
/// ``Configuration/syncInterval``: after a loss of power, at most the locations of that interval
/// are missing. <doc:RecordingATrack> describes, for each format, the content of a file after an
/// interrupted write.
///
/// Files can be read by their owner only. While a file cannot be written, such as on a full disk,
/// the locations wait and the write is retried. If another program removes or truncates the file,
/// ``Statistics/lostFiles`` counts it, and a new file continues, with the time of its first
/// location in its name. A file that is only moved is still written.
public actor TrackRecorder {
  private let configuration: Configuration
  private let timeline: Timeline
  private let session: RecordingSession
  private var machine: RecorderStateMachine
  /// Resumes the writer, which waits for the next write to be due.
  private var waitingWriter: CheckedContinuation<Void, Never>?
  /// The instant at which the writer resumes itself; nil if it waits for an event.
  private var waitsUntil: Duration?

  /// Creates a recorder. Opens the folder on the calling thread; nothing else is opened or created
  /// before ``record(_:)``, which uses its own thread.
  ///
  /// - Parameters:
  ///   - path: The file, in a folder that exists. With a rotation, the time of its first location
  ///     is added to the name of each file: `drive-20260504T030201Z.gpx`.
  ///   - format: Any but ``RecordingWriter/Format/kml`` and
  ///     ``RecordingWriter/Format/geoJSONTrack``.
  ///   - configuration: The selection of the recorded locations, their storage, and the action for
  ///     an existing file.
  ///   - clock: The clock that times synchronizations and retries.
  /// - Throws: `LocationError` with
  ///   - `invalidValue` for a path that names no file, a negative or infinite minimum distance, or
  ///     a rotation limit that is not above zero;
  ///   - `unsupported` for the two excluded formats, which cannot end after each point: convert a
  ///     file in another format;
  ///   - `storageUnavailable` if the folder cannot be opened.
  public init(
    to path: String, format: RecordingWriter.Format, configuration: Configuration = Configuration(),
    clock: any Clock<Duration> = .continuous
  ) throws(LocationError) {
    let target = try RecordingTarget(path)
    try self.init(
      target.name, in: try target.openFolder(), format: format, configuration: configuration,
      clock: clock)
  }

  init(
    _ name: String, in folder: Folder, format: RecordingWriter.Format,
    configuration: Configuration, clock: any Clock<Duration>
  ) throws(LocationError) {
    try Self.check(format)
    try configuration.check()
    (self.configuration, timeline) = (configuration, Timeline(clock))
    session = RecordingSession(folder, format: format)
    machine = RecorderStateMachine(format, configuration, fileName: name)
  }

  /// The current statistics.
  public var statistics: Statistics { machine.statistics(at: timeline.now()) }

  /// Begins a segment with the next location. Call it when the receiver has lost its fix: the
  /// updates of a manager do not report this loss. Otherwise, only the limits of
  /// ``Configuration/track``, a time before the previous one, a change between full and reduced
  /// accuracy, and lost locations interrupt the track.
  public func interrupt() { machine.interrupt() }

  /// Records locations until their sequence ends or the task is cancelled.
  ///
  /// Neither the disk nor a failure delays the sequence: locations are received immediately, and at
  /// most ``Configuration/maximumWaiting`` wait. When the sequence ends, throws or is cancelled,
  /// the waiting locations are written and synchronized once, and the file is unlocked. The
  /// recorder holds it open, to recognize it in the next recording. If the sequence throws because
  /// permission was withdrawn (`denied`, `restricted` or `locationServicesDisabled`), the waiting
  /// locations are also written, since they were received under permission, and the file contains a
  /// note if its format permits one. Cancelling the task does not throw.
  ///
  /// A recorder can record again once a recording has ended, for example when permission is granted
  /// again. The next recording continues the file with a new segment, regardless of
  /// ``Configuration/existing``, and removes the note about the withdrawn permission from the end
  /// of GPX and GeoJSON. If the file was removed meanwhile, a new file begins; if there is another
  /// file in its place, ``Configuration/existing`` applies. With a rotation, each recording begins
  /// a new file. ``statistics`` continue to count.
  ///
  /// - Throws: `LocationError` with `storageUnavailable` if the file cannot be created or opened,
  ///   if it exists and ``Configuration/existing`` refuses it, or if the last locations cannot be
  ///   written or synchronized at the end; with `invalidValue` while another call records, which
  ///   continues; and the error of the sequence.
  public func record<Updates: AsyncSequence>(
    _ updates: Updates
  ) async throws where Updates.Element == Location {
    guard let beginning = machine.begin() else {
      throw LocationError(
        .invalidValue,
        "The recorder records already; wait until that recording has ended, or create another recorder "
          + "with a file of its own.")
    }
    try await open(beginning)
    async let result = write()
    let failure = await receive(updates)
    let isRevoked = (failure as? LocationError)?.isRefusal == true
    let end: RecorderStateMachine.End = isRevoked ? .revoked : .stopped
    machine.stop(end)
    resumeWriter()
    let problem = await result
    if let failure, !(failure is CancellationError) { throw failure }
    if let problem { throw problem }
  }

  private func open(_ beginning: RecorderStateMachine.Beginning) async throws(LocationError) {
    guard case .open(let name) = beginning else { return }
    do throws(LocationError) {
      let content = try await session.open(
        name, existing: configuration.existing, title: configuration.name)
      machine.didOpen(content, at: timeline.now())
    } catch {
      machine.didNotOpen()
      throw error
    }
  }

  /// Receives locations until the sequence ends. Returns its error; nil if it ended without one.
  private func receive<Updates: AsyncSequence>(
    _ updates: Updates
  ) async -> (any Error)? where Updates.Element == Location {
    do {
      for try await location in updates {
        machine.receive(location, at: timeline.now())
        if isWaitOver { resumeWriter() }
      }
      return nil
    } catch {
      return error
    }
  }

  // MARK: Writing

  /// Performs the machine's actions until it finishes. Returns the error if locations could not be
  /// written or synchronized at the end.
  private func write() async -> LocationError? {
    while true {
      switch machine.next(at: timeline.now()) {
      case .wait(let instant): await wait(until: instant)
      case .write(let write):
        do throws(SystemFailure) {
          if let newFile = write.newFile {
            let name = try await session.rotate(to: newFile, write.text, ending: write.ending)
            machine.didWrite(into: name, at: timeline.now())
          } else {
            try await session.write(write.text, at: write.offset, ending: write.ending)
            machine.didWrite(at: timeline.now())
          }
        } catch {
          machine.didFail(problem("write", error), at: timeline.now())
        }
      case .synchronize:
        do throws(SystemFailure) {
          try await session.synchronize()
          machine.didSynchronize(at: timeline.now())
        } catch {
          machine.didFail(problem("synchronize", error), at: timeline.now())
        }
      case .close(let ending): await session.close(ending: ending)
      case .finish(let problem): return problem
      }
    }
  }

  /// The error of a failed call, which names the file of the recorder.
  private func problem(_ call: String, _ failure: SystemFailure) -> LocationError {
    OutputFailure(machine.fileName).error(call, failure)
  }

  /// Returns at an instant, or when the writer is resumed.
  private func wait(until instant: Duration?) async {
    // The task is cancelled after the wait, and nothing awaits its end.
    let alarm = instant.map { instant in
      Task { [timeline] in
        guard (try? await timeline.sleep(until: instant)) != nil else { return }
        resumeWriter()
      }
    }
    waitsUntil = instant
    await withCheckedContinuation { waitingWriter = $0 }
    alarm?.cancel()
  }

  /// Whether the machine must act before the instant until which the writer waits.
  private var isWaitOver: Bool {
    waitingWriter != nil && (machine.isDue(at: timeline.now()) || waitsUntil != machine.due)
  }

  private func resumeWriter() {
    waitingWriter?.resume()
    waitingWriter = nil
  }

  // MARK: Checks

  private static func check(_ format: RecordingWriter.Format) throws(LocationError) {
    guard format != .kml, format != .geoJSONTrack else {
      throw LocationError(
        .unsupported,
        "\(format) cannot be recorded, because a file of it is complete only at its end; record "
          + "GPX or GeoJSON, and convert it.")
    }
  }
}

public import AsyncLocation
public import FoundationEssentials

/// What a backend has received since it was made, all of its runs together, and how it stands.
public struct GPSDStatistics: Sendable, Hashable {
  /// Reports by gpsd's class, those of shared memory under the class that the socket has for them.
  public struct Classes: Sendable, Hashable {
    /// TPV: positions, or the lack of one.
    public var positions = 0
    /// SKY: satellites.
    public var skies = 0
    /// ATT and IMU: compasses and other sensors of motion.
    public var attitudes = 0
    /// DEVICES and DEVICE: receivers that came, changed or went.
    public var devices = 0
    /// ERROR: complaints.
    public var errors = 0
    /// All others.
    public var others = 0

    /// Creates counts of nothing.
    public init() {}
  }

  /// How the run that changed last stands with gpsd.
  public var phase: ConnectionState.Phase = .idle
  /// Since when by this computer's clock, which may be set; nil before the first run.
  public var phaseDate: Date?
  /// Since when by a clock that nobody sets.
  public var phaseInstant: ContinuousClock.Instant?
  /// The daemon that greeted last; nil before, and with shared memory.
  public var daemon: GPSDVersion?
  /// The receiver that serves those who name none; nil while there is none.
  public var preferredReceiver: String?
  /// How often another receiver came to serve those who name none, the first choice of each
  /// connection not counted.
  public var receiverChanges = 0
  /// Bytes received.
  public var bytes = 0
  /// Reports understood, of every class; records, with shared memory.
  public var reports = 0
  /// ``reports`` by class.
  public var classes = Classes()
  /// Lines skipped since they were not a report.
  public var malformedLines = 0
  /// Lines skipped since they were longer than ``GPSDConfiguration/maximumLineLength``.
  public var overlongLines = 0
  /// Positions of an epoch whose location was delivered before; they make none. They are counted in
  /// ``reports`` too. A receiver whose clock stands still adds one each time it reports.
  public var repeatedPositions = 0
  /// Attempts to connect.
  public var attempts = 0
  /// Connections on which gpsd greeted.
  public var connections = 0
  /// What went wrong last.
  public var lastError: LocationError?

  /// Lines received.
  public var lines: Int { reports + malformedLines + overlongLines }
  /// Lines that were dropped.
  public var droppedLines: Int { malformedLines + overlongLines }
  /// How long ``phase`` has held, on a monotonic clock; nil before the first run.
  public var phaseAge: Duration? { phaseInstant.map { ContinuousClock.now - $0 } }

  /// Creates statistics in which nothing has happened.
  public init() {}
}

/// What a gpsd says of itself in its greeting. Its texts come from outside: escape before printing.
public struct GPSDVersion: Sendable, Hashable, Codable {
  /// Such as "3.22".
  public let release: String?
  /// The version of the protocol, such as 3 and 14.
  public let protocolMajor: Int?
  public let protocolMinor: Int?

  /// Creates a version.
  public init(release: String?, protocolMajor: Int?, protocolMinor: Int?) {
    self.release = release
    self.protocolMajor = protocolMajor
    self.protocolMinor = protocolMinor
  }
}

extension GPSDVersion {
  init(_ report: VersionReport) {
    self.init(
      release: report.release, protocolMajor: report.protocolMajor,
      protocolMinor: report.protocolMinor)
  }
}

extension GPSDStatistics {
  /// Adds what a reader has read since an earlier moment.
  mutating func add(_ now: ReportReader.Statistics, since before: ReportReader.Statistics) {
    bytes += now.bytes - before.bytes
    reports += now.reports - before.reports
    malformedLines += now.malformed - before.malformed
    overlongLines += now.overlong - before.overlong
  }

  /// Takes a state of a run.
  mutating func take(_ state: ConnectionState) {
    if let problem = state.problem { lastError = problem }
    if preferredReceiver != nil, let preferred = state.preferredReceiver,
      preferred != preferredReceiver
    {
      receiverChanges += 1
    }
    preferredReceiver = state.preferredReceiver
    enter(state.phase)
  }

  mutating func enter(_ phase: ConnectionState.Phase) {
    guard phase != self.phase || phaseDate == nil else { return }
    self.phase = phase
    phaseDate = Timestamp.nearest(Date())
    phaseInstant = .now
    if phase != .connected { preferredReceiver = nil }
  }
}

extension GPSDStatistics.Classes {
  mutating func count(_ report: borrowing GPSDReport) {
    switch report {
    case .tpv: positions += 1
    case .sky: skies += 1
    case .att, .imu: attitudes += 1
    case .devices, .device: devices += 1
    case .error: errors += 1
    default: others += 1
    }
  }

  static func += (left: inout Self, right: Self) {
    left.positions += right.positions
    left.skies += right.skies
    left.attitudes += right.attitudes
    left.devices += right.devices
    left.errors += right.errors
    left.others += right.others
  }
}

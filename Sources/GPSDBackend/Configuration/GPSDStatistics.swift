public import AsyncLocation
public import FoundationEssentials
import GPSDReports

/// The current state of a backend, and counters over all of its runs.
public struct GPSDStatistics: Sendable, Hashable {
  /// The number of reports by gpsd's class. Reports from shared memory count under the class that
  /// the socket uses.
  public struct Classes: Sendable, Hashable {
    /// TPV: positions, with or without a fix.
    public var positions = 0
    /// SKY: satellites.
    public var skies = 0
    /// ATT and IMU: compasses and other motion sensors.
    public var attitudes = 0
    /// DEVICES and DEVICE: receivers that were added, changed or removed.
    public var devices = 0
    /// ERROR: errors that gpsd reports.
    public var errors = 0
    /// Reports of all other classes.
    public var others = 0

    /// Creates counts of zero.
    public init() {}
  }

  /// The latest connection phase of any run.
  public var phase: ConnectionState.Phase = .idle
  /// When ``phase`` began, by this computer's clock, which may be adjusted; nil before the first
  /// run.
  public var phaseDate: Date?
  /// When ``phase`` began, by a monotonic clock.
  public var phaseInstant: ContinuousClock.Instant?
  /// The version of the last gpsd that sent a greeting; nil before that and with shared memory.
  public var daemon: GPSDVersion?
  /// The receiver that serves subscribers without a `device` option; nil if there is none.
  public var preferredReceiver: String?
  /// How often the preferred receiver has changed, not counting the first choice of each
  /// connection.
  public var receiverChanges = 0
  /// Bytes received.
  public var bytes = 0
  /// Reports decoded, of every class. With shared memory, reports made from its records.
  public var reports = 0
  /// ``reports`` by class.
  public var classes = Classes()
  /// Lines skipped because they were not a report.
  public var malformedLines = 0
  /// Lines skipped because they were longer than ``GPSDConfiguration/maximumLineLength``.
  public var overlongLines = 0
  /// Positions that arrived after the location of their epoch was delivered; they produce no
  /// location. They are also counted in ``reports``. A receiver whose clock stands still adds one
  /// with each report.
  public var repeatedPositions = 0
  /// Attempts to connect.
  public var attempts = 0
  /// Connections on which gpsd sent its greeting; with shared memory, attached segments.
  public var connections = 0
  /// The last error.
  public var lastError: LocationError?

  /// Complete lines received, and overlong ones.
  public var lines: Int { reports + malformedLines + overlongLines }
  /// Lines that were skipped, malformed or overlong.
  public var droppedLines: Int { malformedLines + overlongLines }
  /// How long ``phase`` has lasted, on a monotonic clock; nil before the first run.
  public var phaseAge: Duration? { phaseInstant.map { ContinuousClock.now - $0 } }

  /// Creates statistics with all counts zero.
  public init() {}
}

/// The version that gpsd reports in its greeting. Its texts are untrusted input: escape them before
/// printing.
public struct GPSDVersion: Sendable, Hashable, Codable {
  /// The release, such as "3.22".
  public let release: String?
  /// The major version of the protocol, such as 3.
  public let protocolMajor: Int?
  /// The minor version of the protocol, such as 14.
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
  /// Adds the difference between two snapshots of a reader's statistics.
  mutating func add(_ now: ReportReader.Statistics, since before: ReportReader.Statistics) {
    bytes += now.bytes - before.bytes
    reports += now.reports - before.reports
    malformedLines += now.malformed - before.malformed
    overlongLines += now.overlong - before.overlong
  }

  /// Updates the state from a connection state of a run.
  ///
  /// - Parameter changesReceiver: Whether the preferred receiver differs from the last one.
  mutating func connectionChanged(to state: ConnectionState, changesReceiver: Bool) {
    if let problem = state.problem { lastError = problem }
    if changesReceiver { receiverChanges += 1 }
    preferredReceiver = state.preferredReceiver
    enter(state.phase)
  }

  /// Stores the phase and, if it has changed, when it began. No receiver is preferred without a
  /// connection.
  mutating func enter(_ phase: ConnectionState.Phase) {
    guard change(to: phase) else { return }
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

public import AsyncLocation
import GPSDReports

/// The address of gpsd and the options of the connection.
public struct GPSDConfiguration: Sendable {
  /// The transport of gpsd's reports.
  @nonexhaustive
  public enum Transport: Sendable, Hashable {
    /// gpsd's JSON protocol over TCP, from this machine or another.
    case socket
    /// The shared memory of a gpsd on this machine, which holds its latest state. It is read every
    /// ``GPSDConfiguration/sharedMemoryInterval``. Needs the package trait `LibGPS`. The key is
    /// gpsd's default, or the value of the environment variable `GPSD_SHM_KEY`.
    case sharedMemory
  }

  /// Which receivers serve subscribers that set no ``/AsyncLocation/UpdateOptions/device``.
  @nonexhaustive
  public enum ReceiverSelection: Sendable, Hashable {
    /// The best receiver, by mode, technique and accuracy; one at a time. Another receiver takes
    /// over when the current one loses its fix, has none for ``GPSDConfiguration/fixTimeout``, or
    /// is clearly worse for some seconds. ``/AsyncLocation/ConnectionState/preferredReceiver`` is
    /// the current one.
    case best
    /// All receivers, interleaved; ``/AsyncLocation/SourceInformation/device`` identifies them.
    case all
  }

  /// How many locations are produced from an epoch: one receiver's reports for one instant.
  ///
  /// Until gpsd has detected which message ends a receiver's cycle, it sends several reports per
  /// epoch, the earlier ones partial. ``GPSDBackend/reports(_:)`` delivers each report in any case.
  @nonexhaustive
  public enum Epochs: Sendable, Hashable {
    /// One location, with the values of the last report, completed with values of the earlier ones.
    ///
    /// A receiver that reports each epoch once is not delayed. The backend expects one report until
    /// two of the last three epochs had more reports. Until then, the epochs of a receiver that
    /// reports several times are delivered with the values of the first report and of the reports
    /// that arrive in the same chunk. After that, the backend expects the maximum number of reports
    /// in the last eight epochs, until two consecutive epochs have one report each.
    ///
    /// An epoch is delivered when the expected number of reports has arrived, when the next epoch
    /// begins, when the fix is lost, or when no report has arrived for a third of the receiver's
    /// cycle, limited to 50 ms to 500 ms. While no cycle is known, as after a lost fix, this time
    /// is 250 ms.
    ///
    /// After a lost fix, a report without the speed or track that the receiver usually reports is
    /// held in the same way. If another report of its epoch adds them, all such reports are held
    /// from then on. If no report does, the receiver itself omits them, and such reports are no
    /// longer held.
    ///
    /// A report that arrives after the location of its epoch produces no location and is counted in
    /// ``GPSDStatistics/repeatedPositions``. A receiver whose clock stands still therefore produces
    /// one location; with ``everyReport`` each of its reports produces one.
    case merged
    /// One location for each report.
    case everyReport
  }

  /// The host name or the IPv4 or IPv6 address. "localhost" is this machine and needs no look-up;
  /// `::1` is tried before `127.0.0.1`. Not used by shared memory.
  public var host: String
  /// The TCP port, 1...65535. Not used by shared memory.
  public var port: Int
  /// gpsd's path of the only receiver to watch, such as "/dev/ttyUSB0"; nil for all.
  public var device: String?
  /// Which receivers serve subscribers without a `device` option.
  public var receiverSelection: ReceiverSelection
  /// How long the best receiver may be without a fix before another one takes over; three times the
  /// receiver's own interval between fixes if that is longer.
  public var fixTimeout: Duration
  /// How many locations are produced from a receiver's epoch.
  public var epochs: Epochs
  /// The transport of gpsd's reports.
  public var transport: Transport
  /// The behaviour after a transient error.
  public var reconnection: Reconnection
  /// The time limit of a connection attempt, including the name look-up and all addresses. A
  /// running look-up cannot be stopped: the next attempt waits for its result. Not used by shared
  /// memory.
  public var connectTimeout: Duration
  /// The time limit for gpsd's greeting, for the list of receivers that `devices()` requests, and
  /// for gpsd's answer when a silent connection is tested. Not used by shared memory.
  public var handshakeTimeout: Duration
  /// How long an open connection may be silent before it is tested with a request, and how long
  /// shared memory may be unchanged before it is attached again.
  public var silenceTimeout: Duration
  /// Whether to wait for a ``device`` that gpsd does not have, such as a receiver that is plugged
  /// in later. If false, a missing device ends the run unless gpsd has listed it before. Shared
  /// memory always waits.
  public var waitsForDevice: Bool
  /// The time between two reads of shared memory.
  public var sharedMemoryInterval: Duration
  /// The maximum line length in bytes; longer lines from gpsd are dropped and counted.
  public var maximumLineLength: Int
  /// The policy that decides the permission of a manager of this backend.
  public var authorizationPolicy: any AuthorizationPolicy

  /// Creates a configuration. It is validated when a run begins.
  public init(
    host: String = "localhost", port: Int = 2947, device: String? = nil,
    receiverSelection: ReceiverSelection = .best, fixTimeout: Duration = .seconds(5),
    epochs: Epochs = .merged,
    transport: Transport = .socket, reconnection: Reconnection = .exponential(),
    connectTimeout: Duration = .seconds(10), handshakeTimeout: Duration = .seconds(5),
    silenceTimeout: Duration = .seconds(10), waitsForDevice: Bool = false,
    sharedMemoryInterval: Duration = .milliseconds(200), maximumLineLength: Int = 65_536,
    authorizationPolicy: any AuthorizationPolicy = .automatic
  ) {
    self.host = host
    self.port = port
    self.device = device
    self.receiverSelection = receiverSelection
    self.fixTimeout = fixTimeout
    self.epochs = epochs
    self.transport = transport
    self.reconnection = reconnection
    self.connectTimeout = connectTimeout
    self.handshakeTimeout = handshakeTimeout
    self.silenceTimeout = silenceTimeout
    self.waitsForDevice = waitsForDevice
    self.sharedMemoryInterval = sharedMemoryInterval
    self.maximumLineLength = maximumLineLength
    self.authorizationPolicy = authorizationPolicy
  }
}

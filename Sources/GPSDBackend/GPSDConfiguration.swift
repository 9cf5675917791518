public import AsyncLocation

/// Where gpsd is and how to deal with it.
public struct GPSDConfiguration: Sendable {
  /// How reports travel from gpsd.
  @nonexhaustive
  public enum Transport: Sendable, Hashable {
    /// gpsd's JSON protocol over TCP, from this machine or another.
    case socket
    /// The memory that a gpsd on this machine shares: its latest state, looked at every
    /// ``GPSDConfiguration/sharedMemoryInterval``. Needs the package trait `LibGPS`. The key is
    /// gpsd's own, or the one in the environment variable `GPSD_SHM_KEY`.
    case sharedMemory
  }

  /// Which receivers serve those who name none, as ``/AsyncLocation/UpdateOptions/device`` would.
  @nonexhaustive
  public enum ReceiverSelection: Sendable, Hashable {
    /// One at a time, the best: by mode, technique and accuracy. Another takes over when it loses
    /// its fix, gives none for ``GPSDConfiguration/fixTimeout``, or is outdone for some seconds.
    /// ``/AsyncLocation/ConnectionState/preferredReceiver`` says which it is.
    case best
    /// All, mixed; ``/AsyncLocation/SourceInformation/device`` tells them apart.
    case all
  }

  /// How many locations an epoch of a receiver makes: the reports that it has for one instant.
  ///
  /// gpsd sends several, the earlier ones partial, while it does not know which of a receiver's
  /// messages is the last of its cycle. ``GPSDBackend/reports(_:)`` has each report in any case.
  @nonexhaustive
  public enum Epochs: Sendable, Hashable {
    /// One location: the values of the last report, and those of the earlier ones that it lacks.
    ///
    /// A receiver that reports each epoch once is not delayed. The backend expects one report until
    /// two of the last three epochs had more: the first two epochs of a receiver that reports
    /// several times are delivered with what their first report says, or with what arrives in one
    /// piece with it. From then on it expects the most that any of the last eight epochs had.
    ///
    /// An epoch is delivered when as many reports arrived as are expected, when the next epoch
    /// begins, when the fix is lost, or when no report arrived for a third of the receiver's cycle,
    /// 50 ms to 500 ms. While no cycle is known, as after a lost fix, that is 250 ms.
    ///
    /// After a lost fix a report that lacks the speed or the track of the epoch before waits in the
    /// same way. When another report of its epoch brings what it lacks, all such reports wait from
    /// then on. When none does, the receiver leaves it out, and none waits any more.
    ///
    /// A report that arrives after the location of its epoch makes no location and is counted in
    /// ``GPSDStatistics/repeatedPositions``. A receiver whose clock stands still gives one location;
    /// with ``everyReport`` it gives all.
    case merged
    /// A location for each report.
    case everyReport
  }

  /// The host's name or its IPv4 or IPv6 address. "localhost" is this machine, without a look-up:
  /// `::1` is tried before `127.0.0.1`. Not used by shared memory.
  public var host: String
  /// The TCP port, 1...65535. Not used by shared memory.
  public var port: Int
  /// The one receiver to watch, by gpsd's path of it such as "/dev/ttyUSB0"; nil for all.
  public var device: String?
  /// Which receivers serve those who name none.
  public var receiverSelection: ReceiverSelection
  /// How long the best receiver may be without a fix before another serves; three times its own
  /// rhythm when that is longer.
  public var fixTimeout: Duration
  /// How many locations an epoch of a receiver makes.
  public var epochs: Epochs
  /// How reports travel from gpsd.
  public var transport: Transport
  /// What follows trouble that may pass.
  public var reconnection: Reconnection
  /// How long an attempt to connect may take, name lookup and all addresses included. A look-up
  /// cannot be stopped: the next attempt joins one that is still under way.
  public var connectTimeout: Duration
  /// How long gpsd may take to greet, and to answer when it is asked whether it is still there.
  public var handshakeTimeout: Duration
  /// How long an open connection may be silent before gpsd is asked whether it is still there.
  public var silenceTimeout: Duration
  /// Whether a ``device`` that gpsd lacks is waited for, as one that will be plugged in; otherwise
  /// it ends the run, unless it was seen before.
  public var waitsForDevice: Bool
  /// The time between two looks at shared memory.
  public var sharedMemoryInterval: Duration
  /// Bytes; a longer line from gpsd is dropped and counted.
  public var maximumLineLength: Int
  /// Who decides what a manager of this backend is allowed.
  public var authorizationPolicy: any AuthorizationPolicy

  /// Creates a configuration. It is checked when a run begins.
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

extension GPSDConfiguration {
  /// What follows trouble that may pass: gpsd absent, restarted or silent.
  public struct Reconnection: Sendable, Hashable {
    /// Nil for no second attempt.
    let delays: Delays?

    struct Delays: Sendable, Hashable {
      var initial: Duration
      var maximum: Duration
      var jitter: Double
      var attempts: Int?
    }

    /// The first trouble ends the run.
    public static var never: Self { Self(delays: nil) }

    /// Further attempts, each after a delay that begins at `initial` and doubles up to `maximum`,
    /// until gpsd answers again. Each looks the host's name up anew.
    ///
    /// - Parameters:
    ///   - initial: The first delay.
    ///   - maximum: The longest delay.
    ///   - jitter: The part of each delay that is random, 0...1, so that many clients of one gpsd
    ///     do not come back together; 0.5 for delays between half and all of the span.
    ///   - attempts: After so many in a row without success the run ends with what was wrong last;
    ///     nil for never.
    public static func exponential(
      initial: Duration = .seconds(1), maximum: Duration = .seconds(30), jitter: Double = 0.5,
      attempts: Int? = nil
    ) -> Self {
      Self(delays: Delays(initial: initial, maximum: maximum, jitter: jitter, attempts: attempts))
    }
  }
}

public import AsyncLocation

/// The source of sentences and the options of the connection.
public struct NMEAConfiguration: Sendable {
  /// Where the sentences come from.
  public var source: NMEASource
  /// The behaviour after a transient error. Applies to serial ports as well: it sets how often an
  /// absent device is looked for.
  public var reconnection: Reconnection
  /// The time limit of a connection attempt over TCP, including the name look-up and all addresses.
  public var connectTimeout: Duration
  /// How long the source may send no sentence. After that, a TCP connection is opened again, since
  /// it may be half open; the silence of a serial port or of datagrams is reported. A source that
  /// sends something else meanwhile is reported as not NMEA 0183. A source whose sentences have had no
  /// position for so long, as those of a depth sounder, is reported as well.
  public var silenceTimeout: Duration
  /// The policy that decides the permission of a manager of this backend.
  public var authorizationPolicy: any AuthorizationPolicy

  /// Creates a configuration. It is validated when a run begins.
  public init(
    source: NMEASource,
    reconnection: Reconnection = .exponential(maximum: .seconds(10)),
    connectTimeout: Duration = .seconds(10), silenceTimeout: Duration = .seconds(10),
    authorizationPolicy: any AuthorizationPolicy = .automatic
  ) {
    self.source = source
    self.reconnection = reconnection
    self.connectTimeout = connectTimeout
    self.silenceTimeout = silenceTimeout
    self.authorizationPolicy = authorizationPolicy
  }
}

extension NMEAConfiguration {
  private static let longest = Duration.seconds(1_000_000_000)  // The sum of two does not overflow.

  /// Checks the values.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` for the first invalid value.
  func validate() throws(LocationError) {
    try source.validate()
    for (name, value) in [("connectTimeout", connectTimeout), ("silenceTimeout", silenceTimeout)] {
      guard (.milliseconds(1)...Self.longest).contains(value) else {
        throw LocationError(
          .invalidValue,
          "\(name) must be at least 0.001 seconds and at most \(Self.longest), got \(value).")
      }
    }
    if let problem = reconnection.problem { throw LocationError(.invalidValue, problem) }
  }
}

extension NMEAConfiguration: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("source", String(printable: source.description)),
      DescribedMember("reconnection", reconnection),
      DescribedMember("connectTimeout", connectTimeout),
      DescribedMember("silenceTimeout", silenceTimeout),
      DescribedMember("authorizationPolicy", type(of: authorizationPolicy)),
    ]
  }
}

public import AsyncLocation

/// The identity of the program at GeoClue and the options of the connection.
public struct GeoClueConfiguration: Sendable {
  /// The ID under which GeoClue permits the program: the name of its desktop file without
  /// ".desktop", which is also the name of its section in `/etc/geoclue/geoclue.conf`. By default
  /// the file name of the program.
  public var desktopID: String
  /// The address of the bus, such as "unix:path=/run/dbus/system_bus_socket"; several are
  /// separated by semicolons. Only Unix sockets are supported. Nil for the system bus: the value of
  /// the environment variable `DBUS_SYSTEM_BUS_ADDRESS`, or the standard socket without it.
  public var address: String?
  /// Decides about permission in addition to GeoClue, which refuses by itself in any case. Nil for
  /// the policy that asks GeoClue.
  public var authorizationPolicy: (any AuthorizationPolicy)?
  /// The behaviour after a transient error.
  public var reconnection: Reconnection
  /// The time limit for the bus to accept the connection, and then for the bus to start GeoClue.
  public var connectTimeout: Duration
  /// The time limit for each other answer of GeoClue. If GeoClue has created no client when it
  /// expires, and answers otherwise, the user has no agent.
  public var answerTimeout: Duration
  /// The time limit for the decision of GeoClue's agent, which may ask the user. GeoClue itself
  /// waits 25 s for it.
  public var authorizationTimeout: Duration
  /// The time after which a lack of locations is reported as
  /// ``/AsyncLocation/LocationError/Code/locationUnknown``.
  public var locationTimeout: Duration
  /// How long GeoClue may be silent before the connection is tested with a request.
  public var silenceTimeout: Duration

  /// Creates a configuration. Invalid values are reported by the run.
  public init(
    desktopID: String? = nil, address: String? = nil,
    authorizationPolicy: (any AuthorizationPolicy)? = nil,
    reconnection: Reconnection = .exponential(), connectTimeout: Duration = .seconds(10),
    answerTimeout: Duration = .seconds(5), authorizationTimeout: Duration = .seconds(30),
    locationTimeout: Duration = .seconds(15), silenceTimeout: Duration = .seconds(60)
  ) {
    self.desktopID = desktopID ?? Self.programName
    self.address = address
    self.authorizationPolicy = authorizationPolicy
    self.reconnection = reconnection
    self.connectTimeout = connectTimeout
    self.answerTimeout = answerTimeout
    self.authorizationTimeout = authorizationTimeout
    self.locationTimeout = locationTimeout
    self.silenceTimeout = silenceTimeout
  }

  private static var programName: String {
    let path = CommandLine.arguments.first ?? ""
    return path.split(separator: "/").last.map(String.init) ?? "program"
  }
}

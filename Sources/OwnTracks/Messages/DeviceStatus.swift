public import AsyncLocation
public import FoundationEssentials

/// The state of a device that runs this package. It contains no location.
public struct DeviceStatus: Sendable, Hashable {
  /// The time of the state, to the second.
  public var time: Date?
  /// The permission to use the device's location.
  public var authorization: AuthorizationStatus?
  /// The accuracy that is permitted.
  public var accuracy: AccuracyAuthorization?
  /// The connection to the receiver. A receiver without a fix is connected.
  public var connection: ConnectionState.Phase?
  /// The problem of the connection; nil if there is none.
  public var problem: LocationError.Code?

  /// Creates a state.
  public init(
    time: Date?, authorization: AuthorizationStatus? = nil,
    accuracy: AccuracyAuthorization? = nil, connection: ConnectionState.Phase? = nil,
    problem: LocationError.Code? = nil
  ) {
    self.time = time
    self.authorization = authorization
    self.accuracy = accuracy
    self.connection = connection
    self.problem = problem
  }

  init(_ members: MessageMembers) {
    self.init(
      time: members.time("tst"),
      authorization: members.text("authorization").flatMap(AuthorizationStatus.init),
      accuracy: members.text("accuracy").flatMap(AccuracyAuthorization.init),
      connection: members.text("connection").flatMap(ConnectionState.Phase.init),
      problem: members.code("problem"))
  }

  /// The state as JSON on one line.
  var json: [UInt8] {
    var writer = JSONWriter()
    writer.add("tst", time)
    writer.add("authorization", authorization?.rawValue)
    writer.add("accuracy", accuracy?.rawValue)
    writer.add("connection", connection?.rawValue)
    writer.add("problem", problem?.description)
    return writer.json
  }
}

/// A command to a device: `_type` `cmd`.
public struct CommandMessage: Sendable, Hashable {
  /// The action that a device is to perform; unrecognized actions are stored by name.
  public struct Action: RawRepresentable, Sendable, Hashable {
    /// The name in the message.
    public let rawValue: String

    /// Creates an action from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Publishes the current location.
    public static var reportLocation: Self { Self(rawValue: "reportLocation") }
    /// Publishes the steps that were counted.
    public static var reportSteps: Self { Self(rawValue: "reportSteps") }
    /// Adds or changes regions: the ``CommandMessage/waypoints``.
    public static var setWaypoints: Self { Self(rawValue: "setWaypoints") }
    /// Removes all regions.
    public static var clearWaypoints: Self { Self(rawValue: "clearWaypoints") }
    /// Publishes all regions.
    public static var waypoints: Self { Self(rawValue: "waypoints") }
    /// Publishes the configuration.
    public static var dump: Self { Self(rawValue: "dump") }
    /// Publishes the state of the device.
    public static var status: Self { Self(rawValue: "status") }
    /// Changes the configuration: the ``CommandMessage/configuration``.
    public static var setConfiguration: Self { Self(rawValue: "setConfiguration") }
  }

  /// The action that the device is to perform.
  public var action: Action
  /// The regions of ``Action/setWaypoints``.
  public var waypoints: [WaypointMessage]
  /// The object of ``Action/setConfiguration`` as JSON on one line, up to 64 KiB. It may contain
  /// passwords.
  public let configuration: String?

  /// Creates a command. Regions are sent with ``Action/setWaypoints`` only.
  public init(_ action: Action, waypoints: [WaypointMessage] = []) {
    (self.action, self.waypoints, configuration) = (action, waypoints, nil)
  }

  /// Creates the command that changes a device's configuration.
  ///
  /// - Parameter configuration: A JSON object with the members to change and the `_type`
  ///   `configuration`.
  /// - Throws: ``OwnTracksError`` unless the text is a JSON object of up to 64 KiB.
  public init(configuration: String) throws(OwnTracksError) {
    (action, waypoints) = (.setConfiguration, [])
    self.configuration = try MessageMembers.line(configuration)
  }
}

extension CommandMessage {
  init(_ members: MessageMembers) throws(OwnTracksError) {
    guard let action = members.text("action") else { throw .invalid("action", "a text") }
    self.action = Action(rawValue: action)
    waypoints = self.action == .setWaypoints ? members.nestedWaypoints() : []
    configuration = members.json("configuration")
  }

  /// The message as JSON on one line.
  var json: [UInt8] {
    var writer = JSONWriter(type: "cmd")
    writer.add("action", action.rawValue)
    if action == .setWaypoints {
      writer.add("waypoints", object: WaypointsMessage(waypoints).json)
    }
    writer.add("configuration", json: configuration)
    return writer.json
  }
}

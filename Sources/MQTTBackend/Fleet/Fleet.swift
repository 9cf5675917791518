public import AsyncLocation

/// Follows all devices under a topic of an MQTT broker.
///
/// ```swift
/// for try await update in fleet.updates {
///   print(update.device, update.location.coordinate)
/// }
/// ```
///
/// Devices send locations in OwnTracks' JSON to `BASE/USER/DEVICE`. A fleet keeps the last location
/// of each device and whether it is online. It also tracks which conditions each device meets; see
/// ``add(_:identifier:)``. The locations of a device are delivered in ascending order of their time,
/// each once: those that arrive again, or late, are dropped and counted in ``statistics``. The
/// location that the broker kept for a device is delivered after the fleet connects, marked with
/// ``FleetUpdate/isRetained``.
///
/// Devices are not trusted. ``FleetLimits`` bounds their number, their rates and the size of their
/// messages; what exceeds it is dropped and counted, and the other devices are served.
///
/// The fleet runs until ``shutdown()``, or until it and all of its streams are released.
public final class Fleet: Sendable {
  private let lifetime: FleetLifetime
  var hub: FleetHub { lifetime.hub }

  init(_ hub: FleetHub, _ connection: FleetConnection) {
    lifetime = FleetLifetime(hub, connection)
  }

  /// Ends all streams after what they hold, and the connection to the broker. A second call waits
  /// for the same end.
  ///
  /// What is known about the devices can still be read. Streams opened later throw
  /// ``/AsyncLocation/LocationError/Code/shutDown``.
  public func shutdown() async {
    hub.shutDown()
    lifetime.connection.stop()
    await lifetime.connection.waitUntilStopped()
  }

  // MARK: Streams

  /// The locations of all devices.
  ///
  /// Each access subscribes: every location that arrives afterwards reaches the sequence, or is
  /// counted in ``FleetStream/dropped``. All subscribers see the same order.
  public var updates: FleetUpdates { FleetStream(hub.subscribe(to: \.updates, lifetime)) }

  /// New, online, offline and forgotten devices. Each access subscribes, as ``updates`` does.
  public var changes: FleetChanges { FleetStream(hub.subscribe(to: \.changes, lifetime)) }

  /// Changes of the conditions that ``add(_:identifier:)`` added. Each access subscribes, as
  /// ``updates`` does.
  public var events: FleetEvents { FleetStream(hub.subscribe(to: \.events, lifetime)) }

  /// The states of the connection to the broker, beginning with the current one. The newest 16 are
  /// buffered.
  public var connectionStates: AsyncStream<ConnectionState> { hub.connectionStates(lifetime) }

  /// Counts of the messages since the fleet was created.
  public var statistics: FleetStatistics { hub.statistics }

  // MARK: Devices

  /// The known devices, sorted by ``FleetDevice/id``.
  ///
  /// A copy, made while messages arrive: devices that were added or forgotten meanwhile may be in it
  /// or not. With many devices, ``device(_:)`` or ``changes`` serve better.
  public var devices: [FleetDevice] { hub.devices.sorted { $0.id < $1.id } }

  /// The number of known devices.
  public var deviceCount: Int { hub.deviceCount }

  /// What is known about a device; nil if no message of it has arrived.
  public func device(_ id: FleetDevice.ID) -> FleetDevice? { hub.device(id) }

  /// Forgets a device; does nothing if it is not known. Its next message makes it a new device.
  public func forget(_ id: FleetDevice.ID) { hub.forget(id) }
}

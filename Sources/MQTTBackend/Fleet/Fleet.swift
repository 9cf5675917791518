import AsyncLocation
@_exported public import LocationFleet
public import OwnTracks

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
/// ``add(_:identifier:for:)``. The locations of a device are delivered in ascending order of their time,
/// each once: those that arrive again, or late, are dropped and counted in ``statistics``. The
/// location that the broker kept for a device is delivered after the fleet connects, marked with
/// ``FleetUpdate/isRetained``.
///
/// Devices are not trusted. ``FleetLimits`` bounds their number, their rates and the size of their
/// messages; the excess is dropped and counted, and the other devices are served.
///
/// The fleet connects when a stream is first read, when its devices are requested, or with the first
/// ``send(_:to:)``: the streams
/// and conditions that there are by then miss nothing, also of what the broker has kept for a
/// session. It runs until ``shutdown()``, or until it and all of its streams are released.
public final class Fleet: Sendable {
  let lifetime: FleetLifetime
  var hub: FleetHub { lifetime.hub }
  /// The hub of a fleet that is, or is about to be, connected.
  private var connectedHub: FleetHub {
    lifetime.connection.start()
    return hub
  }

  init(_ hub: FleetHub, _ connection: FleetConnection, _ writer: FleetWriter? = nil) {
    lifetime = FleetLifetime(hub, connection, writer)
  }

  /// Closes the connection to the broker, and then ends all streams after what they hold. With a storage,
  /// everything is stored before, unless that fails, and the storage is closed. A second call waits for the same end.
  ///
  /// The known state of the devices can still be read. Streams opened later throw
  /// ``/AsyncLocation/LocationError/Code/shutDown``.
  public func shutdown() async {
    // First the connection: the broker counts what it has acknowledged as handled.
    lifetime.connection.stop()
    await lifetime.connection.waitUntilStopped()
    hub.shutDown()
    await lifetime.writer?.waitUntilEnded()
  }

  /// Counts of the messages since the fleet was created.
  public var statistics: FleetStatistics { hub.statistics }

  /// The known devices, sorted by ``/LocationFleet/FleetDevice/id``.
  ///
  /// A copy, made while messages arrive: devices that were added or forgotten meanwhile may be in it
  /// or not. With many devices, ``device(_:)`` or ``changes`` serve better.
  public var devices: [FleetDevice] { connectedHub.devices.sorted { $0.id < $1.id } }

  /// The number of known devices.
  public var deviceCount: Int { connectedHub.deviceCount }

  /// The known state of a device; nil if no message of it has arrived.
  public func device(_ id: FleetDevice.ID) -> FleetDevice? { connectedHub.device(id) }

  /// Sends a command to a device, and returns when the broker has acknowledged it. The device answers, if it
  /// does, with messages of its own. The command is encrypted if ``FleetConfiguration/keys`` has a key.
  ///
  /// Connects the fleet, as reading a stream does. While there is no connection, the call waits for one; up to 1,024 calls wait. A broker keeps a command
  /// for a device that is not connected, if the device has a session.
  ///
  /// - Throws: `CancellationError` when the task is cancelled: the command may still arrive then.
  ///   ``/AsyncLocation/LocationError`` with `backendUnavailable` when the connection ends before the
  ///   acknowledgement, and when 1,024 calls wait already; with `unsupported` when the broker acknowledges
  ///   nothing; with `invalidValue` for a command that is too large for it; with `denied` when the broker's rules refuse the
  ///   command; with `shutDown` after ``shutdown()``.
  public func send(_ command: CommandMessage, to device: FleetDevice.ID) async throws {
    try await connectedHub.commands.send(command, to: device)
  }

  /// Forgets a device; does nothing if it is not known. Its next message makes it a new device.
  ///
  /// With a storage, also its history and its events are deleted; ``waitUntilStored()`` returns when they
  /// are.
  public func forget(_ id: FleetDevice.ID) { hub.forget(id) }
}

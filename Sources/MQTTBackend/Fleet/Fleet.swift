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
/// Devices send locations in OwnTracks' JSON to `BASE/USER/DEVICE`. A fleet stores the last
/// location of each device and whether the device is online. It also tracks which conditions each
/// device meets; see ``add(_:identifier:for:)``. The locations of a device are delivered once, in
/// ascending order of time: repeated and late locations are dropped and counted in ``statistics``.
/// After the fleet connects, the location that the broker retains for a device is delivered with
/// ``FleetUpdate/isRetained``.
///
/// Devices are not trusted. ``FleetLimits`` bounds their number, their rates and the size of their
/// messages; messages beyond a limit are dropped and counted, and other devices are not affected.
///
/// The fleet connects when a stream is first read, when its devices are first requested, or with
/// the first ``send(_:to:)``. Streams and conditions that exist by then miss no message, including
/// those that the broker has stored for a session. The fleet runs until ``shutdown()``, or until it
/// and all of its streams are released.
public final class Fleet: Sendable {
  let lifetime: FleetLifetime
  var hub: FleetHub { lifetime.hub }
  /// Starts the connection, unless it was started, and returns the hub.
  private var connectedHub: FleetHub {
    lifetime.connection.start()
    return hub
  }

  init(_ hub: FleetHub, _ connection: FleetConnection, _ writer: FleetWriter? = nil) {
    lifetime = FleetLifetime(hub, connection, writer)
  }

  /// Closes the connection to the broker, and then ends all streams after their buffered elements.
  ///
  /// With a storage, all changes are stored, unless that fails, and the storage is closed. A second
  /// call waits for the same shutdown.
  ///
  /// The known state of the devices can still be read. Streams opened later throw
  /// ``/AsyncLocation/LocationError/Code/shutDown``.
  public func shutdown() async {
    // The connection is stopped first: the broker regards acknowledged messages as handled, so the
    // hub must handle them before it ends.
    lifetime.connection.stop()
    await lifetime.connection.waitUntilStopped()
    hub.shutDown()
    await lifetime.writer?.waitUntilEnded()
  }

  /// Counts of the messages since the fleet was created.
  public var statistics: FleetStatistics { hub.statistics }

  /// The known devices, sorted by ``/LocationFleet/FleetDevice/id``.
  ///
  /// The array is a copy that is made while messages arrive: it may or may not contain devices that
  /// were added or forgotten meanwhile. For many devices, prefer ``device(_:)`` or ``changes``.
  public var devices: [FleetDevice] { connectedHub.devices.sorted { $0.id < $1.id } }

  /// The number of known devices.
  public var deviceCount: Int { connectedHub.deviceCount }

  /// The known state of a device; nil if the device is not known.
  public func device(_ id: FleetDevice.ID) -> FleetDevice? { connectedHub.device(id) }

  /// Sends a command to a device, and returns when the broker has acknowledged it.
  ///
  /// A device may answer with its own messages. The command is encrypted if
  /// ``FleetConfiguration/keys`` returns a key for the device.
  ///
  /// The call connects the fleet, as reading a stream does, and waits while there is no connection.
  /// At most 1,024 calls may be unfinished. The broker stores a command for a device that is not
  /// connected if the device has a session.
  ///
  /// - Throws: `CancellationError` when the task is cancelled; the command may still arrive.
  ///   ``/AsyncLocation/LocationError`` with `backendUnavailable` when the connection ends before
  ///   the acknowledgement, when 1,024 calls are unfinished, and when the broker refuses the
  ///   command for a reason other than its rules; with `unsupported` when the broker acknowledges
  ///   no publications; with `invalidValue` for a command that is too large for the broker; with
  ///   `denied` when the broker's rules refuse the command; with `shutDown` after ``shutdown()``.
  ///   If an error has ended the fleet, that error.
  public func send(_ command: CommandMessage, to device: FleetDevice.ID) async throws {
    try await connectedHub.publications.send(command, to: device)
  }

  /// Forgets a device; does nothing if it is not known. Its next message adds it as a new device.
  ///
  /// With a storage, the device's history and events are deleted, too; ``waitUntilStored()``
  /// returns after the deletion.
  public func forget(_ id: FleetDevice.ID) { hub.forget(id) }
}

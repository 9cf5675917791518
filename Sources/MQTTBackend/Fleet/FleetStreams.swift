public import AsyncLocation

/// The locations of all devices for one subscriber; see ``Fleet/updates``.
public typealias FleetUpdates = Updates<FleetUpdate>

/// The locations of all devices for one subscriber, in batches; see ``Fleet/batches``.
public typealias FleetBatches = UpdateBatches<FleetUpdate>

/// The changes of the devices for one subscriber; see ``Fleet/changes``.
public typealias FleetChanges = Updates<FleetChange>

/// The changes of conditions for one subscriber; see ``Fleet/events``.
public typealias FleetEvents = Updates<FleetEvent>

/// The messages of all devices for one subscriber; see ``Fleet/messages``.
public typealias FleetMessages = Updates<FleetMessage>

extension Fleet {
  /// The locations of all devices.
  ///
  /// Each access subscribes: every location that arrives afterwards reaches the sequence, or is
  /// counted in its `dropped`. While the subscriber is busy, the newest locations are buffered, up
  /// to ``FleetLimits/buffering``. All subscribers see the same order.
  ///
  /// The sequence ends after ``shutdown()``, and throws ``/AsyncLocation/LocationError`` when an
  /// error ends the fleet, such as a permanent refusal by the broker. Both happen after all
  /// buffered locations. Cancelling the task of a loop ends the loop without an error. Releasing
  /// the sequence and its iterators unsubscribes.
  public var updates: FleetUpdates { Updates(hub.subscribe(to: \.updates, lifetime)) }

  /// The locations of all devices, in batches of all buffered locations. Faster than ``updates``
  /// for a loop that handles many locations, otherwise equivalent. Each access subscribes.
  public var batches: FleetBatches { UpdateBatches(hub.subscribe(to: \.updates, lifetime)) }

  /// The drives of all devices between places where they rest for ten minutes or longer. Equivalent
  /// to ``trips(_:)`` with default options.
  public var trips: FleetTrips { trips(TripOptions()) }

  /// The drives of all devices between places where they rest.
  ///
  /// Each access subscribes, as ``updates`` does. Each device has the trips that
  /// ``/AsyncLocation/LocationManager/trips(_:)`` describes: one is delivered when it is
  /// established, and again with its end. They are those of the same locations in the history
  /// (``/LocationFleet/FleetHistory/trips(of:from:to:_:)``), on whichever of several servers the
  /// device is, except that locations which arrived late, and those from before the subscription,
  /// are in the history alone. The trips of a device that was forgotten are discarded.
  ///
  /// While the subscriber is busy, the newest locations are buffered, up to
  /// ``FleetLimits/buffering``; older ones are dropped, which counts as a gap. Locations whose
  /// position or time its device found contradicted are left out. A device takes about 2 kB until
  /// it is forgotten, and during a trip 64 bytes more for each stop.
  ///
  /// - Parameter options: The criteria. ``/AsyncLocation/TripOptions/device`` has no effect.
  public func trips(_ options: TripOptions) -> FleetTrips {
    FleetTrips(
      Updates(hub.subscribe(to: \.tripLocations, lifetime)),
      FleetTripTable(options) { [hub] in hub.device($0) != nil })
  }

  /// Changes of the devices and of the storage, such as new, online, offline and forgotten devices.
  /// Each access subscribes, as ``updates`` does.
  public var changes: FleetChanges { Updates(hub.subscribe(to: \.changes, lifetime)) }

  /// Changes of the conditions that ``add(_:identifier:for:)`` added. Each access subscribes, as
  /// ``updates`` does. With a storage, an event is delivered after it is stored; see also
  /// ``unfinishedEvents``.
  public var events: FleetEvents { Updates(hub.subscribe(to: \.events, lifetime)) }

  /// The complete messages of the devices. Each access subscribes, as ``updates`` does.
  ///
  /// The stream contains each delivered location of a device, with the battery, the trigger and the
  /// other members of its message, and the device's last wills. With
  /// ``FleetConfiguration/includesAllMessages``, it also contains transitions, waypoints, cards,
  /// states, steps and messages of other types. The messages of one topic arrive in the order in
  /// which the device sent them; MQTT does not order messages of different topics. A broker may
  /// deliver a message twice: a repeated location is omitted, and any other repeated message is
  /// delivered again. While the stream has a subscriber, messages are decoded a second time. The
  /// stream buffers the newest messages, up to ``FleetLimits/messageBytes``.
  public var messages: FleetMessages { Updates(hub.subscribeToMessages(lifetime)) }

  /// The states of the connection to the broker, beginning with the current one. The newest 16 are
  /// buffered.
  public var connectionStates: AsyncStream<ConnectionState> { hub.connectionStates(lifetime) }
}

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
  /// The sequence ends after ``shutdown()``, and throws ``/AsyncLocation/LocationError`` when the
  /// broker refuses the connection permanently, after all buffered locations. Cancelling a task that
  /// iterates ends it without an error. Releasing the sequence and its iterators unsubscribes.
  public var updates: FleetUpdates { Updates(hub.subscribe(to: \.updates, lifetime)) }

  /// The locations of all devices, all that are buffered at once. Faster than ``updates`` for a loop
  /// that handles many; otherwise as it. Each access subscribes.
  public var batches: FleetBatches { UpdateBatches(hub.subscribe(to: \.updates, lifetime)) }

  /// New, online, offline and forgotten devices. Each access subscribes, as ``updates`` does.
  public var changes: FleetChanges { Updates(hub.subscribe(to: \.changes, lifetime)) }

  /// Changes of the conditions that ``add(_:identifier:for:)`` added. Each access subscribes, as
  /// ``updates`` does. With a storage, an event is delivered after it is stored; see also
  /// ``unfinishedEvents``.
  public var events: FleetEvents { Updates(hub.subscribe(to: \.events, lifetime)) }

  /// What devices say beside their positions. Each access subscribes, as ``updates`` does.
  ///
  /// The messages of a device arrive in the order in which it sent them: each location that is
  /// delivered, with the battery, the trigger and the other members of its message, and its last will.
  /// With ``FleetConfiguration/includesAllMessages`` also transitions, waypoints, cards, states,
  /// steps and messages of other types. A broker may deliver a message twice, and MQTT orders the messages
  /// of one topic; a location that arrives again is left out, another message is not. Messages are decoded
  /// a second time for this stream, while it has a subscriber. It buffers the newest messages, up to
  /// ``FleetLimits/messageBytes``.
  public var messages: FleetMessages { Updates(hub.subscribeToMessages(lifetime)) }

  /// The states of the connection to the broker, beginning with the current one. The newest 16 are
  /// buffered.
  public var connectionStates: AsyncStream<ConnectionState> { hub.connectionStates(lifetime) }
}

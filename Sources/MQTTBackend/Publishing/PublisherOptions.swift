public import AsyncLocation
public import LocationPublishing

/// The content that a publisher publishes, and the limits of its backlog.
public struct PublisherOptions: Sendable, Hashable {
  /// When a location counts as delivered, and is removed from the publisher's storage.
  public enum Confirmation: String, Sendable, Hashable, CaseIterable {
    /// When the broker has acknowledged it. The broker may lose it afterwards: Mosquitto, with its
    /// default settings, loses what no subscriber has received when its process is killed.
    case broker
    /// When any one ``Fleet`` with a storage has stored it and confirmed that. So neither a crash
    /// of the broker nor one of the server loses a location. ``LocationPublisher/run()`` does not
    /// return before that.
    ///
    /// The server publishes confirmations to the device's topic of the kind
    /// ``/OwnTracks/OwnTracksTopic/Kind/stored``, and the device subscribes to it. The broker's
    /// rules must permit both. Whoever may publish to the topic can make the device delete its
    /// backlog. Messages other than locations of the publisher's topic are not confirmed: for them,
    /// the broker's acknowledgement counts.
    case stored
  }

  /// Selects the locations to publish; see ``/AsyncLocation/UpdateOptions``. Its
  /// ``/AsyncLocation/UpdateOptions/minimumInterval`` and
  /// ``/AsyncLocation/UpdateOptions/distanceFilter`` limit how often locations are published. Its
  /// ``/AsyncLocation/UpdateOptions/buffering`` limits the locations that wait for the storage.
  public var updates: UpdateOptions
  /// The limits of the backlog while the broker cannot be reached.
  public var limits: PublicationLimits
  /// Whether the broker retains the last location for clients that subscribe later, until
  /// permission is withdrawn.
  public var retainsLastLocation: Bool
  /// Whether the broker publishes that the device is offline when the connection ends, as
  /// OwnTracks' `lwt` message. When the device reconnects, the last location is published again,
  /// unless another location is pending.
  public var announcesPresence: Bool
  /// Whether the state of the device is published when it changes, as a retained OwnTracks `status`
  /// message: permission, accuracy and the connection to the receiver. The broker's rules must
  /// permit the device's topic of the kind ``/OwnTracks/OwnTracksTopic/Kind/status``.
  public var publishesStatus: Bool
  /// OwnTracks' `tid`, a short name of the device for maps; nil for none.
  public var trackerID: String?
  /// The maximum number of publications in flight, 1...10,000.
  public var window: Int
  /// When a location counts as delivered, by default when the broker has acknowledged it.
  ///
  /// With ``Confirmation/stored``, at most 1,024 locations are sent before the first one is
  /// confirmed. Later ones and all other messages wait in the storage. So while no server stores
  /// locations, other subscribers receive nothing more either.
  public var confirmation: Confirmation
  /// The time after which a location without a confirmation is sent again, by default 30 seconds.
  /// It is sent between once and twice this time after the broker's acknowledgement. While no
  /// confirmation arrives, the time is doubled repeatedly, to at most 32 times its value. On a new
  /// connection, and after the first confirmation of a server that was started again, the location
  /// is sent immediately.
  public var confirmationTimeout: Duration

  /// Creates options.
  public init(
    updates: UpdateOptions = UpdateOptions(buffering: .newest(4_096)),
    limits: PublicationLimits = PublicationLimits(), retainsLastLocation: Bool = true,
    announcesPresence: Bool = true, publishesStatus: Bool = false, trackerID: String? = nil,
    window: Int = 100, confirmation: Confirmation = .broker,
    confirmationTimeout: Duration = .seconds(30)
  ) {
    self.updates = updates
    self.limits = limits
    self.retainsLastLocation = retainsLastLocation
    self.announcesPresence = announcesPresence
    self.publishesStatus = publishesStatus
    self.trackerID = trackerID
    self.window = window
    self.confirmation = confirmation
    self.confirmationTimeout = confirmationTimeout
  }

  func validate() throws(LocationError) {
    guard (1...10_000).contains(window) else {
      throw LocationError(.invalidValue, "window must be in 1...10,000, got \(window).")
    }
    guard confirmationTimeout > .zero else {
      throw LocationError(
        .invalidValue, "confirmationTimeout must be greater than zero, got \(confirmationTimeout).")
    }
  }
}

public import AsyncLocation
public import LocationPublishing

/// The content that a publisher publishes, and the limits of its backlog.
public struct PublisherOptions: Sendable, Hashable {
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

  /// Creates options.
  public init(
    updates: UpdateOptions = UpdateOptions(buffering: .newest(4_096)),
    limits: PublicationLimits = PublicationLimits(), retainsLastLocation: Bool = true,
    announcesPresence: Bool = true, publishesStatus: Bool = false, trackerID: String? = nil,
    window: Int = 100
  ) {
    self.updates = updates
    self.limits = limits
    self.retainsLastLocation = retainsLastLocation
    self.announcesPresence = announcesPresence
    self.publishesStatus = publishesStatus
    self.trackerID = trackerID
    self.window = window
  }

  func validate() throws(LocationError) {
    guard (1...10_000).contains(window) else {
      throw LocationError(.invalidValue, "window must be in 1...10,000, got \(window).")
    }
  }
}

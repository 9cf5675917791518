public import AsyncLocation
public import LocationPublishing

/// Which content a publisher publishes, and how much may wait.
public struct PublisherOptions: Sendable, Hashable {
  /// Which locations are published; see ``/AsyncLocation/UpdateOptions``. Its
  /// ``/AsyncLocation/UpdateOptions/minimumInterval`` and
  /// ``/AsyncLocation/UpdateOptions/distanceFilter`` limit how often. Its
  /// ``/AsyncLocation/UpdateOptions/buffering`` is what may wait for the storage.
  public var updates: UpdateOptions
  /// How much may wait while the broker cannot be reached.
  public var limits: PublicationLimits
  /// Whether the broker keeps the last location for clients that subscribe later, until permission is
  /// withdrawn.
  public var retainsLastLocation: Bool
  /// Whether the broker publishes that the device is offline when the connection ends, as OwnTracks'
  /// `lwt` message. When it is back, the last location is published again, unless another one waits.
  public var announcesPresence: Bool
  /// Whether the state of the device is published when it changes: permission, accuracy and the
  /// connection to the receiver, as OwnTracks' `status` message, which the broker keeps. The
  /// broker's rules must permit the device's topic of the kind
  /// ``/OwnTracks/OwnTracksTopic/Kind/status``.
  public var publishesStatus: Bool
  /// OwnTracks' `tid`, a short name of the device for maps; nil for none.
  public var trackerID: String?
  /// How many publications may be under way at the same time, 1...10,000.
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

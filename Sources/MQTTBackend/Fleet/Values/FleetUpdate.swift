public import AsyncLocation
public import LocationFleet
public import OwnTracks

/// A location of one device of a fleet.
public struct FleetUpdate: Sendable, Hashable {
  /// The device.
  public let device: FleetDevice.ID
  /// The location, which is newer than all locations delivered for the device before.
  public let location: Location
  /// Whether the broker retained the location for new subscribers. The device may have sent it long
  /// ago.
  public let isRetained: Bool

  /// Creates an update, for tests.
  public init(device: FleetDevice.ID, location: Location, isRetained: Bool = false) {
    (self.device, self.location, self.isRetained) = (device, location, isRetained)
  }
}

/// A complete message of one device of a fleet; see ``Fleet/messages``.
public struct FleetMessage: Sendable, Hashable {
  /// The device that the topic names.
  public let device: FleetDevice.ID
  /// The message. Its texts are untrusted input: escape them before printing.
  public let message: OwnTracksMessage
  /// Whether the broker retained the message for new subscribers.
  public let isRetained: Bool
  /// The estimated memory of the message in bytes. Decoded values need more memory than their JSON.
  let size: Int

  /// Creates a message, for tests.
  public init(device: FleetDevice.ID, message: OwnTracksMessage, isRetained: Bool = false) {
    self.init(device: device, message: message, isRetained: isRetained, size: 0)
  }

  /// - Parameter size: The length of the payload in bytes.
  init(device: FleetDevice.ID, message: OwnTracksMessage, isRetained: Bool, size: Int) {
    (self.device, self.message, self.isRetained) = (device, message, isRetained)
    self.size = 1_024 + 4 * size
  }

  public static func == (left: Self, right: Self) -> Bool {
    left.device == right.device && left.message == right.message
      && left.isRetained == right.isRetained
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(device)
    hasher.combine(message)
    hasher.combine(isRetained)
  }
}

/// A change of the devices or the storage of a fleet.
@nonexhaustive
public enum FleetChange: Sendable, Hashable {
  /// The first message of a device arrived.
  case added(FleetDevice.ID)
  /// A device sent a location and was not online before.
  case online(FleetDevice.ID)
  /// The broker sent the last will of a device.
  case offline(FleetDevice.ID)
  /// A device was forgotten: it was silent for ``FleetLimits/silence``, or ``Fleet/forget(_:)`` was
  /// called.
  case forgotten(FleetDevice.ID)
  /// Messages of a device are dropped. Each reason except
  /// ``/LocationFleet/FleetDevice/DropReason/duplicate`` is reported once, and again when a minute
  /// has passed since the first reason was reported; ``/LocationFleet/FleetDevice/drops`` has the
  /// counts.
  case dropping(FleetDevice.ID, FleetDevice.DropReason)
  /// Messages may have been missed while there was no connection to the broker. The presence of
  /// each device is unknown until its next location or last will.
  case interrupted
  /// The fleet's storage cannot be written; ``Fleet/storageProblem`` states why. Changes wait to be
  /// stored, and their events wait, too; see ``FleetLimits/unstoredChanges``.
  case storageFailed
  /// The fleet's storage can be written again after a failure.
  case storageRecovered
  /// The fleet's storage lost its content, since it was damaged or is gone; ``Fleet/storageLoss``
  /// states why. The fleet stores its known state again; content that only the history had is lost.
  case storageLost
}

extension FleetUpdate: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("device", device), DescribedMember("location", location),
      DescribedMember("isRetained", isRetained ? true : nil),
    ]
  }
}

extension FleetMessage: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("device", device), DescribedMember("message", message),
      DescribedMember("isRetained", isRetained ? true : nil),
    ]
  }
}

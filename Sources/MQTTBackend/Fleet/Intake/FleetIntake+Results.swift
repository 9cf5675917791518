import AsyncLocation
import OwnTracks

extension FleetIntake {
  /// The results of messages, in their order.
  struct Results: Sendable {
    /// A location that was delivered, and the slot of its device.
    struct Delivery: Sendable {
      let update: FleetUpdate
      let slot: DeviceDirectory.Slot
    }

    /// The results of one message.
    struct Acceptance: Sendable {
      /// The location to deliver, if there is one.
      var delivery: Delivery?
      /// A location that is stored and not delivered: it arrived after a later one of its device,
      /// or was sent again and is to be confirmed.
      var late: FleetUpdate?
      /// The device whose complete message is delivered; nil if the message was dropped.
      var device: FleetDevice.ID?
      /// The device that requests confirmations, and the time of the first location for which it
      /// does; nil without a request.
      var confirmation: (device: FleetDevice.ID, start: LocationTime)?
      /// The time of a location that is not stored although its device requests a confirmation.
      var refused: LocationTime?
    }

    var changes: [FleetChange] = []
    /// The devices that were forgotten.
    var forgotten: [(slot: DeviceDirectory.Slot, id: FleetDevice.ID)] = []
  }
}

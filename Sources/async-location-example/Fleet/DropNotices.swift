import MQTTBackend

/// Creates one notice for each device and each reason for dropped messages, up to a limit. Pure.
struct DropNotices {
  static let limit = 8

  private var reported: Set<FleetChange> = []

  /// The notice for a change; nil if there is nothing to report.
  mutating func text(_ change: FleetChange) -> String? {
    guard case .dropping(let device, let reason) = change, reported.count <= Self.limit,
      reported.insert(change).inserted
    else { return nil }
    guard reported.count <= Self.limit else { return "Messages of more devices are dropped." }
    return "Messages of \(FleetLine.device(device)) are dropped: \(Self.cause(reason))."
  }

  private static func cause(_ reason: FleetDevice.DropReason) -> String {
    switch reason {
    case .malformed: "they have no valid position and time"
    case .oversized: "they are too large"
    case .rateLimited: "there are too many"
    case .duplicate: "they repeat others"
    case .stale: "they are older than those shown; check the device's clock"
    case .future: "they are from the future; check the device's clock, and that of this computer"
    case .encrypted: "they are encrypted, and this computer has no key of the device"
    case .undecryptable: "the key of the device does not decrypt them"
    @unknown default: reason.rawValue
    }
  }
}

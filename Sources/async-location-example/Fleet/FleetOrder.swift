import AsyncLocation
import MQTTBackend

/// The order of the devices in the table of `fleet`. Pure.
struct FleetOrder: Hashable, Sendable {
  private(set) var column = FleetColumn.device
  private(set) var isReversed = false

  /// Handles the keys that change the order; other keys have no effect.
  mutating func press(_ key: Key) {
    switch key {
    case .right, .character("s"): move(by: 1)
    case .left, .character("S"): move(by: -1)
    case .character("r"): isReversed.toggle()
    default: break
    }
  }

  private mutating func move(by step: Int) {
    let all = FleetColumn.allCases
    let index = (all.firstIndex(of: column) ?? 0) + step + all.count
    column = all[index % all.count]
  }

  /// Returns the devices in this order. Devices with the same value are sorted by their names, and
  /// devices without a value come last.
  ///
  /// - Parameter devices: The devices, sorted by their names.
  func sorted(_ devices: [FleetDevice]) -> [FleetDevice] {
    switch column {
    case .device: isReversed ? devices.reversed() : devices
    case .presence: sorted(devices) { Self.rank(of: $0.presence) }
    case .age: sorted(devices) { $0.silence }
    case .position: sorted(devices) { $0.location?.latitude }
    case .speed: sorted(devices) { $0.location?.speed }
    case .course: sorted(devices) { $0.location?.course }
    case .time: sorted(devices) { $0.location?.timestamp }
    case .integrity: sorted(devices) { ($0.location?.integrity).map { $0.isSuspect ? 0 : 1 } }
    }
  }

  private func sorted<Value: Comparable>(
    _ devices: [FleetDevice], by value: (FleetDevice) -> Value?
  ) -> [FleetDevice] {
    var (known, unknown) = ([(value: Value, index: Int)](), [FleetDevice]())
    for (index, device) in devices.enumerated() {
      if let value = value(device) { known.append((value, index)) } else { unknown.append(device) }
    }
    known.sort { one, other in
      guard one.value != other.value else { return one.index < other.index }
      return (one.value < other.value) != isReversed
    }
    return known.map { devices[$0.index] } + unknown
  }

  private static func rank(of presence: FleetDevice.Presence) -> Int {
    switch presence {
    case .online: 0
    case .offline: 1
    case .unknown: 2
    @unknown default: 3
    }
  }
}

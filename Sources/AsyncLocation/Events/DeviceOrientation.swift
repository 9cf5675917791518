/// The orientation of a device, after Core Location's `CLDeviceOrientation`.
public enum DeviceOrientation: String, Sendable, Hashable, Codable, CaseIterable {
  /// Unknown; treated as ``portrait``.
  case unknown
  /// Upright, the top edge up.
  case portrait
  /// Upright, the top edge down.
  case portraitUpsideDown
  /// Upright, the top edge to the left.
  case landscapeLeft
  /// Upright, the top edge to the right.
  case landscapeRight
  /// Flat, the screen up; treated as ``portrait``.
  case faceUp
  /// Flat, the screen down; treated as ``portrait``.
  case faceDown

  /// The angle from the device's top edge to the edge that is at the top, in degrees clockwise.
  private var turn: Double {
    switch self {
    case .unknown, .portrait, .faceUp, .faceDown: 0
    case .landscapeLeft: 90
    case .portraitUpsideDown: 180
    case .landscapeRight: 270
    }
  }

  /// Returns the heading of the edge that is at the top.
  func applied(to heading: Heading) -> Heading {
    guard turn != 0, heading.source == .compass else { return heading }
    let result = try? heading.with {
      $0.trueHeading = $0.trueHeading.map { turned($0) }
      $0.magneticHeading = $0.magneticHeading.map { turned($0) }
    }
    return result ?? heading
  }

  private func turned(_ degrees: Double) -> Double {
    let sum = degrees + turn
    return sum >= 360 ? sum - 360 : sum
  }
}

/// How precise the locations may be that an application learns.
public enum AccuracyAuthorization: String, Sendable, Hashable, Codable, CaseIterable {
  /// As precise as the receiver is.
  case full
  /// The middle of a cell of several kilometres; speed, course, altitude and time are coarse too.
  /// Directions and satellites are withheld.
  case reduced
}

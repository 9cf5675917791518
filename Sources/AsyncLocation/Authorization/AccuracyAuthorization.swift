/// The accuracy of the locations that an application may receive.
public enum AccuracyAuthorization: String, Sendable, Hashable, Codable, CaseIterable {
  /// The full accuracy of the receiver.
  case full
  /// Locations are the centre of a cell of several kilometres. Speed, course, altitude and time are
  /// rounded too. Headings and satellites are withheld.
  case reduced
}

/// The action of a recorder whose file exists.
///
/// It never writes to a symbolic link, a folder, a FIFO, a device, a file with a second name, or one
/// that another user owns or may access.
public enum ExistingRecording: String, Sendable, Hashable, Codable, CaseIterable {
  /// Throws, and leaves the file as it is.
  case refuse
  /// Continues the file with a new segment, if a recorder has written it in the same format. A point
  /// that was cut at its end, as by a loss of power, is removed first.
  case append
  /// Replaces the file at once by a new one. Its content is lost.
  case replace
}

/// The action of a recorder if its file exists.
///
/// A recorder never writes to a symbolic link, a folder, a FIFO, a device, a file with several
/// hard links, or a file that another user owns or may access.
public enum ExistingRecording: String, Sendable, Hashable, Codable, CaseIterable {
  /// Throws, and leaves the file as it is. A recording in the same format that has no points, and
  /// is not an empty file, is continued instead.
  case refuse
  /// Continues the file with a new segment, if a recorder has written it in the same format. An
  /// incomplete last point, as after a loss of power, is removed first.
  case append
  /// Replaces the file atomically with a new one. Its content is lost.
  case replace
}

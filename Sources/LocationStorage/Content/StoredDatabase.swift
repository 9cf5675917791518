extension MonitorDatabase {
  /// Why a file could not be opened.
  enum Problem: Error, CustomStringConvertible {
    case failed(SQLiteFailure)
    case laterVersion(Int64, supported: Int64)
    /// The file could not be copied.
    case unreadable

    var description: String {
      switch self {
      case .failed(let failure): "\(failure)"
      case .laterVersion(let version, let supported): "version \(version) is above \(supported)"
      case .unreadable: "the file cannot be read"
      }
    }
  }
}

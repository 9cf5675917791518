package import AsyncLocation

/// Limits how many receiver names one backend adds to the process-wide table, over all its runs and
/// connections, because an untrusted server may send any number of names.
package final class DeviceNameLimit: Sendable {
  private struct Rest {
    var names: Int
    var bytes: Int
  }

  private let table: DeviceNames
  private let rest: Locked<Rest>

  /// - Parameters:
  ///   - names: The maximum number of names to add.
  ///   - bytes: The maximum total length in UTF-8 bytes; the default allows 1,024 of gpsd's longest
  ///     paths.
  ///   - table: The table of names.
  package init(
    names: Int = 1_024, bytes: Int = 1_024 * 128, table: DeviceNames = .shared
  ) {
    self.table = table
    rest = Locked(Rest(names: names, bytes: bytes))
  }

  /// Returns the identifier of a name; ``/AsyncLocation/DeviceID/none`` for nil, and for a new name
  /// when the limit is reached.
  func identifier(of name: String?) -> DeviceID {
    guard let name else { return .none }
    if let known = table.find(name) { return known }
    let bytes = name.utf8.count
    let fits = rest.withLock { rest in
      guard rest.names > 0, bytes <= rest.bytes else { return false }
      rest.names -= 1
      rest.bytes -= bytes
      return true
    }
    return fits ? table.identifier(of: name) : .none
  }
}

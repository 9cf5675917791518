package import AsyncLocation

/// Bounds how many names of receivers one backend adds to the process' table, over all of its runs
/// and connections: what speaks as gpsd may invent names.
package final class DeviceNameLimit: Sendable {
  private struct Rest {
    var names: Int
    var bytes: Int
  }

  private let table: DeviceNames
  private let rest: Locked<Rest>

  /// - Parameters:
  ///   - names: How many names may be added.
  ///   - bytes: How long they may be together, in UTF-8; by default for as many of gpsd's longest
  ///     paths.
  ///   - table: Where they are added.
  package init(
    names: Int = 1_024, bytes: Int = 1_024 * 128, table: DeviceNames = .shared
  ) {
    self.table = table
    rest = Locked(Rest(names: names, bytes: bytes))
  }

  /// The identifier of a name; ``/AsyncLocation/DeviceID/none`` for nil, and for a new name when no
  /// more may be added.
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

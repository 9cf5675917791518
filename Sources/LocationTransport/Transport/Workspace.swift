import AsyncLocation

/// Memory that the connections of a transport use in turn. Each kind of connection has one part.
package final class Workspace: Sendable {
  private let parts = Locked([ObjectIdentifier: any AnyObject & Sendable]())

  package init() {}

  /// Returns the part of a type; creates it on first use. May be called on any thread.
  package func part<Part: AnyObject & Sendable>(_ make: () -> Part) -> Part {
    parts.withLock { parts in
      if let part = parts[ObjectIdentifier(Part.self)] as? Part { return part }
      let part = make()
      parts[ObjectIdentifier(Part.self)] = part
      return part
    }
  }
}

public import FoundationEssentials

/// An error that ends a location operation or explains why there is no location.
///
/// Two errors are equal when their codes and messages are equal; ``cause`` is ignored. The
/// `localizedDescription` is the ``message``.
public struct LocationError: Error, Sendable {
  /// The kind of failure, for comparison in code.
  public let code: Code
  /// What happened and what to do about it, for users and logs. Never contains a coordinate.
  public let message: String
  /// The underlying failure.
  public let cause: (any Error)?

  /// Creates an error; backends outside this package use it too.
  public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    (self.code, self.message, self.cause) = (code, message, cause)
  }

  /// True when the same operation may succeed later without intervention.
  public var isTransient: Bool { code.isTransient }
}

extension LocationError: Hashable {
  public static func == (left: Self, right: Self) -> Bool {
    left.code == right.code && left.message == right.message
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(message)
  }
}

extension LocationError: LocalizedError {
  public var errorDescription: String? { message }
}

extension LocationError: CustomStringConvertible, CustomReflectable {
  /// The code and the message, escaped for a terminal.
  public var description: String { "\(code): \(String(printable: message, limit: .max))" }

  public var customMirror: Mirror {
    var children: [Mirror.Child] = [("code", code), ("message", message)]
    if let cause { children.append(("cause", cause)) }
    return Mirror(self, children: children, displayStyle: .struct)
  }
}

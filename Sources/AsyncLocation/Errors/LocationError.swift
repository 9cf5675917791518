public import FoundationEssentials

/// An error that ends a location operation or explains why there is no location.
///
/// Two errors are equal when their codes and messages are equal; ``cause`` is ignored. The
/// `localizedDescription` is the ``message``.
public struct LocationError: Error, Sendable {
  /// The kind of failure, for comparison in code.
  public let code: Code
  /// A description of the failure and of its remedy, for users and logs. Never contains a
  /// coordinate.
  public let message: String
  /// The underlying failure.
  public let cause: (any Error)?

  /// Creates an error. Backends outside this package can use it.
  public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    (self.code, self.message, self.cause) = (code, message, cause)
  }

  /// True when the same operation may succeed later without intervention.
  public var isTransient: Bool { code.isTransient }

  /// True when permission is refused or was withdrawn: `denied`, `restricted` and
  /// `locationServicesDisabled`, without a ``cause``. The same operation may succeed once
  /// permission is granted. The refusal of a server, such as a broker, has a cause.
  public var isRefusal: Bool { code.isRefusal && cause == nil }
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

/// Encoded as an object with `code`, `message` and, if present, `cause`. A cause that is a
/// ``LocationError`` is encoded as such an object. Any other cause is encoded as its text; decoding
/// creates an error with that description.
extension LocationError: Codable {
  private enum CodingKeys: String, CodingKey { case code, message, cause }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try values.decode(Code.self, forKey: .code),
      try values.decode(String.self, forKey: .message),
      cause: try values.decodeIfPresent(CodedCause.self, forKey: .cause)?.error)
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(code, forKey: .code)
    try values.encode(message, forKey: .message)
    try values.encodeIfPresent(cause.map(CodedCause.init(error:)), forKey: .cause)
  }
}

/// The encoded form of an error's cause.
private struct CodedCause: Codable {
  let error: any Error

  init(error: any Error) { self.error = error }

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let text = try? value.decode(String.self) {
      error = ForeignError(text: text)
    } else {
      error = try value.decode(LocationError.self)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    if let error = error as? LocationError {
      try value.encode(error)
    } else {
      try value.encode((error as? any LocalizedError)?.errorDescription ?? "\(error)")
    }
  }
}

/// The cause that is decoded from the text of an error; the error's type is not encoded.
private struct ForeignError: LocalizedError, CustomStringConvertible {
  let text: String

  var errorDescription: String? { text }
  var description: String { String(printable: text, limit: .max) }
}

/// A JSON value with the line on which it begins.
struct LinedJSON: Hashable, Sendable {
  indirect enum Value: Hashable, Sendable {
    case object([Member])
    case array([LinedJSON])
    case string(String)
    case number(Double)
    case bool(Bool)
    case null

    /// The kind of value, for messages.
    var kind: String {
      switch self {
      case .object: "an object"
      case .array: "an array"
      case .string: "text"
      case .number: "a number"
      case .bool(let value): "\(value)"
      case .null: "null"
      }
    }
  }

  struct Member: Hashable, Sendable {
    let name: String
    /// The line of the name.
    let line: Int
    let value: LinedJSON
  }

  /// An error and its line.
  struct Fault: Error, Hashable, Sendable {
    let line: Int
    let message: String
  }

  let line: Int
  let value: Value
}

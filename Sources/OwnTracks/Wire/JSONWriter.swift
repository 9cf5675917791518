import AsyncLocation
import FoundationEssentials

/// Writes the members of a message on one line, in the order of the calls.
///
/// Absent and non-finite values are omitted.
struct JSONWriter {
  private var object: [UInt8] = [UInt8(ascii: "{")]

  /// Begins an object inside a message.
  init() {}

  /// Begins a message.
  init(type: String) {
    object.reserveCapacity(256)
    add("_type", type)
  }

  /// The complete object.
  var json: [UInt8] { object + [UInt8(ascii: "}")] }

  /// Adds a string.
  mutating func add(_ name: String, _ text: String?) {
    guard let text else { return }
    begin(name)
    append(text)
  }

  /// Adds an array of strings, unless it is empty.
  mutating func add(_ name: String, _ texts: [String]) {
    addList(name, texts) { $0.append($1) }
  }

  /// Adds an array of strings, unless it is nil.
  mutating func add(_ name: String, evenEmpty texts: [String]?) {
    guard let texts else { return }
    begin(name)
    appendList(texts) { $0.append($1) }
  }

  /// Adds an array of one-line objects in UTF-8, even if it is empty.
  mutating func add(_ name: String, objects: [[UInt8]]) {
    begin(name)
    appendList(objects) { $0.object.append(contentsOf: $1) }
  }

  /// Adds a one-line object in UTF-8.
  mutating func add(_ name: String, object json: [UInt8]?) {
    guard let json else { return }
    begin(name)
    object.append(contentsOf: json)
  }

  /// Adds a value that is JSON on one line.
  mutating func add(_ name: String, json: String?) {
    guard let json else { return }
    begin(name)
    object.append(contentsOf: json.utf8)
  }

  /// Adds the unrecognized members, in the order of their names.
  mutating func add(others members: [String: String]) {
    for (name, json) in members.sorted(by: { $0.key < $1.key }) {
      if object.count > 1 { object.append(UInt8(ascii: ",")) }
      append(name)
      object.append(UInt8(ascii: ":"))
      object.append(contentsOf: json.utf8)
    }
  }

  /// Adds an integer.
  mutating func add(_ name: String, _ number: Int?) {
    guard let number else { return }
    begin(name)
    object.append(contentsOf: "\(number)".utf8)
  }

  /// Adds a number with all its digits, if it is finite.
  mutating func add(_ name: String, exactly number: Double?) {
    guard let number, number.isFinite else { return }
    begin(name)
    object.append(contentsOf: "\(number)".utf8)
  }

  /// Adds a number as an integer, which OwnTracks' apps expect, if it is finite.
  mutating func add(
    _ name: String, _ number: Double?, rounded rule: FloatingPointRoundingRule
  ) {
    guard let number else { return }
    let rounded = number.rounded(rule)
    guard let integer = Int(exactly: rounded) else { return add(name, exactly: rounded) }
    add(name, integer)
  }

  /// Adds a position.
  mutating func add(_ coordinate: Coordinate?) {
    add("lat", exactly: coordinate?.latitude)
    add("lon", exactly: coordinate?.longitude)
  }

  /// Adds a time in whole seconds.
  mutating func add(_ name: String, _ time: Date?) {
    add(name, time.map { CivilTime.split(Timestamp.nearest($0)).seconds })
  }

  /// Adds the time of a message, with the nanoseconds in a separate member if there are any.
  mutating func add(time: Date) {
    let (seconds, nanoseconds) = CivilTime.split(Timestamp.nearest(time))
    add("tst", seconds)
    if nanoseconds != 0 { add("tst_ns", nanoseconds) }
  }

  private mutating func addList<Element>(
    _ name: String, _ elements: [Element], _ append: (inout Self, Element) -> Void
  ) {
    guard !elements.isEmpty else { return }
    begin(name)
    appendList(elements, append)
  }

  private mutating func appendList<Element>(
    _ elements: [Element], _ append: (inout Self, Element) -> Void
  ) {
    object.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { object.append(UInt8(ascii: ",")) }
      append(&self, element)
    }
    object.append(UInt8(ascii: "]"))
  }

  /// Begins a member. The characters of its name must need no escapes.
  private mutating func begin(_ name: String) {
    if object.count > 1 { object.append(UInt8(ascii: ",")) }
    object.append(UInt8(ascii: "\""))
    object.append(contentsOf: name.utf8)
    object.append(UInt8(ascii: "\""))
    object.append(UInt8(ascii: ":"))
  }

  /// Appends a string with its quotes and escapes.
  private mutating func append(_ text: String) {
    object.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        object.append(UInt8(ascii: "\\"))
        object.append(byte)
      case 0..<0x20:
        object.append(contentsOf: (byte < 0x10 ? "\\u000" : "\\u00").utf8)
        object.append(contentsOf: String(byte, radix: 16).utf8)
      default: object.append(byte)
      }
    }
    object.append(UInt8(ascii: "\""))
  }
}

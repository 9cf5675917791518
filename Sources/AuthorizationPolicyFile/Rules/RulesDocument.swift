import AsyncLocation
import JSONScanning

/// An error in a file of rules, and its byte offset.
struct RulesFault: Error {
  let offset: Int
  let message: String

  /// Checks that a file is one document of JSON, and returns its value.
  static func document(_ bytes: [UInt8]) throws(Self) -> JSONDocument.Value {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      throw Self(
        offset: 0,
        message: "the file begins with a byte order mark; save it as UTF-8 without one")
    }
    do throws(JSONDocument.Fault) {
      return try JSONDocument(bytes).root
    } catch {
      throw Self(error, in: bytes)
    }
  }

  private init(offset: Int, message: String) { (self.offset, self.message) = (offset, message) }

  private init(_ fault: JSONDocument.Fault, in bytes: [UInt8]) {
    let byte = fault.offset < bytes.count ? bytes[fault.offset] : nil
    let found = Self.description(of: byte)
    offset = fault.offset
    message =
      switch fault.problem {
      case .expected(.value):
        switch byte {
        case UInt8(ascii: "-"), (UInt8(ascii: "0")...UInt8(ascii: "9"))?:
          "\(Self.number(bytes[fault.offset...]).quotedForMessage) is not a number"
        case (UInt8(ascii: "A")...UInt8(ascii: "Z"))?, (UInt8(ascii: "a")...UInt8(ascii: "z"))?:
          "expected a value, found \(found); texts need quotes"
        default: "expected a value, found \(found)"
        }
      case .expected(.name): "expected a name in quotes, found \(found)"
      case .expected(.colon): "expected ':' after the name, found \(found)"
      case .expected(.separator): "expected ',' or the closing bracket, found \(found)"
      case .expected(.endOfText): "a text does not end"
      case .invalidText where byte == nil: "a text does not end"
      case .invalidText where byte.map { $0 < 0x20 } ?? false:
        "a text has a control character or does not end on its line"
      case .invalidText: "a text has an invalid escape or is not valid UTF-8"
      case .tooDeep: "values are nested too deeply"
      case .trailingBytes: "expected the end of the file after the document, found \(found)"
      }
  }

  /// The leading characters that can be part of a number.
  private static func number(_ bytes: ArraySlice<UInt8>) -> String {
    let characters = bytes.prefix { byte in "+-.0123456789Ee".utf8.contains(byte) }
    return String(decoding: characters, as: UTF8.self)
  }

  private static func description(of byte: UInt8?) -> String {
    switch byte {
    case nil: "the end of the file"
    case (0x21...0x7E)?: "'\(Character(Unicode.Scalar(byte ?? 0)))'"
    case .some(let byte): "the byte \(byte)"
    }
  }
}

extension RulesFault {
  fileprivate init(_ value: JSONDocument.Value, _ message: String) {
    self.init(offset: value.offset, message: message)
  }

  fileprivate init(_ member: JSONDocument.Member, _ message: String) {
    self.init(offset: member.offset, message: message)
  }
}

extension JSONDocument.Value {
  func fault(_ message: String) -> RulesFault { RulesFault(self, message) }

  /// The fault that the value is not what the format requires.
  func expected(_ what: String) -> RulesFault {
    let found =
      switch kind {
      case .object: "an object"
      case .array: "an array"
      case .text: (text ?? "").quotedForMessage
      case .number, .boolean, .null: String(decoding: bytes.prefix(60), as: UTF8.self)
      }
    return fault("expected \(what), found \(found)")
  }

  /// The members of an object whose names the operator chooses.
  ///
  /// - Parameter what: The name of the object, for error messages.
  func named(
    _ what: String
  ) throws(RulesFault) -> [(name: String, member: JSONDocument.Member)] {
    let members = try distinctMembers(what)
    for (name, member) in members {
      if let problem = AuthorizationRules.problem(withName: name) {
        throw RulesFault(member, "\(name.quotedForMessage) cannot be a name: \(problem)")
      }
    }
    return members
  }

  /// The members of an object. A duplicate name is an error, because it is unclear which of the
  /// members the operator meant.
  fileprivate func distinctMembers(
    _ what: String
  ) throws(RulesFault) -> [(name: String, member: JSONDocument.Member)] {
    guard let members else { throw expected("\(what) to be an object") }
    var names: Set<String> = []
    var named: [(name: String, member: JSONDocument.Member)] = []
    for member in members {
      let name = member.name
      guard names.insert(name).inserted else {
        throw RulesFault(member, "\(name.quotedForMessage) is there twice")
      }
      named.append((name, member))
    }
    return named
  }
}

/// The members of an object with known names; an unknown name is an error.
struct KnownMembers {
  private let object: JSONDocument.Value
  /// The name of the object, for error messages.
  private let what: String
  private var values: [String: JSONDocument.Value] = [:]

  init(_ object: JSONDocument.Value, _ what: String, _ known: [String]) throws(RulesFault) {
    (self.object, self.what) = (object, what)
    for (name, member) in try object.distinctMembers(what) {
      guard known.contains(name) else {
        throw RulesFault(
          member,
          "\(what) has no \(name.quotedForMessage); it may have \(known.joined(separator: ", "))")
      }
      values[name] = member.value
    }
  }

  subscript(name: String) -> JSONDocument.Value? { values[name] }

  func required(_ name: String) throws(RulesFault) -> JSONDocument.Value {
    guard let value = self[name] else { throw object.fault("\(what) lacks \"\(name)\"") }
    return value
  }
}

/// The line of each byte of a text, counted from 1.
struct LineNumbers {
  /// The offsets of the line feeds.
  private let ends: [Int]

  init(_ text: [UInt8]) { ends = text.indices.filter { text[$0] == UInt8(ascii: "\n") } }

  subscript(offset: Int) -> Int {
    var range = ends.startIndex..<ends.endIndex
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range = ends[middle] < offset ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound + 1
  }
}

extension String {
  /// The text in quotes, escaped and truncated for a message.
  var quotedForMessage: String { "\"\(String(printable: self, limit: 60))\"" }
}

import AsyncLocation
import FoundationEssentials
import JSONScanning

/// The members of a message, or of an object inside a message.
///
/// A member of the wrong type or out of range is treated as absent. If several members have the
/// same name, the first one is used. Only the first 128 members are read, which bounds the cost of
/// a hostile device's message. Reading a member marks it as known, so that ``others()`` returns the
/// rest.
struct MessageMembers {
  private final class Table {
    var members: [(member: JSONDocument.Member, isKnown: Bool)] = []
  }

  /// The maximum number of members that are read.
  private static let maximumCount = 128
  /// The maximum length in bytes of the name of an unrecognized member that is stored.
  private static let maximumNameLength = 64
  /// The maximum length in bytes of a name with its escapes. A member with a longer name is
  /// skipped, since each lookup would read the name again.
  private static let maximumWrittenNameLength = 512
  /// The maximum length in bytes of an object that is stored as JSON; a longer one is treated as
  /// absent.
  private static let maximumObjectLength = 1 << 16

  private let table = Table()

  init(_ payload: [UInt8]) throws(OwnTracksError) {
    do throws(JSONDocument.Fault) {
      read(try JSONDocument(payload).root)
    } catch {
      throw OwnTracksError(error.problem)
    }
  }

  /// Reads an object; returns nil for any other value.
  init?(_ value: JSONDocument.Value) {
    guard value.kind == .object else { return nil }
    read(value)
  }

  private func read(_ value: JSONDocument.Value) {
    guard let members = value.members else { return }
    for member in members.prefix(Self.maximumCount)
    where member.value.offset - member.offset <= Self.maximumWrittenNameLength {
      table.members.append((member, false))
    }
  }

  /// Returns the value of the first member with a name, and marks all members with the name as
  /// known.
  private func member(_ name: String) -> JSONDocument.Value? {
    var first: JSONDocument.Value?
    for index in table.members.indices where table.members[index].member.isNamed(name) {
      table.members[index].isKnown = true
      first = first ?? table.members[index].member.value
    }
    return first
  }

  /// The members that were not read, as JSON on one line by name. Members with names of more than
  /// 64 characters or outside ASCII, and members beyond 64 KiB in total, are omitted.
  ///
  /// - Parameter names: The names that other code has read.
  func others(besides names: Set<String> = []) -> [String: String] {
    // `topic` is not stored as unrecognized: the topic on which a message arrives identifies its
    // device.
    for name in ["_type", "topic"] { _ = member(name) }
    for name in names { _ = member(name) }
    var others: [String: String] = [:]
    var length = 0
    for (member, isKnown) in table.members where !isKnown {
      let name = member.name
      guard name.utf8.count <= Self.maximumNameLength, name.utf8.allSatisfy({ $0 < 0x80 }),
        others[name] == nil, length + member.value.bytes.count <= Self.maximumObjectLength
      else { continue }
      length += name.utf8.count + member.value.bytes.count
      others[name] = Self.line(of: member.value)
    }
    return others
  }

  /// The text of a member.
  func text(_ name: String) -> String? { member(name)?.text }

  /// The texts of a list member; empty if an element is of another type.
  func texts(_ name: String) -> [String] {
    var texts: [String] = []
    for element in member(name)?.elements.map(Array.init) ?? [] {
      guard let text = element.text else { return [] }
      texts.append(text)
    }
    return texts
  }

  /// The first elements of a list member; empty for another value.
  func elements(_ name: String, limit: Int) -> [JSONDocument.Value] {
    member(name)?.elements.map { Array($0.prefix(limit)) } ?? []
  }

  /// The object of a member.
  func object(_ name: String) -> MessageMembers? { member(name).flatMap(MessageMembers.init) }

  /// The object of a member as JSON on one line.
  func json(_ name: String) -> String? { member(name).flatMap(Self.line) }

  /// Returns a JSON object on one line.
  ///
  /// - Throws: An error unless the text is an object of up to 64 KiB.
  static func line(_ text: String) throws(OwnTracksError) -> String {
    guard text.utf8.count <= maximumObjectLength else {
      throw OwnTracksError(.tooLong, "The object has more than 64 KiB.")
    }
    let list: [JSONDocument.Value]
    do throws(JSONDocument.Fault) {
      // The array counts as one level, as the object of the message does.
      list = try JSONDocument(Array("[\(text)]".utf8)).root.elements.map(Array.init) ?? []
    } catch {
      throw OwnTracksError(error.problem)
    }
    guard list.count == 1, let line = line(list[0]) else { throw .notAnObject }
    return line
  }

  private static func line(_ object: JSONDocument.Value) -> String? {
    guard object.kind == .object, object.bytes.count <= maximumObjectLength else { return nil }
    return line(of: object)
  }

  /// A value on one line. JSON strings contain no control characters, so these are between values.
  private static func line(of value: JSONDocument.Value) -> String {
    String(decoding: value.bytes.map { $0 < 0x20 ? 0x20 : $0 }, as: UTF8.self)
  }

  /// The error code in a member, possibly one that a later version added; nil for text that cannot
  /// be printed unchanged.
  func code(_ name: String) -> LocationError.Code? {
    guard let text = text(name) else { return nil }
    let code = LocationError.Code(name: text)
    return code.description == text ? code : nil
  }

  /// The number of a member; nil if it is out of range.
  func number(_ name: String, in range: ClosedRange<Double>) -> Double? {
    member(name)?.number.flatMap { range.contains($0) ? $0 : nil }
  }

  /// The number of a member, rounded to an integer; nil if that is out of range.
  func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
    guard let number = member(name)?.number, let integer = Int(exactly: number.rounded()),
      range.contains(integer)
    else { return nil }
    return integer
  }

  /// The time in a member, which is seconds since 1970.
  ///
  /// - Parameter nanoseconds: The name of the member with the nanoseconds within the second.
  func time(_ name: String, nanoseconds: String? = nil) -> Date? {
    let nanosecondsValue = nanoseconds.flatMap { member($0)?.number }
    guard let seconds = member(name)?.number else { return nil }
    return PayloadTime.date(seconds: seconds, nanoseconds: nanosecondsValue)
  }

  /// The time of a message, in the members `tst` and `tst_ns`.
  func requiredTime() throws(OwnTracksError) -> Date {
    guard let time = time("tst", nanoseconds: "tst_ns") else { throw .invalidTime }
    return time
  }

  /// The position; nil unless latitude and longitude are valid.
  func coordinate() -> Coordinate? {
    let (latitude, longitude) = (number("lat", in: -90...90), number("lon", in: -180...180))
    guard let latitude, let longitude else { return nil }
    return Coordinate(checkedLatitude: latitude, longitude: longitude)
  }
}

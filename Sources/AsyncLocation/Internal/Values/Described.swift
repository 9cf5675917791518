import FoundationEssentials

/// A value that is printed as its members with their names and units, however it stores them.
///
/// `description`, `debugDescription` and `customMirror` are derived from ``members``. Text in
/// members is quoted and escaped, because most of the text is external input.
package protocol Described: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The name printed before the members; the type name by default.
  var describedName: String { get }
  /// The members in the order in which they are printed. Absent members may be included; they are
  /// not printed.
  var members: [DescribedMember] { get }
}

/// A member of a ``Described`` value.
package struct DescribedMember {
  package let name: String
  /// Nil if absent; an absent member is not printed.
  let value: Any?
  /// The unit of a number, such as "m/s"; empty if it has none.
  let unit: String

  package init(_ name: String, _ value: Any?, _ unit: String = "") {
    (self.name, self.value, self.unit) = (name, value, unit)
  }

  fileprivate var text: String? {
    guard let value else { return nil }
    let text = PrintedValue.text(value)
    return unit.isEmpty ? text : text + (unit == "°" ? unit : " " + unit)
  }
}

extension Described {
  package var describedName: String { String(describing: Self.self) }

  /// The name and the members: the default description.
  package var listing: String {
    let parts = members.compactMap { member in member.text.map { "\(member.name): \($0)" } }
    return "\(describedName)(\(parts.joined(separator: ", ")))"
  }

  public var description: String { listing }

  public var debugDescription: String { description }

  public var customMirror: Mirror {
    let children = members.compactMap { member -> Mirror.Child? in
      switch member.value {
      case nil: nil
      case let value as any Described: (member.name, value)
      case let list as [any Described]: (member.name, list)
      default: member.text.map { (member.name, PrintedValue($0)) }
      }
    }
    return Mirror(self, children: children, displayStyle: .struct)
  }
}

/// A member's value with its unit, as shown in a debugger.
struct PrintedValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  let description: String

  fileprivate init(_ text: String) { description = text }

  var debugDescription: String { description }
  var customMirror: Mirror { Mirror(self, children: []) }

  /// Returns the printed text of a member's value.
  fileprivate static func text(_ value: Any) -> String {
    switch value {
    case let value as any Described: value.description
    case let text as String: String(quoted: text)
    // `as` also converts an empty array of another element type to `[UInt8]`.
    case let bytes as [UInt8] where type(of: value) == [UInt8].self:
      String(quoted: String(decoding: bytes, as: UTF8.self))
    case let date as Date: Timestamp.format(Timestamp.nearest(date))
    case let list as [Any]: "[\(list.map(text).joined(separator: ", "))]"
    case let set as Set<String>:
      "[\(set.sorted().map { String(quoted: $0) }.joined(separator: ", "))]"
    case let table as [String: Duration]: durations(table)
    case let error as any Error: String(printable: "\(error)", limit: 1_024)
    default: String(describing: value)
    }
  }

  private static func durations(_ table: [String: Duration]) -> String {
    guard !table.isEmpty else { return "[:]" }
    let entries = table.sorted { $0.key < $1.key }.map { "\(String(quoted: $0.key)): \($0.value)" }
    return "[\(entries.joined(separator: ", "))]"
  }
}

import AsyncLocation

/// Cells of a line of columns, for pipes; "-" stands for a missing value.
enum Columns {
  /// A right-aligned number.
  static func number(_ value: Double?, _ digits: Int, _ width: Int) -> String {
    text(value.map { NumberText.fixed($0, digits) }, width)
  }

  /// A right-aligned text.
  static func text(_ text: String?, _ width: Int) -> String {
    TextWidth.pad(text ?? "-", width, trailing: true)
  }

  /// The receiver, as the last column.
  static func device(_ source: SourceInformation?) -> String {
    let device = source?.device.map { Escaping.escape($0, limit: 200) } ?? ""
    return device.isEmpty ? "-" : device
  }
}

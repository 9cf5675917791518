import AsyncLocation

/// Formats receivers as a table with column headings; empty without receivers. Pure.
enum ReceiverTable {
  static func lines(_ receivers: [Receiver]) -> [String] {
    guard !receivers.isEmpty else { return [] }
    let rows = [["PATH", "DRIVER", "MODEL", "ACTIVE", "RATE"]] + receivers.map(cells)
    let widths = rows[0].indices.map { column in
      rows.map { TextWidth.columns($0[column]) }.max() ?? 0
    }
    return rows.map { row in
      let line = zip(row, widths).map { TextWidth.pad($0, $1) }.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }

  private static func cells(_ receiver: Receiver) -> [String] {
    [
      Escaping.escape(receiver.name, limit: 200),
      text(receiver.driver),
      text(receiver.model),
      receiver.isActive ? "yes" : "no",
      rate(receiver),
    ]
  }

  private static func text(_ text: String?) -> String {
    let shown = Escaping.escape(text ?? "", limit: 60)
    return shown.isEmpty ? "-" : shown
  }

  /// The report rate in hertz, and the speed of a serial line in bits per second.
  static func rate(_ receiver: Receiver) -> String {
    let hertz = receiver.cycle.map(NumberText.seconds).flatMap { cycle in
      cycle > 0 ? NumberText.fixed(1 / cycle, cycle > 1 ? 2 : 0) + " Hz" : nil
    }
    let parts = [hertz, receiver.baudRate.map { "\($0) baud" }].compactMap { $0 }
    return parts.isEmpty ? "-" : parts.joined(separator: ", ")
  }
}

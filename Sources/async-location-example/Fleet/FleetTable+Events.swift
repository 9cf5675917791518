import AsyncLocation
import MQTTBackend

extension FleetTable {
  /// The events below the devices. Without room for all columns, the date and the previous state
  /// are left out.
  func eventLines(_ events: [FleetEvent]) -> [StyledLine] {
    let shown = events.suffix(Self.eventLimit)
    guard !shown.isEmpty else { return [] }
    var lines = rows(shown) { event in
      [
        Self.time(event.location), Self.name(event.device),
        "\(event.previousState) \(glyphs.arrow) \(event.state)",
      ]
    }
    if lines.contains(where: { TextWidth.columns($0) >= width }) {
      lines = rows(shown) { event in
        [
          String(Self.time(event.location).suffix(9)), Self.name(event.device),
          "\(glyphs.arrow) \(event.state)",
        ]
      }
    }
    return [StyledLine(), StyledLine("Events", .title)] + lines.map { StyledLine($0) }
  }

  /// A line for each event: aligned cells, and the condition.
  private func rows(
    _ events: ArraySlice<FleetEvent>, _ cells: (FleetEvent) -> [String]
  ) -> [String] {
    let table = events.map { (cells: cells($0), identifier: $0.identifier) }
    let count = table.first?.cells.count ?? 0
    let widths = (0..<count).map { column in
      table.map { TextWidth.columns($0.cells[column]) }.max() ?? 0
    }
    return table.map { row in
      let cells = zip(row.cells, widths).map { TextWidth.pad($0, $1) }
      return (cells + [Escaping.escape(row.identifier, limit: 200)]).joined(separator: "  ")
    }
  }
}

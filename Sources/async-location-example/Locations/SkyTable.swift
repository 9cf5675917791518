import AsyncLocation

/// Formats the satellites in as many columns as fit: used ones first, then by signal strength.
/// Pure.
struct SkyTable: Sendable {
  let glyphs: Glyphs

  /// The width of a cell, and of the space between two cells, in columns.
  private static let cell = 37
  private static let gap = 3

  /// Returns at most `height` lines, with as many cells side by side as fit in `width` columns, and
  /// at least one. `height` is at least 3.
  func lines(_ sky: SatelliteView, width: Int, height: Int) -> [StyledLine] {
    let satellites = Self.sorted(sky.satellites)
    let columns = max(1, (width + Self.gap) / (Self.cell + Self.gap))
    let room = height - 2
    var title = StyledLine("Satellites", .title)
    title.append("  \(sky.used.count) used, \(satellites.count) in view", .label)
    guard !satellites.isEmpty else { return [title] }
    let rows = min(room, (satellites.count + columns - 1) / columns)
    let hidden = satellites.count - rows * columns
    if hidden > 0 { title.append(", \(hidden) not shown", .label) }
    var lines = [title, StyledLine()]
    for column in 0..<min(columns, (satellites.count + rows - 1) / rows) {
      if column > 0 { lines[1].pad(to: column * (Self.cell + Self.gap)) }
      lines[1].append("                         dB  elev  azim", .label)
    }
    for row in 0..<rows {
      var line = StyledLine()
      for column in 0..<columns {
        let index = column * rows + row  // Column by column: the best at the left.
        guard index < satellites.count else { break }
        if column > 0 { line.pad(to: column * (Self.cell + Self.gap)) }
        line.append(cell(satellites[index]))
      }
      lines.append(line)
    }
    return lines
  }

  static func sorted(_ satellites: [Satellite]) -> [Satellite] {
    satellites.sorted { left, right in
      if left.isUsed != right.isUsed { return left.isUsed }
      let (ours, theirs) = (left.signalStrength ?? -1, right.signalStrength ?? -1)
      return ours != theirs ? ours > theirs : left.prn < right.prn
    }
  }

  private func cell(_ satellite: Satellite) -> StyledLine {
    var line = StyledLine((satellite.isUsed ? glyphs.used : " ") + " ", .good)
    let number = String(satellite.vehicle ?? satellite.prn)
    let name = satellite.constellation?.displayName ?? "PRN"
    line.append(
      TextWidth.pad(TextWidth.pad(name, 7) + " " + TextWidth.pad(number, 3, trailing: true), 11))
    line.append(" ")
    let strength = satellite.signalStrength
    let filled = Self.bar(strength ?? 0)
    line.append(String(repeating: glyphs.full, count: filled), Self.role(strength ?? 0))
    line.append(String(repeating: glyphs.empty, count: 10 - filled), .label)
    line.append(TextWidth.pad(strength.map { NumberText.fixed($0, 0) } ?? "-", 3, trailing: true))
    line.append(degrees(satellite.elevation.map { NumberText.fixed($0, 0) }, 5))
    line.append(degrees(satellite.azimuth.map { Angles.direction($0, 0) }, 6))
    return line
  }

  private func degrees(_ number: String?, _ width: Int) -> String {
    TextWidth.pad(number.map { $0 + glyphs.degree } ?? "-", width, trailing: true)
  }

  /// The length of the bar, 0...10, at 5 dB-Hz per unit; a strong signal has about 50 dB-Hz.
  static func bar(_ strength: Double) -> Int { min(10, max(0, Int((strength / 5).rounded()))) }

  private static func role(_ strength: Double) -> StyledLine.Role {
    strength >= 35 ? .good : strength >= 25 ? .warning : .bad
  }
}

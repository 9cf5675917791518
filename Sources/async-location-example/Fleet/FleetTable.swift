import AsyncLocation
import FoundationEssentials
import MQTTBackend

/// The content of the table of `fleet`.
struct FleetView: Sendable {
  /// The broker and the topic.
  var source = ""
  var connection: ConnectionState?
  /// The time when ``connection`` arrived.
  var connected: Duration?
  /// Sorted by their names.
  var devices: [FleetDevice] = []
  /// The newest events, oldest first; escaped.
  var events: [String] = []
}

/// Formats a ``FleetView`` as lines that fit a window. Pure.
struct FleetTable: Sendable {
  var width = 80
  var height = 24
  var glyphs = Glyphs.unicode

  /// The largest number of events that are shown.
  static let eventLimit = 5
  private static let nameWidth = 32
  private static let leastNameWidth = 8
  private static let gap = 2

  private typealias Cell = (text: String, role: StyledLine.Role)

  private struct Column {
    let title: String
    /// If the window is too narrow, columns with the highest rank are omitted first.
    let rank: Int
    let isTrailing: Bool
    let cell: @Sendable (FleetDevice) -> Cell
  }

  /// The lines from top to bottom. They are fewer than the rows of the window and narrower than its
  /// width.
  func lines(_ view: FleetView, now: Duration) -> [StyledLine] {
    let room = max(1, height - 1)
    var (lines, hasCounts) = header(view, now)
    let events = room >= 12 ? eventLines(view) : []
    if room >= lines.count + events.count + 3 { lines.append(StyledLine()) }
    let rows = max(0, room - lines.count - events.count)
    lines += devices(view.devices, rows: rows, counts: !hasCounts) + events
    return lines.prefix(room).map { $0.cut(to: width - 1, ellipsis: glyphs.ellipsis) }
  }

  /// The lines above the devices, and whether they have room for the counts.
  private func header(_ view: FleetView, _ now: Duration) -> ([StyledLine], hasCounts: Bool) {
    let connection = ConnectionText.line(
      view.connection, since: view.connected, now: now, glyphs: glyphs)
    // In a narrow window the state of the connection matters more than the end of the address and
    // the counts.
    let room = max(Self.leastNameWidth, width - 1 - connection.columns - Self.gap)
    var title = StyledLine(cut(Escaping.escape(view.source, limit: 120), room), .title)
    title.append("  ")
    title.append(connection)
    let counts =
      "  \(NumberText.counted(view.devices.count, "device")), \(Self.online(view.devices)) online"
    let hasCounts = title.columns + counts.count < width
    if hasCounts { title.append(counts, .label) }
    guard let problem = view.connection?.problem else { return ([title], hasCounts) }
    let reason = StyledLine(Escaping.escape(Reason.text(problem), limit: 300), .bad)
    return ([title, reason], hasCounts)
  }

  private func eventLines(_ view: FleetView) -> [StyledLine] {
    guard !view.events.isEmpty else { return [] }
    return [StyledLine(), StyledLine("Events", .title)]
      + view.events.suffix(Self.eventLimit).map { StyledLine($0) }
  }

  private static func online(_ devices: [FleetDevice]) -> Int {
    devices.count { $0.presence == .online }
  }

  /// - Parameters:
  ///   - rows: The number of lines, with that of the titles.
  ///   - counts: Whether a line for those that are not shown counts those that are online.
  private func devices(_ devices: [FleetDevice], rows: Int, counts: Bool) -> [StyledLine] {
    guard rows > 1, !devices.isEmpty else { return [] }
    let fit = devices.count < rows ? devices.count : max(0, rows - 2)
    let shown = devices.prefix(fit)
    let table = columns.map { column in
      (column: column, cells: [(column.title, .label)] + shown.map(column.cell))
    }
    var kept = table.map { ($0.column, $0.cells, Self.width(of: $0.cells)) }
    // The first column shrinks once no other can be left out.
    while kept.count > 1, sum(kept.dropFirst().map(\.2)) + Self.leastWidth(kept[0].2) >= width,
      let widest = kept.indices.dropFirst().max(by: { kept[$0].0.rank < kept[$1].0.rank })
    {
      kept.remove(at: widest)
    }
    let left = width - 1 - sum(kept.dropFirst().map(\.2)) - (kept.count > 1 ? Self.gap : 0)
    kept[0].2 = max(1, min(kept[0].2, left))
    var lines = (0...shown.count).map { row in
      var line = StyledLine()
      for (index, (column, cells, width)) in kept.enumerated() {
        if index > 0 { line.append(String(repeating: " ", count: Self.gap)) }
        let text = cut(cells[row].text, width)
        line.append(TextWidth.pad(text, width, trailing: column.isTrailing), cells[row].role)
      }
      return line
    }
    if fit < devices.count {
      let online = counts ? "; \(Self.online(devices)) of \(devices.count) online" : ""
      lines.append(StyledLine("\(devices.count - fit) more, not shown" + online, .label))
    }
    return lines
  }

  /// The width of columns with the gaps between them.
  private func sum(_ widths: [Int]) -> Int {
    widths.reduce(0, +) + Self.gap * max(0, widths.count - 1)
  }

  private static func width(of cells: [Cell]) -> Int {
    cells.map { TextWidth.columns($0.text) }.max() ?? 0
  }

  private static func leastWidth(_ width: Int) -> Int { min(width, leastNameWidth) + gap }

  private func cut(_ text: String, _ width: Int) -> String {
    guard TextWidth.columns(text) > width else { return text }
    return TextWidth.prefix(text, columns: width - 1) + glyphs.ellipsis
  }

  private var columns: [Column] {
    [
      Column(title: "Device", rank: 0, isTrailing: false) {
        (Self.name($0.id), .plain)
      },
      Column(title: "Presence", rank: 2, isTrailing: false) { Self.presence($0.presence) },
      Column(title: "Age", rank: 3, isTrailing: true) { Self.age($0.silence) },
      Column(title: "Position", rank: 1, isTrailing: true) { device in
        (
          device.location.map {
            NumberText.fixed($0.latitude, 5) + ", " + NumberText.fixed($0.longitude, 5)
          } ?? "-", .plain
        )
      },
      Column(title: "Speed", rank: 4, isTrailing: true) { device in
        let speed = device.location?.speed.map { NumberText.fixed($0 * 3.6, 1, width: 6) }
        return (speed.map { $0 + " km/h" } ?? "-", .plain)
      },
      Column(title: "Course", rank: 5, isTrailing: true) { [glyphs] device in
        (
          device.location?.course.map {
            Angles.direction($0, 0) + glyphs.degree + " " + TextWidth.pad(Angles.wind($0), 3)
          } ?? "-", .plain
        )
      },
      Column(title: "Last update", rank: 6, isTrailing: false) { device in
        (
          device.location.map {
            String(NumberText.time($0.timestamp).prefix(19)).replacing("T", with: " ") + "Z"
          } ?? "-", .plain
        )
      },
    ]
  }

  private static func name(_ id: FleetDevice.ID) -> String {
    Escaping.escape(id.description, limit: nameWidth)
  }

  private static func presence(_ presence: FleetDevice.Presence) -> Cell {
    switch presence {
    case .online: ("online", .good)
    case .offline: ("offline", .bad)
    case .unknown: ("unknown", .label)
    @unknown default: (presence.rawValue, .label)
    }
  }

  private static func age(_ silence: Duration?) -> Cell {
    guard let silence else { return ("-", .plain) }
    return (NumberText.span(silence), silence < .seconds(60) ? .plain : .warning)
  }
}

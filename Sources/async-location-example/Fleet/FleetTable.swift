import AsyncLocation
import FoundationEssentials
import MQTTBackend

/// The content of the table of `fleet`.
struct FleetView: Sendable {
  /// The broker and the topic.
  var source = ""
  var connection: ConnectionState?
  /// The time at which ``connection`` arrived.
  var connected: Duration?
  /// The devices in ``order``.
  var devices: [FleetDevice] = []
  var order = FleetOrder()
  var scroll = ListScroll<FleetDevice.ID>()
  /// The newest events, oldest first.
  var events: [FleetEvent] = []
  /// The last message for the user.
  var notice: String?
  /// Whether the user can press keys.
  var hasKeys = false
}

/// Formats a ``FleetView`` as lines that fit a window. Pure.
struct FleetTable: Sendable {
  var width = 80
  var height = 24
  var glyphs = Glyphs.unicode

  /// The maximum number of events that are shown.
  static let eventLimit = 5
  static let nameWidth = 32
  private static let leastNameWidth = 8
  private static let gap = 2

  private typealias Cell = (text: String, role: StyledLine.Role)

  /// The lines from top to bottom: fewer than the rows of the window, and each narrower than the
  /// window. Scrolls the view so that it fits.
  func lines(_ view: inout FleetView, now: Duration) -> [StyledLine] {
    let room = max(1, height - 1)
    var (lines, hasCounts) = header(view, now)
    let events = room >= 12 ? eventLines(view.events) : []
    if room >= lines.count + events.count + 3 { lines.append(StyledLine()) }
    let rows = max(0, room - lines.count - events.count)
    lines += devices(&view, rows: rows, counts: !hasCounts) + events
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
      "  \(NumberText.counted(view.devices.count, "device")), "
      + "\(Self.online(view.devices)) online" + Self.suspect(view.devices)
    let hasCounts = title.columns + counts.count < width
    if hasCounts { title.append(counts, .label) }
    var lines = [title]
    if let problem = view.connection?.problem {
      lines.append(StyledLine(Escaping.escape(Reason.text(problem), limit: 300), .bad))
    }
    if let notice = view.notice {
      lines.append(StyledLine(Escaping.escape(notice, limit: 300), .warning))
    }
    return (lines, hasCounts)
  }

  private static func online(_ devices: [FleetDevice]) -> Int {
    devices.count { $0.presence == .online }
  }

  /// How many devices are suspect; empty if none is.
  private static func suspect(_ devices: [FleetDevice]) -> String {
    let count = devices.count { $0.location?.integrity?.isSuspect ?? false }
    return count > 0 ? ", \(count) suspect" : ""
  }

  /// - Parameters:
  ///   - rows: The number of lines, including the line of the titles.
  ///   - counts: Whether the line about devices that are not shown includes the number of online
  ///     devices.
  private func devices(_ view: inout FleetView, rows: Int, counts: Bool) -> [StyledLine] {
    let all = view.devices
    let fittingCount = all.count < rows ? all.count : max(0, rows - 2)
    let range = view.scroll.show(all.map(\.id), rows: fittingCount)
    guard rows > 1, !all.isEmpty else { return [] }
    let selected = view.scroll.selected
    // The mark has a margin of its own, so that the columns are aligned with their titles.
    let margin = selected == nil ? 0 : TextWidth.columns(glyphs.selected) + 1
    var lines = table(all[range], view.order, width: width - margin)
    if margin > 0 {
      lines = zip(lines, [nil] + all[range].map(\.id)).map { line, id in
        let mark = id != nil && id == selected ? glyphs.selected : ""
        var marked = StyledLine(TextWidth.pad(mark, margin))
        marked.append(line)
        return marked
      }
    }
    if fittingCount < all.count {
      lines.append(StyledLine(status(view, range, counts: counts), .label))
    }
    return lines
  }

  /// The titles and a line for each device.
  private func table(
    _ devices: ArraySlice<FleetDevice>, _ order: FleetOrder, width: Int
  ) -> [StyledLine] {
    // Few devices assess their locations.
    let isAssessed =
      order.column == .integrity || devices.contains { $0.location?.integrity != nil }
    let columns = FleetColumn.allCases.filter { $0 != .integrity || isAssessed }
    var kept = columns.map {
      column -> (column: FleetColumn, cells: [Cell], width: Int) in
      let cells = [(title(of: column, order), .label)] + devices.map { cell($0, column) }
      return (column, cells, Self.width(of: cells))
    }
    // The column that determines the order is among the last to be left out.
    func rank(_ column: FleetColumn) -> Int { column == order.column ? 0 : column.rank }
    // The first column shrinks once no other can be left out.
    while kept.count > 1,
      sum(kept.dropFirst().map(\.width)) + Self.leastWidth(kept[0].width) >= width,
      let leastImportant = kept.indices.dropFirst().max(by: {
        rank(kept[$0].column) < rank(kept[$1].column)
      })
    {
      kept.remove(at: leastImportant)
    }
    let room = width - 1 - sum(kept.dropFirst().map(\.width)) - (kept.count > 1 ? Self.gap : 0)
    kept[0].width = max(1, min(kept[0].width, room))
    return (0...devices.count).map { row in
      var line = StyledLine()
      for (index, (column, cells, width)) in kept.enumerated() {
        if index > 0 { line.append(String(repeating: " ", count: Self.gap)) }
        let text = cut(cells[row].text, width)
        line.append(TextWidth.pad(text, width, trailing: column.isTrailing), cells[row].role)
      }
      return line
    }
  }

  /// The line that states which devices are shown, for a list that does not fit.
  private func status(_ view: FleetView, _ range: Range<Int>, counts: Bool) -> String {
    let total = NumberText.grouped(view.devices.count)
    var text =
      range.isEmpty
      ? "\(total) devices, not shown"
      : "devices \(NumberText.grouped(range.lowerBound + 1))\(glyphs.range)"
        + "\(NumberText.grouped(range.upperBound)) of \(total)"
    if counts {
      text +=
        "; \(NumberText.grouped(Self.online(view.devices))) online" + Self.suspect(view.devices)
    }
    let keys = "  arrows scroll, s sorts, r reverses, q quits"
    if view.hasKeys, TextWidth.columns(text) + keys.count < width { text += keys }
    return text
  }

  /// The total width of columns with the gaps between them.
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

  private func title(of column: FleetColumn, _ order: FleetOrder) -> String {
    guard column == order.column else { return column.title }
    return column.title + " " + (order.isReversed ? glyphs.descending : glyphs.ascending)
  }

  private func cell(_ device: FleetDevice, _ column: FleetColumn) -> Cell {
    switch column {
    case .device: return (Self.name(device.id), .plain)
    case .presence: return Self.presence(device.presence)
    case .age: return Self.age(device.silence)
    case .position, .speed, .course, .time, .integrity: break
    }
    guard let location = device.location else { return ("-", .plain) }
    // The position stays in view when the column of the reasons has no room.
    let isBad = location.isSuspect && (column == .position || column == .integrity)
    return (text(location, column) ?? "-", isBad ? .bad : .plain)
  }

  private func text(_ location: Location, _ column: FleetColumn) -> String? {
    switch column {
    case .position:
      NumberText.fixed(location.latitude, 5) + ", " + NumberText.fixed(location.longitude, 5)
    case .speed:
      location.speed.map { NumberText.fixed($0 * 3.6, 1, width: 6) + " km/h" }
    case .course:
      location.course.map {
        Angles.direction($0, 0) + glyphs.degree + " " + TextWidth.pad(Angles.compassPoint($0), 3)
      }
    case .time: Self.time(location)
    case .integrity: LocationLine.integrity(of: location)
    case .device, .presence, .age: nil
    }
  }

  /// A time in UTC: 2026-05-04 03:02:01Z.
  static func time(_ location: Location) -> String {
    String(NumberText.time(location.timestamp).prefix(19)).replacing("T", with: " ") + "Z"
  }

  static func name(_ id: FleetDevice.ID) -> String {
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
